"""Tables, findings and figures say what the store says, and what it does not."""

import dataclasses
import itertools
import math
import re
import shutil
import statistics
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pauci.data.tasks import TASKS
from pauci.errors import FileFormatError
from pauci.studies.jsonl import append_line
from pauci.studies.paper.blocks import JUDGED, TARGETS, Block, all_blocks
from pauci.studies.paper.choice import choice_table
from pauci.studies.paper.earlier import earlier_sentences
from pauci.studies.paper.figures import draw_study
from pauci.studies.paper.findings import findings
from pauci.studies.paper.gains import gain_table, head_to_head
from pauci.studies.paper.methods import METHODS, METRIC, ONE_WAY, TWO_WAY
from pauci.studies.paper.plan import plan
from pauci.studies.paper.published import best_published, published
from pauci.studies.paper.reached import algorithm_table, passed_table
from pauci.studies.paper.rendering import _tables, current_records, render_study
from pauci.studies.paper.rivals import rivals_table
from pauci.studies.paper.speed import speed_table
from pauci.studies.paper.summary import Cell, Results, significantly_best
from pauci.studies.paper.tables import value_table
from pauci.studies.store import Record, Store

ROOT = Path(__file__).parents[3]
BLOCK = Block("strong", "cifar10-lt", "clean")
BIRDS = Cell("strong", "cifar10-lt-1", "clean", str(ONE_WAY))


def record(run, region, value, **changes):
    facts = {
        "task": run.task,
        "variant": run.variant,
        "protocol": run.protocol,
        "method": run.method,
        "region": region,
        "seed": run.seed,
        "metrics": dict.fromkeys(("auc", *dict(JUDGED)), value),
        "val_metrics": dict.fromkeys(("auc", *dict(JUDGED)), value),
        "seconds": 10.0,
        "device": "NVIDIA H200",
        "recipe": f"{run}",
        "versions": {},
        "details": {
            "setup": setup(run),
            "trials": 0,
            "tflops": 79.0,
            "images_per_second": 20000,
            "wall": 11.0,
        },
    }
    return Record(**{**facts, **changes})


def setup(run):
    return run.recipe().replace(seed=0).hash


def made_up(shift, *, noise=0.002, **choice):
    """Records of runs whose methods differ by given shifts, and by noise that is not shared by pairs."""
    rng = np.random.default_rng(0)
    found = []
    for run in plan(**choice):
        if run.method in shift:
            level = 0.8 + 0.02 * run.seed + shift[run.method] + noise * rng.normal()
            found += [record(run, region, round(float(level), 6)) for region in run.regions]
    return found


def test_pairs_are_seeds_of_one_cell_and_the_last_setting_counts():
    records = made_up({"ce": 0.0, "ours": 0.01}, stages=[1])
    results = Results(records)
    ours, ce = (results.values(BIRDS, method, "opauc@0.3") for method in ("ours", "ce"))
    expected = stats.ttest_rel(list(ours.values()), list(ce.values()))
    found = results.difference(BIRDS, "ours", "ce", "opauc@0.3")
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval()))
    (run, *_) = plan(stages=[1], methods=["ours"], tasks=["cifar10-lt-1"], seeds=[0])
    newer = Results([*records, record(run, str(ONE_WAY), 0.99, details={"setup": "new"})])
    assert newer.values(BIRDS, "ours", "opauc@0.3") == {0: 0.99}
    assert results.difference(BIRDS, "focal", "ce", "opauc@0.3") is None


def test_the_mean_gain_averages_regions_within_a_run_first():
    results = Results(made_up({"ce": 0.0, "ours": 0.01}, stages=[1]))
    places = [(Cell("strong", task, "clean", region), METRIC[region]) for task in TASKS for region in METRIC]
    comparison, used = results.gain("ours", "ce", places)
    assert {cell.task for cell, _ in used} == {"cifar10-lt-1", "cifar10-lt-2", "cifar10-lt-3"}
    # Both regions have the same numbers here: counting them twice must not make the interval shorter.
    single, _ = results.gain("ours", "ce", places[::2])
    assert (comparison.low, comparison.high) == pytest.approx((single.low, single.high))
    assert comparison.low > 0.005
    assert results.gain("ours", "sopa", places) is None


def test_a_task_with_one_seed_does_not_take_the_interval_from_the_others():
    shift = {"ce": 0.0, "ours": 0.01}
    several, one = made_up(shift, stages=[1]), made_up(shift, stages=[3], seeds=[0])
    places = [(Cell("strong", task, "clean", str(ONE_WAY)), "opauc@0.3") for task in TASKS]
    assert Results([*several, *one]).gain("ours", "ce", places) == Results(several).gain("ours", "ce", places)
    comparison, used = Results(one).gain("ours", "ce", places)
    assert {cell.task for cell, _ in used} == {"cifar100-lt-1", "cifar100-lt-2", "cifar100-lt-3"}
    assert math.isinf(comparison.high)


def test_best_and_second_best_are_marked_only_where_they_are_significant():
    methods = ["ce", "ours", "pauci"]
    clear = Results(made_up({"ce": 0.0, "ours": 0.05, "pauci": -0.05}, stages=[1]))
    assert significantly_best(clear, BIRDS, methods, "opauc@0.3") == ["ours", "ce"]
    close = Results(made_up({"ce": 0.0, "ours": 0.0, "pauci": -0.05}, stages=[1]))
    assert significantly_best(close, BIRDS, methods, "opauc@0.3") == []
    alone = Results(made_up({"ce": 0.0}, stages=[1]))
    assert significantly_best(alone, BIRDS, methods, "opauc@0.3") == []
    one_seed = Results(made_up({"ce": 0.0, "ours": 0.05}, stages=[1], seeds=[0]))
    assert significantly_best(one_seed, BIRDS, methods, "opauc@0.3") == []


def test_a_table_has_means_spread_differences_and_published_values():
    results = Results(made_up({"ce": 0.0, "ours": 0.05, "pauci": -0.05}, stages=[1]))
    table = value_table(results, BLOCK, "opauc@0.3", str(ONE_WAY))
    (line,) = (line for line in table.splitlines() if line.startswith("| ours"))
    values = results.values(BIRDS, "ours", "opauc@0.3")
    assert f"**{np.mean(list(values.values())):.4f}** ± {np.std(list(values.values()), ddof=1):.3f} (5)" in line
    assert "+0.0" in line
    assert "†" in line
    (line,) = (line for line in table.splitlines() if line.startswith("| PAUCI"))
    assert "0.7721" in line
    assert "Not run yet: CE (natural ratio), focal" in table
    assert "Partial" not in table
    assert "0.7721" not in value_table(results, BLOCK, "opauc@0.05", str(ONE_WAY))
    assert value_table(results, Block("paper", "cifar10-lt", "clean"), "opauc@0.3", str(ONE_WAY)) == ""


def test_one_seed_has_no_spread():
    table = value_table(Results(made_up({"ce": 0.0}, stages=[1], seeds=[0])), BLOCK, "opauc@0.3", str(ONE_WAY))
    assert "±" not in table
    assert " (1) |" in table


def test_partial_cells_diverged_runs_and_tuning_are_named():
    records = made_up({"ce": 0.0, "ours": 0.05}, stages=[1], seeds=[0, 1])
    (run,) = plan(stages=[1], methods=["ours"], tasks=["cifar10-lt-3"], seeds=[2])
    records += [
        record(run, region, 0.0, metrics={}, details={"setup": setup(run), "diverged": "nan", "trials": 20})
        for region in METRIC
    ]
    table = value_table(Results(records), BLOCK, "opauc@0.3", str(ONE_WAY))
    assert "CE 2/2/2" in table
    assert "ours (CE + PAUCI) 2/2/3" in table
    assert "(2, 1 diverged)" in table
    assert "Trials of tuning: ours (CE + PAUCI) 20; others none." in table
    whole = Results(made_up(dict.fromkeys(METHODS, 0.0), stages=[1, 2]))
    assert "Complete: 5 seeds in every cell. No trials of tuning." in value_table(whole, BLOCK, *JUDGED[0])


def held_back(one):
    return (one.method, one.task, one.seed) == ("agd-sbcd", "cifar10-lt-1", 4)


def test_runs_that_kept_an_epoch_of_the_warm_up_of_their_loss_are_counted():
    records = made_up({"ce": 0.0, "auc-exp": -0.05}, stages=[1, 2])
    kept = [dataclasses.replace(one, details={**one.details, "epoch": 10 + one.seed}) for one in records]
    note = "Runs that kept an epoch from before their weights count, while all were 1: AUC-exp 3 of 15."
    assert note in value_table(Results(kept), BLOCK, "opauc@0.3", str(ONE_WAY))
    assert "before their weights" not in value_table(Results(records), BLOCK, "opauc@0.3", str(ONE_WAY))


def test_gains_over_tasks_and_speed():
    results = Results(made_up({"ce": 0.0, "ours": 0.05}, stages=[1]))
    table = gain_table(results, "strong")
    assert re.search(r"\| ours \(CE \+ PAUCI\) \| 3 \| 5 \| \+0\.0[45]", table)
    few = Results([one for one in made_up({"ce": 0.0, "agd-sbcd": -0.05}, stages=[1, 2]) if not held_back(one)])
    assert "| AGD-SBCD (one-way) | 3 | 4 to 5 | -0.0" in gain_table(few, "strong")
    assert gain_table(results, "paper") == ""
    # Means over different tasks do not compare: the method that has more is also told on those of all.
    more = [*made_up({"ce": 0.0, "ours": 0.05}, stages=[1, 3]), *made_up({"focal": -0.05}, stages=[2])]
    titles = [line.split(" | ")[0] for line in gain_table(Results(more), "strong").splitlines()[2:]]
    assert titles == ["| focal", "| ours (CE + PAUCI)", "| ours (CE + PAUCI), on the tasks of all rows"]
    alike = [line for line in gain_table(Results(more), "strong").splitlines() if "tasks of all" in line]
    assert "tasks of all rows | 3 | 5 | +0.0" in alike[0]
    # Of a task that has a seed in one region only, the mean takes the seeds that it has in both.
    whole = made_up({"ce": 0.0, "ours": 0.05}, stages=[1])
    lacking = [one for one in whole if (one.task, one.seed, one.region) != ("cifar10-lt-1", 4, str(TWO_WAY))]
    (line,) = (line for line in gain_table(Results(lacking), "strong").splitlines() if line.startswith("| ours"))
    assert "| 3 | 4 to 5 | +0.0" in line
    records = made_up({"ce": 0.0}, stages=[1])
    assert "| CE | strong | CIFAR-10-LT | NVIDIA H200 | 10.0 | 20,000 | 10.0% |" in speed_table(
        records, matrix_rate=790
    )
    assert speed_table([], matrix_rate=790) == ""


def cells_of(table, title):
    """The cells of a row of a table in Markdown, after its title."""
    (line,) = (line for line in table.splitlines() if line.startswith(f"| {title} |"))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_findings_answer_the_questions_or_say_that_nobody_asked():
    nothing = findings(Results([]), [])
    assert nothing.count("Not run yet.") == 5
    assert "- " not in nothing
    said = findings(Results(made_up({"ce": 0.0, "ours": 0.05, "pauci": -0.05}, stages=[1])), [], further=["", "More."])
    assert "Not run yet." not in said
    assert said.endswith("- More.\n")
    assert "Settings of their own" not in said
    tuned = Results(made_up({"ce": 0.0, "ours": -0.05}, stages=[13]) + made_up({"ce": 0.0, "ours": 0.05}, stages=[1]))
    (own,) = (line for line in findings(tuned, []).splitlines() if line.startswith("- Settings of their own"))
    brought = [float(number) for number in re.findall(r" ([+-]\S+) \[", own)]
    assert brought == pytest.approx([0.0, -0.1], abs=0.003), "what each has more than in the common setting"
    assert own.endswith("on 3 tasks.")


def test_what_settings_of_their_own_bring_is_compared_on_tasks_that_all_have():
    everywhere = made_up({"ce": 0.05, "sopa": 0.03}, stages=[14]) + made_up({"ce": 0.0, "sopa": 0.0}, stages=[3, 5])
    elsewhere = made_up({"ce": 0.0}, stages=[13]) + made_up({"ce": 0.0}, stages=[1])
    lines = findings(Results(everywhere + elsewhere), []).splitlines()
    (own,) = (line for line in lines if line.startswith("- Settings of their own"))
    brought = [float(number) for number in re.findall(r" ([+-]\S+) \[", own)]
    assert brought == pytest.approx([0.05, 0.03], abs=0.003)
    assert own.endswith("on 3 tasks.")


def test_ours_and_cross_entropy_are_compared_by_settings_and_cell_by_cell():
    tuned, common = made_up({"ce": 0.0, "ours": -0.05}, stages=[13]), made_up({"ce": 0.0, "ours": 0.05}, stages=[1])
    table = head_to_head(Results(tuned + common))
    for title, gain, sure in (("tuned for each", -0.05, "0 / 6 of 6"), ("one for both", 0.05, "6 / 0 of 6")):
        tasks, seeds, *means, single = cells_of(table, title)
        assert (tasks, seeds, single) == ("3", "5", sure)
        assert [float(mean.split()[0]) for mean in means] == pytest.approx([gain] * 3, abs=0.003)
    level = head_to_head(Results(made_up({"ce": 0.0, "ours": 0.0}, stages=[1])))
    assert "0 / 0 of 6" in level
    assert head_to_head(Results([])) == ""


def test_what_is_kept_is_better_on_validation_data_in_the_metric_that_is_judged():
    rng = np.random.default_rng(0)
    records = []
    for first in made_up({"ce": 0.0, "ours": 0.0}, stages=[1]):
        values = ({metric: rng.uniform() for metric in first.metrics} for _ in range(2))
        records.append(dataclasses.replace(first, **dict(zip(("metrics", "val_metrics"), values, strict=True))))
    columns = [TARGETS, [("opauc@0.05", str(ONE_WAY))], [("opauc@0.01", str(ONE_WAY))]]
    table = choice_table(Results(records))
    both, two = (
        [float(cell.split()[0]) for cell in cells_of(table, f"one for both | {kept}")[1:]]
        for kept in ("the better of CE and ours", "the better of two runs of CE")
    )
    assert both == pytest.approx([_kept(records, judged, _with_ours) for judged in columns], abs=5.1e-4)
    assert two == pytest.approx([_kept(records, judged, _with_other_seeds) for judged in columns], abs=5.1e-4)
    assert "tuned for each" not in table
    assert choice_table(Results([r for r in records if r.method == "ce"])) == ""


def test_a_run_that_diverged_is_not_kept():
    records = made_up({"ce": 0.0, "ours": 0.05}, stages=[1])
    failed = [dataclasses.replace(r, metrics={}, val_metrics={}) if r.method == "ours" else r for r in records]
    assert "| the better of CE and ours | +0.000 [+0.000, +0.000] |" in choice_table(Results(failed))
    failed = [dataclasses.replace(r, metrics={}, val_metrics={}) if r.method == "ce" else r for r in records]
    assert choice_table(Results(failed)) == ""


def _kept(records, judged, rivals):
    """Mean over everything of what is kept, minus one run of cross-entropy."""
    gains = []
    for (metric, region), ce in itertools.product(judged, records):
        if ce.method == "ce" and ce.region == region:
            for other in rivals(ce, [r for r in records if (r.task, r.region) == (ce.task, region)]):
                kept = max(ce, other, key=lambda record: record.val_metrics[metric])
                gains.append(kept.metrics[metric] - ce.metrics[metric])
    return statistics.fmean(gains)


def _with_ours(ce, beside):
    return [record for record in beside if record.method == "ours" and record.seed == ce.seed]


def _with_other_seeds(ce, beside):
    return [record for record in beside if record.method == "ce" and record.seed != ce.seed]


def test_every_method_stands_beside_ours_cross_entropy_and_its_published_numbers():
    strong = made_up({"ce": 0.0, "ours": 0.05, "pauci": -0.05}, stages=[1])
    table = rivals_table(Results(strong))
    assert [float(cells_of(table, title)[0].split()[0]) for title in ("CE", "PAUCI (ASGDA)")] == pytest.approx(
        [0.05, 0.1], abs=0.003
    )
    assert "| ours" not in table, "of it there is nothing to tell"
    tuned = made_up({"ce": 0.0, "ours": 0.05, "sopa": -0.05}, stages=[13])
    both = rivals_table(Results(strong + tuned))
    assert both.splitlines()[0] == "| method | strong: ours minus it | tuned: ours minus it |"
    (_, ce), (common, sopa) = (cells_of(both, title) for title in ("CE", "SOPA"))
    assert common == ""
    assert [float(cell.split()[0]) for cell in (ce, sopa)] == pytest.approx([0.05, 0.1], abs=0.003)
    # CE and ours have run on more tasks than the others: beside them, only the tasks of all count.
    more = [
        dataclasses.replace(one, task=one.task.replace("10-", "100-"))
        for one in made_up({"ce": 0.2, "ours": 0.0}, stages=[1])
    ]
    assert cells_of(rivals_table(Results(strong + more)), "CE") == cells_of(table, "CE")
    results = Results(made_up({"ce": 0.0, "agd-sbcd": 0.05, "pauci": -0.05}, stages=[6]))
    head, *_ = (table := rivals_table(results)).splitlines()
    assert head == "| method | paper: minus CE, CIFAR-10-LT | paper: minus published, CIFAR-10-LT |"
    values = [
        results.values(Cell("paper", f"cifar10-lt-{n}", "clean", str(ONE_WAY)), "agd-sbcd", "opauc@0.3")
        for n in (1, 2, 3)
    ]
    gap = np.mean([[*by_seed.values()] for by_seed in values]) - np.mean([0.7526, 0.9615, 0.7497])
    minus_ce, minus_published = cells_of(table, "AGD-SBCD (one-way)")
    assert float(minus_ce.split()[0]) == pytest.approx(0.05, abs=0.003)
    assert minus_published == f"{gap:+.3f}"
    leaky = rivals_table(Results(made_up({"ce": 0.0, "agd-sbcd": 0.05}, stages=[7])))
    assert leaky.splitlines()[0] == (
        "| method | paper: minus CE, CIFAR-100-LT as published | paper: minus published, CIFAR-100-LT as published |"
    )
    assert rivals_table(Results([])) == ""


def test_published_numbers_that_are_passed_or_reproduced_are_counted():
    results = Results(made_up({"ce": 0.0, "ours": 0.05, "pauci": -0.05}, stages=[1]))
    # 0.84 is above all but those of automobiles, 0.89 as well.
    assert cells_of(passed_table(results), "ours (CE + PAUCI), strong protocol") == ["4 of 6", "", ""]
    assert "tuned" not in passed_table(results)
    table = algorithm_table(results)
    published, reached = cells_of(table, "cifar10-lt-1, fpr<=0.3")
    mean = np.mean([*results.values(BIRDS, "pauci", "opauc@0.3").values()])
    assert (published, reached) == ("0.7721", f"{mean:.4f}")
    assert "or above it: under the strong protocol in 4 of 6 cells." in table
    both = Results(made_up({"pauci": -0.05}, stages=[1, 6]))
    assert len(cells_of(algorithm_table(both), "cifar10-lt-1, fpr<=0.3")) == 3
    assert "under the paper protocol in 4 of 6 cells, under the strong protocol in 4 of 6" in algorithm_table(both)
    assert passed_table(Results([])) == algorithm_table(Results([])) == ""


@pytest.mark.parametrize(("rows", "fewer"), [(21_000, True), (70_000, False)])
def test_where_fewer_images_were_at_hand_tables_and_findings_say_so(rows, fewer):
    (run,) = plan(stages=[8], methods=["ours"], tasks=["tiny-imagenet-1"], seeds=[0])
    details = {"setup": setup(run), "rows": rows}
    results = Results([record(run, region, 0.7, details=details) for region in METRIC])
    said = "Tiny-ImageNet has 21,000 training images here; published numbers were made with 70,000."
    assert (said in passed_table(results)) is fewer
    assert (said in _tables(results).partition("### Tiny-ImageNet, strong")[2]) is fewer


def test_curves_tell_what_the_choice_of_the_epoch_changes():
    def curve(method, task, *values, variant="clean"):
        facts = {"protocol": "strong", "variant": variant, "task": task, "method": method}
        return {**facts, "val": {"opauc@0.3": values, "tpauc@0.5,0.5": [value - 0.2 for value in values]}}

    curves = [
        curve("ce", "cifar10-lt-1", 0.6, 0.8, 0.7),
        curve("ce", "cifar10-lt-1", 0.6, 0.82, 0.72),
        curve("ce", "cifar10-lt-2", 0.6, 0.82, 0.82),  # a task counts as one, however many seeds it has
        curve("ce", "cifar10-lt-3", 0.6, 0.8, 0.1),  # only one of the methods has run
        curve("ours", "cifar10-lt-1", 0.6, 0.85, 0.7),
        curve("ours", "cifar10-lt-2", 0.6, 0.85, 0.75),
        curve("ours", "cifar10-lt-1", 0.9, 0.9, 0.1, variant="paper"),
    ]
    assert "at any time after warm-up: CE 1 of 4; of the other methods none." in findings(Results([]), curves)
    assert "No run under the strong protocol fell below half" in findings(Results([]), curves[:3])
    assert "by 0.050 for CE and 0.125 for ours" in findings(Results([]), curves)
    assert "Choosing the epoch" not in findings(Results([]), curves[:4])


def test_published_numbers_are_complete():
    for region in (str(ONE_WAY), str(TWO_WAY)):
        for task in TASKS:
            numbers = {method: published(region, method, task) for method in (*METHODS, "successor")}
            known = {number for number in numbers.values() if number is not None}
            assert len(known) >= (10 if region == str(ONE_WAY) else 9) - 1  # two methods may share a number
            assert best_published(region, task) == max(known)
            assert all(0.6 < number < 1 for number in known)
    assert published(str(TWO_WAY), "agd-sbcd", "cifar10-lt-1") is None
    assert published(str(TWO_WAY), "pauci", "tiny-imagenet-3") == 0.8860


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("paper-study.md", "what-we-found.md"):
        shutil.copy(ROOT / "docs" / name, folder)
    return folder


def filled(folder):
    store = Store(folder)
    for one in made_up({"ce": 0.0, "ours": 0.05}, stages=[1], tasks=["cifar10-lt-1"], seeds=[0, 1]):
        store.append(one, file="strong")
        line = {"task": one.task, "variant": one.variant, "protocol": one.protocol, "method": one.method}
        line |= {"regions": list(METRIC), "seed": one.seed, "recipe": one.recipe, "warmup": 0}
        points = {"epoch": [1, 30, 60], "seconds": [0.5, 15.0, 30.0]}
        append_line(
            folder / "history" / "strong.jsonl",
            {**line, **points, "val": {metric: [0.5, 0.6, 0.7] for metric in METRIC.values()}},
        )
    return store


def test_pages_are_written_between_their_marks_and_again_the_same(tmp_path, docs):
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- paper-study: summary -->\nold\n<!-- end of summary -->\nafter\n")
    store = filled(tmp_path / "results")
    written = render_study(store, docs, readme=readme)
    first = {path: path.read_bytes() for path in written}
    assert {path.name for path in written} >= {
        *("paper-study.md", "what-we-found.md", "README.md", "forest-strong.svg", "heatmap-strong.svg"),
        *("convergence-strong-cifar10-lt-1-opauc-epoch.svg", "convergence-strong-cifar10-lt-1-tpauc-seconds.svg"),
    }
    page = (docs / "paper-study.md").read_text()
    assert page.startswith("# The paper's study, redone")
    assert "### CIFAR-10-LT, strong protocol" in page
    assert "![" in page
    text = readme.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "tuned for each" not in text, "of which nothing was run"
    assert "| one for both |" in text
    assert {path: path.read_bytes() for path in render_study(store, docs, readme=readme)} == first


def test_runs_with_settings_that_were_replaced_are_named_and_left_out(tmp_path, docs):
    store = filled(tmp_path / "results")
    (run,) = plan(stages=[1], methods=["ours"], tasks=["cifar10-lt-1"], seeds=[2])
    store.append(record(run, str(ONE_WAY), 0.1234, details={"setup": "older"}), file="strong")
    present, replaced = current_records(store)
    assert [one.seed for one in replaced] == [2]
    assert {one.seed for one in present} == {0, 1}
    render_study(store, docs)
    # Its seed has no partner: nothing to compare.
    said = "ours (CE + PAUCI) had other settings under the strong protocol before, in 1 run that the tables leave out"
    for page in ("paper-study.md", "what-we-found.md"):
        assert f"{said}.\n" in (docs / page).read_text()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", "birds"),
        ("protocol", "weak"),
        ("method", "theirs"),
        ("region", "fpr<=0.2"),
        ("region", "nowhere"),
    ],
)
def test_a_run_that_the_study_does_not_know_is_named_by_file_line_and_field(tmp_path, docs, field, value):
    store = filled(tmp_path / "results")
    (run,) = plan(stages=[1], methods=["ours"], tasks=["cifar10-lt-1"], seeds=[2])
    store.append(dataclasses.replace(record(run, str(ONE_WAY), 0.1), **{field: value}))
    with pytest.raises(FileFormatError, match=rf"runs\.jsonl, line 1: .*{field}.*{value}"):
        render_study(store, docs)


def test_what_replaced_settings_said_on_test_data_is_told():
    present = made_up({"ce": 0.0}, stages=[1])
    better = [{name: value + 0.01 for name, value in one.metrics.items()} for one in present]
    older = [
        dataclasses.replace(one, method="ours", metrics=metrics, recipe=f"{one.task} {one.seed}")
        for one, metrics in zip(present, better, strict=True)
    ]
    (sentence,) = earlier_sentences(present, older)
    assert sentence.endswith(
        "in 15 runs that the tables leave out: minus CE +0.010 [+0.010, +0.010], mean over 6 cells."
    )
    assert earlier_sentences(present, []) == []


def test_curves_are_means_over_seeds_of_the_clean_variant(tmp_path):
    store = filled(tmp_path)
    results = Results(store.records())
    history = {"task": "cifar10-lt-1", "variant": "clean", "protocol": "strong", "method": "ce", "warmup": 0}
    lines = [
        {**history, "regions": [str(ONE_WAY)], "seed": seed, "epoch": [1, 2], "seconds": [1.0, 2.0 + seed], "val": val}
        for seed, val in enumerate(({"opauc@0.3": [0.2, 0.4]}, {"opauc@0.3": [0.4, 0.8]}))
    ]
    older = {**lines[0], "epoch": [1], "seconds": [9.0], "val": {"opauc@0.3": [0.9]}}
    leaky = {**lines[0], "variant": "paper"}
    figures = {name: figure for name, _, figure in draw_study(results, [older, *lines, leaky])}
    (line,) = figures["convergence-strong-cifar10-lt-1-opauc-seconds"].axes[0].lines
    assert line.get_xdata().tolist() == [1.0, 2.5]
    assert line.get_ydata().tolist() == pytest.approx([0.3, 0.6])


def test_a_page_without_marks_is_an_error(tmp_path, docs):
    (docs / "what-we-found.md").write_text("# What we found\n")
    with pytest.raises(FileFormatError, match="findings"):
        render_study(Store(tmp_path / "empty"), docs)


def test_every_block_has_a_title_of_its_own():
    titles = [block.title for block in all_blocks()]
    assert len(set(titles)) == len(titles)
