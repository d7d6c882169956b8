"""Names that load on first use, so that `import pauci` stays cheap."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def attach(
    package: str, homes: Mapping[str, str], *, submodules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Build a package's `__getattr__` and `__dir__` from a table of names and the modules they live in.

    Parameters
    ----------
    package : str
        The package's `__name__`.
    homes : mapping of str to str
        Public name to the full name of the module that defines it.
    submodules : sequence of str
        Submodules that load on attribute access, as in ``pauci.metrics``.

    Returns
    -------
    tuple of callables
        To be assigned to the package's `__getattr__` and `__dir__`.

    Examples
    --------
    >>> get, names = attach("pauci", {"Region": "pauci.region"})
    >>> get("Region")(max_fpr=0.1)
    Region(max_fpr=0.1)
    >>> names()
    ['Region']
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - becomes the package's own
        if name in homes:
            value = getattr(importlib.import_module(homes[name]), name)
        elif name in submodules:
            value = importlib.import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted([*homes, *submodules])

    return __getattr__, __dir__
