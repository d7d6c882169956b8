"""AGD-SBCD against its formulas step by step, and on a range of false positive rates."""

import copy
from contextlib import nullcontext

import numpy as np
import pytest
import torch

from pauci.errors import InputError
from pauci.losses import AGDSBCDLoss, PAUCILoss
from pauci.optim import AGDSBCD
from pauci.region import Region

BAND = Region(min_fpr=0.1, max_fpr=0.5)


def data(seed, n=60):
    generator = torch.Generator().manual_seed(seed)
    y = torch.rand(n, generator=generator) < 0.4
    x = torch.randn(n, 3, generator=generator, dtype=torch.float64)
    x[:, 0] += y
    return x, y, torch.randint(0, 100, (n,), generator=generator)


def closure_of(optimizer, loss, w, seed):
    x, y, index = data(seed)

    def closure():
        optimizer.zero_grad()
        value = loss(x @ w, y, index)
        value.backward()
        return value

    return closure


def start():
    return torch.nn.Parameter(torch.tensor([-0.5, 0.5, 0.25], dtype=torch.float64))


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), BAND])
def test_follows_the_formulas(region):
    lr, mu, gamma, inner = 0.2, 0.8, 0.5, 3
    loss, w = AGDSBCDLoss(region).double(), start()
    optimizer = AGDSBCD([w], loss, lr=lr, mu=mu, gamma=gamma, inner_steps=inner)
    twin = copy.deepcopy(loss)

    def gradient(part, v, seed):
        x, y, index = data(seed)
        v = v.clone().requires_grad_()
        with twin.only(part):
            return torch.autograd.grad(twin(x @ v, y, index), v)[0]

    center = start().detach().clone()
    for outer in range(3):
        v_n, v_m, sum_n, sum_m = center.clone(), center.clone(), 0, 0
        for step in range(inner):
            seed = 10 * outer + step
            optimizer.step(closure_of(optimizer, loss, w, seed))
            if step < inner - 1:
                torch.testing.assert_close(w.detach(), center)
            v_n = (v_n / lr + center / mu - gradient("upper", v_n, seed)) / (1 / lr + 1 / mu)
            sum_n = sum_n + v_n
            if region.min_fpr > 0:
                v_m = (v_m / lr + center / mu - gradient("lower", v_m, seed)) / (1 / lr + 1 / mu)
                sum_m = sum_m + v_m
            torch.testing.assert_close(optimizer.state[w]["upper"], v_n if step < inner - 1 else w.detach())
        lower = sum_m / inner if region.min_fpr > 0 else center
        center = center - gamma / mu * (lower - sum_n / inner)
        torch.testing.assert_close(w.detach(), center)


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), BAND])
def test_lowers_the_risk(region):
    loss, w = AGDSBCDLoss(region).double(), start()
    optimizer = AGDSBCD([w], loss, lr=0.5, inner_steps=5)
    x, y, _ = data(0)
    before = loss.eval()(x @ w, y).item()
    loss.train()
    for _ in range(100):
        optimizer.step(closure_of(optimizer, loss, w, 0))
    assert loss.eval()(x @ w, y).item() < 0.7 * before


def test_one_way_needs_no_closure():
    results = []
    for with_closure in (True, False):
        loss, w = AGDSBCDLoss(max_fpr=0.3).double(), start()
        optimizer = AGDSBCD([w], loss, inner_steps=2, weight_decay=0.01)
        for seed in range(6):
            closure = closure_of(optimizer, loss, w, seed)
            if with_closure:
                optimizer.step(closure)
            else:
                closure()
                optimizer.step()
        results.append(w.detach())
    assert torch.equal(*results)


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), BAND])
def test_decay_pulls_to_zero(region):
    """As part of both functions of the difference it would cancel."""
    ends = []
    for decay in (0.0, 0.1, 1.0):
        loss, w = AGDSBCDLoss(region).double(), start()
        optimizer = AGDSBCD([w], loss, inner_steps=5, weight_decay=decay)
        for step in range(100):
            optimizer.step(closure_of(optimizer, loss, w, step % 4))
        ends.append(w.detach().norm().item())
    assert ends[0] > ends[1] > ends[2]
    assert ends[0] > 1.5 * ends[2]


def test_the_loss_of_a_band_is_the_difference():
    loss, w = AGDSBCDLoss(BAND).double(), start()
    twin = copy.deepcopy(loss)
    x, y, index = data(0)
    optimizer = AGDSBCD([w], loss)
    expected = twin(x @ start(), y, index)
    torch.testing.assert_close(optimizer.step(closure_of(optimizer, loss, w, 0)), expected)
    assert twin.lower_thresholds.values.any()
    for name in ("upper_thresholds", "lower_thresholds"):
        torch.testing.assert_close(getattr(loss, name).values, getattr(twin, name).values)


def test_batch_statistics_count_a_batch_of_a_band_once():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(), torch.nn.Linear(4, 1)
    )
    loss = AGDSBCDLoss(BAND)
    optimizer = AGDSBCD(model.parameters(), loss)
    x, y, index = data(0)

    def closure():
        optimizer.zero_grad()
        value = loss(model(x.float()).squeeze(1), y, index)
        value.backward()
        return value

    for _ in range(3):
        optimizer.step(closure)
    assert model[1].num_batches_tracked == 3


def test_resumes_bit_for_bit():
    def run(steps, state=None):
        loss, w = AGDSBCDLoss(BAND).double(), start()
        optimizer = AGDSBCD([w], loss, inner_steps=4)
        if state is not None:
            w.data.copy_(state[0])
            optimizer.load_state_dict(state[1])
            loss.load_state_dict(state[2])
        for seed in steps:
            optimizer.step(closure_of(optimizer, loss, w, seed))
        return w.detach(), optimizer.state_dict(), loss.state_dict()

    assert torch.equal(run(range(4, 10), run(range(4)))[0], run(range(10))[0])
    assert torch.equal(run(range(6, 10), run(range(6)))[0], run(range(10))[0])


def test_whole_numbers_of_numpy_are_whole_numbers():
    optimizer = AGDSBCD([torch.nn.Parameter(torch.zeros(1))], AGDSBCDLoss(max_fpr=0.5), inner_steps=np.int64(3))
    assert type(optimizer.state_dict()["param_groups"][0]["inner_steps"]) is int


def test_bad_arguments_raise():
    loss, w = AGDSBCDLoss(BAND), torch.nn.Parameter(torch.zeros(1))
    bad_steps = ({"inner_steps": steps} for steps in (2.5, 0, True))
    for options in ({"lr": 0}, {"mu": -1.0}, {"gamma": 0}, {"weight_decay": -1}, *bad_steps):
        with pytest.raises(InputError, match=next(iter(options))):
            AGDSBCD([w], loss, **options)
        optimizer = AGDSBCD([torch.nn.Parameter(torch.zeros(1))], loss)
        with pytest.raises(InputError, match=next(iter(options))):
            optimizer.add_param_group({"params": w, **options})
        assert len(optimizer.param_groups) == 1
    with pytest.raises(InputError, match="PAUCILoss"):
        AGDSBCD([w], PAUCILoss())
    with pytest.raises(InputError, match="closure"):
        AGDSBCD([w], loss).step()


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), BAND])
@pytest.mark.parametrize("fails_in", [1, 2])
def test_a_step_that_fails_can_be_repeated(region, fails_in):
    """As after running out of memory; parameters hold w meanwhile."""
    ends = []
    for failing in (None, 1, 4):
        loss, w = AGDSBCDLoss(region).double(), start()
        optimizer = AGDSBCD([w], loss, lr=0.5, inner_steps=3)
        for step in range(9):
            closure, calls = closure_of(optimizer, loss, w, step), []

            def broken(closure=closure, calls=calls):
                calls.append(None)
                if len(calls) == fails_in:
                    raise MemoryError
                return closure()

            if step == failing and fails_in <= len(optimizer._parts):
                before = w.detach().clone()
                with pytest.raises(MemoryError):
                    optimizer.step(broken)
                assert torch.equal(w, before)
            optimizer.step(closure)
        ends.append(w.detach())
    assert torch.equal(ends[1], ends[0])
    assert torch.equal(ends[2], ends[0])


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), BAND])
def test_a_closure_may_return_nothing(region):
    loss, w = AGDSBCDLoss(region).double(), start()
    optimizer = AGDSBCD([w], loss, inner_steps=2)
    for step in range(4):
        closure = closure_of(optimizer, loss, w, step)
        assert optimizer.step(lambda closure=closure: closure() and None) is None
    assert not torch.equal(w, start())


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), BAND])
def test_sparse_gradients_are_refused(region):
    loss, table = AGDSBCDLoss(region), torch.nn.Embedding(60, 1, sparse=True)
    optimizer = AGDSBCD(table.parameters(), loss)
    _, y, index = data(0)

    def closure():
        optimizer.zero_grad()
        value = loss(table(torch.arange(60)), y, index)
        value.backward()
        return value

    with pytest.raises(InputError, match=r"sparse=False"):
        optimizer.step(closure)


def test_a_schedule_may_end_at_zero():
    w = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
    x, y = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), torch.tensor([1, 0, 0])
    loss = AGDSBCDLoss(max_fpr=0.5)
    optimizer = AGDSBCD([w], loss, lr=0.5, inner_steps=100)

    def closure():
        optimizer.zero_grad()
        value = loss(x @ w, y)
        value.backward()
        return value

    optimizer.step(closure)
    moved = w.detach().clone()
    optimizer.param_groups[0]["lr"] = 0.0
    optimizer.step(closure)
    assert torch.equal(w, moved)


def test_a_copy_steps_like_the_original():
    loss, weights = AGDSBCDLoss(max_fpr=0.5), [torch.nn.Parameter(torch.ones(2))]
    solver = copy.deepcopy(AGDSBCD(weights, loss))
    x, y = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]), torch.tensor([1, 0, 0])
    (own,) = solver.param_groups[0]["params"]
    solver._loss(x @ own, y).backward()
    solver.step()
    assert not torch.equal(own, weights[0])


@pytest.mark.parametrize("region", [Region(max_fpr=0.3), BAND])
@pytest.mark.parametrize("used", [range(0, 8, 2), range(3, 8)])
def test_a_parameter_without_a_gradient_stays_where_it_is(region, used):
    loss, w, sometimes = AGDSBCDLoss(region).double(), start(), start()
    optimizer = AGDSBCD([w, sometimes], loss, lr=1e-9, inner_steps=4)
    for step in range(8):
        x, y, index = data(step)

        def closure(x=x, y=y, index=index, step=step):
            optimizer.zero_grad()
            value = loss(x @ w + (x @ sometimes if step in used else 0), y, index)
            value.backward()
            return value

        optimizer.step(closure)
    torch.testing.assert_close(w.detach(), start().detach())
    torch.testing.assert_close(sometimes.detach(), start().detach())


def test_an_autocast_around_the_step_changes_nothing():
    x, y, index = data(0)
    ends = []
    for around in (nullcontext(), torch.autocast("cpu", dtype=torch.bfloat16)):
        loss, model = AGDSBCDLoss(BAND), torch.nn.Linear(3, 1, bias=False)
        torch.nn.init.constant_(model.weight, 0.5)
        optimizer = AGDSBCD(model.parameters(), loss, lr=0.5, inner_steps=2)

        def closure(loss=loss, model=model, optimizer=optimizer):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = model(x.float())
            value = loss(scores, y, index)
            value.backward()
            return value

        for _ in range(6):
            with around:
                optimizer.step(closure)
        ends.append(model.weight.detach())
    torch.testing.assert_close(*ends)
