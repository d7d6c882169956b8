"""The parts of a recipe."""

from dataclasses import dataclass
from typing import Literal

from pauci.errors import RecipeError
from pauci.region import Region
from pauci.training.component import Component

ScheduleName = Literal["onecycle", "cosine", "constant"]

#: Recorded for every run, besides "target".
REGIONS: dict[str, Region] = {
    "auc": Region(),
    "opauc@0.3": Region(max_fpr=0.3),
    "opauc@0.05": Region(max_fpr=0.05),
    "opauc@0.01": Region(max_fpr=0.01),
    "tpauc@0.5,0.5": Region(max_fpr=0.5, min_tpr=0.5),
}
#: What weights may be selected by.
METRICS = ("target", *REGIONS, "last")

SGD = Component("sgd", {"lr": 0.1, "momentum": 0.9})


@dataclass(frozen=True, kw_only=True)
class DataSpec:
    """The source of the data when they are not passed as arrays.

    Attributes
    ----------
    task : str
        Name of an image task (see ``pauci data list``), or empty.
    variant : str
        Variant of the task, "clean" or "paper".
    table : str
        Path of a table (CSV, Parquet, npz), or empty.
    target, positive : str
        Column of the table with the labels, and the value of the positive class where it is not evident.
    drop, categorical : tuple of str
        Columns of the table that are not features, such as identifiers, and columns whose numbers are names.
    flip : bool
        Whether to mirror training images at random.
    pad : int
        Pixels of padding before random crops of training images; 0 for no crops.
    max_angle : float
        Rotate training images by at most this many degrees.
    val_share : float
        Share of the given arrays that is set aside for validation, when none are given for it.
    """

    task: str = ""
    variant: str = "clean"
    table: str = ""
    target: str = ""
    positive: str = ""
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    flip: bool = True
    pad: int = 4
    max_angle: float = 0.0
    val_share: float = 0.2


@dataclass(frozen=True, kw_only=True)
class LossSpec(Component):
    """The objective, and how much cross-entropy is mixed in.

    Attributes
    ----------
    name : str
        The loss, as in `Component`.
    options : mapping
        Its keyword arguments.
    region : str
        The training region: conditions as `Region.parse` reads them, "target" for the target region, or empty for the
        default, FPR <= 0.1.
    ce_weight : float
        Share of cross-entropy in the objective, from 0 to 1.

    Examples
    --------
    >>> LossSpec(name="pauci", options={"kappa": 6}, region="fpr<=0.3", ce_weight=0.5).takes("loss", "kappa")
    True
    """

    name: str = "pauci"
    region: str = ""
    ce_weight: float = 0.0

    def check(self, kind: str, *, supplied: tuple[str, ...] = ()) -> None:
        """Raise `RecipeError` also where a region is given to a loss that has none (see `Component.check`)."""
        super().check(kind, supplied=supplied)
        if self.region.strip() not in ("", "target") and not self.takes(kind, "region"):
            raise RecipeError(
                f"loss.region={self.region!r} would change nothing: {self.name} is not trained for a region. Leave it "
                "out; what is judged is the recipe's own region."
            )


@dataclass(frozen=True, kw_only=True)
class ScheduleSpec:
    """Learning rate over the run, relative to the optimiser's own.

    Attributes
    ----------
    name : {"onecycle", "cosine", "constant"}
        "onecycle" goes up along a half cosine, from 1/25, and down along another; "cosine" goes down along a half
        cosine; "constant" stays constant.
    warmup : float
        Share of all steps in which the rate rises first: in a straight line from 0, except for "onecycle".
    floor : float
        Rate at the end, relative to the highest; "constant" has none.
    """

    name: ScheduleName = "constant"
    warmup: float = 0.0
    floor: float = 0.0


@dataclass(frozen=True, kw_only=True)
class WarmupSpec:
    """Training with cross-entropy alone before the objective proper; its result is shared between recipes.

    Attributes
    ----------
    epochs : int
        Number of epochs; 0 for no warm-up.
    optimizer : Component
        The optimiser of this phase.
    """

    epochs: int = 0
    optimizer: Component = SGD


@dataclass(frozen=True, kw_only=True)
class SelectionSpec:
    """Choice of the epoch whose weights are kept, judged on validation data only.

    Attributes
    ----------
    metric : str
        "target" (partial AUC in the target region), "auc", "opauc@0.3", "opauc@0.05", "opauc@0.01",
        "tpauc@0.5,0.5", or "last" for the weights of the last epoch.
    patience : int
        Stop after this many epochs without improvement; 0 to never stop early.
    """

    metric: str = "target"
    patience: int = 0


@dataclass(frozen=True, kw_only=True)
class RollbackSpec:
    """What to do when the loss is no longer finite.

    Attributes
    ----------
    times : int
        How often to go back to the last checkpoint and continue with a lower learning rate; 0 to stop at once.
    factor : float
        Factor by which the learning rate is multiplied each time.
    """

    times: int = 0
    factor: float = 0.5
