import math

import torch

from pauci.training.network import build_state
from pauci.training.passes import Pass
from pauci.training.ranks import Ranks
from pauci.training.step import Stepper
from training.toy import toy_recipe


def test_scaled_losses_that_leave_no_gradients():
    """As where one of several processes has scores that are not finite: the run then goes back, and on."""
    recipe = toy_recipe(precision="fp16")
    model, device = torch.nn.Linear(4, 1), torch.device("cpu")
    state = build_state(recipe, model, device=device, steps_per_epoch=5, data_size=30, ranks=Ranks())
    batch = torch.randn(30, 4), torch.arange(30) < 8, torch.arange(30)
    lost = Stepper(state, lambda *_: torch.full((), math.nan), recipe, Ranks())
    usual = Stepper(state, Pass(state, "fp16", Ranks()).train(), recipe, Ranks())
    assert lost([batch], 1.0).isnan()
    assert usual([batch], 1.0).isfinite()


class Two(Ranks):
    """Two processes, of which the other has losses of 3 and no gradient."""

    def __init__(self):
        super().__init__(0, 2)

    def mean_(self, tensors):
        for tensor in tensors:
            tensor.copy_((tensor + 3 * (tensor.dim() == 0)) / 2)


def test_the_loss_of_a_step_is_that_of_all_processes():
    """Also on GPUs, where nobody looks at it before the epoch ends, and one of them writes checkpoints."""
    recipe, device = toy_recipe(), torch.device("cpu")
    state = build_state(recipe, torch.nn.Linear(4, 1), device=device, steps_per_epoch=5, data_size=30, ranks=Ranks())
    step = Stepper(state, lambda *_: torch.tensor(1.0), recipe, Two())
    assert step([(torch.empty(0),) * 3], 1.0) == 2
    assert step([(torch.empty(0),) * 3] * 2, 1.0) == 2
