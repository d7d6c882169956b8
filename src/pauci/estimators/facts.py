"""Facts from a file, taken only for what they should be."""

import dataclasses
import sys
import types
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from pauci.errors import FileFormatError, InputError
from pauci.region import Region

T = TypeVar("T")


def built(kind: type[T], facts: Mapping[str, Any]) -> T:
    """Build a dataclass from what `dataclasses.asdict` made of it; through JSON and back is fine.

    Its fields are numbers, text, tuples of these, or dataclasses that are built already.

    Raises
    ------
    FileFormatError
        A field is of another type than it should be, missing or unknown.

    Examples
    --------
    >>> from pauci.region import Region
    >>> built(Region, {"max_fpr": 0.1})
    Region(max_fpr=0.1)
    >>> built(Region, {"max_fpr": "0.1"})
    Traceback (most recent call last):
    pauci.errors.FileFormatError: max_fpr of Region is '0.1', not float.
    """
    if not isinstance(facts, Mapping):
        raise FileFormatError(f"{kind.__name__} is {facts!r}, not its fields.")
    known = get_type_hints(kind)
    for name in known.keys() & facts.keys():
        told(facts, name, known[name], of=f" of {kind.__name__}")
    try:
        return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()})
    except TypeError as error:
        raise FileFormatError(f"{kind.__name__} cannot be built: {error}.") from error


def parameter_facts(estimator: Any) -> dict[str, Any]:
    """Take the parameters of an estimator apart, such that JSON can hold those that both estimators have."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if isinstance(parameters["class_weight"], dict):
        raise InputError("class_weight is a dict, whose keys JSON cannot keep; use 'balanced' or sample_weight.")
    region, seed = parameters["train_region"], parameters["random_state"]
    return parameters | {
        "shares": [float(share) for share in parameters["shares"]],
        "train_region": None if region is None else dataclasses.asdict(region),
        "random_state": int(seed) if isinstance(seed, np.integer) else seed,
    }


def parameters_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Put them together again."""
    region = facts["train_region"]
    return {
        **facts,
        "shares": tuple(facts["shares"]),
        "train_region": None if region is None else built(Region, region),
    }


def told(facts: Mapping[str, Any], name: str, kind: Any, *, of: str = "") -> Any:
    """Look up a fact, which must be there and of a type, as annotations name it; `of` follows the name in errors.

    Raises
    ------
    FileFormatError
        It is missing or of another type.
    """
    if name not in facts:
        raise FileFormatError(f"{name}{of} is missing.")
    if not _is(facts[name], kind):
        raise FileFormatError(f"{name}{of} is {facts[name]!r}, not {getattr(kind, '__name__', kind)}.")
    return facts[name]


def _is(value: Any, kind: Any) -> bool:
    if isinstance(value, np.generic):
        value = value.item()
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(_is(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin in (tuple, list):
        return isinstance(value, list | tuple) and all(_is(each, parts[0]) for each in value)
    if kind is float and isinstance(value, int):  # in JSON, 1.0 may be written as 1, and what no float can hold as well
        return not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
