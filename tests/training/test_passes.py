"""The logic around a captured graph, with a graph that computes on the CPU what a real one would replay."""

import contextlib
from functools import partial

import pytest
import torch

from pauci.errors import InputError
from pauci.training import Component, train
from pauci.training.network import build_state
from pauci.training.passes import CapturedPass, Pass
from pauci.training.ranks import Ranks
from pauci.training.step import Stepper
from training.toy import toy_data, toy_recipe

CPU = torch.device("cpu")


def replay(captured):
    """Computes into the gradients that were there at the capture."""
    for p in captured._params:
        p.grad = None
    loss = captured.passes(*captured._inputs)
    for p, static in zip(captured._params, captured._grads, strict=True):
        static.copy_(p.grad)
    return loss


class FakeStream:
    def wait_stream(self, other):
        pass


@pytest.fixture(autouse=True)
def _fake_cuda(monkeypatch):
    monkeypatch.setattr(torch.cuda, "CUDAGraph", object)
    monkeypatch.setattr(torch.cuda, "graph", lambda graph, stream: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "Stream", FakeStream)
    monkeypatch.setattr(torch.cuda, "current_stream", FakeStream)
    monkeypatch.setattr(torch.cuda, "default_stream", FakeStream)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: contextlib.nullcontext())


def make_state(recipe):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(4, 8),
            torch.nn.BatchNorm1d(8),
            torch.nn.ReLU(),
            torch.nn.Dropout(0.3),
            torch.nn.Linear(8, 1),
        )
    return build_state(recipe, model, device=CPU, steps_per_epoch=5, data_size=30, ranks=Ranks())


def batches(count):
    generator = torch.Generator().manual_seed(0)
    for _ in range(count):
        y = torch.arange(30) < 8
        yield torch.randn(30, 4, generator=generator) + y[:, None], y, torch.arange(30)


@pytest.mark.parametrize("optimizer", ["sgd", "adamw", "asgda", "asgda-single-pass"])
def test_replays_step_like_the_passes_themselves(optimizer):
    recipe = toy_recipe(optimizer=Component(optimizer), clip=1.0)
    results = []
    for graphs in (False, True):
        state = make_state(recipe)
        passes = Pass(state, "fp32", Ranks()).train()
        if graphs:
            passes = CapturedPass(passes, next(batches(1)))
            passes._replay = partial(replay, passes)
        step = Stepper(state, passes, recipe, Ranks())
        with torch.random.fork_rng():
            losses = []
            for number, batch in enumerate(batches(6)):
                torch.manual_seed(number)
                losses.append(float(step([batch], 1.0)))
        results.append((state.model.state_dict(), state.loss.state_dict(), losses))
    (weights, inner, losses), (weights_again, inner_again, losses_again) = results
    assert losses == losses_again
    for one, other in ((weights, weights_again), (inner, inner_again)):
        for name, value in one.items():
            assert torch.equal(value, other[name]), name
    assert int(weights["1.num_batches_tracked"]) == 6


def test_what_cannot_be_captured_is_said(monkeypatch):
    @contextlib.contextmanager
    def refuses(graph, stream):
        yield
        raise RuntimeError("operation not permitted when stream is capturing")

    monkeypatch.setattr(torch.cuda, "graph", refuses)
    with pytest.raises(InputError, match=r"cannot be captured .* leave it out"):
        CapturedPass(Pass(make_state(toy_recipe()), "fp32", Ranks()), next(batches(1)))


def test_compiled_code_that_trains_is_for_one_size_of_batches(monkeypatch):
    """Code for any size, which torch makes once it has seen two, has strides that some convolutions do not have."""
    sizes = []

    def spy(graph, example):
        if torch.is_grad_enabled():
            inputs = [value for value in example if isinstance(value, torch.Tensor) and not value.requires_grad]
            sizes.extend(value.shape[0] for value in inputs if value.shape[1:] == (4,))
        return graph.forward

    compile_with = torch.nn.Module.compile
    monkeypatch.setattr(torch.nn.Module, "compile", lambda module: compile_with(module, backend=spy))
    for batch_size in (20, 30, 50):
        train(toy_recipe(batch_size=batch_size, epochs=2), toy_data(), compiled=True)
    torch.compiler.reset()
    assert sizes == [20, 30, 50]
    assert {type(size) for size in sizes} == {int}
