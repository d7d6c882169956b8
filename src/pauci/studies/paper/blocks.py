"""Which tables there are: a block per protocol and data set, in it one table per measure."""

from dataclasses import dataclass

from pauci.studies.paper.methods import METHODS, METRIC, ONE_WAY, TWO_WAY
from pauci.studies.paper.plan import STAGES, Stage, tasks_of
from pauci.studies.paper.summary import Cell

#: What is judged, and for which target the judged models were trained.
JUDGED = (
    ("opauc@0.3", str(ONE_WAY)),
    ("tpauc@0.5,0.5", str(TWO_WAY)),
    ("opauc@0.05", str(ONE_WAY)),
    ("opauc@0.01", str(ONE_WAY)),
)
#: Of these, models judged where they were trained for.
TARGETS = tuple((metric, region) for metric, region in JUDGED if METRIC[region] == metric)
#: Data sets, as in headings.
DATASETS = {"cifar10-lt": "CIFAR-10-LT", "cifar100-lt": "CIFAR-100-LT", "tiny-imagenet": "Tiny-ImageNet"}


@dataclass(frozen=True)
class Block:
    """Tables that belong together.

    Attributes
    ----------
    protocol, dataset, variant : str
        What they have in common.
    """

    protocol: str
    dataset: str
    variant: str

    @property
    def title(self) -> str:
        """Heading."""
        notes = []
        if self.dataset == "cifar100-lt":
            notes.append("as published: about 70% of the test images leak" if self.variant == "paper" else "no leaks")
        if self.dataset == "tiny-imagenet" and self.protocol in ("strong", "tuned"):
            notes.append("stem of stride 2")
        text = f"{DATASETS[self.dataset]}, {self.protocol} protocol"
        return f"{text} ({'; '.join(notes)})" if notes else text

    def cells(self, region: str) -> list[Cell]:
        """One cell per task."""
        return [Cell(self.protocol, task, self.variant, region) for task in tasks_of(self.dataset)]

    def seeds(self) -> int:
        """Return the number of seeds that were planned."""
        return max(stage.seeds for stage in STAGES.values() if _block(stage) == self)

    def planned(self) -> list[str]:
        """Methods that were planned."""
        names = {name for stage in STAGES.values() if _block(stage) == self for name in stage.methods}
        return [name for name in METHODS if name in names]


def _block(stage: Stage) -> Block:
    return Block(stage.protocol, stage.dataset, stage.variant)


def all_blocks() -> list[Block]:
    """Return every block that was planned, in the order of the stages, the miniature last."""
    return list(dict.fromkeys(_block(stage) for stage in STAGES.values()))
