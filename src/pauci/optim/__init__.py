"""Solvers for losses that descend in some variables and ascend in others."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.optim.agd_sbcd import AGDSBCD
    from pauci.optim.asgda import ASGDA
    from pauci.optim.single_pass import SinglePassASGDA
    from pauci.optim.theory import BrokenCondition, check_conditions, theory_settings

__all__ = ["AGDSBCD", "ASGDA", "BrokenCondition", "SinglePassASGDA", "check_conditions", "theory_settings"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "agd_sbcd": ["AGDSBCD"],
        "asgda": ["ASGDA"],
        "single_pass": ["SinglePassASGDA"],
        "theory": ["BrokenCondition", "check_conditions", "theory_settings"],
    },
)
