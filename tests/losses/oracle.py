"""The paper's formulas, written for reading and differentiated by autograd: what the fused loss is held against."""

import torch
from torch import Tensor
from torch.nn import functional


def selected(x: Tensor, selector: str, kappa: float, omega_c: float) -> Tensor:
    """[x]_+ as each selector sees it."""
    if selector == "softplus":
        return functional.softplus(x * kappa, threshold=40) / kappa
    if selector == "hinge":
        return x.clamp(min=0)
    small = x.clamp(min=0) ** 2 / (4 * omega_c)
    return torch.where(x > 2 * omega_c, x - omega_c, small)


def class_mean(x: Tensor, member: Tensor, weight: Tensor, prior: float | None) -> Tensor:
    """Mean over a class, or the y/p form; 0 when the class is absent."""
    total = (weight * member).sum() if prior is None else prior * weight.sum()
    return (x * weight * member).sum() / total if member.any() else x.sum() * 0


def objective(
    score: Tensor,
    positive: Tensor,
    inner: dict[str, Tensor],
    *,
    max_fpr: float = 1.0,
    min_tpr: float = 0.0,
    kappa: float = 4.0,
    omega: float = 1.0,
    omega_c: float = 0.1,
    selector: str = "softplus",
    from_logits: bool = True,
    batch_prior: float | None = None,
    weight: Tensor | None = None,
) -> Tensor:
    """G^{kappa,omega} with its multipliers, plus 1 (eqs. OPAUC_IB, TPAUC_OB, and the corollary)."""
    weight = torch.ones_like(score) if weight is None else weight
    alpha, beta = 1 - min_tpr, max_fpr
    f = torch.sigmoid(score) if from_logits else score
    a, b, g = inner["a"], inner["b"], inner["gamma"]
    P = (f - a) ** 2 - 2 * (1 + g) * f
    N = (f - b) ** 2 + 2 * (1 + g) * f
    value = 1 - (1 + omega) * g**2
    if alpha < 1:
        P = (alpha * inner["s_pos"] + selected(P - inner["s_pos"], selector, kappa, omega_c)) / alpha
        value = value - inner["theta_a"] * (-a - g)
    if beta < 1:
        N = (beta * inner["s_neg"] + selected(N - inner["s_neg"], selector, kappa, omega_c)) / beta
        value = value - inner["theta_b"] * (b - 1 - g)
    p = batch_prior
    return value + class_mean(P, positive, weight, p) + class_mean(N, ~positive, weight, None if p is None else 1 - p)


def pairwise_risk(f: Tensor, positive: Tensor, keep_positives: int, keep_negatives: int) -> Tensor:
    """Mean of (1 - (f_i - f_j))^2 over the lowest positives and the highest negatives, pair by pair."""
    low = f[positive].sort().values[:keep_positives]
    high = f[~positive].sort(descending=True).values[:keep_negatives]
    return ((1 - (low[:, None] - high[None, :])) ** 2).mean()
