"""`write_report`: one HTML file about one or several models."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

from pauci.errors import InputError
from pauci.extras import require
from pauci.metrics.inputs import check_probability
from pauci.region import Region, one_region
from pauci.replacing import replacing
from pauci.report.judgement import judge
from pauci.report.page import render_page
from pauci.report.run_folder import TrainingRun
from pauci.report.scored_model import ScoredModel


def write_report(
    models: Sequence[ScoredModel],
    path: str | os.PathLike[str],
    *,
    region: Region,
    runs: Sequence[TrainingRun] = (),
    prevalence: float | None = None,
    volume: float = 10_000,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    title: str = "Partial AUC report",
    command: str = "",
) -> Path:
    """Write a self-contained, interactive HTML report: it opens offline, in any browser, years later.

    Parameters
    ----------
    models : sequence of ScoredModel
        The models to judge. Those that share their cases with the first are compared with it. May be empty if there are
        `runs`.
    path : path
        The file.
    region : Region
        The region in which models are judged.
    runs : sequence of TrainingRun
        Training runs to show beside the models, as `read_run` reads them. Their scores are judged, too.
    prevalence : float, optional
        Share of positives where the models will be used; by default that of the first model's cases. The reader of
        the page can change it.
    volume : float
        Cases per day where the models will be used; the reader of the page can change it.
    level : float
        Confidence level of all intervals and bands.
    n_resamples, seed : int
        Number of bootstrap resamples, and their seed.
    title : str
        Heading of the page.
    command : str
        The command that makes this report, shown at its end.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        There is nothing to report on, or an argument makes no sense.
    MissingExtraError
        Plotly is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 2000])
    >>> models = [ScoredModel(name, y, shift * y + rng.normal(size=2100)) for name, shift in (("old", 1), ("new", 2))]
    >>> path = write_report(models, f"{tempfile.mkdtemp()}/report.html", region=Region(max_fpr=0.05), n_resamples=100)
    >>> path.name, path.stat().st_size < 8e6
    ('report.html', True)
    """
    region, path = one_region(region), Path(path)
    require("plotly.offline", purpose="the HTML report")
    scored = [*models, *(run.model for run in runs if run.model is not None)]
    if not scored and not runs:
        raise InputError("models and runs are both empty: there is nothing to report on.")
    if prevalence is not None:
        check_probability("prevalence", prevalence)
    if not isinstance(volume, int | float) or not 0 < volume < math.inf:
        raise InputError(f"volume={volume!r} must be a positive number: cases per day.")
    check_probability("level", level)
    if not path.parent.is_dir():
        raise InputError(f"path={str(path)!r}: the folder {path.parent} does not exist; create it first.")
    judgement = judge(scored, region, level=level, n_resamples=n_resamples, seed=seed) if scored else None
    if prevalence is None:
        prevalence = scored[0].n_positive / (scored[0].n_positive + scored[0].n_negative) if scored else 0.5
    page = render_page(judgement, runs, title=title, command=command, prevalence=prevalence, volume=volume)
    with replacing(path) as unfinished:
        # Names of files may hold bytes that are no text.
        unfinished.write_bytes(page.encode("utf-8", errors="replace"))
    return path
