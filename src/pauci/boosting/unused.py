"""Parameters that a library makes no use of, because they are misspelt or belong to something else."""

import contextlib
import io
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from pauci.boosting.objectives import Library
from pauci.extras import require


def warn_of_unused(params: Mapping[str, Any], library: Library) -> None:
    """Ask the library which of the parameters it makes no use of, and warn of them.

    Trees are grown quietly, so that its own warnings would not be heard.

    Examples
    --------
    >>> warn_of_unused({"num_leaves": 15}, "lightgbm")
    """
    # Lists and mappings are about columns, which the few rows here do not have.
    plain = {name: value for name, value in params.items() if isinstance(value, str | int | float)}
    said = _ASK[library](plain) if plain else ""
    unused = [name for name in plain if re.search(rf"\b{re.escape(name)}\b", said)]
    if unused:
        # From the user's call: fit, _fit and _path lie between.
        warnings.warn(
            f"params: {library} makes no use of {', '.join(map(repr, unused))}; look for a misspelt name.",
            stacklevel=5,
        )


_ROWS, _LABELS = np.arange(4.0)[:, None], np.array([0.0, 1.0, 0.0, 1.0])


def _ask_lightgbm(params: dict[str, Any]) -> str:
    lightgbm = require("lightgbm", purpose="base='lightgbm'")
    said = io.StringIO()
    # Values that it refuses are its own business, when trees are grown.
    with contextlib.redirect_stdout(said), contextlib.suppress(lightgbm.basic.LightGBMError):
        lightgbm.Dataset(_ROWS, label=_LABELS, params={**params, "verbosity": 0}).construct()
    return " ".join(re.findall(r"Unknown parameter: (\S+)", said.getvalue()))


def _ask_xgboost(params: dict[str, Any]) -> str:
    xgboost = require("xgboost", purpose="base='xgboost'")
    with warnings.catch_warnings(record=True) as said, contextlib.suppress(xgboost.core.XGBoostError):
        warnings.simplefilter("always")
        xgboost.train({**params, "verbosity": 1}, xgboost.DMatrix(_ROWS, label=_LABELS), 1)
    return " ".join(re.findall(r"Parameters: \{(.*?)\} are not used", " ".join(str(line.message) for line in said)))


_ASK = {"lightgbm": _ask_lightgbm, "xgboost": _ask_xgboost}
