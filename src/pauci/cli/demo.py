"""`pauci demo`: the whole idea in half a minute, on data that is already installed."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the picture.")] = Path("pauci-demo.png"),
    max_fpr: Annotated[float, typer.Option(help="False positive rate that can be afforded.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of the split into training, validation and test.")] = 0,
) -> None:
    """Train for a low false positive rate on handwritten digits and compare with cross-entropy."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    from pauci.metrics.threshold import threshold_at_fpr
    from pauci.region import Region
    from pauci.studies.digits import mean_gain, run_digits

    console = Console()
    region = Region(max_fpr=max_fpr)
    console.print(
        f"Each digit against the rest, a linear scorer, judged by the area under the ROC curve at {region}.\n"
        "Cross-entropy and PAUCI get the same model, steps, tuning and data; only the loss differs.\n"
    )
    tasks = run_digits(region=region, seed=seed)
    results = list(track(tasks, total=10, description="training", console=Console(stderr=True), transient=True))
    table = Table("digit", "cross-entropy", "PAUCI", "difference", "TPR at budget", title=f"partial AUC, {region}")
    for result in results:
        gain = result.comparison()
        found = [threshold_at_fpr(result.labels, s, max_fpr=max_fpr).tpr for s in (result.cross_entropy, result.pauci)]
        table.add_row(
            str(result.digit),
            _interval(result.interval(result.cross_entropy)),
            _interval(result.interval(result.pauci)),
            f"{gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]",
            f"{found[0]:.0%} -> {found[1]:.0%}",
        )
    console.print(table)
    overall = mean_gain(results)
    console.print(
        f"mean difference over the digits: {overall.estimate:+.3f} [{overall.low:+.3f}, {overall.high:+.3f}] "
        "(95% intervals, paired, on test images that neither training nor tuning saw)"
    )
    _draw(min(results, key=lambda result: result.interval(result.cross_entropy).estimate), output)
    console.print(f"picture of the hardest digit: {output}", soft_wrap=True, markup=False)


def _interval(interval: "Interval") -> str:
    return f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
