"""Commands that judge take a whole `--region`, those that fit a budget: who writes the one for the other is told."""

import shlex
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

from pauci.errors import InputError

#: The edges of a region that `pauci fit` has options for, as `--region` writes them.
_EDGES = {"--max-fpr": "fpr<=", "--min-tpr": "tpr>="}


class RegionCommand(TyperCommand):
    """A command with `--region`, or with options for its edges, that knows what is meant by those it does not have."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        words = tuple(args)  # the parser takes them out of the list
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            # Errors about options have a name; Typer brings its own, or has those of click.
            option = getattr(error, "option_name", None)
            is_here = any(option in parameter.opts for parameter in self.params)
            if not is_here and (hint := _hint(option, words)):
                raise InputError(hint) from None
            if isinstance(told := getattr(error, "message", None), str):
                error.message = told.removeprefix("Value error, ")  # type: ignore[attr-defined]  # pydantic's, of choices
            raise


def _hint(option: str | None, words: Sequence[str]) -> str | None:
    """Say what to write instead of an option; None if that is not known."""
    if option == "--region":
        return "there is no --region here; write --max-fpr 0.01, or --min-tpr 0.8, or both instead."
    if option in _EDGES:
        given = {edge: value for edge in _EDGES if (value := _value(words, edge)) is not None}
        region = ",".join(f"{_EDGES[edge]}{value}" for edge, value in given.items())
        return f"there is no {' or '.join(given)} here; write --region {shlex.quote(region)} instead."
    return None


def _value(words: Sequence[str], option: str) -> str | None:
    """Find what an option is given on a command line; None if it is not there."""
    for word, following in zip(words, [*words, ""][1:], strict=True):
        name, equals, value = word.partition("=")
        if name == option:
            return (value if equals else following) or "..."
    return None
