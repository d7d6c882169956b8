"""`pauci study`: measurements behind the tables and figures."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.picture import check_picture
from pauci.cli.study_paper import paper
from pauci.cli.study_tabular import tabular
from pauci.cli.terminal import say

if TYPE_CHECKING:
    from pauci.studies.cost import Cost

study_app = typer.Typer(
    name="study", help="Run a study: the measurements behind tables and figures.", no_args_is_help=True
)
study_app.command()(paper)
study_app.command()(tabular)


@study_app.callback()
def _studies() -> None:
    """Keep `study` a group of commands, also while there is only one."""


@study_app.command()
def cost(
    sizes: Annotated[
        list[int] | None, typer.Option("--size", min=1, help="Instances per class; repeat for several.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Time per loss, size and kind of pass.", min=0.0)] = 0.6,
    rounds: Annotated[int, typer.Option(help="Most rounds.", min=1)] = 300,
    seed: Annotated[int, typer.Option(help="Seed of the scores.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    plot: Annotated[Path | None, typer.Option("--plot", "-o", help="Write a figure (.png, .svg or .pdf).")] = None,
    store: Annotated[Path | None, typer.Option(help="Folder to append the results to, as cost.jsonl.")] = None,
) -> None:
    """Measure what an iteration of every loss costs, next to cross-entropy, on one CPU thread."""
    if plot is not None:
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
    from pauci.cli.study_report import print_costs

    print_costs(costs, targets)


def _append(costs: "Sequence[Cost]", folder: Path) -> None:
    import platform

    import torch

    from pauci import __version__

    about = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "device": f"cpu {platform.machine()}, 1 thread",
        "versions": {"pauci": __version__, "torch": torch.__version__, "python": platform.python_version()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "cost.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({**asdict(one), **about}) + "\n" for one in costs)
