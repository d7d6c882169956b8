"""Networks that score instances, in plain torch."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.models.mlp import MLP
    from pauci.models.resnet import ResNet18

__all__ = ["MLP", "ResNet18"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "mlp": ["MLP"],
        "resnet": ["ResNet18"],
    },
)
