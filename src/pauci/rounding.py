"""What floating point can hold, and what it costs rates and numbers of instances that are products with them."""

import sys
from typing import Any

#: Guards comparisons of rates, and floor(n x) (see `raised`), against 100 * 0.29 = 28.999999999999996.
ROUNDING = 1e-9

#: Up to here every integer is a float; from here on floats round integers to others.
LARGEST_WHOLE = 2**53


def is_number(value: Any) -> bool:
    """Whether a value that was read from a file is a finite number that floats can hold.

    Examples
    --------
    >>> is_number(1), is_number(float("nan")), is_number(10**400), is_number("1"), is_number(True)
    (True, False, False, False, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def raised(count: Any) -> Any:
    """Raise a number of instances by what rounding may have cost it, before it is rounded down.

    Parameters
    ----------
    count : float, ndarray or Tensor
        A product n x of a whole number and a rate.

    Returns
    -------
    float, ndarray or Tensor
        At least n x, and less than any larger whole number that n x was not meant to be.

    Examples
    --------
    >>> import math
    >>> math.floor(100_000_000 * 0.29), math.floor(raised(100_000_000 * 0.29))
    (28999999, 29000000)
    """
    return count * (1 + 1e-15) + ROUNDING


def lowered(count: Any) -> Any:
    """Lower it likewise, before it is rounded up."""
    return count * (1 - 1e-15) - ROUNDING
