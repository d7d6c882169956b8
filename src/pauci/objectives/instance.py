"""Instance functions: what one positive and one negative contribute to the objective."""

from torch import Tensor

from pauci.objectives.variables import Scalar


def positive_loss(scores: Tensor, *, a: Scalar, gamma: Scalar) -> Tensor:
    """Loss of each positive, P = (f - a)^2 - 2 (1 + gamma) f.

    It falls with the score as long as ``gamma >= -a``, so that the largest losses belong to the lowest-scored
    positives. For scores in [0, 1] it lies in [-4, 1].

    Parameters
    ----------
    scores : Tensor
        Scores of the positives, in [0, 1].
    a, gamma : float or Tensor
        Centre of the selected positives and ascent variable.

    Returns
    -------
    Tensor
        One loss per score.

    Examples
    --------
    >>> import torch
    >>> positive_loss(torch.tensor([0.0, 0.5, 1.0]), a=0.5, gamma=0.0)
    tensor([ 0.2500, -1.0000, -1.7500])
    """
    return (scores - a) ** 2 - 2 * (1 + gamma) * scores


def negative_loss(scores: Tensor, *, b: Scalar, gamma: Scalar) -> Tensor:
    """Loss of each negative, N = (f - b)^2 + 2 (1 + gamma) f.

    It rises with the score as long as ``gamma >= b - 1``, so that the largest losses belong to the highest-scored
    negatives. For scores in [0, 1] it lies in [0, 5].

    Parameters
    ----------
    scores : Tensor
        Scores of the negatives, in [0, 1].
    b, gamma : float or Tensor
        Centre of the selected negatives and ascent variable.

    Returns
    -------
    Tensor
        One loss per score.

    Examples
    --------
    >>> import torch
    >>> negative_loss(torch.tensor([0.0, 0.5, 1.0]), b=0.5, gamma=0.0)
    tensor([0.2500, 1.0000, 2.2500])
    """
    return (scores - b) ** 2 + 2 * (1 + gamma) * scores
