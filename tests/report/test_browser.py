"""The report as its reader meets it: in a browser, without a network."""

from pathlib import Path

import numpy as np
import pytest

from browser import Opened, chromium
from pauci.metrics import precision_at_threshold, threshold_at_fpr
from pauci.metrics.band import roc_band
from pauci.metrics.sample import Sample
from pauci.region import Region
from pauci.report import ScoredModel, read_run, write_report
from pauci.training import Recipe, train
from pauci.training.specs import WarmupSpec

#: Each takes some seconds: a browser draws a page of five megabytes.
pytestmark = pytest.mark.slow

ARTIFACTS = Path(__file__).parents[2] / "artifacts" / "report"
OPTIONS = {"region": Region(max_fpr=0.05), "n_resamples": 200, "seed": 3, "level": 0.9}
HOSTILE = """'"><img src=x onerror=alert(1)></script><script>alert(2)</script><!--<b>\u2028%{y}"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    y = rng.random(6000) < 0.05
    hard = rng.normal(size=len(y))
    scores = {
        "cross-entropy": 1 / (1 + np.exp(3 - hard - 2 * y - 0.5 * rng.normal(size=len(y)))),
        "PAUCI + CE": 1 / (1 + np.exp(3 - hard - 2.4 * y - 0.4 * rng.normal(size=len(y)))),
        "rules": np.round(hard + 2 * y),
    }
    return [ScoredModel(name, y, each) for name, each in scores.items()]


@pytest.fixture(scope="module")
def report(models, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(models, path, prevalence=0.002, volume=25_000, title="Card payments, May", **OPTIONS)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("light", {"viewport": {"width": 1200, "height": 900}, "color_scheme": "light"}),
        ("dark", {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"}),
        ("phone", {"viewport": {"width": 375, "height": 812}, "color_scheme": "light"}),
    ],
)
def test_it_opens_without_an_error_and_without_a_request(browser, report, name, options):
    opened = Opened(browser, report, **options)
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    opened.page.screenshot(path=ARTIFACTS / f"{name}.png", full_page=True)
    assert opened.messages == []
    assert opened.requests == [opened.url]
    width, window = opened.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window
    assert opened.page.locator("html").get_attribute("data-theme") == ("dark" if name == "dark" else "light")
    opened.page.close()


def test_a_long_name_is_shown_in_full_on_a_phone(browser, models, tmp_path):
    first, *others = models[:2]
    name = "scores of last year's rules, as_exported_on_the_first_of_january.csv:rules"
    renamed = ScoredModel(name, first.y_true, first.y_score)
    path = write_report([renamed, *others], tmp_path / "report.html", **OPTIONS | {"n_resamples": 20})
    opened = Opened(browser, path, viewport={"width": 375, "height": 812})
    wide = "[...document.querySelectorAll('.scroll')].filter((part) => part.scrollWidth > part.clientWidth).length"
    assert opened.page.evaluate(wide) == 0
    # What runs out to the left cannot be scrolled to, and does not count there.
    label = "(cell) => [parseFloat(getComputedStyle(cell, '::before').width), cell.clientWidth]"
    cells = opened.page.locator("table.cards td[data-label^=Difference]").all()
    assert cells
    for cell in cells:
        width, room = cell.evaluate(label)
        assert 0 < width <= room
    opened.page.close()


def test_the_slider_shows_what_the_metrics_compute_at_every_stop_tried(browser, report, models):
    opened = Opened(browser, report)
    facts = opened.page.evaluate("JSON.parse(document.getElementById('facts').textContent)")
    budgets = facts["budgets"]
    dial = opened.page.locator("#stop")
    assert int(dial.input_value()) == len(budgets) - 1
    bands = []
    for model, drawn in zip(models, facts["models"], strict=True):
        # Where the classes are tied, the bootstrap that draws cases, as it does with weights.
        weight = np.ones(len(model.y_true)) if model.name == "rules" else None
        sample = Sample.read(model.y_true, {"y_score": model.y_score}, sample_weight=weight)
        bands.append(roc_band(sample, np.array(drawn["band"]["fpr"]), level=0.9, n_resamples=200, seed=3))
    tried = [0, 1, len(budgets) // 3, len(budgets) // 2, len(budgets) - 2, len(budgets) - 1]
    for stop in tried:
        dial.fill(str(stop))
        assert opened.page.locator("#budget").inner_text() == percent(budgets[stop])
        for i, (model, (low, high)) in enumerate(zip(models, bands, strict=True)):
            y, scores = model.y_true, model.y_score
            at = threshold_at_fpr(y, scores, max_fpr=budgets[stop])
            at = threshold_at_fpr(y, scores, max_fpr=at.fpr)
            assert float(opened.value("threshold", i)) == at.threshold
            assert opened.text("threshold", i) == repr(at.threshold)
            assert float(opened.value("tpr", i)) == at.tpr
            assert float(opened.value("fpr", i)) == at.fpr
            assert opened.text("tpr", i) == percent(at.tpr)
            assert opened.text("fpr", i) == percent(at.fpr)
            assert opened.text("fpr", i, note=True) == f"up to {percent(at.fpr_upper)}"
            place = facts["models"][i]["band"]["fpr"].index(at.fpr)
            assert opened.text("tpr", i, note=True) == between(low[place], high[place])
            alerts = 25_000 * (0.002 * at.tpr + 0.998 * at.fpr)
            assert float(opened.value("alerts", i)) == pytest.approx(alerts, rel=1e-12)
            check_precision(opened, i, model, at, prevalence=0.002)
    opened.page.wait_for_function(
        f"roc.layout.shapes[2].xanchor === {threshold_at_fpr(y, models[0].y_score, max_fpr=0.05).fpr}"
    )
    assert opened.messages == []
    opened.page.close()


def test_prevalence_and_volume_can_be_changed(browser, report, models):
    opened = Opened(browser, report)
    opened.page.locator("#prevalence").fill("7.5")
    opened.page.locator("#volume").fill("1200")
    for i, model in enumerate(models):
        at = threshold_at_fpr(model.y_true, model.y_score, max_fpr=0.05)
        check_precision(opened, i, model, at, prevalence=0.075)
        alerts = 1200 * (0.075 * at.tpr + 0.925 * at.fpr)
        assert float(opened.value("alerts", i)) == pytest.approx(alerts, rel=1e-12)
    opened.page.locator("#prevalence").fill("150")
    assert opened.page.locator("#prevalence").get_attribute("aria-invalid") == "true"
    assert opened.text("precision") == opened.text("alerts") == "\u2013"
    assert opened.text("tpr") != "\u2013"
    opened.page.close()


def check_precision(opened, i, model, at, *, prevalence):
    if at.tpr == at.fpr == 0:
        assert opened.text("precision", i) == "\u2013"
        return
    expected = precision_at_threshold(model.y_true, model.y_score, threshold=at, prevalence=prevalence, level=0.9)
    assert float(opened.value("precision", i)) == pytest.approx(expected.estimate, rel=1e-12)
    assert opened.text("precision", i) == percent(expected.estimate)
    assert opened.text("precision", i, note=True) == between(expected.low, expected.high)


def percent(share):
    value = 100 * share
    digits = 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{digits}f}%" if value else "0%"


def between(low, high):
    return f"{percent(low).removesuffix('%')} to {percent(high)}"


def test_it_is_operated_from_the_keyboard(browser, report):
    opened = Opened(browser, report)
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.name || ''"))
    assert {"view", "axis", "bands", "stop", "prevalence", "volume", "pair", "log-counts"} <= reached
    page.locator("#stop").focus()
    page.keyboard.press("Home")
    assert page.locator("#budget").inner_text() == "0%"
    page.keyboard.press("ArrowRight")
    assert page.locator("#budget").inner_text() != "0%"
    assert "false positives" in page.locator("#stop").get_attribute("aria-valuetext")
    page.close()


def test_views_scales_bands_and_colours_can_be_switched(browser, report):
    opened = Opened(browser, report)
    page = opened.page
    look = "[roc.layout.xaxis.type || 'linear', roc.layout.xaxis.range, roc.data.length, roc.layout.font.color]"
    _, zoomed, drawn, ink = page.evaluate(look)
    assert zoomed[1] < 0.06
    page.get_by_label("Whole curve").check()
    page.locator("#bands").uncheck()
    page.get_by_label("Log", exact=True).check()
    page.locator("#theme").click()
    kind, whole, fewer, pale = page.evaluate(look)
    assert kind == "log"
    assert whole[1] == pytest.approx(np.log10(1.01))
    assert fewer == drawn - 2 * 3
    assert pale != ink
    assert page.locator("#theme").get_attribute("aria-pressed") == "true"
    # A curve on the logarithmic axis still tells its true rates.
    assert page.evaluate("Math.min(...roc.data[0].customdata)") == 0
    assert page.evaluate("Math.min(...roc.data[0].x)") > 0
    before = page.evaluate("document.getElementById('difference').data[2].y.slice(0, 5)")
    page.locator("#pair").select_option("2")
    assert page.evaluate("document.getElementById('difference').data[2].y.slice(0, 5)") != before
    page.locator("#log-counts").check()
    assert page.evaluate("document.getElementById('histogram-0').layout.yaxis.type") == "log"
    assert opened.messages == []
    page.close()


def test_it_prints_in_light_colours_and_goes_back(browser, report):
    opened = Opened(browser, report, color_scheme="dark")
    opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.page.locator("html").get_attribute("data-theme") == "light"
    opened.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert opened.page.locator("html").get_attribute("data-theme") == "dark"
    assert len(opened.page.pdf()) > 50_000
    drawn = "chart => chart.querySelector('.main-svg').clientWidth == chart.clientWidth"
    for chart in opened.page.locator(".js-plotly-plot").all():
        assert chart.evaluate(drawn)
    assert opened.messages == []
    opened.page.close()


def test_paper_says_which_colour_is_which_class_and_which_models_are_compared(browser, report):
    opened = Opened(browser, report)
    opened.page.emulate_media(media="print")
    for shown in (".key .positives", ".key .negatives", "#pair"):
        assert opened.page.locator(shown).is_visible()
    for hidden in ("#roc-controls", "#log-counts", "#stop", "#theme"):
        assert not opened.page.locator(hidden).is_visible()
    opened.page.close()


def test_a_few_alerts_are_not_none(browser, report):
    opened = Opened(browser, report)
    opened.page.locator("#volume").fill("1")
    alerts = float(opened.value("alerts"))
    assert 0 < alerts < 0.1
    assert float(opened.text("alerts")) == pytest.approx(alerts, rel=0.05)
    assert not opened.text("alerts", note=True).startswith("0 of")
    opened.page.close()


def test_names_from_outside_are_text_wherever_they_appear(browser, models, tmp_path):
    named = [ScoredModel(f"{i}{HOSTILE}", model.y_true, model.y_score) for i, model in enumerate(models)]
    path = write_report(
        named, tmp_path / "hostile <b>.html", title=HOSTILE, command=f"pauci report '{HOSTILE}'", **OPTIONS
    )
    opened = Opened(browser, path)
    page = opened.page
    assert page.locator("h1").evaluate("heading => heading.textContent") == HOSTILE
    assert page.locator("#numbers th[scope=row]").nth(1).evaluate("cell => cell.textContent") == f"1{HOSTILE}"
    assert page.locator("#pair option").first.evaluate("option => option.textContent") == f"1{HOSTILE}"
    assert page.locator("main img").count() == 0
    box = page.locator("#roc .nsewdrag").bounding_box()
    for share in (0.3, 0.5, 0.7):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + share * box["height"])
        page.wait_for_timeout(60)
    assert page.locator(".hoverlayer img, .hoverlayer b").count() == 0
    assert (opened.messages, opened.dialogs, opened.requests) == ([], [], [opened.url])
    page.close()


def test_the_policy_stops_what_might_still_slip_in(browser, report):
    opened = Opened(browser, report)
    page = opened.page
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.slipped = true";
            document.body.append(script);
            const image = document.createElement("img");
            image.src = "http://localhost:9/image.png";
            document.body.append(image);
        }"""
    )
    fetched = page.evaluate("fetch('http://localhost:9/').then(() => 'yes', () => 'no')")
    assert fetched == "no"
    assert page.evaluate("window.slipped") is None
    assert any("Content Security Policy" in message for message in opened.messages)
    page.close()


def test_a_training_run_shows_its_convergence_and_warm_up(browser, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    x = rng.normal(size=(400, 3)) + y[:, None]
    recipe = Recipe(name="tiny", epochs=4, batch_size=64, warmup=WarmupSpec(epochs=2))
    train(recipe, (x, y), out=tmp_path / "<i>run", device="cpu")
    run = read_run(tmp_path / "<i>run")
    path = write_report([], tmp_path / "report.html", region=Region(max_fpr=0.05), runs=[run])
    opened = Opened(browser, path)
    chart = opened.page.evaluate("(({ data, layout }) => ({ data, layout }))(document.getElementById('convergence-0'))")
    assert chart["data"][0]["x"] == [1, 2, 3, 4]
    assert chart["data"][0]["y"] == [record["val"]["target"] for record in run.history]
    assert chart["data"][1]["y"] == [record["loss"] for record in run.history]
    assert [shape["x0"] for shape in chart["layout"]["shapes"]] == [-1.5, run.summary["best_epoch"]]
    assert "warm-up: 2 epochs" in chart["layout"]["annotations"][0]["text"]
    assert opened.page.locator("h3").inner_text() == "<i>run"
    assert (opened.messages, opened.requests) == ([], [opened.url])
    opened.page.close()


def test_epochs_are_counted_in_whole_numbers(browser, tmp_path):
    y = np.repeat([0, 1], [200, 60])
    x = np.random.default_rng(0).normal(size=(260, 1)) + y[:, None]
    train(Recipe(epochs=3, batch_size=64), (x, y), out=tmp_path / "run", device="cpu")
    runs = [read_run(tmp_path / "run")]
    opened = Opened(browser, write_report([], tmp_path / "report.html", region=Region(max_fpr=0.05), runs=runs))
    assert opened.page.locator("#convergence-0 .xtick text").all_text_contents() == ["1", "2", "3"]
    opened.page.close()
