import json
from pathlib import Path

import numpy as np
import pytest

from pauci import Region
from pauci.errors import InputError, MissingExtraError
from pauci.studies.store import Store
from pauci.studies.tabular.plan import Pace, available, plan
from pauci.studies.tabular.runner import run_units
from pauci.studies.tabular.sets import find_sets

REGIONS = (Region(max_fpr=0.2), Region(min_tpr=0.5))


def units(tables, store, **choices):
    choices = {
        "families": ["linear"],
        "methods": ["ce", "class-weight"],
        "splits": [0, 1],
        "regions": REGIONS,
    } | choices
    return plan(find_sets([tables]), store=store, **choices)


def test_everything_is_done_once_and_only_once(tables, tmp_path):
    store = tmp_path / "store"
    todo = units(tables, store)
    assert len(todo) == 8
    told = []
    outcome = run_units(todo, progress=lambda unit, records, left: told.append((unit, len(records), left)))
    assert (outcome.done, outcome.failed, outcome.left) == (8, [], 0)
    assert [number for _, number, _ in told] == [2] * 8
    assert told[-1][2] == 0
    assert {path.name for path in store.iterdir()} == {"linear-ce.jsonl", "linear-class-weight.jsonl"}
    records = Store(store).records()
    assert len({record.key for record in records}) == len(records) == 16
    assert all(0 <= record.metrics["pauc"] <= 1 and len(record.details["blocks"]) == 40 for record in records)
    assert units(tables, store) == []
    # Only what is missing is planned: a split, a region, another version of the table.
    assert {unit.split for unit in units(tables, store, splits=[0, 5])} == {5}
    more = units(tables, store, regions=(*REGIONS, Region(max_fpr=0.5)))
    assert {unit.regions for unit in more} == {(Region(max_fpr=0.5),)}
    lines = (tables / "square.csv").read_text().splitlines()
    (tables / "square.csv").write_text("\n".join(lines[:-1]) + "\n")
    assert {unit.path.stem for unit in units(tables, store)} == {"square"}


def test_results_do_not_depend_on_what_ran_before(tables, tmp_path):
    for store, order in ((tmp_path / "a", 1), (tmp_path / "b", -1)):
        run_units(units(tables, store)[::order])
    first, second = (
        {
            record.key: (record.metrics, record.val_metrics, record.details)
            for record in Store(tmp_path / name).records()
        }
        for name in "ab"
    )
    assert first == second


@pytest.mark.slow
def test_processes_find_what_one_finds(tables, tmp_path):
    alone, together = tmp_path / "alone", tmp_path / "together"
    run_units(units(tables, alone))
    assert run_units(units(tables, together), jobs=2).done == 8
    values = [
        {record.key: json.dumps([record.metrics, record.val_metrics]) for record in Store(store).records()}
        for store in (alone, together)
    ]
    assert values[0] == values[1]


def test_out_of_time_keeps_what_is_done(tables, tmp_path):
    todo = units(tables, tmp_path)
    assert run_units(todo, budget=0.0).left == 8
    outcome = run_units(todo, budget=60.0)
    assert outcome.done + outcome.left == 8
    assert len(Store(tmp_path).records()) == 2 * outcome.done


def test_one_failure_does_not_stop_the_others(tables, tmp_path, monkeypatch):
    todo = units(tables, tmp_path)
    (tables / "square.csv").unlink()
    outcome = run_units(todo)
    assert outcome.done == 4
    assert {unit.path.stem for unit, _ in outcome.failed} == {"square"}
    assert all(isinstance(error, OSError) for _, error in outcome.failed)


def test_the_largest_come_first(tables, tmp_path):
    np.savez(tables / "large.npz", X=np.arange(400.0)[:, None], y=np.arange(400) % 2)
    todo = units(tables, tmp_path, families=["linear", "mlp"], methods=["ce", "ours"])
    assert (todo[0].path.stem, todo[0].family, todo[0].method) == ("large", "mlp", "ours")
    expected = [Pace().seconds(unit) for unit in todo]
    assert expected == sorted(expected, reverse=True)


def test_wide_tables_are_expected_to_take_longer_than_narrow_ones(tables, tmp_path):
    for name, columns in (("narrow", 1), ("wide", 30)):
        np.savez(tables / f"{name}.npz", X=np.random.default_rng(0).normal(size=(100, columns)), y=np.arange(100) % 2)
    expected = {unit.path.stem: Pace().seconds(unit) for unit in units(tables, tmp_path)}
    assert expected["wide"] > 2 * expected["narrow"]


def test_pace_learns_from_what_is_done(tables, tmp_path):
    first, *others = units(tables, tmp_path)
    pace = Pace()
    before = pace.seconds(first)
    pace.learn(first, 10 * before)
    assert pace.seconds(first) == pytest.approx(10 * before)
    assert all(pace.seconds(unit) > 5 * Pace().seconds(unit) for unit in others)


def test_families_without_their_library_are_left_out(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert available(["linear", "xgboost"]) == ["linear"]
    with pytest.raises(MissingExtraError, match="boosting"):
        available(["xgboost"])
    with pytest.raises(InputError, match="there are linear"):
        available(["forest"])


def test_unknown_models_are_named(tables):
    with pytest.raises(InputError, match="class-weight"):
        units(tables, Path("nowhere"), methods=["magic"])
