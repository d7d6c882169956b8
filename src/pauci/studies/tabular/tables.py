"""The study's tables, as Markdown."""

from collections.abc import Sequence

from pauci.metrics import Comparison
from pauci.studies.marked import in_markdown
from pauci.studies.store import Record
from pauci.studies.tabular.gain import counts, mean_gain
from pauci.studies.tabular.models import CROSS_ENTROPY, FAMILIES
from pauci.studies.tabular.ours import ANCHOR
from pauci.studies.tabular.summary import FALLBACK, Cell, by_family, compare_cells, falling_back, newest, over_families


def tables(records: Sequence[Record]) -> str:
    """Write all tables: the counts, what gains, other models, the mean over families, and every family.

    There must be a complete cell.
    """
    cells = compare_cells(records)
    families = [line for family, part in by_family(cells).items() for line in _family(family, part)]
    return "\n".join([*_overall(records, cells), *_shares(records), *_others(records), *_means(cells), *families])


def _overall(records: Sequence[Record], cells: Sequence[Cell]) -> list[str]:
    versions = {" ".join(map(" ".join, record.versions.items())) for record in newest(records)}
    lines = [
        f"From {len(cells)} cells with all ten splits ({'; '.join(sorted(versions))}).",
        "",
        "| family | cells | better | worse | uncorrected | mean gain, these tables | mean gain, tables like these |",
        "|---|---:|---:|---:|---|---:|---:|",
    ]
    parts = {"table x region, mean over families": over_families(cells), "all": cells, **by_family(cells)}
    for family, part in parts.items():
        number, gain = counts(part), mean_gain(part)
        lines.append(
            f"| {family} | {len(part)} | {number['better']} | {number['worse']} "
            f"| {number['better_uncorrected']} better, {number['worse_uncorrected']} worse "
            f"| {_interval(gain.here)} | {_interval(gain.elsewhere)} |"
        )
    return [*lines, ""]


def _shares(records: Sequence[Record]) -> list[str]:
    """Tell apart what the mean over folds gains, and what the region gains beside it."""
    lines = [
        "| what gains | family | cells | better | worse | mean gain, these tables |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for title, method, against in (
        (
            "the mean of the folds' models, without a surrogate, over the best cross-entropy model",
            ANCHOR,
            CROSS_ENTROPY,
        ),
        ("ours over that mean: the region's surrogate", "ours", (ANCHOR,)),
        ("that mean in place of ours wherever ours expects a loss, over ours", FALLBACK, ("ours",)),
    ):
        cells = compare_cells([*records, *falling_back(records)], method=method, against=against)
        for family, part in {"all": cells, **by_family(cells)}.items():
            if part:
                number, gain = counts(part), _interval(mean_gain(part).here)
                row = f"| {title} | {family} | {len(part)} | {number['better']} | {number['worse']} | {gain} |"
                lines.append(row)
    return [*lines, ""] if len(lines) > 2 else []


def _others(records: Sequence[Record]) -> list[str]:
    """Compare what else practitioners do with the same reference."""
    lines = ["| other models | cells | better | worse | mean gain, these tables |", "|---|---:|---:|---:|---:|"]
    for family, models in FAMILIES.items():
        for method in models:
            if part := by_family(compare_cells(records, method=method)).get(family):
                number = counts(part)
                gain = _interval(mean_gain(part).here)
                lines.append(f"| {family}, {method} | {len(part)} | {number['better']} | {number['worse']} | {gain} |")
    return [*lines, ""]


def _means(cells: Sequence[Cell]) -> list[str]:
    lines = [
        "### Tables and regions, mean over families",
        "",
        "| table | region | families | difference | p (Holm) |",
        "|---|---|---|---:|---:|",
    ]
    rows = (
        f"| {_place(cell)} | {cell.family} | {_difference(cell)} | {cell.p_holm:.2g} |"
        for cell in sorted(over_families(cells), key=lambda cell: cell.task)
    )
    return [*lines, *rows, ""]


def _family(family: str, cells: Sequence[Cell]) -> list[str]:
    lines = [
        f"### {family}",
        "",
        "| table | region | cross-entropy | ours | difference | p (Holm) |",
        "|---|---|---:|---:|---:|---:|",
    ]
    rows = (
        f"| {_place(cell)} | {cell.reference_value:.4f} ({cell.reference}) | {cell.value:.4f} "
        f"| {_difference(cell)} | {cell.p_holm:.2g} |"
        for cell in sorted(cells, key=lambda cell: cell.task)
    )
    return [*lines, *rows, ""]


def _place(cell: Cell) -> str:
    return f"{in_markdown(cell.task)} | {in_markdown(cell.region)}"


def _difference(cell: Cell) -> str:
    text = _interval(cell.comparison)
    return f"**{text}**" if cell.verdict else text


def _interval(value: Comparison) -> str:
    return f"{value.difference:+.4f} [{value.low:+.4f}, {value.high:+.4f}]"
