"""The two classes of a target, and which rows are of the positive one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from pauci.errors import LabelError
from pauci.metrics.inputs import read_classes
from pauci.positive_class import PositiveClassWarning as PositiveClassWarning
from pauci.positive_class import warn_unless_evident

Array = NDArray[Any]


def read_two_classes(y: Any) -> tuple[Array, NDArray[np.bool_]]:
    """Find the two classes of a target, the positive one second, and tell which rows are of that one.

    Called by `_fit`, so that the `PositiveClassWarning`, where labels do not tell which class is positive, is about the
    line that called `fit`.

    Raises
    ------
    LabelError
        There are not two of them.

    Examples
    --------
    >>> read_two_classes(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([False,  True, False]))
    """
    labels = read_classes(y, name="y")
    if labels.dtype == object and all(isinstance(label, int | np.integer | np.bool_) for label in labels):
        labels = np.array(labels.tolist())  # of a column that once held gaps
    check_classification_targets(labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    classes = np.unique(labels)
    if kind != "binary" or len(classes) > 2:
        raise LabelError(f"Only binary classification is supported. The type of the target is {kind}.")
    first, last = classes.tolist()[0], classes.tolist()[-1]
    if len(classes) < 2:
        raise LabelError(
            f"y holds one class only, {first!r} in all {len(labels)} rows; a classifier needs two classes. "
            "Check the label column, or fit on more rows."
        )
    remedy = f"If {first!r} is what you want to find, fit on y == {first!r}."
    warn_unless_evident(first, last, remedy=remedy, stacklevel=4)
    return classes, positives_of(labels, classes)


def positives_of(labels: Array, classes: Array) -> NDArray[np.bool_]:
    """Tell the positives, which are of the second class; a label that is of neither, none being missing, is an error.

    Examples
    --------
    >>> positives_of(np.array([3, 5, 5]), np.array([3, 5]))
    array([False,  True,  True])
    """
    positive: NDArray[np.bool_] = labels == classes[1]
    unknown = ~(positive | (labels == classes[0]))
    if unknown.any():
        named = sorted(set(map(repr, labels[unknown].tolist())))
        raise LabelError(
            f"y holds {', '.join(named[:5])}{', ...' if len(named) > 5 else ''} in {unknown.sum():,} rows, but the "
            f"classes are {' and '.join(map(repr, classes.tolist()))}. Give the labels as when fitting: text for a "
            "number, as '1' for 1, is another."
        )
    return positive
