"""The convergence curve of a run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pauci.extras import require
from pauci.region import Region


def plot_history(history: Sequence[Mapping[str, Any]], path: Path, *, region: Region) -> None:
    """Draw validation partial AUC and training loss over epochs.

    Parameters
    ----------
    history : sequence of Record
        Of a `Result`, or the lines of ``log.jsonl``.
    path : Path
        The file; its suffix decides the format.
    region : Region
        The target, for the label.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "curve.svg"
    >>> record = {"epoch": 1, "loss": 0.5, "seconds": 1.0, "val": {"target": 0.7, "auc": 0.9}}
    >>> plot_history([record], path, region=Region(max_fpr=0.1))
    >>> path.exists()
    True
    """
    require("matplotlib", purpose="drawing the convergence curve")
    from matplotlib.figure import Figure

    epochs = [record["epoch"] for record in history]
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    left = figure.subplots()
    left.plot(epochs, [record["val"]["target"] for record in history], label=f"pAUC, {region}", color="C0", marker=".")
    left.plot(epochs, [record["val"]["auc"] for record in history], label="AUC", color="C0", linestyle=":")
    left.set(xlabel=f"epoch ({history[-1]['seconds']:.0f} s in all)", ylabel="validation")
    right = left.twinx()
    right.plot(epochs, [record["loss"] for record in history], label="training loss", color="C1", linewidth=1)
    right.set_ylabel("loss")
    lines = [*left.get_lines(), *right.get_lines()]
    left.legend(lines, [str(line.get_label()) for line in lines], loc="best", frameon=False)
    figure.savefig(path)
