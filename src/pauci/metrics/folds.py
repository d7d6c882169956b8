"""The rows that each estimator of a cross-validation was not fitted to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pauci.errors import InputError
from pauci.metrics.inputs import Array


def fold_rows(cv_results: Mapping[str, Any], **data: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Go through the folds: each estimator with the rows it was not fitted to.

    Parameters
    ----------
    cv_results : mapping
        What `sklearn.model_selection.cross_validate` returns with ``return_estimator=True, return_indices=True``.
    **data
        What was cross-validated, by name: arrays, frames or sequences with a row per instance; or `None`.

    Yields
    ------
    tuple of estimator and dict
        The fitted estimator, and the rows of its test fold under the same names.

    Examples
    --------
    >>> cv_results = {"estimator": ["first", "second"], "indices": {"train": [[1], [0]], "test": [[0], [1]]}}
    >>> list(fold_rows(cv_results, y=[5, 6], groups=None))
    [('first', {'y': array([5]), 'groups': None}), ('second', {'y': array([6]), 'groups': None})]
    """
    if not {"estimator", "indices"} <= set(cv_results):
        raise InputError(
            "cv_results lacks the fitted estimators or the indices; "
            "call cross_validate with return_estimator=True and return_indices=True."
        )
    indices = cv_results["indices"]
    for name, given in data.items():
        if given is not None:
            _check_rows(name, given, indices)
    for estimator, rows in zip(cv_results["estimator"], indices["test"], strict=True):
        yield estimator, {name: None if given is None else _rows(given, rows) for name, given in data.items()}


def _check_rows(argument: str, data: Any, indices: Mapping[str, Sequence[Array]]) -> None:
    """Raise unless the rows are those that were cross-validated, as far as the indices tell."""
    used = np.unique(np.concatenate([*indices["train"], *indices["test"]]))
    rows, needed = data.shape[0] if hasattr(data, "shape") else len(data), int(used[-1]) + 1
    # Splits that leave rows out on purpose do not tell how many there were.
    if rows < needed or (rows > needed and len(used) == needed):
        raise InputError(
            f"{argument} has {rows} rows but the folds in cv_results were made from {needed}; "
            "pass the data that cross_validate was given."
        )


def _rows(data: Any, rows: Array) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "column_names"):  # a pyarrow Table
        return data.take(rows)
    if hasattr(data, "tocsr"):
        return data.tocsr()[rows]
    return data[rows] if hasattr(data, "shape") else np.asarray(data)[rows]
