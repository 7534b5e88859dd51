"""Limits between the instants of a grid: they are seen, and what is broken by little is mended by little."""

from dataclasses import replace

import numpy as np
import pytest
from excitation.small_plans import small_plan

from freefloat.excitation.limits.attitude import BaseAttitude
from freefloat.excitation.solver.between_instants import between, mended
from freefloat.excitation.solver.local_search import random_starts


def random_task(seed, instants=151):
    """A task on half the usual grid, and coordinates whose margins on that grid are just kept."""
    plan = small_plan()
    attitude = tuple(BaseAttitude(angle, -0.05, 0.05) for angle in ("roll", "pitch", "yaw"))
    task = replace(plan.task(), t=np.linspace(0.0, 30.0, instants), limits=(*plan.limits, *attitude))
    y = random_starts(task, 1, seed)[0]
    within, beyond = 0.0, 10.0
    for _ in range(40):
        middle = 0.5 * (within + beyond)
        kept = task.margins(middle * y).min() >= 0.0
        within, beyond = (middle, beyond) if kept else (within, middle)
    return task, within * y


@pytest.mark.parametrize("seed", range(6))
def test_what_the_grid_misses_is_seen_on_a_much_finer_one_too(seed):
    task, y = random_task(seed)
    worst, broken = between(task, 1.001 * y)
    truth = replace(task, t=np.linspace(0.0, 30.0, 30001)).margins(1.001 * y).min()
    assert worst.min() < 0.0
    assert worst.min() == pytest.approx(truth, abs=2e-4)
    assert 0 < broken.size < 20


@pytest.mark.parametrize("seed", range(6))
def test_a_mended_motion_keeps_all_limits_and_is_near(seed):
    task, y = random_task(seed)
    found, worst = mended(task, 1.002 * y)
    assert worst >= 0.0
    assert replace(task, t=np.linspace(0.0, 30.0, 30001)).margins(found).min() >= -1e-4
    assert 0.0 < np.linalg.norm(found - 1.002 * y) <= 0.1 * np.linalg.norm(y)


def test_a_motion_within_all_limits_stays_as_it_is():
    task, y = random_task(0)
    found, worst = mended(task, 0.8 * y)
    assert worst > 0.0
    np.testing.assert_array_equal(found, 0.8 * y)


def test_what_is_far_beyond_the_limits_is_not_called_mended():
    task, y = random_task(0)
    assert mended(task, 5.0 * y)[1] < 0.0
