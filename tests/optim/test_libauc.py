"""What torch's optimisers do for those of LibAUC, where it is installed."""

import pytest
import torch

optimizers = pytest.importorskip("libauc.optimizers", reason="LibAUC is not installed", exc_type=ImportError)

REST = {"loss_fn": None, "weight_decay": 0.01, "clip_value": 1.0, "epoch_decay": 0.0, "device": "cpu"}


def trained(make, *, clip=False):
    generator = torch.Generator().manual_seed(0)
    model = torch.nn.Linear(5, 1, dtype=torch.float64)
    for parameter in model.parameters():
        torch.nn.init.zeros_(parameter)
    optimizer = make(model.parameters())
    for _ in range(20):
        x = torch.randn(16, 5, generator=generator, dtype=torch.float64)
        optimizer.zero_grad()
        (20 * (model(x) - x[:, :1]).square()).mean().backward()
        if clip:
            torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
    assert float(model.weight.detach().abs().max()) > 0.1
    return model.weight.detach()


@pytest.mark.parametrize("momentum", [0.3, 0.9])
def test_momentum_of_pesg_is_the_share_of_the_newest_gradient(momentum):
    kept = 1 - momentum
    ours = trained(lambda p: torch.optim.SGD(p, lr=0.1, momentum=kept, dampening=kept, weight_decay=0.01), clip=True)
    theirs = trained(lambda p: optimizers.PESG(p, lr=0.1, momentum=momentum, **REST))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["SOPA", "SOPAs", "SOTAs", "STACO"])
def test_others_are_adam(name):
    ours = trained(lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.01), clip=True)
    theirs = trained(lambda p: getattr(optimizers, name)(p, lr=0.01, **REST))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-9)


def test_pesg_moves_alpha_by_a_and_b_whatever_the_batch():
    from libauc.losses import AUCMLoss

    model, loss = torch.nn.Linear(1, 1), AUCMLoss(version="v2", device="cpu")
    optimizer = optimizers.PESG(model.parameters(), **{**REST, "loss_fn": loss}, lr=0.1)
    loss.alpha.data.fill_(0.5)
    loss(model(torch.randn(4, 1)), torch.tensor([1, 0, 0, 0])).backward()
    optimizer.step()
    torch.testing.assert_close(loss.alpha.data, 0.5 + 0.1 * 2 * (1 + loss.b.data - loss.a.data - 0.5))
