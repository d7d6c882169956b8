"""What the second pass is for, and what it must not do."""

from contextlib import nullcontext

import numpy as np
import pytest
import torch
from torch import nn

from optim.saddles import run_step
from pauci.errors import InputError
from pauci.optim import ASGDA


def test_loss_and_gradients_are_those_of_the_new_point():
    x = nn.Parameter(torch.tensor([3.0, -2.0]))
    optimizer = ASGDA([x])
    for _ in range(5):
        loss = run_step(optimizer, lambda: (x**2).sum())
    assert loss.item() == (x**2).sum().item()
    assert torch.equal(x.grad, 2 * x)


def test_a_closure_that_forgets_zero_grad_still_gets_one_gradient_per_pass():
    x = nn.Parameter(torch.tensor([3.0, -2.0]))
    optimizer = ASGDA([x])

    def closure():
        loss = (x**2).sum()
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    assert torch.equal(x.grad, 2 * x)


@pytest.mark.parametrize("set_to_none", [True, False])
def test_gradients_added_up_before_the_step_are_warned_about(set_to_none):
    """So does Lightning with accumulate_grad_batches=2, whose closure goes through the last batch alone."""
    x, unused = nn.Parameter(torch.tensor([3.0, -2.0])), nn.Parameter(torch.zeros(1))
    optimizer = ASGDA([x, unused])

    def closure():
        loss = (x**2).sum() / 2
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.zero_grad(set_to_none=set_to_none)
        closure()
        with pytest.warns(UserWarning, match=r"dropped.*accumulate_grad_batches"):
            optimizer.step(closure)
    assert torch.equal(x.grad, x)


@pytest.mark.parametrize("set_to_none", [True, False])
def test_gradients_that_are_no_part_of_the_step_are_no_reason_to_warn(set_to_none):
    x, other = nn.Parameter(torch.tensor([3.0, -2.0])), nn.Parameter(torch.zeros(1))
    (x.sum() + other.sum()).backward()  # another optimiser came before
    optimizer = ASGDA([x, other])

    def closure():
        loss = (x**2).sum()
        loss.backward()
        return loss

    def clean_closure():
        optimizer.zero_grad(set_to_none=set_to_none)
        return closure()

    for _ in range(2):
        optimizer.step(closure)
    optimizer.zero_grad(set_to_none=set_to_none)
    optimizer.step(closure)
    clean_closure()
    optimizer.step(clean_closure)
    optimizer.step(closure)


def test_closure_is_called_twice_on_the_old_and_the_new_point():
    x = nn.Parameter(torch.tensor(1.0))
    optimizer = ASGDA([x], k=1.0, m=1.0, c1=1.0)
    points = []
    for _ in range(3):
        run_step(optimizer, lambda: (points.append(x.item()), x**2)[1])
    assert points[1] == points[2]
    assert points[3] == points[4]
    assert points[0] == points[1]  # v_0 = 0: the first step stays
    assert points[2] != points[3]


def test_a_failing_rehearsal_changes_nothing():
    x, norm = nn.Parameter(torch.ones(2)), nn.BatchNorm1d(2)
    optimizer = ASGDA([x])
    for _ in range(3):
        run_step(optimizer, lambda: (x**2).sum())
    before = x.detach().clone(), optimizer.state[x]["estimate"].clone(), torch.get_rng_state()

    def closure():
        norm(torch.randn(4, 2))
        raise RuntimeError("no data")

    with pytest.raises(RuntimeError, match="no data"):
        optimizer.step(closure)
    assert torch.equal(x, before[0])
    assert torch.equal(optimizer.state[x]["estimate"], before[1])
    assert torch.equal(torch.get_rng_state(), before[2])
    assert optimizer.param_groups[0]["step"] == 3
    assert int(norm.num_batches_tracked) == 0


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_after_a_failing_second_pass_the_estimates_begin_again(error):
    x = nn.Parameter(torch.ones(2))
    optimizer = ASGDA([x])
    for _ in range(3):
        run_step(optimizer, lambda: (x**2).sum())
    before, passes = x.detach().clone(), []

    def closure():
        passes.append(x.detach().clone())
        if len(passes) == 2:
            raise error
        return (x**2).sum().backward()

    with pytest.raises(error):
        optimizer.step(closure)
    assert torch.equal(x, passes[1])
    assert torch.all(x < before)
    assert optimizer.param_groups[0]["step"] == 4
    assert not optimizer.state[x]["estimate"].any()
    stopped = x.detach().clone()
    for _ in range(2):
        run_step(optimizer, lambda: (x**2).sum())
    assert torch.all(x < stopped)  # what was left would have led uphill


def network(seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 1))


def test_both_passes_draw_the_same_dropout_masks():
    model, masks = network(), []
    model[2].register_forward_hook(lambda module, args, out: masks.append(out == 0))
    optimizer = ASGDA(model.parameters(), nu=0.1)
    data = torch.randn(16, 5, generator=torch.Generator().manual_seed(0))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        for _ in range(3):
            run_step(optimizer, lambda: model(data).square().mean())
    assert torch.equal(masks[0], masks[1])
    assert torch.equal(masks[4], masks[5])
    assert not torch.equal(masks[1], masks[3])
    assert not torch.equal(masks[3], masks[5])


def test_batch_norm_and_random_numbers_advance_as_in_one_pass():
    model, reference = network(), network()
    optimizer = ASGDA(model.parameters(), nu=0.0)  # both stay where they are, so that their statistics compare
    generator = torch.Generator().manual_seed(0)
    batches = [torch.randn(16, 5, generator=generator) for _ in range(4)]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        for batch in batches:
            run_step(optimizer, lambda batch=batch: model(batch).square().mean())
        drawn = torch.rand(3)
        torch.manual_seed(2)
        for batch in batches:
            reference(batch)
        assert torch.equal(drawn, torch.rand(3))
    assert int(model[1].num_batches_tracked) == 4
    for name, buffer in reference.named_buffers():
        assert torch.equal(model.get_buffer(name), buffer), name


def test_step_needs_a_closure():
    optimizer = ASGDA([nn.Parameter(torch.zeros(1))])
    with pytest.raises(InputError, match=r"closure.*SinglePassASGDA"):
        optimizer.step()


def test_grad_scaler_is_refused():
    x = nn.Parameter(torch.ones(1))
    optimizer = ASGDA([x])
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)

    def closure():
        optimizer.zero_grad()
        loss = (x**2).sum()
        scaler.scale(loss).backward()
        return loss

    closure()
    with pytest.raises(InputError, match="GradScaler"):
        scaler.step(optimizer, closure)
    with pytest.raises(InputError, match="GradScaler"):
        scaler.step(optimizer)
    assert x.item() == 1
    run_step(optimizer, lambda: (x**2).sum())  # the refusal leaves no trace


def test_a_disabled_grad_scaler_is_no_obstacle():
    x = nn.Parameter(torch.ones(1))
    optimizer = ASGDA([x])
    scaler = torch.amp.GradScaler("cpu", enabled=False)

    def closure():
        optimizer.zero_grad()
        loss = (x**2).sum()
        scaler.scale(loss).backward()
        return loss

    for _ in range(3):
        scaler.step(optimizer, closure)
    assert 0 < x.item() < 1


def test_bfloat16_autocast_trains():
    model = network()
    optimizer = ASGDA(model.parameters())
    data = torch.randn(64, 5, generator=torch.Generator().manual_seed(0))
    target = data[:, :1]

    def objective():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (model(data).float() - target).square().mean()

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        losses = [run_step(optimizer, objective).item() for _ in range(100)]
    assert np.mean(losses[-10:]) < 0.7 * np.mean(losses[:10])


def test_an_autocast_around_the_step_changes_nothing():
    x, ends = torch.randn(32, 4, generator=torch.Generator().manual_seed(0)), []
    for around in (nullcontext(), torch.autocast("cpu", dtype=torch.bfloat16)):
        model = nn.Linear(4, 1)
        nn.init.constant_(model.weight, 0.5)
        nn.init.zeros_(model.bias)
        optimizer = ASGDA(model.parameters())

        def objective(model=model):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = model(x)
            return (scores.float().squeeze(1) - x[:, 0]).square().mean()

        for _ in range(5):
            with around:
                run_step(optimizer, objective)
        ends.append(model.weight.detach())
    torch.testing.assert_close(*ends)


def gradient_mapping_path(steps, *, k, m, repeats=256, size=3, nu=0.5, lam=0.5):
    """Norms of the gradient mapping of F(x) = max_y f(x, y) along `repeats` runs with independent noise.

    f(x, y) = sum of x^2 / (1 + x^2) + y (sum of x) / 2 - y^2 / 2 is not convex in x; gradients are noisy.
    """
    generator = torch.Generator().manual_seed(0)
    x = nn.Parameter(2 * torch.rand(repeats, size, generator=generator))
    y = nn.Parameter(torch.zeros(repeats))
    box = (-1.0, 2.0)
    optimizer = ASGDA(
        [{"params": x, "domain": box}, {"params": y, "role": "max", "domain": (-2, 2)}],
        nu=nu, lam=lam, k=k, m=m, c1=2.0, c2=2.0,
    )  # fmt: skip
    norms = np.empty((steps, repeats))
    for t in range(steps):
        slope, scale, push = (torch.randn(repeats, size, generator=generator) for _ in range(3))

        def objective(slope=slope, scale=scale, push=push):
            value = x**2 / (1 + x**2) * (1 + scale / 2) + slope * x
            return (value.sum(1) + y * (x.sum(1) / 2 + push[:, 0]) - y**2 / 2).sum()

        run_step(optimizer, objective)
        with torch.no_grad():
            gradient = 2 * x / (1 + x**2) ** 2 + x.sum(1, keepdim=True) / 4
            norms[t] = ((x - (x - nu * gradient).clamp(*box)) / nu).norm(dim=1)
    return norms.mean(1)


@pytest.mark.slow
def test_gradient_mapping_falls_at_the_rate_of_the_theorem():
    """The mean over the first T steps times T^(1/3) must not grow with T."""
    norms = gradient_mapping_path(1600, k=1.0, m=1.0)
    scaled = [norms[:t].mean() * t ** (1 / 3) for t in (200, 400, 800, 1600)]
    assert all(later <= 1.03 * scaled[0] for later in scaled)
    # Control: where the shares eta_t hardly fall the noise stays, and so does the mean.
    norms = gradient_mapping_path(400, k=100.0, m=8e6)
    assert norms.mean() * 2 ** (1 / 3) > 1.1 * norms[:200].mean()
