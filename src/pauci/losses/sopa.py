"""SOPA: exact one-way partial AUC with one threshold per positive."""

from torch import Tensor

from pauci.errors import RegionError
from pauci.losses.checks import check_positive
from pauci.losses.memory import Memory
from pauci.losses.mini_batch import batch_risk
from pauci.losses.pair_loss import PairLoss
from pauci.losses.pairs import Pairs
from pauci.losses.sorted_pairs import squared_hinge_sums
from pauci.region import Region, one_region


class SOPALoss(PairLoss):
    """Mean over positives of the highest squared hinge losses against negatives (SOPA; Zhu et al. 2022).

    The loss is ``mean_i [s_i + mean_j (l_ij - s_i)_+ / beta]`` with ``l_ij = (margin - (f_i - f_j))_+^2``. It is least
    where s_i cuts off the largest share beta of the losses of positive i. With dataset indices, the loss remembers s_i
    for every positive and moves it by one gradient step whenever it meets the positive. Without indices it remembers
    nothing: it solves for s_i on the batch, where s_i selects the highest negatives and the loss is that of
    `MiniBatchLoss`.

    Parameters
    ----------
    region : Region, optional
        The region to train for, of the form fpr <= beta. Alternatively, give `max_fpr`.
    max_fpr : float
        beta, when `region` is not given.
    threshold_lr : float, default 0.1
        Step length of s_i.
    margin : float, default 1.0
        Smallest difference of scores at which a pair costs nothing.
    from_logits : bool, default True
        Whether to apply a sigmoid first. Otherwise scores are compared as they are, probabilities or not.
    data_size : int, optional
        Number of instances of the dataset. By default the memory grows with the indices it meets.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K); the loss is the mean over labels.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> import torch
    >>> loss = SOPALoss(max_fpr=0.5, from_logits=False)
    >>> score = torch.tensor([0.75, 0.5, 0.25], requires_grad=True)
    >>> loss(score, torch.tensor([1, 0, 0]), torch.tensor([7, 3, 5])).detach()
    tensor(0.8125)
    >>> loss.thresholds.read(torch.tensor([7]))
    tensor([0.1000])
    """

    remembers = True

    def __init__(
        self,
        region: Region | None = None,
        *,
        max_fpr: float = 1.0,
        threshold_lr: float = 0.1,
        margin: float = 1.0,
        from_logits: bool = True,
        data_size: int | None = None,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(num_labels=num_labels, validate=validate, data_size=data_size)
        self.region = one_region(region, max_fpr=max_fpr)
        if self.region != Region(max_fpr=self.region.max_fpr):
            raise RegionError(
                f"region {self.region} is not of the form fpr<=beta, which is all SOPA knows; "
                "use STACOLoss for a region with tpr>=..., or MiniBatchLoss for any rectangle."
            )
        check_positive(threshold_lr=threshold_lr, margin=margin)
        self.threshold_lr = threshold_lr
        self.margin = margin
        self.from_logits = from_logits
        self.thresholds = Memory(0.0, data_size, num_labels)

    def pair_loss(self, pairs: Pairs) -> Tensor:
        """Objective at the remembered thresholds, which then take a step."""
        if pairs.rows is None:
            return batch_risk(pairs, self.region, self.margin)
        s = self.thresholds.read(pairs.rows, pairs.label).to(pairs.p.dtype)
        sums, share = squared_hinge_sums(pairs.positives, pairs.negatives, pairs.q, margin=self.margin, threshold=s)
        beta = self.region.max_fpr
        new = s - self.threshold_lr * (1 - share / beta)
        self.thresholds.write(pairs.rows, new, pairs.label, only=pairs.own)
        return pairs.p @ (s + (sums - s * share) / beta)

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"{self.region}, threshold_lr={self.threshold_lr:g}, margin={self.margin:g}"
