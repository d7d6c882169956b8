"""Ends of an interval of a share, which is between 0 and 1."""

import math

from scipy.special import ndtri

from pauci.region import Region
from pauci.rounding import ROUNDING


def logit_ends(share: float, half_width: float) -> tuple[float, float]:
    """Return the ends of an interval that is symmetric on the logit scale.

    Examples
    --------
    >>> low, high = logit_ends(0.9, 0.1)
    >>> round(low, 3), round(high, 3)
    (0.748, 0.965)
    """
    logit, reach = math.log(share / (1 - share)), half_width / (share * (1 - share))
    # Beyond 700 the ends are 0 and 1 in double precision anyway, and exp would overflow.
    low, high = (1 / (1 + math.exp(-min(max(end, -700.0), 700.0))) for end in (logit - reach, logit + reach))
    return low, high


def within_reach_of_coins(
    share: float, ends: tuple[float, float], *, coins: float, level: float
) -> tuple[float, float]:
    """Keep the end that is farther from 0 or 1 inside Wilson's interval for coins.

    Where one or two instances carry the spread, Student's quantile is so large that logits run to the other end of the
    scale, though no share varies more than that of coins does. The nearer end is left alone: there the edges of the
    region move, too. Of a half both ends are as far, however it is rounded.

    Examples
    --------
    >>> within_reach_of_coins(0.5, (0.1, 0.99), coins=4, level=0.95)[1] < 0.86
    True
    """
    low, high = ends
    lowest, highest = wilson_interval(share, coins, level)
    if share > 0.5 - ROUNDING:
        low = max(low, lowest)
    if share < 0.5 + ROUNDING:
        high = min(high, highest)
    return low, high


def down_to_the_corner(
    share: float, ends: tuple[float, float], *, half_width: float, region: Region
) -> tuple[float, float]:
    """Let an interval reach 0, or 1, where the curve may only have cut a corner of the region.

    What a curve cuts off a corner grows like the square of how far it is from there. So it is the root of the share
    that varies evenly, and it may be 0; logits never are. The end that is nearer to 0 is that of the arcsine of the
    root, if that is lower. The mirror image is a corner that the curve leaves out, of a region that begins at an
    FPR and ends at a TPR.

    Examples
    --------
    >>> corner = Region(max_fpr=0.1, min_tpr=0.9)
    >>> down_to_the_corner(0.02, (0.003, 0.13), half_width=0.04, region=corner)
    (0.0, 0.13)
    >>> down_to_the_corner(0.02, (0.003, 0.13), half_width=0.04, region=Region(max_fpr=0.1))
    (0.003, 0.13)
    """
    low, high = ends
    if share < 0.5 and region.min_tpr > 0 and region.max_fpr < 1:
        low = min(low, _root_low(share, half_width))
    if share > 0.5 and region.min_fpr > 0 and region.max_tpr < 1:
        high = max(high, 1 - _root_low(1 - share, half_width))
    return low, high


def wilson_interval(share: float, trials: float, level: float) -> tuple[float, float]:
    """Return Wilson's interval of a proportion.

    Examples
    --------
    >>> low, high = wilson_interval(0.5, 4, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.15, 0.85)
    """
    ratio = float(ndtri((1 + level) / 2)) ** 2 / trials
    reach = math.sqrt(ratio * share * (1 - share) + ratio**2 / 4)
    low, high = ((share + ratio / 2 + end) / (1 + ratio) for end in (-reach, reach))
    return low, high


def _root_low(share: float, half_width: float) -> float:
    angle = math.asin(math.sqrt(share)) - half_width / (2 * math.sqrt(share * (1 - share)))
    return math.sin(max(0.0, angle)) ** 2
