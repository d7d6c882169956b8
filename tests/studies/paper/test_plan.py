"""What is run, in which order, and by which recipes."""

from pathlib import Path

import pytest

from pauci.data.tasks import TASKS
from pauci.errors import InputError
from pauci.studies.paper.methods import METHODS, METRIC, ONE_WAY, TWO_WAY
from pauci.studies.paper.plan import ALL, MAIN, PROBE, STAGES, plan
from pauci.studies.paper.protocols import TUNED, study_recipe
from pauci.studies.paper.settings import best_setting
from pauci.studies.paper.trials import read_trials
from pauci.training import load_recipe
from pauci.training.objective import build_objective
from pauci.training.specs import REGIONS

ROOT = Path(__file__).parents[3]
FACTS = {"task": "cifar10-lt-1", "variant": "clean", "seed": 0}


def recipe(protocol, method, region=ONE_WAY, **changes):
    return study_recipe(protocol, method=method, region=str(region), **{**FACTS, **changes})


def test_the_methods_are_those_of_the_paper_and_the_rows_it_lacks():
    assert set(METHODS) == {
        *("ce", "ce-natural", "focal", "auc-m", "mb", "auc-poly", "auc-exp", "sopa", "sopa-s", "agd-sbcd"),
        *("pauci", "pauci-exact", "ours"),
        *PROBE,
    }
    assert [METRIC[str(region)] for region in (ONE_WAY, TWO_WAY)] == ["opauc@0.3", "tpauc@0.5,0.5"]
    assert all(REGIONS[metric] == region for region, metric in zip((ONE_WAY, TWO_WAY), METRIC.values(), strict=True))


@pytest.mark.parametrize("protocol", ["strong", "paper", "miniature"])
@pytest.mark.parametrize("method", METHODS)
def test_every_recipe_can_be_built_and_trains_for_its_region(protocol, method):
    for region in METHODS[method].losses:
        made = recipe(protocol, method, region)
        assert str(made.region) == region
        loss = build_objective(made, data_size=10)
        if made.loss.region == "target":
            assert made.train_region == made.region
            assert getattr(loss, "region", made.region) == made.region


def test_ours_is_the_shipped_recipe_that_measured_best():
    made = recipe("strong", "ours")
    assert made.loss.options == {"kappa": 4.0, "omega": 1.0}
    assert (made.loss.name, made.loss.region, made.loss.ce_weight) == ("pauci", "fpr<=0.1", 0.5)
    assert (made.warmup.epochs, made.epochs) == (0, 60)


def test_what_is_trained_once_selects_one_epoch_for_both_regions():
    for method, info in METHODS.items():
        for region in info.losses:
            expected = "opauc@0.3" if info.is_region_free else "target"
            assert recipe("strong", method, region).selection.metric == expected
            assert recipe("paper", method, region).selection.metric == "target"


def test_pauci_is_algorithm_1_and_its_exact_form_differs_in_the_selector_alone():
    for protocol in ("strong", "paper"):
        soft, exact = recipe(protocol, "pauci"), recipe(protocol, "pauci-exact")
        assert soft.optimizer.name == "asgda"
        assert soft.loss.options == {"kappa": 4.0, "omega": 1.0}
        assert exact.loss.options == {"selector": "hinge", "omega": 1.0}
        assert exact.replace(loss=soft.loss, name=soft.name) == soft


def test_the_probe_is_the_same_objective_by_the_solver_of_the_others():
    for region in (ONE_WAY, TWO_WAY):
        sgd, asgda, sopa = (recipe("strong", method, region) for method in ("pauci-sgd", "pauci", "sopa"))
        assert sgd.loss == asgda.loss
        assert sgd == sopa.replace(loss=asgda.loss, name=sgd.name)
    assert {run.protocol for run in plan(methods=PROBE)} == {"tuned"}


def test_two_way_forms():
    assert recipe("strong", "sopa").loss.name == "sopa"
    assert recipe("strong", "sopa", TWO_WAY).loss.name == "staco"
    assert recipe("strong", "sopa-s", TWO_WAY).loss.options["positive_temperature"] == 1.0
    assert recipe("strong", "auc-exp", TWO_WAY).loss.options["two_way"]
    with pytest.raises(InputError, match="agd-sbcd"):
        recipe("strong", "agd-sbcd", TWO_WAY)


def test_all_methods_train_for_as_many_epochs():
    for method, chosen in METHODS.items():
        region = next(iter(chosen.losses))
        for protocol in ("strong", "paper"):
            made = recipe(protocol, method, region)
            assert made.epochs + made.warmup.epochs == 60, (protocol, method)


@pytest.mark.parametrize("protocol", ["strong", "paper"])
def test_warm_ups_are_shared_by_all_methods_that_have_one_and_the_same_batches(protocol):
    made = [recipe(protocol, m, next(iter(METHODS[m].losses))) for m in ALL if m != "ce-natural"]
    hashes = {one.warmup_recipe().hash for one in made if one.warmup.epochs}
    assert len(hashes) == 1
    assert sum(one.warmup.epochs > 0 for one in made) == (12 if protocol == "paper" else 9)


def test_data_sets_differ_in_what_the_protocols_say():
    assert recipe("strong", "ce").model.options["stem"] == "cifar"
    assert recipe("strong", "ce", task="tiny-imagenet-1").model.options["stem"] == "stride2"
    assert recipe("paper", "pauci", task="tiny-imagenet-1").optimizer.options["m"] == 1000.0
    assert recipe("paper", "ce", task="cifar100-lt-2", variant="paper").data.variant == "paper"
    assert recipe("paper", "ce").optimizer.name == "sgd"


def test_the_tuned_protocol_is_the_strong_one_with_the_settings_of_the_shipped_recipes():
    for method, name in {"ce": "strong-ce", "ours": "strong"}.items():
        shipped, made, strong = load_recipe(name), recipe("tuned", method), recipe("strong", method)
        own = {part: getattr(shipped, part) for part in ("loss", "optimizer", "positive_ratio")}
        assert {part: getattr(made, part) for part in own} == own
        assert made == strong.replace(name=made.name, **own)
    with pytest.raises(InputError, match="method='mb' has no settings of its own"):
        recipe("tuned", "mb")


def test_settings_of_the_tuned_protocol_are_those_that_won_the_trials():
    lines = read_trials(ROOT / "results" / "paper", "strong")
    for method in TUNED:
        assert recipe("tuned", method).hash == recipe("strong", method, settings=best_setting(lines, method)).hash


def test_settings_of_tuning_change_the_recipe():
    assert recipe("strong", "ours", settings={"loss.kappa": 6.0}).loss.options["kappa"] == 6.0


def test_methods_without_a_region_train_once_where_no_epoch_is_selected():
    runs = plan(tasks=["cifar10-lt-1"], seeds=[0])
    times = {
        (protocol, method): sum((run.protocol, run.method) == (protocol, method) for run in runs)
        for protocol in ("strong", "paper")
        for method in METHODS
    }
    once = {method for method in METHODS if times["strong", method] == 1}
    assert once == {"ce", "ce-natural", "focal", "auc-m", "ours", "agd-sbcd"}
    assert {method for method in METHODS if times["paper", method] == 1} == {"agd-sbcd"}
    assert all(len(run.regions) == 2 for run in runs if run.protocol == "strong" and run.method == "ours")


def test_the_first_stage_comes_first_and_seeds_are_outermost():
    runs = plan()
    first = plan(stages=[1])
    assert runs[: len(first)] == first
    assert {run.method for run in first} == set(MAIN)
    assert [run.seed for run in first] == sorted(run.seed for run in first)
    per_seed = [[(r.task, r.method, r.regions) for r in first if r.seed == seed] for seed in range(5)]
    assert all(entries == per_seed[0] for entries in per_seed)
    assert {task for task, _, _ in per_seed[0]} == {"cifar10-lt-1", "cifar10-lt-2", "cifar10-lt-3"}


def test_the_whole_plan_covers_what_was_promised():
    runs = plan()
    assert len(set(runs)) == len(runs)
    assert not any(run.protocol == "miniature" for run in runs)
    for protocol in ("strong", "paper"):
        for task, info in TASKS.items():
            for variant in ("clean", "paper") if info.dataset == "cifar100-lt" else ("clean",):
                found = [r for r in runs if (r.protocol, r.task, r.variant) == (protocol, task, variant)]
                assert {r.method for r in found} == set(ALL)
                assert {r.seed for r in found} == set(range(3 if info.dataset == "tiny-imagenet" else 5))


def test_filters_and_their_errors():
    runs = plan(protocols=["paper"], methods=["ce"], tasks=["cifar100-lt-1"], variants=["clean"], seeds=[7])
    assert {(r.protocol, r.method, r.task, r.variant, r.seed) for r in runs} == {
        ("paper", "ce", "cifar100-lt-1", "clean", 7)
    }
    assert {run.protocol for run in plan(protocols=["miniature"])} == {"miniature"}
    assert plan(stages=[0]) == plan(protocols=["miniature"])
    for name, value in (
        *(("stages", 99), ("protocols", "weak"), ("tasks", "mnist"), ("variants", "dirty"), ("methods", "magic")),
    ):
        with pytest.raises(InputError, match=str(value)):
            plan(**{name: [value]})
    with pytest.raises(InputError, match="weak"):
        recipe("weak", "ce")


def test_stages_come_in_the_order_asked_for():
    assert plan(stages=[8, 1]) == [*plan(stages=[8]), *plan(stages=[1])]
    assert plan(stages=[1, 8]) == [*plan(stages=[1]), *plan(stages=[8])]


def test_stages_are_numbered_in_order():
    assert list(STAGES) == [*range(1, len(STAGES)), 0]
