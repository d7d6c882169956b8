"""`pauci study paper`: the paper's experiments, under its protocol and under a strong one."""

import math
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pauci.cli.options import DeviceOption
from pauci.cli.terminal import say

if TYPE_CHECKING:
    from pauci.studies.paper.plan import Run, Tuned
    from pauci.studies.paper.training import Outcome
    from pauci.studies.store import Store

_Words = list[str] | None


def paper(
    stages: Annotated[_Words, typer.Option("--stages", help="Numbers of stages, in order: 1,2 (see --list).")] = None,
    protocols: Annotated[_Words, typer.Option("--protocol", help="strong, tuned, paper or miniature.")] = None,
    tasks: Annotated[_Words, typer.Option("--tasks", help="cifar10-lt-1, ...; several with commas.")] = None,
    variants: Annotated[_Words, typer.Option("--variants", help="clean or paper (CIFAR-100-LT).")] = None,
    methods: Annotated[_Words, typer.Option("--methods", help="ce, ours, pauci, ...; several with commas.")] = None,
    seeds: Annotated[_Words, typer.Option("--seeds", help="0,1,2 or 0-4.")] = None,
    budget: Annotated[
        float | None, typer.Option("--budget-minutes", min=0, help="Stop cleanly before this time is up.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the device.")] = 1,
    lanes: Annotated[
        int, typer.Option(min=1, help="Runs that take turns in one process, side by side on the device.")
    ] = 1,
    device: DeviceOption = None,
    compiled: Annotated[bool, typer.Option("--compile", help="Compile the network.")] = False,
    graphs: Annotated[bool, typer.Option(help="Replay training passes as CUDA graphs.")] = False,
    store: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("results/paper"),
    warmups: Annotated[
        Path | None, typer.Option(help="Folder in which runs share their warm-ups.", show_default="in the cache folder")
    ] = None,
    matrix_rate: Annotated[
        float, typer.Option(min=0.001, help="TFLOP/s of bf16 matrix products that the device reaches.")
    ] = 790.0,
    trials: Annotated[
        int, typer.Option("--tune", min=0, help="Tune instead: this many trials per method, on validation data.")
    ] = 0,
    render: Annotated[bool, typer.Option("--render", help="Write tables and figures from the store instead.")] = False,
    docs: Annotated[Path, typer.Option(help="Folder of the documentation, for --render.")] = Path("docs"),
    readme: Annotated[Path, typer.Option(help="File whose summary --render writes.")] = Path("README.md"),
    listing: Annotated[bool, typer.Option("--list", help="List the stages, and how much of each is done.")] = False,
) -> None:
    """Run the paper's study: it is resumable, writes one line per finished run, and stops cleanly when time is up."""
    if render:
        _render(store, docs, readme, matrix_rate)
        return
    import torch

    from pauci.data.folders import cache_folder
    from pauci.studies.paper.plan import plan
    from pauci.studies.paper.study import run_study
    from pauci.studies.paper.training import Machine
    from pauci.studies.paper.tuning import read_tuned, tune_study
    from pauci.studies.store import Store

    planned = partial(
        plan,
        protocols=_words(protocols),
        tasks=_words(tasks),
        variants=_words(variants),
        methods=_words(methods),
        seeds=_numbers(seeds),
    )
    chosen = planned(stages=_numbers(stages))
    results, tuned = Store(store), read_tuned(store)
    if listing:
        _list(planned, _numbers(stages), results, tuned)
        return
    machine = Machine(
        device=device or ("cuda" if torch.cuda.is_available() else "cpu"),
        compiled=compiled,
        graphs=graphs,
        warmups=warmups or cache_folder() / "warmups",
    )

    seconds = math.inf if budget is None else 60 * budget
    if trials:
        tune_study(chosen, store, machine, trials=trials, lanes=lanes, budget=seconds, report=_tell_trial)
        return

    def tell(run: "Run", outcome: "Outcome | Exception", done: int) -> None:
        if isinstance(outcome, Exception):
            say(f"{run} failed: {type(outcome).__name__}: {outcome}", err=True)
        else:
            say(f"[{done}/{len(chosen)}] {run}: {_facts(outcome, matrix_rate)}")

    progress = run_study(
        chosen,
        results,
        machine,
        tuned=tuned,
        workers=workers,
        lanes=lanes,
        budget=seconds,
        report=tell,
    )
    speed = ""
    if progress.images:
        share = progress.flops / progress.seconds / 1e12 / matrix_rate
        speed = f", {progress.images / progress.seconds:,.0f} images/s, {share:.1%} of {matrix_rate:g} TFLOP/s over all"
    say(f"{progress.made} runs in {progress.seconds:.0f} s{speed}; {progress.left} of {len(chosen)} are left.")
    if progress.failed:
        raise typer.Exit(1)


def _facts(outcome: "Outcome", matrix_rate: float) -> str:
    record = outcome.records[0]
    if "diverged" in record.details:
        return f"diverged: {record.details['diverged']}"
    from pauci.studies.paper.methods import METRIC

    reached = " ".join(f"{METRIC[one.region]} {one.metrics[METRIC[one.region]]:.4f}" for one in outcome.records)
    details = record.details
    speed = f"{details['images_per_second']:,} images/s, {details['tflops'] / matrix_rate:.1%} of the matrix rate"
    return f"{reached} | .05 {record.metrics['opauc@0.05']:.4f} | {details['wall']:.1f} s, {speed}"


def _render(store: Path, docs: Path, readme: Path, matrix_rate: float) -> None:
    from pauci.studies.paper.rendering import render_study
    from pauci.studies.store import Store

    found = readme if readme.exists() else None
    for path in render_study(Store(store), docs, readme=found, matrix_rate=matrix_rate):
        say(str(path))


def _tell_trial(run: "Run", number: int, value: float | None) -> None:
    say(f"trial {number} of {run}: {'diverged' if value is None else f'{value:.4f}'}")


def _list(planned: "Callable[..., list[Run]]", stages: list[int], store: "Store", tuned: "Tuned") -> None:
    from pauci.studies.paper.plan import STAGES

    records = store.records()
    for number in stages or STAGES:
        runs = planned(stages=[number])
        if runs:
            done = [run.method for run in runs if run.is_done(records, run.recipe(tuned))]
            say(f"Stage {number}, {STAGES[number].title}: {len(done)} of {len(runs)} runs are done")
            for method in dict.fromkeys(run.method for run in runs):
                whole = sum(run.method == method for run in runs)
                say(f"  {method:<12} {done.count(method):>3} of {whole:>3}")


def _words(given: _Words) -> list[str]:
    return [word.strip() for text in given or [] for word in text.split(",") if word.strip()]


def _numbers(given: _Words) -> list[int]:
    numbers: list[int] = []
    for word in _words(given):
        if not (found := re.fullmatch(r"(\d+)(?:-(\d+))?", word, re.ASCII)):
            raise typer.BadParameter(f"{word!r} is neither a number nor a range such as 0-4")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:  # nothing would be asked for, which means all
            raise typer.BadParameter(f"{word!r} holds no number; write {last}-{first}")
        numbers += range(first, last + 1)
    return numbers
