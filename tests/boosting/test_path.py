"""Rounds and rows of the candidates, with rows that count what is asked of them in the place of a library."""

import numpy as np
import pytest

from pauci import Region
from pauci.boosting.ensemble import TreeSettings
from pauci.boosting.path import BoostingPath, Promise

POSITIVE = np.arange(120) % 4 == 0
X = POSITIVE[:, None].astype(float)
FOLDS = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]


class Rows:
    """Logloss is least after 5 rounds; trees of `best` rounds rank perfectly, and no others."""

    def __init__(self, best=5, rounds=0, objective=None):
        self.best, self.rounds, self.objective = best, rounds, objective

    def best_rounds(self, *_, **__):
        return 5

    def grow(self, rounds, objective):
        return Rows(self.best, rounds, objective)

    def shortened(self, rounds):
        return Rows(self.best, rounds)

    def __call__(self, rows):
        return rows[:, 0] * (self.rounds == self.best)


def path(monkeypatch, best=5, max_rounds=1000):
    """Return a path, and a list to which the numbers of rows are added that trees are grown on."""
    counts = []
    monkeypatch.setattr("pauci.boosting.path.plant", lambda _, rows, *__: counts.append(len(rows)) or Rows(best))
    region = Region(max_fpr=0.3)
    settings = TreeSettings(learning_rate=0.1, threads=1)
    facts = {"surrogate": "sigmoid", "temperature": 0.5, "settings": settings, "patience": 3}
    return BoostingPath(library="lightgbm", target=region, region=region, max_rounds=max_rounds, **facts), counts


@pytest.mark.parametrize(
    ("best", "max_rounds", "rounds"),
    [(5, 1000, (5, 10)), (10, 1000, (10, 10)), (20, 1000, (20, 20)), (12, 12, (12, 12)), (5, 8, (5, 8))],
)
def test_candidates_with_a_surrogate_have_no_fewer_rounds_than_logloss(monkeypatch, best, max_rounds, rounds):
    tuned = path(monkeypatch, best, max_rounds)[0].tuned(X, POSITIVE, None, FOLDS)
    assert tuned.rounds == rounds
    grown = tuned.fit(X, POSITIVE, None, shares=[2.0], start=None, seed=0)
    assert tuple(promise.kept().rounds for promise in grown) == rounds


def test_each_share_is_what_the_surrogate_weighs_beside_logloss(monkeypatch):
    candidates, _ = path(monkeypatch)
    grown = candidates.fit(X, POSITIVE, None, shares=[0.5, 4.0], start=None, seed=0)
    plain, *blended = (promise.kept().objective for promise in grown)
    assert plain is None
    assert [(objective.region, objective.anchor) for objective in blended] == [
        (candidates.region, 2),
        (candidates.region, 0.25),
    ]


def test_a_promise_is_kept_once():
    promise = Promise(lambda: Rows())
    assert promise.kept() is promise.kept()


@pytest.mark.parametrize(("max_rounds", "rounds"), [(1000, 100), (30, 30)])
def test_where_nothing_can_be_held_out_there_are_at_most_max_rounds(monkeypatch, max_rounds, rounds):
    tuned = path(monkeypatch, max_rounds=max_rounds)[0].tuned(X, POSITIVE, None, [])
    grown = tuned.fit(X, POSITIVE, None, shares=[2.0], start=None, seed=0)
    assert [promise.kept().rounds for promise in grown] == [rounds, rounds]


@pytest.mark.parametrize(("many", "tried"), [(120, 30), (121, 60)])
def test_of_many_rows_half_tell_the_rounds_and_all_grow_the_candidates(monkeypatch, many, tried):
    monkeypatch.setattr("pauci.boosting.path._MANY", many)
    candidates, counts = path(monkeypatch)
    tuned = candidates.tuned(X, POSITIVE, None, FOLDS)
    for rows in (FOLDS[0][0], np.arange(120)):
        tuned.fit(X[rows], POSITIVE[rows], None, shares=[2.0], start=None, seed=0)
    assert counts == [tried, tried, 60, 120]
