import numpy as np
import pytest
from hypothesis import given

from oracles import regions, samples
from pauci import Region
from pauci.metrics.bootstrap import bootstrap_shares
from pauci.metrics.delong import influences
from pauci.metrics.inputs import BinaryScores
from pauci.metrics.ranking import Ranking
from pauci.metrics.sample import Sample


def derivative(scores, region, *, ties, step=1e-6):
    """Change of the share per unit of extra weight on one instance, by central differences."""
    n, m = len(scores.positives), len(scores.negatives)
    ranking = Ranking.of(scores.positives, scores.negatives)
    more = step * np.eye(n + m)
    shares = [ranking.shares(1 + sign * more[:, :n], 1 + sign * more[:, n:], region, ties=ties) for sign in (1, -1)]
    slope = (shares[0] - shares[1]) / (2 * step)
    return slope[:n], slope[n:]


REGIONS = [
    Region(),
    Region(max_fpr=0.21),
    Region(min_tpr=0.62),
    Region(max_fpr=0.52, min_tpr=0.33),
    Region(min_fpr=0.11, max_fpr=0.63, min_tpr=0.23, max_tpr=0.87),
]
#: Above the curve of the test below, and beneath it.
PASSED_BY = [Region(max_fpr=0.11, min_tpr=0.93), Region(min_fpr=0.71, max_tpr=0.23)]


@pytest.mark.parametrize("region", REGIONS + PASSED_BY, ids=str)
@pytest.mark.parametrize("decimals", [16, 1, 0])
@pytest.mark.parametrize("ties", ["half", "correct"])
def test_influences_are_the_derivatives_of_the_share(region, decimals, ties):
    rng = np.random.default_rng(0)
    scores = BinaryScores(np.round(rng.normal(1, 1, 37), decimals), np.round(rng.normal(size=61), decimals))
    for got, expected in zip(influences(scores, region, ties=ties), derivative(scores, region, ties=ties), strict=True):
        assert got == pytest.approx(expected, abs=1e-7)


def test_whole_plane_is_delong():
    rng = np.random.default_rng(1)
    x, y = np.round(rng.normal(1, 1, 30), 1), np.round(rng.normal(size=50), 1)
    wins = (x[:, None] > y) + (x[:, None] == y) / 2
    for cut in ("interpolate", "floor"):  # where there are no edges, an area is a share of pairs
        positives, negatives = influences(BinaryScores(x, y), Region(), cut=cut)
        assert positives * 30 == pytest.approx(wins.mean(axis=1) - wins.mean())
        assert negatives * 50 == pytest.approx(wins.mean(axis=0) - wins.mean())


@given(samples(), regions())
def test_influences_add_up_to_nothing(sample, region):
    y, s = sample
    for cut in ("interpolate", "floor"):
        for ties in ("half", "correct"):
            for effects in influences(BinaryScores(s[y], s[~y]), region, cut=cut, ties=ties):
                assert np.isfinite(effects).all()
                assert effects.sum() == pytest.approx(0, abs=1e-9 / region.area)


def test_weights_count_like_repetitions():
    rng = np.random.default_rng(2)
    x, y = rng.normal(1, 1, 20), rng.normal(size=30)
    counts = rng.integers(1, 4, 20), rng.integers(1, 4, 30)
    region = Region(max_fpr=0.4, min_tpr=0.2)
    weighted = influences(BinaryScores(x, y, counts[0].astype(float), counts[1].astype(float)), region)
    repeated = influences(BinaryScores(np.repeat(x, counts[0]), np.repeat(y, counts[1])), region)
    for once, several, count in zip(weighted, repeated, counts, strict=True):
        first = np.cumsum(count) - count
        assert once == pytest.approx(several[first] * count)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize(("cut", "decimals"), [("interpolate", 16), ("floor", 16), ("floor", 1)])
def test_variance_agrees_with_the_bootstrap(region, cut, decimals):
    rng = np.random.default_rng(3)
    x, y = np.round(rng.normal(1.2, 1.3, 500), decimals), np.round(rng.normal(size=1500), decimals)
    sample = Sample.read(np.repeat([1, 0], [500, 1500]), {"y_score": np.concatenate([x, y])})
    delong = sum((effects**2).sum() for effects in influences(sample.scores[0], region, cut=cut))
    resampled = bootstrap_shares(sample, region, cut=cut, n_resamples=2000).var()
    assert delong == pytest.approx(resampled, rel=0.2)
