import torch
from torch import nn

from pauci.optim import SinglePassASGDA


def test_works_without_a_closure_and_with_a_grad_scaler():
    x, y = nn.Parameter(torch.tensor([2.0])), nn.Parameter(torch.tensor([2.0]))
    plain, scaled = SinglePassASGDA([x]), SinglePassASGDA([y])
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(20):
        plain.zero_grad()
        (x**2).sum().backward()
        assert plain.step() is None
        scaled.zero_grad()
        scaler.scale((y**2).sum()).backward()
        scaler.step(scaled)
        scaler.update()
    assert x.item() < 1.5
    torch.testing.assert_close(x, y)


def test_what_a_grad_scaler_skips_does_not_reach_the_estimate():
    x = nn.Parameter(torch.tensor([2.0]))
    optimizer, scaler = SinglePassASGDA([x]), torch.amp.GradScaler("cpu", init_scale=1024.0)
    for factor in (1.0, float("inf"), float("nan"), 1.0):
        optimizer.zero_grad()
        scaler.scale((factor * x).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert x.isfinite().all()
    assert optimizer.state[x]["estimate"].isfinite().all()
    assert optimizer.param_groups[0]["step"] == 2
