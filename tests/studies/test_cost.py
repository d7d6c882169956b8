"""The cost study measures what it says, and its figure and promises follow from the numbers. No timing is judged."""

import gc

import pytest
import torch

from pauci.studies.cost import BASELINE, METHODS, Cost, measure_cost
from pauci.studies.cost_figure import draw_cost
from pauci.studies.cost_targets import PUBLISHED, PUBLISHED_SIZES, check_targets, growth
from pauci.studies.paper.methods import ONE_WAY, TWO_WAY


@pytest.fixture(scope="module")
def costs():
    return measure_cost(sizes=[3, 9], seconds=0.0)


def test_every_loss_is_measured_at_every_size_with_and_without_backward(costs):
    expected = {
        (str(region), method, size, passes)
        for region, methods in METHODS.items()
        for method in methods
        for size in (3, 9)
        for passes in ("forward", "forward+backward")
    }
    assert {(cost.region, cost.method, cost.size, cost.passes) for cost in costs} == expected
    assert len(costs) == len(expected)
    for cost in costs:
        assert 0 < cost.least <= cost.low <= cost.milliseconds <= cost.high
        assert cost.rounds == 3
        assert cost.ratio == 1 if cost.method == BASELINE else cost.ratio > 0


def test_threads_and_garbage_collection_are_put_back(monkeypatch):
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    seen = set()

    def look(step, calls):
        seen.add((torch.get_num_threads(), gc.isenabled()))
        return 1.0

    monkeypatch.setattr("pauci.studies.cost._milliseconds", look)
    measure_cost(sizes=[2], seconds=0.0)
    assert seen == {(1, False)}
    assert torch.get_num_threads() == 2
    assert gc.isenabled()
    torch.set_num_threads(threads)


def made_up(method, size, ratio=1.0, least=1.0, region=ONE_WAY):
    return Cost(str(region), method, size, "forward+backward", least, least, least, least, ratio, 3)


def test_promises_are_judged_by_the_worst():
    costs = [
        made_up("PAUCI", 64, 2.5),
        made_up("PAUCI", 128, 3.25),
        made_up("PAUCI", 64, 3.25, region=TWO_WAY),
        made_up("SOPA", 2048, 100.0),
        made_up("MB", 4096, least=1.0),
        made_up("MB", 8192, least=4.0),
    ]
    met = {target.promise.split(":")[0]: target.met for target in check_targets(costs)}
    assert met == {"PAUCI, fpr<=0.3": False, "PAUCI, fpr<=0.5,tpr>=0.5": True, "SOPA at 2048": True, "MB": False}
    assert growth(costs, str(ONE_WAY), "MB") == 4.0
    assert growth(costs, str(ONE_WAY), "PAUCI") is None
    assert check_targets([]) == []


def test_published_numbers_are_complete_and_belong_to_losses():
    for region, methods in METHODS.items():
        assert set(PUBLISHED[str(region)]) <= set(methods)
        for times in PUBLISHED[str(region)].values():
            assert len(times) == len(PUBLISHED_SIZES)
            assert list(times) == sorted(times)


def test_the_figure_has_a_panel_per_region_and_pass_with_the_published_lines_dotted(costs):
    panels = draw_cost(costs).axes
    assert len(panels) == 4
    dotted = [sum(line.get_linestyle() == ":" for line in panel.lines) for panel in panels]
    assert dotted == [len(PUBLISHED[str(ONE_WAY)]), len(PUBLISHED[str(TWO_WAY)]), 0, 0]
    assert all(panel.get_xscale() == panel.get_yscale() == "log" for panel in panels)
