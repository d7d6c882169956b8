"""Losses as a recorded graph replays them: nothing may depend on what the host knew when it was recorded."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.fx.experimental.proxy_tensor import make_fx

from losses.cases import CASES
from pauci.losses import (
    AGDSBCDLoss,
    Anneal,
    AUCExpLoss,
    AUCPolyLoss,
    CrossEntropyLoss,
    FocalLoss,
    MixedLoss,
    PairwiseSigmoidLoss,
    PAUCILoss,
)
from pauci.losses.pair_loss import PairLoss
from pauci.region import Region
from pauci.training.capture import is_capturable

PAIRWISE = [name for name, case in CASES.items() if isinstance(case.build(), PairLoss)]
RECORDED = [name for name in PAIRWISE if is_capturable(CASES[name].build(), 256)]


@pytest.fixture
def whole(monkeypatch):
    """Take batches whole on the CPU, too."""
    monkeypatch.setattr(PairLoss, "_takes_whole", lambda _, score: len(score) > 0)


def build(name):
    case = CASES[name]
    return case.build(**({"data_size": 80} if case.build().remembers else {})).double()


def batch(seed, *, n=24, share=0.4):
    generator = torch.Generator().manual_seed(seed)
    score = 2 * torch.randn(n, generator=generator, dtype=torch.float64)
    positive = torch.rand(n, generator=generator) < share
    # Instances may repeat, and have one label each.
    return score, positive, 2 * torch.randint(0, 40, (n,), generator=generator) + positive


def value_and_gradient(loss, score, *args, **kwargs):
    score = score.detach().clone().requires_grad_()
    value = loss(score, *args, **kwargs)
    return value.detach(), torch.autograd.grad(value, score)[0]


def same(got, wanted):
    torch.testing.assert_close(got, wanted, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", PAIRWISE)
@settings(max_examples=12, deadline=None)
@given(
    scores=st.lists(st.integers(-128, 128).map(lambda step: step / 32), min_size=1, max_size=12, unique=True),
    labels=st.integers(0, 2**12 - 1),
    weights=st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=12, max_size=12),
    indexed=st.booleans(),
)
def test_a_batch_taken_whole_is_the_batch_split(name, scores, labels, weights, indexed):
    score = torch.tensor(scores, dtype=torch.float64)
    positive = torch.tensor([bool(labels >> i & 1) for i in range(len(scores))])
    weight = torch.tensor(weights[: len(scores)], dtype=torch.float64)
    # Instances may repeat, and have the index of one of the other class: only positives are remembered.
    index = torch.arange(len(scores)) % 4 if indexed else None
    found = []
    for takes_whole in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PairLoss, "_takes_whole", lambda *_, answer=takes_whole: answer)
            loss = build(name)
            steps = [value_and_gradient(loss, score + k, positive, index, sample_weight=weight) for k in range(2)]
            found.append((steps, loss.state_dict()))
    same(found[1], found[0])


@pytest.mark.parametrize("name", PAIRWISE)
@pytest.mark.parametrize("scale", [1e3, 1e12, 1e18])
def test_extremes_of_the_other_class_stay_outside(name, scale, whole):
    """Scores that are harmless where they belong must not overflow in the place of the other class."""
    score = scale * torch.tensor([1.0, 0.5, -0.5, -1.0], dtype=torch.float32)
    value, gradient = value_and_gradient(CASES[name].build(), score, torch.tensor([1, 1, 0, 0]))
    assert value.isfinite()
    assert gradient.isfinite().all()


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("indexed", [True, False])
def test_a_recorded_pair_loss_serves_batches_with_other_classes(name, indexed, whole, monkeypatch):
    """Recorded once on the CPU, operation by operation; then class sizes change, down to none."""
    # As on a GPU, nothing is checked.
    monkeypatch.setattr("pauci.losses.pair_loss.read_index", lambda index, *_: index)
    loss, twin = build(name), build(name)
    loss.validate = False

    def passes(score, positive, index):
        return value_and_gradient(loss, score, positive, index if indexed else None)

    before = {key: value.clone() for key, value in loss.state_dict().items()}
    recorded = make_fx(passes)(*batch(0))
    loss.load_state_dict(before)
    for seed, share in enumerate((0.4, 0.1, 0.8, 0.0, 1.0, 0.5)):
        score, positive, index = batch(seed, share=share)
        same(recorded(score, positive, index), value_and_gradient(twin, score, positive, index if indexed else None))
        same(loss.state_dict(), twin.state_dict())


@pytest.mark.parametrize("kind", [AUCPolyLoss, AUCExpLoss])
def test_a_recorded_warm_up_ends(kind):
    loss = kind(warmup=2).double()
    score, positive, _ = batch(1)
    recorded = make_fx(lambda score, positive: value_and_gradient(loss, score, positive))(score, positive)
    values = []
    for _ in range(4):
        same(recorded(score, positive), value_and_gradient(loss, score, positive))
        values.append(loss(score, positive).item())
        loss.advance()
    assert values[0] == values[1] != values[2] == values[3]


def test_losses_say_whether_a_graph_can_hold_them():
    class Restless(torch.nn.Module):
        def advance(self):
            pass

    kappa = PAUCILoss(max_fpr=0.1, kappa=Anneal(2, 8, 3))
    held = [CrossEntropyLoss(), FocalLoss(), kappa, AUCExpLoss(warmup=3), AGDSBCDLoss(max_fpr=0.1)]
    assert all(is_capturable(loss, 256) for loss in held)
    assert is_capturable(MixedLoss(kappa, CrossEntropyLoss(), weight=Anneal(0, 1, 3)), 256)
    loose = [
        Restless(),
        AGDSBCDLoss(Region(min_fpr=0.1, max_fpr=0.3)),
        PAUCILoss(max_fpr=0.1, inner="solve"),
        PairwiseSigmoidLoss(max_fpr=0.1, temperature=Anneal(2, 1, 3)),
    ]
    assert not any(is_capturable(loss, 256) for loss in loose)
    assert not is_capturable(MixedLoss(loose[-1], CrossEntropyLoss()), 256)
    # Larger batches over pairs are split, for which the host has to wait.
    assert is_capturable(kappa, 8192)
    assert [is_capturable(PairwiseSigmoidLoss(max_fpr=0.1), size) for size in (4096, 4097)] == [True, False]
