"""`pauci study cost`: what an iteration of every loss costs."""

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.options import JsonOption
from pauci.cli.picture import check_picture
from pauci.cli.terminal import say

if TYPE_CHECKING:
    from pauci.studies.cost import Cost


def cost(
    sizes: Annotated[
        list[int] | None, typer.Option("--size", min=1, help="Instances per class; repeat for several.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Time per loss, size and kind of pass.", min=0.0)] = 0.6,
    rounds: Annotated[int, typer.Option(help="Largest number of rounds.", min=1)] = 300,
    seed: Annotated[int, typer.Option(help="Seed of the scores.", min=0)] = 0,
    as_json: JsonOption = False,
    plot: Annotated[Path | None, typer.Option("--plot", "-o", help="Write a figure (.png, .svg or .pdf).")] = None,
    store: Annotated[Path | None, typer.Option(help="Folder to append the results to, as cost.jsonl.")] = None,
) -> None:
    """Measure what an iteration of every loss costs, next to cross-entropy, on one CPU thread."""
    check_picture(plot)
    from pauci.studies.cost import SIZES, measure_cost
    from pauci.studies.cost_targets import check_targets

    costs = measure_cost(sizes=sizes or SIZES, seconds=seconds, rounds=rounds, seed=seed)
    if store is not None:
        _append(costs, store)
    if plot is not None:
        from pauci.report.figures.saving import save
        from pauci.studies.cost_figure import draw_cost

        save(draw_cost(costs), plot)
    targets = check_targets(costs)
    if as_json:
        promises = [{**asdict(target), "met": target.met} for target in targets]
        say(json.dumps({"costs": [asdict(one) for one in costs], "targets": promises}, indent=2))
        return
    from pauci.cli.cost_tables import print_costs

    print_costs(costs, targets)


def _append(costs: "Sequence[Cost]", folder: Path) -> None:
    from pauci.studies.jsonl import append_line
    from pauci.studies.store import package_versions

    about = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "device": f"cpu {platform.machine()}, 1 thread",
        "versions": package_versions(),
    }
    for one in costs:
        append_line(folder / "cost.jsonl", {**asdict(one), **about})
