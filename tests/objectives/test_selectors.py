import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci.errors import InputError
from pauci.objectives import Dual, Hinge, Softplus, TopK, make_selector

x64 = torch.linspace(-3, 3, 241, dtype=torch.float64)
SELECTORS = [Softplus(0.5), Softplus(4.0), Softplus(1e6), Dual(0.1), Dual(2.0), Hinge()]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_weight_is_the_derivative_of_value_and_curvature_that_of_weight(selector):
    # Half a step off the grid of kinks.
    x = (x64 + 0.0127).requires_grad_()
    (weight,) = torch.autograd.grad(selector.value(x).sum(), x, create_graph=True)
    torch.testing.assert_close(weight, selector.weight(x), atol=1e-12, rtol=0)
    if weight.requires_grad:
        (curvature,) = torch.autograd.grad(weight.sum(), x)
        torch.testing.assert_close(curvature, selector.curvature(x), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("kappa", [1e-3, 1.0, 18.0, 1e3, 1e6])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softplus_is_finite_and_within_log2_over_kappa_of_the_hinge(kappa, dtype):
    x = torch.tensor([-1e4, -5.0, -1e-7, 0.0, 1e-7, 5.0, 1e4], dtype=dtype).requires_grad_()
    value = Softplus(kappa).value(x)
    (gradient,) = torch.autograd.grad(value.sum(), x)
    assert torch.isfinite(value).all()
    assert torch.isfinite(gradient).all()
    excess = (value - Hinge().value(x)).double()
    # Rounding of the largest value, relative to it.
    slack = 4 * torch.finfo(dtype).eps * x.abs().max().item()
    assert excess.min() >= -slack
    assert excess.max() <= math.log(2) / kappa * (1 + 1e-6) + slack
    assert value[3].item() == pytest.approx(math.log(2) / kappa, rel=1e-5)


@given(st.floats(-5, 5), st.floats(0.01, 3))
def test_dual_is_its_maximum_over_c(x, omega_c):
    c = torch.linspace(0, 1, 100_001, dtype=torch.float64)
    brute = (c * x - omega_c * c**2).max().item()
    value = Dual(omega_c).value(torch.tensor(x, dtype=torch.float64)).item()
    assert value == pytest.approx(brute, abs=1e-9)
    assert -1e-12 <= max(x, 0.0) - value <= omega_c + 1e-12


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_offset_is_where_the_weight_is_the_share(selector, share):
    offset = selector.offset(share)
    if not isinstance(selector, Hinge):
        weight = selector.weight(torch.tensor(-offset, dtype=torch.float64)).item()
        assert weight == pytest.approx(share, abs=1e-12)


def test_selectors_by_name():
    assert make_selector("softplus", kappa=7.0) == Softplus(7.0)
    assert make_selector("dual", omega_c=0.2) == Dual(0.2)
    assert make_selector("dual", omega_c=0.0) == make_selector("hinge") == Hinge()
    assert make_selector("topk") == TopK()
    with pytest.raises(InputError, match="selector='sort'"):
        make_selector("sort")


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_parameters_must_be_positive(value):
    with pytest.raises(InputError, match="kappa="):
        Softplus(value)
    with pytest.raises(InputError, match="omega_c="):
        Dual(value)
