"""What the page says about models in plain HTML: tables, and places for numbers and charts to come."""

from html import escape

from pauci.metrics.interval import Interval
from pauci.metrics.region_curve import operating_point
from pauci.region import Region
from pauci.report.judgement import JudgedModel, Judgement
from pauci.report.markup import named, paint, table
from pauci.report.wording import no_difference, no_verdict, p_value, percent, verdict

#: Columns of the table below the slider, and the names by which the page's script knows them.
_FIELDS = {
    "Threshold": "threshold",
    "Found (TPR)": "tpr",
    "False alarms (FPR)": "fpr",
    "Precision": "precision",
    "Alerts per day": "alerts",
}


def summary(judgement: Judgement) -> str:
    """Write partial AUCs with their intervals, as a table and in words."""
    first, *others = judgement.models
    headings = ["Model", "Partial AUC", "", f"{100 * judgement.level:.4g}% interval", "AUC", *_edge(judgement.region)]
    rows = [_row(number, each, judgement) for number, each in enumerate(judgement.models)]
    if not others:
        return table(headings, rows)
    headings.append(f"Difference to {escape(first.model.name)}")
    differences = ["reference", *map(_difference, others)]
    rows = [[*row, difference] for row, difference in zip(rows, differences, strict=True)]
    verdicts = "".join(f"<li>{escape(_verdict(each, first))}</li>" for each in others)
    return f'<ul class="verdicts">{verdicts}</ul>' + table(headings, rows)


def operating_table(judgement: Judgement) -> str:
    """Write the table that the page's script fills with the numbers at the slider's stop."""
    rows = [
        [named(number, each.model.name), *(_place(number, field) for field in _FIELDS.values())]
        for number, each in enumerate(judgement.models)
    ]
    return table(["Model", *_FIELDS], rows, name="numbers")


def small_print(judgement: Judgement) -> str:
    """Say what the script writes below the numbers; what would count grouped cases one by one is not there."""
    level = f"{100 * judgement.level:.4g}%"
    if all(each.model.groups is not None for each in judgement.models):
        return f"the {level} band of the TPR, which allows for groups"
    return (
        f"the {level} band of the TPR and {level} interval of the precision; for the FPR, an upper bound of its true "
        "value with 95% confidence"
    )


def pair_options(judgement: Judgement) -> str:
    """List the models that can be compared with the first, for a drop-down list."""
    return "".join(
        f'<option value="{number}">{escape(each.model.name)}</option>'
        for number, each in enumerate(judgement.models)
        if each.versus is not None
    )


def histograms(judgement: Judgement) -> str:
    """Make room for every model's histogram."""
    return "".join(
        f"<figure><figcaption>{named(number, each.model.name)}</figcaption>"
        f'<div class="chart short" id="histogram-{number}" role="img" aria-label="Score histogram of '
        f'{escape(each.model.name)}: shares of positives and of negatives over the score"></div></figure>'
        for number, each in enumerate(judgement.models)
    )


def _verdict(each: JudgedModel, first: JudgedModel) -> str:
    names = each.model.name, first.model.name
    if each.alike:
        return no_difference(*names)
    if each.versus is not None:
        return verdict(*names, each.versus.comparison)
    sizes, others = ((one.model.n_positive, one.model.n_negative) for one in (each, first))
    return no_verdict(*names, alike=sizes == others)


def _edge(region: Region) -> list[str]:
    """Head the column of the rate at the edge that decides; none, where all of the curve counts."""
    if region.max_fpr < 1:
        return ["TPR at the largest FPR"]
    return ["FPR at the smallest TPR"] if region.min_tpr > 0 else []


def _at_edge(each: JudgedModel, region: Region) -> list[str]:
    if not _edge(region):
        return []
    # The slider stays inside the region, and this TPR may be reached before a band begins.
    at = operating_point(each.model.y_true, each.model.y_score, region)
    return [percent(at.tpr if region.max_fpr < 1 else at.fpr)]


def _row(number: int, each: JudgedModel, judgement: Judgement) -> list[str]:
    interval = each.interval
    ends = [end for other in judgement.models for end in (other.interval.low, other.interval.high)]
    return [
        named(number, each.model.name),
        f"<strong>{interval.estimate:.3f}</strong>",
        _whisker(number, interval, min(ends), max(ends)),
        f"{interval.low:.3f} to {interval.high:.3f}",
        f"{each.auc:.3f}",
        *_at_edge(each, judgement.region),
    ]


def _difference(each: JudgedModel) -> str:
    """Write the difference to the first model, or why there is none."""
    if each.versus is None:
        return "same ranking" if each.alike else "on other cases"
    found = each.versus.comparison
    return f"{found.difference:+z.3f} <small>{escape(p_value(found.p_value))}</small>"


def _whisker(number: int, interval: Interval, low: float, high: float) -> str:
    """Draw an interval as a line with a dot, on the scale that all intervals share."""
    span = high - low or 1.0
    left, dot, right = (4 + 112 * (value - low) / span for value in (interval.low, interval.estimate, interval.high))
    return (
        f'<svg class="whisker" viewBox="0 0 120 16" aria-hidden="true"><g style="stroke: {paint(number)}; '
        f'fill: {paint(number)}"><line x1="{left:.1f}" y1="8" x2="{right:.1f}" y2="8"/>'
        f'<circle cx="{dot:.1f}" cy="8" r="4"/></g></svg>'
    )


def _place(number: int, field: str) -> str:
    return (
        f'<data data-model="{number}" data-field="{field}"></data>'
        f'<small data-model="{number}" data-note="{field}"></small>'
    )
