"""Which of two labels is the positive class, where everyone knows, and a warning where nobody can."""

import warnings

#: Label pairs of which everyone knows the positive one, which comes second.
EVIDENT = (("0", "1"), ("-1", "1"), ("false", "true"), ("no", "yes"))


class PositiveClassWarning(UserWarning):
    """Labels do not say by themselves which class is to be found."""


def warn_unless_evident(first: object, last: object, *, remedy: str, stacklevel: int) -> None:
    """Warn where two labels do not tell which is to be found: only the whole AUC is the same for both.

    Parameters
    ----------
    first, last : object
        The labels in order, of any type; no word where they are 0/1, -1/1, false/true or no/yes, in any spelling.
    remedy : str
        What to do about it.
    stacklevel : int
        Whose call the warning is about, as in `warnings.warn`, seen from the caller.

    Examples
    --------
    >>> warn_unless_evident("No", "Yes", remedy="", stacklevel=1)
    """
    if (_word(first), _word(last)) not in EVIDENT:
        warnings.warn(
            f"y holds {first!r} and {last!r}; {last!r} is taken for the positive class, because it comes last in "
            f"order. {remedy}",
            PositiveClassWarning,
            stacklevel=stacklevel + 1,
        )


def _word(label: object) -> str:
    """One spelling for 1, 1.0 and "+1", and for True and "true"."""
    text = str(label).strip().lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text
