"""AUC-poly: negatives weigh as a power of their score."""

from torch import Tensor

from pauci.losses.checks import check_positive
from pauci.losses.weighted_auc import WeightedAUCLoss


class AUCPolyLoss(WeightedAUCLoss):
    """Squared pairwise risk with polynomial weights (Yang et al. 2021), in O(n).

    The loss is the mean of ``w_i w_j (1 - (f_i - f_j))^2`` with ``w_j = f_j^power``. The two-way loss has
    ``w_i = (1 - f_i)^power``, the one-way loss ``w_i = 1``. The harder a pair, the more it weighs. Weights are
    differentiated, so a large power also rewards pushing all scores down: warm up, or keep the power small.

    Parameters
    ----------
    power : float, default 0.1
        The larger the power, the narrower the selected region.
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
    >>> loss = AUCPolyLoss(power=2.0, from_logits=False)
    >>> loss(torch.tensor([0.75, 0.5]), torch.tensor([1, 0]))
    tensor(0.1406)
    """

    def __init__(
        self,
        *,
        power: float = 0.1,
        two_way: bool = False,
        warmup: int = 0,
        from_logits: bool = True,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(
            two_way=two_way, warmup=warmup, from_logits=from_logits, num_labels=num_labels, validate=validate
        )
        check_positive(power=power)
        self.power = power

    def weigh(self, error: Tensor, log_error: Tensor) -> Tensor:  # noqa: ARG002 - the logarithm is the stable one
        """Power of the error."""
        return (self.power * log_error).exp()

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"power={self.power:g}, two_way={self.two_way}, warmup={self.warmup}"
