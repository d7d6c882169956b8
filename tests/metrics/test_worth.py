"""Cases that belong together are worth as many independent ones as would vary as much."""

import numpy as np
import pytest
import scipy.stats

from pauci.metrics.precision import exact_interval
from pauci.metrics.worth import independent_worth, worth_by_likeness

HITS = np.arange(600) % 7 == 0


def test_cases_of_their_own_are_worth_what_they_are_and_repeated_ones_what_there_is_of_them():
    alone = np.array([f"case {number}" for number in range(600)])
    assert independent_worth(HITS, alone, confidence=0.95) == pytest.approx(600)
    repeated = independent_worth(np.tile(HITS, 4), np.tile(alone, 4), confidence=0.95)
    assert repeated == pytest.approx(600, rel=0.01)


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.95, 0.999])
def test_groups_that_are_alike_are_worth_no_more_than_their_rows(confidence):
    assert 0 < independent_worth(HITS, np.arange(600) % 13, confidence=confidence) <= 600


@pytest.mark.parametrize("hit", [True, False])
def test_where_nothing_shows_how_groups_differ_each_is_worth_one_case(hit):
    hits = np.full(600, hit)
    assert independent_worth(hits, np.arange(600) // 20, confidence=0.95) == 30
    assert independent_worth(HITS, np.zeros(600), confidence=0.95) == 1


def test_groups_of_equals_are_worth_what_they_are_but_for_what_few_leave_in_doubt():
    hits, quantile = np.repeat([True, False, False, True, False], 10), scipy.stats.t.ppf
    worth = independent_worth(hits, np.arange(50) // 10, confidence=0.9)
    assert worth == pytest.approx(4 * 50 / 49 * (quantile(0.9, 49) / quantile(0.9, 4)) ** 2)


def test_fewer_groups_leave_more_in_doubt():
    rng = np.random.default_rng(0)
    worth = []
    for number in (200, 20, 5):
        hits = (rng.normal(size=number)[:, None] + rng.normal(size=(number, 10)) > 1).ravel()
        worth.append(independent_worth(hits, np.arange(len(hits)) // 10, confidence=0.95) / len(hits))
    assert worth == sorted(worth, reverse=True)


@pytest.mark.parametrize("number", [30, 100])
@pytest.mark.parametrize("uneven", [False, True])
def test_intervals_cover_the_rate_of_cases_that_belong_together(number, uneven):
    truth = scipy.stats.norm.sf(1.2, scale=np.sqrt(2))
    covered = {True: 0, False: 0}
    for seed in range(300):
        rng = np.random.default_rng(seed)
        sizes = 1 + rng.geometric(0.07, number) if uneven else np.full(number, 15)
        group = np.repeat(np.arange(number), sizes)
        hits = rng.normal(size=number)[group] + rng.normal(size=len(group)) > 1.2
        for known in covered:
            worth = independent_worth(hits, group, confidence=0.975) if known else len(hits)
            low, high = exact_interval(hits.mean() * worth, worth, 0.95)
            covered[known] += low <= truth <= high
    assert covered[True] >= 276, "of 300; 285 are promised"
    assert covered[False] < 265


def test_of_groups_of_one_size_likeness_tells_what_their_differences_tell():
    hits = np.random.default_rng(0).normal(size=40)[:, None] + np.random.default_rng(1).normal(size=(40, 10)) > 1
    worth = worth_by_likeness(hits.ravel(), np.arange(400) // 10)
    within = hits.var(axis=1, ddof=1).mean()
    between = 10 * hits.mean(axis=1).var(ddof=1)
    assert worth == pytest.approx(400 / (1 + 9 * (between - within) / (between + 9 * within)))
    assert worth == pytest.approx(independent_worth(hits.ravel(), np.arange(400) // 10, confidence=0.95), rel=0.1)


@pytest.mark.parametrize("groups", [np.arange(600), np.zeros(600), np.arange(600) % 13])
def test_where_nothing_is_alike_every_case_counts(groups):
    assert worth_by_likeness(HITS, groups) == 600
    assert worth_by_likeness(HITS < 2, groups) == 600


@pytest.mark.parametrize("rate", [0.2, 0.05])
def test_intervals_cover_the_rate_where_few_groups_are_much_larger_than_others(rate):
    limit = scipy.stats.norm.isf(rate, scale=np.sqrt(2))
    covered = {True: 0, False: 0}
    for seed in range(300):
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(100), np.ceil(rng.lognormal(1.6, 1.5, 100)).astype(int))
        hits = rng.normal(size=100)[group] + rng.normal(size=len(group)) > limit
        alone = independent_worth(hits, group, confidence=0.975)
        for both in covered:
            worth = min(alone, worth_by_likeness(hits, group)) if both else alone
            low, high = exact_interval(hits.mean() * worth, worth, 0.95)
            covered[both] += low <= rate <= high
    assert covered[True] >= 276, "of 300; 285 are promised"
    assert covered[False] < 276
