"""Every error this package raises on purpose.

All derive from `PauciError`; those about a value also derive from `ValueError`, so that code written for
scikit-learn catches them.
"""


class PauciError(Exception):
    """Base class of all errors of this package."""


class InputError(PauciError, ValueError):
    """An argument has a value that cannot be worked with."""


class ScoreError(InputError):
    """Scores are not finite, not numeric or of the wrong shape."""


class LabelError(InputError):
    """Labels are not binary, of one class only, or do not match the scores."""


class RegionError(InputError):
    """A region of the ROC plane is malformed, empty, or holds no whole instance."""


class TooFewSamplesError(InputError):
    """There are not enough instances for the guarantee that was asked for."""


class FileFormatError(PauciError, ValueError):
    """A file is not what it should be: truncated, foreign, or without the columns asked for."""


class MissingDataError(PauciError, FileNotFoundError):
    """A data set is not on this machine."""


class DownloadError(PauciError, OSError):
    """A file could not be fetched."""


class MissingExtraError(PauciError, ImportError):
    """An optional dependency is not installed."""
