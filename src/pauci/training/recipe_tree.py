"""Recipes from nested dicts, as TOML and JSON give them."""

import dataclasses
from collections.abc import Mapping
from typing import Any, get_origin, get_type_hints

from pauci.errors import RecipeError
from pauci.region import Region
from pauci.rounding import is_number
from pauci.training.component import Component, suggestion
from pauci.training.recipe import Recipe
from pauci.training.recipe_toml import toml_value


def recipe_from_dict(tree: Mapping[str, Any]) -> Recipe:
    """Build a recipe from nested dicts, as TOML and JSON give them; the inverse of `Recipe.to_dict`.

    Examples
    --------
    >>> recipe_from_dict({"epochs": 3, "region": "fpr<=0.01"}).region
    Region(max_fpr=0.01)
    """
    recipe: Recipe = _build(Recipe, tree, "")
    return recipe


def _build(cls: type[Any], tree: Any, where: str) -> Any:
    if not isinstance(tree, Mapping):
        raise RecipeError(f"{where} must be a table, not {tree!r}.")
    hints, before = get_type_hints(cls), f"{where}." if where else ""
    fields = {field.name for field in dataclasses.fields(cls)} - {"options"}
    others = {key: value for key, value in tree.items() if key not in fields}
    if others and not issubclass(cls, Component):
        unknown = next(iter(others))
        known = suggestion(unknown, fields) or f"known are {', '.join(sorted(fields))}."
        raise RecipeError(f"unknown key {before + unknown!r}; {known}")
    if cls is Component and "name" not in tree:
        raise RecipeError(f"{where}.name is missing: say which {where} to build.")
    values = {key: _convert(hints[key], value, before + key) for key, value in tree.items() if key in fields}
    return cls(**values, options=others) if issubclass(cls, Component) else cls(**values)


def _convert(kind: Any, value: Any, path: str) -> Any:
    if kind is Region:
        if isinstance(value, Mapping | list):
            raise RecipeError(f'{path}={toml_value(value)} must be a text of conditions, such as "fpr<=0.05,tpr>=0.5".')
        return Region.parse(str(value))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _build(kind, value, path)
    if get_origin(kind) is tuple and isinstance(value, list):
        return tuple(value)
    # What is of another type altogether, the recipe refuses.
    return float(value) if kind is float and type(value) is int and is_number(value) else value
