"""Losses: PAUCI, cross-entropy, mixtures of any two, and the methods the paper compares with."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.losses.agd_sbcd import AGDSBCDLoss
    from pauci.losses.auc_exp import AUCExpLoss
    from pauci.losses.auc_m import AUCMLoss
    from pauci.losses.auc_poly import AUCPolyLoss
    from pauci.losses.cross_entropy import CrossEntropyLoss
    from pauci.losses.diagnosis import Diagnosis
    from pauci.losses.focal import FocalLoss
    from pauci.losses.mini_batch import MiniBatchLoss
    from pauci.losses.mixed import MixedLoss
    from pauci.losses.pairwise_sigmoid import PairwiseSigmoidLoss
    from pauci.losses.pauci import PAUCILoss
    from pauci.losses.schedule import Anneal
    from pauci.losses.sopa import SOPALoss
    from pauci.losses.sopa_s import SOPASLoss
    from pauci.losses.staco import STACOLoss

__all__ = [
    "AGDSBCDLoss",
    "AUCExpLoss",
    "AUCMLoss",
    "AUCPolyLoss",
    "Anneal",
    "CrossEntropyLoss",
    "Diagnosis",
    "FocalLoss",
    "MiniBatchLoss",
    "MixedLoss",
    "PAUCILoss",
    "PairwiseSigmoidLoss",
    "SOPALoss",
    "SOPASLoss",
    "STACOLoss",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "agd_sbcd": ["AGDSBCDLoss"],
        "auc_exp": ["AUCExpLoss"],
        "auc_m": ["AUCMLoss"],
        "auc_poly": ["AUCPolyLoss"],
        "cross_entropy": ["CrossEntropyLoss"],
        "diagnosis": ["Diagnosis"],
        "focal": ["FocalLoss"],
        "mini_batch": ["MiniBatchLoss"],
        "mixed": ["MixedLoss"],
        "pairwise_sigmoid": ["PairwiseSigmoidLoss"],
        "pauci": ["PAUCILoss"],
        "schedule": ["Anneal"],
        "sopa": ["SOPALoss"],
        "sopa_s": ["SOPASLoss"],
        "staco": ["STACOLoss"],
    },
)
