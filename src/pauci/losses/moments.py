"""One pass over a batch: the class sums the objective is made of, and the slope of every score.

With ``x = (f - c)^2 + l f - s`` per instance (the paper's P and N, eqs. OPAUC_IB and TPAUC_OB; c is a or b,
l is -2(1+gamma) or 2(1+gamma), s is s or s'), a selector gives a value v(x) and its derivative q(x), the
instance's selection weight. Everything else is made of four weighted sums per class: 1, v, q and q f.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from pauci.losses.selection import rank_weights

Array = np.ndarray[Any, np.dtype[Any]]

#: Scores per block of the CPU pass: its dozen temporaries stay in the cache.
_BLOCK = 8192


@dataclass(frozen=True)
class Choice:
    """What of the objective does not change while training.

    Attributes
    ----------
    positives, negatives : tuple of float
        Rank interval of each class that counts, as shares: positives from the lowest score, negatives from
        the highest.
    selector : str
        "softplus", "dual", "hinge" or "topk".
    logits : bool
        Whether scores pass through a sigmoid.
    prior : float or None
        Positive share of the batches, or `None` for class means.
    """

    positives: tuple[float, float]
    negatives: tuple[float, float]
    selector: str
    logits: bool
    prior: float | None

    @property
    def select_positives(self) -> bool:
        """Whether positives have a selector: a side that counts in full has none."""
        return self.positives != (0.0, 1.0)

    @property
    def select_negatives(self) -> bool:
        """Whether negatives have a selector."""
        return self.negatives != (0.0, 1.0)

    @property
    def exact(self) -> bool:
        """Whether instances are selected by rank, so that s and s' need no learning."""
        return self.selector in ("hinge", "topk")

    @property
    def shares(self) -> tuple[float, float]:
        """Share of each class that counts: the paper's alpha and beta."""
        return self.positives[1] - self.positives[0], self.negatives[1] - self.negatives[0]


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
    """The objective's shape parameters, as numbers or tensors: they may be annealed."""

    kappa: Any
    omega: Any
    omega_c: Any


class Settled(NamedTuple):
    """What the class sums amount to: the objective, its gradients, and the factor each score's slope lacks."""

    value: Any
    descent: tuple[Any, ...]
    ascent: Any
    factors: tuple[Any, Any]


def array_moments(
    probability: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, choice: Choice
) -> tuple[Array, Array]:
    """Class sums and slopes of one label's batch on the CPU, for the smooth selectors.

    Parameters
    ----------
    probability, positive, weight : arrays of shape (N,)
        Scores in [0, 1], mask of the positives, weights.
    inner, shape, choice
        The objective, with plain numbers.

    Returns
    -------
    sums : array of shape (2, 4)
        For positives, then negatives: weighted sums of 1, v, q and q f.
    slope : array of shape (N,)
        Derivative of v with respect to each score, times its weight.
    """
    slope = np.empty_like(probability)
    sums = np.zeros((2, 4))
    for start in range(0, len(probability), _BLOCK):
        block = slice(start, start + _BLOCK)
        sums += _block_moments(
            probability[block], positive[block], None if weight is None else weight[block], inner, shape, choice, slope[block]
        )
    return sums, slope


def tensor_moments(
    probability: Tensor, positive: Tensor, weight: Tensor | None, inner: Inner, shape: Shape, choice: Choice
) -> tuple[Tensor, Tensor]:
    """Class sums and slopes by tensor operations: any device, any number of labels, any selector.

    Parameters
    ----------
    probability, positive, weight : tensors of shape (N,) or (N, K)
        Scores in [0, 1], mask of the positives, weights.
    inner, shape, choice
        The objective, with tensors of shape () or (K,).

    Returns
    -------
    sums : tensor of shape (2, 4) or (2, 4, K)
        For positives, then negatives: weighted sums of 1, v, q and q f.
    slope : tensor
        Derivative of v with respect to each score, times its weight; of the scores' shape.
    """
    tilt = torch.where(positive, -2.0, 2.0).to(probability) * (1 + inner.gamma)
    offset = probability - torch.where(positive, inner.a, inner.b)
    loss = offset * offset + tilt * probability
    if choice.exact:
        q = _ranked(loss, probability, positive, weight, choice)
        v = q * loss
    else:
        zero = torch.zeros_like(inner.s_pos)
        excess = loss - torch.where(
            positive, inner.s_pos if choice.select_positives else zero, inner.s_neg if choice.select_negatives else zero
        )
        v, q = _select(excess, shape, choice.selector)
        if not (choice.select_positives and choice.select_negatives):
            has_selector = positive if choice.select_positives else ~positive
            if not (choice.select_positives or choice.select_negatives):
                has_selector = torch.zeros_like(positive)
            v, q = torch.where(has_selector, v, loss), torch.where(has_selector, q, 1.0)
    features = torch.stack((torch.ones_like(q), v, q, q * probability))
    slope = q * (2 * offset + tilt)
    if choice.logits:
        slope = slope * probability * (1 - probability)
    if weight is not None:
        features, slope = features * weight, slope * weight
    sums = torch.stack((torch.where(positive, features, 0.0).sum(1), torch.where(positive, 0.0, features).sum(1)))
    return sums, slope


def settle(sums: Any, inner: Inner, shape: Shape, choice: Choice) -> Settled:
    """Objective plus 1 and all its gradients from the class sums, for numbers and for tensors.

    Parameters
    ----------
    sums
        Two rows (positives, negatives) of the sums of 1, v, q and q f.
    inner, shape, choice
        The objective.

    Returns
    -------
    Settled
        Value; gradients in the order of `Inner` (gamma's apart, and not reversed); per class the factor that
        turns a slope into a gradient.
    """
    (n_pos, v_pos, q_pos, f_pos), (n_neg, v_neg, q_neg, f_neg) = sums
    alpha, beta = choice.shares
    if choice.prior is None:
        # An absent class divides nothing by one: it contributes nothing.
        norm_pos, norm_neg = n_pos + (n_pos == 0), n_neg + (n_neg == 0)
    else:
        total = n_pos + n_neg + (n_pos + n_neg == 0)
        norm_pos, norm_neg = choice.prior * total, (1 - choice.prior) * total
    scale_pos, scale_neg = 1 / (alpha * norm_pos), 1 / (beta * norm_neg)
    value = 1 + v_pos * scale_pos + v_neg * scale_neg - (1 + shape.omega) * inner.gamma * inner.gamma
    slope_a = 2 * scale_pos * (inner.a * q_pos - f_pos)
    slope_b = 2 * scale_neg * (inner.b * q_neg - f_neg)
    slope_gamma = 2 * (f_neg * scale_neg - f_pos * scale_pos) - 2 * (1 + shape.omega) * inner.gamma
    zero = 0 * value
    slope_s_pos = slope_s_neg = slope_theta_a = slope_theta_b = zero
    if choice.select_positives and not choice.exact:
        value = value + inner.s_pos * n_pos / norm_pos
        slope_s_pos = n_pos / norm_pos - q_pos * scale_pos
    if choice.select_negatives and not choice.exact:
        value = value + inner.s_neg * n_neg / norm_neg
        slope_s_neg = n_neg / norm_neg - q_neg * scale_neg
    # The multipliers keep P decreasing and N increasing where a selector needs it: -theta_a (-a - gamma) - theta_b (b - 1 - gamma).
    if choice.select_positives:
        slope_theta_a = inner.a + inner.gamma
        value, slope_a, slope_gamma = value + inner.theta_a * slope_theta_a, slope_a + inner.theta_a, slope_gamma + inner.theta_a
    if choice.select_negatives:
        slope_theta_b = 1 + inner.gamma - inner.b
        value, slope_b, slope_gamma = value + inner.theta_b * slope_theta_b, slope_b - inner.theta_b, slope_gamma + inner.theta_b
    descent = (slope_a, slope_b, slope_s_pos, slope_s_neg, slope_theta_a, slope_theta_b)
    return Settled(value, descent, slope_gamma, (scale_pos, scale_neg))


def _ranked(loss: Tensor, probability: Tensor, positive: Tensor, weight: Tensor | None, choice: Choice) -> Tensor:
    # The hinge takes the instances of largest loss, top-k those of worst score: the same ones while P and N are monotone.
    key = loss if choice.selector == "hinge" else torch.where(positive, -probability, probability)
    if weight is not None and weight.ndim < key.ndim:
        weight = weight.unsqueeze(-1).expand_as(key)
    from_positives = rank_weights(key, positive, weight, choice.positives) if choice.select_positives else 1.0
    from_negatives = rank_weights(key, ~positive, weight, choice.negatives) if choice.select_negatives else 1.0
    return torch.where(positive, from_positives, from_negatives).to(key)


def _block_moments(
    f: Array, positive: Array, weight: Array | None, inner: Inner, shape: Shape, choice: Choice, slope: Array
) -> Array:
    kind = f.dtype.type
    tilt = 2 * (1 + inner.gamma)
    shift = np.where(positive, kind(-tilt - 2 * inner.a), kind(tilt - 2 * inner.b))
    level_pos = inner.a**2 - (inner.s_pos if choice.select_positives else 0.0)
    level_neg = inner.b**2 - (inner.s_neg if choice.select_negatives else 0.0)
    rows = np.empty((4, f.size), f.dtype)
    classes = np.empty((2, f.size), f.dtype)
    ones, v, q, qf = rows
    classes[0] = positive
    np.subtract(1, classes[0], out=classes[1])
    x = f + shift
    x *= f
    x += np.where(positive, kind(level_pos), kind(level_neg))
    if choice.selector == "dual":
        _dual(x, shape.omega_c, v, q)
    else:
        _softplus(x, shape.kappa, v, q)
    if not choice.select_positives:
        np.copyto(v, x, where=positive)
        np.copyto(q, 1, where=positive)
    if not choice.select_negatives:
        np.copyto(v, x, where=~positive)
        np.copyto(q, 1, where=~positive)
    ones.fill(1)
    np.multiply(q, f, out=qf)
    np.multiply(f, 2, out=slope)
    slope += shift
    slope *= q
    if choice.logits:
        slope *= f
        np.subtract(1, f, out=x)
        slope *= x
    if weight is not None:
        rows *= weight
        slope *= weight
    return classes @ rows.T


def _softplus(x: Array, kappa: float, v: Array, q: Array) -> None:
    # v = max(x, 0) - log(sigmoid(|kappa x|)) / kappa, which neither overflows nor cancels.
    half = np.multiply(x, 0.5 * kappa)
    np.tanh(half, out=half)
    np.multiply(half, 0.5, out=q)
    np.abs(q, out=v)
    q += 0.5
    v += 0.5
    np.log(v, out=v)
    v *= -1 / kappa
    np.maximum(x, 0, out=half)
    v += half


def _dual(x: Array, omega_c: float, v: Array, q: Array) -> None:
    # c = clip(x / (2 omega_c), 0, 1) maximises c x - omega_c c^2.
    np.multiply(x, 0.5 / omega_c, out=q)
    np.clip(q, 0, 1, out=q)
    np.multiply(q, -omega_c, out=v)
    v += x
    v *= q


def _select(x: Tensor, shape: Shape, selector: str) -> tuple[Tensor, Tensor]:
    if selector == "dual":
        c = (x / (2 * shape.omega_c)).clamp(0, 1)
        return c * (x - shape.omega_c * c), c
    scaled = x * shape.kappa
    return F.softplus(scaled) / shape.kappa, torch.sigmoid(scaled)
