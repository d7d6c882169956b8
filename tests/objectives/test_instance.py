import torch
from hypothesis import given
from hypothesis import strategies as st

from pauci import Region
from pauci.objectives import gamma_domain, negative_loss, positive_loss

unit = st.floats(0, 1)
grid = torch.linspace(0, 1, 101, dtype=torch.float64)


@given(unit, unit, unit)
def test_losses_are_monotone_in_the_score_on_the_domain_of_gamma(a, b, position):
    low, high = gamma_domain(a, b, region=Region(max_fpr=0.3, min_tpr=0.5))
    gamma = low + position * (high - low)
    assert positive_loss(grid, a=a, gamma=gamma).diff().max() <= 1e-15
    assert negative_loss(grid, b=b, gamma=gamma).diff().min() >= -1e-15


def test_and_not_beyond_it():
    assert positive_loss(grid, a=0.2, gamma=-0.4).diff().max() > 0
    assert negative_loss(grid, b=0.8, gamma=-0.4).diff().min() < 0


def test_ranges_are_those_of_the_boxes():
    corners = torch.cartesian_prod(*[torch.tensor([0.0, 1.0])] * 2, torch.tensor([-1.0, 1.0]))
    f, centre, gamma = corners.T
    positive, negative = positive_loss(f, a=centre, gamma=gamma), negative_loss(f, b=centre, gamma=gamma)
    assert (positive.min(), positive.max()) == (-4, 1)
    assert (negative.min(), negative.max()) == (0, 5)
