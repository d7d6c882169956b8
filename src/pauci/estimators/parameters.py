"""What the parameters of an estimator may be: of the types that its constructor names, and within their ranges."""

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import torch
from sklearn.base import BaseEstimator
from torch import nn

from pauci.errors import InputError
from pauci.losses.checks import check_not_negative, check_positive
from pauci.metrics.inputs import check_probability
from pauci.region import Region

#: For every type in the constructors, the classes that a value may be of, and what to call them.
_TYPES: dict[Any, tuple[Any, str]] = {
    bool: ((bool, np.bool_), "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "a text"),
    dict: (dict, "a dict"),
    NoneType: (NoneType, "None"),
    Sequence: (Iterable, "a sequence"),  # arrays are none, but may be read like one
    Callable: (Callable, "a function"),
    Region: (Region, "a pauci.Region such as Region(max_fpr=0.1)"),
    nn.Module: (nn.Module, "an nn.Module"),
    torch.device: (torch.device, "a torch.device"),
}

#: Numbers of things, of which there must be one.
_COUNTS = ("max_epochs", "max_rounds", "patience", "batch_size")


def check_parameters(estimator: BaseEstimator, constructor: type[BaseEstimator]) -> None:
    """Refuse parameters that are of another type than the constructor says, or out of their range.

    Raises
    ------
    InputError
        With the parameter, its value, and what it must be.

    Examples
    --------
    >>> from pauci import PartialAUCClassifier
    >>> check_parameters(PartialAUCClassifier(max_epochs=20), PartialAUCClassifier)
    >>> check_parameters(PartialAUCClassifier(max_epochs=2.5), PartialAUCClassifier)
    Traceback (most recent call last):
    pauci.errors.InputError: max_epochs=2.5 must be a whole number.
    """
    given = estimator.get_params(deep=False)
    for name, hint in get_type_hints(constructor.__init__).items():
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        if name in given and not any(_is_of(given[name], kind) for kind in kinds):
            raise InputError(f"{name}={given[name]!r} must be {' or '.join(map(_words, kinds))}.")
    if isinstance(given.get("architecture"), nn.Module):
        raise InputError(
            "architecture is a network, but every fold needs a new one: pass a function that makes it from the number "
            "of columns, such as lambda columns: nn.Linear(columns, 1)."
        )
    for name in _COUNTS:
        if (count := given.get(name)) is not None and count < 1:
            raise InputError(f"{name}={count!r} must be at least 1.")
    check_positive(learning_rate=given["learning_rate"])
    check_not_negative(weight_decay=given.get("weight_decay", 0))
    if given["confidence"] is not None:
        check_probability("confidence", given["confidence"])


def _is_of(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if isinstance(value, bool) and kind is not bool:  # Python takes it for a whole number
        return False
    return isinstance(value, _TYPES[get_origin(kind) or kind][0])


def _words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind)))
    return _TYPES[get_origin(kind) or kind][1]
