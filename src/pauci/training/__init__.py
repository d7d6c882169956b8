"""Training: recipes, one loop that runs them, exact resume, tuning."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.training.component import Component
    from pauci.training.observers import Observer
    from pauci.training.recipe import LossSpec, Recipe
    from pauci.training.recipe_file import load_recipe, shipped_recipes
    from pauci.training.result import Result
    from pauci.training.run import train

__all__ = ["Component", "LossSpec", "Observer", "Recipe", "Result", "load_recipe", "shipped_recipes", "train"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "component": ["Component"],
        "observers": ["Observer"],
        "recipe": ["LossSpec", "Recipe"],
        "recipe_file": ["load_recipe", "shipped_recipes"],
        "result": ["Result"],
        "run": ["train"],
    },
)
