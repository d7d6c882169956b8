import numpy as np
import pytest

from pauci import Region, partial_auc_score
from pauci.errors import InputError
from pauci.estimators.choice import unjudged
from pauci.estimators.selection import choose
from pauci.metrics import Comparison, compare_partial_auc

REGION = Region(max_fpr=0.1)


def sample(seed, gains, *, n=2000, noise=0.3):
    """Scores of candidates that are as good as the first, or better or worse by some signal."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 10 == 0
    common = rng.normal(size=n)
    return y, [common + (1.5 + gain) * y + noise * rng.normal(size=n) for gain in gains], rng.integers(0, 5, size=n)


def test_scores_are_means_over_parts():
    y, scores, parts = sample(0, [0, 0.5])
    choice = choose(y, scores, region=REGION, parts=parts, names=["a", "b"])
    for score, found in zip(scores, choice.scores, strict=True):
        each = [partial_auc_score(y[parts == k], score[parts == k], region=REGION) for k in range(5)]
        assert found == pytest.approx(np.mean(each))


def test_errors_agree_with_the_paired_comparison():
    y, scores, _ = sample(1, [0, 0.2])
    one_part_twice = np.repeat([0, 1], len(y))
    choice = choose(
        np.tile(y, 2), [np.tile(s, 2) for s in scores], region=REGION, parts=one_part_twice, names=["a", "b"]
    )
    compared = compare_partial_auc(y, scores[1], scores[0], region=REGION, method="delong")
    half_width = compared.high - compared.difference
    assert choice.errors[1] * 2**0.5 * 1.96 == pytest.approx(half_width, rel=0.1)


def test_the_least_candidate_within_a_standard_error_of_the_best():
    y, scores, parts = sample(2, [0, 0.5, 1.0, 1.0, 0.2])
    choice = choose(y, scores, region=REGION, parts=parts, names=list("abcde"))
    best = int(np.argmax(choice.scores))
    (kept,) = choice.kept
    assert kept in (2, best)
    assert choice.scores[kept] > choice.scores[1]
    assert choice.gain.low > 0
    assert choice.gain.p_value < 0.05


def test_equal_and_worse_candidates_lose():
    y, [score, worse], parts = sample(3, [0, -0.3])
    choice = choose(y, [score, score, worse], region=REGION, parts=parts, names=list("abc"))
    assert choice.is_anchor
    assert choice.gain == Comparison(difference=0.0, low=0.0, high=0.0, p_value=1.0, level=0.95)


def test_noise_is_seldom_chosen_and_its_gain_is_honest():
    chosen, covered = 0, 0
    for seed in range(100):
        y, scores, parts = sample(seed, [0, 0, 0, 0], n=1000)
        choice = choose(y, scores, region=REGION, parts=parts, names=list("abcd"))
        chosen += not choice.is_anchor
        covered += choice.gain.low <= 0 <= choice.gain.high
    assert chosen <= 55  # three independent candidates, each beyond one standard error by chance
    assert covered >= 90


def test_large_real_gains_are_found():
    found = [
        choose(y, s, region=REGION, parts=p, names=["a", "b"]).kept == (1,)
        for y, s, p in (sample(seed, [0, 0.4]) for seed in range(20))
    ]
    assert sum(found) >= 19


def test_averaging_keeps_all_within_a_standard_error():
    y, scores, parts = sample(1, [0, 1.0, 1.0, -1.0])
    options = {"region": REGION, "parts": parts, "names": list("abcd")}
    choice = choose(y, scores, average=True, **options)
    assert choice.kept == (1, 2)
    assert choice.name == "mean of 2, b to c"
    assert [line[0] for line in str(choice).splitlines()[:4]] == [" ", "*", "*", " "]
    # Where little is known, all are kept, the anchor among them; what is surely worse never is.
    y, scores, parts = sample(5, [0, 0.02, 0.04, -2.0], n=400)
    few = choose(y, scores, average=True, **{**options, "parts": parts})
    assert few.kept == (0, 1, 2)
    one = choose(y, scores, **{**options, "parts": parts})
    assert len(one.kept) == 1
    assert set(one.kept) < set(few.kept)
    assert (one.scores, one.errors) == (few.scores, few.errors)


def test_a_difference_without_spread_speaks_for_the_anchor_only():
    y = np.arange(400) % 4 == 0
    right, wrong, parts = y.astype(float), ~y + 0.0, np.arange(400) % 5
    options = {"region": REGION, "parts": parts, "names": ["a", "b"]}
    assert choose(y, [right, wrong], average=True, **options).kept == (0,)
    assert choose(y, [wrong, right], average=True, **options).kept == (0, 1)
    assert choose(y, [wrong, right], **options).kept == (0,)
    assert choose(y, [right, right], average=True, **options).kept == (0, 1)


def test_the_gain_of_a_mean_is_that_of_what_other_parts_keep():
    y, scores, parts = sample(1, [0, 0.3, 0.3], n=1000, noise=1.0)
    options = {"region": REGION, "names": list("abc"), "average": True}
    choice = choose(y, scores, parts=parts, **options)
    differences = []
    for part in range(5):
        inside = parts == part
        # Without a part the numbers of the others are all that decides.
        renumbered = np.where(inside, -1, parts - (parts > part))
        kept = choose(y, scores, parts=renumbered, **options).kept
        mean = np.mean([scores[place] for place in kept], axis=0)
        gained = [partial_auc_score(y[inside], each[inside], region=REGION) for each in (mean, scores[0])]
        differences.append(gained[0] - gained[1])
    assert len(choice.kept) > 1
    assert choice.gain.difference == pytest.approx(np.mean(differences), abs=1e-12)
    assert choice.gain.low < choice.gain.difference < choice.gain.high


def test_the_interval_of_a_means_gain_holds_its_true_gain():
    # Four candidates with as much noise each: their mean has half of it.
    y, [single, mean], _ = sample(0, [0, 0], n=400_000, noise=0.0)
    rng = np.random.default_rng(1)
    noisy = [score + noise * rng.normal(size=len(y)) for score, noise in ((single, 1.0), (mean, 0.5))]
    shares = [partial_auc_score(y, score, region=REGION) for score in noisy]
    covered = 0
    for seed in range(100):
        y, scores, parts = sample(seed, [0, 0, 0, 0], n=1000, noise=1.0)
        choice = choose(y, scores, region=REGION, parts=parts, names=list("abcd"), average=True)
        covered += choice.gain.low <= shares[1] - shares[0] <= choice.gain.high
    assert shares[1] - shares[0] > 0.05
    assert covered >= 85  # now and then one of the four is left out of the mean by chance


def test_duplicates_are_one_witness():
    y, scores, parts = sample(4, [0, 0.15], n=400)
    repeated = [np.repeat(each, 30) for each in (y, *scores, parts, np.arange(400))]
    alone = choose(y, scores, region=REGION, parts=parts, names=["a", "b"])
    grouped = choose(repeated[0], repeated[1:3], region=REGION, parts=repeated[3], names=["a", "b"], groups=repeated[4])
    fooled = choose(repeated[0], repeated[1:3], region=REGION, parts=repeated[3], names=["a", "b"])
    assert grouped.errors[1] == pytest.approx(alone.errors[1], rel=0.15)
    assert fooled.errors[1] < alone.errors[1] / 3


def test_rows_without_part_do_not_count():
    y, scores, parts = sample(5, [0, 0.4])
    inside = parts < 4
    kept = choose(y[inside], [s[inside] for s in scores], region=REGION, parts=parts[inside], names=["a", "b"])
    assert choose(y, scores, region=REGION, parts=np.where(inside, parts, -1), names=["a", "b"]) == kept


def test_text_and_mistakes():
    y, scores, parts = sample(6, [0, 1.0])
    text = str(choose(y, scores, region=REGION, parts=parts, names=["CE", "other"]))
    assert "* other" in text
    assert "gain over CE: +0." in text
    assert unjudged(["CE", "other"]).is_anchor
    assert str(unjudged(["CE", "other"])) == "* CE\n  other"
    with pytest.raises(InputError, match="names 1"):
        choose(y, scores, region=REGION, parts=parts, names=["CE"])
    with pytest.raises(InputError, match="two are needed"):
        choose(y, scores, region=REGION, parts=parts * 0, names=["CE", "other"])


def test_a_wider_region_counts_in_choosing_but_not_in_the_report():
    y, [score, other], parts = sample(7, [0, 0.0])
    low = score < np.quantile(score[~y], 0.9)
    better_below = np.where(low & y, score + 0.5, score)  # gains between fpr 0.1 and 0.3, none in the target
    options = {"region": REGION, "parts": parts, "names": ["a", "b"]}
    alone = choose(y, [score, better_below], **options)
    supported = choose(y, [score, better_below], support=Region(max_fpr=0.4), **options)
    assert supported.scores == alone.scores
    assert supported.errors == alone.errors
    assert supported.kept == (1,)
    assert choose(y, [score, other], support=REGION, **options) == choose(y, [score, other], **options)
