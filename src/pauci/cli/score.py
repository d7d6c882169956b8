"""`pauci score`: judge one or several score columns of a file in a region of the ROC plane."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pauci.cli.progress import late_progress
from pauci.errors import FileFormatError, InputError, LabelError
from pauci.region import Region

if TYPE_CHECKING:
    from pauci.cli.score_report import Report
    from pauci.metrics.inputs import Array
    from pauci.metrics.region_curve import RegionCurve

#: Column names that are taken for the label when none is named.
USUAL_LABELS = ("label", "y", "y_true", "target", "class")
PICTURES = (".png", ".svg", ".pdf")


class Method(StrEnum):
    """The methods of `partial_auc_interval`."""

    bootstrap = "bootstrap"
    delong = "delong"


@dataclass(frozen=True)
class Scored:
    """The columns of a file: which rows are positive, the scores by name, weights and groups if there are any."""

    positive: "Array"
    scores: dict[str, "Array"]
    weight: "Array | None"
    groups: "Array | None"


def score(
    file: Annotated[Path, typer.Argument(help="CSV, TSV (also gzipped), Parquet or npz file with a header.")],
    region: Annotated[
        str, typer.Option(help="Where to judge, for example 'fpr<=0.05' or 'fpr<=0.5,tpr>=0.5'; 'all' is the AUC.")
    ],
    label: Annotated[
        str | None, typer.Option(help="Column of the labels.", show_default=f"first of {', '.join(USUAL_LABELS)}")
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--score", help="Column of scores; repeat for several.", show_default="every numeric column"),
    ] = None,
    positive: Annotated[str | None, typer.Option(help="Label of the positive class; all others are negative.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of sample weights.")] = None,
    groups: Annotated[
        str | None, typer.Option(help="Column naming what was sampled independently: patients, accounts.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    confidence: Annotated[
        float | None,
        typer.Option(help="Also give the threshold whose true FPR is within the budget with this probability."),
    ] = None,
    method: Annotated[
        Method, typer.Option(help="Where intervals and comparisons come from; delong is faster on large files.")
    ] = Method.bootstrap,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.", min=2)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a picture of the curves (.png, .svg or .pdf).")] = None,
) -> None:
    """Judge score columns of a file: partial AUC with interval, threshold at the budget, paired comparison.

    Columns are compared with the first one.
    """
    rectangle = Region.parse(region)
    if plot is not None:
        _check_picture(plot)
    from pauci.cli.score_report import print_json, print_tables

    data = _read(file, label, scores or [], positive, weight, groups)
    options: dict[str, Any] = {"level": level, "method": method.value, "n_resamples": resamples, "seed": seed}
    steps = 2 * len(data.scores) - 1
    with late_progress("resampling", steps, quiet=as_json) as advance:
        report, curves = _judge(file, data, rectangle, confidence, options, advance, with_curves=plot is not None)
    if plot is not None:
        _draw(plot, curves, rectangle)
    if as_json:
        print_json(report)
    else:
        print_tables(report)


def _check_picture(path: Path) -> None:
    """Find out before any work that the picture can be written."""
    from pauci.extras import require

    if path.suffix.lower() not in PICTURES:
        raise InputError(f"--plot {path}: pictures end in {', '.join(PICTURES)}.")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: the folder {path.parent} does not exist.")
    require("matplotlib", purpose="--plot")


def _read(
    file: Path, label: str | None, scores: list[str], positive: str | None, weight: str | None, groups: str | None
) -> Scored:
    from pauci.data.columns import read_columns
    from pauci.data.table_file import open_table

    names = open_table(file).names
    label = _guess_label(file, names) if label is None else label
    others = [name for name in (label, weight, groups) if name is not None]
    if repeated := [name for name in scores if name in others or scores.count(name) > 1]:
        raise InputError(f"--score {repeated[0]}: this column has been named before.")
    numeric = [*scores, *([] if weight is None else [weight])]
    columns = read_columns(file, list(dict.fromkeys([*others, *(scores or names)])), numeric=numeric)
    if not scores:
        scores = [name for name in names if name not in others and columns[name].dtype.kind == "f"]
        if not scores:
            raise FileFormatError(f"{file} has no numeric column besides {', '.join(map(repr, others))} to score.")
        columns |= read_columns(file, scores, numeric=scores)
    return Scored(
        positive=_positives(file, label, columns[label], positive),
        scores={name: columns[name] for name in scores},
        weight=None if weight is None else columns[weight],
        groups=None if groups is None else columns[groups],
    )


def _guess_label(file: Path, names: tuple[str, ...]) -> str:
    known = {name.lower(): name for name in names}
    for usual in USUAL_LABELS:
        if usual in known:
            return known[usual]
    shown = ", ".join(map(repr, names[:20]))
    raise FileFormatError(f"{file} has no column named {' or '.join(USUAL_LABELS)}; name one with --label: {shown}.")


def _positives(file: Path, label: str, labels: "Array", positive: str | None) -> "Array":
    """Which rows are positive; every row must have a label."""
    import numpy as np

    from pauci.data.table_file import open_table
    from pauci.metrics.inputs import read_labels

    missing = np.isnan(labels) if labels.dtype.kind == "f" else np.array([value is None for value in labels])
    if missing.any():
        place = open_table(file).where(int(missing.argmax()))
        raise LabelError(f"{file}, {place}: column {label!r} has no label; label or drop such rows.")
    values = ", ".join(sorted({str(value) for value in labels[:10_000].tolist()})[:5])
    if positive is not None:
        found: Array = labels == _like(positive, labels)
        if not np.any(found):
            raise LabelError(f"{file}: --positive {positive} does not occur in column {label!r}, which holds {values}.")
        return found
    try:
        return read_labels(labels)
    except LabelError:
        raise LabelError(
            f"{file}: column {label!r} holds {values}; expected 0/1, -1/1, true/false or yes/no. "
            "Name the positive class with --positive."
        ) from None


def _like(text: str, labels: "Array") -> float | bool | str | None:
    """Read a label from the command line as the file's reader would; None if it cannot be among the labels."""
    from pauci.data.columns import BOOLEAN_WORDS

    if labels.dtype.kind == "O":
        return text
    if labels.dtype.kind == "b" and text.lower() in BOOLEAN_WORDS:
        return BOOLEAN_WORDS[text.lower()] == 1.0
    try:
        return float(text)
    except ValueError:
        return None


def _judge(
    file: Path,
    data: Scored,
    region: Region,
    confidence: float | None,
    options: dict[str, Any],
    advance: Callable[[], None],
    *,
    with_curves: bool,
) -> "tuple[Report, list[RegionCurve]]":
    """Everything there is to report, and the curves if there is to be a picture of them."""
    from pauci.cli.score_report import Judgement, Report, Versus
    from pauci.metrics.comparison import compare_partial_auc
    from pauci.metrics.interval import partial_auc_interval
    from pauci.metrics.region_curve import RegionCurve
    from pauci.metrics.threshold import threshold_at_fpr

    resampled: dict[str, Any] = {"sample_weight": data.weight, "groups": data.groups, **options}
    budget: dict[str, Any] = {"max_fpr": region.max_fpr, "sample_weight": data.weight}
    judgements, versus, curves = [], [], []
    baseline, first = next(iter(data.scores.items()))
    for name, values in data.scores.items():
        if with_curves:
            curves.append(RegionCurve.of(data.positive, values, region, name=name, **resampled))
        interval = curves[-1].interval if curves else None
        judgements.append(
            Judgement(
                name=name,
                interval=interval or partial_auc_interval(data.positive, values, region=region, **resampled),
                threshold=threshold_at_fpr(data.positive, values, **budget),
                guaranteed=None
                if confidence is None
                else threshold_at_fpr(data.positive, values, confidence=confidence, **budget),
            )
        )
        advance()
        if name != baseline:
            versus.append(Versus(name, compare_partial_auc(data.positive, values, first, region=region, **resampled)))
            advance()
    n_positive = int(data.positive.sum())
    report = Report(
        file=str(file),
        region=region,
        n_positive=n_positive,
        n_negative=len(data.positive) - n_positive,
        confidence=confidence,
        judgements=judgements,
        baseline=baseline,
        versus=versus,
        **options,
    )
    return report, curves


def _draw(path: Path, curves: "list[RegionCurve]", region: Region) -> None:
    """Write the picture under a temporary name first, so that no half of one is ever left."""
    from matplotlib.figure import Figure

    from pauci.metrics.display import PartialROCDisplay

    figure = Figure(layout="constrained", figsize=(7.0, 5.2))
    PartialROCDisplay(curves=curves, region=region).plot(figure.subplots())
    unfinished = path.with_name(f".{path.stem}.unfinished{path.suffix}")
    try:
        figure.savefig(unfinished, dpi=150)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
