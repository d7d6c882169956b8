"""Constraints on columns by their names, as the libraries take them: by position."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from pauci.boosting.objectives import Library
from pauci.errors import InputError

_MONOTONE = ("monotone_constraints", "mc", "monotone_constraint")
_INTERACTION = "interaction_constraints"


def constraints_by_position(
    params: Mapping[str, Any], names: Sequence[str], library: Library, *, width: int
) -> dict[str, Any]:
    """Replace names of columns in constraints: the libraries get a matrix of so many columns, which has no names.

    Monotone constraints may be a mapping of names to -1, 0 or 1, interaction constraints lists of names, and both are
    lists by position for either library; whatever else is there stays as it is. Without names of columns, `names` is
    empty.

    Examples
    --------
    >>> constraints_by_position({"monotone_constraints": {"age": 1}}, ["income", "age"], "lightgbm", width=2)
    {'monotone_constraints': [0, 1]}
    >>> constraints_by_position({"interaction_constraints": [["age", "city"]]}, ["age", "city"], "xgboost", width=2)
    {'interaction_constraints': '[[0, 1]]'}
    """
    placed = dict(params)
    for name in _MONOTONE:
        if isinstance(signs := params.get(name), Mapping):
            _check(name, signs, names)
            signs = [signs.get(column, 0) for column in names]
        if _is_list(signs):
            placed[name] = [int(sign) for sign in signs]
    if _is_list(groups := params.get(_INTERACTION)):
        columns = [column for group in groups for column in group]
        if any(isinstance(column, str) for column in columns):
            _check(_INTERACTION, columns, names)
            groups = [[names.index(column) for column in group] for group in groups]
        placed[_INTERACTION] = [[int(column) for column in group] for group in groups]
        # LightGBM would read beyond its memory.
        if outside := sorted({column for group in placed[_INTERACTION] for column in group} - set(range(width))):
            raise InputError(f"params: {_INTERACTION} names columns {outside}, but X has {width}, counted from 0.")
    # XGBoost would look up lists among names; as texts they are positions.
    return placed if library == "lightgbm" else {name: _as_text(name, value) for name, value in placed.items()}


def _as_text(name: str, value: Any) -> Any:
    if name in _MONOTONE and _is_list(value):
        return f"({','.join(map(str, value))})"
    return str(value) if name == _INTERACTION and _is_list(value) else value


def _is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _check(parameter: str, columns: Any, names: Sequence[str]) -> None:
    unknown = [column for column in columns if column not in names]
    if unknown:
        known = f"its columns are {list(names)}" if names else "its columns have no names: pass a DataFrame"
        raise InputError(f"params: {parameter} names {unknown}, which X does not have; {known}.")
