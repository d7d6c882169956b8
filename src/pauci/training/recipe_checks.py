"""What the values of a recipe may be."""

import dataclasses
import math
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pauci.errors import RecipeError
from pauci.region import Region
from pauci.rounding import is_number

#: Path of a value, the least that it may be, what it must be below, and that in words.
_RULES = [
    ("epochs", 1, math.inf, "must be at least 1"),
    ("batch_size", 2, math.inf, "must be at least 2: one of each class"),
    ("positive_ratio", 0, 1, "must be a share below 1, or 0 for that of the data"),
    ("accumulate", 1, math.inf, "must be at least 1"),
    ("clip", 0, math.inf, "must be positive, or 0 for no limit"),
    ("ema", 0, 1, "must be a decay below 1, or 0 for none"),
    ("seed", 0, 2**63, "must be a non-negative integer"),
    ("loss.ce_weight", 0, 1 + 1e-12, "must be from 0 to 1"),
    ("schedule.warmup", 0, 1, "must be a share of the steps, below 1"),
    ("schedule.floor", 0, 1 + 1e-12, "must be from 0 to 1"),
    ("warmup.epochs", 0, math.inf, "must be at least 0"),
    ("selection.patience", 0, math.inf, "must be at least 0"),
    ("rollback.times", 0, math.inf, "must be at least 0"),
    ("rollback.factor", 1e-300, 1, "must be below 1 and positive"),
    ("data.pad", 0, math.inf, "must be at least 0"),
    ("data.max_angle", 0, 180, "must be from 0 to below 180"),
    ("data.val_share", 1e-6, 1, "must be a share above 0 and below 1"),
]


def check_ranges(recipe: Any) -> None:
    """Refuse numbers outside of their range."""
    for path, low, high, text in _RULES:
        value = attrgetter(path)(recipe)
        if not low <= value < high:
            raise RecipeError(f"{path}={value!r} {text}.")


def check_kinds(spec: Any, where: str = "") -> None:
    """Refuse names that are not known, what is not of the type of its field, and options that no file could hold.

    Parameters
    ----------
    spec : Recipe, or a part of it
        A dataclass.
    where : str
        What its fields are called in errors, before their names.
    """
    for name, kind in get_type_hints(type(spec)).items():
        value, path = getattr(spec, name), f"{where}{name}"
        _check_kind(value, kind, path)
        if name == "options":
            for option, entry in value.items():
                _check_plain(entry, f"{where}{option}")
        elif dataclasses.is_dataclass(value) and kind is not Region:
            check_kinds(value, f"{path}.")


def _check_kind(value: Any, kind: Any, path: str) -> None:
    origin = get_origin(kind) or kind
    if origin is Literal and value not in get_args(kind):
        raise RecipeError(f"{path}={value!r} is not known; use one of {', '.join(map(str, get_args(kind)))}.")
    if origin is tuple and not (isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)):
        shown = list(value) if isinstance(value, tuple) else value
        raise RecipeError(
            f'{path}={shown!r} must be a list of texts, for example ["customer"]; in a terminal, in quotes: '
            f"--set '{path}=[\"customer\"]'."
        )
    if origin not in (Literal, tuple) and not _is_of(value, origin):
        remedy = "; put it in quotes" if kind is str else ""
        raise RecipeError(f"{path}={value!r} must be of type {origin.__name__}, not {type(value).__name__}{remedy}.")


def _is_of(value: Any, kind: type) -> bool:
    if kind is float:
        return is_number(value) or isinstance(value, float)  # what is not finite is out of every range
    return type(value) is int if kind is int else isinstance(value, kind)


def _check_plain(value: Any, path: str) -> None:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            _check_plain(entry, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for entry in value:
            _check_plain(entry, path)
    elif value is None:
        raise RecipeError(f"{path}=None cannot be written to a file; leave it out, or set it in a factory of yours.")
    elif type(value) not in (bool, int, float, str):
        raise RecipeError(
            f"{path}={value!r} is of type {type(value).__name__}, which a recipe cannot hold; use plain numbers, "
            "texts, lists and tables, such as {'start': 2, 'end': 8, 'steps': 4} for a value that changes."
        )
