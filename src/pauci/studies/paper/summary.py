"""Numbers from the store: values by seed, paired differences, means over cells."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pauci.metrics.comparison import Comparison
from pauci.studies.paired import differences, holm, mean_over_cells, paired_comparison
from pauci.studies.store import Record


@dataclass(frozen=True)
class Cell:
    """A place in the tables.

    Attributes
    ----------
    protocol, task, variant, region : str
        As in the store.
    """

    protocol: str
    task: str
    variant: str
    region: str


class Results:
    """The records of a store, looked up by cell and method.

    Of runs with different settings only the last setting counts, so that no mean mixes two.

    Parameters
    ----------
    records : iterable of Record
        Oldest first.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._records: dict[tuple[Cell, str], dict[int, Record]] = {}
        for record in records:
            cell = Cell(record.protocol, record.task, record.variant, record.region)
            kept = self._records.setdefault((cell, record.method), {})
            if any(other.details.get("setup") != record.details.get("setup") for other in kept.values()):
                kept.clear()
            kept[record.seed] = record

    def records(self, cell: Cell, method: str) -> list[Record]:
        """All records of a cell and method, one per seed."""
        return list(self._records.get((cell, method), {}).values())

    def cells(self) -> list[Cell]:
        """All cells with at least one record."""
        return list(dict.fromkeys(cell for cell, _ in self._records))

    def values(self, cell: Cell, method: str, metric: str) -> dict[int, float]:
        """Test values by seed; runs that diverged have none."""
        return {r.seed: r.metrics[metric] for r in self.records(cell, method) if metric in r.metrics}

    def rows(self, cell: Cell) -> set[int]:
        """Numbers of training images that runs of a cell had, as far as they are known; usually one."""
        found = (kept.values() for (place, _), kept in self._records.items() if place == cell)
        return {record.details["rows"] for records in found for record in records if "rows" in record.details}

    def diverged(self, cell: Cell, method: str) -> int:
        """Count the runs that diverged."""
        return sum("diverged" in record.details for record in self.records(cell, method))

    def difference(self, cell: Cell, method: str, other: str, metric: str) -> Comparison | None:
        """Compare method minus other, over the seeds that both have; None if there is none."""
        found = differences(self.values(cell, method, metric), self.values(cell, other, metric))
        return paired_comparison(found) if found else None

    def gain(
        self, method: str, other: str, places: Sequence[tuple[Cell, str]], *, against: str | None = None
    ) -> tuple[Comparison, list[tuple[Cell, str]]] | None:
        """Mean of method minus other over cells and metrics.

        Parameters
        ----------
        method, other : str
            What is compared.
        places : sequence of tuple
            Cells, each with a metric.
        against : str, optional
            Protocol under which the other was run; by default that of the cell.

        Returns
        -------
        tuple or None
            The difference, and the places it is taken from: those where both have seeds in common; None if there is
            no such place. Places of one task share models, so they are averaged within a seed before anything is said
            about spread; then every task counts the same. A task with a single pair says nothing of spread, and is left
            out if others have more.
        """
        blocks: dict[tuple[str, str, str], dict[tuple[Cell, str], dict[int, float]]] = {}
        for cell, metric in places:
            beside = cell if against is None else replace(cell, protocol=against)
            ours, theirs = self.values(cell, method, metric), self.values(beside, other, metric)
            if common := ours.keys() & theirs.keys():
                block = blocks.setdefault((cell.protocol, cell.task, cell.variant), {})
                block[cell, metric] = {seed: ours[seed] - theirs[seed] for seed in sorted(common)}
        pairs = {name: found for name, block in blocks.items() if (found := _mean_by_seed(list(block.values())))}
        pairs = {name: found for name, found in pairs.items() if len(found) > 1} or pairs
        if not pairs:
            return None
        return mean_over_cells(pairs), [place for name in pairs for place in blocks[name]]


def significantly_best(
    results: Results, cell: Cell, methods: Sequence[str], metric: str, *, level: float = 0.05
) -> list[str]:
    """Return the best method, and the second best, as far as they are significantly so.

    Parameters
    ----------
    level : float, default 0.05
        Of the tests in this cell; smaller where several cells are looked at.

    Returns
    -------
    list of str
        Nothing, the best, or the best two: each is better than every one that follows it, in pairs over seeds, after
        Holm's correction. A second best is only named after a best.
    """
    values = {method: results.values(cell, method, metric) for method in methods}
    order = sorted((m for m in methods if values[m]), key=lambda m: -statistics.fmean(values[m].values()))
    named: list[str] = []
    for place, method in enumerate(order[:2]):
        found = [results.difference(cell, method, other, metric) for other in order[place + 1 :]]
        compared = [comparison for comparison in found if comparison is not None]
        if not compared or len(compared) < len(found) or max(holm([c.p_value for c in compared])) >= level:
            break
        named.append(method)
    return named


def _mean_by_seed(block: Sequence[dict[int, float]]) -> list[float]:
    seeds = set.intersection(*(set(values) for values in block))
    return [statistics.fmean(values[seed] for values in block) for seed in sorted(seeds)]
