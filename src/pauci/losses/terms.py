"""What the objective consists of, and how class sums become its value and gradients."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pauci.objectives import Side


@dataclass(frozen=True)
class Terms:
    """What of the objective does not change while training.

    Attributes
    ----------
    positives, negatives : Side
        The part of each class that counts.
    selector : str
        "softplus", "dual", "hinge" or "topk".
    logits : bool
        Whether scores pass through a sigmoid.
    prior : float or None
        Positive share of the batches, or `None` for class means.
    select_positives, select_negatives : bool
        Whether each class has a selector: one that counts in full has none.
    exact : bool
        Whether instances are selected by rank, so that s and s' are solved in every batch.
    """

    positives: Side
    negatives: Side
    selector: str
    logits: bool
    prior: float | None
    select_positives: bool = field(init=False)
    select_negatives: bool = field(init=False)
    exact: bool = field(init=False)

    def __post_init__(self) -> None:
        # Fields, not cached properties: those take a lock, which torch.compile cannot trace.
        object.__setattr__(self, "select_positives", self.positives.kind != "whole")
        object.__setattr__(self, "select_negatives", self.negatives.kind != "whole")
        object.__setattr__(self, "exact", self.selector in ("hinge", "topk"))


class Inner(NamedTuple):
    """The inner variables, as numbers or as tensors with one element per label."""

    a: Any
    b: Any
    s_pos: Any
    s_neg: Any
    theta_a: Any
    theta_b: Any
    gamma: Any


class Shape(NamedTuple):
    """What may be annealed, as numbers or tensors: the selector's sharpness (kappa, or 1 / (2 omega_c)) and omega."""

    sharpness: Any
    omega: Any


class Norms(NamedTuple):
    """How class sums become averages: the size of each class as it counts, and the factor on its terms.

    Attributes
    ----------
    present : tuple
        1 for each class that is there, 0 for one that is not; with a prior, its share relative to the prior's.
    factors : tuple
        1 / (share * size).
    """

    present: tuple[Any, Any]
    factors: tuple[Any, Any]


def norms(n_pos: Any, n_neg: Any, terms: Terms) -> Norms:
    """Normalise class sums, for numbers and for tensors.

    Returns
    -------
    Norms
        An absent class divides nothing by one: it contributes nothing.

    Examples
    --------
    >>> norms(0, 8, Terms(Side(0.0, 1.0), Side(0.0, 0.5), "softplus", logits=True, prior=None))
    Norms(present=(0.0, 1.0), factors=(1.0, 0.25))
    """
    if terms.prior is None:
        size_pos, size_neg = n_pos + (n_pos == 0), n_neg + (n_neg == 0)
    else:
        total = n_pos + n_neg
        total = total + (total == 0)
        size_pos, size_neg = terms.prior * total, (1 - terms.prior) * total
    factors = (1 / (terms.positives.share * size_pos), 1 / (terms.negatives.share * size_neg))
    return Norms((n_pos / size_pos, n_neg / size_neg), factors)


def settle(sums: Any, norm: Norms, inner: Inner, omega: Any, terms: Terms) -> tuple[Any, Inner]:
    """Objective plus 1 and its gradients in the inner variables from class sums, for numbers and for tensors.

    Parameters
    ----------
    sums
        Two rows (positives, negatives) of the weighted sums of v, q and q f (see `pauci.losses.moments`).
    norm : Norms
        How they become averages.
    inner, omega, terms
        The objective.

    Returns
    -------
    value
        The objective plus 1.
    gradient : Inner
        Its derivatives; gamma's is not reversed.

    Examples
    --------
    >>> whole = Side(0.0, 1.0)
    >>> terms = Terms(whole, whole, "softplus", logits=False, prior=None)
    >>> point = Inner(a=0.5, b=0.5, s_pos=0.0, s_neg=0.0, theta_a=0.0, theta_b=0.0, gamma=0.0)
    >>> settle([(-2.0, 2, 1.0), (2.0, 2, 1.0)], norms(2, 2, terms), point, 0.0, terms)[0]
    1.0
    """
    (v_pos, q_pos, f_pos), (v_neg, q_neg, f_neg) = sums
    (pos, neg), (to_pos, to_neg) = norm
    a, b, s_pos, s_neg, theta_a, theta_b, gamma = inner
    bend = (1 + omega) * gamma
    value = 1 + v_pos * to_pos + v_neg * to_neg - bend * gamma
    slope_a = 2 * to_pos * (a * q_pos - f_pos)
    slope_b = 2 * to_neg * (b * q_neg - f_neg)
    slope_gamma = 2 * (f_neg * to_neg - f_pos * to_pos - bend)
    slope_s_pos = slope_s_neg = slope_theta_a = slope_theta_b = 0 * gamma
    # The multipliers' terms are -theta_a (-a - gamma) and -theta_b (b - 1 - gamma), where there is a selector to guard.
    if terms.select_positives:
        slope_theta_a = a + gamma
        slope_a = slope_a + theta_a
        slope_gamma = slope_gamma + theta_a
        value = value + theta_a * slope_theta_a
        if not terms.exact:
            value = value + s_pos * pos
            slope_s_pos = pos - q_pos * to_pos
    if terms.select_negatives:
        slope_theta_b = 1 + gamma - b
        slope_b = slope_b - theta_b
        slope_gamma = slope_gamma + theta_b
        value = value + theta_b * slope_theta_b
        if not terms.exact:
            value = value + s_neg * neg
            slope_s_neg = neg - q_neg * to_neg
    return value, Inner(slope_a, slope_b, slope_s_pos, slope_s_neg, slope_theta_a, slope_theta_b, slope_gamma)
