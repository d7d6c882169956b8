import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pauci

SOURCE = Path(pauci.__file__).parent

#: Rooms from the ground up; a module may import from its own room and from those before it.
FLOORS = [
    {"errors", "lazy", "locking", "missing", "positive_class", "rounding"},
    {"extras", "region_text", "replacing"},
    {"region"},
    {"metrics", "objectives", "data", "models"},
    {"losses"},
    {"optim"},
    {"training"},
    {"estimators"},
    {"boosting"},
    {"tabular", "report"},
    {"studies"},
    {"cli"},
]
HEIGHT = {room: height for height, floor in enumerate(FLOORS) for room in floor}


def imports_of(module: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pauci."):
            found.add(node.module.split(".")[1])
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("pauci.")}
    return found


@pytest.mark.parametrize("module", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_dependencies_point_down(module):
    room = module.relative_to(SOURCE).parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    assert room in HEIGHT, f"give the new room {room!r} its place in FLOORS"
    for other in imports_of(module):
        assert other == room or HEIGHT[other] < HEIGHT[room], f"{room} must not import from {other}"


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_import_loads_nothing_heavy():
    heavy = {"sklearn", "torchmetrics", "matplotlib", "scipy", "pandas", "pyarrow", "PIL", "typer", "rich"}
    heavy |= {"lightgbm", "xgboost", "plotly", "onnx"}
    assert not heavy & loaded_by("import pauci; pauci.Region(max_fpr=0.1)")


def test_every_public_name_loads():
    for name in pauci.__all__:
        assert getattr(pauci, name) is not None
        assert name in dir(pauci)
    with pytest.raises(AttributeError, match="nonsense"):
        pauci.nonsense  # noqa: B018


def test_missing_extra_names_the_remedy(monkeypatch):
    from pauci.errors import MissingExtraError
    from pauci.extras import EXTRAS, require

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"drawing needs .*pip install 'pauci\[plot\]'"):
        require("matplotlib", purpose="drawing")
    assert set(EXTRAS.values()) <= declared_extras()


def declared_extras() -> set[str]:
    import tomllib

    project = SOURCE.parents[1] / "pyproject.toml"
    if not project.is_file():
        pytest.skip("runs in a source checkout only")
    return set(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["optional-dependencies"])
