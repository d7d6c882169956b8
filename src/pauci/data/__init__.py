"""Data: tabular files and batch samplers."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.data.columns import read_columns

__all__ = ["read_columns"]

__getattr__, __dir__ = attach(__name__, {"read_columns": "pauci.data.columns"})
