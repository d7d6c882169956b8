"""MixedLoss: both losses' values, gradients, parameters and schedules."""

import copy

import pytest
import torch

from pauci.errors import InputError, LabelError
from pauci.losses import Anneal, AUCMLoss, AUCPolyLoss, CrossEntropyLoss, FocalLoss, MixedLoss, PAUCILoss


def test_value_and_gradients_are_the_weighted_sum():
    score, y = torch.tensor([1.0, -0.5, 0.25, 2.0]), torch.tensor([1, 0, 0, 1])
    weight = torch.tensor([1.0, 2.0, 0.5, 1.0])
    pauci, entropy = PAUCILoss(max_fpr=0.5), CrossEntropyLoss()
    mixed = MixedLoss(pauci, entropy, weight=0.8)
    leaf = score.clone().requires_grad_()
    total = mixed(leaf, y, torch.arange(4), sample_weight=weight)
    (got,) = torch.autograd.grad(total, leaf)
    parts = [loss(leaf, y, sample_weight=weight) for loss in (pauci, entropy)]
    (wanted,) = torch.autograd.grad(0.8 * parts[0] + 0.2 * parts[1], leaf)
    torch.testing.assert_close(total, 0.8 * parts[0] + 0.2 * parts[1])
    torch.testing.assert_close(got, wanted)


def test_a_weight_of_zero_or_one_leaves_one_loss_and_any_module_will_do():
    score, y = torch.tensor([1.0, -0.5]), torch.tensor([1.0, 0.0])
    other = torch.nn.BCEWithLogitsLoss()
    assert MixedLoss(PAUCILoss(), other, weight=0.0)(score, y) == other(score, y)
    assert MixedLoss(PAUCILoss(), other, weight=1.0)(score, y) == PAUCILoss()(score, y)


@pytest.mark.parametrize("labels", [torch.tensor([1, 0]), torch.tensor([True, False]), torch.tensor([1, -1])])
@pytest.mark.parametrize(
    ("other", "wanted"),
    [(torch.nn.BCEWithLogitsLoss(), [1.0, 0.0]), (torch.nn.SoftMarginLoss(), [1.0, -1.0])],
)
def test_losses_of_torch_get_float_labels_of_their_own_kind_and_the_scores_shape_and_no_index(labels, other, wanted):
    score = torch.tensor([[1.0], [-0.5]])
    got = MixedLoss(PAUCILoss(), other, weight=0.0)(score, labels, torch.arange(2))
    assert got == other(score.squeeze(1), torch.tensor(wanted))


def test_labels_that_belong_to_other_scores_are_refused():
    mixed = MixedLoss(torch.nn.BCEWithLogitsLoss(), torch.nn.SoftMarginLoss())
    with pytest.raises(LabelError, match=r"y_true has shape \(3, 2\) but y_score \(2, 3\)"):
        mixed(torch.zeros(2, 3), torch.tensor([[1, 0], [0, 1], [0, 0]]))


def test_weights_that_a_loss_would_ignore_raise():
    mixed = MixedLoss(PAUCILoss(), torch.nn.BCEWithLogitsLoss())
    with pytest.raises(InputError, match="BCEWithLogitsLoss does not take it"):
        mixed(torch.tensor([1.0, -0.5]), torch.tensor([1, 0]), sample_weight=torch.ones(2))


@pytest.mark.parametrize("logits", [CrossEntropyLoss(), FocalLoss(), torch.nn.BCEWithLogitsLoss(), AUCPolyLoss()])
@pytest.mark.parametrize("kind", [PAUCILoss, AUCMLoss, AUCPolyLoss])
def test_probabilities_and_logits_do_not_mix(kind, logits):
    for losses in ((kind(from_logits=False), logits), (logits, kind(from_logits=False))):
        with pytest.raises(InputError, match=f"{kind.__name__} has from_logits=False.*second time"):
            MixedLoss(*losses)
    MixedLoss(kind(), logits)
    MixedLoss(kind(from_logits=False), PAUCILoss(from_logits=False))


def test_binary_cross_entropy_of_probabilities_mixes_with_probabilities_only():
    with pytest.raises(InputError, match=r"BCELoss takes probabilities but PAUCILoss .*use BCEWithLogitsLoss"):
        MixedLoss(PAUCILoss(), torch.nn.BCELoss())
    score, y = torch.tensor([0.75, 0.5]), torch.tensor([1, 0])
    mixed = MixedLoss(PAUCILoss(from_logits=False), torch.nn.BCELoss(), weight=0.0)
    assert mixed(score, y) == torch.nn.BCELoss()(score, y.float())


def test_what_is_no_loss_is_refused():
    with pytest.raises(InputError, match=r"second=.*create it, CrossEntropyLoss\(\.\.\.\)"):
        MixedLoss(PAUCILoss(), CrossEntropyLoss)
    with pytest.raises(InputError, match=r"first=0\.5 must be a loss"):
        MixedLoss(0.5, CrossEntropyLoss())
    with pytest.raises(InputError, match="weight='half'"):
        MixedLoss(PAUCILoss(), CrossEntropyLoss(), weight="half")


def test_a_softmax_over_the_batch_is_refused():
    with pytest.raises(InputError, match=r"use pauci\.losses\.CrossEntropyLoss"):
        MixedLoss(PAUCILoss(), torch.nn.CrossEntropyLoss())


def test_groups_of_both_losses_are_forwarded():
    mixed = MixedLoss(PAUCILoss(max_fpr=0.3), torch.nn.PReLU())
    groups = mixed.param_groups()
    assert [group["role"] for group in groups] == ["min", "max", "min"]
    assert {id(p) for group in groups for p in group["params"]} == {id(p) for p in mixed.parameters()}


def test_schedules_of_all_parts_advance_together_and_are_restored():
    def build() -> MixedLoss:
        return MixedLoss(PAUCILoss(kappa=Anneal(2, 6, 2)), CrossEntropyLoss(), weight=Anneal(0, 1, 4))

    mixed = build()
    mixed.advance()
    assert (mixed.weight, mixed.first.kappa) == (0.25, 4.0)
    twin = build()
    twin.load_state_dict(mixed.state_dict())
    assert (twin.weight, twin.first.kappa) == (0.25, 4.0)
    score, y = torch.tensor([1.0, -0.5]), torch.tensor([1.0, 0.0])
    assert twin(score, y) == mixed(score, y)


@pytest.mark.parametrize(
    "loss",
    [
        PAUCILoss(max_fpr=0.3, kappa=lambda step: 1.0 - step),
        MixedLoss(PAUCILoss(), CrossEntropyLoss(), weight=lambda step: 0.5 + step),
        MixedLoss(PAUCILoss(kappa=lambda step: 1.0 - step), CrossEntropyLoss(), weight=lambda step: 0.5 + step / 10),
    ],
)
def test_a_step_that_a_schedule_may_not_take_is_not_taken(loss):
    before, said = copy.deepcopy(loss.state_dict()), repr(loss)
    for _ in range(2):
        with pytest.raises(InputError, match=r"kappa=0\.0 must be positive|weight=1\.5 must lie"):
            loss.advance()
    assert repr(loss) == said
    torch.testing.assert_close(loss.state_dict(), before, rtol=0, atol=0)
    loss.load_state_dict(before)


def test_the_weight_is_a_share():
    with pytest.raises(InputError, match="weight"):
        MixedLoss(PAUCILoss(), CrossEntropyLoss(), weight=1.5)
    with pytest.raises(InputError, match=r"weight=1\.5"):
        MixedLoss(PAUCILoss(), CrossEntropyLoss(), weight=Anneal(0.5, 1.5, 100))
