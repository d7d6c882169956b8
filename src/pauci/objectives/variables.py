"""The scalars the minimax problem is solved over, besides the scores."""

from dataclasses import dataclass

from torch import Tensor

Scalar = Tensor | float


@dataclass(frozen=True, kw_only=True)
class InnerVariables:
    """One point of the minimax problem: numbers, or tensors where gradients are needed.

    Attributes
    ----------
    a, b : float or Tensor
        Centres of the selected positives and of the selected negatives; at the optimum their mean scores.
    gamma : float or Tensor
        The ascent variable; at the optimum ``(b - a) / (1 + omega)``.
    s_pos, s_neg : float or Tensor
        Selection thresholds on the losses of positives and negatives (the paper's s and s'). Ignored on a side
        that has no threshold: one that is taken whole, or is selected by sorting.
    theta_a, theta_b : float or Tensor
        Multipliers of ``gamma >= -a`` and ``gamma >= b - 1``; zero at the optimum.

    Examples
    --------
    >>> InnerVariables(a=0.8, b=0.3, gamma=-0.5).theta_a
    0.0
    """

    a: Scalar
    b: Scalar
    gamma: Scalar
    s_pos: Scalar = 0.0
    s_neg: Scalar = 0.0
    theta_a: Scalar = 0.0
    theta_b: Scalar = 0.0
