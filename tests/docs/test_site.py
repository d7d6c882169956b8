"""The documentation site builds without a warning, needs no network, and documents every public name."""

import html
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browser import Opened, chromium
from pauci import partial_auc_score

ROOT = Path(__file__).parents[2]
ROOMS = ["metrics", "losses", "optim", "objectives", "training", "data", "models", "estimators", "boosting", "report"]
#: Second names, types and tables of values: in `__all__`, but without a docstring of their own.
UNDOCUMENTED = {"tar_at_far", "TASKS", "Selector"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_nothing_is_loaded_from_a_network(site):
    loads = re.compile(
        r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["'](?:https?:)?//|<link\b[^>]*rel="stylesheet"[^>]*href="(?:https?:)?//"""
    )
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        assert not loads.search(page.read_text(encoding="utf-8")), page


@pytest.mark.slow
@pytest.mark.parametrize("room", [*ROOMS, "report.figures"])
def test_every_public_name_is_in_the_reference(site, room):
    page = (site / "reference" / f"{room.split('.')[-1]}.html").read_text(encoding="utf-8")
    for name in importlib.import_module(f"pauci.{room}").__all__:
        assert name in UNDOCUMENTED or re.search(rf'id="pauci\.[\w.]*\b{name}"', page), name


@pytest.mark.slow
def test_defaults_in_the_reference_are_those_of_the_signature(site):
    page = (site / "reference" / "metrics.html").read_text(encoding="utf-8")
    table = page.partition('id="pauci.metrics.partial_auc_score"')[2].partition("</table>")[0]
    rows = [re.sub(r"<[^>]+>|\s+", " ", row).split() for row in table.split("</tr>")[1:-1]]
    shown = {row[0]: row[-1] for row in rows if row}
    known = inspect.signature(partial_auc_score).parameters.values()
    expected = {each.name: "required" if each.default is each.empty else repr(each.default) for each in known}
    assert {name: html.unescape(default) for name, default in shown.items()} == expected


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["threshold_at_fpr", "metrics threshold"])
def test_the_search_works_where_the_site_is_read_from_a_folder(site, typed):
    with chromium() as browser:
        opened = Opened(browser, site / "index.html")
        opened.page.locator(".md-search__input").click()
        opened.page.keyboard.type(typed, delay=100)  # every letter is a query
        found = opened.page.locator('a.md-search-result__link[href*="#pauci.metrics.threshold_at_fpr"]')
        found.first.wait_for(state="attached")
        assert opened.messages == []
        assert all(url.startswith("file:") for url in opened.requests)


@pytest.mark.slow
def test_words_of_the_search_hold_no_digits(site):
    """Some queries would fail, whichever it hits: see mkdocs.yml."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    words = {word for page in index["docs"] for word in re.split(index["config"]["separator"], page["text"])}
    assert {"threshold_at_fpr", "cifar"} < words
    assert not [word for word in words if re.search(r"\d", word)]
