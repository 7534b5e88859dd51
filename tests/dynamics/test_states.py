"""Random states are states the robot can be in; the base reacts as the momentum law says."""

from dataclasses import fields, replace

import numpy as np
import pytest
from agreement import assert_agree
from random_trees import random_robot

from freefloat.dynamics.momentum_rows import momentum
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.states import random_states
from freefloat.errors import UnknownName
from freefloat.robot.base_axes import allowed_rows, sliding_axes, turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint

BASES = ("free", "planar", "fixed")
ROBOTS = {base: random_robot(20, bodies=7, base=base, wheels=2, prismatic=True) for base in BASES}
every_base = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)


@every_base
def test_joints_are_anywhere_within_their_limits(robot):
    samples = random_states(robot, 4000)
    for joint, q in zip(robot.joints, samples.q.T, strict=True):
        reach = 1.0 if joint.kind == "prismatic" else np.pi
        low, high = np.clip(joint.position, -reach, reach)
        assert low <= q.min() < low + 0.05 * reach
        assert high - 0.05 * reach < q.max() <= high


def test_a_joint_with_one_limit_keeps_it():
    above, below = Joint("above", position=(7.0, np.inf)), Joint("below", position=(-np.inf, -7.0))
    robot = Robot("open", (Body("base"), Body("a", "base", above), Body("b", "a", below)))
    q = random_states(robot, 500).q
    assert q[:, 0].min() >= 7.0
    assert q[:, 1].max() <= -7.0
    assert np.ptp(q, axis=0).min() > 6.0


@every_base
def test_a_locked_joint_stays_and_the_others_move(robot):
    locked = robot.joint_names[1::2]
    samples = random_states(robot, 30, seed=3, locked=locked)
    still = np.array([name in locked for name in robot.joint_names])
    for moved in (np.ptp(samples.q, axis=0), np.abs(samples.dq).max(axis=0), np.abs(samples.ddq).max(axis=0)):
        assert (moved[still] == 0.0).all()
        assert (moved[~still] > 0.1).all()


def test_a_joint_that_is_not_there_cannot_be_locked():
    with pytest.raises(UnknownName, match="no joint named 'jiont1'"):
        random_states(ROBOTS["free"], 3, locked=["jiont1"])


@every_base
def test_the_base_moves_as_its_kind_allows(robot):
    samples = random_states(robot, 20)
    moves = {"free": [1, 1, 1, 1, 1, 1], "planar": [1, 1, 0, 0, 0, 1], "fixed": [0, 0, 0, 0, 0, 0]}[robot.base]
    for linear, angular in ((samples.v, samples.w), (samples.dv, samples.dw)):
        assert (np.abs(np.hstack([linear, angular])).max(axis=0) > 0.0).tolist() == [bool(m) for m in moves]
    if robot.base == "planar":
        assert not samples.attitude[:, :2].any()
        assert not samples.position[:, 2].any()


def test_the_same_seed_gives_the_same_states_and_another_one_others():
    one, same, other = (random_states(ROBOTS["free"], 5, seed=seed) for seed in (8, 8, 9))
    for field in fields(one):
        values = getattr(one, field.name)
        if values is not None:
            np.testing.assert_array_equal(values, getattr(same, field.name))
            assert not np.array_equal(values, getattr(other, field.name))


def test_spin_scales_the_base_and_the_wheels_alone():
    slow, fast = (random_states(ROBOTS["free"], 5, spin=spin) for spin in (1.0, 10.0))
    for name in ("v", "w", "dv", "dw", "wheel_rates", "wheel_accelerations"):
        np.testing.assert_allclose(getattr(fast, name), 10.0 * getattr(slow, name), rtol=1e-15)
    np.testing.assert_array_equal(fast.dq, slow.dq)


# ---------------------------------------------------------------------- how the base reacts


@every_base
def test_the_base_reacts_so_that_momentum_is_what_it_is(robot):
    rows = {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[robot.base]
    samples = random_states(robot, 20, seed=4)
    given = np.random.default_rng(4).normal(size=(20, 6))
    before = given.copy()
    v, w = base_reaction(robot, samples, given)
    twist = np.hstack([v, w])
    assert not np.delete(twist, rows, axis=1).any()
    np.testing.assert_array_equal(given, before)
    if rows:
        assert_agree(momentum(robot, replace(samples, v=v, w=w))[:, rows], given[:, rows], 1e-12)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_without_momentum_given_it_is_zero(base):
    robot = ROBOTS[base]
    samples = random_states(robot, 20, seed=5)
    v, w = base_reaction(robot, samples)
    zero = base_reaction(robot, samples, np.zeros((20, 6)))
    np.testing.assert_array_equal(np.hstack([v, w]), np.hstack(zero))
    assert np.abs(w).max() > 1e-3


@pytest.mark.parametrize(
    ("base", "slides", "turns"), [("free", [0, 1, 2], [0, 1, 2]), ("planar", [0, 1], [2]), ("fixed", [], [])]
)
def test_the_base_slides_along_and_turns_about_what_it_can(base, slides, turns):
    robot = ROBOTS[base]
    assert sliding_axes(robot).tolist() == slides
    assert turning_axes(robot).tolist() == turns
    assert allowed_rows(robot).tolist() == [*slides, *(3 + axis for axis in turns)]
