"""Train and judge classifiers on the part of the ROC curve you will operate in."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.region import Region

__version__ = "0.1.0"
__all__ = ["Region"]

__getattr__, __dir__ = attach(__name__, {"Region": "pauci.region"}, submodules=["metrics"])
