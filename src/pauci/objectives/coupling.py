"""The constraint that ties gamma to a and b: as a projection, and as the paper's multipliers.

Selection by loss is selection by score only while the loss of a selected class is monotone in the score, that is
for ``gamma >= -a`` where positives are selected and ``gamma >= b - 1`` where negatives are.
"""

import torch
from torch import Tensor

from pauci.objectives.sides import selected_sides
from pauci.objectives.variables import InnerVariables, Scalar
from pauci.region import Region


def gamma_domain(a: Scalar, b: Scalar, *, region: Region) -> tuple[Scalar, float]:
    """Return the interval for gamma: [max(-a, b - 1), 1], without the bounds of sides that select nothing.

    Parameters
    ----------
    a, b : float or Tensor
        Centres of the selected positives and negatives.
    region : Region
        One-way regions have one constraint, two-way regions both; the full plane has [-1, 1].

    Returns
    -------
    tuple
        Low and high end.

    Examples
    --------
    >>> gamma_domain(0.75, 0.5, region=Region(max_fpr=0.3))
    (-0.5, 1.0)
    >>> gamma_domain(0.25, 0.5, region=Region(max_fpr=0.3, min_tpr=0.5))
    (-0.25, 1.0)
    """
    positives, negatives = selected_sides(region)
    low: Scalar = -1.0
    if positives.kind != "whole":
        low = _larger(low, -a)
    if negatives.kind != "whole":
        low = _larger(low, b - 1.0)
    return low, 1.0


def project_gamma(gamma: Scalar, *, a: Scalar, b: Scalar, region: Region) -> Scalar:
    """Return the nearest gamma that is feasible for `a` and `b`.

    Parameters
    ----------
    gamma, a, b : float or Tensor
        The point.
    region : Region
        The region, which decides what constraints there are.

    Returns
    -------
    float or Tensor
        gamma, clipped to `gamma_domain`.

    Examples
    --------
    >>> project_gamma(-0.9, a=0.75, b=0.5, region=Region(max_fpr=0.3))
    -0.5
    """
    low, high = gamma_domain(a, b, region=region)
    return -_larger(-_larger(gamma, low), -high)


def lagrangian_term(inner: InnerVariables, *, region: Region) -> Scalar:
    """Return the multiplier terms - theta_b (b - 1 - gamma) - theta_a (-a - gamma).

    The thetas belong to the *minimisation*, over [0, 1e9]. Where the constraint holds, the factor of theta is
    non-negative and theta falls to 0; where it is broken, theta grows and its term pushes gamma, which ascends,
    back up. With the opposite sign both run away to the corner b = 0, gamma = -1.

    Parameters
    ----------
    inner : InnerVariables
        The point.
    region : Region
        The region, which decides what constraints there are.

    Returns
    -------
    float or Tensor
        The term to be added to the objective.

    Examples
    --------
    >>> point = InnerVariables(a=0.5, b=0.75, gamma=-0.5, theta_b=2.0)
    >>> lagrangian_term(point, region=Region(max_fpr=0.3))
    -0.5
    """
    positives, negatives = selected_sides(region)
    term: Scalar = 0.0
    if positives.kind != "whole":
        term = term - inner.theta_a * (-inner.a - inner.gamma)
    if negatives.kind != "whole":
        term = term - inner.theta_b * (inner.b - 1.0 - inner.gamma)
    return term


def _larger(x: Scalar, y: Scalar) -> Scalar:
    if isinstance(x, Tensor):
        return torch.maximum(x, torch.as_tensor(y).to(x))
    if isinstance(y, Tensor):
        return y.clamp(min=x)
    return max(x, y)
