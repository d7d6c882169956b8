"""One model on one split of one table: tuned on the training half, judged on the other."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauci.data import TableEncoder
from pauci.metrics import partial_auc_score
from pauci.metrics.delong import influences
from pauci.metrics.inputs import read_binary
from pauci.region import Region
from pauci.studies.store import Record
from pauci.studies.tabular.models import ENCODED, FAMILIES, Config, Model
from pauci.studies.tabular.ours import ANCHOR, ANCHORS, fit_ours, ours_parameters
from pauci.studies.tabular.sets import TableSet
from pauci.studies.tabular.splits import deal, halves

#: Parts of a training half that configurations are compared on.
FOLDS = 3

#: Parts of a table whose contributions to a result are kept, so that errors of any comparison can be had later.
BLOCKS = 40


def measure(data: TableSet, *, split: int, family: str, method: str, regions: Sequence[Region]) -> Iterator[Record]:
    """Tune a model on the training half of a split, for each region, and judge it on the test half.

    Every method has the same budget: eight configurations, compared by their mean partial AUC of the target region over
    the same three parts of the training half. Ours starts from what this chooses for cross-entropy (see `ANCHORS`).

    Yields
    ------
    Record
        One per region; with ours, one of its anchor besides.
    """
    train, test = halves(data.y, data.groups, split)
    X, X_test = _features(data, family, train, test)
    y, groups = data.y[train], np.unique(data.groups[train], return_inverse=True)[1]
    # Rows, not groups: a block is a sample of the population, in which equal rows occur as often as they do.
    number = min(BLOCKS, int(data.y.sum()), int((1 - data.y).sum()))
    blocks = deal(data.y, np.arange(len(data.y)), number, seed=0)[test]
    rows = X, y, groups, X_test
    fits = (
        _ours(family, data, (train, test), rows, regions, seed=split)
        if method == "ours"
        else _tuned(family, method, rows, regions, seed=split)
    )
    started = time.perf_counter()
    for region, fit in zip(regions, fits, strict=True):
        seconds, started = time.perf_counter() - started, time.perf_counter()
        for name, scores in {**fit.besides, method: fit.scores}.items():
            value, parts = judge(data.y[test], scores, region, blocks, number=number)
            yield Record(
                task=data.name,
                variant=data.checksum,
                protocol=family,
                method=name,
                region=str(region),
                seed=split,
                metrics={"pauc": value},
                val_metrics=fit.val_metrics,
                seconds=round(seconds, 3),
                device="cpu, 1 thread",
                recipe=recipe(family, method),
                details={"blocks": [round(float(part), 7) for part in parts], **fit.details},
            )


def recipe(family: str, method: str) -> str:
    """Hash of what decides a model's results besides the data, the split and the region.

    Examples
    --------
    >>> recipe("linear", "ce") == recipe("linear", "class-weight")
    False
    """
    tuned = ANCHORS[family] if method == "ours" else [method]
    configs = [FAMILIES[family][name].configs for name in tuned]
    own = ours_parameters(family) if method == "ours" else {}
    told = json.dumps([family, method, FOLDS, BLOCKS, configs, own], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def judge(
    y: NDArray[np.int64], scores: NDArray[Any], region: Region, blocks: NDArray[np.int64], *, number: int
) -> tuple[float, NDArray[np.float64]]:
    """Partial AUC, and how much each block of rows moves it.

    Parameters
    ----------
    y, scores : ndarray of shape (n,)
        Labels and scores of the test rows.
    region : Region
        What is judged.
    blocks : ndarray of int of shape (n,)
        Block of each row, from 0.
    number : int
        Of blocks; some may have no row here.

    Returns
    -------
    tuple of float and ndarray
        The value, and the sums of the first-order effects of the rows of each block. Blocks being independent, their
        squares add up to the variance of the value; differences between models and means over splits are linear.

    Examples
    --------
    >>> y, scores, blocks = np.array([1, 1, 0, 0]), np.array([3.0, 1.0, 2.0, 0.0]), np.array([0, 1, 0, 1])
    >>> value, parts = judge(y, scores, Region(), blocks, number=2)
    >>> value, parts.tolist()
    (0.75, [0.0, 0.0])
    """
    value = float(partial_auc_score(y, scores, region=region))
    positives, negatives = influences(read_binary(y, scores), region)
    effects = np.empty(len(y))
    effects[y == 1], effects[y == 0] = positives, negatives
    moved: NDArray[np.float64] = np.bincount(blocks, weights=effects, minlength=number).astype(np.float64)
    return value, moved


def _features(
    data: TableSet, family: str, train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers for linear scorers and networks; the table as it is for trees."""
    if family not in ENCODED:
        return data.X[train], data.X[test]
    encoder = TableEncoder(data.columns).fit(data.X[train])
    encoded = (encoder.transform(data.X[rows]) for rows in (train, test))
    X, X_test = (np.ascontiguousarray(each, dtype=np.float32) for each in encoded)
    return X, X_test


@dataclass(frozen=True)
class _Fit:
    scores: NDArray[Any]
    val_metrics: dict[str, float]
    details: dict[str, Any]
    besides: dict[str, NDArray[Any]] = field(default_factory=dict)


#: Features, labels and groups of the training half, and features of the test half.
_Rows = tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def _tuned(family: str, method: str, rows: _Rows, regions: Sequence[Region], *, seed: int) -> Iterator[_Fit]:
    """Tune for all regions at once, and fit what any of them chose once."""
    X, y, groups, X_test = rows
    model = FAMILIES[family][method]
    values = _compared(model, X, y, groups, regions, seed=seed)
    best = values.argmax(axis=1)
    chosen, places = np.unique(best, return_inverse=True)
    final = model.scores(X, y, X_test, [model.configs[i] for i in chosen], seed=seed)
    for row, index, place in zip(values, best, places, strict=True):
        yield _Fit(final[place], {"pauc": float(row[index])}, {"config": model.configs[index]})


def _ours(
    family: str,
    data: TableSet,
    split: tuple[NDArray[np.intp], NDArray[np.intp]],
    rows: _Rows,
    regions: Sequence[Region],
    *,
    seed: int,
) -> Iterator[_Fit]:
    """Tune the kinds of cross-entropy that ours may start from, and go on from the best: with the table itself."""
    X, y, groups, _ = rows
    train, test = split
    configs: list[Config] = []
    values = []
    for method, settings in ANCHORS[family].items():
        model = FAMILIES[family][method]
        configs += [{**config, **settings} for config in model.configs]
        values.append(_compared(model, X, y, groups, regions, seed=seed))
    best = np.concatenate(values, axis=1).argmax(axis=1)
    for region, config in zip(regions, [configs[index] for index in best], strict=True):
        scores, anchor, details = fit_ours(
            family, data.X[train], y, data.X[test], columns=data.columns, region=region, config=config, seed=seed
        )
        yield _Fit(scores, {}, {"config": config, **details}, {ANCHOR: anchor})


def _compared(
    model: Model,
    X: NDArray[Any],
    y: NDArray[np.int64],
    groups: NDArray[np.int64],
    regions: Sequence[Region],
    *,
    seed: int,
) -> NDArray[np.float64]:
    """Mean partial AUC over the folds, by region and configuration."""
    fold = deal(y, groups, FOLDS, seed=seed)
    values = np.zeros((len(regions), len(model.configs)))
    for part in range(FOLDS):
        fit, held = fold != part, fold == part
        found = model.scores(X[fit], y[fit], X[held], model.configs, seed=seed)
        for row, region in zip(values, regions, strict=True):
            row += [float(partial_auc_score(y[held], scores, region=region)) for scores in found]
    return values / FOLDS
