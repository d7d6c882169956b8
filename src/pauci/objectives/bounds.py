"""What theory guarantees: the bias of a smooth selector, and generalisation."""

import math

from pauci.errors import InputError, RegionError
from pauci.objectives.boxes import Boxes
from pauci.objectives.selectors import Dual, Selector, Softplus
from pauci.objectives.sides import Side, refuse_band, selected_sides
from pauci.region import Region


def bias_bound(selector: Selector, region: Region) -> float:
    """Return how far the optimal value under a smooth selector can be from that under exact selection (omega = 0).

    The softplus exceeds the hinge by at most log(2) / kappa, the dual falls short of it by at most omega_c. Divided by
    the share of each selected class, this bounds the difference of the objectives at every point, hence that of their
    min-max values: log(2) / (kappa beta) + log(2) / (kappa alpha). (The paper drops beta and alpha.) At the best
    thresholds the difference is smaller for narrow regions: per class at most h(share) / (kappa share), with the
    entropy h in nats, and omega_c for the dual.

    Parameters
    ----------
    selector : Selector
        The selector; exact selectors have no bias.
    region : Region
        The region; classes that are taken whole add nothing.

    Returns
    -------
    float
        The bound.

    Raises
    ------
    RegionError
        For a band under a smooth selector, whose one threshold cannot cut out a band.

    Examples
    --------
    >>> from pauci.objectives import Softplus
    >>> round(bias_bound(Softplus(kappa=20.0), Region(max_fpr=0.3)), 4)
    0.1155
    """
    if isinstance(selector, Softplus):
        gap = math.log(2) / selector.kappa
    elif isinstance(selector, Dual):
        gap = selector.omega_c
    else:
        gap = 0.0
    sides = [side for side in selected_sides(region) if side.kind != "whole"]
    for side in sides if gap > 0 else ():
        refuse_band(side)
    return sum(gap / side.share for side in sides)


def generalization_bound(
    n_positive: int,
    n_negative: int,
    *,
    region: Region,
    rademacher_positive: float,
    rademacher_negative: float,
    delta: float = 0.05,
) -> float:
    """Return epsilon such that, with probability 1 - delta, risk <= empirical risk + epsilon for all scorers at once.

    Risk is the optimal value of the exact objective G plus 1, the pairwise squared risk in the region. This follows
    the proof of the paper's Theorem 4 (one-way) and of its two-way version, with every constant kept. The
    difference of two min-max-min values is at most the largest difference of the objectives, which splits into one
    uniform deviation per class; each is bounded with probability 1 - delta/2 by ::

        2 * (Rademacher complexity of the class's loss) + 3 * width * sqrt(log(4 / delta) / (2 n))

    * width: how much the loss of one instance can change with its score, the variables being fixed. It is 5 for P and
      for N, and 5 / share after selection. (The paper uses 4 for P, but P runs from 1 to -4 at a = gamma = 1.)
    * complexity of P or N without selection, for scorers of complexity R: f^2 adds 2 R (contraction), the linear term
      2 R, the terms 2 gamma f and 2 a f 4 R each (absolute values double a complexity; the class contains the zero
      scorer), a^2 adds 1 / sqrt(n): in all 12 R + 1 / sqrt(n).
    * with selection, (share s + [P - s]_+) / share: the hinge is a contraction; share s adds share max|s| / sqrt(n),
      a^2 - s adds max|a^2 - s| / sqrt(n), and all is divided by the share. max|s| is 4 for positives and 5 for
      negatives, max|a^2 - s| is 5 for both. (The paper's statement forgets to divide R by the share.)

    Parameters
    ----------
    n_positive, n_negative : int
        Training instances of each class.
    region : Region
        The selected region; bands are not covered by the proof.
    rademacher_positive, rademacher_negative : float
        Empirical Rademacher complexity of the scorers on each class.
    delta : float, default 0.05
        Probability with which the bound may fail.

    Returns
    -------
    float
        The bound, of order R + 1 / sqrt(n), divided by the shares.

    Examples
    --------
    >>> bound = generalization_bound(
    ...     10**6, 10**7, region=Region(max_fpr=0.3), rademacher_positive=1e-4, rademacher_negative=1e-4
    ... )
    >>> round(bound, 3)
    0.072
    """
    if not 0 < delta < 1:
        raise InputError(f"delta={delta!r} must lie between 0 and 1: it is the probability that the bound fails.")
    positives, negatives = selected_sides(region)
    return _deviation(positives, n_positive, rademacher_positive, delta, Boxes.s_pos) + _deviation(
        negatives, n_negative, rademacher_negative, delta, Boxes.s_neg
    )


def _deviation(side: Side, n: int, rademacher: float, delta: float, thresholds: tuple[float, float]) -> float:
    if side.kind == "band":
        raise RegionError(
            "the generalisation bound covers regions that reach to one end of each class, not bands; "
            "set min_fpr=0 or max_fpr=1, and min_tpr=0 or max_tpr=1."
        )
    if not 1 <= n < math.inf:
        raise InputError(f"a class with {n} instances has no bound; both classes need at least one.")
    if not 0 <= rademacher < math.inf:
        raise InputError(f"a Rademacher complexity of {rademacher!r} has no bound; it must be a number of at least 0.")
    if side.kind == "whole":
        constants = 1.0
    else:
        low, high = thresholds
        furthest = max(abs(low), abs(high))
        furthest_from_square = max(1 - low, high)
        constants = side.share * furthest + furthest_from_square
    complexity = 12 * rademacher + constants / math.sqrt(n)
    return (2 * complexity + 3 * 5 * math.sqrt(math.log(4 / delta) / (2 * n))) / side.share
