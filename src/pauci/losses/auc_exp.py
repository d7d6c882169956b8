"""AUC-exp: negatives weigh by a saturating exponential of their score."""

from torch import Tensor

from pauci.losses.checks import check_positive
from pauci.losses.weighted_auc import WeightedAUCLoss


class AUCExpLoss(WeightedAUCLoss):
    """Squared pairwise risk with exponential weights (Yang et al. 2021), in O(n).

    The loss is the mean of ``w_i w_j (1 - (f_i - f_j))^2`` with ``w_j = 1 - exp(-rate f_j)``. The two-way loss has
    ``w_i = 1 - exp(-rate (1 - f_i))``, the one-way loss ``w_i = 1``. Pairs that are well ordered fade out.

    Parameters
    ----------
    rate : float, default 8.0
        The smaller the rate, the narrower the selected region.
    two_way : bool, default False
        Whether positives are weighted as well as negatives.
    warmup : int, default 0
        Calls of `advance` (once per epoch) during which all weights are 1.
    from_logits : bool, default True
        Whether scores are logits; otherwise they must lie in [0, 1].
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> import torch
    >>> loss = AUCExpLoss(rate=8.0, from_logits=False)
    >>> loss(torch.tensor([0.75, 0.5]), torch.tensor([1, 0]))
    tensor(0.5522)
    """

    def __init__(
        self,
        *,
        rate: float = 8.0,
        two_way: bool = False,
        warmup: int = 0,
        from_logits: bool = True,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(
            two_way=two_way, warmup=warmup, from_logits=from_logits, num_labels=num_labels, validate=validate
        )
        check_positive(rate=rate)
        self.rate = rate

    def weigh(self, error: Tensor, log_error: Tensor) -> Tensor:  # noqa: ARG002 - smooth at 0
        """Saturating exponential of the error."""
        return -(-self.rate * error).expm1()

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"rate={self.rate:g}, two_way={self.two_way}, warmup={self.warmup}"
