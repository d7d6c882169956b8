import copy
import dataclasses
import errno
import json
import math
import signal
import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import safetensors.torch
import torch

from pauci.errors import CheckpointError, DivergedError, FileFormatError, InputError, LabelError, RecipeError
from pauci.losses import CrossEntropyLoss
from pauci.replacing import replacing
from pauci.training import Component, LossSpec, Observer, Result, load_recipe, run, train, tune
from pauci.training.checkpoint import Checkpoints
from pauci.training.claim import alone_in, claim
from pauci.training.component import NAMES
from pauci.training.evaluation import score_part
from pauci.training.files import read_tensors, write_tensors
from pauci.training.inputs import load_inputs
from pauci.training.loop import Loop
from pauci.training.network import build_model
from pauci.training.observers import JsonLog, Start, TensorBoardLog
from pauci.training.part import Part, statistics
from pauci.training.phases import check_run
from pauci.training.source import load_source, read_rows
from pauci.training.specs import DataSpec, RollbackSpec, ScheduleSpec, SelectionSpec, WarmupSpec
from training.toy import assert_same_weights, toy_data, toy_recipe

OPTIMIZERS = {
    "sgd": Component("sgd", {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    "adamw": Component("adamw", {"lr": 0.01}),
    "asgda": Component("asgda", {"nu": 1.0, "lam": 0.3}),
    "asgda-single-pass": Component("asgda-single-pass", {"nu": 1.0, "lam": 0.3}),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("loss", [LossSpec(name="pauci"), LossSpec(name="ce"), LossSpec(name="pauci", ce_weight=0.5)])
def test_every_solver_trains_every_objective(optimizer, loss):
    recipe = toy_recipe(optimizer=OPTIMIZERS[optimizer], loss=loss, schedule=ScheduleSpec(), epochs=25, ema=0.0)
    result = train(recipe, toy_data(), device="cpu")
    assert result.val_metrics["auc"] > 0.7
    assert len(result.history) == 25
    assert result.val_metrics == result.history[result.best_epoch - 1]["val"]


def test_the_global_generators_are_left_alone():
    before = torch.get_rng_state()
    train(toy_recipe(epochs=1), toy_data(), device="cpu")
    assert torch.equal(torch.get_rng_state(), before)


@contextmanager
def double_by_default():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


def mixed_precision():
    return torch.autocast("cpu", torch.bfloat16)


@pytest.mark.parametrize("around", [double_by_default, torch.no_grad, torch.inference_mode, mixed_precision])
def test_a_run_is_the_same_whatever_mode_its_caller_is_in(around):
    expected = train(toy_recipe(epochs=2), toy_data(), device="cpu")
    with around():
        before = torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        found = train(toy_recipe(epochs=2), toy_data(), device="cpu")
        scores = found.scores(toy_data()[0])
        assert before == (torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    assert_same_weights(found.last, expected.last)
    assert np.array_equal(scores, expected.scores(toy_data()[0]))


def test_first_weights_do_not_depend_on_the_default_device():
    expected = build_model(toy_recipe(), 2)
    with torch.device("meta"):
        found = build_model(toy_recipe(), 2)
    assert_same_weights(found.state_dict(), expected.state_dict())


def test_new_instances_are_read_as_those_of_training_are():
    x, y = toy_data()
    result = train(toy_recipe(epochs=1), (torch.tensor(x, requires_grad=True), y), device="cpu")
    np.testing.assert_array_equal(result.scores(torch.tensor(x, requires_grad=True)), result.scores(x))
    with pytest.raises(InputError, match="masked entries"):
        result.scores(np.ma.masked_less(x, 0.0))


def test_a_result_is_read_to_the_cpu_whatever_the_default_device(tmp_path):
    result = train(toy_recipe(epochs=1), toy_data(), device="cpu")
    result.save(tmp_path / "m.safetensors")
    with torch.device("meta"):
        found = Result.load(tmp_path / "m.safetensors")
    assert_same_weights(found.model.state_dict(), result.model.state_dict())


def test_a_result_that_is_not_there_or_a_folder_is_not_called_damaged(tmp_path):
    for path, told in ((tmp_path / "m.safetensors", "does not exist"), (tmp_path, "is a folder; name the file in it")):
        with pytest.raises(CheckpointError, match=told):
            Result.load(path)


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.Table.from_pandas, pl.DataFrame])
def test_data_frames_of_all_parts_have_their_columns_in_one_order(kind):
    x, y = toy_data()
    frame = pd.DataFrame(x, columns=list("abcd"))
    first, other, turned_round = kind(frame), kind(frame + 1), kind(frame[list("dcba")])
    train(toy_recipe(epochs=1), {"train": (first, y), "val": (x, y), "test": (other, y)}, device="cpu")
    for name in ("val", "test"):
        turned = {"train": (first, y), "val": (first, y), name: (turned_round, y)}
        with pytest.raises(InputError, match=f"part '{name}' has the columns d, c, b, a, but part 'train' a, b, c, d"):
            train(toy_recipe(epochs=1), turned, device="cpu")


@pytest.mark.parametrize("name", ["torch.nn:BCEWithLogitsLoss", "torch.nn:MSELoss"])
def test_losses_of_torch_are_mixed_or_refused_before_anything_is_trained(tmp_path, name):
    with pytest.raises(RecipeError, match=rf"loss '{name}' is called with .* row numbers, .* say loss.ce_weight"):
        train(toy_recipe(loss=LossSpec(name=name)), toy_data(), device="cpu", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert train(toy_recipe(loss=LossSpec(name=name, ce_weight=0.5), epochs=1), toy_data(), device="cpu").history


def test_a_run_depends_on_its_seed_alone():
    first = train(toy_recipe(), toy_data(), device="cpu")
    torch.rand(5)
    second, third = (train(toy_recipe(seed=seed), toy_data(), device="cpu") for seed in (0, 1))
    assert_same_weights(first.last, second.last)
    assert not torch.equal(first.last["layers.0.weight"], third.last["layers.0.weight"])


def test_selection_keeps_the_best_epoch_on_validation_and_looks_at_test_once(monkeypatch):
    x, y = toy_data(900)
    data = {"train": (x[:300], y[:300]), "val": (x[300:600], y[300:600]), "test": (x[600:], y[600:])}
    result = train(toy_recipe(epochs=8), data, device="cpu")
    values = [record["val"]["target"] for record in result.history]
    assert result.best_epoch == 1 + int(np.argmax(values))
    # The stored metrics are those of the returned network, on raw inputs.
    from pauci import partial_auc_score

    for part, metrics in (("val", result.val_metrics), ("test", result.test_metrics)):
        again = partial_auc_score(data[part][1], result.scores(data[part][0]), max_fpr=0.3)
        assert metrics["target"] == metrics["opauc@0.3"] == pytest.approx(again, abs=1e-9)
    last = train(toy_recipe(epochs=8, selection=SelectionSpec(metric="last")), data, device="cpu")
    assert last.best_epoch == 8
    assert_same_weights(last.model.state_dict(), last.last)


def test_early_stopping():
    class Worse(Observer):
        epochs = 0

        def epoch(self, record):
            self.epochs += 1

    watch = Worse()
    recipe = toy_recipe(
        epochs=50, optimizer=Component("sgd", {"lr": 1e-9}), ema=0.0, selection=SelectionSpec(patience=3)
    )
    result = train(recipe, toy_data(), device="cpu", observers=[watch])
    assert result.best_epoch == 1
    assert len(result.history) == watch.epochs == 4


def test_an_observer_can_stop_the_run():
    class Enough(Observer):
        def epoch(self, record):
            return record["epoch"] == 2

    assert len(train(toy_recipe(), toy_data(), device="cpu", observers=[Enough()]).history) == 2


def test_accumulated_batches_make_the_mean_gradient():
    # With plain SGD and a loss that is a mean over instances, two batches of 30 make the step of one of 60.
    plain = {"optimizer": Component("sgd", {"lr": 0.1}), "loss": LossSpec(name="ce"), "ema": 0.0, "epochs": 1}
    model = Component("mlp", {"hidden": []})
    x, y = toy_data(60)
    data = {"train": (np.repeat(x[:1], 60, 0) + y[:, None], y), "val": (x, y)}
    big = train(toy_recipe(**plain, model=model, batch_size=60), data, device="cpu")
    small = train(toy_recipe(**plain, model=model, batch_size=30, accumulate=2), data, device="cpu")
    assert big.history[-1]["step"] == small.history[-1]["step"]
    for name in big.last:
        torch.testing.assert_close(big.last[name], small.last[name], atol=1e-6, rtol=1e-5)


def test_clipping_limits_the_step():
    recipe = toy_recipe(
        optimizer=Component("sgd", {"lr": 1.0}), schedule=ScheduleSpec(), clip=1e-3, ema=0.0, epochs=1, batch_size=240
    )
    free = train(recipe.replace(clip=0.0), toy_data(), device="cpu")
    steps = free.history[-1]["step"]
    clipped = train(recipe, toy_data(), device="cpu")
    start = train(recipe.replace(optimizer=Component("sgd", {"lr": 0.0})), toy_data(), device="cpu")
    moved = math.sqrt(sum(float((clipped.last[n] - start.last[n]).square().sum()) for n in start.last))
    assert 0 < moved <= steps * 1e-3 * 1.001


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_lower_precision_trains_nearly_the_same(precision):
    full, half = (train(toy_recipe(precision=p), toy_data(), device="cpu") for p in ("fp32", precision))
    assert half.last["layers.0.weight"].dtype is torch.float32
    assert half.val_metrics["auc"] == pytest.approx(full.val_metrics["auc"], abs=0.05)


def test_images_are_augmented_and_scored_raw():
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.3
    x = (rng.random((80, 8, 8, 3)) * 100 + 100 * y[:, None, None, None]).astype(np.uint8)
    recipe = toy_recipe(
        model=Component("resnet18", {"width": 4}), batch_size=20, epochs=3, data=DataSpec(pad=1, max_angle=5.0)
    )
    result = train(recipe, (x, y), device="cpu")
    assert result.val_metrics["auc"] > 0.9
    assert result.scores(x[:5]).shape == (5,)
    with pytest.raises(InputError, match="last axis must have 3 entries"):
        result.scores(np.zeros((2, 8, 8, 1), dtype=np.uint8))


def test_any_module_may_be_trained_and_is_not_changed():
    model = torch.nn.Sequential(torch.nn.Linear(4, 1), torch.nn.Flatten(0))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    result = train(toy_recipe(), toy_data(), model=model, device="cpu")
    assert_same_weights(model.state_dict(), before)
    assert result.val_metrics["auc"] > 0.6


def test_an_import_path_is_a_model_too():
    model = Component("torch.nn:Linear", {"out_features": 1})
    assert train(toy_recipe(model=model), toy_data(), device="cpu").val_metrics["auc"] > 0.6


def test_categories_are_not_standardised(tmp_path):
    x, y = toy_data()
    x[:, 2] = np.where(y, 3, np.arange(len(y)) % 3)
    model = Component("mlp", {"hidden": [8], "categories": {"2": 4}})
    result = train(toy_recipe(model=model), (x, y), device="cpu", out=tmp_path / "run")
    assert (result.mean[2], result.std[2]) == (0.0, 1.0)
    assert result.val_metrics["auc"] > 0.95
    again = Result.load(tmp_path / "run" / "model.safetensors")
    np.testing.assert_array_equal(again.scores(x), result.scores(x))


def test_kappa_may_be_annealed():
    loss = LossSpec(name="pauci", options={"kappa": {"start": 2.0, "end": 8.0, "steps": 2}})
    assert train(toy_recipe(loss=loss), toy_data(), device="cpu").val_metrics["auc"] > 0.5


def test_the_folder_tells_the_story(tmp_path):
    result = train(toy_recipe(), toy_data(), device="cpu", out=tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert lines == result.history
    summary = json.loads((tmp_path / "run" / "result.json").read_text())
    assert summary["val_metrics"] == result.val_metrics
    assert summary["recipe"] == toy_recipe().hash
    again = train(toy_recipe(), toy_data(), device="cpu", out=tmp_path / "run", resume=True)
    assert again.val_metrics == result.val_metrics
    assert_same_weights(again.model.state_dict(), result.model.state_dict())
    with pytest.raises(CheckpointError, match="holds a run already"):
        train(toy_recipe(), toy_data(), device="cpu", out=tmp_path / "run")
    with pytest.raises(CheckpointError, match="holds a run of another recipe"):
        train(toy_recipe(seed=1), toy_data(), device="cpu", out=tmp_path / "run", resume=True)


def test_a_folder_is_locked_while_a_run_is_trained_in_it_and_not_when_it_is_read(tmp_path):
    recipe, refused = toy_recipe(epochs=2), []

    def again():
        with pytest.raises(CheckpointError, match=f"another process is training in {tmp_path}; wait for it") as error:
            train(recipe, toy_data(), device="cpu", out=tmp_path, resume=True)
        refused.append(error)

    result = train(recipe, toy_data(), device="cpu", out=tmp_path, observers=[At(3, again)])
    assert refused
    with alone_in(tmp_path):
        read = train(recipe, toy_data(), device="cpu", out=tmp_path, resume=True)
    assert_same_weights(read.model.state_dict(), result.model.state_dict())


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    recipe = toy_recipe(epochs=2, warmup=WarmupSpec(epochs=1))
    with pytest.raises(KeyboardInterrupt):
        train(recipe, toy_data(), device="cpu", out=tmp_path, save_every=0, observers=[At(7, interrupt)])
    own = ("log.jsonl", "model.safetensors", "checkpoints/step-000000009.safetensors")
    names = (*own, "warmup/checkpoints/step-000000001.safetensors", "scores.csv")
    left = []
    for name in names:
        with replacing(tmp_path / name) as unfinished:
            unfinished.touch()
        (tmp_path / name).unlink()
        unfinished.write_bytes(b"half")
        left.append(unfinished)
    train(recipe, toy_data(), device="cpu", out=tmp_path, resume=True)
    # The last is of somebody else, who may be at it still.
    assert [path.exists() for path in left] == [False, False, False, False, True]


def test_where_there_are_no_locks_runs_are_trained_all_the_same(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def flock(file, kind):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    assert len(train(toy_recipe(epochs=1), toy_data(), device="cpu", out=tmp_path).history) == 1


def test_a_folder_that_another_process_has_begun_a_run_in_meanwhile_is_refused(tmp_path, monkeypatch):
    rehearse = run.rehearse

    def slowly(recipe, *args, **kwargs):
        rehearse(recipe, *args, **kwargs)
        claim(tmp_path, recipe)

    monkeypatch.setattr(run, "rehearse", slowly)
    with pytest.raises(CheckpointError, match="holds a run already"):
        train(toy_recipe(), toy_data(), device="cpu", out=tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"loss": LossSpec(name="pauci", options={"kappa": -3.0})},
        {"optimizer": Component("sgd", {"lr": -1.0})},
        {"model": Component("mlp", {"dropout": 3.0})},
    ],
    ids=["loss", "optimizer", "model"],
)
def test_what_cannot_start_leaves_no_folder(tmp_path, change):
    recipe = toy_recipe(warmup=WarmupSpec(epochs=1), epochs=1)
    with pytest.raises(InputError):
        train(recipe.replace(**change), toy_data(), device="cpu", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(LabelError):
        train(recipe, (toy_data()[0], [0] * 300), device="cpu", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("given", "told"), [("paper-strong", "str"), (toy_data(), "tuple")])
def test_what_is_no_recipe_is_refused(tmp_path, given, told):
    for use in (train, partial(tune, trials=1, out=tmp_path / "tune")):
        with pytest.raises(RecipeError, match=rf"recipe is a {told}, expected a Recipe: load_recipe"):
            use(given, toy_recipe())


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (torch.nn.Linear(7, 1), r"model: the network cannot take a batch of shape \(\d+, 4\): .*mat1 and mat2 .*"),
        (torch.nn.Linear(4, 3), r"model: the network makes \((\d+), 3\) of a batch of shape \(\1, 4\); .*one score"),
    ],
)
def test_a_network_that_does_not_fit_the_data_leaves_no_folder(tmp_path, model, told):
    with pytest.raises(InputError, match=told):
        train(toy_recipe(), toy_data(), model=model, device="cpu", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    train(toy_recipe(), toy_data(), model=torch.nn.Linear(4, 1), device="cpu", out=tmp_path / "run")


class Pair(torch.nn.Linear):
    """A network that returns more than scores."""

    def forward(self, x):
        return super().forward(x), x


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (torch.nn.Linear, "model is the class Linear, not a network; make one of it"),
        (lambda: torch.nn.Linear(4, 1), "model is an object of type function, not a network; pass an nn.Module"),
        (Pair(4, 1), "model: the network returns a tuple, where a tensor with one score per row is needed"),
        (torch.nn.Linear(4, 2), "one score per row; of two outputs that is the second minus the first"),
    ],
)
def test_what_gives_no_scores_is_refused_with_and_without_a_folder(tmp_path, model, told):
    for out in (None, tmp_path / "run"):
        with pytest.raises(InputError, match=told):
            train(toy_recipe(), toy_data(), model=model, device="cpu", out=out)
    assert not (tmp_path / "run").exists()


def test_a_maker_of_something_else_is_refused():
    with pytest.raises(InputError, match=r"model\.name='builtins:dict' makes an object of type dict, not a network"):
        train(toy_recipe(model=Component("builtins:dict")), toy_data(), device="cpu")


class Counting(torch.nn.Linear):
    """A network that counts its batches, in what it adds to its state."""

    def __init__(self, count):
        super().__init__(4, 1)
        self.count = count

    def forward(self, x):
        self.count = self.count + int(self.training)
        return super().forward(x)

    def get_extra_state(self):
        return self.count

    def set_extra_state(self, state):
        self.count = state


def test_what_a_network_adds_to_its_state_is_a_tensor(tmp_path):
    with pytest.raises(InputError, match=r"model: _extra_state in .* is of type int, .*; let its get_extra_state"):
        train(toy_recipe(), toy_data(), model=Counting(0), device="cpu", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    recipe = toy_recipe(ema=0.0, selection=SelectionSpec(metric="last"), epochs=2)
    model = Counting(torch.zeros((), dtype=torch.long))
    first = train(recipe, toy_data(), model=model, device="cpu", out=tmp_path / "run")
    again = train(recipe, toy_data(), model=model, device="cpu", out=tmp_path / "run", resume=True)
    assert first.model.count == again.model.count > 0


def test_an_optimiser_whose_state_no_checkpoint_can_hold_is_named(tmp_path):
    recipe = toy_recipe(optimizer=Component("torch.optim:LBFGS", {"lr": 0.1}), loss=LossSpec(name="ce"), epochs=1)
    with pytest.raises(InputError, match=r"optimizer: LBFGS keeps a list in its state \('\w+'\), but checkpoints"):
        train(recipe, toy_data(), device="cpu", out=tmp_path / "run")
    assert train(recipe, toy_data(), device="cpu").history


class Remembering(torch.optim.SGD):
    """An optimiser that keeps a number of its own."""

    def state_dict(self):
        return {**super().state_dict(), "seen": 1}


class Scaled(torch.optim.SGD):
    """An optimiser that keeps a tensor among its settings; as a rate it may be one."""

    def __init__(self, params, lr=0.1):
        super().__init__([{**group, "scale": torch.tensor(1.0)} for group in params], lr=torch.tensor(lr))


class Counted(CrossEntropyLoss):
    """A loss that keeps a number of its own."""

    def get_extra_state(self):
        return {"seen": 1}

    def set_extra_state(self, state):
        pass


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("Remembering", "optimizer: Remembering keeps 'seen' beside the state of the parameters"),
        ("Scaled", "optimizer: Scaled keeps 'scale' beside the state of the parameters"),
        ("Counted", "loss: _extra_state in its state is of type dict, .*; let its get_extra_state"),
    ],
)
def test_what_checkpoints_would_lose_is_refused_before_anything_is_written(tmp_path, monkeypatch, part, told):
    monkeypatch.setitem(sys.modules, "parts", SimpleNamespace(**{part: globals()[part]}))
    change = (
        {"loss": LossSpec(name=f"parts:{part}")} if part == "Counted" else {"optimizer": Component(f"parts:{part}")}
    )
    with pytest.raises(InputError, match=told):
        train(toy_recipe(epochs=1, **change), toy_data(), device="cpu", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert train(toy_recipe(epochs=1, **change), toy_data(), device="cpu").history


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (torch.nn.Linear(4, 1).requires_grad_(False), "model: no parameter of the network can be trained"),
        (torch.nn.LazyLinear(1), "model: the network does not know its sizes yet"),
    ],
)
def test_a_network_of_which_nothing_can_be_trained_is_refused(model, told):
    with pytest.raises(InputError, match=told):
        train(toy_recipe(), toy_data(), model=model, device="cpu")


def test_parts_that_are_something_else_are_refused():
    with pytest.raises(InputError, match=r"optimizer\.name='builtins:list' makes an object of type list, not a torch"):
        train(toy_recipe(optimizer=Component("builtins:list")), toy_data(), device="cpu")
    with pytest.raises(InputError, match=r"observers holds the class Observer; make one of it: Observer\(\)"):
        train(toy_recipe(), toy_data(), device="cpu", observers=[Observer])


class Centred(torch.nn.Linear):
    """A network that centres its input, and puts a new tensor in the place of the mean with every batch."""

    def __init__(self, *, in_place):
        super().__init__(4, 1)
        self.in_place = in_place
        self.register_buffer("mean", torch.full((4,), 5.0))

    def forward(self, x):
        if self.training:
            new = (self.mean + x.mean(0)) / 2
            self.mean = self.mean.copy_(new) if self.in_place else new
        return super().forward((x - self.mean) ** 3)


def test_averages_follow_buffers_that_are_replaced():
    start = Centred(in_place=True).state_dict()
    found = []
    for in_place in (True, False):
        model = Centred(in_place=in_place)
        model.load_state_dict(start)
        found.append(train(toy_recipe(ema=0.9, epochs=2), toy_data(), model=model, device="cpu").model.state_dict())
    assert_same_weights(*found)


class At(Observer):
    """Do something after a step."""

    def __init__(self, step, action):
        self.at, self.action = step, action

    def step(self, done):
        if done == self.at:
            self.action()


def interrupt():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("step", [1, 3, 5, 11])
def test_ctrl_c_saves_and_resuming_is_exact(tmp_path, optimizer, step):
    recipe = toy_recipe(optimizer=OPTIMIZERS[optimizer], accumulate=2)
    whole = train(recipe, toy_data(), device="cpu")
    with pytest.raises(KeyboardInterrupt):
        train(recipe, toy_data(), device="cpu", out=tmp_path / "run", observers=[At(step, interrupt)])
    result = train(recipe, toy_data(), device="cpu", out=tmp_path / "run", resume=True)
    assert_same_weights(result.last, whole.last)
    assert_same_weights(result.model.state_dict(), whole.model.state_dict())
    assert [record["val"] for record in result.history] == [record["val"] for record in whole.history]
    assert [record["loss"] for record in result.history] == [record["loss"] for record in whole.history]


@pytest.mark.parametrize("loss", [name for name in NAMES["loss"] if name not in ("pauci", "ce")])
def test_every_method_trains_and_resumes_exactly(tmp_path, loss):
    solver = Component("agd-sbcd", {"inner_steps": 3}) if loss == "agd-sbcd" else OPTIMIZERS["sgd"]
    recipe = toy_recipe(loss=LossSpec(name=loss), optimizer=solver, schedule=ScheduleSpec(), epochs=2)
    whole = train(recipe, toy_data(), device="cpu")
    with pytest.raises(KeyboardInterrupt):
        train(recipe, toy_data(), device="cpu", out=tmp_path / "run", observers=[At(7, interrupt)])
    result = train(recipe, toy_data(), device="cpu", out=tmp_path / "run", resume=True)
    assert_same_weights(result.last, whole.last)
    assert [record["loss"] for record in result.history] == [record["loss"] for record in whole.history]


def test_a_full_disk_is_said_and_what_was_saved_stays(tmp_path, monkeypatch):
    recipe, out = toy_recipe(), tmp_path / "run"
    real, opened = Path.open, []

    def full(self, mode="r", *args, **kwargs):
        if "w" in mode and "step-" in self.name:
            opened.append(self)
            if len(opened) == 3:
                raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(CheckpointError, match=r"cannot write .*: No space left on device\. Free space"):
        train(recipe, toy_data(), device="cpu", out=out, save_every=0)
    monkeypatch.undo()
    assert len(list((out / "checkpoints").iterdir())) == 2
    result = train(recipe, toy_data(), device="cpu", out=out, resume=True)
    assert_same_weights(result.last, train(recipe, toy_data(), device="cpu").last)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    for out in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(CheckpointError, match=rf"cannot write to {out}: .*; choose another folder"):
            train(toy_recipe(), toy_data(), device="cpu", out=out)


def test_logs_that_cannot_be_written_are_named(tmp_path):
    record = {"epoch": 1, "step": 5, "loss": 1.0, "rate": 1.0, "seconds": 0.0, "val": {}}
    if Path("/dev/full").exists():
        with pytest.raises(CheckpointError, match=r"cannot write /dev/full: No space left on device\. Free space"):
            JsonLog(Path("/dev/full")).epoch(record)
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match=r"cannot write .*file.tensorboard: .*\. Free space or choose"):
        TensorBoardLog(tmp_path / "file" / "tensorboard")


@pytest.mark.parametrize("keep", [0, -1])
def test_a_run_that_would_keep_no_checkpoint_is_refused_and_leaves_no_folder(tmp_path, keep):
    with pytest.raises(InputError, match=f"keep={keep} would leave no checkpoint to resume from"):
        train(toy_recipe(), toy_data(), device="cpu", out=tmp_path / "run", keep=keep)
    assert not (tmp_path / "run").exists()


def test_damaged_and_foreign_checkpoints(tmp_path):
    recipe, out = toy_recipe(), tmp_path / "run"
    whole = train(recipe, toy_data(), device="cpu")
    with pytest.raises(KeyboardInterrupt):
        train(recipe, toy_data(), device="cpu", out=out, save_every=0, observers=[At(7, interrupt)])
    first, second = sorted((out / "checkpoints").iterdir())
    second.write_bytes(second.read_bytes()[:-100])
    with pytest.warns(UserWarning, match=r"step-000000007.safetensors is truncated .* Continuing from step-000000006"):
        result = train(recipe, toy_data(), device="cpu", out=out, resume=True)
    assert_same_weights(result.last, whole.last)
    foreign = Checkpoints(out / "checkpoints", owner="someone-else")
    with pytest.raises(
        CheckpointError, match=r"belongs to a run with another recipe or other data .* No usable checkpoint is left"
    ):
        foreign.load()
    first.write_bytes(b"something else entirely")
    second.write_bytes(b"")
    with pytest.raises(CheckpointError, match="is truncated or not a checkpoint"):
        Checkpoints(out / "checkpoints", owner="x").load()


@pytest.mark.parametrize("place", [-1, -4 * 5, 60])
def test_a_flipped_bit_is_noticed(tmp_path, place):
    path = tmp_path / "a.safetensors"
    tensors = {"weight": torch.arange(5.0), "step": torch.tensor(3), "none": torch.empty(0), "on": torch.tensor([True])}
    write_tensors(path, tensors, {"facts": '{"epoch": 1, "loss": 0.25}'})
    read, metadata = read_tensors(path)
    assert_same_weights(read, tensors)
    assert metadata == {"facts": '{"epoch": 1, "loss": 0.25}'}
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"a\.safetensors is (damaged: its checksum|truncated or)"):
        read_tensors(path)


def test_files_from_before_there_were_checksums_are_read(tmp_path):
    safetensors.torch.save_file({"weight": torch.ones(2)}, tmp_path / "a.safetensors", {"format": "old"})
    assert read_tensors(tmp_path / "a.safetensors")[1] == {"format": "old"}


@pytest.mark.parametrize("facts", ["{", "[]", "[" * 100_000, None, "{}"])
def test_facts_that_cannot_be_read_are_errors_of_the_file(tmp_path, facts):
    train(toy_recipe(epochs=1), toy_data(), out=tmp_path, save_every=0, device="cpu")
    for path in (tmp_path / "model.safetensors", *(tmp_path / "checkpoints").iterdir()):
        tensors, metadata = read_tensors(path)
        metadata.pop("facts")
        write_tensors(path, tensors, metadata if facts is None else {**metadata, "facts": facts})
    for left in ("result", "checkpoint"):
        with pytest.raises(CheckpointError, match=r"is damaged|does not hold the state of this run"):
            train(toy_recipe(epochs=1), toy_data(), out=tmp_path, resume=True, device="cpu")
        if left == "result":
            (tmp_path / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("progress.step", "5"),
        ("progress.step", -1),
        ("progress.step", None),
        ("progress.history", {}),
        ("progress.history", [1]),
        ("progress.history.0.val", {"target": "high"}),
        ("progress.history.0.val", {}),
        ("progress.history.0.epoch", 7),
        ("progress.history.0.loss", None),
        ("progress.best_epoch", 3),
        ("progress.best_epoch", "1"),
        ("progress.rate_scale", "1"),
        ("progress.rollbacks", 0.5),
        ("progress.seconds", float("nan")),
        ("progress.seconds", 10**400),
        ("progress.tempo", 1),
        ("progress", None),
        ("optimizer.groups.0.lr", "fast"),
        ("optimizer.groups.0.momentum", None),
    ],
)
def test_facts_of_the_wrong_kind_are_errors_of_the_checkpoint(tmp_path, path, value):
    recipe = toy_recipe(epochs=2)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, toy_data(), device="cpu", out=tmp_path, observers=[At(7, interrupt)])
    (checkpoint,) = (tmp_path / "checkpoints").iterdir()
    tensors, metadata = read_tensors(checkpoint)
    facts = json.loads(metadata["facts"])
    *parents, name = (int(part) if part.isdecimal() else part for part in path.split("."))
    place = facts
    for parent in parents:
        place = place[parent]
    place[name] = value
    write_tensors(checkpoint, tensors, {**metadata, "facts": json.dumps(facts)})
    with pytest.raises(CheckpointError, match="does not hold the state of this run"):
        train(recipe, toy_data(), device="cpu", out=tmp_path, resume=True)


def test_weights_that_would_not_fit_in_the_end_are_errors_of_the_checkpoint(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(toy_recipe(), toy_data(), device="cpu", out=tmp_path, observers=[At(7, interrupt)])
    (checkpoint,) = (tmp_path / "checkpoints").iterdir()
    tensors, metadata = read_tensors(checkpoint)
    best = [name for name in tensors if name.startswith("best.")]
    for changed in ({**tensors, best[0]: torch.zeros(77)}, {k: v for k, v in tensors.items() if k not in best}):
        write_tensors(checkpoint, changed, metadata)
        with pytest.raises(CheckpointError, match="does not hold the state of this run"):
            train(toy_recipe(), toy_data(), device="cpu", out=tmp_path, resume=True)


def test_tensors_of_another_run_are_not_taken_over(tmp_path):
    train(toy_recipe(epochs=1), toy_data(), out=tmp_path, save_every=0, device="cpu")
    (tmp_path / "model.safetensors").unlink()
    for path in (tmp_path / "checkpoints").iterdir():
        tensors, metadata = read_tensors(path)
        write_tensors(path, {**tensors, "optimizer.99.momentum_buffer": torch.zeros(1)}, metadata)
    with pytest.raises(CheckpointError, match="does not hold the state of this run"):
        train(toy_recipe(epochs=1), toy_data(), out=tmp_path, resume=True, device="cpu")


def test_trouble_of_the_device_is_not_blamed_on_the_checkpoint(tmp_path, monkeypatch):
    train(toy_recipe(epochs=1), toy_data(), out=tmp_path, save_every=0, device="cpu")
    (tmp_path / "model.safetensors").unlink()

    def fail(*_):
        raise torch.OutOfMemoryError("no memory left")

    monkeypatch.setattr(torch.nn.Module, "load_state_dict", fail)
    with pytest.raises(torch.OutOfMemoryError, match="no memory left"):
        train(toy_recipe(epochs=1), toy_data(), out=tmp_path, resume=True, device="cpu")


def test_resuming_with_other_data_is_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(toy_recipe(), toy_data(), device="cpu", out=tmp_path / "run", observers=[At(7, interrupt)])
    with pytest.raises(CheckpointError, match="belongs to a run with another recipe or other data"):
        train(toy_recipe(), toy_data(seed=1), device="cpu", out=tmp_path / "run", resume=True)


def test_resuming_with_another_validation_part_is_refused_and_another_test_part_is_not(tmp_path):
    data = {name: toy_data(seed=seed) for seed, name in enumerate(("train", "val", "test"))}
    with pytest.raises(KeyboardInterrupt):
        train(toy_recipe(), data, device="cpu", out=tmp_path / "run", observers=[At(7, interrupt)])
    with pytest.raises(CheckpointError, match="belongs to a run with another recipe or other data"):
        train(toy_recipe(), data | {"val": toy_data(seed=9)}, device="cpu", out=tmp_path / "run", resume=True)
    train(toy_recipe(), data | {"test": toy_data(seed=9)}, device="cpu", out=tmp_path / "run", resume=True)


@pytest.mark.parametrize("part", ["train", "val", "test"])
def test_a_finished_run_is_not_taken_for_one_on_other_data(tmp_path, part):
    data = {name: toy_data(seed=seed) for seed, name in enumerate(("train", "val", "test"))}
    first = train(toy_recipe(epochs=1), data, device="cpu", out=tmp_path)
    assert train(toy_recipe(epochs=1), data, device="cpu", out=tmp_path, resume=True).digests == first.digests
    with pytest.raises(CheckpointError, match=rf"finished run with other data or another network \(other {part}\)"):
        train(toy_recipe(epochs=1), data | {part: toy_data(seed=9)}, device="cpu", out=tmp_path, resume=True)
    # Earlier versions did not write down which data they had seen.
    dataclasses.replace(first, digests={}).save(tmp_path / "model.safetensors")
    train(toy_recipe(epochs=1), data | {part: toy_data(seed=9)}, device="cpu", out=tmp_path, resume=True)


@pytest.mark.parametrize("loss", ["ce", "pauci"])
def test_divergence_names_place_and_cause(loss):
    recipe = toy_recipe(
        loss=LossSpec(name=loss), optimizer=Component("sgd", {"lr": 1e30}), schedule=ScheduleSpec(), ema=0.0
    )
    message = r"not finite at step \d+ \(epoch 1, batch \d+\)\. Likely cause: a learning rate \(1e\+30 at this step\)"
    with pytest.raises(DivergedError, match=message):
        train(recipe, toy_data(), device="cpu")


FRAGILE = toy_recipe(
    loss=LossSpec(name="training.toy:FragileLoss"),
    optimizer=Component("sgd", {"lr": 10.0}),
    schedule=ScheduleSpec(warmup=0.9),
)


def test_divergence_leaves_only_good_checkpoints(tmp_path):
    with pytest.raises(DivergedError, match="not finite") as failed:
        train(FRAGILE, toy_data(), device="cpu", out=tmp_path / "run", save_every=0)
    kept = sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert failed.value.step > 2
    # The weights after one step fewer still gave a finite loss.
    assert kept == [f"step-{failed.value.step - 1:09d}.safetensors"]


def test_a_device_that_is_not_looked_at_every_step_names_the_same_step(tmp_path, monkeypatch):
    """As on a GPU, where losses are read once per epoch and before a checkpoint."""
    with pytest.raises(DivergedError) as at_once:
        train(FRAGILE, toy_data(), device="cpu")
    monkeypatch.setattr(Loop, "_looks", property(lambda self: False, lambda self, value: None), raising=False)
    with pytest.raises(DivergedError) as after_the_epoch:
        train(FRAGILE, toy_data(), device="cpu")
    with pytest.raises(DivergedError) as before_a_checkpoint:
        train(FRAGILE, toy_data(), device="cpu", out=tmp_path / "run", save_every=0)
    assert str(at_once.value) == str(after_the_epoch.value) == str(before_a_checkpoint.value)
    steps = [int(path.stem[5:]) for path in (tmp_path / "run" / "checkpoints").iterdir()]
    assert steps
    assert max(steps) < at_once.value.step


def test_the_log_has_a_line_per_epoch_after_a_rollback(tmp_path):
    log = JsonLog(tmp_path / "log.jsonl")
    log.start(Start(toy_recipe(), total=8, done=2, history=[{"epoch": 1}]))
    for epoch in (2, 3, 2, 3, 4):
        log.epoch({"epoch": epoch})
    lines = (tmp_path / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [1, 2, 3, 4]


def test_rollback_lowers_the_rate_until_it_works(tmp_path):
    recipe = FRAGILE.replace(
        optimizer=Component("sgd", {"lr": 1e3}), schedule=ScheduleSpec(), rollback=RollbackSpec(times=3, factor=0.01)
    )
    result = train(recipe, toy_data(), device="cpu", out=tmp_path / "run")
    assert len(result.history) == recipe.epochs
    assert result.history[-1]["rate"] in (0.01, 0.01**2, 0.01**3)
    with pytest.raises(DivergedError, match="not finite"):
        train(recipe.replace(rollback=RollbackSpec(times=1, factor=0.9)), toy_data(), device="cpu", out=tmp_path / "no")
    with pytest.raises(RecipeError, match=r"rollback\.times needs checkpoints"):
        train(recipe, toy_data(), device="cpu")


def test_warm_up_is_shared(tmp_path, monkeypatch):
    class Steps(Observer):
        count = 0

        def step(self, done):
            self.count += 1

    recipe = toy_recipe(warmup=WarmupSpec(epochs=2), epochs=2)
    first, second, third = Steps(), Steps(), Steps()
    shared = tmp_path / "shared"
    alone = train(recipe, toy_data(), device="cpu", observers=[first])
    one = train(recipe, toy_data(), device="cpu", warmups=shared, observers=[second])
    two = train(recipe, toy_data(), device="cpu", warmups=shared, observers=[third])
    assert first.count == second.count == 2 * third.count
    assert_same_weights(alone.last, one.last)
    assert_same_weights(one.last, two.last)
    other = train(recipe.replace(seed=1), toy_data(), device="cpu", warmups=shared)
    assert not torch.equal(other.last["layers.0.weight"], two.last["layers.0.weight"])
    assert len(list(shared.iterdir())) == 2


def test_interrupted_warm_up_resumes_exactly(tmp_path):
    recipe = toy_recipe(warmup=WarmupSpec(epochs=2), epochs=2)
    whole = train(recipe, toy_data(), device="cpu")
    with pytest.raises(KeyboardInterrupt):
        train(recipe, toy_data(), device="cpu", out=tmp_path / "run", observers=[At(3, interrupt)])
    assert not (tmp_path / "run" / "checkpoints").exists()
    result = train(recipe, toy_data(), device="cpu", out=tmp_path / "run", resume=True)
    assert_same_weights(result.last, whole.last)


def test_bad_data():
    x, y = toy_data()
    with pytest.raises(LabelError, match="labels of part 'val' hold one class only"):
        train(toy_recipe(), {"train": (x, y), "val": (x[~y], y[~y])}, device="cpu")
    with pytest.raises(LabelError, match="has 300 instances, but labels of shape"):
        train(toy_recipe(), (x, y[:-1]), device="cpu")
    with pytest.raises(InputError, match="infinite values or text"):
        train(toy_recipe(), (np.where(x > 2, np.inf, x), y), device="cpu")
    with pytest.raises(InputError, match="expected uint8 images"):
        train(toy_recipe(), (np.zeros((300, 2, 2)), y), device="cpu")
    with pytest.raises(InputError, match="have no part 'train'"):
        train(toy_recipe(), {"val": (x, y)}, device="cpu")
    with pytest.raises(RecipeError, match=r"names neither data\.task nor data\.table"):
        train(toy_recipe(), device="cpu")
    with pytest.raises(RecipeError, match=r"exclude each other; to read the table, leave the task empty"):
        train(load_recipe("strong", overrides=["data.table=a.csv"]), device="cpu")


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: y + np.arange(len(y)) % 2,
        lambda y: np.where(np.arange(len(y)) % 3, y, -1),
        lambda y: np.where(np.arange(len(y)) % 2, y, np.nan),
        lambda y: np.where(y, "bad", "good"),
    ],
    ids=["three classes", "-1, 0 and 1", "missing", "text"],
)
def test_labels_that_are_not_binary_are_refused(labels):
    x, y = toy_data()
    with pytest.raises(LabelError, match=r"labels of part 'train' hold .*; expected bool, \{0, 1\} or \{-1, 1\}"):
        train(toy_recipe(), (x, labels(y.astype(int))), device="cpu")


def test_parts_of_other_names_are_refused():
    x, y = toy_data()
    with pytest.raises(InputError, match=r"a part 'valid', which is not known; the parts are train, val and test"):
        train(toy_recipe(), {"train": (x, y), "valid": (x, y)}, device="cpu")


def test_pairs_may_be_lists_and_of_any_precision():
    x, y = toy_data()
    x = torch.from_numpy(x).bfloat16()
    one, two = (
        load_inputs(data, DataSpec(), device=torch.device("cpu"))
        for data in ([x, np.where(y, 1, -1)], {"train": [x.float(), torch.from_numpy(y).bfloat16()]})
    )
    assert one.digest == two.digest


def test_images_of_another_shape_are_other_data():
    images, y = np.arange(240, dtype=np.uint8).reshape(10, 4, 2, 3), [0, 1] * 5
    wide, high = (
        load_inputs((x, y), DataSpec(), device=torch.device("cpu")) for x in (images, images.reshape(10, 2, 4, 3))
    )
    assert not set(wide.digests.values()) & set(high.digests.values())


@pytest.mark.parametrize("part", [(np.zeros((4, 4)), None), np.zeros((4, 4)), (np.zeros((4, 4)), [0, 1] * 2, [1] * 4)])
def test_parts_that_are_no_pairs_are_refused(part):
    with pytest.raises(InputError, match=r"part 'test' \(a \w+\) is not a pair \(x, y\)"):
        train(toy_recipe(), {"train": toy_data(), "test": part}, device="cpu")


def test_equal_rows_stay_on_one_side_of_the_split():
    x, y = toy_data()
    inputs = load_inputs((np.repeat(x, 3, axis=0), np.repeat(y, 3)), DataSpec(), device=torch.device("cpu"))
    parts = [part.pick(torch.arange(len(part))) for part in (inputs.train, inputs.val)]
    rows = [set(map(tuple, part.tolist())) for part in parts]
    assert not rows[0] & rows[1]
    assert [len(part) for part in rows] == [240, 60]


def test_a_row_with_more_copies_than_validation_has_room_for_stays_in_training():
    x, y = toy_data()
    copies = np.where(np.arange(len(y)) == np.argmin(y), 150, 1)
    data = np.repeat(x, copies, axis=0), np.repeat(y, copies)
    for seed in range(20):
        inputs = load_inputs(data, DataSpec(), device=torch.device("cpu"), seed=seed)
        assert len(inputs.val) in (59, 60)
    few = np.repeat(x[:4], [35, 15, 35, 15], axis=0), np.repeat([0, 1, 0, 1], [35, 15, 35, 15])
    # Where no row of a class fits, validation gets one all the same: it needs both classes.
    assert len(load_inputs(few, DataSpec(val_share=0.3), device=torch.device("cpu")).val) == 50


def test_a_table_with_categories(tmp_path):
    x, y = toy_data()
    names = np.array(["red", "green", "blue"])[np.where(y, 2, np.arange(len(y)) % 2)]
    lines = [f"{a:.6f},{name},{'bad' if label else 'good'}" for a, name, label in zip(x[:, 0], names, y, strict=True)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["amount,colour,state", *lines]))
    data = DataSpec(table=str(path), target="state", positive="bad")
    recipe = toy_recipe(data=data, model=Component("mlp", {"hidden": [8]}))
    result = train(recipe, device="cpu", out=tmp_path / "run")
    assert result.recipe.model.options["categories"] == {"1": 3}
    assert result.val_metrics["auc"] == 1.0
    again = train(recipe, device="cpu", out=tmp_path / "run", resume=True)
    assert_same_weights(again.model.state_dict(), result.model.state_dict())
    with pytest.raises(RecipeError, match=r"needs data\.target"):
        train(recipe.replace(data=DataSpec(table=str(path))), device="cpu")


def test_a_table_with_gaps_text_and_large_integers(tmp_path):
    x, y = toy_data()
    rng = np.random.default_rng(1)
    # Seconds that float32 cannot tell apart, with gaps; a name that is missing tells the class as often as a gap does.
    seconds = np.where(rng.random(len(y)) < 0.2, "", (1_700_000_000 + 20 * y + rng.integers(0, 20, len(y))).astype(str))
    names = np.where(rng.random(len(y)) < 0.3, "", np.where(rng.random(len(y)) < 0.5, "red", "blue"))
    lines = [",".join(map(str, row)) for row in zip(seconds, names, x[:, 0].round(6), y.astype(int), strict=True)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["since,colour,amount,bad", *lines]))
    data = DataSpec(table=str(path), target="bad")
    recipe = toy_recipe(data=data, model=Component("mlp", {"hidden": [8]}))
    result = train(recipe, device="cpu", out=tmp_path / "run")
    inputs = load_inputs(load_source(recipe)[1], data, device=torch.device("cpu"), seed=recipe.seed, categorical=(1,))
    rows = inputs.train.pick(torch.arange(len(inputs.train)))
    assert rows.isfinite().all()
    assert (rows[:, 1] == -1).any()
    # Filled with the mean of the training part, which is 0 once standardised.
    present = rows[rows[:, 0] != 0, 0]
    torch.testing.assert_close(present.mean(), torch.tensor(0.0), rtol=0, atol=1e-5)
    assert len(present.unique()) > 30
    # The same scores from a file without labels, by the saved result.
    new = tmp_path / "new.csv"
    cells = [line.split(",") for line in lines[:20]]
    new.write_text("\n".join(["amount,since,colour", *(f"{row[2]},{row[0]},{row[1]}" for row in cells)]))
    loaded = Result.load(tmp_path / "run" / "model.safetensors")
    assert np.isnan(read_rows(recipe, new)[:, :2]).any(axis=0).all()
    np.testing.assert_allclose(
        loaded.scores(read_rows(loaded.recipe, new)), result.scores(load_source(recipe)[1][0][:20]), rtol=1e-5
    )
    # The table goes on: a colour before the others moves their codes.
    expected = read_rows(recipe, new)
    assert loaded.columns == load_source(recipe)[2]
    path.write_text(f"{path.read_text()}\n,azure,1,0\n")
    np.testing.assert_array_equal(read_rows(loaded, new), expected)
    with pytest.raises(RecipeError, match=r"table\.csv has other categories than when it was trained on"):
        read_rows(loaded.recipe, new)
    older = dataclasses.replace(loaded, columns=())
    with pytest.raises(RecipeError, match="pass the result of the training"):
        read_rows(older, new)
    with pytest.raises(InputError, match="column 2 of x has no value"):
        load_inputs((np.c_[x[:, :2], np.full(len(x), np.nan)], y), data, device=torch.device("cpu"))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("12", r"positive class\? Say so with data\.positive=VALUE; all others"),
        ("01 ", r"line 4: target 'y' has no value; complete the labels, or remove such rows from the file\."),
    ],
)
def test_what_is_wrong_with_labels_is_said_with_keys_of_a_recipe(tmp_path, labels, message):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"1,{label}\n" for label in labels))
    with pytest.raises(LabelError, match=message):
        load_source(toy_recipe(data=DataSpec(table=str(path), target="y")))


def test_columns_of_a_table_are_left_out_and_taken_as_names(tmp_path):
    path, texts = tmp_path / "t.csv", 1001
    path.write_text("id,code,x,y\n" + "".join(f"c{i},{i % 3},{i},{i % 2}\n" for i in range(texts)))
    recipe = toy_recipe(data=DataSpec(table=str(path), target="y"))
    with pytest.raises(FileFormatError, match=r"column 'id' has more than 1,000.*with data\.drop=\['id'\]"):
        load_source(recipe)
    recipe = recipe.replace(data=DataSpec(table=str(path), target="y", drop=("id",), categorical=("code",)))
    filled, (x, _), _ = load_source(recipe)
    assert x.shape == (texts, 2)
    assert filled.model.options["categories"] == {"0": 3}
    np.testing.assert_array_equal(read_rows(recipe, path), x)


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, 2233])
def test_scoring_in_passes_of_equal_size_scores_every_row_once(count):
    x = torch.randn(count, 3)
    part = Part(lambda index, _=None: x[index], torch.zeros(count, dtype=torch.bool))
    model = torch.nn.Linear(3, 1)
    torch.testing.assert_close(score_part(model, part), model(x).squeeze(1).detach())


def test_tensorboard_where_it_is_installed(tmp_path):
    pytest.importorskip("tensorboard", reason="comes with the extra 'logs'")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    result = train(toy_recipe(epochs=2), toy_data(), device="cpu", out=tmp_path / "run")
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    curve = [(point.step, point.value) for point in events.Scalars("val/opauc@0.05")]
    assert curve == [
        (record["step"], pytest.approx(record["val"]["opauc@0.05"], abs=1e-6)) for record in result.history
    ]


def test_runs_share_inputs():
    recipe = toy_recipe()
    shared = load_inputs(toy_data(), recipe.data, device=torch.device("cpu"))
    one, two = (train(recipe.replace(seed=seed), shared, device="cpu") for seed in (0, 1))
    assert_same_weights(one.last, train(recipe, toy_data(), device="cpu").last)
    assert not torch.equal(one.last["layers.0.weight"], two.last["layers.0.weight"])
    with pytest.raises(InputError, match="made for another"):
        train(recipe.replace(data=DataSpec(flip=False)), shared, device="cpu")


def test_no_observer_shortens_a_warm_up_that_others_share(tmp_path):
    class Hasty(Observer):
        def __init__(self):
            self.phases, self.epochs, self.ended = [], [], 0

        def start(self, start):
            self.phases.append(start.is_warmup)

        def epoch(self, record):
            self.epochs.append((self.phases[-1], record["epoch"]))
            return True

        def end(self):
            self.ended += 1

    recipe, hasty = toy_recipe(warmup=WarmupSpec(epochs=3), epochs=2), Hasty()
    whole = train(recipe, toy_data(), device="cpu")
    train(recipe, toy_data(), device="cpu", warmups=tmp_path, observers=[hasty])
    assert hasty.epochs == [(True, 1), (True, 2), (True, 3), (False, 1)]
    assert (hasty.phases, hasty.ended) == ([True, False], 2)
    assert_same_weights(train(recipe, toy_data(), device="cpu", warmups=tmp_path).last, whole.last)


def test_folders_that_cannot_be_made_are_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match=r"cannot write .*file: .* choose another folder"):
        train(toy_recipe(warmup=WarmupSpec(epochs=1)), toy_data(), warmups=tmp_path / "file", device="cpu")
    with pytest.raises(CheckpointError, match=r"cannot write .*file: .* choose another folder"):
        tune(toy_recipe(), toy_data(), trials=1, out=tmp_path / "file", device="cpu", optuna=False)


def test_a_network_with_numbers_that_numpy_does_not_know_may_warm_up(tmp_path):
    network = torch.nn.Linear(4, 1)
    network.register_buffer("scale", torch.ones(1, dtype=torch.bfloat16))
    recipe = toy_recipe(warmup=WarmupSpec(epochs=1), epochs=1)
    for _ in range(2):
        train(recipe, toy_data(), model=network, warmups=tmp_path, device="cpu")
    assert len(list(tmp_path.iterdir())) == 1


def test_networks_that_differ_in_what_is_frozen_do_not_share_a_warm_up(tmp_path):
    recipe, network = toy_recipe(warmup=WarmupSpec(epochs=2), epochs=1), own_network(torch.nn.ReLU())
    frozen = copy.deepcopy(network)
    frozen[0].requires_grad_(False)
    for model in (network, frozen):
        found = train(recipe, toy_data(), model=model, warmups=tmp_path, device="cpu").model[0].weight
    assert torch.equal(found, network[0].weight)


def test_networks_that_begin_elsewhere_do_not_share_a_warm_up(tmp_path):
    recipe = toy_recipe(warmup=WarmupSpec(epochs=1), epochs=1)
    for first in (0.1, 0.2):
        network = torch.nn.Linear(4, 1)
        torch.nn.init.constant_(network.weight, first)
        torch.nn.init.zeros_(network.bias)
        train(recipe, toy_data(), model=network, warmups=tmp_path, device="cpu")
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_judged_under_agd_sbcd_is_its_iterate():
    """Not where its inner steps happen to be at the end of an epoch."""
    recipe = toy_recipe(
        model=Component("mlp", {"hidden": [8]}),
        loss=LossSpec(name="agd-sbcd", region="target"),
        optimizer=Component("agd-sbcd", {"lr": 0.3, "inner_steps": 1000}),
        ema=0.0,
    )
    scores = {record["val"]["target"] for record in train(recipe, toy_data(), device="cpu").history}
    assert len(scores) == 1


def test_warm_ups_of_a_loss_end_before_training_does():
    recipe = toy_recipe(loss=LossSpec(name="auc-poly", options={"warmup": 4}, ce_weight=0.5), epochs=4)
    with pytest.raises(RecipeError, match=r"loss\.warmup=4 leaves no epoch of epochs=4"):
        train(recipe, toy_data(), device="cpu")
    assert train(recipe.replace(epochs=5), toy_data(), device="cpu").best_epoch


def test_patience_needs_a_metric():
    with pytest.raises(RecipeError, match=r"selection\.patience=3 waits for improvement"):
        toy_recipe(selection=SelectionSpec(metric="last", patience=3))


def test_equal_images_stay_on_one_side():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.integers(0, 256, (60, 4, 4, 3), dtype=np.uint8), 4, axis=0)
    parts = load_inputs((x, np.repeat(np.arange(60) % 3 == 0, 4)), DataSpec(), device=torch.device("cpu"))
    train_rows, val_rows = (
        {image.tobytes() for image in part.pick(torch.arange(len(part))).numpy()} for part in (parts.train, parts.val)
    )
    assert val_rows
    assert not train_rows & val_rows


@pytest.mark.parametrize(
    ("name", "region", "refused"),
    [("agd-sbcd", "0.05<=fpr<=0.1", True), ("agd-sbcd", "fpr<=0.1", False), ("sopa", "fpr<=0.1", False)],
)
def test_losses_that_change_on_the_host_are_no_part_of_a_graph(name, region, refused):
    here = SimpleNamespace(device=torch.device("cuda"), ranks=SimpleNamespace(size=1))
    recipe = toy_recipe(loss=LossSpec(name=name, region=region, ce_weight=0.5))
    with pytest.raises(InputError, match=r"loss\.name='agd-sbcd' changes on the host") if refused else nullcontext():
        check_run(recipe, here, folder=None, graphs=True, keep=2)


def test_graphs_need_a_gpu():
    with pytest.raises(InputError, match="graphs=True needs a GPU"):
        train(toy_recipe(), toy_data(), device="cpu", graphs=True)


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("gpu", "device='gpu' is not known to torch; give 'cpu'"),
        ("cuda:99", "device='cuda:99' is not there: torch sees"),
    ],
)
def test_devices_that_are_not_there_are_refused(device, message):
    with pytest.raises(InputError, match=message):
        train(toy_recipe(), toy_data(), device=device)


def test_divergence_in_the_last_step_of_an_epoch_is_noticed():
    x, y = toy_data(60)
    recipe = toy_recipe(
        optimizer=Component("sgd", {"lr": 1e38}),
        schedule=ScheduleSpec(),
        loss=LossSpec(name="ce"),
        ema=0.0,
        positive_ratio=0.0,
    )
    with pytest.raises(DivergedError, match=r"not finite at step 1 \(epoch 1, batch 1\)"):
        train(recipe, {"train": (x, y), "val": (x, y)}, device="cpu")


def own_network(activation):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), activation, torch.nn.Linear(8, 1))


def test_a_damaged_result_is_made_anew_from_the_last_checkpoint(tmp_path):
    whole = train(toy_recipe(epochs=1), toy_data(), device="cpu", out=tmp_path)
    written = tmp_path / "model.safetensors"
    written.write_bytes(written.read_bytes()[:-10])
    with pytest.raises(CheckpointError, match=r"model\.safetensors is truncated .* Remove it and resume"):
        train(toy_recipe(epochs=1), toy_data(), device="cpu", out=tmp_path, resume=True)
    written.unlink()
    again = train(toy_recipe(epochs=1), toy_data(), device="cpu", out=tmp_path, resume=True)
    assert_same_weights(again.model.state_dict(), whole.model.state_dict())


def test_columns_of_any_size_are_standardised_and_equal_numbers_left_alone():
    x = np.random.default_rng(0).normal(size=(300, 4))
    mean, std = statistics(x * [1.0, 1e200, 1e-200, 0.0] + [0.0, 0.0, 0.0, 0.1], ())
    assert (mean[0], std[0]) == (np.nanmean(x, axis=0)[0], np.nanstd(x, axis=0)[0])
    np.testing.assert_allclose(std, [x[:, 0].std(), 1e200 * x[:, 1].std(), 1e-200 * x[:, 2].std(), 1.0])


@pytest.mark.parametrize("name", ["mean", "std"])
@pytest.mark.parametrize("value", ["x", ["x"], [None, 1.0], [[1.0]], 2.0])
def test_a_result_that_says_no_numbers_to_standardise_by_is_refused(tmp_path, name, value):
    train(toy_recipe(epochs=1), toy_data(), device="cpu", out=tmp_path)
    tensors, metadata = read_tensors(tmp_path / "model.safetensors")
    facts = {**json.loads(metadata["facts"]), name: value}
    write_tensors(tmp_path / "model.safetensors", tensors, {**metadata, "facts": json.dumps(facts)})
    with pytest.raises(CheckpointError, match="is damaged, or not the result of a run"):
        Result.load(tmp_path / "model.safetensors")


def test_a_finished_run_whose_network_does_not_fit_into_memory(tmp_path):
    class Large(torch.nn.Linear):
        def load_state_dict(self, *_, **__):
            raise torch.OutOfMemoryError("too large")

    network = torch.nn.Linear(4, 1)
    train(toy_recipe(epochs=1), toy_data(), model=network, device="cpu", out=tmp_path)
    network.__class__ = Large
    with pytest.raises(torch.OutOfMemoryError, match="too large"):
        train(toy_recipe(epochs=1), toy_data(), model=network, device="cpu", out=tmp_path, resume=True)


def test_a_network_of_ones_own_is_part_of_a_run(tmp_path):
    recipe = toy_recipe(epochs=1, warmup=WarmupSpec(epochs=2))
    relu, tanh = own_network(torch.nn.ReLU()), own_network(torch.nn.Tanh())
    shared = tmp_path / "warmups"
    train(recipe, toy_data(), model=relu, device="cpu", warmups=shared, out=tmp_path / "run")
    found = train(recipe, toy_data(), model=tanh, device="cpu", warmups=shared)
    assert len(list(shared.iterdir())) == 2
    alone = train(recipe, toy_data(), model=tanh, device="cpu")
    assert_same_weights(found.model.state_dict(), alone.model.state_dict())
    frozen = copy.deepcopy(relu)
    frozen[0].requires_grad_(False)
    for other in (tanh, frozen):
        with pytest.raises(CheckpointError, match=r"another network \(other model\)"):
            train(recipe, toy_data(), model=other, device="cpu", out=tmp_path / "run", resume=True)
    for other in (torch.nn.Linear(4, 1), None):  # of which the weights have no place
        with pytest.raises(CheckpointError, match=r"result of another network than the .*; pass .* another folder"):
            train(recipe, toy_data(), model=other, device="cpu", out=tmp_path / "run", resume=True)
    finished = train(recipe, toy_data(), model=relu, device="cpu", out=tmp_path / "run", resume=True)
    # Earlier versions did not write down which network they had seen.
    told = {name: digest for name, digest in finished.digests.items() if name != "model"}
    dataclasses.replace(finished, digests=told).save(tmp_path / "run" / "model.safetensors")
    train(recipe, toy_data(), model=relu, device="cpu", out=tmp_path / "run", resume=True)


class Applied(torch.nn.Module):
    """A function of one's own, which shows where it is in memory."""

    def __init__(self):
        super().__init__()
        self.function = lambda x: x.relu()

    def forward(self, x):
        return self.function(x)

    def extra_repr(self):
        return repr(self.function)


def test_a_network_is_the_same_wherever_it_is_in_memory(tmp_path):
    first, again = own_network(Applied()), own_network(Applied())
    assert repr(first) != repr(again)
    done = train(toy_recipe(epochs=1), toy_data(), model=first, device="cpu", out=tmp_path)
    assert (
        train(toy_recipe(epochs=1), toy_data(), model=again, device="cpu", out=tmp_path, resume=True).digests
        == done.digests
    )


def test_a_result_without_its_recipe_is_nobodys(tmp_path):
    train(toy_recipe(epochs=1), toy_data(), device="cpu", out=tmp_path)
    (tmp_path / "recipe.toml").unlink()
    for resume in (False, True):
        with pytest.raises(CheckpointError, match=r"no recipe\.toml"):
            train(toy_recipe(epochs=1, seed=5), toy_data(), device="cpu", out=tmp_path, resume=resume)


def test_recipes_that_differ_in_spelling_resume_each_other(tmp_path):
    first, second = (toy_recipe(epochs=1, loss=LossSpec(options={"kappa": kappa})) for kappa in (4, 4.0))
    result = train(first, toy_data(), device="cpu", out=tmp_path)
    again = train(second.replace(name="other"), toy_data(), device="cpu", out=tmp_path, resume=True)
    assert_same_weights(again.model.state_dict(), result.model.state_dict())


def test_a_result_is_saved_by_any_path(tmp_path):
    result = train(toy_recipe(epochs=1), toy_data(), device="cpu")
    result.save(str(tmp_path / "m.safetensors"))
    assert Result.load(tmp_path / "m.safetensors").val_metrics == result.val_metrics
