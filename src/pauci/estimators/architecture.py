"""New networks from the function that a user passes as ``architecture``."""

from collections.abc import Callable

from torch import nn

from pauci.errors import InputError
from pauci.training.network import check_is_network


def new_network(architecture: Callable[[int], nn.Module], columns: int) -> nn.Module:
    """Make a network for so many columns.

    Raises
    ------
    InputError
        The function cannot be called with a number alone, or makes something else.

    Examples
    --------
    >>> new_network(lambda columns: nn.Linear(columns, 1), 3)
    Linear(in_features=3, out_features=1, bias=True)
    >>> new_network(nn.Linear, 3)
    Traceback (most recent call last):
    pauci.errors.InputError: architecture is called with the number of columns alone, and cannot be: ...
    """
    try:
        made = architecture(columns)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # from within
        raise InputError(
            f"architecture is called with the number of columns alone, and cannot be: {error}. Pass a function such as "
            "lambda columns: nn.Linear(columns, 1)."
        ) from None
    return check_is_network(made, "architecture makes")
