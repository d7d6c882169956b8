"""Two processes with XGBoost's own tracker grow the trees of one."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import xgboost
from xgboost.tracker import RabitTracker

from pauci.boosting import xgboost_metric, xgboost_objective
from pauci.boosting.cut import top_cut
from pauci.boosting.workers import ALONE, Workers

PARAMS = {"objective": "binary:logistic", "nthread": 1, "learning_rate": 0.3, "max_depth": 3}
SETTINGS = [
    {"max_fpr": 0.2},
    {"max_fpr": 0.4, "min_tpr": 0.3, "surrogate": "pauci"},
    {"max_fpr": 0.2, "selection": "softplus"},
    {"max_fpr": 0.3, "surrogate": "pauci", "selection": "softplus"},
]


def table():
    rng = np.random.default_rng(0)
    # Few distinct values: both processes see the same histogram bins, which XGBoost otherwise only approximates.
    X = rng.integers(0, 12, size=(900, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] / 6 + 4 * rng.normal(size=900) > 15).astype(float)
    return X, y, rng.uniform(0.5, 2.0, 900)


def trained(rows, settings):
    """Predictions for all rows, and the metric's history, of a model trained on some."""
    X, y, weight = table()
    data = xgboost.DMatrix(X[rows], label=y[rows], weight=weight[rows])
    history = {}
    model = xgboost.train(
        PARAMS,
        data,
        8,
        obj=xgboost_objective(**settings),
        custom_metric=xgboost_metric(0.2),
        evals=[(data, "train")],
        evals_result=history,
        verbose_eval=False,
    )
    return model.predict(xgboost.DMatrix(X), output_margin=True), history["train"]["auc(fpr<=0.2)"]


def worker(arguments, rank):
    # Unequal parts; one worker has no positives at all.
    order = np.argsort(table()[1], kind="stable")
    rows = order[:250] if rank == 0 else order[250:]
    with xgboost.collective.CommunicatorContext(**arguments, dmlc_task_id=str(rank)):
        return [trained(rows, settings) for settings in SETTINGS]


@pytest.mark.slow
def test_two_workers_equal_one_process():
    tracker = RabitTracker(host_ip="127.0.0.1", n_workers=2)
    tracker.start()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = [pool.submit(worker, tracker.worker_args(), rank) for rank in range(2)]
        answers = [future.result(timeout=200) for future in futures]
    tracker.wait_for()
    for place, settings in enumerate(SETTINGS):
        scores, history = trained(np.arange(900), settings)
        for answer in answers:
            np.testing.assert_allclose(answer[place][0], scores, atol=2e-4, err_msg=str(settings))
            np.testing.assert_allclose(answer[place][1], history, atol=1e-4, err_msg=str(settings))


def test_counting_bits_finds_the_cut_of_a_partition():
    rng = np.random.default_rng(1)
    counting = Workers(total=ALONE.total, maximum=ALONE.maximum, size=2)
    for key in (
        rng.normal(size=300),
        np.round(rng.normal(size=300)),
        np.zeros(5),
        np.array([-0.0, 0.0, -1e-300, 5e300]),
    ):
        for share in (0.01, 0.29, 0.5, 1.0):
            counted, partitioned = top_cut(key, share, workers=counting), top_cut(key, share)
            assert counted.key == partitioned.key
            assert counted.fraction == pytest.approx(partitioned.fraction, abs=1e-6)
