"""Models of tables as files: fitted on one file, they score any other file in the same way."""

from typing import TYPE_CHECKING

from pauci.lazy import attach

if TYPE_CHECKING:
    from pauci.estimators.unseen import UnseenWarning
    from pauci.tabular.export import export_model
    from pauci.tabular.fitting import fit_watched
    from pauci.tabular.importance import Importance, column_importances
    from pauci.tabular.model import TabularModel
    from pauci.tabular.model_file import load_model, save_model
    from pauci.tabular.training_table import TrainingTable, read_training_table

__all__ = [
    "Importance",
    "TabularModel",
    "TrainingTable",
    "UnseenWarning",
    "column_importances",
    "export_model",
    "fit_watched",
    "load_model",
    "read_training_table",
    "save_model",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "export": ["export_model"],
        "fitting": ["fit_watched"],
        "importance": ["Importance", "column_importances"],
        "model": ["TabularModel", "UnseenWarning"],
        "model_file": ["load_model", "save_model"],
        "training_table": ["TrainingTable", "read_training_table"],
    },
)
