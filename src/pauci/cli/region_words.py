"""Commands that judge take a whole `--region`, those that fit a budget: who writes the one for the other is told."""

import shlex
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

from pauci.errors import InputError

#: The edges of a region that `pauci fit` has options for, as `--region` writes them.
_EDGES = {"--max-fpr": "fpr<=", "--min-tpr": "tpr>="}


class JudgingCommand(TyperCommand):
    """A command with `--region`, which says how to write `--max-fpr` and `--min-tpr` there."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        words = tuple(args)  # the parser takes them out of the list
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if _unknown_option(error) not in _EDGES:
                raise
            given = {option: value for option in _EDGES if (value := _value(words, option)) is not None}
            region = ",".join(f"{_EDGES[option]}{value}" for option, value in given.items())
            message = f"there is no {' or '.join(given)} here; write --region {shlex.quote(region)} instead."
            raise InputError(message) from None


class FittingCommand(TyperCommand):
    """A command with `--max-fpr` and `--min-tpr`, which says so to those who write `--region`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if _unknown_option(error) != "--region":
                raise
            message = "there is no --region here; write --max-fpr 0.01, or --min-tpr 0.8, or both instead."
            raise InputError(message) from None


def _unknown_option(error: Exception) -> str | None:
    """Name the option that the parser does not know; Typer brings its own errors, or has those of click."""
    return getattr(error, "option_name", None)


def _value(words: Sequence[str], option: str) -> str | None:
    """Find what an option is given on a command line; None if it is not there."""
    for word, following in zip(words, [*words, ""][1:], strict=True):
        name, equals, value = word.partition("=")
        if name == option:
            return (value if equals else following) or "..."
    return None
