"""The picture that `--plot` asks for: whether it can be written, and ROC curves in it."""

from pathlib import Path
from typing import TYPE_CHECKING

from pauci.cli.place import check_place
from pauci.errors import InputError
from pauci.extras import require
from pauci.region import Region
from pauci.report.figures.saving import PICTURES, save

if TYPE_CHECKING:
    from pauci.metrics.region_curve import RegionCurve


def check_picture(path: Path | None) -> None:
    """Raise early, before any work, where a picture is asked for and could not be written in the end."""
    if path is None:
        return
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"--plot {path}: pictures end in {', '.join(PICTURES)}.")
    check_place("--plot", path)
    require("matplotlib", purpose="--plot")


def write_picture(path: Path, curves: "list[RegionCurve]", region: Region) -> None:
    """Draw the curves."""
    from pauci.report.figures.roc_plane import roc

    save(roc(curves, region=region), path)
