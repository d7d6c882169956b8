import math

import numpy as np
import pytest
import torch

from pauci import Region
from pauci.objectives import Boxes, Dual, Hinge, InnerVariables, Softplus, TopK, inner_boxes, inner_optimum


def test_exact_selectors_have_the_papers_boxes():
    for selector in (Hinge(), TopK()):
        assert inner_boxes(Region(max_fpr=0.05, min_tpr=0.5), selector) == Boxes()


def test_smooth_thresholds_get_the_room_they_need_and_use_it():
    """All negatives score 1, all positives 1: at gamma = 0 and b = 1 every N is 2, and s' lies off it by the margin."""
    ones, region = torch.ones(4), Region(max_fpr=0.1)
    margin = math.log(9) / 0.5
    boxes = inner_boxes(region, Softplus(0.5))
    assert boxes.s_neg == pytest.approx((0.0, 5.0 + margin))
    inner = inner_optimum(ones, ones, region=region, selector=Softplus(0.5))
    assert inner.s_neg == pytest.approx(2 + margin)
    assert inner.s_neg > Boxes().s_neg[1]
    assert inner_boxes(region, Dual(0.5)).s_neg == pytest.approx((-0.1, 5.0))
    # A bottom's threshold lies off on the other side.
    assert inner_boxes(Region(max_tpr=0.1), Softplus(0.5)).s_pos == pytest.approx((-4.0 - margin, 1.0))


def test_clip():
    wild = InnerVariables(a=-1.0, b=torch.tensor(7.0), gamma=2.0, s_pos=-9.0, s_neg=9.0, theta_a=-1.0, theta_b=2e9)
    tame = Boxes().clip(wild)
    assert (tame.a, float(tame.b), tame.gamma, tame.s_pos, tame.s_neg) == (0.0, 1.0, 1.0, -4.0, 5.0)
    assert (tame.theta_a, tame.theta_b) == (0.0, 1e9)
    assert Boxes().clip(tame) == tame
    assert Boxes().clip(InnerVariables(a=np.float32(1.5), b=0, gamma=0.0)).a == 1.0
