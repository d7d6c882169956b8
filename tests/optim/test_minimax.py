"""What both solvers share: the oracle, groups, boxes, schedulers, checkpoints."""

import copy
import io
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from optim.saddles import SOLVERS, NoisyGame, run_step
from pauci.errors import InputError
from pauci.losses import Anneal, PAUCILoss
from pauci.optim import ASGDA, SinglePassASGDA

every_solver = pytest.mark.parametrize("solver", SOLVERS)
BOX_X, BOX_Y = (-0.8, 1.2), (-0.5, 0.75)
SETTINGS = {"nu": 0.4, "lam": 0.2, "k": 1.5, "m": 5.0, "c1": 2.0, "c2": 1.5}


def variables(game):
    return nn.Parameter(torch.tensor(game.start).clamp(*BOX_X)), nn.Parameter(torch.tensor(0.0, dtype=torch.double))


def boxed_groups(x, y, *, is_reversed=False):
    return [{"params": x, "domain": BOX_X}, {"params": y, "role": "max", "domain": BOX_Y, "reversed": is_reversed}]


@every_solver
@pytest.mark.parametrize("is_reversed", [False, True])
def test_follows_the_oracle_over_300_stochastic_steps(solver, is_reversed):
    game = NoisyGame()
    game.start = game.start.clip(*BOX_X)
    x, y = variables(game)
    optimizer = solver(boxed_groups(x, y, is_reversed=is_reversed), **SETTINGS)
    path = []
    for t in range(300):
        run_step(optimizer, lambda t=t: game.objective(t, x, y), turned=[y] if is_reversed else [])
        path.append(np.append(x.detach().numpy(), y.item()))
    expected = game.solve(300, **SETTINGS, box_x=BOX_X, box_y=BOX_Y, storm=solver is ASGDA)
    assert np.ptp(expected, axis=0).min() > 0.1
    np.testing.assert_allclose(path, expected, atol=1e-6)


@every_solver
def test_unboxed_groups_take_the_same_steps(solver):
    """Without a box the move is computed differently; an infinite box must not change it."""
    game = NoisyGame(seed=1)
    paths = []
    for domain in (None, (-math.inf, math.inf)):
        x, y = variables(game)
        optimizer = solver([{"params": x, "domain": domain, "weight_decay": 0.3}], **SETTINGS)
        for t in range(50):
            run_step(optimizer, lambda t=t, x=x, y=y: game.objective(t, x, y.detach()))
        paths.append(x.detach())
    torch.testing.assert_close(*paths)


@every_solver
@settings(max_examples=15, deadline=None)
@given(
    start=st.tuples(st.floats(-3, 3), st.floats(-1, 1)),
    coupling=st.floats(-1, 1),
    saddle=st.tuples(st.floats(-1, 1), st.floats(-0.9, 0.9)),
)
def test_reaches_a_quadratic_saddle_from_any_start(solver, start, coupling, saddle):
    x, y = (nn.Parameter(torch.tensor(value)) for value in start)
    optimizer = solver([{"params": x}, {"params": y, "role": "max", "domain": (-1, 1)}], nu=0.5, lam=0.5)

    def objective():
        u, w = x - saddle[0], y - saddle[1]
        return u**2 + coupling * u * w - w**2

    for _ in range(400):
        run_step(optimizer, objective)
    assert x.item() == pytest.approx(saddle[0], abs=1e-3)
    assert y.item() == pytest.approx(saddle[1], abs=1e-3)


@every_solver
@settings(max_examples=25, deadline=None)
@given(
    low=st.floats(-5, 5, width=32),
    width=st.floats(0, 3, width=32),
    dtype=st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    lr=st.sampled_from([1e-3, 1.0, 1e6]),
    m=st.floats(1, 100),
    seed=st.integers(0, 99),
)
def test_every_iterate_is_feasible(solver, low, width, dtype, lr, m, seed):
    generator = torch.Generator().manual_seed(seed)
    low, high = (torch.tensor(edge, dtype=dtype) for edge in (low, low + width))
    x = nn.Parameter((low + (high - low) * torch.rand(16, generator=generator, dtype=dtype)).clamp(low, high))
    optimizer = solver([{"params": x, "domain": (low.item(), high.item())}], nu=lr, m=m)
    for _ in range(20):
        slope = torch.randn(16, generator=generator, dtype=dtype)
        run_step(optimizer, lambda slope=slope: (slope * x).sum())
        assert bool(((x >= low) & (x <= high)).all())


def test_bounds_may_be_tensors_that_broadcast():
    x = nn.Parameter(torch.zeros(2, 3))
    low, high = torch.tensor([[-1.0], [-2.0]]), torch.full((3,), 5.0, dtype=torch.double)
    optimizer = ASGDA([{"params": x, "domain": (low, high)}], nu=100.0, k=1.0, m=1.0)
    for _ in range(60):
        run_step(optimizer, x.sum)
    torch.testing.assert_close(x.detach(), low.expand(2, 3), atol=1e-3, rtol=0)


@every_solver
def test_rates_live_in_the_groups_and_schedulers_move_them(solver):
    x, y = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(()))
    optimizer = solver([{"params": x}, {"params": y, "role": "max"}], nu=0.3, lam=0.02)
    assert [group["lr"] for group in optimizer.param_groups] == [0.3, 0.02]
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.0)
    for _ in range(3):
        run_step(optimizer, lambda: x.sum() + y)
        scheduler.step()
    frozen = x.detach().clone()
    assert bool((frozen < 0).all())
    run_step(optimizer, lambda: x.sum() + y)
    assert torch.equal(x, frozen)


@every_solver
def test_one_cycle_and_plateau_schedulers(solver):
    x = nn.Parameter(torch.ones(2))
    optimizer = solver([x])
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.4, total_steps=10, cycle_momentum=False)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    for _ in range(9):
        loss = run_step(optimizer, lambda: (x**2).sum())
        cycle.step()
        plateau.step(loss)
    assert 0 < optimizer.param_groups[0]["lr"] < 0.4


@every_solver
def test_checkpoint_resumes_bit_for_bit(solver):
    game = NoisyGame(seed=2)

    def advance(optimizer, x, y, steps):
        for t in steps:
            run_step(optimizer, lambda t=t: game.objective(t, x, y))

    x, y = variables(game)
    optimizer = solver(boxed_groups(x, y), **SETTINGS)
    advance(optimizer, x, y, range(20))
    file = io.BytesIO()
    torch.save({"optimizer": optimizer.state_dict(), "x": x, "y": y}, file)
    advance(optimizer, x, y, range(20, 40))

    file.seek(0)
    saved = torch.load(file, weights_only=True)
    again_x, again_y = nn.Parameter(saved["x"].detach()), nn.Parameter(saved["y"].detach())
    again = solver(boxed_groups(again_x, again_y))
    again.load_state_dict(saved["optimizer"])
    advance(again, again_x, again_y, range(20, 40))
    assert torch.equal(again_x, x)
    assert torch.equal(again_y, y)
    for p, q in ((x, again_x), (y, again_y)):
        assert torch.equal(optimizer.state[p]["estimate"], again.state[q]["estimate"])
    assert again.param_groups[1]["step"] == 40


@every_solver
def test_a_deep_copy_goes_on_by_itself(solver):
    game = NoisyGame(seed=3)
    x, y = variables(game)
    optimizer = solver(boxed_groups(x, y), **SETTINGS)
    run_step(optimizer, lambda: game.objective(0, x, y))
    twin = copy.deepcopy(optimizer)
    twin_x, twin_y = (group["params"][0] for group in twin.param_groups)
    for t in range(1, 6):
        run_step(optimizer, lambda t=t: game.objective(t, x, y))
    assert not torch.equal(twin_x, x)
    for t in range(1, 6):
        run_step(twin, lambda t=t: game.objective(t, twin_x, twin_y))
    assert torch.equal(twin_x, x)
    twin.add_param_group({"params": nn.Parameter(torch.zeros(2)), "role": "max"})
    assert twin.param_groups[2]["lr"] == SETTINGS["lam"]


@every_solver
def test_many_tensors_move_like_each_alone(solver):
    """The multi-tensor kernels agree with one optimiser per tensor, whatever shapes and types are mixed."""
    generator = torch.Generator().manual_seed(0)
    shapes = [((), torch.float32), ((3,), torch.float64), ((2, 3), torch.float32), ((0,), torch.float32)]
    values = [torch.randn(shape, generator=generator, dtype=dtype) for shape, dtype in shapes]
    together = [nn.Parameter(value.clone()) for value in values]
    alone = [nn.Parameter(value.clone()) for value in values]
    options = {**SETTINGS, "weight_decay": 0.1}
    optimizers = [solver([p], **options) for p in alone]
    optimizer = solver(together, **options)
    for _ in range(30):
        run_step(optimizer, lambda: sum((p**2).sum() + p.sin().sum() for p in together))
        for one, p in zip(optimizers, alone, strict=True):
            run_step(one, lambda p=p: (p**2).sum() + p.sin().sum())
    for p, q in zip(together, alone, strict=True):
        torch.testing.assert_close(p, q)


@every_solver
def test_weight_decay_is_real_and_decoupled(solver):
    x, y = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
    groups = [{"params": x}, {"params": y, "domain": (-2, 2)}]
    optimizer = solver(groups, nu=0.5, k=1.0, m=8.0, weight_decay=0.1)
    run_step(optimizer, lambda: (0 * x).sum() + (0 * y).sum())
    eta = 1 / 2
    for p in (x, y):
        torch.testing.assert_close(p.detach(), torch.full((3,), 1 - eta * 0.5 * 0.1))
        assert bool((optimizer.state[p]["estimate"] == 0).all())


@every_solver
def test_max_norm_shortens_the_step_and_leaves_the_estimate(solver):
    moves, estimates = [], []
    for max_norm in (None, 0.5, 1e9):
        x = nn.Parameter(torch.zeros(2))
        optimizer = solver([x], nu=1.0, k=1.0, m=1.0, c1=1.0, max_norm=max_norm)
        for _ in range(2):
            before = x.detach().clone()
            run_step(optimizer, lambda x=x: 3 * x[0] + 4 * x[1])
        moves.append(x.detach() - before)
        estimates.append(optimizer.state[x]["estimate"])
    share = 1 / math.cbrt(2)
    torch.testing.assert_close(moves[1], torch.tensor([-0.3, -0.4]) * share)
    torch.testing.assert_close(moves[2], moves[0])
    torch.testing.assert_close(moves[0], torch.tensor([-3.0, -4.0]) * share)
    torch.testing.assert_close(estimates[1], estimates[0])


@every_solver
def test_parameters_without_gradient_are_left_alone(solver):
    used, unused, frozen = (nn.Parameter(torch.ones(2)) for _ in range(3))
    frozen.requires_grad_(False)
    optimizer = solver([{"params": [used, unused, frozen]}, {"params": nn.Parameter(torch.ones(2))}], weight_decay=0.1)
    for _ in range(3):
        run_step(optimizer, lambda: used.sum())
    assert bool((used < 1).all())
    assert bool((unused == 1).all())
    assert bool((frozen == 1).all())
    assert list(optimizer.state) == [used]


@every_solver
def test_groups_given_are_not_changed_and_names_are_kept(solver):
    model = nn.Linear(2, 1)
    group = {"params": list(model.named_parameters()), "role": "min"}
    optimizer = solver([group])
    assert set(group) == {"params", "role"}
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]


def group_error(**group):
    x = nn.Parameter(torch.zeros(2))
    return [{"params": [x], **group}]


@every_solver
@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"role": "up"}, "role='up'.*'min' or 'max'"),
        ({"nu": 0.1}, "nu=0.1.*'lr'"),
        ({"c2": 0.1, "role": "max"}, "c2=0.1.*'c'"),
        ({"lr": -1.0}, "lr=-1.0"),
        ({"c": math.nan}, "c=nan"),
        ({"weight_decay": math.inf}, "weight_decay=inf"),
        ({"k": 2.0, "m": 7.0}, "eta_0.*m >= k\\^3 = 8"),
        ({"k": 0.0}, "eta_0"),
        ({"m": 0.0}, "eta_0"),
        ({"max_norm": 0.0}, "max_norm=0.0"),
        ({"max_norm": "1"}, "max_norm='1'"),
        ({"max_norm": torch.ones(2)}, "max_norm=tensor"),
        ({"lr": 10**400}, "lr=1000"),
        ({"reversed": True}, "reversed=True"),
        ({"domain": 3.0}, "pair"),
        ({"domain": (1.0, 0.0)}, "empty"),
        ({"domain": (math.nan, 0.0)}, "empty"),
        ({"domain": (1.0, 2.0)}, "outside"),
        ({"domain": (torch.zeros(3), torch.ones(3))}, "broadcast"),
        ({"domain": (torch.zeros(2, 2), 1.0)}, "broadcast"),
        ({"domain": (None, 1.0)}, "-inf and inf leave a side open"),
        ({"maximize": True}, "role='max'"),
    ],
)
def test_malformed_groups_are_errors(solver, group, message):
    optimizer = solver([nn.Parameter(torch.zeros(1))])
    with pytest.raises(InputError, match=message):
        optimizer.add_param_group(group_error(**group)[0])
    assert len(optimizer.param_groups) == 1
    with pytest.raises(InputError, match=message):
        solver(group_error(**group))


@every_solver
def test_rates_that_are_no_rates_are_called_by_their_names(solver):
    ascent = {"params": [nn.Parameter(torch.zeros(1))], "role": "max"}
    for name, groups in (("nu", group_error()), ("c1", group_error()), ("lam", [ascent]), ("c2", [ascent])):
        for value in (-1, "1", None):
            with pytest.raises(InputError, match=f"={value!r} of a param group \\({name}, "):
                solver(groups, **{name: value})


@every_solver
def test_complex_parameters_are_an_error(solver):
    with pytest.raises(InputError, match="complex"):
        solver([nn.Parameter(torch.zeros(2, dtype=torch.cfloat))])


@every_solver
def test_sparse_gradients_are_an_error_and_nothing_moves(solver):
    dense, table = nn.Parameter(torch.ones(3)), nn.Embedding(5, 3, sparse=True)
    optimizer = solver([{"params": dense}, {"params": table.weight}], weight_decay=0.1)
    with pytest.raises(InputError, match=r"sparse.*\(5, 3\)"):
        run_step(optimizer, lambda: (table(torch.tensor([1])) * dense).sum())
    assert bool((dense == 1).all())


def test_first_share_of_one_is_allowed():
    ASGDA([nn.Parameter(torch.zeros(1))], k=2.0, m=8.0)
    SinglePassASGDA([nn.Parameter(torch.zeros(1))], k=1.0, m=1.0)


@pytest.mark.parametrize("solver", [ASGDA, SinglePassASGDA])
def test_boxes_that_move_go_on_moving_after_a_state_is_loaded(solver):
    loss = PAUCILoss(max_fpr=0.01, kappa=Anneal(8.0, 0.25, 2))
    first = solver(loss.param_groups())
    state = first.state_dict()
    second = solver(loss.param_groups())
    second.load_state_dict(copy.deepcopy(state))
    loss.double()
    loss.advance()
    for group, expected in zip(second.param_groups, loss.param_groups(), strict=True):
        for edge, other in zip(group["domain"], expected["domain"], strict=True):
            assert torch.equal(torch.as_tensor(edge), torch.as_tensor(other))
    assert second.param_groups[0]["domain"][1].dtype is torch.float64
    assert PAUCILoss(max_fpr=0.1).to("meta").descent.is_meta
