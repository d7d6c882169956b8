"""The data a recipe names: an image task, or a table in a file."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from pauci.data.schema import Column, categorical_places, infer_columns
from pauci.data.table import read_table
from pauci.data.tasks import load_task
from pauci.errors import PauciError, RecipeError
from pauci.training.recipe import Recipe
from pauci.training.recipe_file import with_changes
from pauci.training.result import Result

#: How messages of the table reader are said with the keys of a recipe, which has none for rows without a label.
_WORDS = (
    (re.compile(r" \(--positive VALUE[^)]*\)"), ""),
    (re.compile(r"\b(drop|categorical|positive)="), r"data.\1="),
    (re.compile(r"leave such rows out with drop_unlabeled=True"), "remove such rows from the file"),
)


def load_source(recipe: Recipe) -> tuple[Recipe, Any, tuple[Column, ...]]:
    """Load the data of a recipe.

    Parameters
    ----------
    recipe : Recipe
        Names a task or a table.

    Returns
    -------
    recipe : Recipe
        With ``model.categories`` filled in, where the table has categories and the network is an MLP.
    data : Task or tuple
        As `train` takes them.
    columns : tuple of Column
        What the columns of a table are; none of a task.

    Examples
    --------
    >>> load_source(Recipe())
    Traceback (most recent call last):
    ...
    pauci.errors.RecipeError: the recipe names neither data.task nor data.table, and no data were passed; ...
    """
    if recipe.data.task and recipe.data.table:
        raise RecipeError(
            f"data.task={recipe.data.task!r} and data.table={recipe.data.table!r} exclude each other; to read the "
            "table, leave the task empty: data.task=''."
        )
    if recipe.data.task:
        return recipe, load_task(recipe.data.task, variant=recipe.data.variant), ()  # type: ignore[arg-type]
    if not recipe.data.table:
        raise RecipeError(
            "the recipe names neither data.task nor data.table, and no data were passed; give one of them."
        )
    if not recipe.data.target:
        raise RecipeError(f"data.table={recipe.data.table!r} needs data.target, the column with the labels.")
    with _recipe_words():
        table = read_table(
            recipe.data.table,
            target=recipe.data.target,
            positive=recipe.data.positive or None,
            drop=recipe.data.drop,
            categorical=recipe.data.categorical,
            dtype="float64",
        )
    categories = _categories(table.columns)
    if categories and recipe.model.name == "mlp" and "categories" not in recipe.model.options:
        recipe = with_changes(recipe, {"model.categories": categories})
    return recipe, (table.X, table.y), table.columns


def read_rows(like: Result | Recipe, path: str | os.PathLike[str]) -> NDArray[Any]:
    r"""Read further rows like a table that was trained on: with the same columns and the same codes of categories.

    Parameters
    ----------
    like : Result or Recipe
        The result of training, which knows the columns. Of a recipe, and of a result of an older version, the table is
        looked at again: it must still be there, and be as it was.
    path : path-like
        The file with the further rows; it needs no labels.

    Returns
    -------
    ndarray of shape (n, columns)
        What `Result.scores` takes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pauci.training.specs import DataSpec
    >>> folder = tempfile.TemporaryDirectory()
    >>> old, new = (pathlib.Path(folder.name, name) for name in ("old.csv", "new.csv"))
    >>> _ = old.write_text("age,city,fraud\n31,Ulm,0\n42,Bonn,1\n"), new.write_text("city,age\nUlm,\n")
    >>> read_rows(Recipe(data=DataSpec(table=str(old), target="fraud")), new)
    array([[nan,  1.]])
    >>> folder.cleanup()
    """
    columns = like.columns if isinstance(like, Result) else ()
    if not columns:
        columns = _columns_now(like.recipe if isinstance(like, Result) else like)
    return read_table(path, target=None, columns=columns, dtype="float64").X


def _columns_now(recipe: Recipe) -> tuple[Column, ...]:
    if not (recipe.data.table and recipe.data.target):
        raise RecipeError("the recipe names no data.table and data.target, so there is no file to read others like.")
    columns = tuple(
        infer_columns(
            recipe.data.table, target=recipe.data.target, drop=recipe.data.drop, categorical=recipe.data.categorical
        )
    )
    if (trained := recipe.model.options.get("categories", now := _categories(columns))) != now:
        raise RecipeError(
            f"{recipe.data.table} has other categories than when it was trained on (numbers by column: now {now}, then "
            f"{trained}); put it back as it was, or pass the result of the training instead of its recipe."
        )
    return columns


def _categories(columns: Sequence[Column]) -> dict[str, int]:
    """Count the categories of those columns that have any, by place."""
    return {str(place): len(columns[place].categories) for place in categorical_places(columns)}


@contextmanager
def _recipe_words() -> Iterator[None]:
    """Say with the keys of a recipe what goes wrong in the block."""
    try:
        yield
    except PauciError as error:
        text = str(error)
        for words, ours in _WORDS:
            text = words.sub(ours, text)
        error.args = (text, *error.args[1:])
        raise
