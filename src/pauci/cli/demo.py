"""`pauci demo`: the whole idea in half a minute, on data that is already installed."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pauci.cli.options import share
from pauci.cli.picture import check_picture, write_picture
from pauci.cli.progress import late_progress
from pauci.cli.terminal import Terminal
from pauci.extras import require
from pauci.region import Region

if TYPE_CHECKING:
    from rich.table import Table

    from pauci.metrics.inputs import Array
    from pauci.metrics.interval import Interval
    from pauci.studies.digits import DigitResult

_DIGITS = range(10)

#: PAUCI is not trained alone, and is not called so.
_MIXED = "PAUCI + CE"


def demo(
    plot: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("pauci-demo.png"),
    report: Annotated[Path, typer.Option(help="Where to write the report.")] = Path("pauci-demo.html"),
    max_fpr: Annotated[float, typer.Option(help="Largest false positive rate you can afford.", parser=share)] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of the split into training, validation and test images.", min=0)] = 0,
) -> None:
    """Train for a low false positive rate on handwritten digits, and compare with cross-entropy."""
    import torch

    from pauci.metrics.score import partial_auc_score
    from pauci.studies.digits import mean_gain, run_digits

    # Models this small leave nothing to share out; on a busy machine threads that wait for each other take minutes.
    torch.set_num_threads(1)
    region = Region(max_fpr=max_fpr)
    check_picture(plot)
    require("plotly", purpose="--report")
    console = Terminal(markup=True)
    console.print(
        f"Each handwritten digit against the rest, where at most {100 * max_fpr:.4g}% of the others may raise a false "
        "alarm. Both methods get the same linear model, data, steps and tuning; only the loss differs: cross-entropy "
        f"(CE) alone, or PAUCI and cross-entropy mixed half and half ({_MIXED}), where PAUCI is trained on a region "
        f"three times as wide as the one judged. Partial AUC at {region} (1 is perfect), and the per cent of positives "
        f"found within that budget, by cross-entropy -> by {_MIXED}:",
    )
    results = []
    with late_progress("training", len(_DIGITS)) as advance:
        for result in run_digits(region=region, digits=_DIGITS, seed=seed):
            results.append(result)
            advance()
    with late_progress("resampling"):
        table, overall = _table(results), mean_gain(results)
    console.print(table)
    console.print(
        f"Mean difference over the digits: {overall.estimate:+z.3f} [{overall.low:+z.3f}, {overall.high:+z.3f}].\n"
        "Intervals are 95%; differences are paired over test images that neither training nor tuning saw."
    )
    hardest = min(results, key=lambda r: partial_auc_score(r.labels, r.cross_entropy, region=r.region))
    with late_progress("drawing"):
        _draw(hardest, plot)
    with late_progress("reporting"):
        _report(hardest, report, seed)
    console.print(
        f"\nThe ROC curves of the hardest digit are in {plot}\nThe report on it, to open in a browser: {report}",
        soft_wrap=True,
        markup=False,
    )


def _table(results: "list[DigitResult]") -> "Table":
    from rich import box
    from rich.table import Table

    from pauci.metrics.threshold import threshold_at_fpr

    region = results[0].region
    # As narrow as can be: a row must fit into 80 characters.
    narrow: dict[str, Any] = {"box": box.SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
    table = Table("digit", "cross-entropy", _MIXED, "difference", "found, %", **narrow)
    for result in results:
        gain = result.comparison()
        found = [
            f"{100 * threshold_at_fpr(result.labels, scores, max_fpr=region.max_fpr).tpr:.0f}"
            for scores in (result.cross_entropy, result.pauci)
        ]
        table.add_row(
            str(result.digit),
            _text(result.interval(result.cross_entropy)),
            _text(result.interval(result.pauci)),
            f"{gain.difference:+z.3f} [{gain.low:+z.2f}, {gain.high:+z.2f}]",
            " -> ".join(found),
        )
    return table


def _text(interval: "Interval") -> str:
    return f"{interval.estimate:.3f} [{interval.low:.2f}, {interval.high:.2f}]"


def _draw(result: "DigitResult", plot: Path) -> None:
    from pauci.metrics.region_curve import RegionCurve

    curves = [
        RegionCurve.of(result.labels, scores, result.region, name=f"{name}, digit {result.digit}")
        for name, scores in _by_method(result)
    ]
    write_picture(plot, curves, result.region)


def _report(result: "DigitResult", path: Path, seed: int) -> None:
    from pauci.report import ScoredModel, write_report

    models = [ScoredModel(name, result.labels, scores) for name, scores in _by_method(result)]
    write_report(
        models,
        path,
        region=result.region,
        title=f"Digit {result.digit} against the rest",
        command=f"pauci demo --max-fpr {result.region.max_fpr} --seed {seed} --report {shlex.quote(str(path))}",
    )


def _by_method(result: "DigitResult") -> "list[tuple[str, Array]]":
    return [("cross-entropy", result.cross_entropy), (_MIXED, result.pauci)]
