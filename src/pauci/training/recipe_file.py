"""Recipes as they are given: TOML files, the ones that ship with the package, and changes at dotted paths."""

import ast
import copy
import dataclasses
import itertools
import os
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, get_type_hints

from pauci.errors import RecipeError
from pauci.training.component import suggestion
from pauci.training.recipe import Recipe
from pauci.training.recipe_tree import recipe_from_dict


def load_recipe(source: str | os.PathLike[str], *, overrides: Sequence[str] = ()) -> Recipe:
    """Read a recipe.

    Parameters
    ----------
    source : path or str
        A TOML file, or the name of a recipe that ships with the package (see `shipped_recipes`).
    overrides : sequence of str
        Changes such as ``"loss.kappa=4"``. The value is read as TOML, or as Python's number, truth value or list, which
        are written in other ways, too (.5, True); or as text where that fails or text is expected.

    Returns
    -------
    Recipe
        Checked: unknown keys and unsuitable values raise `RecipeError`.

    See Also
    --------
    shipped_recipes : Names of the recipes that ship with the package.
    train : Runs it.

    Examples
    --------
    >>> load_recipe("strong", overrides=["loss.kappa=6", "seed=3"]).loss.options["kappa"]
    6
    >>> load_recipe("strong", overrides=["loss.kapa=6"])
    Traceback (most recent call last):
    ...
    pauci.errors.RecipeError: loss.kapa is not an option of pauci; did you mean 'kappa'?
    """
    tree, name = _read(source)
    tree.setdefault("name", name)
    before = copy.deepcopy(tree)
    for text in overrides:
        _override(tree, text)
    try:
        return recipe_from_dict(tree)
    except RecipeError as error:
        error.args = (f"{error}{_left_from_another(str(error), before, tree)}",)
        raise


def shipped_recipes() -> list[str]:
    """Names of the recipes that ship with the package.

    Returns
    -------
    list of str
        Each may be passed to `load_recipe`.

    Examples
    --------
    >>> "strong" in shipped_recipes()
    True
    """
    folder = resources.files("pauci.training") / "recipes"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def about_recipe(name: str) -> str:
    """Say in one sentence what a recipe of `shipped_recipes` is: the first one of the comment that it begins with.

    Examples
    --------
    >>> about_recipe("demo")
    'A smaller network for tables, cross-entropy and PAUCI in equal parts; seconds on a laptop.'
    """
    comment = itertools.takewhile(lambda line: line.startswith("#"), _shipped(name).splitlines())
    text = " ".join(line.removeprefix("#").strip() for line in comment)
    sentence, point, _ = text.partition(". ")
    return sentence + point.strip()


def with_changes(recipe: Recipe, changes: Mapping[str, Any]) -> Recipe:
    """Return a copy of a recipe with values at some paths changed.

    Examples
    --------
    >>> with_changes(Recipe(), {"loss.kappa": 6, "seed": 2}).loss.options
    {'kappa': 6}
    """
    tree = recipe.to_dict()
    # A later path may lead into a table that is given here: it must not be changed in the hands of whoever gave it.
    for path, value in copy.deepcopy(dict(changes)).items():
        _put(tree, path, value)
    return recipe_from_dict(tree)


def field_kind(path: str) -> Any:
    """Tell the type of a field of a recipe; None for options of components, which are whatever these take.

    Examples
    --------
    >>> [field_kind(path) for path in ("name", "epochs", "loss.kappa")]
    [<class 'str'>, <class 'int'>, None]
    """
    kind: Any = Recipe
    for part in path.split("."):
        kind = get_type_hints(kind).get(part) if dataclasses.is_dataclass(kind) else None
    return kind


def read_value(text: str) -> Any:
    """Read a value from the terminal as TOML, or else as Python's number, truth value or list, or else as a text.

    Examples
    --------
    >>> [read_value(text) for text in ("4", ".5", "true", "True", "topk")]
    [4, 0.5, True, True, 'topk']
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        pass
    try:
        read = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return text
    return read if isinstance(read, bool | int | float | list) else text


def _read(source: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    path = Path(source)
    if not path.suffix and not path.is_file():
        if str(source) not in shipped_recipes():
            known = shipped_recipes()
            raise RecipeError(
                f"there is neither a file nor a shipped recipe {str(source)!r}; "
                f"{suggestion(str(source), known) or 'shipped are ' + ', '.join(known) + '.'}"
            )
        return tomllib.loads(_shipped(str(source))), str(source)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), path.stem
    except FileNotFoundError:
        raise RecipeError(f"recipe {source} does not exist; check the path.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise RecipeError(f"recipe {source} cannot be read: {error}") from error


def _shipped(name: str) -> str:
    return (resources.files("pauci.training") / "recipes" / f"{name}.toml").read_text(encoding="utf-8")


def _override(tree: dict[str, Any], text: str) -> None:
    path, equals, value = text.partition("=")
    if not equals or not all(path.strip().split(".")):
        raise RecipeError(f"override {text!r} must have the form key=value, for example loss.kappa=4.")
    path, value = path.strip(), value.strip()
    read = read_value(value)
    # A column or a class may be called 1, without quotes that a shell takes away.
    _put(tree, path, value if field_kind(path) is str and not isinstance(read, str | dict | list) else read)


def _left_from_another(problem: str, before: Mapping[str, Any], tree: Mapping[str, Any]) -> str:
    """Say what to do where an override exchanged a loss, network or solver by name, and options of the old one stay."""
    for part, old in before.items():
        new = tree[part]
        if not (isinstance(old, dict) and isinstance(new, dict)) or old.get("name") == new.get("name"):
            continue
        if any(problem.startswith(f"{part}.{key} is not an option") for key in old):
            whole = f'{part}={{name="{new["name"]}"}}'
            return f" The recipe has it for another {part}; exchange all of that: {shlex.quote(whole)}."
    return ""


def _put(tree: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    table = tree
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise RecipeError(f"cannot change {path!r}: {parent!r} is a value, not a table.")
    table[last] = value
