"""A training run: what validation said after each epoch, and the loss."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError
from pauci.metrics.shading import in_words
from pauci.region import Region
from pauci.report.figures.style import GREY, canvas, line_style, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled()
def history(records: Sequence[Mapping[str, Any]], *, region: Region, title: str | None = None) -> "Figure":
    """Draw validation partial AUC and AUC over epochs, and the training loss below.

    Parameters
    ----------
    records : sequence of mapping
        The `history` of a `Result`, or the lines of ``log.jsonl``.
    region : Region
        The target, for the label.
    title : str, optional
        Above both panels.

    Returns
    -------
    Figure
        The figure, to be saved with `save`.

    Examples
    --------
    >>> record = {"epoch": 1, "loss": 0.5, "seconds": 1.0, "val": {"target": 0.7, "auc": 0.9}}
    >>> [ax.get_ylabel() for ax in history([record], region=Region(max_fpr=0.1)).axes]
    ['validation', 'training loss']
    """
    if not records:
        raise InputError("records is empty: the run has not finished an epoch yet.")
    epochs = [record["epoch"] for record in records]
    figure = canvas(7.2, 5.0, title)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for number, (key, name) in enumerate((("target", f"partial AUC, {in_words(region)}"), ("auc", "AUC"))):
        values = [record["val"][key] for record in records]
        upper.plot(epochs, values, label=name, marker=".", **line_style(number))
    upper.set_ylabel("validation")
    upper.legend(loc="best")
    lower.plot(epochs, [record["loss"] for record in records], color=GREY, marker=".")
    lower.set(xlabel=f"epoch ({records[-1]['seconds']:.0f} s in all)", ylabel="training loss")
    return figure
