"""The data a recipe names: an image task, or a table in a file."""

from typing import Any

from pauci.data.table import read_table
from pauci.data.tasks import load_task
from pauci.errors import RecipeError
from pauci.training.recipe import Recipe
from pauci.training.recipe_file import with_changes


def load_source(recipe: Recipe) -> tuple[Recipe, Any]:
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

    Examples
    --------
    >>> load_source(Recipe())
    Traceback (most recent call last):
    ...
    pauci.errors.RecipeError: the recipe names neither data.task nor data.table, and no data were passed; ...
    """
    if recipe.data.task and recipe.data.table:
        raise RecipeError(f"data.task={recipe.data.task!r} and data.table={recipe.data.table!r} exclude each other.")
    if recipe.data.task:
        return recipe, load_task(recipe.data.task, variant=recipe.data.variant)  # type: ignore[arg-type]
    if not recipe.data.table:
        raise RecipeError(
            "the recipe names neither data.task nor data.table, and no data were passed; give one of them."
        )
    if not recipe.data.target:
        raise RecipeError(f"data.table={recipe.data.table!r} needs data.target, the column with the labels.")
    table = read_table(recipe.data.table, target=recipe.data.target, positive=recipe.data.positive or None)
    categories = {
        str(position): len(column.categories)
        for position, column in enumerate(table.columns)
        if column.kind == "categorical"
    }
    if categories and recipe.model.name == "mlp" and "categories" not in recipe.model.options:
        recipe = with_changes(recipe, {"model.categories": categories})
    return recipe, (table.X, table.y)
