"""Both classes at a point of the minimax problem: scores, losses, and the part that is selected."""

from dataclasses import dataclass

from torch import Tensor

from pauci.objectives.instance import negative_loss, positive_loss
from pauci.objectives.sides import Side, selected_sides
from pauci.objectives.variables import InnerVariables, Scalar
from pauci.region import Region


@dataclass(frozen=True)
class ClassAt:
    """One class at a point (see `classes_at`).

    Attributes
    ----------
    scores, losses : Tensor
        Scores and their losses P or N.
    s : float or Tensor
        Selection threshold on the losses.
    side : Side
        The selected part.
    weights : Tensor or None
        Sample weights.
    """

    scores: Tensor
    losses: Tensor
    s: Scalar
    side: Side
    weights: Tensor | None


def classes_at(
    positives: Tensor,
    negatives: Tensor,
    inner: InnerVariables,
    *,
    region: Region,
    positive_weight: Tensor | None = None,
    negative_weight: Tensor | None = None,
) -> tuple[ClassAt, ClassAt]:
    """Return positives and negatives at a point; arguments are those of `minimax_objective`.

    Examples
    --------
    >>> import torch
    >>> point = InnerVariables(a=0.5, b=0.5, gamma=0.0)
    >>> classes_at(torch.ones(1), torch.ones(1), point, region=Region(max_fpr=0.3))[1].losses
    tensor([2.2500])
    """
    positive_side, negative_side = selected_sides(region)
    return (
        ClassAt(
            positives,
            positive_loss(positives, a=inner.a, gamma=inner.gamma),
            inner.s_pos,
            positive_side,
            positive_weight,
        ),
        ClassAt(
            negatives,
            negative_loss(negatives, b=inner.b, gamma=inner.gamma),
            inner.s_neg,
            negative_side,
            negative_weight,
        ),
    )
