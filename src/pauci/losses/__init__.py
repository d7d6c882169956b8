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
        "AGDSBCDLoss": "pauci.losses.agd_sbcd",
        "AUCExpLoss": "pauci.losses.auc_exp",
        "AUCMLoss": "pauci.losses.auc_m",
        "AUCPolyLoss": "pauci.losses.auc_poly",
        "Anneal": "pauci.losses.schedule",
        "CrossEntropyLoss": "pauci.losses.cross_entropy",
        "Diagnosis": "pauci.losses.diagnosis",
        "FocalLoss": "pauci.losses.focal",
        "MiniBatchLoss": "pauci.losses.mini_batch",
        "MixedLoss": "pauci.losses.mixed",
        "PAUCILoss": "pauci.losses.pauci",
        "PairwiseSigmoidLoss": "pauci.losses.pairwise_sigmoid",
        "SOPALoss": "pauci.losses.sopa",
        "SOPASLoss": "pauci.losses.sopa_s",
        "STACOLoss": "pauci.losses.staco",
    },
)
