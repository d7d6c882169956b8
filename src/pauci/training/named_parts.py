"""What a run trains on, is selected by and is judged on: data of several kinds as named pairs of arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pauci.data.duplicates import group_duplicates
from pauci.data.splits import stratified_split
from pauci.errors import InputError, LabelError
from pauci.metrics.inputs import read_labels, to_numpy

#: Instances and whether they are positive.
Arrays = tuple[Any, Any]

_NAMES = ("train", "val", "test")


def named_parts(data: Any, *, val_share: float, seed: int) -> dict[str, Arrays]:
    """Find the parts of data (see `load_inputs`), and set a share of the training part aside if none is for validation.

    Returns
    -------
    dict of str to tuple
        Of "train", "val" and, where it is given, "test": instances and labels, with both classes.

    Examples
    --------
    >>> parts = named_parts((np.arange(20.0).reshape(10, 2), [0, 1] * 5), val_share=0.2, seed=0)
    >>> {name: len(y) for name, (x, y) in parts.items()}
    {'train': 8, 'val': 2}
    """
    if isinstance(data, tuple | list):
        parts = {"train": data}
    elif isinstance(data, Mapping):
        parts = dict(data)
    else:
        parts = {name: getattr(data, name) for name in _NAMES if hasattr(data, name)}
    if parts.get("train") is None:
        raise InputError(
            f"data of type {type(data).__name__} have no part 'train'; pass (x, y) or {{'train': (x, y)}}."
        )
    if unknown := [name for name in parts if name not in _NAMES]:
        raise InputError(f"data have a part {unknown[0]!r}, which is not known; the parts are train, val and test.")
    given = {name: _given(part) for name, part in parts.items() if part is not None}
    _check_same_columns({name: pair[0] for name, pair in given.items() if pair})
    arrays = {name: _pair(pair, name, parts[name]) for name, pair in given.items()}
    if "val" not in arrays:
        x, y = arrays["train"]
        kept, held = _split(x, y, val_share, seed)
        arrays["train"], arrays["val"] = (x[kept], y[kept]), (x[held], y[held])
    for name, (_, y) in arrays.items():
        if y.all() or not y.any():
            raise LabelError(f"the labels of part {name!r} hold one class only; every part needs both.")
    return arrays


def _split(x: Any, y: Any, share: float, seed: int) -> Arrays:
    """Set a share aside; equal rows, or images, stay together, or validation would reward learning by heart."""
    is_known = x.ndim == 2 or x.dtype == np.uint8
    groups = group_duplicates(x.reshape(len(x), -1)) if is_known else np.arange(len(x))
    _, first = np.unique(groups, return_index=True)
    _, held, _ = stratified_split(y[first], train=1 - share, val=share, seed=seed)
    # A row with more copies than validation has room for would take its place, and training's.
    fitting = held[np.bincount(groups)[held] <= share * len(y)]
    labels = y[first[fitting]]
    if labels.any() and not labels.all():
        held = fitting
    is_held = np.isin(groups, held)
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def _given(part: Any) -> tuple[Any, ...]:
    return tuple(part) if isinstance(part, tuple | list) else (getattr(part, "x", None), getattr(part, "y", None))


def _check_same_columns(instances: Mapping[str, Any]) -> None:
    """Refuse data frames whose columns are not those of the training part: they are read by their places."""
    named = {name: list(map(str, _names(x))) for name, x in instances.items() if hasattr(x, "columns")}
    for name, columns in named.items():
        if columns != (first := named.get("train", columns)):
            raise InputError(
                f"part {name!r} has the columns {', '.join(columns)}, but part 'train' {', '.join(first)}; columns are "
                "read by their places: bring them into one order."
            )


def _names(frame: Any) -> Any:
    # What pyarrow calls columns are their values; a column of pandas may have any name.
    is_arrow = hasattr(frame, "column_names") and not hasattr(frame, "iloc")
    return frame.column_names if is_arrow else frame.columns


def _pair(pair: tuple[Any, ...], name: str, part: Any) -> Arrays:
    if len(pair) != 2 or any(values is None for values in pair):
        raise InputError(
            f"part {name!r} (a {type(part).__name__}) is not a pair (x, y) of instances and labels, or one of them is "
            "None; leave out a part without labels, and score it with Result.scores."
        )
    x, y = map(to_numpy, pair)
    if y.ndim != 1 or x.shape[:1] != y.shape:
        raise LabelError(
            f"part {name!r} has {len(x) if x.ndim else 0} instances, but labels of shape {y.shape}; they must match."
        )
    return x, _positives(y, name)


def _positives(y: Any, name: str) -> Any:
    try:
        return read_labels(y)
    except LabelError:
        values = ", ".join(sorted({str(value) for value in y.tolist()})[:5])
        raise LabelError(
            f"the labels of part {name!r} hold {values or 'nothing'}; expected bool, {{0, 1}} or {{-1, 1}}. Of other "
            "labels pass y == the positive one; drop rows without a label."
        ) from None
