"""The page as one file: template, style, scripts and data, with nothing to fetch."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any

from pauci import __version__
from pauci.extras import require
from pauci.report import model_sections
from pauci.report.judgement import Judgement
from pauci.report.markup import code
from pauci.report.page_data import page_data
from pauci.report.run_folder import TrainingRun
from pauci.report.run_sections import training
from pauci.report.wording import region_in_words


def render_page(
    judgement: Judgement | None,
    runs: Sequence[TrainingRun],
    *,
    title: str,
    command: str,
    prevalence: float,
    volume: float,
) -> str:
    """Put the page together, which begins with this share of positives and these cases per day.

    `command` is what makes this report again; it is empty if nothing does.
    """
    plotly = require("plotly.offline", purpose="the HTML report").get_plotlyjs()
    scripts = {"theme": _asset("theme.js"), "plotly": plotly, "script": _asset("charts.js") + _asset("page.js")}
    data = page_data(judgement, runs, prevalence=prevalence, volume=volume)
    sections = []
    if judgement is not None:
        sections.append(_models(judgement, prevalence, volume))
    if runs:
        sections.append(_fill("training.html", {"runs": training(runs)}))
    shown = code(command, "command") if command else "<p>Written from Python by <code>write_report</code>.</p>"
    return _fill(
        "page.html",
        {
            "policy": escape(_policy(scripts.values())),
            "title": escape(title),
            "subtitle": escape(_subtitle(judgement)),
            "style": _asset("report.css"),
            "sections": "".join(sections),
            "command": shown,
            "version": escape(__version__),
            "facts": embedded(data),
            **scripts,
        },
    )


def embedded(data: Any) -> str:
    r"""Write JSON that is safe inside a script element: no text in it can end the element or begin another.

    Examples
    --------
    >>> print(embedded({"name": "</script><!--"}))
    {"name":"\u003c/script\u003e\u003c!--"}
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _models(judgement: Judgement, prevalence: float, volume: float) -> str:
    options = model_sections.pair_options(judgement)
    versus = {"options": options, "reference": escape(judgement.models[0].model.name)}
    return _fill(
        "models.html",
        {
            "summary": model_sections.summary(judgement),
            "region": escape(region_in_words(judgement.region)),
            "small_print": model_sections.small_print(judgement),
            "last": str(len(judgement.budgets) - 1),
            "prevalence": f"{100 * prevalence:.6g}",
            "volume": f"{volume:.12g}",
            "numbers": model_sections.operating_table(judgement),
            "difference": _fill("difference.html", versus) if options else "",
            "histograms": model_sections.histograms(judgement),
        },
    )


def _subtitle(judgement: Judgement | None) -> str:
    if judgement is None:
        return "Training runs"
    sizes = {(each.model.n_positive, each.model.n_negative) for each in judgement.models}
    counted = "; ".join(
        f"{positives:,} positives and {negatives:,} negatives" for positives, negatives in sorted(sizes)
    )
    return f"Region judged: {region_in_words(judgement.region)}. Data: {counted}."


def _policy(scripts: Iterable[str]) -> str:
    """Forbid everything but the scripts of this page: nothing is fetched, and nothing injected can run."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    return (resources.files("pauci.report") / "assets" / name).read_text(encoding="utf-8")


def _fill(template: str, slots: dict[str, str]) -> str:
    """Fill the slots of a template in one pass: what is filled in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: slots[slot[1]], _asset(template))
