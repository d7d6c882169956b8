"""Data: the paper's image tasks, tables, long-tailed subsets, samplers, and augmentation on the device."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.data.augment import Augmenter, channel_statistics
    from pauci.data.batches import DeviceBatches
    from pauci.data.columns import read_columns
    from pauci.data.duplicates import group_duplicates
    from pauci.data.encoder import TableEncoder
    from pauci.data.preparation import prepare
    from pauci.data.sampler import StratifiedBatchSampler
    from pauci.data.schema import Column, infer_columns
    from pauci.data.splits import long_tail, one_vs_rest, stratified_split
    from pauci.data.table import Table, iter_table, read_table
    from pauci.data.tasks import TASKS, Split, Task, load_task

__all__ = [
    "TASKS",
    "Augmenter",
    "Column",
    "DeviceBatches",
    "Split",
    "StratifiedBatchSampler",
    "Table",
    "TableEncoder",
    "Task",
    "channel_statistics",
    "group_duplicates",
    "infer_columns",
    "iter_table",
    "load_task",
    "long_tail",
    "one_vs_rest",
    "prepare",
    "read_columns",
    "read_table",
    "stratified_split",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "augment": ["Augmenter", "channel_statistics"],
        "batches": ["DeviceBatches"],
        "columns": ["read_columns"],
        "duplicates": ["group_duplicates"],
        "encoder": ["TableEncoder"],
        "preparation": ["prepare"],
        "sampler": ["StratifiedBatchSampler"],
        "schema": ["Column", "infer_columns"],
        "splits": ["long_tail", "one_vs_rest", "stratified_split"],
        "table": ["Table", "iter_table", "read_table"],
        "tasks": ["TASKS", "Split", "Task", "load_task"],
    },
)
