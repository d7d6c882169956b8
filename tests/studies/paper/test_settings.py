"""Trials of other settings: what is told of them follows from the lines alone."""

from pauci.studies.paper.settings import add_trial, read_trials, settings_sentence, settings_table

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


def test_the_table_has_a_row_for_every_setting_with_its_mean_over_tasks():
    table = settings_table([*on_both("ce", 0.5), *on_both("ce", 0.6, lr=0.2), *on_both("ours", 0.7)])
    assert "| CE | shipped | 0.5500 | 0.2750 | 2 |" in table
    assert "| CE | lr=0.2 | 0.6500 | 0.3250 | 2 |" in table
    assert "| ours (CE + PAUCI) | shipped | 0.7500 | 0.3750 | 2 |" in table
    assert settings_table([]) == ""


def test_seeds_of_a_task_count_as_one():
    lines = [*on_both("ce", 0.5), trial("ce", 0.7, seed=1)]
    assert "| CE | shipped | 0.6000 |" in settings_table(lines)


def test_a_setting_that_lacks_a_task_is_left_out():
    lines = [*on_both("ce", 0.5), trial("ce", 0.9, lr=0.2), *on_both("ours", 0.6)]
    assert "lr=0.2" not in settings_table(lines)
    assert "lr=0.2" not in settings_sentence(lines)


def test_each_method_is_judged_at_its_own_best_setting():
    lines = [*on_both("ce", 0.5), *on_both("ce", 0.58, lr=0.2), *on_both("ours", 0.6), *on_both("ours", 0.55, kappa=9)]
    said = settings_sentence(lines)
    assert "`lr=0.2` for CE, of 2 tried and `shipped` for ours (CE + PAUCI), of 2 tried" in said
    assert "ours minus CE is +0.020 at FPR <= 0.3 and +0.010 at FPR <= 0.05" in said
    assert "with the shipped one it is +0.100 at FPR <= 0.3 and +0.050 at FPR <= 0.05" in said


def test_nothing_is_said_of_one_method_alone():
    assert settings_sentence(on_both("ours", 0.5)) == ""
