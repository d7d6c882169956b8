"""What a PAUCI loss was asked for: a region, a selector, and numbers that may follow training."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from pauci.errors import InputError, RegionError
from pauci.losses.checks import as_number, check_not_negative, check_positive
from pauci.losses.schedule import Anneal, Schedule, value_at
from pauci.losses.terms import Shape, Terms
from pauci.objectives import Dual, Selector, make_selector, selected_sides
from pauci.region import Region

SelectorName = Literal["softplus", "hinge", "dual", "topk"]


@dataclass(frozen=True)
class Settings:
    """Region, selector, and the schedules of its sharpness and of gamma's regulariser.

    Attributes
    ----------
    region : Region
        What to train for.
    kind : {"softplus", "hinge", "dual", "topk"}
        How instances are selected.
    kappa, omega, omega_c : float or schedule
        As for `PAUCILoss`.

    Examples
    --------
    >>> settings = Settings(Region(max_fpr=0.3), "softplus", kappa=4.0, omega=lambda step: 1 / (1 + step), omega_c=0.1)
    >>> settings.omega_at(1), settings.selector_at(1)
    (0.5, Softplus(kappa=4.0))
    """

    region: Region
    kind: SelectorName
    kappa: float | Schedule
    omega: float | Schedule
    omega_c: float | Schedule

    def __post_init__(self) -> None:
        if self.kind not in get_args(SelectorName):
            raise InputError(f"selector={self.kind!r} is not known; use one of {', '.join(get_args(SelectorName))}.")
        if (self.region.min_fpr > 0 or self.region.max_tpr < 1) and self.kind in ("softplus", "dual"):
            raise RegionError(
                f"region {self.region} does not reach the edges fpr=0 and tpr=1, which the {self.kind} selector needs; "
                "use selector='topk', which takes any rectangle."
            )
        for schedule in (self.kappa, self.omega, self.omega_c):
            if isinstance(schedule, Anneal):
                # Where it will end must be possible, too.
                self.shape_at(schedule.steps)

    def terms(self, *, logits: bool, prior: float | None) -> Terms:
        """Return what of the objective never changes."""
        if prior is not None and not 0 < as_number(prior) < 1:
            raise InputError(
                f"batch_prior={prior!r} must lie strictly between 0 and 1: it is the positive share of the batches."
            )
        kind = "hinge" if self.kind == "dual" and self.omega_c == 0 else self.kind
        return Terms(*selected_sides(self.region), selector=kind, logits=logits, prior=prior)

    def kappa_at(self, step: int) -> float:
        """Return the sharpness of the softplus selector."""
        kappa = value_at(self.kappa, step, name="kappa")
        check_positive(kappa=kappa)
        return kappa

    def omega_at(self, step: int) -> float:
        """Return the weight of gamma's regulariser."""
        omega = value_at(self.omega, step, name="omega")
        check_not_negative(omega=omega)
        return omega

    def selector_at(self, step: int) -> Selector:
        """Return the selector as `pauci.objectives` knows it."""
        omega_c = value_at(self.omega_c, step, name="omega_c")
        if callable(self.omega_c) and not 0 < omega_c < math.inf:
            raise InputError(
                f"omega_c={omega_c!r} after {step} steps of its schedule must be positive and finite: at 0 the "
                "selector is another one. Use selector='hinge', or end the schedule above 0."
            )
        return make_selector(self.kind, kappa=self.kappa_at(step), omega_c=omega_c)

    def shape_at(self, step: int) -> Shape:
        """Return what a pass over a batch needs to know of selector and regulariser."""
        selector = self.selector_at(step)
        # The exact selectors have none.
        sharpness = 0.5 / selector.omega_c if isinstance(selector, Dual) else getattr(selector, "kappa", 1.0)
        return Shape(sharpness, self.omega_at(step))
