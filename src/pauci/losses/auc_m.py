"""AUC-M: the whole AUC as a minimax problem over instances."""

from typing import Literal

from pauci.losses.pauci import PAUCILoss


class AUCMLoss(PAUCILoss):
    """Squared pairwise risk over the whole ROC curve, in O(n) and without pairs (Ying et al. 2016).

    The loss is ``E+[(f - a)^2 - 2 (1 + gamma) f] + E-[(f - b)^2 + 2 (1 + gamma) f] - gamma^2 + 1``, minimised in a and
    b and maximised in gamma. At that saddle it is the mean of ``(1 - (f_i - f_j))^2`` over all pairs. It is `PAUCILoss`
    of the whole plane, which needs no selectors, without the regulariser of gamma, and is solved in the same ways.

    Parameters
    ----------
    from_logits : bool, default True
        Whether scores are logits; otherwise they must lie in [0, 1].
    batch_prior : float, optional
        Positive share of the batches, for the y/p form; by default each class is averaged by itself.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K), each with inner variables of its own.
    inner : {"learn", "solve"}, default "learn"
        Whether inner variables are parameters ("learn"), or the loss solves for them in every training batch and
        averages them over batches ("solve").
    momentum : float, default 0.1
        Share of the newest batch in the averages of ``inner="solve"``.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only.

    Examples
    --------
    >>> import torch
    >>> loss = AUCMLoss(from_logits=False, inner="solve")
    >>> loss(torch.tensor([0.75, 0.5, 0.25]), torch.tensor([1, 0, 0]))
    tensor(0.4062)
    """

    def __init__(
        self,
        *,
        from_logits: bool = True,
        batch_prior: float | None = None,
        num_labels: int | None = None,
        inner: Literal["learn", "solve"] = "learn",
        momentum: float = 0.1,
        validate: bool | None = None,
    ) -> None:
        super().__init__(
            omega=0.0,
            from_logits=from_logits,
            batch_prior=batch_prior,
            num_labels=num_labels,
            inner=inner,
            momentum=momentum,
            validate=validate,
        )

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"from_logits={self.from_logits}"
