"""Training: recipes, one loop that runs them, exact resume, tuning."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.training.component import Component
    from pauci.training.inputs import load_inputs
    from pauci.training.observers import Observer
    from pauci.training.pace import PaceWarning
    from pauci.training.recipe import Recipe
    from pauci.training.recipe_file import load_recipe, shipped_recipes
    from pauci.training.result import Result
    from pauci.training.run import train
    from pauci.training.source import read_rows
    from pauci.training.specs import LossSpec
    from pauci.training.tuning import Trial, tune

__all__ = [
    "Component",
    "LossSpec",
    "Observer",
    "PaceWarning",
    "Recipe",
    "Result",
    "Trial",
    "load_inputs",
    "load_recipe",
    "read_rows",
    "shipped_recipes",
    "train",
    "tune",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "component": ["Component"],
        "inputs": ["load_inputs"],
        "observers": ["Observer"],
        "pace": ["PaceWarning"],
        "recipe": ["Recipe"],
        "recipe_file": ["load_recipe", "shipped_recipes"],
        "result": ["Result"],
        "run": ["train"],
        "source": ["read_rows"],
        "specs": ["LossSpec"],
        "tuning": ["Trial", "tune"],
    },
)
