"""`pauci study tabular`: ours against tuned cross-entropy on tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.terminal import say
from pauci.errors import InputError, PauciError
from pauci.region import Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pauci.studies.store import Record
    from pauci.studies.tabular.plan import Unit


def tabular(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders of .npz, CSV or Parquet files, or single files.")
    ] = None,
    target: Annotated[str, typer.Option(help="Column with the labels, the same in all tables.")] = "y",
    positive: Annotated[str | None, typer.Option(help="Value of the positive class, if not evident.")] = None,
    sets: Annotated[str, typer.Option(help="Names of tables, separated by commas; all by default.")] = "",
    families: Annotated[
        str, typer.Option(help="Any of linear, mlp, lightgbm, xgboost; by default all that can run.")
    ] = "",
    models: Annotated[str, typer.Option(help="Models, for example ours,ce,class-weight; all by default.")] = "",
    regions: Annotated[str, typer.Option(help="Regions, separated by semicolons: 'fpr<=0.01; tpr>=0.8'.")] = "",
    splits: Annotated[int, typer.Option(help="Number of splits, out of ten.", min=1, max=10)] = 10,
    jobs: Annotated[int, typer.Option(help="Number of processes, with one thread each.", min=1)] = 1,
    budget_minutes: Annotated[
        float | None, typer.Option(help="Stop after this time; run again to continue.", min=0)
    ] = None,
    store: Annotated[Path, typer.Option(help="Folder that the results are added to.")] = Path("results/tabular"),
    render: Annotated[bool, typer.Option("--render", help="Only write the page from the store.")] = False,
    page: Annotated[Path, typer.Option(help="Page that --render writes to.")] = Path("docs/tabular-study.md"),
    readme: Annotated[Path, typer.Option(help="File whose summary --render writes.")] = Path("README.md"),
) -> None:
    """Compare models on five times two halves of tables, each tuned on the half it trains on.

    Runs that the store already has are not repeated. Tables are looked for in FOLDERS.
    """
    if render:
        from pauci.studies.tabular.page import render as write

        for path in write(store, page, readme=readme if readme.exists() else None):
            say(f"wrote {path}")
        return
    if not folders:
        raise InputError("name a folder of tables, for example: pauci study tabular data/tabular")
    from pauci.studies.tabular.models import FAMILIES
    from pauci.studies.tabular.plan import REGIONS, available, plan
    from pauci.studies.tabular.runner import run_units
    from pauci.studies.tabular.sets import find_sets

    wanted = _names(families) or list(FAMILIES)
    here = available(wanted)
    for family in wanted:
        if family not in here:
            say(f"left out: {family} is not installed (pip install 'pauci[boosting]')", err=True)
    units = plan(
        find_sets(folders, names=_names(sets)),
        store=store,
        target=target,
        positive=positive,
        families=here,
        methods=_names(models),
        regions=[Region.parse(text) for text in regions.split(";")] if regions else REGIONS,
        splits=range(splits),
    )
    say(f"{len(units)} pieces of work to do")
    done = 0

    def progress(unit: "Unit", records: "Sequence[Record]", left: float) -> None:
        nonlocal done
        done += 1
        own = [record for record in records if record.method == unit.method]
        values = ", ".join(f"{record.region} {record.metrics['pauc']:.4f}" for record in own)
        say(f"[{done}/{len(units)}, about {left / 60:.0f} min left] {unit.name}: {values}")

    budget = float("inf") if budget_minutes is None else 60 * budget_minutes
    outcome = run_units(units, jobs=jobs, budget=budget, progress=progress)
    for unit, error in outcome.failed:
        say(f"failed: {unit.name}: {type(error).__name__}: {error}", err=True)
    say(f"{outcome.done} done, {len(outcome.failed)} failed, {outcome.left} left; results in {store}")
    if outcome.failed:
        raise PauciError(f"{len(outcome.failed)} pieces failed; the others are in {store}.")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
