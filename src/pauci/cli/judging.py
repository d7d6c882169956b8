"""Judging labelled scores in a region: what `pauci score` and `pauci compare` have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauci.cli.picture import write_picture
from pauci.cli.progress import late_progress
from pauci.cli.score_file import Scored
from pauci.cli.words import command_line_words
from pauci.errors import InputError
from pauci.region import Region

if TYPE_CHECKING:
    from pauci.cli.score_report import Report
    from pauci.metrics.inputs import Array
    from pauci.metrics.recall_threshold import RecallThreshold
    from pauci.metrics.region_curve import RegionCurve
    from pauci.metrics.threshold import Threshold


class Method(StrEnum):
    """The methods of `partial_auc_interval`."""

    bootstrap = "bootstrap"
    delong = "delong"


class Convention(StrEnum):
    """The conventions of `partial_auc_score`."""

    paper = "paper"
    sklearn = "sklearn"


@dataclass(frozen=True, kw_only=True)
class Question:
    """Where to judge, with which intervals, and on whose scale."""

    region: Region
    confidence: float | None
    level: float
    method: Method
    resamples: int
    seed: int
    convention: Convention | None

    @property
    def options(self) -> dict[str, Any]:
        """What intervals and comparisons are told."""
        return {
            "level": self.level,
            "method": self.method.value,
            "n_resamples": self.resamples,
            "seed": self.seed,
            "convention": None if self.convention is None else self.convention.value,
        }

    def check(self, *, weight: str | None = None, groups: str | None = None) -> None:
        """Raise where options do not go together, in the words of the command line."""
        for name, given, why in (
            ("--weight", weight, "weighted rows are not binomial"),
            ("--groups", groups, "rows of one group are not independent"),
        ):
            if given is None:
                continue
            if self.confidence is not None:
                raise InputError(
                    f"--confidence cannot be combined with {name}: {why}, so nothing exact can be promised. "
                    "Drop one of them."
                )
            if self.convention is Convention.paper:
                raise InputError(f"--convention paper counts whole rows, so it cannot be combined with {name}.")
        if self.confidence is not None and self.region.max_fpr == 1 and self.region.min_tpr == 0:
            raise InputError(
                "--confidence needs a budget of false positives or a share of positives to find, which --region "
                f"{self.region} does not set."
            )


def answer(source: str, data: Scored, question: Question, *, as_json: bool, plot: Path | None) -> None:
    """Judge every score, compare the others with the first, draw if asked to, and print; the source is the heading."""
    from pauci.cli.score_report import print_json, print_tables

    steps = 2 * len(data.scores) - 1
    with command_line_words(region=True), late_progress("resampling", steps, quiet=as_json) as advance:
        report, curves = _judge(source, data, question, advance, with_curves=plot is not None)
    if plot is not None:
        with late_progress("drawing", quiet=as_json):
            write_picture(plot, curves, question.region)
    if as_json:
        print_json(report)
    else:
        print_tables(report)


def _judge(
    source: str, data: Scored, question: Question, advance: Callable[[], None], *, with_curves: bool
) -> "tuple[Report, list[RegionCurve]]":
    """Everything there is to report, and the curves if there is to be a picture of them."""
    from pauci.cli.decisions import judge_decisions
    from pauci.cli.score_report import Judgement, Report, Versus
    from pauci.metrics.comparison import compare_partial_auc
    from pauci.metrics.interval import partial_auc_interval
    from pauci.metrics.ranking import rank_alike
    from pauci.metrics.region_curve import RegionCurve, operating_point
    from pauci.metrics.sample import Sample

    region = question.region
    cases: dict[str, Any] = {"sample_weight": data.weight, "groups": data.groups}
    resampled = {"region": region, **cases, **question.options}
    judgements, versus, curves = [], [], []
    first = next(iter(data.scores.values()))
    for name, values in data.scores.items():
        if with_curves:
            curves.append(RegionCurve.of(data.positive, values, name=name, **resampled))
        interval = curves[-1].interval if curves else None
        interval = interval or partial_auc_interval(data.positive, values, **resampled)
        point = operating_point(data.positive, values, region, **cases)
        judgements.append(Judgement(name, interval, point, _guaranteed(data.positive, values, question)))
        advance()
        if name != judgements[0].name:
            compared = compare_partial_auc(data.positive, values, first, **resampled)
            versus.append(Versus(name, compared, alike=rank_alike(values, first)))
            advance()
    decisions = None
    if data.decision is not None and data.weight is None:  # exact intervals count rows, each once
        decisions = judge_decisions(data.positive, data.decision, level=question.level, groups=data.groups)
    report = Report(
        source=source,
        data=data,
        question=question,
        inside=Sample.read(data.positive, data.scores, **cases).inside(region),
        judgements=judgements,
        versus=versus,
        decisions=decisions,
    )
    return report, curves


def _guaranteed(positive: "Array", values: "Array", question: Question) -> "Threshold | RecallThreshold | None":
    """Find the threshold that keeps what the region asks for in truth: false positives, or else positives found."""
    from pauci.metrics.recall_threshold import threshold_at_tpr
    from pauci.metrics.threshold import threshold_at_fpr

    region, confidence = question.region, question.confidence
    if confidence is None:
        return None
    if region.max_fpr < 1:
        return threshold_at_fpr(positive, values, max_fpr=region.max_fpr, confidence=confidence)
    return threshold_at_tpr(positive, values, min_tpr=region.min_tpr, confidence=confidence)
