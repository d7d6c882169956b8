"""Slow, obviously right versions of the metrics, and random inputs that hurt."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from pauci import Region


def roc_vertices(y, s, weight=None, *, ties="half"):
    """Every corner of the ROC polyline as exact fractions, from (0, 0) to (1, 1)."""
    weight = [Fraction(1)] * len(y) if weight is None else [Fraction(float(w)) for w in weight]
    total_positive = sum(w for w, t in zip(weight, y, strict=True) if t)
    total_negative = sum(w for w, t in zip(weight, y, strict=True) if not t)
    x = t = Fraction(0)
    corners = [(x, t)]
    for value in sorted(set(s), reverse=True):
        up = sum((w for w, label, score in zip(weight, y, s, strict=True) if label and score == value), Fraction(0))
        right = sum(
            (w for w, label, score in zip(weight, y, s, strict=True) if not label and score == value), Fraction(0)
        )
        if ties == "correct":
            corners.append((x, t + up / total_positive))
        x, t = x + right / total_negative, t + up / total_positive
        corners.append((x, t))
    return corners


def area_in(corners, region):
    """Exact integral of clip(TPR - min_tpr, 0, height) over the region's FPR range, cut at every kink."""
    x0, x1 = Fraction(region.min_fpr), Fraction(region.max_fpr)
    y0, y1 = Fraction(region.min_tpr), Fraction(region.max_tpr)
    total = Fraction(0)
    for (xa, ya), (xb, yb) in itertools.pairwise(corners):
        left, right = max(xa, x0), min(xb, x1)
        if left >= right:
            continue
        at = lambda x, xa=xa, ya=ya, xb=xb, yb=yb: ya + (yb - ya) * (x - xa) / (xb - xa)  # noqa: E731
        kinks = [left, right]
        if yb != ya:
            kinks += [xa + (edge - ya) * (xb - xa) / (yb - ya) for edge in (y0, y1)]
        kinks = sorted(k for k in kinks if left <= k <= right)
        for low, high in itertools.pairwise(kinks):
            total += (high - low) * (min(max(at((low + high) / 2), y0), y1) - y0)
    return total


def brute_area(y, s, region, weight=None, *, ties="half"):
    return float(area_in(roc_vertices(y, s, weight, ties=ties), region) / Fraction(region.area))


def brute_pairs(y, s, region, *, ties="half"):
    """Count pairs one by one, over the instances that floor(n x) selects."""
    positives = sorted(v for v, t in zip(s, y, strict=True) if t)
    negatives = sorted((v for v, t in zip(s, y, strict=True) if not t), reverse=True)
    counts = region.counts(len(positives), len(negatives))
    chosen_positive = positives[slice(*counts.positives)]
    chosen_negative = negatives[slice(*counts.negatives)]
    if not chosen_positive or not chosen_negative:
        return None
    tie = 0.5 if ties == "half" else 1.0
    won = [1.0 if p > n else tie if p == n else 0.0 for p in chosen_positive for n in chosen_negative]
    return sum(won) / len(won)


@st.composite
def samples(draw, max_size=40):
    """Labels of both classes with scores that are often tied, constant, extreme or of a narrow type."""
    n = draw(st.integers(2, max_size))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda v: any(v) and not all(v)))
    values = draw(
        st.sampled_from(
            [
                st.integers(0, 3).map(float),
                st.integers(0, 30).map(lambda v: v / 10),
                st.floats(-(2.0**90), 2.0**90),
                st.just(0.5),
                st.floats(0, 1, width=16),
                st.sampled_from([-1e308, -0.0, 0.0, 5e-324, 1e308]),
            ]
        )
    )
    s = draw(st.lists(values, min_size=n, max_size=n))
    return np.array(y), np.array(s)


_edge = st.one_of(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.29, 0.3, 0.5, 0.75, 1.0]), st.floats(0, 1))
_span = st.tuples(_edge, _edge).map(sorted).filter(lambda v: v[1] - v[0] > 1e-3)


@st.composite
def regions(draw):
    """One-way, two-way, band, corner and arbitrary rectangles."""
    fpr = draw(st.one_of(_span, _edge.filter(lambda v: v > 1e-3).map(lambda v: [0.0, v]), st.just([0.0, 1.0])))
    tpr = draw(st.one_of(st.just([0.0, 1.0]), _edge.filter(lambda v: v < 0.999).map(lambda v: [v, 1.0]), _span))
    return Region(min_fpr=fpr[0], max_fpr=fpr[1], min_tpr=tpr[0], max_tpr=tpr[1])
