"""`pauci doctor`: what is installed, what it can run on, and what is missing for which extra."""

import importlib
import importlib.metadata
import json
import platform
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache

from rich.markup import escape
from rich.table import Table

from pauci import __version__
from pauci.cli.options import JsonOption
from pauci.cli.terminal import Terminal, say
from pauci.extras import EXTRAS

#: What every installation has: import name -> what it is here for.
_CORE = {
    "torch": "losses, optimisers, models",
    "numpy": "metrics",
    "scipy": "metrics",
    "sklearn": "estimators",
    "safetensors": "weights in files",
    "typer": "command line",
    "rich": "command line",
}


@dataclass(frozen=True)
class Package:
    """One dependency as it was found: `problem` is None when it can be imported and is new enough."""

    name: str
    extra: str | None
    version: str | None
    problem: str | None


def doctor(as_json: JsonOption = False) -> None:
    """Show versions, devices, and what is missing for which extra."""
    packages = [_examine(name, None) for name in _CORE] + [_examine(name, extra) for name, extra in EXTRAS.items()]
    devices = _devices()
    system = {"pauci": __version__, "python": platform.python_version(), "platform": platform.platform()}
    missing = sorted({package.extra for package in packages if package.problem and package.extra})
    if as_json:
        found = {**system, "packages": [asdict(p) for p in packages], "devices": devices, "missing_extras": missing}
        say(json.dumps(found, indent=2))
        return
    console = Terminal(markup=True)
    console.print(f"[bold]pauci {__version__}[/bold] on Python {system['python']}, {escape(system['platform'])}")
    table = Table(title="Packages", title_justify="left")
    for heading in ("package", "version", "needed for", "state"):
        table.add_column(heading)
    for package in packages:
        purpose = f"pauci\\[{package.extra}]" if package.extra else _CORE[package.name]
        state = "[green]ok[/green]" if package.problem is None else f"[yellow]{escape(package.problem)}[/yellow]"
        table.add_row(package.name, package.version or "-", purpose, state)
    console.print(table)
    console.print("[bold]Devices[/bold]")
    for device in devices:
        console.print(f"  {escape(device)}")
    if any(package.problem for package in packages):
        wanted = f"pauci\\[{','.join(missing)}]" if missing else "pauci"
        console.print(f"Install what is missing with: pip install '{wanted}'")
    else:
        console.print("Nothing is missing.")


def _examine(name: str, extra: str | None) -> Package:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        return Package(name, extra, None, "not installed" if error.name == name else f"broken: {error}")
    except Exception as error:  # a broken installation may raise anything, and finding that out is the point
        return Package(name, extra, None, f"broken: {error}")
    distributions = _distributions().get(name, [])
    stated = getattr(module, "__version__", None)
    version = str(stated) if stated else next(map(importlib.metadata.version, distributions), None)
    least = next(filter(None, (_least_versions().get(known.lower()) for known in distributions)), None)
    too_old = version is not None and least is not None and _numbers(version) < _numbers(least)
    return Package(name, extra, version, f"too old: needs {least}" if too_old else None)


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Names under which what is imported was installed."""
    return importlib.metadata.packages_distributions()


@cache
def _least_versions() -> dict[str, str]:
    """Read from pauci's own metadata the least version that it asks of others; nothing where it is not installed."""
    try:
        requirements = importlib.metadata.requires("pauci") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    found = (re.match(r"([\w.-]+)>=([\d.]+)", text) for text in requirements)
    return {match[1].lower(): match[2] for match in found if match}


def _numbers(version: str) -> list[int]:
    """Split a version into its leading numbers: what follows them, such as +cpu or rc1, does not count."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    return [int(number) for number in release[0].split(".")] if release else []


def _devices() -> list[str]:
    import torch

    threads = torch.get_num_threads()
    devices = [f"cpu: {platform.machine()}, {threads} thread{'s' * (threads != 1)}"]
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        devices.append(f"cuda:{index}: {properties.name}, {properties.total_memory / 2**30:.0f} GiB")
    if torch.backends.mps.is_available():
        devices.append("mps: Apple GPU")
    return devices
