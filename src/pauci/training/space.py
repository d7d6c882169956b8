"""Ranges to tune over: the paper's, or your own."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci.errors import InputError, RecipeError
from pauci.training.recipe import Recipe
from pauci.training.recipe_file import read_value


@dataclass(frozen=True)
class Range:
    """Numbers between two ends.

    Attributes
    ----------
    low, high : float
        The ends.
    log : bool
        Whether ratios count rather than differences (a logarithmic scale).
    whole : bool
        Whether to draw only whole numbers.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        """Refuse what nothing can be drawn from."""
        if not -math.inf < self.low <= self.high < math.inf:
            raise InputError(f"{self} needs two numbers, low not above high.")
        if self.log and self.low <= 0:
            raise InputError(f"{self} has no logarithms; let low be above 0.")
        if self.whole and not all(float(end).is_integer() for end in (self.low, self.high)):
            raise InputError(f"{self} needs whole numbers for its ends.")

    def draw(self, rng: np.random.Generator) -> float | int:
        """Draw a value."""
        if self.log:
            value = math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        else:
            value = rng.uniform(self.low, self.high)
        return round(value) if self.whole else float(value)


@dataclass(frozen=True)
class Choice:
    """One of several values.

    Attributes
    ----------
    values : tuple
        Numbers, truth values or words.
    """

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        """Refuse what nothing can be drawn from."""
        if not len(self.values):
            raise InputError(f"{self} needs several values, such as Choice((1, 2)).")

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a value."""
        return self.values[int(rng.integers(len(self.values)))]


#: Dotted path in a recipe to what is tried there.
Space = dict[str, Range | Choice]


def drawn(space: Space, seed: int) -> dict[str, Any]:
    """Draw a value for every path: the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    return {path: entry.draw(rng) for path, entry in space.items()}


_DECAY = Range(1e-5, 1e-3, log=True)
_RATES: Space = {"optimizer.lr": Range(1e-5, 1e-2, log=True), "optimizer.weight_decay": _DECAY}
#: Of the paper's k in [1, 10] and m in [10, 100], as far as the first step stays within its target: k^3 <= m.
_ALGORITHM_1: Space = {
    "optimizer.nu": Range(1e-3, 1.0, log=True),
    "optimizer.lam": Range(1e-3, 1.0, log=True),
    "optimizer.k": Range(1.0, 2.15),
    "optimizer.m": Range(10.0, 100.0),
    "optimizer.c1": Range(0.0, 1.0),
    "optimizer.c2": Range(0.0, 1.0),
    "optimizer.weight_decay": _DECAY,
}
_EPOCHS_BEFORE = Choice((3, 5, 8, 10, 12, 15, 18, 20))
_LOSSES: dict[str, Space] = {
    "pauci": {"loss.kappa": Range(2.0, 6.0), "loss.omega": Range(0.0, 4.0)},
    "auc-poly": {"loss.warmup": _EPOCHS_BEFORE, "loss.power": Choice((0.03, 0.05, 0.08, 0.1, 1, 3, 5))},
    "auc-exp": {"loss.warmup": _EPOCHS_BEFORE, "loss.rate": Choice((8, 10, 15, 20, 25, 30))},
    "sopa-s": {"loss.temperature": Choice((0.1, 1.0, 10.0))},
}


def paper_space(recipe: Recipe) -> Space:
    """Return the ranges of the paper's appendix that apply to a recipe.

    Parameters
    ----------
    recipe : Recipe
        The recipe; its loss and optimiser decide which ranges apply.

    Returns
    -------
    dict
        Dotted path to range.

    Examples
    --------
    >>> sorted(paper_space(Recipe()))
    ['loss.kappa', 'loss.omega', 'optimizer.lr', 'optimizer.weight_decay']
    """
    solver = _ALGORITHM_1 if recipe.optimizer.name.startswith("asgda") else _RATES
    return {**solver, **_LOSSES.get(recipe.loss.name, {})}


def parse_range(text: str) -> tuple[str, Range | Choice]:
    """Read ``"loss.kappa=2:6"``, ``"optimizer.lr=1e-4:1e-1:log"``, ``"epochs=5:20:int"`` or ``"batch_size=64,128"``.

    Parameters
    ----------
    text : str
        Path, equals sign, and two ends or several values.

    Returns
    -------
    tuple
        Path, and the `Range` or `Choice` to try there.

    Examples
    --------
    >>> parse_range("optimizer.lr=1e-4:0.1:log")
    ('optimizer.lr', Range(low=0.0001, high=0.1, log=True, whole=False))
    >>> parse_range("loss.selector=softplus,topk")
    ('loss.selector', Choice(values=('softplus', 'topk')))
    """
    path, _, values = text.partition("=")
    if "," in values:
        return path.strip(), Choice(tuple(read_value(value.strip()) for value in values.split(",")))
    try:
        low, high, *kinds = values.split(":")
        if set(kinds) - {"log", "int"}:
            raise ValueError(values)
        return path.strip(), Range(float(low), float(high), log="log" in kinds, whole="int" in kinds)
    except ValueError:
        raise RecipeError(
            f"range {text!r} cannot be read; write path=low:high with low below high, path=low:high:log (above 0), "
            "path=low:high:int (whole numbers) or path=value,value."
        ) from None
