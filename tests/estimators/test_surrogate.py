import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pauci.estimators.surrogate import pairwise_sigmoid
from pauci.losses import PairwiseSigmoidLoss
from pauci.region import Region

REGIONS = [
    Region(),
    Region(max_fpr=0.1),
    Region(min_tpr=0.7),
    Region(max_fpr=0.35, min_tpr=0.45),
    Region(max_fpr=0.5, min_fpr=0.1),
]


def oracle(positives, negatives, region, temperature, weight=None):
    """Value and gradient by the loss that sees every pair."""
    leaf = torch.tensor(np.concatenate([positives, negatives]), requires_grad=True)
    labels = torch.arange(len(leaf)) < len(positives)
    value = PairwiseSigmoidLoss(region, temperature=temperature)(leaf, labels, sample_weight=weight)
    value.backward()
    return float(value.detach()), leaf.grad.numpy()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    region=st.sampled_from(REGIONS),
    temperature=st.sampled_from([0.05, 0.5, 3.0]),
    weighted=st.booleans(),
    shape=st.sampled_from(["normal", "ties", "outliers"]),
)
def test_equals_the_sum_over_every_pair(seed, region, temperature, weighted, shape):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.normal(1, 2, size=rng.integers(1, 30)), rng.normal(size=rng.integers(2, 80))
    if shape == "ties":
        positives, negatives = positives.round(), negatives.round()
    if shape == "outliers":
        positives[0], negatives[0] = -300.0, 40.0
    weight = rng.uniform(0.1, 2, size=len(positives) + len(negatives)) if weighted else None
    value, to_positives, to_negatives = pairwise_sigmoid(
        positives,
        negatives,
        region=region,
        temperature=temperature,
        positive_weight=None if weight is None else weight[: len(positives)],
        negative_weight=None if weight is None else weight[len(positives) :],
    )
    expected, gradient = oracle(
        positives, negatives, region, temperature, None if weight is None else torch.tensor(weight)
    )
    assert value == pytest.approx(expected, abs=3e-5)
    if shape != "ties":  # which of several tied instances an edge cuts is open
        largest = 0.25 / temperature
        np.testing.assert_allclose(np.concatenate([to_positives, to_negatives]), gradient, atol=1e-3 * largest)


def test_the_gradient_is_that_of_the_value():
    rng = np.random.default_rng(0)
    positives, negatives = rng.normal(1, 1, size=7), rng.normal(size=40)
    options = {"region": Region(max_fpr=0.2, min_tpr=0.3), "temperature": 0.5}
    _, to_positives, to_negatives = pairwise_sigmoid(positives, negatives, **options)
    step = 1e-3
    for values, gradient in ((positives, to_positives), (negatives, to_negatives)):
        for place in range(len(values)):
            ends = []
            for sign in (1, -1):
                values[place] += sign * step
                ends.append(pairwise_sigmoid(positives, negatives, **options)[0])
                values[place] -= sign * step
            assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(gradient[place], abs=2e-3)


def test_extreme_ranges_stay_finite():
    value, to_positives, to_negatives = pairwise_sigmoid(
        np.array([1e6, -1e6]), np.array([-1e6, 0.0, 1e6]), region=Region(), temperature=0.01
    )
    assert 0 <= value <= 1
    assert np.isfinite(to_positives).all()
    assert np.isfinite(to_negatives).all()
