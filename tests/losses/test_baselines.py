"""What single baselines promise beyond what every loss does."""

import math
import subprocess
import sys

import pytest
import torch

from pauci.errors import InputError, RegionError, ScoreError
from pauci.losses import (
    AGDSBCDLoss,
    Anneal,
    AUCExpLoss,
    AUCMLoss,
    AUCPolyLoss,
    CrossEntropyLoss,
    FocalLoss,
    MiniBatchLoss,
    PairwiseSigmoidLoss,
    PAUCILoss,
    SOPALoss,
    SOPASLoss,
    STACOLoss,
)
from pauci.losses.memory import Memory
from pauci.metrics import partial_auc_score
from pauci.region import Region


def batch(n=40, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, generator=generator), torch.rand(n, generator=generator) < 0.4


def test_auc_m_is_pauci_without_selectors_whatever_kappa():
    score, positive = batch()
    auc_m = AUCMLoss()
    for kappa in (2.0, 50.0):
        pauci = PAUCILoss(max_fpr=1.0, min_tpr=0.0, kappa=kappa, omega=0.0)
        results = []
        for loss in (auc_m, pauci):
            leaf = score.clone().requires_grad_()
            loss.zero_grad()
            value = loss(leaf, positive)
            value.backward()
            results.append((value.detach(), leaf.grad, loss.descent.grad[:2], loss.ascent.grad))
        torch.testing.assert_close(*results)


def test_auc_m_at_its_saddle_is_the_pairwise_risk():
    score, positive = batch()
    f = score.sigmoid()
    expected = ((1 - (f[positive][:, None] - f[~positive])) ** 2).mean()
    torch.testing.assert_close(AUCMLoss(inner="solve", momentum=1.0)(score, positive), expected)


def test_focal_without_focus_is_cross_entropy():
    score, positive = batch()
    for options in ({}, {"balanced": True, "pos_weight": 3.0}):
        plain, focal = CrossEntropyLoss(**options), FocalLoss(focus=0.0, **options)
        torch.testing.assert_close(focal(score, positive), plain(score, positive))


@pytest.mark.parametrize("loss", [AUCPolyLoss(power=2.0, warmup=2), AUCExpLoss(warmup=2, two_way=True)])
def test_weights_are_one_while_warming_up(loss):
    score, positive = batch()
    f = score.sigmoid()
    plain = ((1 - (f[positive][:, None] - f[~positive])) ** 2).mean()
    for _ in range(2):
        torch.testing.assert_close(loss(score, positive), plain)
        loss.advance()
    assert loss(score, positive) < 0.95 * plain


def test_probabilities_are_what_logits_become():
    score, positive = batch()
    for cls in (AUCPolyLoss, AUCExpLoss, MiniBatchLoss, SOPALoss, STACOLoss, SOPASLoss):
        torch.testing.assert_close(
            cls(from_logits=False)(score.sigmoid(), positive), cls()(score, positive), rtol=1e-5, atol=1e-5
        )
    edge = torch.tensor([1.0, 0.0, 0.0, 1.0], requires_grad=True)
    AUCPolyLoss(power=0.03, two_way=True, from_logits=False)(edge, torch.tensor([1, 0, 1, 0])).backward()
    assert edge.grad.isfinite().all()


def test_a_cold_sigmoid_is_one_minus_the_partial_auc():
    score, positive = batch(60)
    for region in (Region(max_fpr=0.3), Region(max_fpr=0.5, min_tpr=0.5), Region(min_fpr=0.1, max_fpr=0.4)):
        risk = PairwiseSigmoidLoss(region, temperature=1e-5)(score, positive)
        # Interpolation along the curve and fractions of instances differ by less than one instance.
        assert abs(1 - risk - partial_auc_score(positive, score, region=region)) < 0.1
    whole = PairwiseSigmoidLoss(temperature=1e-5)(score, positive)
    torch.testing.assert_close(1 - whole, torch.tensor(partial_auc_score(positive, score)).float())


def test_the_temperature_follows_its_schedule_and_checkpoints():
    loss = PairwiseSigmoidLoss(max_fpr=0.3, temperature=Anneal(1.0, 0.25, 2, shape="geometric"))
    loss.advance()
    other = PairwiseSigmoidLoss(max_fpr=0.3, temperature=Anneal(1.0, 0.25, 2, shape="geometric"))
    other.load_state_dict(loss.state_dict())
    assert loss.temperature == other.temperature == 0.5
    other.advance()
    assert other.temperature == 0.25


def test_parts_of_the_difference_add_up():
    score, positive = batch()
    index = torch.arange(len(score))
    for rows in (None, index):
        values = []
        for part in ("upper", "lower", "difference"):
            loss = AGDSBCDLoss(Region(min_fpr=0.2, max_fpr=0.5))
            with loss.only(part):
                values.append(loss(score.requires_grad_(), positive, rows).detach())
        torch.testing.assert_close(values[0] - values[1], values[2])


def test_memory_is_loaded_whatever_its_size():
    memory, other = Memory(1.0, labels=2), Memory(1.0, labels=2)
    memory.write(torch.tensor([4]), torch.tensor([3.0]), 1)
    other.write(torch.tensor([9]), torch.tensor([5.0]))
    other.load_state_dict(memory.state_dict())
    assert torch.equal(other.values, torch.tensor([[1.0] * 5, [1.0] * 4 + [3.0]]))


def test_what_does_not_count_may_share_an_index_with_what_does():
    memory, values = Memory(-math.inf, 4), torch.tensor([1.0, 3.0, 7.0, 9.0, math.nan])
    memory.write(torch.tensor([2]), torch.tensor([5.0]))
    memory.write(torch.tensor([0, 0, 0, 2, 3]), values, only=torch.tensor([True, True, False, False, False]))
    assert memory.values.tolist() == [[2.0, -math.inf, 5.0, -math.inf]]
    memory.write(torch.tensor([1]), torch.tensor([4.0]), only=torch.tensor(True))
    assert memory.values.tolist() == [[2.0, 4.0, 5.0, -math.inf]]


def test_memory_of_more_labels_than_there_are_is_not_loaded():
    memory, other = Memory(1.0), Memory(1.0, labels=2)
    memory.write(torch.tensor([1]), torch.tensor([3.0]))
    other.load_state_dict(memory.state_dict())  # it did not meet the second label
    assert torch.equal(other.values, torch.tensor([[1.0, 3.0], [1.0, 1.0]]))
    memory.write(torch.tensor([1]), torch.tensor([3.0]), 2)
    with pytest.raises(RuntimeError, match="size mismatch"):
        other.load_state_dict(memory.state_dict())


@pytest.mark.parametrize(
    "build", [lambda: SOPASLoss(temperature=0.5), lambda: AGDSBCDLoss(max_fpr=0.3), lambda: PairwiseSigmoidLoss()]
)
def test_blocks_of_pairs_add_up(build, monkeypatch):
    score, positive = batch(70)
    results = []
    for size in (1 << 20, 100, 1):
        monkeypatch.setattr("pauci.losses.pair_rows._BLOCK", size)
        loss, leaf = build(), score.clone().requires_grad_()
        for _ in range(2):
            leaf.grad = None
            value = loss(leaf, positive, torch.arange(70))
            value.backward()
        results.append((value.detach(), leaf.grad))
    torch.testing.assert_close(results[1], results[0])
    torch.testing.assert_close(results[2], results[0])


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: SOPALoss(Region(max_fpr=0.3, min_tpr=0.5)), RegionError, "STACOLoss"),
        (lambda: SOPALoss(Region(min_fpr=0.1)), RegionError, "MiniBatchLoss"),
        (lambda: STACOLoss(Region(max_tpr=0.9)), RegionError, "MiniBatchLoss"),
        (lambda: AGDSBCDLoss(Region(min_tpr=0.1)), RegionError, "STACOLoss"),
        (lambda: MiniBatchLoss(Region(), max_fpr=0.2), RegionError, "one or the other"),
        (lambda: SOPALoss(threshold_lr=0), InputError, "threshold_lr"),
        (lambda: STACOLoss(dual_lr=-1), InputError, "dual_lr"),
        (lambda: AGDSBCDLoss(threshold_lr=0), InputError, "threshold_lr"),
        (lambda: SOPALoss(data_size=0), InputError, "data_size"),
        (lambda: SOPASLoss(temperature=0), InputError, "temperature"),
        (lambda: SOPASLoss(positive_temperature=-1), InputError, "positive_temperature"),
        (lambda: SOPASLoss(momentum=0), InputError, "momentum"),
        (lambda: AUCPolyLoss(power=0), InputError, "power"),
        (lambda: AUCExpLoss(rate=-2), InputError, "rate"),
        (lambda: AUCExpLoss(warmup=-1), InputError, "warmup"),
        (lambda: FocalLoss(focus=-1), InputError, "focus"),
        (lambda: PairwiseSigmoidLoss(temperature=0), InputError, "temperature"),
    ],
)
def test_bad_options_raise(build, error, words):
    with pytest.raises(error, match=words):
        build()


@pytest.mark.slow
def test_large_batches_need_little_memory():
    # Peak memory only ever grows, so a process of its own measures it.
    code = """
import resource, torch
from pauci.losses import *
torch.set_num_threads(1)
losses = [MiniBatchLoss(max_fpr=.3), SOPALoss(max_fpr=.3), STACOLoss(max_fpr=.5, min_tpr=.5), SOPASLoss(),
          SOPASLoss(positive_temperature=1.), AGDSBCDLoss(max_fpr=.3), PairwiseSigmoidLoss(), AUCPolyLoss(),
          AUCExpLoss()]
for n in (64, 8192):
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    score = torch.linspace(-1, 1, 2 * n, requires_grad=True)
    for loss in losses:
        loss(score, torch.arange(2 * n) % 2, torch.arange(2 * n)).backward()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 64


@pytest.mark.parametrize("kind", [AUCPolyLoss, AUCExpLoss])
def test_what_are_no_probabilities_is_refused(kind):
    with pytest.raises(ScoreError):
        kind(from_logits=False)(torch.tensor([1.5, 0.5]), torch.tensor([1, 0]))


@pytest.mark.parametrize("end", [0.0, -0.4])
def test_temperatures_stay_above_zero(end):
    """Below it the order would be trained the wrong way round, while the loss falls."""
    with pytest.raises(InputError, match=r"temperature=.* must be positive"):
        PairwiseSigmoidLoss(max_fpr=0.3, temperature=Anneal(0.5, end, 3))
    loss = PairwiseSigmoidLoss(max_fpr=0.3, temperature=lambda step: 0.5 - 0.5 * step)
    with pytest.raises(InputError, match=r"temperature=0\.0 must be positive"):
        loss.advance()
    assert loss.temperature == 0.5


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        (CrossEntropyLoss, "pos_weight"),
        (AUCPolyLoss, "power"),
        (AUCExpLoss, "rate"),
        (MiniBatchLoss, "margin"),
        (SOPALoss, "margin"),
        (SOPALoss, "threshold_lr"),
        (SOPASLoss, "margin"),
        (SOPASLoss, "temperature"),
        (SOPASLoss, "positive_temperature"),
        (STACOLoss, "margin"),
        (STACOLoss, "dual_lr"),
        (AGDSBCDLoss, "threshold_lr"),
    ],
)
def test_options_are_positive_numbers(kind, option):
    for value in (0.0, -1.0, float("nan"), float("inf"), "1"):
        with pytest.raises(InputError, match=f"{option}={value!r} must be positive and finite"):
            kind(**{option: value})
    score, label = batch()
    assert kind(**{option: torch.tensor(0.5)})(score, label).isfinite()


@pytest.mark.parametrize(
    ("kind", "option", "value"),
    [
        (FocalLoss, "focus", "2"),
        (SOPASLoss, "momentum", "1"),
        (SOPALoss, "data_size", 2.5),
        (SOPALoss, "data_size", 0),
        (AUCPolyLoss, "warmup", float("nan")),
        (AUCExpLoss, "warmup", "3"),
    ],
)
def test_other_options_are_named(kind, option, value):
    with pytest.raises(InputError, match=f"{option}={value!r}"):
        kind(**{option: value})
