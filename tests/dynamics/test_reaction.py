"""The law of motion over random trees: momentum is kept, every derivative is one, and the way back its transpose."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from random_trees import random_robot, random_samples

from freefloat.dynamics.momentum_rows import momentum, momentum_by_wheel_rates, spin_momentum, wheel_columns
from freefloat.dynamics.reacting_base import ReactingBase
from freefloat.dynamics.reaction import NotPossible, Reaction, base_reaction, check_inertia, six_rows
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.rotations import axial

H = np.array([0.8, -1.1, 0.6])
SLOW = 0.01
STEP, TOLERANCE, FLOOR = 3e-4, 1e-8, 1e-3
KINDS = [(base, seed) for base in ("free", "planar") for seed in range(6)]
every_tree = pytest.mark.parametrize(
    "robot", [random_robot(s, base=b, bodies=2 + s, wheels=2) for b, s in KINDS], ids=str
)


def motion(robot, n=7, seed=1):
    """Unrelated states a tenth of a second apart, the base left to react; slow wheels, or it would turn too fast."""
    samples = random_samples(robot, n, seed)
    return replace(samples, v=None, w=None, t=0.1 * np.arange(n), wheel_rates=SLOW * samples.wheel_rates)


def unknown_columns(robot):
    return np.random.default_rng(0).permutation(robot.parameters.size)[:9]


def reacting(robot, samples, turns, phi=None, momentum=None):
    columns = unknown_columns(robot)
    present = np.arange(columns.size) % 4 != 1
    phi = robot.parameters if phi is None else phi
    return ReactingBase(robot, samples, H if momentum is None else momentum, turns, phi, columns, present.astype(float))


def moved(samples, direction, step):
    """Samples along a direction of q, dq and wheel rates."""
    return replace(samples, **{name: getattr(samples, name) + step * change for name, change in direction.items()})


def directions(samples, seed=2):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=getattr(samples, name).shape) for name in ("q", "dq", "wheel_rates")}


def along(function):
    """The derivative at zero by central differences of order four."""
    near, far = function(STEP) - function(-STEP), function(2.0 * STEP) - function(-2.0 * STEP)
    return (8.0 * near - far) / (12.0 * STEP)


# ---------------------------------------------------------------------- value


@every_tree
def test_momentum_of_robot_and_wheels_is_what_was_given(robot):
    samples, allowed = motion(robot), allowed_rows(robot)
    u = np.random.default_rng(3).normal(size=(len(samples), 3))
    reaction = Reaction.of(robot, samples.q, samples.dq, spin_momentum(robot, samples))
    v, w = reaction.velocities(u)
    found = momentum(robot, replace(samples, v=v, w=w))
    expected = np.hstack([np.zeros_like(u), u])
    assert_agree(found[:, allowed], expected[:, allowed], 1e-12, floor=1.0)
    twist = np.hstack([v, w])
    assert not np.delete(twist, allowed, axis=1).any()
    assert_agree(np.hstack(base_reaction(robot, samples, expected))[:, allowed], twist[:, allowed], 1e-12)
    rest, gain = reaction.turning()
    assert_agree(rest + (gain @ u[..., None])[..., 0], w, 1e-12, floor=1e-3)


def test_a_fixed_base_does_not_react():
    robot = random_robot(3, base="fixed", bodies=5)
    base = ReactingBase(robot, motion(robot), H, False, robot.parameters)
    assert not base.x.any()
    assert not base.G.any()
    assert not base.B.any()


def test_wheels_add_their_spin_along_their_axes():
    robot = random_robot(5, base="free", bodies=4, wheels=3)
    samples = random_samples(robot, 6)
    expected = (wheel_columns(robot, samples) @ robot.wheel_inertias)[:, 3:]
    np.testing.assert_allclose(spin_momentum(robot, samples), expected, rtol=1e-13)
    np.testing.assert_allclose(samples.wheel_rates @ momentum_by_wheel_rates(robot).T, expected, rtol=1e-13)
    still = replace(robot, wheels=())
    assert not spin_momentum(still, replace(samples, wheel_rates=None, wheel_accelerations=None)).any()


def test_a_robot_without_inertia_cannot_react_and_one_that_cannot_exist_is_told_where_it_matters():
    robot = random_robot(2, base="free", bodies=3)
    samples, spin = motion(robot), np.ones((7, 3))
    with pytest.raises(NotPossible, match="no inertia"):
        Reaction.of(robot, samples.q, samples.dq, spin, 0.0 * robot.parameters)
    real, mirrored = (Reaction.of(robot, samples.q, samples.dq, spin, sign * robot.parameters) for sign in (1.0, -1.0))
    assert_agree(mirrored.B, -real.B, 1e-12)
    assert real.checked() is real
    check_inertia(real.A, real.allowed)
    with pytest.raises(NotPossible, match="no positive inertia"):
        mirrored.checked()
    with pytest.raises(NotPossible, match="no positive inertia"):
        check_inertia(mirrored.A, mirrored.allowed)


# ---------------------------------------------------------------------- derivatives, the attitude held


@every_tree
def test_every_derivative_of_the_twist_is_one(robot):
    samples = motion(robot)
    here, columns, phi = reacting(robot, samples, False), unknown_columns(robot), robot.parameters
    c, joints = columns.size, samples.q.shape[1]
    units = np.eye(phi.size)[columns] * here.present[:, None]
    expected = [along(lambda s, unit=unit: reacting(robot, samples, False, phi + s * unit).x) for unit in units]
    assert_agree(here.G[:, :, :c], np.stack(expected, axis=2), TOLERANCE, FLOOR)
    for name, slope in (("q", here.by_position), ("dq", here.by_rate), ("wheel_rates", here.by_wheel)):
        units = [{name: unit} for unit in np.eye(slope.shape[2])]
        expected = [along(lambda s, unit=unit: reacting(robot, moved(samples, unit, s), False).x) for unit in units]
        assert_agree(slope, np.stack(expected, axis=2), TOLERANCE, FLOOR)
    expected = [along(lambda s, unit=unit: reacting(robot, samples, False, None, H + s * unit).x) for unit in np.eye(3)]
    assert_agree(here.B, np.stack(expected, axis=2), TOLERANCE, FLOOR)
    assert here.G.shape[2] == c + 2 * joints


# ---------------------------------------------------------------------- attitude


def changes(base, direction):
    """Of twist and attitude along a direction of the motion."""
    held = (base.by_position @ direction["q"][..., None])[..., 0] + (base.by_rate @ direction["dq"][..., None])[..., 0]
    held += (base.by_wheel @ direction["wheel_rates"][..., None])[..., 0]
    alpha = base.turn(held[:, 3:, None])[..., 0]
    return held + (base.B @ np.cross(base.u, alpha)[..., None])[..., 0], alpha


@every_tree
def test_twist_and_attitude_change_as_their_derivatives_say(robot):
    samples = motion(robot)
    direction = directions(samples)
    twist, alpha = changes(reacting(robot, samples, True), direction)
    assert_agree(twist, along(lambda s: reacting(robot, moved(samples, direction, s), True).x), TOLERANCE, FLOOR)
    turned = along(lambda s: reacting(robot, moved(samples, direction, s), True).R)
    expected = axial(reacting(robot, samples, True).R.swapaxes(1, 2) @ turned) / 2.0
    assert_agree(alpha[1:], expected[1:], TOLERANCE, FLOOR)


# ---------------------------------------------------------------------- the way back


@every_tree
@pytest.mark.parametrize("turns", [False, True])
def test_the_way_back_of_the_twist_is_the_transpose_of_its_derivative(robot, turns):
    samples, rng = motion(robot), np.random.default_rng(4)
    base, direction = reacting(robot, samples, turns), directions(samples)
    bars = base.bars()
    bars.x, x = (rng.normal(size=base.x.shape),) * 2
    bars.turn = turn = rng.normal(size=(base.n, 3)) * turns
    turn = turn.copy()
    by_wheels = base.pull_back_twist(bars)
    if turns:
        twist, alpha = changes(base, direction)
    else:
        twist, alpha = np.zeros_like(base.x), np.zeros((base.n, 3))
        for slope, name in ((base.by_position, "q"), (base.by_rate, "dq"), (base.by_wheel, "wheel_rates")):
            twist += (slope @ direction[name][..., None])[..., 0]
    expected = (x * twist).sum() + (turn * alpha).sum()
    found = [bars.q * direction["q"], bars.dq * direction["dq"], by_wheels * direction["wheel_rates"]]
    size = sum(float(np.abs(part).sum()) for part in found)
    assert abs(sum(part.sum() for part in found) - expected) < 1e-12 * size


@every_tree
@pytest.mark.parametrize("turns", [False, True])
def test_the_way_back_of_all_derivatives_is_their_derivative(robot, turns):
    samples, rng = motion(robot), np.random.default_rng(5)
    base, direction = reacting(robot, samples, turns), directions(samples)
    bars = base.bars()
    for name in ("x", "G", "B"):
        setattr(bars, name, rng.normal(size=getattr(bars, name).shape))
    bars.A_b, bars.A_q = (rng.normal(size=each.shape) for each in (bars.A_b, bars.A_q))
    weights = {name: np.array(getattr(bars, name)) for name in ("x", "G", "B", "A_b", "A_q")}

    def number(step):
        there = reacting(robot, moved(samples, direction, step), turns)
        parts = {name: getattr(there, name) for name in ("x", "G", "B")}
        parts |= {"A_b": there.A[:, :, :6], "A_q": there.A[:, :, 6:]}
        return float(sum((weights[name] * values).sum() for name, values in parts.items()))

    by_wheels = base.pull_back(bars)
    found = [bars.q * direction["q"], bars.dq * direction["dq"], by_wheels * direction["wheel_rates"]]
    size = sum(float(np.abs(part).sum()) for part in found)
    assert abs(sum(part.sum() for part in found) - along(number)) < 1e-7 * size


def test_rows_that_the_base_lacks_are_zero():
    rows = np.ones((4, 3, 2))
    six = six_rows(rows, np.array([0, 1, 5]))
    assert six[:, [0, 1, 5]].all()
    assert not six[:, [2, 3, 4]].any()
