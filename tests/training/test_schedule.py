import math

import pytest

from pauci.training.schedule import rate_factor
from pauci.training.specs import ScheduleSpec


def test_rates_rise_evenly_to_the_full_one():
    schedule = ScheduleSpec(name="constant", warmup=0.5)
    assert [rate_factor(schedule, step, 9) for step in range(9)] == pytest.approx([0.2, 0.4, 0.6, 0.8, *[1.0] * 5])


@pytest.mark.parametrize("name", ["cosine", "onecycle"])
def test_rates_fall_along_half_a_cosine_to_the_floor(name):
    schedule = ScheduleSpec(name=name, floor=0.2)
    expected = [0.2 + 0.8 * (1 + math.cos(math.pi * step / 4)) / 2 for step in range(5)]
    assert [rate_factor(schedule, step, 5) for step in range(5)] == pytest.approx(expected)
    assert rate_factor(schedule, 0, 1) == 1
