"""PAUCI's objective by other solvers: what is told of them follows from the trials alone."""

from pauci.studies.paper.solver import solver_sentence

SGD = {"optimizer": {"name": "sgd", "lr": 0.1}}


def trials(value, *, seeds=(0, 1), method="pauci", changes=None):
    return [
        {
            "task": task,
            "method": method,
            "seed": seed,
            "changes": changes or {},
            "epoch": 3,
            "val_metrics": {"opauc@0.3": value + gain * (1 + 0.1 * seed), "opauc@0.05": value / 2},
        }
        for seed in seeds
        for task, gain in (("cifar10-lt-1", 0.0), ("cifar10-lt-2", 0.1))
    ]


def test_another_solver_is_compared_with_algorithm_1_and_with_published_numbers():
    said = solver_sentence([*trials(0.5), *trials(0.6, changes=SGD)])
    assert "of 2 tasks with 2 seeds" in said
    assert "`optimizer={'name': 'sgd', 'lr': 0.1}` minus PAUCI (ASGDA) is +0.100 [" in said
    assert "and +0.050 [" in said
    assert "cifar10-lt-1 0.6000, published 0.7721; cifar10-lt-2 0.7050, published 0.9716." in said


def test_only_what_was_tried_on_the_same_places_is_compared():
    assert solver_sentence([]) == ""
    assert solver_sentence(trials(0.5)) == ""
    assert solver_sentence(trials(0.6, changes=SGD)) == "", "nothing to compare with"
    assert solver_sentence([*trials(0.5), *trials(0.6, method="ce", changes=SGD)]) == ""
    assert solver_sentence([*trials(0.5), *trials(0.6, changes={"loss.kappa": 4})]) == "", "the solver is the same"
    assert solver_sentence([*trials(0.5), *trials(0.6, changes=SGD, seeds=(0,))]) == "", "a seed is missing"
