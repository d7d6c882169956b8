"""The docstrings of the public surface say what every parameter is, what comes back, and lead to names that exist."""

import importlib
import inspect
import re

import pytest

ROOMS = [
    "pauci",
    *(f"pauci.{room}" for room in ["metrics", "losses", "optim", "objectives", "training", "data", "models"]),
    *(f"pauci.{room}" for room in ["estimators", "boosting", "tabular", "report", "report.figures"]),
]
HEADINGS = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)


def public_things():
    """Everything that is exported and can be called, once."""
    found = {}
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                found.setdefault(thing, f"{room}.{name}")
    return found


def own_methods(cls):
    """Public methods that come from this package, with the docstring of where they begin; overrides add to that."""
    for base in cls.__mro__:
        for name, member in vars(base).items() if base.__module__.startswith("pauci") else ():
            function = getattr(member, "__func__", member)
            begins = not any(hasattr(other, name) for other in base.__bases__)
            if begins and not name.startswith("_") and inspect.isfunction(function):
                yield name, function


def says_all_in_a_line(function):
    """Whether one line names all parameters, such as `Return r(x)`; there is nothing to add to that."""
    text = inspect.getdoc(function) or ""
    return "\n" not in text and all(re.search(rf"\b{name}\b", text) for name in parameters(function))


def sections(thing):
    _, *rest = HEADINGS.split(inspect.getdoc(thing) or "")
    return dict(zip(rest[::2], rest[1::2], strict=True))


def entries(section):
    """Names to types, from lines such as `low, high : float`."""
    found = {}
    for line in section.splitlines():
        if line.strip() and not line[0].isspace():
            names, _, kind = line.partition(" : ")
            found.update({name.strip().lstrip("*"): kind for name in names.split(",")})
    return found


def parameters(thing):
    return [name for name in inspect.signature(thing).parameters if name not in ("self", "cls")]


def returns_something(function):
    return inspect.signature(function).return_annotation not in (None, "None")


THINGS = public_things()
#: Names as a user would write them: alone, or after their room.
KNOWN = {
    prefix + name
    for room in ROOMS
    for name in importlib.import_module(room).__all__
    for prefix in ("", room.removeprefix("pauci.") + ".")
}
CALLABLES = {where: thing for thing, where in THINGS.items() if not inspect.isclass(thing)}
CLASSES = {
    where: thing for thing, where in THINGS.items() if inspect.isclass(thing) and not issubclass(thing, Exception)
}
METHODS = {
    f"{where}.{name}": method
    for where, cls in CLASSES.items()
    for name, method in own_methods(cls)
    if not says_all_in_a_line(method)
}


@pytest.mark.parametrize("where", [*CALLABLES, *CLASSES, *METHODS])
def test_every_parameter_has_a_type_and_a_description(where):
    thing = {**CALLABLES, **CLASSES, **METHODS}[where]
    found = sections(thing)
    # The fields of a dataclass are its parameters.
    described = entries(found.get("Parameters", "") + found.get("Attributes", ""))
    assert [name for name in parameters(thing) if not described.get(name)] == []
    assert [name for name in entries(found.get("Parameters", "")) if name not in parameters(thing)] == []


@pytest.mark.parametrize("where", [*CALLABLES, *METHODS])
def test_what_comes_back_is_described(where):
    function = {**CALLABLES, **METHODS}[where]
    if returns_something(function) and (where in CALLABLES or parameters(function)):
        assert {"Returns", "Yields"} & sections(function).keys()


@pytest.mark.parametrize("where", [*CALLABLES, *CLASSES])
def test_there_is_an_example(where):
    assert "Examples" in sections({**CALLABLES, **CLASSES}[where])


@pytest.mark.parametrize("where", [*CALLABLES, *CLASSES])
def test_what_to_see_also_exists(where):
    thing = {**CALLABLES, **CLASSES}[where]
    assert set(entries(sections(thing).get("See Also", ""))) <= KNOWN
