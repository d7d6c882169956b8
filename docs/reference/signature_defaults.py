"""Defaults in the reference are those of the signatures.

Griffe takes the default of the first where several names share a line of a docstring, and the first of several choices.
"""

from typing import Any

import griffe


class SignatureDefaults(griffe.Extension):
    """Sets the defaults of documented parameters when a package has been read."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Visit everything that has parameters."""
        _visit(pkg)


def _visit(known: griffe.Object) -> None:
    if isinstance(known, griffe.Class | griffe.Function) and known.docstring is not None:
        for section in known.docstring.parsed:
            if isinstance(section, griffe.DocstringSectionParameters):
                for parameter in section.value:
                    if parameter.name in known.parameters:
                        parameter.value = known.parameters[parameter.name].default
    for member in known.members.values():
        if isinstance(member, griffe.Object):  # an alias leads to what is visited where it is
            _visit(member)
