import base64
import hashlib
import json
import re
import sys

import numpy as np
import pytest

from pauci.errors import InputError, LabelError, MissingExtraError, RegionError, ScoreError, TooFewSamplesError
from pauci.metrics import compare_partial_auc, partial_auc_interval
from pauci.metrics.region_curve import operating_point
from pauci.region import Region
from pauci.report import ScoredModel, write_report
from pauci.report.page import embedded
from pauci.report.wording import percent

REGION = Region(max_fpr=0.1)


def models(n=600, count=2, name="model {}"):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 5 == 0
    hard = rng.normal(size=n)
    return [ScoredModel(name.format(i), y, hard + (1 + i) * y + 0.5 * rng.normal(size=n)) for i in range(count)]


def page_of(given, path, **options):
    options = {"region": REGION, "n_resamples": 20, **options}
    return write_report(given, path / "report.html", **options).read_text(encoding="utf-8")


def facts_of(page):
    return json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.DOTALL)[1])


def test_the_tables_show_what_the_metrics_compute(tmp_path):
    given = models()
    page = page_of(given, tmp_path)
    for model in given:
        interval = partial_auc_interval(model.y_true, model.y_score, region=REGION, n_resamples=20)
        assert f"<strong>{interval.estimate:.3f}</strong>" in page
        assert f"{interval.low:.3f} to {interval.high:.3f}" in page
    found = compare_partial_auc(given[0].y_true, given[1].y_score, given[0].y_score, region=REGION, n_resamples=20)
    assert f"{found.difference:+.3f} partial AUC" in page


@pytest.mark.parametrize(
    ("region", "heading"),
    [
        (REGION, "TPR at the largest FPR"),
        (Region(min_tpr=0.7), "FPR at the smallest TPR"),
        (Region(min_tpr=0.7, min_fpr=0.6), "FPR at the smallest TPR"),
        (Region(), None),
    ],
    ids=str,
)
def test_the_rate_in_the_first_table_is_the_one_that_the_region_leaves_open(tmp_path, region, heading):
    (model,) = given = models(count=1)
    cells = dict(re.findall(r'<td data-label="([FT]PR at [^"]*)">([^<]*)<', page_of(given, tmp_path, region=region)))
    at = operating_point(model.y_true, model.y_score, region)
    assert cells == ({} if heading is None else {heading: percent(at.tpr if region == REGION else at.fpr)})


def test_the_page_is_the_same_every_time(tmp_path):
    assert page_of(models(), tmp_path) == page_of(models(), tmp_path)


def test_models_of_other_cases_are_not_compared(tmp_path):
    first, second = models(600)[0], models(500)[1]
    page = page_of([first, second], tmp_path)
    assert "ranks better" not in page
    assert 'id="difference"' not in page
    facts = facts_of(page)
    assert [model["versus"] for model in facts["models"]] == [None, None]
    assert [model["negatives"] for model in facts["models"]] == [480, 400]
    assert "model 1 was judged on other cases than model 0" in page


def test_the_same_cases_in_another_order_are_noticed(tmp_path):
    first, second = models()
    turned = ScoredModel("turned", second.y_true[::-1], second.y_score[::-1])
    page = page_of([first, turned], tmp_path)
    assert "bring both files into the same order" in page
    assert "ranks better" not in page


def test_models_that_rank_alike_are_said_to(tmp_path):
    first, second = models()
    twice = ScoredModel("twice", first.y_true, 2 * first.y_score)
    page = page_of([first, twice, second], tmp_path)
    assert "twice ranks these cases exactly as model 0 does, so there is nothing to compare." in page
    assert "cannot be told apart" not in page
    assert page.count("same ranking") == 1
    assert [model["versus"] is None for model in facts_of(page)["models"]] == [True, True, False]
    assert 'id="difference"' not in page_of([first, twice], tmp_path)


def test_every_band_is_about_the_point_beside_it(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.random(3000) < 0.2
    tied, plain = np.round(rng.normal(size=3000) + 2 * y), rng.normal(size=3000) + y
    given = [ScoredModel("tied", y, tied), ScoredModel("plain", y, plain)]
    facts = facts_of(page_of(given, tmp_path, n_resamples=300))
    for model in facts["models"]:
        for point in model["points"]:
            assert point["tpr_low"] <= point["found"] / model["positives"] <= point["tpr_high"]


def test_groups_widen_intervals_and_silence_those_that_ignore_them(tmp_path):
    plain = models(count=1)[0]
    grouped = ScoredModel("grouped", plain.y_true, plain.y_score, groups=np.arange(600) // 20)
    page = page_of([grouped], tmp_path)
    point = facts_of(page)["models"][0]["points"][-1]
    assert (point["fpr_upper"], point["even"]) == (None, None)
    assert "band of the TPR, which allows for groups." in page
    assert "interval of the precision" not in page
    assert "interval of the precision; for the FPR, an upper bound" in page_of([plain], tmp_path)
    assert not plain.shares_cases_with(grouped)
    assert grouped.shares_cases_with(ScoredModel("x", plain.y_true, plain.y_score, groups=np.arange(600) // 20))
    assert not grouped.shares_cases_with(ScoredModel("x", plain.y_true, plain.y_score, groups=np.arange(600) // 30))


def test_labels_in_words_are_refused_with_a_remedy_that_a_report_has():
    with pytest.raises(LabelError, match="Pass y_true == the positive class"):
        ScoredModel("old", ["no", "yes", "no", "yes"], [0.1, 0.8, 0.3, 0.6])


@pytest.mark.slow
def test_a_hundred_thousand_scores_of_five_models_fit_into_eight_megabytes(tmp_path):
    path = write_report(models(100_000, 5), tmp_path / "report.html", region=Region(max_fpr=0.5), n_resamples=2)
    assert path.stat().st_size < 8e6


def test_embedded_json_cannot_leave_its_element():
    hostile = "</script><script>alert(1)</script><!-- \u2028\u2029 & <![CDATA["
    text = embedded({hostile: [hostile]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {hostile: [hostile]}
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded(float("nan"))


def test_names_reach_the_page_as_text_only(tmp_path):
    hostile = '"><img src=x onerror=alert(1)></script><script>alert(2)</script>{{facts}}{}'
    page = page_of(models(name=hostile), tmp_path, title=hostile, command=f"pauci report '{hostile}'")
    without_plotly = page.replace(re.search(r"/\*\*\n\* plotly\.js.*?</script>", page, re.DOTALL)[0], "")
    assert "<img" not in without_plotly
    assert "alert(2)</script>" not in without_plotly
    assert page.count("</script>") == 4
    assert facts_of(page)["models"][0]["name"] == hostile.format(0)


def test_only_the_scripts_of_the_page_may_run_and_nothing_may_be_fetched(tmp_path):
    page = page_of(models(), tmp_path)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "connect-src 'none'" in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 3
    for script in scripts:
        assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert not re.search(r'<(?:link|iframe|script)[^>]*(?:src|href)="', page)


def test_file_names_that_are_no_text_do_not_stop_the_report(tmp_path):
    assert "<title>?</title>" in page_of(models(count=1), tmp_path, title="\udcff")


@pytest.mark.parametrize(
    ("given", "options", "error", "words"),
    [
        ([], {}, InputError, "nothing to report on"),
        ("twice", {}, InputError, "'model 0' occurs twice"),
        ("one", {"region": "fpr<=0.1"}, InputError, "must be a pauci.Region"),
        ("one", {"prevalence": 1.5}, InputError, "prevalence=1.5 must be a number above 0 and below 1: 1% is 0.01"),
        ("one", {"volume": -1}, InputError, "volume=-1"),
        ("one", {"level": 2.0}, InputError, "level=2.0"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(tmp_path, given, options, error, words):
    one = models(count=1)
    chosen = {"twice": one * 2, "one": one}.get(given, given) if isinstance(given, str) else given
    with pytest.raises(error, match=re.escape(words)):
        write_report(chosen, tmp_path / "report.html", **{"region": REGION, **options})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere does not exist"):
        write_report(models(count=1), tmp_path / "nowhere" / "report.html", region=REGION)


def test_without_plotly_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pauci\[report\]'"):
        write_report(models(count=1), tmp_path / "report.html", region=REGION)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("", [0, 0, 1, 1], [1, 2, 3, 4]), InputError, "name=''"),
        (("a", [0, 0, 1, 1], [1, 2, 3, float("nan")]), ScoreError, "y_score of 'a' holds 1 NaN"),
        (("a", [0, 0, 1], [1, 2, 3, 4]), LabelError, "y_score of 'a' has 4"),
        (("a", [0, 0, 0, 0], [1, 2, 3, 4]), LabelError, "only negatives"),
        (("a", [0, 0, 0, 1], [1, 2, 3, 4]), TooFewSamplesError, "at least 2"),
        (("a", [], []), LabelError, "empty"),
        (("a", [0, 1, 2, 1], [1, 2, 3, 4]), LabelError, "y_true holds"),
    ],
)
def test_models_that_cannot_be_judged_are_refused(arguments, error, words):
    with pytest.raises(error, match=re.escape(words)):
        ScoredModel(*arguments)


@pytest.mark.parametrize(
    "region", [Region(), Region(min_tpr=0.9), Region(min_fpr=0.2, max_fpr=0.4), Region(max_fpr=1e-6)], ids=str
)
@pytest.mark.parametrize("scores", ["constant", "perfect", "reversed", "tied"])
def test_odd_scores_and_regions_make_a_page_all_the_same(tmp_path, region, scores):
    y = np.arange(40) % 4 == 0
    given = {"constant": np.zeros(40), "perfect": y * 1.0, "reversed": -1.0 * y, "tied": np.arange(40) % 3 + y}[scores]
    facts = facts_of(
        page_of([ScoredModel("a", y, given), ScoredModel("b", y, np.arange(40.0))], tmp_path, region=region)
    )
    assert 0 <= facts["start"] < len(facts["budgets"])
    assert len(facts["models"][0]["points"]) == len(facts["budgets"])


def test_an_empty_region_is_refused_before_anything_is_written():
    with pytest.raises(RegionError):
        Region(max_fpr=0.0)
