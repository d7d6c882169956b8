"""Every loss with its brute-force oracle: formulas over the full matrix of pairs, differentiated by autograd."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from losses import oracle
from pauci.losses import (
    AGDSBCDLoss,
    AUCExpLoss,
    AUCMLoss,
    AUCPolyLoss,
    CrossEntropyLoss,
    FocalLoss,
    MiniBatchLoss,
    MixedLoss,
    PairwiseSigmoidLoss,
    PAUCILoss,
    SOPALoss,
    SOPASLoss,
    STACOLoss,
)
from pauci.region import Region


class Case(NamedTuple):
    """How to build a loss, and what it must be of scores, labels and weights when both classes are there."""

    build: Callable[..., nn.Module]
    expected: Callable[[Tensor, Tensor, Tensor], Tensor]
    #: Whether it compiles into one graph.
    one_graph: bool = False
    #: Names of what it remembers of each positive.
    memories: tuple[str, ...] = ()


def top_mean(losses: Tensor, weight: Tensor, share: float) -> Tensor:
    """Mean of the largest share of the last dimension: min over s of s + mean (l - s)_+ / share, found at a kink."""
    kinks = losses.unsqueeze(-1)
    values = kinks.squeeze(-1) + ((losses.unsqueeze(-2) - kinks).clamp(min=0) @ weight) / share
    return values.min(-1).values


def pairs(score: Tensor, positive: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    p, q = weight[positive], weight[~positive]
    return score[positive], score[~positive], p / p.sum(), q / q.sum()


def region_mean(surrogate: Callable[[Tensor], Tensor], alpha: float, beta: float, *, squash: bool):
    """Mean of a surrogate of f_i - f_j over the hardest positives and each one's hardest negatives."""

    def expected(score, positive, weight):
        i, j, p, q = pairs(score.sigmoid() if squash else score, positive, weight)
        rows = top_mean(surrogate(i[:, None] - j), q, beta)
        return top_mean(rows, p, alpha)

    return expected


def band_mean(low: float, high: float):
    def expected(score, positive, weight):
        i, j, p, q = pairs(score, positive, weight)
        losses = functional.softplus(j - i[:, None])
        return p @ (high * top_mean(losses, q, high) - low * top_mean(losses, q, low)) / (high - low)

    return expected


def squared_hinge(difference: Tensor) -> Tensor:
    return (1 - difference).clamp(min=0) ** 2


def soft_mean(lam: float, tau: float | None, *, squash: bool = True):
    def expected(score, positive, weight):
        i, j, p, q = pairs(score.sigmoid() if squash else score, positive, weight)
        g = lam * (q * (squared_hinge(i[:, None] - j) / lam).exp()).sum(1).log()
        return p @ g if tau is None else tau * (p @ (g / tau).exp()).log()

    return expected


def weighted_mean(weigh: Callable[[Tensor], Tensor], *, two_way: bool):
    def expected(score, positive, weight):
        i, j, p, q = pairs(score.sigmoid(), positive, weight)
        w_i = weigh(1 - i) if two_way else torch.ones_like(i)
        return p @ (w_i[:, None] * weigh(j) * (1 - (i[:, None] - j)) ** 2) @ q

    return expected


def cross_entropy(score, positive, weight, focus=0.0):
    probability = torch.where(positive, score.sigmoid(), 1 - score.sigmoid())
    return (weight * (1 - probability) ** focus * -probability.log()).sum() / weight.sum()


#: Inner variables under which minimax losses are compared.
INNER = {"a": 0.625, "b": 0.25, "s_pos": -0.25, "s_neg": 0.5, "theta_a": 0.125, "theta_b": 0.25, "gamma": -0.25}


def minimax(cls: type[PAUCILoss], **options: Any) -> Callable[..., nn.Module]:
    def build(**more: Any) -> nn.Module:
        loss = cls(**options, **more)
        for name, value in INNER.items():
            setattr(loss, name, value)
        return loss

    return build


def saddle(**options: Any):
    def expected(score, positive, weight):
        inner = {name: torch.tensor(value, dtype=score.dtype) for name, value in INNER.items()}
        return oracle.objective(score, positive, inner, weight=weight, **options)

    return expected


def mixed(**more: Any) -> nn.Module:
    return MixedLoss(MiniBatchLoss(max_fpr=0.3, **more), CrossEntropyLoss(**more), weight=0.25)


def built(cls: type[nn.Module], **options: Any) -> Callable[..., nn.Module]:
    return lambda **more: cls(**options, **more)


TWO_WAY = {"max_fpr": 0.45, "min_tpr": 0.35}

CASES: dict[str, Case] = {
    "cross-entropy": Case(built(CrossEntropyLoss), cross_entropy, one_graph=True),
    "focal": Case(built(FocalLoss, focus=1.5), lambda f, y, w: cross_entropy(f, y, w, 1.5), one_graph=True),
    "pauci": Case(minimax(PAUCILoss, **TWO_WAY), saddle(**TWO_WAY), one_graph=True),
    "auc-m": Case(minimax(AUCMLoss), saddle(omega=0.0), one_graph=True),
    "auc-poly": Case(built(AUCPolyLoss, power=0.5), weighted_mean(lambda e: e**0.5, two_way=False), one_graph=True),
    "auc-poly two-way": Case(
        built(AUCPolyLoss, power=3.0, two_way=True), weighted_mean(lambda e: e**3, two_way=True), one_graph=True
    ),
    "auc-exp": Case(
        built(AUCExpLoss, rate=8.0), weighted_mean(lambda e: 1 - (-8 * e).exp(), two_way=False), one_graph=True
    ),
    "mini-batch": Case(built(MiniBatchLoss, **TWO_WAY), region_mean(squared_hinge, 0.65, 0.45, squash=True)),
    "mini-batch scores": Case(
        built(MiniBatchLoss, max_fpr=0.3, from_logits=False), region_mean(squared_hinge, 1.0, 0.3, squash=False)
    ),
    "sopa": Case(
        built(SOPALoss, max_fpr=0.3), region_mean(squared_hinge, 1.0, 0.3, squash=True), memories=("thresholds",)
    ),
    "staco": Case(
        built(STACOLoss, **TWO_WAY),
        region_mean(squared_hinge, 0.65, 0.45, squash=True),
        memories=("thresholds", "duals"),
    ),
    "sopa-s": Case(built(SOPASLoss, temperature=0.5), soft_mean(0.5, None), memories=("log_u",)),
    "sopa-s scores": Case(built(SOPASLoss, temperature=0.25, from_logits=False), soft_mean(0.25, None, squash=False)),
    "sota-s": Case(
        built(SOPASLoss, temperature=0.5, positive_temperature=2.0), soft_mean(0.5, 2.0), memories=("log_u",)
    ),
    "agd-sbcd": Case(
        built(AGDSBCDLoss, max_fpr=0.3),
        region_mean(lambda d: functional.softplus(-d), 1.0, 0.3, squash=False),
        memories=("upper_thresholds",),
    ),
    "agd-sbcd band": Case(
        built(AGDSBCDLoss, region=Region(min_fpr=0.1, max_fpr=0.4)),
        band_mean(0.1, 0.4),
        memories=("upper_thresholds", "lower_thresholds"),
    ),
    "pairwise sigmoid": Case(
        built(PairwiseSigmoidLoss, **TWO_WAY, temperature=0.7),
        region_mean(lambda d: torch.sigmoid(-d / 0.7), 0.65, 0.45, squash=False),
    ),
    "mixed": Case(
        mixed,
        lambda f, y, w: (
            0.25 * region_mean(squared_hinge, 1.0, 0.3, squash=True)(f, y, w) + 0.75 * cross_entropy(f, y, w)
        ),
    ),
}


class Brute:
    """The stochastic algorithms with their state, over the full matrix of pairs: what one batch does."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.s, self.lower = torch.zeros(size).double(), torch.zeros(size).double()
        self.y, self.u, self.v = torch.ones(size).double(), torch.full((size,), math.nan).double(), math.nan
        self.level = 0.0

    def step(self, score: Tensor, positive: Tensor, index: Tensor) -> Tensor:
        """Surrogate whose gradient is the algorithm's; moves the state."""
        rows = index[positive]
        i, j = score[positive], score[~positive]
        if self.name.startswith("agd"):
            losses = functional.softplus(j - i[:, None])
            loss = self._top(losses, rows, self.s, 0.4 if "band" in self.name else 0.3)
            return (loss - self._top(losses, rows, self.lower, 0.1)) / 0.3 if "band" in self.name else loss / 0.3
        losses = squared_hinge(i.sigmoid()[:, None] - j.sigmoid())
        if self.name == "sopa":
            return self._top(losses, rows, self.s, 0.3) / 0.3
        if self.name == "staco":
            return self._two_way(losses, rows, 0.65, 0.45)
        return self._soft(losses, rows, 0.5, None if self.name == "sopa-s" else 2.0)

    def _top(self, losses: Tensor, rows: Tensor, state: Tensor, share: float) -> Tensor:
        s = state[rows][:, None]
        over = (losses > s).double().detach()
        write(state, rows, (s - 0.1 * (1 - over.mean(1, keepdim=True) / share))[:, 0])
        return (share * s[:, 0] + (over * (losses - s)).mean(1)).mean()

    def _two_way(self, losses: Tensor, rows: Tensor, alpha: float, beta: float) -> Tensor:
        s, level = self.s[rows][:, None], self.level
        over = (losses > s).double().detach()
        g = s[:, 0] + (over * (losses - s)).mean(1) / beta
        y = (self.y[rows] + 0.1 * (g.detach() - level) / alpha).clamp(0, 1)
        write(self.y, rows, y)
        write(self.s, rows, s[:, 0] - 0.1 * y / alpha * (1 - over.mean(1) / beta))
        self.level = level - 0.1 * (1 - y.mean().item() / alpha)
        return level + (y * (g - level)).mean() / alpha

    def _soft(self, losses: Tensor, rows: Tensor, lam: float, tau: float | None) -> Tensor:
        new = (losses / lam).exp().mean(1).detach()
        old = self.u[rows]
        u = torch.where(old.isnan(), new, 0.1 * old + 0.9 * new)
        # Duplicates are averaged as logarithms, which is what is kept.
        log_u = self.u.log()
        write(log_u, rows, u.log())
        self.u = log_u.exp()
        weight = (losses / lam).exp().detach() / u[:, None]
        value = lam * u.log().mean()
        if tau is not None:
            now = (u ** (lam / tau)).mean()
            self.v = now if math.isnan(self.v) else 0.1 * self.v + 0.9 * now
            weight = weight * (u ** (lam / tau))[:, None] / self.v
            value = tau * self.v.log()
        slope = (weight * losses).mean()
        return value + slope - slope.detach()


def write(state: Tensor, rows: Tensor, values: Tensor) -> None:
    """Assign, with the mean where a row repeats."""
    for row in rows.unique():
        state[row] = values[rows == row].mean()
