"""`pauci export`: a model for where there is no pauci."""

from pathlib import Path
from typing import Annotated

import typer

from pauci.cli.place import check_place
from pauci.cli.progress import late_progress
from pauci.cli.terminal import say


def export(
    model: Annotated[Path, typer.Argument(help="Model file that `pauci fit` wrote.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="MODEL.onnx for networks; MODEL.txt (LightGBM) or MODEL.ubj (XGBoost)."),
    ],
) -> None:
    """Export a model: networks as ONNX with all preparation inside, boosters as their library's own file.

    Next to it, MODEL.onnx.json (or .txt.json, .ubj.json) holds the columns in order, category codes and the threshold.
    """
    from pauci.tabular.export import export_model
    from pauci.tabular.model_file import load_model

    check_place("--out", out)
    fitted = load_model(model)
    with late_progress("exporting"):
        written = export_model(fitted, out)
    say("\n".join(map(str, written)))
