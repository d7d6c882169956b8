"""Running the study: skip what is done, pack what fits, stop before time is up."""

import math
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import Any

from pauci.errors import InputError
from pauci.studies.jsonl import append_line
from pauci.studies.orphans import end_with_parent
from pauci.studies.paper.plan import Run, Tuned
from pauci.studies.paper.settings import tried
from pauci.studies.paper.training import Machine, Outcome, OutOfTimeError, run_in_turns, side_by_side_on
from pauci.studies.paper.trials import read_trials
from pauci.studies.store import Record, Store
from pauci.training import Recipe
from pauci.training.lanes import Steps, finished
from pauci.training.sitting import Sitting

#: What a run is expected to take, over what one like it took.
_MARGIN = 1.2

#: Failures one after another, after which no run is begun: there is a reason that all have in common.
_GIVE_UP = 10

#: Told of a run that ended, what it left or why it failed, and how many of the runs are done by then.
Report = Callable[[Run, Outcome | Exception, int], None]


@dataclass(frozen=True)
class Progress:
    """Where the study stands.

    Attributes
    ----------
    done, left : int
        Runs whose results are in the store, and the others.
    made, failed : int
        Runs that this call has made; runs that ended in an error, which the next call tries again. Ten of these one
        after another end the call.
    images, flops : float
        Trained on in this call; of matrix products.
    seconds : float
        That it took.
    """

    done: int
    left: int
    made: int
    failed: int
    images: int
    flops: float
    seconds: float


def run_study(
    runs: Sequence[Run],
    store: Store,
    machine: Machine,
    *,
    tuned: Tuned | None = None,
    workers: int = 1,
    lanes: int = 1,
    budget: float = math.inf,
    report: Report | None = None,
) -> Progress:
    """Make the runs that the store does not have yet.

    Parameters
    ----------
    runs : sequence of Run
        In order; see `plan`.
    store : Store
        Gets a line per run and region; the convergence curves go to its folder ``history``.
    machine : Machine
        Where and how.
    tuned : mapping, optional
        Settings chosen by tuning.
    workers : int, default 1
        Processes that share the device. One makes its runs in this process, which keeps data and compiled code.
    lanes : int, default 1
        Runs that this one process makes in turns, on streams of the device that work side by side.
    budget : float
        Seconds. No run is begun that would probably not end in time, and one that does not end in time is given up.
    report : callable, optional
        Called after each run.
    """
    if workers < 1 or lanes < 1 or workers > 1 < lanes:
        raise InputError(f"workers={workers!r} and lanes={lanes!r} must be at least 1, and one of them 1.")
    deadline, clock = time.time() + budget, time.perf_counter()
    records = store.records()
    recipes = {run: run.recipe(tuned) for run in runs}
    waiting = [run for run in runs if not run.is_done(records, recipes[run])]
    done = len(runs) - len(waiting)
    machine = replace(machine, deadline=deadline)
    beside = max(workers, lanes)
    expected = _Expectation(records, machine.device, beside)
    lines = read_trials(store.folder, "strong")
    made, failed, in_a_row, images, flops = 0, 0, 0, 0, 0.0
    jobs = (
        (run, recipes[run], machine, {"trials": _trials(run, tuned, lines), "beside": beside})
        for run in takewhile(lambda _: in_a_row < _GIVE_UP, _in_time(waiting, expected, deadline))
    )
    steps = (partial(_steps, job) for job in jobs)
    for run, outcome in _pool(jobs, workers) if workers > 1 else side_by_side_on(machine, steps, lanes=lanes):
        if isinstance(outcome, OutOfTimeError):
            continue
        if isinstance(outcome, Exception):
            failed, in_a_row = failed + 1, in_a_row + 1
        else:
            for record in outcome.records:
                store.append(record, file=run.protocol)
                expected.learn(record)
            if outcome.history:
                append_line(store.folder / "history" / f"{run.protocol}.jsonl", outcome.history)
            made, in_a_row, images, flops = made + 1, 0, images + outcome.images, flops + outcome.flops
        if report is not None:
            report(run, outcome, done + made)
    return Progress(done + made, len(waiting) - made, made, failed, images, flops, time.perf_counter() - clock)


_Job = tuple[Run, Recipe, Machine, dict[str, Any]]
_Ended = tuple[Run, Outcome | Exception]


def _pool(jobs: Iterator[_Job], workers: int) -> Iterator[_Ended]:
    """Yield runs in the order in which they end; a job is taken up only when a worker is free."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_parent) as pool:
        running: set[Future[_Ended]] = set()
        while True:
            while len(running) < workers and (job := next(jobs, None)) is not None:
                running.add(pool.submit(_work, job))
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            yield from [future.result() for future in ended]


def _work(job: _Job) -> _Ended:
    _, _, machine, _ = job
    with machine.sitting() as here:
        return finished(_steps(job, here))


def _steps(job: _Job, here: Sitting) -> Steps[_Ended]:
    """Make a run; an error in it is handed on, so that one method that cannot run does not cost all others theirs."""
    run, recipe, machine, details = job
    try:
        return run, (yield from run_in_turns(run, recipe, machine, here, details=details))
    except Exception as error:
        return run, error


def _trials(run: Run, tuned: Tuned | None, lines: Sequence[Mapping[str, Any]]) -> int:
    """Count the trials that the setting of a run has won."""
    if found := (tuned or {}).get(run.setting):
        return int(found["trials"])
    return tried(lines, run.method) if run.protocol == "tuned" else 0


class _Expectation:
    """How long runs take, from those that were made on such a device."""

    def __init__(self, records: Sequence[Record], device: str, beside: int) -> None:
        self._is_cpu, self._beside = device.startswith("cpu"), beside
        self._seconds: dict[tuple[str, ...], float] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: Record) -> None:
        wall = record.details.get("wall")
        if isinstance(wall, (int, float)) and (record.device == "cpu") == self._is_cpu and record.metrics:
            dataset = record.task.rpartition("-")[0]
            for kind in ((record.protocol, dataset, record.method), (record.protocol, dataset)):
                self._seconds[kind] = wall / record.details.get("beside", 1)

    def of(self, run: Run) -> float:
        """Seconds of the last such run: of the method, else of any on these data; unknown counts as none."""
        of_any = self._seconds.get((run.protocol, run.dataset), 0.0)
        return self._seconds.get((run.protocol, run.dataset, run.method), of_any) * self._beside * _MARGIN


def _in_time(runs: Sequence[Run], expected: _Expectation, deadline: float) -> Iterator[Run]:
    """Yield runs that probably end in time; the first that would not is the last: no shorter one overtakes it."""
    for run in runs:
        if time.time() + expected.of(run) > deadline:
            return
        yield run
