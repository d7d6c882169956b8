"""What the study has to do: what its store lacks, the most expensive first."""

import importlib.util
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pauci.errors import InputError, MissingExtraError
from pauci.region import Region
from pauci.studies.store import Store
from pauci.studies.tabular.measurement import recipe
from pauci.studies.tabular.models import FAMILIES
from pauci.studies.tabular.sets import load_set, table_name
from pauci.studies.tabular.splits import SPLITS

REGIONS = (Region(max_fpr=0.01), Region(max_fpr=0.05), Region(max_fpr=0.1), Region(min_tpr=0.8))

#: Seconds that a baseline takes for a region, before any was measured, as factor and power of the numbers in a table.
#: Networks take a number of steps that hardly depends on it. Ours takes longer.
_GUESS = {"linear": (0.0004, 0.5), "mlp": (4.0, 0.0), "lightgbm": (0.0014, 0.5), "xgboost": (0.0035, 0.5)}
_OURS = 10.0


@dataclass(frozen=True)
class Unit:
    """What one process does at a time: a model on a split, for the regions that are missing.

    Attributes
    ----------
    path : Path
        The table; `target` and `positive` tell its labels.
    split : int
        From 0 to 9.
    family, method : str
        The model.
    regions : tuple of Region
        What it is tuned for and judged by.
    size : int
        Rows times columns of the table.
    folder : Path
        The store.
    """

    path: Path
    target: str
    positive: str | None
    split: int
    family: str
    method: str
    regions: tuple[Region, ...]
    size: int
    folder: Path

    @property
    def name(self) -> str:
        """For people."""
        return f"{table_name(self.path)}, split {self.split}, {self.family}/{self.method}"


def plan(
    sets: Mapping[str, Path],
    *,
    store: Path,
    target: str = "y",
    positive: str | None = None,
    families: Sequence[str] = tuple(FAMILIES),
    methods: Sequence[str] = (),
    regions: Sequence[Region] = REGIONS,
    splits: Sequence[int] = range(SPLITS),
) -> list[Unit]:
    """List what the store lacks, the most expensive first.

    Parameters
    ----------
    sets : mapping of str to Path
        The tables (see `find_sets`).
    store : Path
        Folder of the results.
    target, positive
        As for `pauci.data.read_table`, the same for all tables.
    families : sequence of str
        Which families.
    methods : sequence of str
        Which of their models; all by default.
    regions : sequence of Region
        What is judged.
    splits : sequence of int
        Which of the ten.

    Returns
    -------
    list of Unit
        One per table, split and model: what it is tuned by serves all regions.
    """
    done = {record.key for record in Store(store).records()}
    units = []
    for path in sets.values():
        data = load_set(path, target=target, positive=positive)
        for family, method in _models(families, methods):
            key = data.name, data.checksum, family, method
            told = recipe(family, method)
            for split in splits:
                missing = tuple(r for r in regions if (*key, str(r), split, "test", told) not in done)
                if missing:
                    units.append(Unit(path, target, positive, split, family, method, missing, data.X.size, store))
    return sorted(units, key=Pace().seconds, reverse=True)


def available(families: Sequence[str]) -> list[str]:
    """Leave out the families whose library is not installed; one that does not exist is an error.

    Raises
    ------
    MissingExtraError
        None can run here.

    Examples
    --------
    >>> available(["linear"])
    ['linear']
    """
    if unknown := [family for family in families if family not in FAMILIES]:
        raise InputError(f"there is no family {unknown[0]!r}; there are {', '.join(FAMILIES)}.")
    here = [family for family in families if family not in ("lightgbm", "xgboost") or importlib.util.find_spec(family)]
    if not here:
        raise MissingExtraError(f"{' and '.join(families)} not installed; install with: pip install 'pauci[boosting]'")
    return here


class Pace:
    """How long units take: a guess, corrected by those that were done."""

    def __init__(self) -> None:
        self._guessed: dict[tuple[str, str], float] = defaultdict(float)
        self._taken: dict[tuple[str, str], float] = defaultdict(float)

    def learn(self, unit: Unit, seconds: float) -> None:
        """Note what a unit took."""
        kind = unit.family, unit.method
        self._guessed[kind] += _guess(unit)
        self._taken[kind] += seconds

    def seconds(self, unit: Unit) -> float:
        """Expect as long as units of its kind took for their size, or else as long as all did."""
        kind = unit.family, unit.method
        if kind in self._taken:
            return _guess(unit) * self._taken[kind] / self._guessed[kind]
        known = sum(self._guessed.values())
        return _guess(unit) * (sum(self._taken.values()) / known if known else 1.0)


def _guess(unit: Unit) -> float:
    factor, power = _GUESS[unit.family]
    return factor * math.pow(unit.size, power) * len(unit.regions) * (_OURS if unit.method == "ours" else 1.0)


def _models(families: Sequence[str], methods: Sequence[str]) -> list[tuple[str, str]]:
    known = {family: [*FAMILIES[family], "ours"] for family in FAMILIES}
    if unknown := [method for method in methods if not any(method in members for members in known.values())]:
        every = sorted({method for members in known.values() for method in members})
        raise InputError(f"there is no model {unknown[0]!r}; there are {', '.join(every)}.")
    return [(family, m) for family in families for m in known[family] if not methods or m in methods]
