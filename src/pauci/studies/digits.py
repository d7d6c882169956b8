"""The small study behind `pauci demo`: each handwritten digit against the rest, cross-entropy against PAUCI.

Both methods train the same linear scorer, from the same start, for the same number of steps, with the same choice of
weight decays on the same validation half. They differ in the loss alone: cross-entropy, or PAUCI and cross-entropy
mixed half and half, PAUCI on a region three times as wide as the one judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.datasets import load_digits
from torch import nn

from pauci.losses import CrossEntropyLoss, MixedLoss, PAUCILoss
from pauci.metrics.comparison import Comparison, compare_partial_auc
from pauci.metrics.interval import Interval, partial_auc_interval
from pauci.metrics.score import partial_auc_score
from pauci.region import Region

Array = npt.NDArray[Any]

_WEIGHT_DECAYS = (1e-4, 1e-2, 1e-1)
_STEPS = 300
_RESAMPLES = 500


@dataclass(frozen=True)
class DigitResult:
    """Both methods on the test images of one task.

    Attributes
    ----------
    digit : int
        The positive class.
    labels : ndarray of bool
        Test labels.
    cross_entropy, pauci : ndarray
        Test scores of either method, `pauci` being the mixed loss.
    region : Region
        The target region.
    """

    digit: int
    labels: Array
    cross_entropy: Array
    pauci: Array
    region: Region

    def interval(self, scores: Array) -> Interval:
        """Partial AUC of one method with its interval."""
        return partial_auc_interval(self.labels, scores, region=self.region)

    def comparison(self) -> Comparison:
        """PAUCI minus cross-entropy, paired over the test images."""
        return compare_partial_auc(self.labels, self.pauci, self.cross_entropy, region=self.region)


def run_digits(*, region: Region, digits: Sequence[int] = range(10), seed: int = 0) -> Iterator[DigitResult]:
    """Train and test both methods on each digit against the rest.

    Parameters
    ----------
    region : Region
        What is judged; training sees a region three times as wide.
    digits : sequence of int
        The positive class of each task.
    seed : int
        Decides the split into training, validation and test images, the same for all digits.

    Yields
    ------
    DigitResult
        One per digit. The test images are looked at once, after validation has chosen the weight decay.

    Examples
    --------
    >>> result, = run_digits(region=Region(max_fpr=0.05), digits=[3])
    >>> result.interval(result.pauci).estimate > 0.5
    True
    """
    images, classes = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(images))
    inputs = torch.tensor(images[order] / 16, dtype=torch.float32)
    fit, val, test = slice(0, 600), slice(600, 900), slice(900, None)
    for digit in digits:
        labels = classes[order] == digit
        scores = {}
        for method in ("cross-entropy", "pauci"):
            models = [
                _train(inputs[fit], torch.tensor(labels[fit]), _loss(method, region), weight_decay=decay)
                for decay in _WEIGHT_DECAYS
            ]
            best = max(models, key=lambda model: _partial_auc(labels[val], _scores(model, inputs[val]), region))
            scores[method] = _scores(best, inputs[test])
        yield DigitResult(digit, labels[test], scores["cross-entropy"], scores["pauci"], region)


def mean_gain(results: Sequence[DigitResult]) -> Interval:
    """Mean over the digits of PAUCI minus cross-entropy, with a bootstrap interval over the test images.

    Images are drawn within each digit, so that every task keeps its class sizes.

    Parameters
    ----------
    results : sequence of DigitResult
        All digits, tested on the same images.
    """
    rng = np.random.default_rng(0)
    classes = np.argmax([result.labels for result in results], axis=0)
    members = [np.flatnonzero(classes == k) for k in range(len(results))]

    def gain(rows: Array) -> float:
        gains = [
            _partial_auc(r.labels[rows], r.pauci[rows], r.region)
            - _partial_auc(r.labels[rows], r.cross_entropy[rows], r.region)
            for r in results
        ]
        return float(np.mean(gains))

    drawn = [gain(np.concatenate([rng.choice(m, len(m)) for m in members])) for _ in range(_RESAMPLES)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(gain(np.arange(len(classes))), float(low), float(high), 0.95)


def _partial_auc(labels: Array, scores: Array, region: Region) -> float:
    return float(partial_auc_score(labels, scores, region=region))


def _loss(method: str, region: Region) -> nn.Module:
    if method == "cross-entropy":
        return CrossEntropyLoss()
    return MixedLoss(PAUCILoss(region.widened(3)), CrossEntropyLoss(), weight=0.5)


def _train(inputs: torch.Tensor, labels: torch.Tensor, loss: nn.Module, *, weight_decay: float) -> nn.Module:
    # Starting at zero needs no random numbers, so the global generator is left alone.
    model = nn.Linear(inputs.shape[1], 1, device="meta").to_empty(device="cpu")
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    groups = [{"params": list(model.parameters()), "weight_decay": weight_decay}]
    if inner := list(loss.parameters()):
        groups.append({"params": inner, "weight_decay": 0.0})
    optimiser = torch.optim.AdamW(groups, lr=0.03)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, _STEPS)
    for _ in range(_STEPS):
        optimiser.zero_grad()
        loss(model(inputs), labels).backward()
        optimiser.step()
        schedule.step()
    return model


@torch.no_grad()
def _scores(model: nn.Module, inputs: torch.Tensor) -> Array:
    scores: Array = model(inputs)[:, 0].numpy()
    return scores
