"""Recipes as TOML that is read back to the same recipe."""

import json
from collections.abc import Mapping
from datetime import date, time
from typing import Any

from pauci.training.recipe import Recipe


def recipe_to_toml(recipe: Recipe) -> str:
    """Write a recipe as TOML that `load_recipe` reads back to an equal one.

    Examples
    --------
    >>> import tomllib
    >>> from pauci.training.recipe_tree import recipe_from_dict
    >>> recipe_from_dict(tomllib.loads(recipe_to_toml(Recipe(seed=7)))) == Recipe(seed=7)
    True
    """
    tree = recipe.to_dict()
    lines = [f"{key} = {toml_value(value)}" for key, value in tree.items() if not isinstance(value, dict)]
    for key, table in tree.items():
        if isinstance(table, dict):
            lines += ["", f"[{key}]"]
            lines += [f"{_key(name)} = {toml_value(value)}" for name, value in table.items()]
    return "\n".join(lines) + "\n"


def toml_value(value: Any) -> str:
    """Write a value as TOML does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {toml_value(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, float):
        return float.__repr__(value)  # inf and nan have other names in JSON; numbers of numpy print their type, too
    if isinstance(value, date | time):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else toml_value(name)
