"""Solvers resume from a checkpoint of torch.distributed, which asks one that was never stepped for its state."""

import pytest
import torch
from torch.distributed import checkpoint
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from pauci.losses import AGDSBCDLoss, PAUCILoss
from pauci.optim import AGDSBCD, ASGDA, SinglePassASGDA
from pauci.region import Region


def one_pass(groups, loss):
    return SinglePassASGDA(groups)


def two_passes(groups, loss):
    return ASGDA(groups)


def envelopes(groups, loss):
    return AGDSBCD(groups, loss, inner_steps=4)


class Run:
    """A network, its loss and its solver, on the same data every time."""

    def __init__(self, loss, solver):
        generator = torch.Generator().manual_seed(0)
        self.y = torch.rand(60, generator=generator) < 0.4
        self.x = torch.randn(60, 3, generator=generator) + self.y[:, None]
        model = torch.nn.Linear(3, 1)
        torch.nn.init.constant_(model.weight, 0.1)
        torch.nn.init.zeros_(model.bias)
        self.whole = torch.nn.ModuleDict({"model": model, "loss": loss()})
        groups = getattr(self.whole["loss"], "param_groups", list)()
        self.optimizer = solver([{"params": list(model.parameters())}, *groups], self.whole["loss"])

    def step(self, times):
        def closure():
            self.optimizer.zero_grad()
            value = self.whole["loss"](self.whole["model"](self.x), self.y)
            value.backward()
            return value

        for _ in range(times):
            self.optimizer.step(closure)

    def state(self):
        return dict(zip(("whole", "optimizer"), get_state_dict(self.whole, self.optimizer), strict=True))


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")  # of a checkpoint of one process, by torch
@pytest.mark.parametrize(
    ("loss", "solver"),
    [
        (lambda: PAUCILoss(max_fpr=0.3), two_passes),
        (lambda: PAUCILoss(max_fpr=0.3), one_pass),
        (lambda: AGDSBCDLoss(max_fpr=0.3), envelopes),
        (lambda: AGDSBCDLoss(Region(min_fpr=0.1, max_fpr=0.5)), envelopes),
    ],
)
def test_a_new_solver_goes_on_where_another_was_saved(loss, solver, tmp_path):
    through = Run(loss, solver)
    through.step(6)
    checkpoint.save(through.state(), checkpoint_id=tmp_path)
    through.step(6)

    again = Run(loss, solver)
    before = [p.clone() for p in again.whole.parameters()]
    state = again.state()
    assert all(torch.equal(p, q) for p, q in zip(again.whole.parameters(), before, strict=True))
    checkpoint.load(state, checkpoint_id=tmp_path)
    set_state_dict(again.whole, again.optimizer, model_state_dict=state["whole"], optim_state_dict=state["optimizer"])
    again.step(6)
    for name, value in through.whole.state_dict().items():
        assert torch.equal(again.whole.state_dict()[name], value), name
