"""A recipe: one declarative, typed description of a training run."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pauci.errors import RecipeError
from pauci.region import Region
from pauci.training.component import Component
from pauci.training.recipe_checks import check_kinds, check_ranges
from pauci.training.specs import (
    METRICS,
    SGD,
    DataSpec,
    LossSpec,
    RollbackSpec,
    ScheduleSpec,
    SelectionSpec,
    WarmupSpec,
)

Precision = Literal["fp32", "bf16", "fp16"]

#: What networks trained on mini-batches are trained on unless told otherwise. Measured best, mixed with
#: cross-entropy, for targets from FPR <= 0.01 to 0.3, one-way and two-way: narrower regions leave too few negatives
#: of a batch, wider ones dilute.
DEFAULT_TRAIN_REGION = Region(max_fpr=0.1)

_TARGET = Region(max_fpr=0.05)
_MLP = Component("mlp")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides the outcome of a training run, apart from the data themselves.

    Parameters
    ----------
    name : str
        Name for people; not part of the hash.
    region : Region
        The target region, which is judged.
    data : DataSpec
        Task and augmentation.
    model, optimizer : Component
        Network and solver.
    loss : LossSpec
        Objective, training region, share of cross-entropy.
    schedule : ScheduleSpec
        Learning rate over time.
    warmup : WarmupSpec
        Cross-entropy phase before the objective proper.
    selection : SelectionSpec
        Metric and patience.
    rollback : RollbackSpec
        Second chances after divergence.
    epochs, batch_size : int
        Length of the run; instances per batch over all processes together.
    positive_ratio : float
        Share of positives in a batch; 0 for their share in the data.
    accumulate : int
        Number of batches whose mean gradient makes one step.
    clip : float
        Largest length of the gradient; 0 for no limit.
    precision : {"fp32", "bf16", "fp16"}
        Precision of the network's passes; the weights are fp32.
    ema : float
        Decay of the averaged weights, which are then judged and kept; 0 for no averaging.
    seed : int
        Seed of initial weights, batches, augmentation and dropout.

    Examples
    --------
    >>> recipe = Recipe(model=Component("mlp", {"hidden": [32]}), epochs=3)
    >>> recipe.replace(seed=1).hash == recipe.hash
    False
    >>> recipe.train_region
    Region(max_fpr=0.1)
    """

    name: str = ""
    region: Region = _TARGET
    data: DataSpec = field(default_factory=DataSpec)
    model: Component = _MLP
    loss: LossSpec = field(default_factory=LossSpec)
    optimizer: Component = SGD
    schedule: ScheduleSpec = field(default_factory=ScheduleSpec)
    warmup: WarmupSpec = field(default_factory=WarmupSpec)
    selection: SelectionSpec = field(default_factory=SelectionSpec)
    rollback: RollbackSpec = field(default_factory=RollbackSpec)
    epochs: int = 10
    batch_size: int = 256
    positive_ratio: float = 0.0
    accumulate: int = 1
    clip: float = 0.0
    precision: Precision = "fp32"
    ema: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_kinds(self)
        check_ranges(self)
        self.model.check("model", supplied=("in_features",))
        self.loss.check("loss", supplied=("region", "max_fpr", "min_tpr", "data_size"))
        for optimizer in (self.optimizer, self.warmup.optimizer):
            optimizer.check("optimizer", supplied=("params", "loss", "max_norm"))
        if self.precision == "fp16" and self.optimizer.name == "asgda":
            raise RecipeError(
                "precision='fp16' scales losses, which optimizer.name='asgda' cannot follow through its two passes; "
                "use precision='bf16' or optimizer.name='asgda-single-pass'."
            )
        if self.selection.metric not in METRICS:
            raise RecipeError(
                f"selection.metric={self.selection.metric!r} is not known; use one of {', '.join(METRICS)}."
            )
        if self.selection.metric == "last" and self.selection.patience:
            raise RecipeError(
                f"selection.patience={self.selection.patience} waits for improvement, of which selection.metric='last' "
                "knows nothing; choose a metric, or leave patience out."
            )
        _ = self.train_region

    @property
    def train_region(self) -> Region:
        """The region that the loss is given."""
        text = self.loss.region.strip()
        if text == "target":
            return self.region
        return Region.parse(text) if text else DEFAULT_TRAIN_REGION

    @property
    def categorical(self) -> tuple[int, ...]:
        """Columns of a table that hold codes of categories, as the network has been told."""
        return tuple(map(int, self.model.options.get("categories", {})))

    @cached_property
    def hash(self) -> str:
        """Digest of everything but the name; the same on every platform and in every process."""
        facts = self.to_dict()
        del facts["name"]
        text = json.dumps(_canonical(facts), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested dicts, as they would be read from TOML, with options next to the name."""
        return {entry.name: _plain(getattr(self, entry.name)) for entry in dataclasses.fields(self)}

    def replace(self, **changes: Any) -> "Recipe":
        """Return a copy with some fields changed.

        Parameters
        ----------
        **changes : object
            New values of fields, as for `dataclasses.replace`.

        Returns
        -------
        Recipe
            Checked.
        """
        return dataclasses.replace(self, **changes)

    def warmup_recipe(self) -> "Recipe":
        """Return the recipe of the cross-entropy phase, which depends on nothing that comes after it."""
        return self.replace(
            name=f"{self.name} warm-up".strip(),
            region=Region(),
            loss=LossSpec(name="ce"),
            optimizer=self.warmup.optimizer,
            schedule=ScheduleSpec(),
            warmup=WarmupSpec(),
            selection=SelectionSpec(metric="last"),
            epochs=self.warmup.epochs,
            ema=0.0,
        )


def check_is_recipe(recipe: Any) -> None:
    """Refuse what is taken for a recipe: the name of one, or data in its place.

    Raises
    ------
    RecipeError
        It is something else.
    """
    if not isinstance(recipe, Recipe):
        raise RecipeError(
            f"recipe is a {type(recipe).__name__}, expected a Recipe: load_recipe reads one from a file, or one that "
            "ships by its name; data are the second argument."
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Region):
        return str(value)
    if isinstance(value, Component):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name != "options"}
        return {**fields, **value.options}
    if dataclasses.is_dataclass(value):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        # Empty lists say nothing; without them, recipes keep the hash they had before there were such fields.
        return {name: entry for name, entry in fields.items() if not isinstance(entry, tuple) or entry}
    return value


def _canonical(value: Any) -> Any:
    """Write 4 and 4.0, lists and tuples, the same way."""
    if isinstance(value, dict):
        return {key: _canonical(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(entry) for entry in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
