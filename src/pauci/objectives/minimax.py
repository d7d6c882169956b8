"""The minimax objective G: selection by thresholds on the losses, smoothed and regularised."""

from torch import Tensor

from pauci.errors import InputError
from pauci.objectives.average import selected_average, summable
from pauci.objectives.classes import classes_at
from pauci.objectives.coupling import lagrangian_term
from pauci.objectives.selectors import Selector
from pauci.objectives.variables import InnerVariables
from pauci.region import Region


def minimax_objective(
    positives: Tensor,
    negatives: Tensor,
    inner: InnerVariables,
    *,
    region: Region,
    selector: Selector,
    omega: float = 0.0,
    batch_prior: float | None = None,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> Tensor:
    """Return G^{kappa, omega} with its multiplier terms; its optimal value plus 1 is the pairwise squared risk.

    With the averages over the selected parts of the classes (`selected_average`) this is ::

        average P(f, a, gamma) + average N(f, b, gamma) - (1 + omega) gamma^2
            - theta_b (b - 1 - gamma) - theta_a (-a - gamma)

    to be minimised over the scores, a, b, the thresholds and the thetas, and maximised over gamma. One-way regions
    give the paper's G_op (no selector and no theta_a on the positives), two-way regions G_tp; the hinge selector
    gives G, softplus G^kappa, `omega` > 0 the regularised problem. On a side that is a bottom (positives when
    `max_tpr` < 1), the threshold belongs to the *maximisation*: the term of that class is jointly concave in it and
    gamma.

    Parameters
    ----------
    positives, negatives : Tensor
        Scores of each class, in [0, 1]. They are not checked, to avoid waiting for a device.
    inner : InnerVariables
        The point at which to evaluate.
    region : Region
        The selected region.
    selector : Selector
        How the region is selected.
    omega : float
        Strength of the regularisation of gamma.
    batch_prior : float, optional
        Positive share p of the batches: terms are then averaged as in the paper, y / p and (1 - y) / (1 - p) over
        the whole batch. By default each class is averaged by itself.
    positive_weight, negative_weight : Tensor, optional
        Sample weights of each class.

    Returns
    -------
    Tensor
        A scalar, differentiable in the scores and in those inner variables that are tensors.

    Examples
    --------
    >>> import torch
    >>> from pauci.objectives import TopK
    >>> positives, negatives = torch.tensor([0.9, 0.7]), torch.tensor([0.5, 0.3, 0.1])
    >>> point = InnerVariables(a=0.8, b=0.5, gamma=-0.3)
    >>> 1 + minimax_objective(positives, negatives, point, region=Region(max_fpr=1 / 3), selector=TopK())
    tensor(0.5000)
    >>> ((1 - (positives - 0.5)) ** 2).mean()
    tensor(0.5000)
    """
    classes = classes_at(
        positives,
        negatives,
        inner,
        region=region,
        positive_weight=positive_weight,
        negative_weight=negative_weight,
    )
    from_positives, from_negatives = (
        selected_average(c.losses, c.s, side=c.side, selector=selector, weights=c.weights) for c in classes
    )
    if batch_prior is not None:
        if not 0 < batch_prior < 1:
            raise InputError(f"batch_prior={batch_prior!r} must lie between 0 and 1: it is the share of positives.")
        n_positive, n_negative = _size(positives, positive_weight), _size(negatives, negative_weight)
        total = n_positive + n_negative
        from_positives = from_positives * n_positive / (total * batch_prior)
        from_negatives = from_negatives * n_negative / (total * (1 - batch_prior))
    return (
        from_positives
        + from_negatives
        - (1 + omega) * inner.gamma * inner.gamma
        + lagrangian_term(inner, region=region)
    )


def _size(scores: Tensor, weights: Tensor | None) -> Tensor | int:
    return scores.numel() if weights is None else summable(weights).sum()
