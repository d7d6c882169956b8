"""Data: tabular files and batch samplers."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.data.batches import DeviceBatches
    from pauci.data.columns import read_columns
    from pauci.data.sampler import StratifiedBatchSampler

__all__ = ["DeviceBatches", "StratifiedBatchSampler", "read_columns"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "DeviceBatches": "pauci.data.batches",
        "StratifiedBatchSampler": "pauci.data.sampler",
        "read_columns": "pauci.data.columns",
    },
)
