"""Long runs on the CPU are told of once, from what the first steps took."""

import warnings
from types import SimpleNamespace

import pytest

from pauci.training import PaceWarning, pace, train
from pauci.training.observers import Start
from pauci.training.specs import WarmupSpec
from training.toy import toy_data, toy_recipe


@pytest.fixture
def clock(monkeypatch):
    """Let every look at the clock take some seconds."""

    def ticking(seconds):
        now = iter(range(0, 10**9, seconds))
        monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: float(next(now))))

    return ticking


def test_a_long_run_is_told_of_once(clock, monkeypatch):
    clock(30)
    monkeypatch.setattr(pace, "_LONG", 60.0)
    with pytest.warns(PaceWarning, match=r"30 s each\) training takes about 0\.\d more hours on the CPU") as told:
        train(toy_recipe(warmup=WarmupSpec(epochs=1)), toy_data(), device="cpu")
    assert len(told) == 1


def test_short_runs_are_not(clock):
    clock(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(toy_recipe(epochs=10), toy_data(), device="cpu")


def test_a_resumed_run_that_goes_back_behind_its_start(clock):
    clock(1000)
    watching = pace.Pace()
    watching.start(Start(toy_recipe(), total=20, done=8, history=[]))
    with pytest.warns(PaceWarning, match="1e[+]03 s each"):
        watching.step(8)
