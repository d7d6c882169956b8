"""Which of two labels is the positive class, where everyone knows, and a warning where nobody can."""

#: Label pairs of which everyone knows the positive one, which comes second.
EVIDENT = (("0", "1"), ("-1", "1"), ("false", "true"), ("no", "yes"))


class PositiveClassWarning(UserWarning):
    """Labels do not tell by themselves which class is to be found."""


def is_evident(negative: object, positive: object) -> bool:
    """Whether everyone knows that the second of two labels is the positive one.

    Parameters
    ----------
    negative, positive : object
        The labels, of any type.

    Returns
    -------
    bool
        Whether they are 0/1, -1/1, false/true or no/yes, in any spelling.

    Examples
    --------
    >>> is_evident("No", "Yes"), is_evident(0.0, 1.0), is_evident("fraud", "legit")
    (True, True, False)
    """
    return (_word(negative), _word(positive)) in EVIDENT


def _word(label: object) -> str:
    """One spelling for 1, 1.0 and "+1", and for True and "true"."""
    text = str(label).strip().lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text
