"""The mini-batch baseline: squared hinge over the region's pairs of the batch."""

from torch import Tensor

from pauci.losses.checks import check_positive
from pauci.losses.pair_loss import PairLoss
from pauci.losses.pairs import Pairs, in_region
from pauci.losses.sorted_pairs import squared_hinge_sums
from pauci.region import Region, one_region


class MiniBatchLoss(PairLoss):
    """Squared hinge risk of the pairs in a region of each batch (MB; Kar et al. 2014), in O(n log n).

    The loss is the mean of ``(margin - (f_i - f_j))_+^2`` over the lowest positives and the highest negatives of the
    batch. The share of a batch is a biased estimate of the share of the dataset, so batches should be large.

    Parameters
    ----------
    region : Region, optional
        The region to train for, any rectangle. Alternatively, give `max_fpr` and `min_tpr`.
    max_fpr, min_tpr : float
        The region's edges, when `region` is not given.
    margin : float, default 1.0
        Smallest difference of scores at which a pair costs nothing.
    from_logits : bool, default True
        Whether to apply a sigmoid first. Otherwise scores are compared as they are, probabilities or not.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> import torch
    >>> loss = MiniBatchLoss(max_fpr=0.5, from_logits=False)
    >>> loss(torch.tensor([0.75, 0.5, 0.25]), torch.tensor([1, 0, 0]))
    tensor(0.5625)
    """

    def __init__(
        self,
        region: Region | None = None,
        *,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        margin: float = 1.0,
        from_logits: bool = True,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(num_labels=num_labels, validate=validate)
        self.region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr)
        check_positive(margin=margin)
        self.margin = margin
        self.from_logits = from_logits

    def pair_loss(self, pairs: Pairs) -> Tensor:
        """Mean squared hinge over the selected pairs."""
        return batch_risk(pairs, self.region, self.margin)

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"{self.region}, margin={self.margin:g}"


def batch_risk(pairs: Pairs, region: Region, margin: float) -> Tensor:
    """Return the mean squared hinge loss of the pairs in a region, any rectangle."""
    kept = in_region(pairs, region)
    losses, _ = squared_hinge_sums(kept.positives, kept.negatives, kept.q, margin=margin)
    return kept.p @ losses
