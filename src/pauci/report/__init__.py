"""The HTML report of one or several models, and static figures."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.report.run_folder import TrainingRun, read_run
    from pauci.report.scored_model import ScoredModel
    from pauci.report.write import write_report

__all__ = ["ScoredModel", "TrainingRun", "read_run", "write_report"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "run_folder": ["TrainingRun", "read_run"],
        "scored_model": ["ScoredModel"],
        "write": ["write_report"],
    },
    submodules=["figures"],
)
