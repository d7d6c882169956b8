"""The models of the study, in families that differ in the loss alone; each has eight configurations to choose from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pauci.losses import AUCMLoss, FocalLoss
from pauci.studies.tabular.boosters import booster_scores
from pauci.studies.tabular.networks import cross_entropy_scores, network_scores

Config = Mapping[str, Any]

#: Methods that minimise cross-entropy, of all rows, of weighted rows, or of a part of them.
CROSS_ENTROPY = ("ce", "class-weight", "undersampling")

#: Families that see numbers (`TableEncoder`); trees see the table as it is.
ENCODED = ("linear", "mlp")


class Scores(Protocol):
    """Train on rows under each configuration, and score new rows."""

    def __call__(
        self, X: NDArray[Any], y: NDArray[np.int64], X_new: NDArray[Any], configs: Sequence[Config], *, seed: int
    ) -> list[NDArray[Any]]:
        """Return one array of scores per configuration."""


@dataclass(frozen=True)
class Model:
    """A way to train, and what it may be tuned over.

    Attributes
    ----------
    scores : callable
        Trains and scores.
    configs : tuple of mapping
        The eight candidates.
    """

    scores: Scores
    configs: tuple[Config, ...]


def undersampled(
    X: NDArray[Any],
    y: NDArray[np.int64],
    X_new: NDArray[Any],
    configs: Sequence[Config],
    *,
    scores: Scores,
    seed: int,
) -> list[NDArray[Any]]:
    """Train `scores` on all positives and some negatives, drawn at random: so many ``negatives`` per positive."""
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    order = np.random.default_rng(seed).permutation(negative)
    found: dict[int, NDArray[Any]] = {}
    for ratio in dict.fromkeys(config["negatives"] for config in configs):
        members = [i for i, config in enumerate(configs) if config["negatives"] == ratio]
        rows = np.sort(np.concatenate([positive, order[: max(1, round(ratio * len(positive)))]]))
        found |= zip(members, scores(X[rows], y[rows], X_new, [configs[i] for i in members], seed=seed), strict=True)
    return [found[i] for i in range(len(configs))]


def logistic_scores(
    X: NDArray[Any],
    y: NDArray[np.int64],
    X_new: NDArray[Any],
    configs: Sequence[Config],
    *,
    class_weight: str | None = None,
    seed: int,  # noqa: ARG001 - there is nothing random about it
) -> list[NDArray[Any]]:
    """Logistic regression with an L2 penalty: ``C`` in a configuration is scikit-learn's inverse penalty."""
    from sklearn.linear_model import LogisticRegression

    X = X.astype(np.float64)
    fits = (
        LogisticRegression(C=config["C"], solver="newton-cholesky", max_iter=200, class_weight=class_weight).fit(X, y)
        for config in configs
    )
    return [fit.decision_function(X_new) for fit in fits]


def _grid(**values: Sequence[Any]) -> tuple[Config, ...]:
    return tuple(dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))


_DECAYS = (0.01, 0.1, 0.3, 1.0)
_PENALTIES = tuple(float(c) for c in np.logspace(-4, 3, 8))


def _linear() -> dict[str, Model]:
    aucm = partial(network_scores, hidden=(), loss=lambda _: AUCMLoss(inner="solve"), positive_ratio=0.25)
    return {
        "ce": Model(logistic_scores, _grid(C=_PENALTIES)),
        "class-weight": Model(partial(logistic_scores, class_weight="balanced"), _grid(C=_PENALTIES)),
        "undersampling": Model(
            partial(undersampled, scores=logistic_scores), _grid(C=(1e-3, 1e-2, 0.1, 1.0), negatives=(1, 10))
        ),
        "auc-m": Model(aucm, _grid(learning_rate=(0.003, 0.03), weight_decay=_DECAYS)),
    }


def _mlp() -> dict[str, Model]:
    network = partial(network_scores, hidden=(128, 64))
    rates = (4e-3, 16e-3)
    return {
        "ce": Model(cross_entropy_scores, _grid(learning_rate=(1e-3, 2e-3, 4e-3, 8e-3), weight_decay=(0.01, 0.3))),
        "focal": Model(
            partial(network, loss=lambda config: FocalLoss(focus=config["focus"])),
            _grid(learning_rate=rates, weight_decay=(0.01, 0.3), focus=(1.0, 2.0)),
        ),
        "auc-m": Model(
            partial(network, loss=lambda _: AUCMLoss(inner="solve"), positive_ratio=0.25),
            _grid(learning_rate=rates, weight_decay=_DECAYS),
        ),
    }


def _boosted(base: str) -> dict[str, Model]:
    scores = partial(booster_scores, base=base)
    return {
        "ce": Model(scores, _grid(leaves=(7, 31), rounds=(50, 100, 200, 400))),
        # From the square root of the class ratio to the class ratio itself, as practitioners set scale_pos_weight.
        "class-weight": Model(scores, _grid(leaves=(7, 31), rounds=(100, 400), pos_weight=(0.5, 1.0))),
        "undersampling": Model(
            partial(undersampled, scores=scores), _grid(leaves=(7, 31), rounds=(100, 400), negatives=(5, 20))
        ),
    }


#: Family to method to model. Within a family, all see the same features and are tuned over as many configurations.
FAMILIES: dict[str, dict[str, Model]] = {
    "linear": _linear(),
    "mlp": _mlp(),
    "lightgbm": _boosted("lightgbm"),
    "xgboost": _boosted("xgboost"),
}
