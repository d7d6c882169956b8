"""What `pauci score` says: as tables for people, as JSON for programs."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from rich import box
from rich.markup import escape
from rich.table import Table

from pauci.cli.decisions import Decisions
from pauci.cli.finite import finite_or_null
from pauci.cli.judging import Question
from pauci.cli.score_file import Scored
from pauci.cli.terminal import Terminal, say
from pauci.metrics.comparison import Comparison
from pauci.metrics.interval import Interval
from pauci.metrics.recall_threshold import RecallThreshold
from pauci.metrics.threshold import Threshold
from pauci.region import Region
from pauci.rounding import ROUNDING

#: What a partial AUC is under each convention.
_SCALES = {
    None: "share of the region's area",
    "paper": "share of the region's pairs of whole instances, ties correct",
    "sklearn": "McClish: 0.5 is chance, 1 is perfect",
}


@dataclass(frozen=True)
class Judgement:
    """One score column: its partial AUC, its operating point, and the threshold that keeps the promise asked for."""

    name: str
    interval: Interval
    threshold: Threshold
    guaranteed: Threshold | RecallThreshold | None


@dataclass(frozen=True)
class Versus:
    """A score column compared with the first one, and whether it ranks all rows just as that does."""

    name: str
    comparison: Comparison
    alike: bool


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was asked of scores, and everything that was found out about them; the first of them is the baseline."""

    source: str
    data: Scored
    question: Question
    inside: tuple[float, float]
    judgements: list[Judgement]
    versus: list[Versus]
    decisions: Decisions | None

    @property
    def n_positive(self) -> int:
        """Number of positives."""
        return int(self.data.positive.sum())

    @property
    def n_negative(self) -> int:
        """Number of negatives."""
        return len(self.data.positive) - self.n_positive

    @property
    def baseline(self) -> str:
        """The score that others are compared with."""
        return self.judgements[0].name

    @property
    def scale(self) -> str:
        """What the numbers are."""
        return _SCALES[self.question.convention]


def print_json(report: Report) -> None:
    """Print one JSON object; a number that is not finite (no threshold keeps the budget) is null."""
    question = report.question
    found = {
        "file": report.source,
        "region": str(question.region),
        "n_positive": report.n_positive,
        "n_negative": report.n_negative,
        "level": question.level,
        "confidence": question.confidence,
        "method": question.method,
        "resamples": question.resamples,
        "seed": question.seed,
        "convention": question.convention,
        "scale": report.scale,
        "scores": [
            {
                "name": each.name,
                "partial_auc": each.interval.estimate,
                "low": each.interval.low,
                "high": each.interval.high,
                "threshold": finite_or_null(asdict(each.threshold)),
                "guaranteed": None if each.guaranteed is None else finite_or_null(asdict(each.guaranteed)),
            }
            for each in report.judgements
        ],
        "comparisons": [
            {
                "name": each.name,
                "baseline": report.baseline,
                "difference": each.comparison.difference,
                "low": each.comparison.low,
                "high": each.comparison.high,
                "p_value": each.comparison.p_value,
                "same_ranking": each.alike,
            }
            for each in report.versus
        ],
        "decisions": None if report.decisions is None else asdict(report.decisions),
    }
    say(json.dumps(found, indent=2, allow_nan=False))


def print_tables(report: Report) -> None:
    """Print a table of the scores, one of guaranteed thresholds if asked for, and one of comparisons if any."""
    console = Terminal(markup=True)
    counted = f"{report.n_positive:,} positives, {report.n_negative:,} negatives"
    console.print(f"[bold]{escape(report.source)}[/bold]: {counted}", soft_wrap=True)
    console.print(f"pAUC: {report.scale}", soft_wrap=True)
    console.print(_scores_table(report))
    if report.question.confidence is not None:
        console.print(_guaranteed_table(report))
    if report.decisions is not None:
        console.print(_decisions_table(report.decisions, report.question.level))
    if not all(each.alike for each in report.versus):
        console.print(_comparison_table(report))
    for note in _notes(report):
        console.print(f"note: {note}", markup=False, soft_wrap=True)


def _scores_table(report: Report) -> Table:
    question = report.question
    title = "AUC" if question.region.is_full else f"Partial AUC where {question.region}"
    table = _table(title, "pAUC", f"{100 * question.level:.4g}% interval", "threshold", "TPR", "FPR")
    for each in report.judgements:
        interval, point = each.interval, each.threshold
        table.add_row(
            escape(each.name), f"{interval.estimate:.4f}", _range(interval.low, interval.high), *_point(point)
        )
    return table


def _guaranteed_table(report: Report) -> Table:
    region = report.question.region
    promise, columns = f"FPR at most {region.max_fpr:.4g}", ("TPR", "FPR in this file")
    if region.max_fpr == 1:
        promise, columns = f"TPR at least {region.min_tpr:.4g}", ("TPR in this file", "FPR")
    table = _table(f"True {promise} with probability {report.question.confidence:.4g}", "threshold", *columns)
    for each in report.judgements:
        if each.guaranteed is not None:
            table.add_row(escape(each.name), *_point(each.guaranteed))
    return table


def _comparison_table(report: Report) -> Table:
    title = f"Difference to {escape(report.baseline)} (paired)"
    table = _table(title, "difference", f"{100 * report.question.level:.4g}% interval", "p")
    for each in report.versus:
        if each.alike:  # its interval would tell of other rows, and be taken for a doubt about these
            continue
        found = each.comparison
        p_value = "<0.0001" if found.p_value < 1e-4 else f"{found.p_value:.4f}"
        table.add_row(escape(each.name), f"{found.difference:+z.4f}", _range(found.low, found.high, sign="+"), p_value)
    return table


def _decisions_table(found: Decisions, level: float) -> Table:
    title = f"Decisions: acted on {found.acted:,} of {found.rows:,} rows"
    table = _table(title, "share", f"{100 * level:.4g}% interval", first="rate")
    for name, rate in (("FPR", found.fpr), ("TPR", found.tpr), ("precision", found.precision)):
        if rate is not None:
            table.add_row(name, f"{rate.estimate:.4g}", escape(f"[{rate.low:.4g}, {rate.high:.4g}]"))
    return table


def _notes(report: Report) -> Iterator[str]:
    """Say what the numbers alone do not tell."""
    region, (positives, negatives) = report.question.region, report.inside
    for kind, size, inside, covered in (
        ("positives", report.n_positive, positives, report.n_positive * region.height),
        ("negatives", report.n_negative, negatives, report.n_negative * region.width),
    ):
        if inside < 2 - ROUNDING:
            counted = "" if inside > covered - ROUNDING else " as they weigh and belong together"
            yield (
                f"the region covers {inside:.2g} of {size:,} {kind}{counted}, fewer than two, so its pAUC says little; "
                "widen it or judge more rows."
            )
    if report.decisions is not None and (broken := _broken(report.decisions, region)):
        yield (
            f"the decisions {broken}, and not by chance: these rows are not like those that the threshold was chosen "
            "on, or it was chosen for another region."
        )
    if report.data.decision is not None and report.decisions is None:
        yield (
            "the decisions in the file are not judged: their exact intervals are for rows that count alike. Without "
            "--weight they are."
        )
    for each in report.versus:
        if each.alike:
            yield f"{each.name} ranks these rows exactly as {report.baseline} does, so there is nothing to compare."


def _broken(found: Decisions, region: Region) -> str | None:
    """Say what decisions do that a threshold for this region would not."""
    if found.fpr.low > region.max_fpr:
        return f"act on more negatives than fpr<={region.max_fpr:g} allows"
    if region.max_fpr == 1 and found.tpr.high < region.min_tpr:
        return f"find fewer positives than tpr>={region.min_tpr:g} asks for"
    return None


def _table(title: str, *headings: str, first: str = "score") -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(first, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _point(point: Threshold | RecallThreshold) -> tuple[str, str, str]:
    # A rounded threshold would not keep the promise: all digits that tell it from its neighbours.
    return repr(point.threshold), f"{point.tpr:.4f}", f"{point.fpr:.4g}"


def _range(low: float, high: float, *, sign: str = "") -> str:
    return escape(f"[{low:{sign}z.4f}, {high:{sign}z.4f}]")
