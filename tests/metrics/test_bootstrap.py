import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import regions, samples
from pauci import Region, partial_auc_score
from pauci.errors import RegionError
from pauci.metrics.bootstrap import Gaps, bootstrap_shares
from pauci.metrics.draws import draw_counts, instance_counts
from pauci.metrics.sample import Sample


def per_gap(scores, counts, sizes):
    """Add up counts of instances over the gaps, which follow each other from the highest score down."""
    running = np.concatenate([[0], np.cumsum(counts[np.argsort(-scores, kind="stable")])])
    ends = np.cumsum(sizes)
    return np.diff(running[ends], prepend=0)


def check_resamples(y, s, region, *, cut, ties, seed, resamples=2):
    """Shares from counts per gap against the score of the arrays those counts stand for."""
    rng = np.random.default_rng(seed)
    scores = Sample.read(y, {"y_score": s}).scores[0]
    gaps = Gaps.of(scores, region)
    n_positive, n_negative = int(y.sum()), int((~y).sum())
    for _ in range(resamples):
        positives = np.bincount(rng.integers(n_positive, size=n_positive), minlength=n_positive)
        negatives = np.bincount(rng.integers(n_negative, size=n_negative), minlength=n_negative)
        again = np.concatenate([np.repeat(s[y], positives), np.repeat(s[~y], negatives)])
        try:
            expected = partial_auc_score(
                np.repeat([1, 0], [n_positive, n_negative]), again, region=region, cut=cut, ties=ties
            )
        except RegionError:
            return
        won = gaps.shares(
            per_gap(s[y], positives, gaps.positives)[None],
            per_gap(s[~y], negatives, gaps.negatives)[None],
            (n_positive, n_negative),
            region,
            cut=cut,
            ties=ties,
        )
        assert won[0] == pytest.approx(expected, abs=1e-9)


rules = {"cut": st.sampled_from(["interpolate", "floor"]), "ties": st.sampled_from(["half", "correct"])}


@given(samples(), regions(), st.integers(0, 2**32 - 1), st.fixed_dictionaries(rules))
def test_counts_per_gap_give_the_score_of_the_resampled_arrays(sample, region, seed, rule):
    y, s = (np.repeat(values, 2) for values in sample)
    check_resamples(y, s, region, seed=seed, **rule)


@pytest.mark.parametrize("decimals", [16, 2, 0])
@pytest.mark.parametrize("region", [Region(max_fpr=0.01), Region(max_fpr=0.05, min_tpr=0.3, max_tpr=0.9)])
def test_negatives_that_cannot_reach_the_region_are_left_out(region, decimals):
    rng = np.random.default_rng(0)
    y = np.arange(5000) < 300
    s = np.round(rng.normal(size=5000) + 1.5 * y, decimals)
    gaps = Gaps.of(Sample.read(y, {"y_score": s}).scores[0], region)
    assert gaps.negatives.sum() < 2000
    for ties in ("half", "correct"):
        check_resamples(y, s, region, cut="interpolate", ties=ties, seed=1, resamples=20)
        check_resamples(y, s, region, cut="floor", ties=ties, seed=2, resamples=20)


@pytest.mark.parametrize("sizes", [[1, 2, 1, 3, 0, 1], [30, 1, 200, 0, 69]], ids=["single draws", "binomials"])
@pytest.mark.parametrize("rest", [0, 50])
def test_drawn_counts_are_multinomial(sizes, rest):
    sizes = np.array(sizes)
    total, rows = int(sizes.sum()) + rest, 20_000
    drawn = draw_counts(np.random.default_rng(0), sizes, total, rows)
    share = sizes / total
    covariance = total * (np.diag(share) - np.outer(share, share))
    assert drawn.shape == (rows, len(sizes))
    assert (drawn.sum(axis=1) <= total).all()
    assert (drawn[:, sizes == 0] == 0).all()
    np.testing.assert_allclose(drawn.mean(axis=0), sizes, atol=5 * np.sqrt(covariance.max() / rows))
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.05 * covariance.max() + 0.02)


def test_a_resample_that_begins_with_too_many_is_drawn_again():
    rng, sizes = np.random.default_rng(8), np.array([2500])
    assert (draw_counts(rng, sizes, 2500, 10_000) == 2500).all()


@pytest.mark.parametrize("rule", [{}, {"cut": "floor", "ties": "correct"}], ids=["area", "paper"])
@pytest.mark.parametrize("decimals", [16, 1])
def test_distribution_is_that_of_resampled_arrays(rule, decimals):
    rng = np.random.default_rng(3)
    y = np.arange(300) < 60
    s = np.round(rng.normal(size=300) + y, decimals)
    region = Region(max_fpr=0.3, min_tpr=0.2)
    naive = []
    for _ in range(1500):
        rows = np.concatenate([rng.choice(np.flatnonzero(of), of.sum()) for of in (y, ~y)])
        naive.append(partial_auc_score(y[rows], s[rows], region=region, **rule))
    fast = bootstrap_shares(Sample.read(y, {"y_score": s}), region, n_resamples=6000, **rule)[:, 0]
    assert fast.mean() == pytest.approx(np.mean(naive), abs=5 * np.std(naive) / np.sqrt(1500))
    assert fast.std() == pytest.approx(np.std(naive), rel=0.09)
    assert np.quantile(fast, [0.05, 0.95]) == pytest.approx(np.quantile(naive, [0.05, 0.95]), abs=0.012)


@pytest.mark.parametrize("rule", [{}, {"cut": "floor", "ties": "correct"}], ids=["area", "paper"])
@pytest.mark.parametrize("max_fpr", [0.02, 0.4])
def test_paired_scores_see_the_same_resamples(rule, max_fpr):
    rng = np.random.default_rng(6)
    y = np.arange(1500) < 60
    a, b = np.round(rng.normal(size=(2, 1500)) + 2 * y, 2)
    region = Region(max_fpr=max_fpr)
    shares = bootstrap_shares(Sample.read(y, {"a": a, "b": b}), region, n_resamples=4000, **rule)
    twins = bootstrap_shares(Sample.read(y, {"a": a, "b": 3 * a}), region, n_resamples=50, **rule)
    np.testing.assert_array_equal(twins[:, 0], twins[:, 1])
    naive = []
    for _ in range(1000):
        rows = np.concatenate([rng.choice(np.flatnonzero(of), of.sum()) for of in (y, ~y)])
        naive.append([partial_auc_score(y[rows], s[rows], region=region, **rule) for s in (a, b)])
    assert shares.mean(axis=0) == pytest.approx(np.mean(naive, axis=0), abs=5 * np.std(naive) / np.sqrt(1000))
    assert shares.std(axis=0) == pytest.approx(np.std(naive, axis=0), rel=0.1)
    assert np.corrcoef(shares.T)[0, 1] == pytest.approx(np.corrcoef(np.transpose(naive))[0, 1], abs=0.12)


def test_weights_and_groups_resample_what_they_should():
    rng = np.random.default_rng(4)
    y, s = np.arange(40) < 15, rng.normal(size=40)
    weight, groups = rng.random(40), rng.integers(0, 12, size=40)
    sample = Sample.read(y, {"y_score": s}, sample_weight=weight, groups=groups)
    region = Region(max_fpr=0.4)
    shares = bootstrap_shares(sample, region, n_resamples=30, seed=5)[:, 0]
    (chunk,) = instance_counts(sample, 30, np.random.default_rng(5))
    for share, positives, negatives in zip(shares, *chunk, strict=True):
        counts = np.empty(40)
        counts[y], counts[~y] = positives, negatives
        for group in np.unique(groups):
            assert len(set(counts[groups == group])) == 1
        assert share == pytest.approx(partial_auc_score(y, s, region=region, sample_weight=counts * weight), abs=1e-12)


@pytest.mark.parametrize("rare", [0, 1])
def test_every_resample_of_groups_holds_both_classes(rare):
    y, groups = np.where(np.arange(8) < 2, rare, 1 - rare), np.array([0, 1, 2, 3, 4, 5, 6, 7])
    sample = Sample.read(y, {"y_score": np.arange(8.0)}, groups=groups)
    for positives, negatives in instance_counts(sample, 3000, np.random.default_rng(0)):
        assert (positives.sum(axis=1) > 0).all()
        assert (negatives.sum(axis=1) > 0).all()
        np.testing.assert_array_equal(positives.sum(axis=1) + negatives.sum(axis=1), 8)


@pytest.mark.parametrize("kind", ["plain", "paired", "weighted", "grouped"])
def test_there_are_as_many_resamples_as_were_asked_for(kind):
    y, s = np.arange(5000) % 2, np.random.default_rng(0).normal(size=5000)
    scores = {"score_a": s, "score_b": s**2} if kind == "paired" else {"y_score": s}
    weight, groups = s**2 if kind == "weighted" else None, np.arange(5000) // 3 if kind == "grouped" else None
    sample = Sample.read(y, scores, sample_weight=weight, groups=groups)
    assert bootstrap_shares(sample, Region(), n_resamples=101).shape == (101, len(scores))


def test_is_reproducible_and_leaves_its_input_and_the_global_generator_alone():
    y, s = np.repeat([True, False], [20, 200]), np.random.default_rng(0).normal(size=220)
    sample = Sample.read(y, {"y_score": s})
    before, state = sample.scores[0].negatives.copy(), np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (bootstrap_shares(sample, Region(max_fpr=0.1), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(sample.scores[0].negatives, before)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("weighted", [False, True])
def test_memory_does_not_grow_with_the_number_of_resamples(weighted):
    rng = np.random.default_rng(0)
    y, s = rng.random(50_000) < 0.05, rng.normal(size=50_000)
    sample = Sample.read(y, {"y_score": s}, sample_weight=np.ones(50_000) if weighted else None)
    tracemalloc.start()
    bootstrap_shares(sample, Region(max_fpr=0.3), n_resamples=60)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * s.nbytes
