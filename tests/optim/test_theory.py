import math

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import nn

from optim.saddles import run_step
from pauci.errors import InputError
from pauci.optim import ASGDA, check_conditions, theory_settings

smoothness = st.floats(0.05, 100)
problems = st.fixed_dictionaries(
    {"lipschitz": smoothness, "share": st.floats(0.01, 1), "batch_size": st.integers(1, 512), "k": st.floats(0.1, 10)}
)


def problem_of(draw):
    k, share = draw.pop("k"), draw.pop("share")
    return {**draw, "concavity": share * draw["lipschitz"]}, k


def conditions(s, p):
    """The theorem's inequalities as the paper prints them, with tau = mu: name -> whether it holds."""
    L, mu, b, k = p["lipschitz"], p["concavity"], p["batch_size"], s["k"]
    most_nu = min(
        s["lam"] * mu / (2 * L) * math.sqrt(2 * b / (8 * s["lam"] ** 2 + 75 * (L / mu) ** 2 * b)),
        s["m"] ** (1 / 3) / (2 * (L + L**2 / mu) * k),
    )
    return {
        "c1": s["c1"] >= (2 / (3 * k**3) + 9 * mu**2 / 4) * (1 - 1e-12),
        "c2": s["c2"] >= (2 / (3 * k**3) + 75 * L**2 / 2) * (1 - 1e-12),
        "m": s["m"] >= max(2, k**3, (s["c1"] * k) ** 3, (s["c2"] * k) ** 3) * (1 - 1e-12),
        "lam": s["lam"] <= min(1 / (6 * L), 27 * b * mu / 16) * (1 + 1e-12),
        "nu": s["nu"] <= most_nu * (1 + 1e-12),
    }


@given(problems)
def test_settings_satisfy_the_theorem_and_are_the_largest(draw):
    problem, k = problem_of(draw)
    chosen = theory_settings(**problem, k=k)
    assert all(conditions(chosen, problem).values())
    assert check_conditions(**chosen, **problem) == []
    for name in ("nu", "lam"):
        assert name in {broken.name for broken in check_conditions(**{**chosen, name: 1.01 * chosen[name]}, **problem)}
    for name in ("m", "c1", "c2"):
        assert name in {broken.name for broken in check_conditions(**{**chosen, name: 0.99 * chosen[name]}, **problem)}


@given(problems, st.tuples(*[st.floats(0.01, 100)] * 6))
@example({"lipschitz": 1.0, "share": 1.0, "batch_size": 1, "k": 1.0}, (0.1, 0.1, 0.01, 3.0, 0.01, 0.01))  # m >= 2
@example({"lipschitz": 1.0, "share": 1.0, "batch_size": 1, "k": 1.0}, (4.5e-4, 100.0, 100.0, 0.01, 1.0, 1.0))
def test_check_agrees_with_the_inequalities(draw, values):
    problem, _ = problem_of(draw)
    hand_set = dict(zip(("nu", "lam", "k", "m", "c1", "c2"), values, strict=True))
    broken = {item.name for item in check_conditions(**hand_set, **problem)}
    assert broken == {name for name, holds in conditions(hand_set, problem).items() if not holds}


def test_released_settings_break_every_condition_but_one():
    broken = check_conditions(nu=0.05, lam=0.05, k=1, m=500, c1=3, c2=3, lipschitz=4, concavity=2, batch_size=1)
    assert [item.name for item in broken] == ["c1", "c2", "lam", "nu"]
    assert "times too large" in str(broken[-1])
    assert str(broken[1]) == "c2=3 must be at least 600.7: 200 times too small"


def test_from_theory_builds_the_optimiser_and_it_converges():
    x, y = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(0.5))
    groups = [{"params": x}, {"params": y, "role": "max", "domain": (-1, 1)}]
    optimizer = ASGDA.from_theory(groups, lipschitz=0.1, concavity=0.1, batch_size=64, k=1.0)
    chosen = theory_settings(lipschitz=0.1, concavity=0.1, batch_size=64)
    others = {"weight_decay": 0.5, "max_norm": 2.0}
    group = ASGDA.from_theory([x], lipschitz=0.1, concavity=0.1, **others).param_groups[0]
    assert {name: group[name] for name in others} == others
    assert [group["lr"] for group in optimizer.param_groups] == [chosen["nu"], chosen["lam"]]
    assert [group["c"] for group in optimizer.param_groups] == [chosen["c1"], chosen["c2"]]
    values = [run_step(optimizer, lambda: 0.05 * (x**2 - y**2)).item() for _ in range(300)]
    assert x.item() < 0.9
    assert abs(values[-1]) < abs(values[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lipschitz": 0.0}, "lipschitz=0.0"),
        ({"concavity": -1.0}, "concavity=-1.0"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"k": math.inf}, "k=inf"),
        ({"concavity": 5.0}, "concavity=5 exceeds lipschitz=2"),
    ],
)
def test_impossible_problems_are_errors(change, message):
    with pytest.raises(InputError, match=message):
        theory_settings(**{"lipschitz": 2.0, "concavity": 1.0, **change})
