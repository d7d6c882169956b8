import math

import numpy as np
import pytest
import torch

from pauci import Region
from pauci.errors import InputError, RegionError
from pauci.objectives import (
    Dual,
    Hinge,
    Side,
    Softplus,
    TopK,
    bias_bound,
    generalization_bound,
    negative_loss,
    positive_loss,
)


def test_bias_bound_divides_by_the_shares_of_the_selected_classes():
    assert bias_bound(Softplus(10.0), Region(max_fpr=0.3)) == pytest.approx(math.log(2) / 3)
    assert bias_bound(Softplus(10.0), Region(max_fpr=0.3, min_tpr=0.5)) == pytest.approx(
        math.log(2) / 3 + math.log(2) / 5
    )
    assert bias_bound(Softplus(10.0), Region()) == 0
    assert bias_bound(Dual(0.03), Region(max_fpr=0.3)) == pytest.approx(0.1)
    for exact in (Hinge(), TopK()):
        assert bias_bound(exact, Region(max_fpr=0.3)) == 0


def scorers(rng, n, count=6):
    """A small class of scorers on n points, the zero scorer among them."""
    x = rng.uniform(0, 1, n)
    return torch.from_numpy(np.stack([np.zeros(n)] + [x**power for power in np.geomspace(0.3, 4, count - 1)]))


def rademacher(functions, draws=2000, seed=0):
    n = functions.shape[1]
    signs = torch.from_numpy(np.random.default_rng(seed).choice([-1.0, 1.0], (draws, n)))
    return (signs @ functions.T / n).max(dim=1).values.mean().item()


@pytest.mark.parametrize(
    ("loss", "centre", "side", "thresholds", "largest"),
    [
        (positive_loss, "a", Side(0.0, 1.0), [0.0], 0.0),
        (negative_loss, "b", Side(0.0, 1.0), [0.0], 0.0),
        (positive_loss, "a", Side(0.0, 0.4), np.linspace(-4, 1, 11), 4.0),
        (negative_loss, "b", Side(0.0, 0.3), np.linspace(0, 5, 11), 5.0),
    ],
)
def test_complexity_of_the_losses_is_what_the_proof_says(loss, centre, side, thresholds, largest):
    n = 60
    f = scorers(np.random.default_rng(1), n)
    members = []
    for c in np.linspace(0, 1, 5):
        for gamma in np.linspace(-1, 1, 9):
            losses = loss(f, **{centre: c, "gamma": gamma})
            if side.kind == "whole":
                members.append(losses)
            else:
                members += [s + torch.relu(losses - s) / side.share for s in thresholds]
    measured = rademacher(torch.cat(members))
    constants = 1.0 if side.kind == "whole" else side.share * largest + 5
    assert measured <= (12 * rademacher(f) + constants / math.sqrt(n)) / side.share


def test_losses_change_by_at_most_five_with_the_score_and_do_change_by_five():
    f = torch.linspace(0, 1, 101)
    widths = [
        loss(f, **{centre: c, "gamma": gamma}).aminmax()
        for loss, centre in ((positive_loss, "a"), (negative_loss, "b"))
        for c in np.linspace(0, 1, 6)
        for gamma in np.linspace(-1, 1, 6)
    ]
    assert max(high - low for low, high in widths).item() == pytest.approx(5.0)
    positive = positive_loss(f, a=1.0, gamma=1.0)
    assert (positive.max() - positive.min()).item() == pytest.approx(5.0)


def test_one_and_two_way_constants():
    at = {"rademacher_positive": 0.0, "rademacher_negative": 0.0, "delta": 4 / math.e**2}
    # sqrt(log(4 / delta) / (2 n)) = 1 / sqrt(n)
    assert generalization_bound(4, 4, region=Region(), **at) == pytest.approx(2 * (2 + 15) / 2)
    assert generalization_bound(4, 4, region=Region(max_fpr=0.5), **at) == pytest.approx(
        17 / 2 + (2 * 7.5 + 15) / 2 / 0.5
    )
    assert generalization_bound(4, 4, region=Region(min_tpr=0.5), **at) == pytest.approx(
        17 / 2 + (2 * 7 + 15) / 2 / 0.5
    )
    with_complexity = generalization_bound(4, 4, region=Region(max_fpr=0.5), **{**at, "rademacher_negative": 1.0})
    assert with_complexity - generalization_bound(4, 4, region=Region(max_fpr=0.5), **at) == pytest.approx(48)


def test_a_smooth_selector_of_a_band_has_no_bias_bound():
    band = Region(min_fpr=0.1, max_fpr=0.2)
    for selector in (Softplus(4.0), Dual(0.1)):
        with pytest.raises(RegionError, match="band"):
            bias_bound(selector, band)
    assert bias_bound(TopK(), band) == 0


def test_what_the_bound_does_not_cover_is_an_error():
    complexities = {"rademacher_positive": 0.1, "rademacher_negative": 0.1}
    with pytest.raises(RegionError, match="bands"):
        generalization_bound(10, 10, region=Region(min_fpr=0.1, max_fpr=0.2), **complexities)
    with pytest.raises(InputError, match="delta=0"):
        generalization_bound(10, 10, region=Region(), delta=0, **complexities)
    with pytest.raises(InputError, match="0 instances"):
        generalization_bound(0, 10, region=Region(), **complexities)
    for impossible in (-0.1, math.nan, math.inf):
        with pytest.raises(InputError, match=f"complexity of {impossible}"):
            generalization_bound(10, 10, region=Region(), **{**complexities, "rademacher_negative": impossible})
