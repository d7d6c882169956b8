"""`pauci demo`: the whole idea in half a minute, on data that is already installed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.picture import check_picture, write_picture
from pauci.cli.progress import late_progress
from pauci.region import Region

if TYPE_CHECKING:
    from rich.console import Console

    from pauci.metrics.interval import Interval
    from pauci.studies.digits import DigitResult

_DIGITS = range(10)


def demo(
    plot: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("pauci-demo.png"),
    max_fpr: Annotated[float, typer.Option(help="False positive rate that can be afforded.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of the split into training, validation and test images.")] = 0,
) -> None:
    """Train for a low false positive rate on handwritten digits, and compare with cross-entropy."""
    from rich.console import Console

    from pauci.studies.digits import mean_gain, run_digits

    region = Region(max_fpr=max_fpr)
    check_picture(plot)
    console = Console()
    console.print(
        f"Each handwritten digit against the rest, where at most {max_fpr:.0%} of the others may raise a\n"
        "false alarm. Cross-entropy and PAUCI get the same linear model, data, steps and\n"
        f"tuning; only the loss differs. Partial AUC at {region} (1 is perfect), and the\n"
        "share of positives found within that budget:"
    )
    results = []
    with late_progress("training", len(_DIGITS)) as advance:
        for result in run_digits(region=region, digits=_DIGITS, seed=seed):
            results.append(result)
            advance()
    _print_table(console, results)
    overall = mean_gain(results)
    console.print(
        f"Mean difference over the digits: {overall.estimate:+.3f} [{overall.low:+.3f}, {overall.high:+.3f}].\n"
        "Intervals are 95%; differences are paired over test images that neither training\nnor tuning saw."
    )
    _draw_hardest(results, plot)
    console.print(f"\nThe ROC curves of the hardest digit are in {plot}", soft_wrap=True, markup=False, highlight=False)


def _print_table(console: "Console", results: "list[DigitResult]") -> None:
    from rich import box
    from rich.table import Table

    from pauci.metrics.threshold import threshold_at_fpr

    region = results[0].region
    table = Table("digit", "cross-entropy", "PAUCI", "difference", "found", box=box.SIMPLE_HEAD, pad_edge=False)
    for result in results:
        gain = result.comparison()
        found = [
            f"{threshold_at_fpr(result.labels, scores, max_fpr=region.max_fpr).tpr:.0%}"
            for scores in (result.cross_entropy, result.pauci)
        ]
        table.add_row(
            str(result.digit),
            _text(result.interval(result.cross_entropy)),
            _text(result.interval(result.pauci)),
            f"{gain.difference:+.3f} [{gain.low:+.2f}, {gain.high:+.2f}]",
            " -> ".join(found),
        )
    console.print(table)


def _text(interval: "Interval") -> str:
    return f"{interval.estimate:.3f} [{interval.low:.2f}, {interval.high:.2f}]"


def _draw_hardest(results: "list[DigitResult]", plot: Path) -> None:
    from pauci.metrics.region_curve import RegionCurve

    hardest = min(results, key=lambda result: result.interval(result.cross_entropy).estimate)
    curves = [
        RegionCurve.of(hardest.labels, scores, hardest.region, name=f"{name}, digit {hardest.digit}")
        for name, scores in (("cross-entropy", hardest.cross_entropy), ("PAUCI", hardest.pauci))
    ]
    write_picture(plot, curves, hardest.region)
