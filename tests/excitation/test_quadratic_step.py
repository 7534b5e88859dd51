"""The quadratic step against the conditions of Karush, Kuhn and Tucker, also where limits conflict."""

import numpy as np
import pytest

from freefloat.excitation.solver.quadratic_step import QuadraticStep


def random_step(seed, size=12, rows=60, margin=0.3, penalty=100.0, radius=0.2):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size)) * 10.0 ** rng.uniform(-2, 1, size)
    J, margins = rng.normal(size=(rows, size)), margin * rng.uniform(-0.1, 1.0, rows)
    return QuadraticStep(root @ root.T + 1e-6 * np.eye(size), rng.normal(size=size), J, margins, penalty, radius)


CASES = {
    "limits that can be kept": {"margin": 0.3},
    "limits that conflict": {"margin": -30.0, "penalty": 1e4},
    "no limits": {"rows": 0},
    "more coordinates than limits": {"rows": 5, "size": 40},
    "a short step": {"radius": 1e-6, "margin": 1e-6},
    "a hard penalty": {"penalty": 1e7, "margin": -0.1},
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_step_obeys_the_conditions_of_a_minimum(case, seed):
    step = random_step(seed, **case)
    d, excess, multipliers = step.solve()
    left = step.margins + step.J @ d + excess
    scale = 1.0 + np.abs(step.margins).max(initial=0.0)
    assert np.abs(d).max() <= step.radius * (1 + 1e-9)
    assert left.min(initial=0.0) >= -1e-7 * scale * step.radius
    assert multipliers.min(initial=0.0) >= 0.0
    assert (multipliers * left).max(initial=0.0) <= 1e-5 * scale * max(1.0, multipliers.max(initial=0.0)) * step.radius
    # What the limits leave of the gradient is taken by the box, and pushes outwards where it is.
    pull = step.J.T @ multipliers - step.g - step.B @ d
    inside = np.abs(d) < step.radius * (1 - 1e-4)
    size = max(1.0, float(np.abs(multipliers).max(initial=0.0)))
    assert np.abs(pull[inside]).max(initial=0.0) <= 1e-4 * size
    assert (pull * np.sign(d))[~inside].min(initial=0.0) >= -1e-4 * size
    # All multipliers together are the penalty where an excess is left, else no more.
    assert multipliers.sum() <= step.penalty * (1 + 1e-6)
    if excess > 1e-6:
        assert multipliers.sum() == pytest.approx(step.penalty, rel=1e-4)


def test_limits_that_conflict_leave_an_excess_and_others_do_not():
    assert random_step(0, **CASES["limits that conflict"]).solve()[1] > 1.0
    assert random_step(0, margin=0.3).solve()[1] < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_no_other_step_within_the_limits_is_better(seed):
    step, rng = random_step(seed), np.random.default_rng(seed)
    d, excess, _ = step.solve()

    def cost(d):
        need = max(0.0, float(-(step.margins + step.J @ d).min()))
        return step.g @ d + 0.5 * d @ step.B @ d + step.penalty * need

    best = cost(d)
    for size in 10.0 ** rng.uniform(-6, 0, 500):
        tried = np.clip(d + size * step.radius * rng.normal(size=d.size), -step.radius, step.radius)
        assert cost(tried) >= best - 1e-8 * abs(best)
    assert best == pytest.approx(step.g @ d + 0.5 * d @ step.B @ d + step.penalty * excess, rel=1e-6)
