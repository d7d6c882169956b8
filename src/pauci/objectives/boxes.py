"""The boxes the inner variables live in."""

import dataclasses
from dataclasses import dataclass

from torch import Tensor

from pauci.objectives.selectors import Selector, TopK
from pauci.objectives.sides import Side, selected_sides
from pauci.objectives.variables import InnerVariables, Scalar
from pauci.region import Region

Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Boxes:
    """One interval per inner variable; the defaults are the paper's.

    Parameters
    ----------
    a, b, gamma : tuple of float
        Lowest and highest value of the centres of the classes, and of the ascent variable.
    s_pos, s_neg : tuple of float
        Lowest and highest value of the thresholds of the positives and of the negatives.
    theta_a, theta_b : tuple of float
        Lowest and highest value of the multipliers.

    Examples
    --------
    >>> Boxes().clip(InnerVariables(a=1.5, b=0.25, gamma=-2.0)).gamma
    -1.0
    """

    a: Interval = (0.0, 1.0)
    b: Interval = (0.0, 1.0)
    gamma: Interval = (-1.0, 1.0)
    s_pos: Interval = (-4.0, 1.0)
    s_neg: Interval = (0.0, 5.0)
    theta_a: Interval = (0.0, 1e9)
    theta_b: Interval = (0.0, 1e9)

    def clip(self, inner: InnerVariables) -> InnerVariables:
        """Return the nearest point inside the boxes (gamma's coupling is left to `project_gamma`).

        Parameters
        ----------
        inner : InnerVariables
            Numbers or tensors.

        Returns
        -------
        InnerVariables
            The variables, each in its own interval.
        """
        return InnerVariables(
            **{
                field.name: _clip(getattr(inner, field.name), *getattr(self, field.name))
                for field in dataclasses.fields(self)
            }
        )


def inner_boxes(region: Region, selector: Selector) -> Boxes:
    """Return boxes that hold the inner optimum of any scores in [0, 1].

    The paper's boxes for the thresholds are the ranges of the losses, P in [-4, 1] and N in [0, 5]. That is right for
    exact selection. The best threshold of a smooth selector lies off the losses by up to the distance at which the
    weight equals the share, log((1 - share) / share) / kappa for softplus: a box without that margin would move the
    optimum, so that gamma is no longer (b - a) / (1 + omega). The margin is added here.

    Parameters
    ----------
    region : Region
        The region; its shares decide how far thresholds lie off the losses.
    selector : Selector
        The selector; exact ones have the paper's boxes.

    Returns
    -------
    Boxes
        One interval per variable.

    Examples
    --------
    >>> from pauci.objectives import Hinge, Softplus
    >>> inner_boxes(Region(max_fpr=0.3), Hinge()).s_neg
    (0.0, 5.0)
    >>> low, high = inner_boxes(Region(max_fpr=0.05), Softplus(kappa=4.0)).s_neg
    >>> low, round(high, 3)
    (0.0, 5.736)
    """
    positives, negatives = selected_sides(region)
    return Boxes(
        s_pos=_with_margin(Boxes.s_pos, positives, selector), s_neg=_with_margin(Boxes.s_neg, negatives, selector)
    )


def _with_margin(interval: Interval, side: Side, selector: Selector) -> Interval:
    if side.kind in ("whole", "band") or isinstance(selector, TopK):
        return interval
    offset = side.sign * selector.offset(side.share)
    return interval[0] + min(offset, 0.0), interval[1] + max(offset, 0.0)


def _clip(value: Scalar, low: float, high: float) -> Scalar:
    return value.clamp(low, high) if isinstance(value, Tensor) else min(max(value, low), high)
