import warnings

import pytest
import torch
from torch import nn

from pauci.optim.rehearsal import rehearsal

CPU = [torch.device("cpu")]


class Rebinding(nn.Module):
    """Replaces its buffer instead of writing into it, and updates one of a part that it never calls."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("nothing", None)
        self.part = nn.BatchNorm1d(1)

    def forward(self, x):
        self.count = self.count + 1
        self.part.running_mean += 1
        return x * self.count


def test_buffers_are_put_back_however_they_were_changed():
    module = Rebinding()
    buffer = module.count
    with rehearsal(CPU):
        module(torch.ones(1))
        module(torch.ones(1))
        assert module.count.item() == 2
    assert module.count is buffer
    assert module.count.item() == 0
    assert module.part.running_mean.item() == 0
    module(torch.ones(1))
    assert module.count.item() == 1


class Lazy(nn.Module):
    """Makes a buffer when it is first called, and writes into one that is expanded."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", None)
        self.register_buffer("scale", torch.ones(2, 1).expand(2, 3))

    def forward(self, x):
        self.mean = x.mean() if self.mean is None else self.mean + 1
        self.scale.fill_(2.0)
        return x


def test_buffers_that_are_made_on_the_way_or_expanded_are_put_back():
    module = Lazy()
    buffer = module.scale
    with rehearsal(CPU):
        module(torch.ones(2))
        module(torch.ones(2))
        assert module.mean.item() == 2
    assert module.mean is None
    assert module.scale is buffer
    assert torch.equal(module.scale, torch.ones(2, 3))


def test_gradients_stay():
    model = nn.Linear(2, 1)
    with rehearsal(CPU):
        model(torch.ones(1, 2)).sum().backward()
    assert model.weight.grad is not None


def test_several_modules_and_errors():
    first, second = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    state = torch.get_rng_state()

    def fail():
        second(first(torch.randn(4, 2)))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), rehearsal(CPU):
        fail()
    assert int(first.num_batches_tracked) == int(second.num_batches_tracked) == 0
    assert torch.equal(torch.get_rng_state(), state)
    first(torch.ones(4, 2))
    assert int(first.num_batches_tracked) == 1


def test_a_buffer_shared_by_two_modules_is_put_back():
    first, second = Rebinding(), nn.BatchNorm1d(1)
    second.running_mean = first.part.running_mean
    with rehearsal(CPU):
        first(torch.ones(1))
        second(torch.ones(2, 1))
    assert second.running_mean.item() == 0


def test_power_iteration_of_spectral_norm_is_put_back():
    layer = nn.utils.parametrizations.spectral_norm(nn.Linear(6, 6))
    before = {name: buffer.clone() for name, buffer in layer.named_buffers()}
    assert before
    with rehearsal(CPU):
        layer(torch.ones(2, 6))
        assert any(not torch.equal(buffer, before[name]) for name, buffer in layer.named_buffers())
    assert all(torch.equal(buffer, before[name]) for name, buffer in layer.named_buffers())


def test_buffers_of_compiled_models_are_put_back():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    wrapped = torch.compile(model, backend="eager")
    for _ in range(2):
        with warnings.catch_warnings(), rehearsal(CPU):
            # So warns torch, though not before 2.7.
            warnings.filterwarnings("ignore", ".*global hooks", UserWarning)
            wrapped(torch.ones(3, 2))
        assert int(model[1].num_batches_tracked) == 0
    wrapped(torch.ones(3, 2))
    assert int(model[1].num_batches_tracked) == 1


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_device_generators_are_replayed():
    device = torch.device("cuda", torch.cuda.current_device())
    with rehearsal([device]):
        first = torch.rand(5, device=device)
    assert torch.equal(torch.rand(5, device=device), first)
