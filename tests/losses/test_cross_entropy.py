"""CrossEntropyLoss against torch's own and against class means written out."""

import pytest
import torch
from torch.nn import functional

from pauci.errors import InputError, ScoreError
from pauci.losses import CrossEntropyLoss


def batch(labels: int | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    shape = (30,) if labels is None else (30, labels)
    score = torch.randn(shape, generator=generator, dtype=torch.float64)
    return score, torch.rand(shape, generator=generator) < 0.2, torch.rand(30, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("labels", [None, 3])
def test_natural_is_the_mean_over_instances(labels):
    score, y, weight = batch(labels)
    loss = CrossEntropyLoss(num_labels=labels, pos_weight=2.5)
    target, factor = y.double(), torch.tensor(2.5, dtype=torch.float64)
    torch.testing.assert_close(
        loss(score, y), functional.binary_cross_entropy_with_logits(score, target, pos_weight=factor)
    )
    each = functional.binary_cross_entropy_with_logits(score, target, pos_weight=factor, reduction="none")
    each = each if labels is None else each.mean(1)
    torch.testing.assert_close(loss(score, y, sample_weight=weight), (each * weight).sum() / weight.sum())


def test_balanced_is_the_mean_of_class_means():
    score, y, weight = batch()
    each = functional.binary_cross_entropy_with_logits(score, y.double(), reduction="none")
    loss = CrossEntropyLoss(balanced=True)
    torch.testing.assert_close(loss(score, y), (each[y].mean() + each[~y].mean()) / 2)
    expected = sum((each[k] * weight[k]).sum() / weight[k].sum() for k in (y, ~y)) / 2
    torch.testing.assert_close(loss(score, y, sample_weight=weight), expected)


@pytest.mark.parametrize("balanced", [False, True])
def test_one_class_and_half_precision_are_defined(balanced):
    loss = CrossEntropyLoss(balanced=balanced)
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        score = torch.tensor([1e4, -1e4], dtype=dtype, requires_grad=True)
        value = loss(score, torch.tensor([0, 0]))
        value.backward()
        assert value.dtype == torch.float32
        assert torch.isfinite(value)
        assert torch.isfinite(score.grad).all()


def test_bad_arguments_raise():
    with pytest.raises(InputError, match="pos_weight"):
        CrossEntropyLoss(pos_weight=0)
    with pytest.raises(ScoreError, match="NaN"):
        CrossEntropyLoss()(torch.tensor([float("nan")]), torch.tensor([1]))
