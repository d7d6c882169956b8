"""What LightGBM and XGBoost call objectives and metrics with, natively and through scikit-learn."""

from typing import Any, NamedTuple

import numpy as np

from pauci.boosting.workers import Array
from pauci.errors import InputError


class Call(NamedTuple):
    """The arguments of a call.

    Attributes
    ----------
    y_true, raw : ndarray
        Labels and predictions.
    weight : ndarray or None
        Sample weights.
    native : bool
        Whether the library's own interface called, with a dataset.
    """

    y_true: Array
    raw: Array
    weight: Array | None
    native: bool


def read_call(
    first: Any, second: Any, sample_weight: Array | None = None, group: Array | None = None, *, library: str
) -> Call:
    """Read ``(predictions, dataset)`` or ``(labels, predictions, weights, sizes of queries)``.

    A `lightgbm.Dataset` or `xgboost.DMatrix` brings its own weights and queries, which LightGBM's rankers have.
    `library` is who is expected to call.

    Raises
    ------
    InputError
        If the dataset is that of the other library, or rows are divided into several queries, which a ROC curve of all
        rows is not.

    Examples
    --------
    >>> read_call([0, 1], [0.1, 0.9], library="lightgbm").raw
    array([0.1, 0.9])
    """
    if not hasattr(second, "get_label"):
        _check_undivided(group)
        return Call(np.asarray(first), np.asarray(second), sample_weight, native=False)
    caller = type(second).__module__.partition(".")[0]
    if caller != library and caller in ("lightgbm", "xgboost"):
        raise InputError(f"{caller} called what is made for {library}; use {caller}_objective and {caller}_metric.")
    _check_undivided(second.get_group())
    weight = second.get_weight()
    return Call(
        np.asarray(second.get_label()),
        np.asarray(first),
        None if weight is None or len(weight) == 0 else np.asarray(weight),
        native=True,
    )


def _check_undivided(groups: Array | None) -> None:
    if groups is not None and len(groups) > 1:
        raise InputError(
            f"the dataset is divided into {len(groups)} queries (group= or qid=); a partial AUC ranks all rows "
            "together. Drop the groups, or use the library's own ranking objectives."
        )
