"""The command line: one file per command."""

from pauci.cli.app import app, main

__all__ = ["app", "main"]
