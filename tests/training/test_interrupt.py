"""Signals become requests to stop."""

import signal

import pytest

from pauci.training.interrupt import stop_requests


class Handler:
    """What was there before, and must not be called while a run saves."""

    def __init__(self):
        self.calls = 0

    def __call__(self, *_):
        self.calls += 1


@pytest.fixture
def before():
    handler = Handler()
    kinds = (signal.SIGINT, signal.SIGTERM)
    kept = {kind: signal.signal(kind, handler) for kind in kinds}
    yield handler
    for kind, earlier in kept.items():
        signal.signal(kind, earlier)


def test_sigterm_may_come_twice(before):
    """To a process group it comes from whoever ends the group, and once more from the process that started this one."""
    with stop_requests() as stop:
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)
            assert stop.asked
        assert before.calls == 0
    signal.raise_signal(signal.SIGTERM)
    assert before.calls == 1


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_after_a_request_stops_at_once(before, first):
    with stop_requests() as stop:
        signal.raise_signal(first)
        assert stop.asked
        assert before.calls == 0
        signal.raise_signal(signal.SIGINT)
        assert before.calls == 1
