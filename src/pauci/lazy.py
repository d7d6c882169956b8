"""Names that load on first use, so that `import pauci` stays cheap."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def attach(
    package: str, names: Mapping[str, Sequence[str]], *, submodules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Build a package's `__getattr__` and `__dir__` from a table of its modules and their public names.

    Parameters
    ----------
    package : str
        The package's `__name__`.
    names : mapping of str to sequence of str
        Module, relative to the package, to the public names it defines.
    submodules : sequence of str
        Submodules that load on attribute access, as in ``pauci.metrics``.

    Returns
    -------
    tuple of callables
        To be assigned to the package's `__getattr__` and `__dir__`.

    Examples
    --------
    >>> get, names = attach("pauci", {"region": ["Region"]})
    >>> get("Region")(max_fpr=0.1)
    Region(max_fpr=0.1)
    >>> names()
    ['Region']
    """
    homes = {name: f"{package}.{module}" for module, defined in names.items() for name in defined}

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
