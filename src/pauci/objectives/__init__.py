"""The mathematics of partial-AUC training as pure functions on tensors of scores in [0, 1]."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.objectives.average import selected_average, selection_weights
    from pauci.objectives.bounds import bias_bound, generalization_bound
    from pauci.objectives.boxes import Boxes, inner_boxes
    from pauci.objectives.concavity import concavity_margin, gamma_curvature
    from pauci.objectives.coupling import gamma_domain, lagrangian_term, project_gamma
    from pauci.objectives.effective import EffectiveRegion, effective_region
    from pauci.objectives.inner import inner_optimum
    from pauci.objectives.instance import negative_loss, positive_loss
    from pauci.objectives.instancewise import instancewise_objective, selected_risk
    from pauci.objectives.minimax import minimax_objective
    from pauci.objectives.ranks import rank_weights
    from pauci.objectives.selectors import Dual, Hinge, Selector, Softplus, TopK, make_selector
    from pauci.objectives.sides import Side, selected_sides
    from pauci.objectives.threshold import selection_threshold
    from pauci.objectives.variables import InnerVariables

__all__ = [
    "Boxes",
    "Dual",
    "EffectiveRegion",
    "Hinge",
    "InnerVariables",
    "Selector",
    "Side",
    "Softplus",
    "TopK",
    "bias_bound",
    "concavity_margin",
    "effective_region",
    "gamma_curvature",
    "gamma_domain",
    "generalization_bound",
    "inner_boxes",
    "inner_optimum",
    "instancewise_objective",
    "lagrangian_term",
    "make_selector",
    "minimax_objective",
    "negative_loss",
    "positive_loss",
    "project_gamma",
    "rank_weights",
    "selected_average",
    "selected_risk",
    "selected_sides",
    "selection_threshold",
    "selection_weights",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "average": ["selected_average", "selection_weights"],
        "bounds": ["bias_bound", "generalization_bound"],
        "boxes": ["Boxes", "inner_boxes"],
        "concavity": ["concavity_margin", "gamma_curvature"],
        "coupling": ["gamma_domain", "lagrangian_term", "project_gamma"],
        "effective": ["EffectiveRegion", "effective_region"],
        "inner": ["inner_optimum"],
        "instance": ["negative_loss", "positive_loss"],
        "instancewise": ["instancewise_objective", "selected_risk"],
        "minimax": ["minimax_objective"],
        "ranks": ["rank_weights"],
        "selectors": ["Dual", "Hinge", "Selector", "Softplus", "TopK", "make_selector"],
        "sides": ["Side", "selected_sides"],
        "threshold": ["selection_threshold"],
        "variables": ["InnerVariables"],
    },
)
