"""Data: tabular files and batch samplers."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.data.batches import DeviceBatches
    from pauci.data.columns import read_columns
    from pauci.data.duplicates import group_duplicates
    from pauci.data.encoder import TableEncoder
    from pauci.data.sampler import StratifiedBatchSampler
    from pauci.data.schema import Column, infer_columns
    from pauci.data.table import Table, iter_table, read_table

__all__ = [
    "Column",
    "DeviceBatches",
    "StratifiedBatchSampler",
    "Table",
    "TableEncoder",
    "group_duplicates",
    "infer_columns",
    "iter_table",
    "read_columns",
    "read_table",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Column": "pauci.data.schema",
        "DeviceBatches": "pauci.data.batches",
        "StratifiedBatchSampler": "pauci.data.sampler",
        "Table": "pauci.data.table",
        "TableEncoder": "pauci.data.encoder",
        "group_duplicates": "pauci.data.duplicates",
        "infer_columns": "pauci.data.schema",
        "iter_table": "pauci.data.table",
        "read_columns": "pauci.data.columns",
        "read_table": "pauci.data.table",
    },
)
