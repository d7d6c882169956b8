"""What the losses may cost at most, and what others cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from pauci.studies.cost import Cost
from pauci.studies.paper.methods import ONE_WAY, TWO_WAY

#: Milliseconds of one forward pass at 64, 128, ..., 2048 instances per class, as the paper's two tables have them.
PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    str(ONE_WAY): {
        "SOPA": (0.075, 0.205, 1.427, 5.053, 20.132, 86.779),
        "SOPA-S": (0.063, 0.165, 0.946, 4.003, 15.815, 62.031),
        "AUC-poly": (0.062, 0.178, 1.086, 3.553, 14.266, 56.637),
        "AUC-exp": (0.063, 0.182, 0.985, 3.513, 14.155, 55.689),
        "AGD-SBCD": (0.061, 0.145, 1.040, 3.413, 13.273, 54.954),
        "MB": (0.121, 0.174, 0.468, 1.713, 6.393, 25.663),
        "PAUCI": (0.026, 0.029, 0.033, 0.043, 0.072, 0.107),
        "AUC-M": (0.025, 0.028, 0.031, 0.040, 0.059, 0.104),
        "CE": (0.018, 0.020, 0.026, 0.036, 0.055, 0.096),
    },
    str(TWO_WAY): {
        "SOPA": (0.079, 0.206, 1.439, 5.197, 20.556, 88.314),
        "SOPA-S": (0.065, 0.153, 0.947, 3.940, 15.388, 62.541),
        "AUC-poly": (0.062, 0.180, 1.175, 3.573, 14.440, 56.469),
        "AUC-exp": (0.059, 0.206, 1.154, 3.558, 14.080, 56.566),
        "MB": (0.173, 0.198, 0.491, 1.955, 6.554, 29.369),
        "PAUCI": (0.030, 0.030, 0.038, 0.045, 0.071, 0.109),
        "AUC-M": (0.025, 0.027, 0.033, 0.043, 0.059, 0.104),
        "CE": (0.018, 0.021, 0.026, 0.037, 0.0535, 0.096),
    },
}
PUBLISHED_SIZES = (64, 128, 256, 512, 1024, 2048)

#: Forward and backward of LibAUC 2.0.1 at 2048 instances per class, over that of BCEWithLogitsLoss.
LIBAUC_RATIOS = {"SOPA": 93 / 0.055, "SOPA-S": 83 / 0.055}


@dataclass(frozen=True)
class Target:
    """A promise about cost, and whether this run kept it.

    Attributes
    ----------
    promise : str
        In words.
    limit, worst : float
        What was promised at most, and the largest that was found.
    """

    promise: str
    limit: float
    worst: float

    @property
    def met(self) -> bool:
        """Whether the promise was kept."""
        return self.worst <= self.limit


def check_targets(costs: Sequence[Cost]) -> list[Target]:
    """Compare measured costs with what is promised; promises about sizes that were not measured are left out."""
    full = [cost for cost in costs if cost.passes == "forward+backward"]
    targets = []
    for region, limit in ((str(ONE_WAY), 3.0), (str(TWO_WAY), 3.5)):
        ratios = [cost.ratio for cost in full if cost.method == "PAUCI" and cost.region == region]
        if ratios:
            targets.append(Target(f"PAUCI, {region}: ratio to CE at every size", limit, max(ratios)))
    for method, ratio in LIBAUC_RATIOS.items():
        found = [cost.ratio for cost in full if cost.method == method and cost.size == 2048]
        if found:
            promise = f"{method} at 2048: ratio to CE, a third of LibAUC's {ratio:.0f}"
            targets.append(Target(promise, ratio / 3, max(found)))
    for method in ("MB", "SOPA"):
        growths = [growth(full, region, method) for region in (str(ONE_WAY), str(TWO_WAY))]
        known = [factor for factor in growths if factor is not None]
        if known:
            # n log n doubles by 2.2 at this size, n^2 by 4.
            targets.append(Target(f"{method}: factor from 4096 to 8192 (n log n: 2.2, n^2: 4)", 2.75, max(known)))
    return targets


def growth(costs: Sequence[Cost], region: str, method: str) -> float | None:
    """Ratio of a loss's least time at 8192 instances per class to that at 4096, if both were measured."""
    at = {cost.size: cost.least for cost in costs if cost.region == region and cost.method == method}
    return at[8192] / at[4096] if 4096 in at and 8192 in at else None
