"""Optional dependencies: which extra brings which package, and the error when it is missing."""

import importlib
from types import ModuleType

from pauci.errors import MissingExtraError

#: Import name of an optional dependency -> the extra that installs it.
EXTRAS: dict[str, str] = {
    "matplotlib": "plot",
    "torchmetrics": "stream",
    "pyarrow": "tables",
    "PIL": "images",
    "optuna": "tune",
    "tensorboard": "logs",
    "lightgbm": "boosting",
    "xgboost": "boosting",
    "plotly": "report",
    "onnx": "export",
    "onnxscript": "export",
}


def require(module: str, *, purpose: str) -> ModuleType:
    """Import an optional dependency, or say which extra brings it.

    Parameters
    ----------
    module : str
        Import name, possibly dotted (``"matplotlib.pyplot"``).
    purpose : str
        What it is needed for, as the subject of the error message.

    Returns
    -------
    module
        The imported module.

    Examples
    --------
    >>> require("matplotlib", purpose="drawing").__name__
    'matplotlib'
    """
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingExtraError(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"install it with: pip install 'pauci[{EXTRAS[package]}]'"
        ) from error
