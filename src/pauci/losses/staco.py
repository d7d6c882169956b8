"""STACO: exact two-way partial AUC with a threshold and a dual weight per positive."""

from torch import Tensor

from pauci.errors import RegionError
from pauci.losses.checks import check_positive
from pauci.losses.memory import Memory
from pauci.losses.mini_batch import batch_risk
from pauci.losses.pair_loss import PairLoss
from pauci.losses.pairs import Pairs
from pauci.losses.sorted_pairs import squared_hinge_sums
from pauci.region import Region, one_region


class STACOLoss(PairLoss):
    """Mean of the hardest positives' highest squared hinge losses against negatives (STACO): SOPA in both directions.

    The loss is ``s' + mean_i y_i (g_i - s') / alpha`` with ``g_i = s_i + mean_j (l_ij - s_i)_+ / beta`` and
    ``l_ij = (margin - (f_i - f_j))_+^2``, minimised in s' and s_i and maximised in y_i in [0, 1]: y_i selects the share
    alpha of the positives with the largest g_i. With dataset indices, the loss remembers s_i and y_i for every positive
    and moves them by one step, y_i first, whenever it meets the positive. Without indices it remembers nothing: it
    solves for all of them on the batch, where the loss is that of `MiniBatchLoss`.

    Parameters
    ----------
    region : Region, optional
        The region to train for, of the form fpr <= beta, tpr >= 1 - alpha. Alternatively, give `max_fpr` and `min_tpr`.
    max_fpr, min_tpr : float
        The region's edges, when `region` is not given.
    threshold_lr, dual_lr, level_lr : float, default 0.1
        Step lengths of s_i, y_i and s'.
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
    >>> loss = STACOLoss(max_fpr=0.5, min_tpr=0.5, from_logits=False)
    >>> loss(torch.tensor([0.75, 0.5, 0.5, 0.25]), torch.tensor([1, 1, 0, 0]))
    tensor(1.)
    """

    remembers = True

    def __init__(
        self,
        region: Region | None = None,
        *,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        threshold_lr: float = 0.1,
        dual_lr: float = 0.1,
        level_lr: float = 0.1,
        margin: float = 1.0,
        from_logits: bool = True,
        data_size: int | None = None,
        num_labels: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(num_labels=num_labels, validate=validate, data_size=data_size)
        self.region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr)
        if self.region.min_fpr > 0 or self.region.max_tpr < 1:
            raise RegionError(
                f"region {self.region} does not reach the edges fpr=0 and tpr=1; use MiniBatchLoss for any rectangle."
            )
        check_positive(threshold_lr=threshold_lr, dual_lr=dual_lr, level_lr=level_lr, margin=margin)
        self.threshold_lr, self.dual_lr, self.level_lr = threshold_lr, dual_lr, level_lr
        self.margin = margin
        self.from_logits = from_logits
        self.thresholds = Memory(0.0, data_size, num_labels)
        self.duals = Memory(1.0, data_size, num_labels)
        self.level = Memory(0.0, 1, num_labels)  # one number per label

    def pair_loss(self, pairs: Pairs) -> Tensor:
        """Objective at the remembered variables, which then take a step."""
        rows, label = pairs.rows, pairs.label
        if rows is None:
            return batch_risk(pairs, self.region, self.margin)
        alpha, beta = self.region.alpha, self.region.beta
        s, y = (memory.read(rows, label).to(pairs.p.dtype) for memory in (self.thresholds, self.duals))
        first = rows.new_zeros(1)
        level = self.level.read(first, label)[0].to(pairs.p.dtype)
        sums, share = squared_hinge_sums(pairs.positives, pairs.negatives, pairs.q, margin=self.margin, threshold=s)
        g = s + (sums - s * share) / beta
        y = (y + self.dual_lr / alpha * (g.detach() - level)).clamp(0, 1)
        self.duals.write(rows, y, label, only=pairs.own)
        self.thresholds.write(rows, s - self.threshold_lr / alpha * y * (1 - share / beta), label, only=pairs.own)
        new_level = level - self.level_lr * (1 - pairs.p @ y / alpha)
        self.level.write(first, new_level[None], label, only=pairs.are_there)
        return level + (pairs.p * y) @ (g - level) / alpha

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        rates = f"threshold_lr={self.threshold_lr:g}, dual_lr={self.dual_lr:g}, level_lr={self.level_lr:g}"
        return f"{self.region}, {rates}, margin={self.margin:g}"
