"""Data: the paper's image tasks, tables, long-tailed subsets, samplers, and augmentation on the device."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.data.augment import Augmenter, channel_statistics
    from pauci.data.preparation import prepare
    from pauci.data.sampler import StratifiedBatchSampler
    from pauci.data.splits import long_tail, one_vs_rest, stratified_split
    from pauci.data.table import read_table
    from pauci.data.tasks import TASKS, Split, Task, load_task

__all__ = [
    "TASKS",
    "Augmenter",
    "Split",
    "StratifiedBatchSampler",
    "Task",
    "channel_statistics",
    "load_task",
    "long_tail",
    "one_vs_rest",
    "prepare",
    "read_table",
    "stratified_split",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Augmenter": "pauci.data.augment",
        "channel_statistics": "pauci.data.augment",
        "prepare": "pauci.data.preparation",
        "StratifiedBatchSampler": "pauci.data.sampler",
        "long_tail": "pauci.data.splits",
        "one_vs_rest": "pauci.data.splits",
        "stratified_split": "pauci.data.splits",
        "read_table": "pauci.data.table",
        "TASKS": "pauci.data.tasks",
        "Split": "pauci.data.tasks",
        "Task": "pauci.data.tasks",
        "load_task": "pauci.data.tasks",
    },
)
