"""What needs a GPU: skipped without one."""

import numpy as np
import pytest
import torch

from pauci.errors import InputError
from pauci.training import Component, LossSpec, Observer, load_inputs, train
from pauci.training.lanes import side_by_side
from pauci.training.objective import build_objective
from pauci.training.phases import run_steps
from pauci.training.sitting import sitting
from pauci.training.specs import DataSpec, ScheduleSpec
from training.toy import toy_data, toy_recipe

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

OPTIMIZERS = {
    "sgd": Component("sgd", {"lr": 0.05, "momentum": 0.9}),
    "adamw": Component("adamw", {"lr": 0.01}),
    "asgda": Component("asgda", {"nu": 1.0, "lam": 0.3}),
}


def images():
    rng = np.random.default_rng(0)
    y = rng.random(160) < 0.3
    x = (rng.random((160, 16, 16, 3)) * 100 + 60 * y[:, None, None, None]).astype(np.uint8)
    return x, y


def image_recipe(**changes):
    model = Component("resnet18", {"width": 8})
    return toy_recipe(**{"model": model, "batch_size": 40, "data": DataSpec(pad=2), "epochs": 3, **changes})


def compare_replayed_with_eager(**parts):
    recipe = toy_recipe(model=Component("mlp", {"hidden": [16]}), schedule=ScheduleSpec(), **parts)
    eager, graphs = (train(recipe, toy_data(), device="cuda", graphs=wanted) for wanted in (False, True))
    for name, value in eager.last.items():
        torch.testing.assert_close(graphs.last[name], value, atol=2e-4, rtol=1e-3)
    for replayed, passed in zip(graphs.history, eager.history, strict=True):
        assert replayed["loss"] == pytest.approx(passed["loss"], rel=1e-3)
        assert replayed["val"] == pytest.approx(passed["val"], abs=0.02)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("loss", [LossSpec(name="pauci", ce_weight=0.5), LossSpec(name="pauci"), LossSpec(name="ce")])
def test_replayed_passes_train_like_eager_ones(optimizer, loss):
    compare_replayed_with_eager(optimizer=OPTIMIZERS[optimizer], loss=loss)


def test_replayed_passes_serve_a_solver_that_moves_between_points():
    solver = Component("agd-sbcd", {"lr": 0.1, "inner_steps": 3})
    compare_replayed_with_eager(optimizer=solver, loss=LossSpec(name="agd-sbcd"))


CHANGING = {
    "auc-poly": {"power": 2.0, "warmup": 2},
    "auc-exp": {"rate": 15.0, "warmup": 2, "two_way": True},
    "pauci": {"kappa": {"start": 2.0, "end": 20.0, "steps": 4}},
}
PAIRS = {
    "mb": {},
    "sopa": {},
    "staco": {},
    "sopa-s": {"temperature": 0.5},
    "pairwise-sigmoid": {},
    "agd-sbcd": {},
}


@pytest.mark.parametrize("ce_weight", [0.0, 0.5])
@pytest.mark.parametrize("name", [*CHANGING, *PAIRS])
def test_replayed_losses_notice_what_changes(name, ce_weight):
    """Epochs of a schedule, sizes of classes, what is remembered of an instance."""
    loss = LossSpec(name=name, options=(CHANGING | PAIRS)[name], ce_weight=ce_weight)
    compare_replayed_with_eager(optimizer=OPTIMIZERS["sgd"], loss=loss, positive_ratio=0.0)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("present", [0.0, 0.3, 1.0])
def test_pair_losses_on_a_gpu_are_those_on_a_cpu(name, present):
    generator = torch.Generator().manual_seed(0)
    score, label = torch.randn(64, generator=generator), torch.rand(64, generator=generator) < present
    index, found = torch.arange(64), []
    for device in ("cpu", "cuda"):
        recipe = toy_recipe(loss=LossSpec(name=name, options=PAIRS[name]))
        loss, leaf = build_objective(recipe, data_size=64).to(device), score.clone().to(device).requires_grad_()
        value = loss(leaf, label.to(device), index.to(device))
        value.backward()
        state = {key: kept.cpu() for key, kept in loss.state_dict().items()}
        found.append((value.detach().cpu(), leaf.grad.cpu(), state))
    torch.testing.assert_close(found[1], found[0], rtol=1e-4, atol=1e-5)


def test_what_a_graph_cannot_hold_is_refused():
    with pytest.raises(InputError, match=r"changes on the host .* leave it out"):
        train(
            toy_recipe(loss=LossSpec(name="pauci", options={"inner": "solve"})), toy_data(), device="cuda", graphs=True
        )


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_batch_statistics_count_every_batch_once(optimizer):
    recipe = image_recipe(optimizer=OPTIMIZERS[optimizer], ema=0.0)
    for graphs in (False, True):
        result = train(recipe, images(), device="cuda", graphs=graphs)
        assert int(result.last["stem.1.num_batches_tracked"]) == result.history[-1]["step"]


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
@pytest.mark.parametrize("options", [{}, {"graphs": True}])
def test_images_in_every_precision(precision, options):
    result = train(image_recipe(precision=precision, epochs=6), images(), device="cuda", **options)
    assert result.val_metrics["auc"] > 0.9


@pytest.mark.parametrize("graphs", [False, True])
def test_compiled_networks_take_batches_of_several_sizes(graphs):
    """The last maps of this one are a pixel each, of which strides say little: code for any size made wrong ones."""
    recipe = image_recipe(model=Component("resnet18", {"stem": "imagenet"}), precision="bf16", epochs=1)
    for batch_size in (40, 80):
        result = train(recipe.replace(batch_size=batch_size), images(), device="cuda", compiled=True, graphs=graphs)
        assert np.isfinite(result.history[-1]["loss"])


@pytest.mark.parametrize("graphs", [False, True])
def test_runs_in_lanes_train_like_runs_alone(graphs):
    """Long sums of matrix products use scratch memory, of which every lane must have its own."""
    device = torch.device("cuda", torch.cuda.current_device())
    data = toy_data(rows=4000, columns=512)
    recipes = [
        toy_recipe(model=Component("mlp", {"hidden": [64, 64]}), batch_size=1024, seed=seed) for seed in range(6)
    ]
    inputs = load_inputs(data, recipes[0].data, device=device)
    with sitting(device) as here:
        runs = (run_steps(recipe, inputs, here, graphs=graphs) for recipe in recipes)
        together = {result.recipe.seed: result for result in side_by_side(runs, lanes=3, device=device)}
    for recipe in recipes:
        alone = train(recipe, inputs, device=device, graphs=graphs)
        for name, value in alone.last.items():
            torch.testing.assert_close(together[recipe.seed].last[name], value, atol=2e-4, rtol=1e-3)


def test_cpu_and_gpu_agree():
    model = Component("mlp", {"hidden": [16]})
    results = [train(toy_recipe(model=model), toy_data(), device=device) for device in ("cpu", "cuda")]
    for name, value in results[0].last.items():
        torch.testing.assert_close(results[1].last[name].cpu(), value, atol=1e-3, rtol=1e-2)


@pytest.mark.parametrize("graphs", [False, True])
def test_no_step_waits_for_the_device(graphs):
    class Strict(Observer):
        steps = 10**9

        def step(self, done):
            # From the second step on, to the last but one of the epoch.
            inside = 1 <= done % self.steps < self.steps - 1
            torch.cuda.set_sync_debug_mode("error" if inside else "default")

        def end(self):
            torch.cuda.set_sync_debug_mode("default")

    recipe = image_recipe(batch_size=20)
    Strict.steps = train(recipe, images(), device="cuda", graphs=graphs).history[0]["step"]
    assert Strict.steps > 3
    try:
        train(recipe, images(), device="cuda", graphs=graphs, observers=[Strict()])
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_gpu_runs_resume(tmp_path):
    import signal

    class Stop(Observer):
        def step(self, done):
            if done == 7:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(toy_recipe(), toy_data(), device="cuda", out=tmp_path / "run", observers=[Stop()], graphs=True)
    result = train(toy_recipe(), toy_data(), device="cuda", out=tmp_path / "run", resume=True, graphs=True)
    whole = train(toy_recipe(), toy_data(), device="cuda", graphs=True)
    for name, value in whole.last.items():
        torch.testing.assert_close(result.last[name], value, atol=1e-5, rtol=1e-4)
