"""How fast the runs were."""

import statistics
from collections.abc import Sequence

from pauci.data.tasks import TASKS
from pauci.studies.paper.blocks import DATASETS
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.tables import markdown
from pauci.studies.store import Record


def speed_table(records: Sequence[Record], *, matrix_rate: float) -> str:
    """Write how fast runs were: medians over the runs of a kind; empty if there is nothing.

    The last column is a share of `matrix_rate`, TFLOP/s of bf16 matrix products.
    """
    kinds: dict[tuple[str, str, str, str], dict[str, Record]] = {}
    for record in records:
        if record.metrics and "tflops" in record.details:
            kind = (record.protocol, TASKS[record.task].dataset, record.method, record.device)
            kinds.setdefault(kind, {})[record.recipe] = record
    rows = []
    for (protocol, dataset, method, device), runs in kinds.items():
        seconds, images, rate = (
            statistics.median(values)
            for values in zip(
                *((r.seconds, r.details["images_per_second"], r.details["tflops"]) for r in runs.values()), strict=True
            )
        )
        share = f"{rate / matrix_rate:.1%}" if device != "cpu" else ""
        row = [METHODS[method].title, protocol, DATASETS[dataset], device, f"{seconds:.1f}", f"{images:,.0f}", share]
        rows.append(row)
    head = ["method", "protocol", "data", "device", "seconds", "images/s", f"share of {matrix_rate:g} TFLOP/s"]
    return markdown(head, rows) if rows else ""
