"""Constraints on columns by their names, as the libraries take them: by position."""

from collections.abc import Mapping, Sequence
from typing import Any

from pauci.boosting.objectives import Library
from pauci.errors import InputError

_MONOTONE = ("monotone_constraints", "mc", "monotone_constraint")
_INTERACTION = "interaction_constraints"


def constraints_by_position(params: Mapping[str, Any], names: Sequence[str], library: Library) -> dict[str, Any]:
    """Replace names of columns in constraints: the libraries get a matrix, which has none.

    Parameters
    ----------
    params : mapping
        For the library. Monotone constraints may be a mapping of names to -1, 0 or 1, interaction constraints lists of
        names; whatever else is there stays as it is.
    names : sequence of str
        Of the columns, in order; empty if they have none.
    library : {"lightgbm", "xgboost"}
        Which one.

    Examples
    --------
    >>> constraints_by_position({"monotone_constraints": {"age": 1}}, ["income", "age"], "lightgbm")
    {'monotone_constraints': [0, 1]}
    >>> constraints_by_position({"interaction_constraints": [["age", "city"]]}, ["age", "city"], "xgboost")
    {'interaction_constraints': '[[0, 1]]'}
    """
    placed = dict(params)
    for name in _MONOTONE:
        signs = params.get(name)
        if isinstance(signs, Mapping):
            _check(name, signs, names)
            values = [signs.get(column, 0) for column in names]
            placed[name] = values if library == "lightgbm" else f"({','.join(map(str, values))})"
    groups = params.get(_INTERACTION, "")
    columns = [] if isinstance(groups, str) else [column for group in groups for column in group]
    if any(isinstance(column, str) for column in columns):
        _check(_INTERACTION, columns, names)
        places = [[names.index(column) for column in group] for group in groups]
        # XGBoost would look up lists among names; as a text they are positions.
        placed[_INTERACTION] = places if library == "lightgbm" else str(places)
    return placed


def _check(parameter: str, columns: Any, names: Sequence[str]) -> None:
    unknown = [column for column in columns if column not in names]
    if unknown:
        known = f"its columns are {list(names)}" if names else "its columns have no names: pass a DataFrame"
        raise InputError(f"params: {parameter} names {unknown}, which X does not have; {known}.")
