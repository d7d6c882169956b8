"""Constraints on columns by their names, as the libraries take them: by position."""

from collections.abc import Mapping, Sequence
from typing import Any

from pauci.boosting.objectives import Library
from pauci.errors import InputError

_MONOTONE = ("monotone_constraints", "mc", "monotone_constraint")
_INTERACTION = "interaction_constraints"


def constraints_by_position(params: Mapping[str, Any], names: Sequence[str], library: Library) -> dict[str, Any]:
    """Replace names of columns in constraints: the libraries get a matrix, which has none.

    Monotone constraints may be a mapping of names to -1, 0 or 1, interaction constraints lists of names, and both are
    lists by position for either library; whatever else is there stays as it is. Without names of columns, `names` is
    empty.

    Examples
    --------
    >>> constraints_by_position({"monotone_constraints": {"age": 1}}, ["income", "age"], "lightgbm")
    {'monotone_constraints': [0, 1]}
    >>> constraints_by_position({"interaction_constraints": [["age", "city"]]}, ["age", "city"], "xgboost")
    {'interaction_constraints': '[[0, 1]]'}
    """
    placed = dict(params)
    for name in _MONOTONE:
        if isinstance(signs := params.get(name), Mapping):
            _check(name, signs, names)
            placed[name] = [signs.get(column, 0) for column in names]
    groups = params.get(_INTERACTION, "")
    if not isinstance(groups, str):
        columns = [column for group in groups for column in group]
        if any(isinstance(column, str) for column in columns):
            _check(_INTERACTION, columns, names)
            groups = [[names.index(column) for column in group] for group in groups]
        placed[_INTERACTION] = groups
    # XGBoost would look up lists among names; as texts they are positions.
    return placed if library == "lightgbm" else {name: _as_text(name, value) for name, value in placed.items()}


def _as_text(name: str, value: Any) -> Any:
    if name in _MONOTONE and isinstance(value, list | tuple):
        return f"({','.join(map(str, value))})"
    return str([list(group) for group in value]) if name == _INTERACTION and not isinstance(value, str) else value


def _check(parameter: str, columns: Any, names: Sequence[str]) -> None:
    unknown = [column for column in columns if column not in names]
    if unknown:
        known = f"its columns are {list(names)}" if names else "its columns have no names: pass a DataFrame"
        raise InputError(f"params: {parameter} names {unknown}, which X does not have; {known}.")
