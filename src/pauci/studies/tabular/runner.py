"""Running the study: what is missing in the store, largest first, on as many processes as there may be."""

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field

from pauci.studies.orphans import end_with_parent
from pauci.studies.store import Record, Store
from pauci.studies.tabular.measurement import measure
from pauci.studies.tabular.plan import Pace, Unit
from pauci.studies.tabular.sets import load_set

#: Variables by which the libraries below decide how many threads to start.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class Outcome:
    """What became of the units.

    Attributes
    ----------
    done : int
        Units that are finished.
    failed : list of tuple of Unit and Exception
        Units that could not be.
    left : int
        Units that there was no time for.
    """

    done: int = 0
    failed: list[tuple[Unit, Exception]] = field(default_factory=list)
    left: int = 0


#: Called after every unit: it, its results, and the seconds that the rest is expected to take.
Progress = Callable[[Unit, Sequence[Record], float], None]


def run_units(
    units: Sequence[Unit], *, jobs: int = 1, budget: float = float("inf"), progress: Progress | None = None
) -> Outcome:
    """Work units off in this order, one thread each, and write every result to the store at once.

    Parameters
    ----------
    jobs : int
        Processes; with one, everything happens in this one.
    budget : float
        Seconds after which to stop. What is unfinished then is given up, and done again the next time.

    Returns
    -------
    Outcome
        What was done, what failed and what is left. A unit that fails does not stop the others.
    """
    outcome, pace, waiting = Outcome(), Pace(), deque(units)
    deadline = time.monotonic() + budget
    running: dict[Future[tuple[list[Record], float]], Unit] = {}
    with _workers(jobs) as submit:
        while (waiting or running) and time.monotonic() < deadline:
            while waiting and len(running) < jobs:
                unit = waiting.popleft()
                running[submit(unit)] = unit
            timeout = None if budget == float("inf") else max(0.0, deadline - time.monotonic())
            for future in wait(running, timeout=timeout, return_when=FIRST_COMPLETED).done:
                unit = running.pop(future)
                try:
                    records, seconds = future.result()
                except Exception as error:
                    outcome.failed.append((unit, error))
                    continue
                outcome.done += 1
                pace.learn(unit, seconds)
                if progress is not None:
                    progress(unit, records, sum(map(pace.seconds, [*running.values(), *waiting])) / jobs)
    outcome.left = len(running) + len(waiting)
    return outcome


def run_unit(unit: Unit) -> tuple[list[Record], float]:
    """Do one unit and write its results; return them, and the seconds it took."""
    started = time.perf_counter()
    data = load_set(unit.path, target=unit.target, positive=unit.positive)
    store, records = Store(unit.folder), []
    for record in measure(data, split=unit.split, family=unit.family, method=unit.method, regions=unit.regions):
        store.append(record, file=f"{unit.family}-{record.method}")
        records.append(record)
    return records, time.perf_counter() - started


_Submit = Callable[[Unit], "Future[tuple[list[Record], float]]"]


@contextmanager
def _workers(jobs: int) -> Iterator[_Submit]:
    if jobs == 1:
        yield _here
        return
    # Fresh processes: what this one has loaded may have started threads, which do not survive a fork.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with _single_threaded():
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin)
        try:
            yield lambda unit: pool.submit(run_unit, unit)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
                process.join()


def _here(unit: Unit) -> "Future[tuple[list[Record], float]]":
    future: Future[tuple[list[Record], float]] = Future()
    try:
        future.set_result(run_unit(unit))
    except Exception as error:
        future.set_exception(error)
    return future


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Let processes that start now use one thread each."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _begin() -> None:
    import torch

    end_with_parent()
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
