"""Losses: PAUCI, cross-entropy, and mixtures of any two."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.losses.cross_entropy import CrossEntropyLoss
    from pauci.losses.diagnosis import Diagnosis
    from pauci.losses.mixed import MixedLoss
    from pauci.losses.pauci import PAUCILoss
    from pauci.losses.schedule import Anneal

__all__ = ["Anneal", "CrossEntropyLoss", "Diagnosis", "MixedLoss", "PAUCILoss"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Anneal": "pauci.losses.schedule",
        "CrossEntropyLoss": "pauci.losses.cross_entropy",
        "Diagnosis": "pauci.losses.diagnosis",
        "MixedLoss": "pauci.losses.mixed",
        "PAUCILoss": "pauci.losses.pauci",
    },
)
