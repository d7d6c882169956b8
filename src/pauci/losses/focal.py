"""Focal loss: cross-entropy that looks away from what is already right."""

import torch
from torch import Tensor
from torch.nn import functional

from pauci.losses.checks import check_not_negative
from pauci.losses.cross_entropy import CrossEntropyLoss


class FocalLoss(CrossEntropyLoss):
    """Binary cross-entropy, each instance weighted by ``(1 - p)^focus`` of its own class's probability p (Lin 2017).

    Parameters
    ----------
    focus : float, default 2.0
        How fast correctly classified instances fade out (the paper's gamma); 0 is cross-entropy.
    pos_weight : float, default 1.0
        Factor on the positives (the paper's alpha / (1 - alpha)).
    balanced : bool, default False
        Whether both classes weigh the same, whatever the batch's class ratio. By default all instances weigh the same.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> loss = FocalLoss()
    >>> loss(torch.tensor([0.0, 0.0, 0.0]), torch.tensor([1, 0, 0]))
    tensor(0.1733)
    """

    def __init__(
        self,
        *,
        focus: float = 2.0,
        pos_weight: float = 1.0,
        balanced: bool = False,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(pos_weight=pos_weight, balanced=balanced, num_labels=num_labels, validate=validate)
        check_not_negative(focus=focus)
        self.focus = focus

    def _weighted_sum(self, logits: Tensor, positive: Tensor, weight: Tensor) -> Tensor:
        wrong = torch.where(positive, -logits, logits)
        return (weight * (self.focus * functional.logsigmoid(wrong)).exp() * functional.softplus(wrong)).sum()

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"focus={self.focus:g}, {super().extra_repr()}"
