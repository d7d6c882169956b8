"""Trials of other settings: what is told of them follows from the lines alone."""

import pytest

from pauci.errors import FileFormatError
from pauci.studies.paper.settings import (
    best_setting,
    same_settings_table,
    settings_sentence,
    settings_table,
    tried,
)
from pauci.studies.paper.trials import add_trial, read_trials

TASKS = ("cifar10-lt-1", "cifar10-lt-3")


def trial(method, value, *, task=TASKS[0], seed=0, **changes):
    values = {"opauc@0.3": value, "opauc@0.05": value / 2}
    return {"task": task, "method": method, "seed": seed, "changes": changes, "epoch": 3, "val_metrics": values}


def on_both(method, value, **changes):
    return [trial(method, value + 0.1 * k, task=task, **changes) for k, task in enumerate(TASKS)]


def test_lines_come_back(tmp_path):
    lines = on_both("ce", 0.5, lr=0.2)
    assert read_trials(tmp_path, "strong") == []
    for line in lines:
        add_trial(tmp_path, "strong", line)
    assert read_trials(tmp_path, "strong") == lines


@pytest.mark.parametrize(
    ("change", "told"), [({"method": "theirs"}, "method='theirs'"), ({"seed": None}, "lacks seed")]
)
def test_a_line_that_the_study_does_not_know_is_named(tmp_path, change, told):
    line = {name: value for name, value in {**trial("ce", 0.5), **change}.items() if value is not None}
    add_trial(tmp_path, "strong", trial("ce", 0.5))
    add_trial(tmp_path, "strong", line)
    with pytest.raises(FileFormatError, match=rf"strong\.jsonl, line 2.* {told}"):
        read_trials(tmp_path, "strong")


def test_the_table_has_a_row_for_every_setting_with_its_mean_over_tasks_the_best_first():
    table = settings_table([*on_both("ce", 0.5), *on_both("ce", 0.6, lr=0.2), *on_both("ours", 0.7)])
    assert [line for line in table.splitlines() if "0." in line] == [
        "| method | setting | seeds | FPR <= 0.3 | FPR <= 0.05 |",
        "| CE | lr=0.2 | 1 | 0.6500 | 0.3250 |",
        "| CE | common | 1 | 0.5500 | 0.2750 |",
        "| ours (CE + PAUCI) | common | 1 | 0.7500 | 0.3750 |",
    ]
    assert settings_table([]) == ""


def test_settings_are_compared_on_the_same_tasks_and_seeds_only():
    first = [*on_both("ce", 0.5), *on_both("ce", 0.58, lr=0.2), *on_both("ce", 0.55, lr=0.3)]
    second = [*on_both("ce", 0.4, seed=1, lr=0.2), *on_both("ce", 0.45, seed=1, lr=0.3)]
    table = settings_table(first + second)
    assert "| CE | common | 1 | 0.5500 | 0.2750 |" in table
    assert "| CE | common | 2" not in table
    assert "| CE | lr=0.2 | 1 | 0.6300 |" in table
    assert "| CE | lr=0.2 | 2 | 0.5400 |" in table
    assert "| CE | lr=0.3 | 2 | 0.5500 |" in table
    assert best_setting(first, "ce") == {"lr": 0.2}
    assert best_setting(first + second, "ce") == {"lr": 0.3}
    assert tried(first + second, "ce") == 3
    assert tried(first, "ours") == 0


def test_a_setting_may_be_a_loss_of_its_own():
    loss = {"name": "sopa", "ce_weight": 0.5}
    lines = [*on_both("ours", 0.5), *on_both("ours", 0.6, loss=loss)]
    assert best_setting(lines, "ours") == {"loss": loss}
    assert "loss={'name': 'sopa', 'ce_weight': 0.5}" in settings_table(lines)


def test_a_trial_that_was_made_twice_counts_with_its_mean():
    lines = [*on_both("ce", 0.5), *on_both("ce", 0.6, lr=0.2), *on_both("ce", 0.3, lr=0.2)]
    assert "| CE | lr=0.2 | 1 | 0.5000 | 0.2500 |" in settings_table(lines)
    assert best_setting(lines, "ce") == {}
    assert tried(lines, "ce") == 2


def test_a_setting_that_lacks_a_task_is_left_out():
    lines = [*on_both("ce", 0.5), trial("ce", 0.9, lr=0.2), *on_both("ours", 0.6)]
    assert "lr=0.2" not in settings_table(lines)
    assert best_setting(lines, "ce") == {}
    assert tried(lines, "ce") == 1


def test_methods_are_compared_at_settings_that_all_were_tried_with_the_best_first():
    ce = [*on_both("ce", 0.5), *on_both("ce", 0.58, lr=0.2), *on_both("ce", 0.7, lr=0.3), *on_both("ce", 0.9, seed=1)]
    mb = [*on_both("mb", 0.7, lr=0.2), *on_both("mb", 0.6)]
    focal = [*on_both("focal", 0.55), *on_both("focal", 0.5, lr=0.2), *on_both("focal", 0.9, kappa=3)]
    assert [line for line in same_settings_table(ce + mb + focal).splitlines() if "---" not in line] == [
        "| method | common | lr=0.2 | best minus common |",
        "| MB | 0.6500 | 0.7500 | +0.100 |",
        "| CE | 0.5500 | 0.6300 | +0.080 |",
        "| focal | 0.6000 | 0.5500 | +0.000 |",
    ]
    own = [*on_both("pauci", 0.9), *on_both("pauci", 0.8, k=4)]
    assert same_settings_table(ce + mb + focal + own) == same_settings_table(ce + mb + focal), "a solver of its own"
    assert same_settings_table([]) == same_settings_table(ce) == ""
    assert same_settings_table(ce + on_both("mb", 0.6)) == "", "one setting says nothing of gains"
    others = [*on_both("mb", 0.6, lr=0.2), *on_both("mb", 0.7, lr=0.3)]
    assert same_settings_table(ce + others) == "", "of the common one nothing is known"


def test_each_method_is_judged_at_its_own_best_setting():
    lines = [*on_both("ce", 0.5), *on_both("ce", 0.58, lr=0.2), *on_both("ours", 0.6), *on_both("ours", 0.55, kappa=9)]
    said = settings_sentence(lines)
    assert "`lr=0.2` for CE, of 2; `common` for ours (CE + PAUCI), of 2." in said
    assert "ours minus CE is +0.020 at FPR <= 0.3 and +0.010 at FPR <= 0.05" in said
    assert "with the common setting it is +0.100 at FPR <= 0.3 and +0.050 at FPR <= 0.05" in said


def test_two_seeds_give_an_interval():
    lines = [line for m, v in (("ce", 0.5), ("ours", 0.6)) for s in (0, 1) for line in on_both(m, v + s / 100, seed=s)]
    assert "+0.100 [+0.100, +0.100] at FPR <= 0.3" in settings_sentence(lines)


def test_nothing_is_said_of_one_method_alone():
    assert settings_sentence(on_both("ours", 0.5)) == ""
