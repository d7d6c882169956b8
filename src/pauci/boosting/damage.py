"""Model files of the boosters' libraries, looked at before these read them: what is wrong, and where."""

from collections.abc import Iterator
from contextlib import contextmanager

from pauci.errors import FileFormatError


@contextmanager
def damage_of(what: str) -> Iterator[None]:
    """Turn what a check in the block finds missing or wrong into a `FileFormatError`.

    Examples
    --------
    >>> with damage_of("the model"), within("tree 3"):
    ...     demand(1 + 1 == 3, "its leaves do not add up")
    Traceback (most recent call last):
    pauci.errors.FileFormatError: the model is damaged: tree 3: its leaves do not add up.
    """
    try:
        yield
    except KeyError as error:
        raise FileFormatError(f"{what} is damaged: it has no {error}.") from error
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"{what} is damaged: {error}.") from error


@contextmanager
def within(part: str) -> Iterator[None]:
    """Say in which part it was found."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"{part} has no {error}") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{part}: {error}") from error


def demand(holds: bool, otherwise: str) -> None:
    """Raise a `ValueError` that says what is wrong, unless it is right."""
    if not holds:
        raise ValueError(otherwise)
