"""Which labels are missing, whatever stands for them: NaN, NaT, None, pandas' NA or a mask."""

from typing import Any

import numpy as np
import numpy.typing as npt


def missing_labels(given: Any, labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where labels are missing.

    Parameters
    ----------
    given : array-like
        The labels as they came.
    labels : ndarray
        The same as an array.

    Returns
    -------
    ndarray of bool
        Of the array's shape.

    Examples
    --------
    >>> words = ["cat", float("nan")]
    >>> missing_labels(words, np.array(words))
    array([False,  True])
    """
    if np.ma.is_masked(given):
        return np.ma.getmaskarray(given)
    if labels.dtype.kind in "US" and not hasattr(given, "dtype"):
        # Among strings numpy writes a NaN out as text, and then it looks like a label.
        labels = np.asarray(given, dtype=object)
    if labels.dtype.kind in "fcmM":
        missing: npt.NDArray[np.bool_] = np.isnan(labels)
        return missing
    if labels.dtype == object:
        flat = [label is None or not _equals_itself(label) for label in labels.ravel()]
        return np.array(flat, dtype=bool).reshape(labels.shape)
    return np.zeros(labels.shape, dtype=bool)


def _equals_itself(label: Any) -> bool:
    # NaN and NaT do not; pandas' NA answers NA, which is neither true nor false.
    answer = label == label
    return isinstance(answer, bool | np.bool_) and bool(answer)
