"""Errors of training runs; the classes they derive from are in `pauci.errors`."""

from pauci.errors import FileFormatError, InputError, PauciError


class RecipeError(InputError):
    """A recipe has an unknown key, a value of the wrong kind, or parts that do not go together."""


class CheckpointError(FileFormatError):
    """A checkpoint cannot be read or written, or belongs to another run."""


class DivergedError(PauciError):
    """The loss or the scores became NaN or infinite.

    Parameters
    ----------
    message : str
        Place, likely cause and remedy.
    step : int
        Steps made before the one that failed: the weights after that many are the bad ones.
    """

    def __init__(self, message: str, *, step: int) -> None:
        super().__init__(message)
        self.step = step


class RankError(PauciError):
    """A process of a distributed run stopped, or stopped answering."""
