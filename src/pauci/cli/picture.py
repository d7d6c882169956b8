"""Writing figures, of ROC curves above all, to a picture file."""

from pathlib import Path
from typing import TYPE_CHECKING

from pauci.errors import InputError
from pauci.extras import require
from pauci.region import Region

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pauci.metrics.region_curve import RegionCurve

PICTURES = (".png", ".svg", ".pdf")


def check_picture(path: Path) -> None:
    """Raise early, before any work, where no picture could be written in the end."""
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"--plot {path}: pictures end in {', '.join(PICTURES)}.")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: the folder {path.parent} does not exist; create it first.")
    require("matplotlib", purpose="--plot")


def write_picture(path: Path, curves: "list[RegionCurve]", region: Region) -> None:
    """Draw the curves."""
    from matplotlib.figure import Figure

    from pauci.metrics.display import PartialROCDisplay

    figure = Figure(layout="constrained", figsize=(7.0, 5.2))
    PartialROCDisplay(curves=curves, region=region).plot(figure.subplots())
    save_figure(path, figure)


def save_figure(path: Path, figure: "Figure") -> None:
    """Write a figure, under a temporary name first, so that no half of a picture is ever left."""
    unfinished = path.with_name(f".{path.stem}.unfinished{path.suffix}")
    try:
        figure.savefig(unfinished, dpi=150)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
