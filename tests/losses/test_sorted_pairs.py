"""Sums by sorting are those over a matrix of pairs, wherever the scores lie."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci.losses import MiniBatchLoss, SOPALoss, STACOLoss
from pauci.losses.sorted_pairs import squared_hinge_sums


def by_pairs(positives, negatives, weight, *, margin, threshold=None):
    """The definition, in double precision; differences first, of which no digit is lost."""
    loss = (margin - (positives.double()[:, None] - negatives.double())).clamp(min=0) ** 2
    least = torch.zeros(len(positives)) if threshold is None else threshold
    above = (loss > least.double()[:, None]) * weight.double()
    return (above * loss).sum(1), above.sum(1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(
    offset=st.sampled_from([0.0, 1.0, -1e4, 1e6, 1e8, -1e12]),
    seed=st.integers(0, 99),
    sizes=st.tuples(st.integers(1, 30), st.integers(1, 30)),
    outlier=st.sampled_from([0.0, -1e7, 1e7]),
    with_threshold=st.booleans(),
)
def test_sums_are_those_over_pairs_wherever_scores_lie(dtype, offset, seed, sizes, outlier, with_threshold):
    generator = torch.Generator().manual_seed(seed)
    # Steps that floats near the offset can tell apart.
    grain = max(0.25, 2 * abs(offset) * torch.finfo(dtype).eps)
    scores = [offset + grain * torch.randint(-8, 9, (n,), generator=generator).to(dtype) for n in sizes]
    weight = torch.rand(sizes[1], generator=generator, dtype=dtype)
    # Far below every pair, or far above and without weight, as outside of a band.
    scores[1][0] += outlier
    if outlier > 0:
        weight[0] = 0.0
    threshold = grain**2 * torch.randint(-2, 20, (sizes[0],), generator=generator).to(dtype) / 2
    results = []
    for sums in (squared_hinge_sums, by_pairs):
        leaves = [score.to(dtype).clone().requires_grad_() for score in scores]
        losses, shares = sums(*leaves, weight, margin=4 * grain, threshold=threshold if with_threshold else None)
        losses.double().sum().backward()
        results.append((losses.detach().double(), shares.double(), *(leaf.grad.double() for leaf in leaves)))
    for found, expected in zip(*results, strict=True):
        scale = max(1.0, float(expected.abs().max()))
        torch.testing.assert_close(found / scale, expected / scale, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("build", [MiniBatchLoss, SOPALoss, STACOLoss])
def test_losses_do_not_depend_on_where_raw_scores_lie(build):
    generator = torch.Generator().manual_seed(0)
    score = torch.randint(-9, 9, (60,), generator=generator).double() / 8
    positive = torch.rand(60, generator=generator) < 0.4
    results = []
    for offset in (0.0, 1e8):
        loss, leaf = build(max_fpr=0.5, from_logits=False), (score + offset).requires_grad_()
        value = loss(leaf, positive, torch.arange(60))
        value.backward()
        results.append((value.detach(), leaf.grad))
    torch.testing.assert_close(*results, rtol=1e-6, atol=1e-9)
