"""Every error this package raises on purpose.

All derive from `PauciError`; those about a value also derive from `ValueError`, so that code written for
scikit-learn catches them.
"""


class PauciError(Exception):
    """Base class of all errors of this package."""


class InputError(PauciError, ValueError):
    """An argument has a value that cannot be used."""


class ScoreError(InputError):
    """Scores are not finite, not numeric or of the wrong shape."""


class LabelError(InputError):
    """Labels are not binary, are of one class only, or do not match the scores."""


class RegionError(InputError):
    """A region of the ROC plane is malformed, empty, or holds no whole instance."""


class TooFewSamplesError(InputError):
    """There are too few instances for the requested guarantee."""


class FileFormatError(PauciError, ValueError):
    """A file is not what it should be: truncated, foreign, or without the requested columns."""


class MissingFileError(FileFormatError, FileNotFoundError):
    """A file is not where it should be."""


class RecipeError(InputError):
    """A recipe has an unknown key, a value of the wrong kind, or parts that do not go together."""


class CheckpointError(FileFormatError):
    """A checkpoint cannot be read or written, or belongs to another run."""


class OtherNetworkError(CheckpointError):
    """A result belongs to another network than the one that should take it over."""


class DivergedError(PauciError):
    """The loss or the scores became NaN or infinite.

    Parameters
    ----------
    message : str
        Place, likely cause and remedy.
    step : int
        Steps completed before the one that failed; the weights after that many steps are the bad ones.
    """

    def __init__(self, message: str, *, step: int) -> None:
        super().__init__(message)
        self.step = step


class RankError(PauciError):
    """A process of a distributed run stopped, or stopped answering."""


class MissingDataError(PauciError, FileNotFoundError):
    """A data set is not on this machine."""


class DownloadError(PauciError, OSError):
    """A file could not be fetched."""


class MissingExtraError(PauciError, ImportError):
    """An optional dependency is not installed."""
