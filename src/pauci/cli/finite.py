"""Numbers as JSON can hold them."""

import math
from typing import Any


def finite_or_null(values: dict[str, Any]) -> dict[str, Any]:
    """Replace numbers that are not finite by None; whatever is no number stays.

    Examples
    --------
    >>> finite_or_null({"threshold": float("inf"), "fpr": 0.0, "promise": "fpr<=0"})
    {'threshold': None, 'fpr': 0.0, 'promise': 'fpr<=0'}
    """
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()
    }
