"""What is run, and in which order: whenever the study is stopped, what is there is worth something."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pauci.data.tasks import TASKS
from pauci.errors import InputError
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.protocols import TUNED, study_recipe
from pauci.studies.store import Record
from pauci.training import Recipe

#: What tuning chose, by `Run.setting`.
Tuned = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Run:
    """One training.

    Attributes
    ----------
    protocol, task, variant, method : str
        As in the store.
    regions : tuple of str
        Target regions that it answers for.
    seed : int
        Of everything random in it.
    """

    protocol: str
    task: str
    variant: str
    method: str
    regions: tuple[str, ...]
    seed: int

    @property
    def dataset(self) -> str:
        """Name of the data set of the task."""
        return TASKS[self.task].dataset

    @property
    def setting(self) -> str:
        """Name of what is tuned once for all tasks and seeds."""
        return "/".join((self.protocol, self.method, " ".join(self.regions)))

    def recipe(self, tuned: Tuned | None = None) -> Recipe:
        """Build the recipe, with what tuning chose."""
        return study_recipe(
            self.protocol,
            task=self.task,
            variant=self.variant,
            method=self.method,
            region=self.regions[0],
            seed=self.seed,
            settings=(tuned or {}).get(self.setting, {}).get("changes"),
        )

    def is_done(self, records: Collection[Record], recipe: Recipe) -> bool:
        """Whether a store has the results of this very recipe, for every region."""
        found = {
            record.region
            for record in records
            if record.recipe == recipe.hash and (record.method, record.protocol) == (self.method, self.protocol)
        }
        return found.issuperset(self.regions)

    def __str__(self) -> str:
        regions = " and ".join(self.regions) if len(self.regions) < len(METHODS[self.method].losses) else ""
        return " ".join(
            filter(None, (self.protocol, self.task, self.variant, self.method, regions, f"seed {self.seed}"))
        )


@dataclass(frozen=True)
class Stage:
    """A part of the study that answers a question of its own.

    Attributes
    ----------
    title : str
        In words.
    protocol, dataset, variant : str
        On what.
    methods : tuple of str
        Compared.
    seeds : int
        How many.
    """

    title: str
    protocol: str
    dataset: str
    variant: str
    methods: tuple[str, ...]
    seeds: int


MAIN = ("ce", "ours", "pauci")
#: Not a method that the paper compares: it is there to tell its objective from its solver, where settings are tuned.
PROBE = ("pauci-sgd",)
REST = tuple(name for name in METHODS if name not in (*MAIN, *PROBE))
ALL = (*MAIN, *REST)
OWN = tuple(TUNED)
#: The question of the study.
PAIR = ("ce", "ours")

#: By number. The miniature is run only when its protocol is asked for.
STAGES: dict[int, Stage] = {
    1: Stage("strong, CIFAR-10-LT, main methods", "strong", "cifar10-lt", "clean", MAIN, 5),
    2: Stage("strong, CIFAR-10-LT, the others", "strong", "cifar10-lt", "clean", REST, 5),
    3: Stage("strong, CIFAR-100-LT, main methods", "strong", "cifar100-lt", "clean", MAIN, 5),
    4: Stage("strong, CIFAR-100-LT as published, main methods", "strong", "cifar100-lt", "paper", MAIN, 5),
    5: Stage("strong, CIFAR-100-LT, the others", "strong", "cifar100-lt", "clean", REST, 5),
    6: Stage("paper, CIFAR-10-LT", "paper", "cifar10-lt", "clean", ALL, 5),
    7: Stage("paper, CIFAR-100-LT as published", "paper", "cifar100-lt", "paper", ALL, 5),
    8: Stage("strong, Tiny-ImageNet, main methods", "strong", "tiny-imagenet", "clean", MAIN, 3),
    9: Stage("strong, Tiny-ImageNet, the others", "strong", "tiny-imagenet", "clean", REST, 3),
    10: Stage("paper, Tiny-ImageNet", "paper", "tiny-imagenet", "clean", ALL, 3),
    11: Stage("paper, CIFAR-100-LT without leaks", "paper", "cifar100-lt", "clean", ALL, 5),
    12: Stage("strong, CIFAR-100-LT as published, the others", "strong", "cifar100-lt", "paper", REST, 5),
    13: Stage("tuned, CIFAR-10-LT", "tuned", "cifar10-lt", "clean", OWN, 5),
    14: Stage("tuned, CIFAR-100-LT", "tuned", "cifar100-lt", "clean", OWN, 5),
    15: Stage("tuned, Tiny-ImageNet", "tuned", "tiny-imagenet", "clean", PAIR, 3),
    16: Stage("tuned, CIFAR-100-LT as published", "tuned", "cifar100-lt", "paper", PAIR, 5),
    0: Stage("miniature", "miniature", "cifar10-lt", "clean", ALL, 2),
}


def plan(
    *,
    stages: Sequence[int] = (),
    protocols: Collection[str] = (),
    tasks: Collection[str] = (),
    variants: Collection[str] = (),
    methods: Collection[str] = (),
    seeds: Collection[int] = (),
) -> list[Run]:
    """List the runs of the study in order: stages, then seeds, then methods, then tasks.

    Parameters
    ----------
    stages : sequence of int
        Keys of `STAGES`, in the order in which they are to be run; all but the miniature by default.
    protocols, tasks, variants, methods : collection of str
        Only these; all by default.
    seeds : collection of int
        Instead of the first few, as many as the stage has.

    Returns
    -------
    list of Run
        Without repetition.

    Examples
    --------
    >>> for run in plan(stages=[1], tasks=["cifar10-lt-1"], seeds=[0]):
    ...     print(run)
    strong cifar10-lt-1 clean ce seed 0
    strong cifar10-lt-1 clean ours seed 0
    strong cifar10-lt-1 clean pauci fpr<=0.3 seed 0
    strong cifar10-lt-1 clean pauci fpr<=0.5,tpr>=0.5 seed 0
    """
    _check("stages", stages, STAGES)
    _check("protocols", protocols, {stage.protocol for stage in STAGES.values()})
    _check("tasks", tasks, TASKS)
    _check("variants", variants, {"clean", "paper"})
    _check("methods", methods, METHODS)
    wanted = {"protocol": protocols, "task": tasks, "variant": variants, "method": methods}
    numbers = stages or [number for number in STAGES if number > 0 or "miniature" in protocols]
    runs = (run for number in numbers for run in _runs(STAGES[number], seeds or range(STAGES[number].seeds)))
    kept = (run for run in runs if all(getattr(run, name) in names for name, names in wanted.items() if names))
    return list(dict.fromkeys(kept))


def _runs(stage: Stage, seeds: Collection[int]) -> Iterator[Run]:
    for seed in seeds:
        for method in stage.methods:
            for regions in trainings(stage.protocol, stage.dataset, method):
                # Tasks innermost: runs side by side then seldom make the same warm-up, which only methods share.
                for task in tasks_of(stage.dataset):
                    yield Run(stage.protocol, task, stage.variant, method, regions, seed)


def tasks_of(dataset: str) -> list[str]:
    """Names of the tasks of a data set."""
    return [name for name, info in TASKS.items() if info.dataset == dataset]


@cache
def trainings(protocol: str, dataset: str, method: str) -> tuple[tuple[str, ...], ...]:
    """List the regions that each training of a method answers for: one entry with all of them, or one for each.

    Examples
    --------
    >>> trainings("strong", "cifar10-lt", "ce")
    (('fpr<=0.3', 'fpr<=0.5,tpr>=0.5'),)
    >>> trainings("strong", "cifar10-lt", "mb")
    (('fpr<=0.3',), ('fpr<=0.5,tpr>=0.5',))
    """
    regions = tuple(METHODS[method].losses)
    recipe = Run(protocol, tasks_of(dataset)[0], "clean", method, regions, 0).recipe()
    if METHODS[method].is_region_free and recipe.selection.metric != "target":
        return (regions,)
    return tuple((region,) for region in regions)


def _check(name: str, given: Collection[Any], known: Collection[Any]) -> None:
    for value in given:
        if value not in known:
            raise InputError(f"{name}: {value!r} is not known; use some of {', '.join(map(str, known))}.")
