"""Runs in turns."""

import pytest
import torch

from pauci.training.lanes import side_by_side

CPU = torch.device("cpu")


def counting(name, steps, log):
    try:
        for step in range(steps):
            log.append((name, step))
            yield
    finally:
        log.append((name, "closed"))
    return name


@pytest.mark.parametrize("lanes", [1, 2, 3, 7])
def test_every_run_ends_and_no_more_are_under_way_than_there_are_lanes(lanes):
    log, lengths = [], {"a": 3, "b": 0, "c": 5, "d": 1, "e": 2}
    ended = list(side_by_side((counting(n, k, log) for n, k in lengths.items()), lanes=lanes, device=CPU))
    assert sorted(ended) == list(lengths)
    for name, steps in lengths.items():
        assert [what for who, what in log if who == name] == [*range(steps), "closed"]
    under_way = set()
    for name, what in log:
        under_way = under_way - {name} if what == "closed" else under_way | {name}
        assert len(under_way) <= lanes


def test_runs_take_turns_once_all_lanes_have_joined():
    log = []
    list(side_by_side([counting("a", 60, log), counting("b", 60, log)], lanes=2, device=CPU))
    later = [name for name, what in log[40:80]]
    assert later in (["a", "b"] * 20, ["b", "a"] * 20)


def test_a_lane_is_filled_only_when_it_is_free():
    asked, log = [], []

    def runs():
        for name in "abc":
            asked.append(name)
            yield counting(name, 1, log)

    results = side_by_side(runs(), lanes=1, device=CPU)
    assert next(results) == "a"
    assert asked == ["a"]


def test_an_error_closes_the_other_runs():
    def failing():
        yield
        raise ValueError("no luck")

    log = []
    with pytest.raises(ValueError, match="no luck"):
        list(side_by_side([counting("a", 100, log), failing()], lanes=2, device=CPU))
    assert 0 < len(log) < 100
    assert log[-1] == ("a", "closed")
