"""How regions, and shares such as their edges, are written."""

import re
from decimal import Decimal

from pauci.errors import RegionError


def read_edges(text: str) -> dict[str, float]:
    """Read the edges of a region from conditions on its rates (see `Region.parse`).

    Parameters
    ----------
    text : str
        Such as "fpr<=0.05,tpr>=50%", or "all".

    Returns
    -------
    dict of str to float
        Parameters of `Region`; none for "all".

    Examples
    --------
    >>> read_edges("0.01 <= fpr <= 10%")
    {'min_fpr': 0.01, 'max_fpr': 0.1}
    """
    edges: dict[str, float] = {}
    for condition in [] if text.strip().lower() == "all" else text.split(","):
        for edge, value in _conditions(condition, text):
            if edge in edges:
                raise RegionError(f"region {text!r} sets {edge} twice; state each edge once.")
            edges[edge] = value
    return edges


def read_share(text: str) -> float:
    """Read a share that is written as a number or in per cent.

    Parameters
    ----------
    text : str
        Such as "0.007" or "0.7%".

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        It is neither.

    Examples
    --------
    >>> read_share("0.007"), read_share("0.7%")
    (0.007, 0.007)
    """
    digits = text.strip().removesuffix("%")
    number = float(digits)
    # In decimals: 0.7 / 100 is not the float nearest to 0.007.
    return float(Decimal(digits) / 100) if text.strip().endswith("%") else number


_CONDITION = re.compile(r"(?P<name>[a-z]+)(?P<sign><=|>=)(?P<value>[^<>=]+)")
_CHAIN = re.compile(r"(?P<low>[^<>=]+)<=(?P<name>[a-z]+)<=(?P<high>[^<>=]+)")


def _conditions(condition: str, text: str) -> list[tuple[str, float]]:
    compact = re.sub(r"\s+", "", condition).lower().replace("≤", "<=").replace("≥", ">=")
    if (match := _CHAIN.fullmatch(compact)) and match["name"] in ("fpr", "tpr"):
        return [
            (f"min_{match['name']}", _number(match["low"], text)),
            (f"max_{match['name']}", _number(match["high"], text)),
        ]
    if (match := _CONDITION.fullmatch(compact)) and match["name"] in ("fpr", "tpr"):
        edge = "max" if match["sign"] == "<=" else "min"
        return [(f"{edge}_{match['name']}", _number(match["value"], text))]
    unquoted = " In a terminal it needs the quotes: without them, the shell takes < and > for files."
    raise RegionError(
        f"region {text!r}: cannot read {condition.strip()!r}. "
        "Write conditions on fpr and tpr, for example 'fpr<=0.05' or 'fpr<=0.5,tpr>=0.5'."
        f"{unquoted if compact in ('fpr', 'tpr') else ''}"
    )


def _number(digits: str, text: str) -> float:
    try:
        value = read_share(digits)
    except ValueError:
        raise RegionError(f"region {text!r}: {digits!r} is not a number between 0 and 1.") from None
    if not digits.endswith("%") and 1 < value <= 100:
        raise RegionError(f"region {text!r}: {digits} is not between 0 and 1; write {value / 100:g} or {value:g}%.")
    return value
