"""Random motions: within limits, and the same wherever they are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from motion.motion_shapes import limited_robot

from freefloat.errors import ShapeError, UnknownName
from freefloat.motion.random_motion import random_sines, random_trajectory
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint, Wheel
from freefloat.studies.catalogue import study_names, study_robot

LIMITED = limited_robot()


@pytest.mark.parametrize("study", study_names())
@pytest.mark.parametrize("draw", [random_trajectory, random_sines])
def test_every_study_robot_can_move_at_random_within_its_limits(study, draw):
    robot = study_robot(study)
    for seed in range(3):
        trajectory = draw(robot, 60.0, seed)
        assert trajectory.channels == robot.joint_names
        assert trajectory.check(robot).within
        assert (trajectory.extremes().rate > 0.0).all()


@pytest.mark.parametrize("seed", range(10))
def test_some_limit_is_used_as_far_as_told(seed):
    for fill in (0.5, 1.0):
        margins = random_trajectory(LIMITED, 5.0, seed, fill=fill).check(LIMITED)
        used = np.stack([1 - margins.rate / 0.5, 1 - margins.acceleration / 0.3])
        assert margins.within
        assert (used <= fill + 1e-9).all()
        assert (margins.position >= (1 - fill) * 1.5 - 1e-9).all()
        tight = np.isclose(used, fill, rtol=1e-9).any(axis=0) | np.isclose(
            margins.position, (1 - fill) * 1.5, atol=1e-9
        )
        assert tight.all()


def test_a_slow_motion_fills_the_range_of_positions():
    trajectory = random_trajectory(LIMITED, 1000.0, 3, fill=0.9)
    found = trajectory.extremes()
    np.testing.assert_allclose(found.lowest, 0.5 - 0.9 * 1.5, atol=1e-9)
    np.testing.assert_allclose(found.highest, 0.5 + 0.9 * 1.5, atol=1e-9)


def test_it_goes_from_rest_to_rest():
    trajectory = random_trajectory(LIMITED, 20.0, 1, start=[0.3, 1.1])
    ends = trajectory.evaluate([0.0, 20.0])
    np.testing.assert_allclose(ends.position, [[0.3, 1.1]] * 2, atol=1e-14)
    np.testing.assert_allclose(ends.rate, 0.0, atol=1e-14)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-14)
    assert trajectory.check(LIMITED).within


KEPT = [0.0638069661136565, -0.04931722955213863]


def test_the_seed_and_the_name_alone_decide():
    both = random_trajectory(LIMITED, 20.0, 5)
    again = random_trajectory(LIMITED, 20.0, 5, channels=("j2",))
    np.testing.assert_array_equal(both.coefficients[:, 1], again.coefficients[:, 0])
    assert not np.allclose(both.coefficients, random_trajectory(LIMITED, 20.0, 6).coefficients)
    # Drawn once and kept: another machine, another version, the same motion.
    np.testing.assert_allclose(again.coefficients[:2, 0], KEPT, rtol=1e-12)


def test_a_motion_to_one_side_needs_room_on_that_side_only():
    one_sided = set()
    for seed in range(20):
        trajectory = random_trajectory(LIMITED, 1e4, seed, harmonics=1, start=[0.3, 1.1])
        extremes = trajectory.extremes()
        assert trajectory.check(LIMITED).within
        assert (extremes.highest - extremes.lowest > 0.1).all()
        one_sided |= set((extremes.lowest >= [0.3, 1.1]).tolist())
    assert one_sided == {True, False}


def test_sines_are_sines_about_the_middle():
    trajectory = random_sines(LIMITED, 60.0, 2)
    t = np.linspace(0.0, 60.0, 61)
    amplitude = trajectory.evaluate([15.0]).position[0] - 0.5
    expected = 0.5 + amplitude * np.sin(2 * np.pi * t / 60.0)[:, None]
    np.testing.assert_allclose(trajectory.evaluate(t).position, expected, atol=1e-12)
    assert trajectory.check(LIMITED).within
    many = np.array([random_sines(LIMITED, 60.0, seed).coefficients[1, 0] for seed in range(200)])
    assert (np.sign(many) > 0).mean() == pytest.approx(0.5, abs=0.1)
    largest = 0.9 * 1.5 * 2 * np.pi / 60.0
    assert 0.95 * largest < np.abs(many).max() <= largest * (1 + 1e-12)


def test_the_largest_seed_is_a_seed():
    assert random_trajectory(LIMITED, 20.0, 2**64 - 1).check(LIMITED).within
    with pytest.raises(InvalidTrajectory, match="duration_s is 0"):
        random_sines(LIMITED, 0.0, 1)


def test_wheels_move_when_named_and_limited():
    trajectory = random_trajectory(LIMITED, 20.0, 5, channels=("j1", "wx"))
    np.testing.assert_allclose(trajectory.extremes().rate[1], 9.0, rtol=1e-9)
    free = Robot("free", (Body("base"),), wheels=(Wheel("wx", [1, 0, 0], 0.2),))
    with pytest.raises(InvalidTrajectory, match="wheel wx has no largest rate"):
        random_trajectory(free, 20.0, 5, channels=("wx",))
    with pytest.raises(InvalidTrajectory, match="nothing of bare is to move; a random motion needs a joint or a wheel"):
        random_trajectory(Robot("bare", (Body("base"),)), 20.0, 5)


@pytest.mark.parametrize("draw", [random_trajectory, random_sines])
def test_a_robot_without_joints_turns_its_wheels(draw):
    wheels = (Wheel("wx", [1, 0, 0], 0.2, max_rate=9.0), Wheel("wy", [0, 1, 0], 0.2, max_rate=5.0))
    robot = Robot("satellite", (Body("base"),), wheels=wheels)
    trajectory = draw(robot, 20.0, 5)
    assert trajectory.channels == ("wx", "wy")
    assert trajectory.check(robot).within
    assert (trajectory.extremes().rate > 0.0).all()


def test_what_a_wheel_turns_at_already_counts():
    found = random_trajectory(LIMITED, 20.0, 5, channels=("j1", "wx"), wheel_rates=[-4.0]).extremes()
    np.testing.assert_allclose(found.rate[1], 0.9 * (10.0 - 4.0), rtol=1e-9)
    with pytest.raises(ShapeError, match=r"wheel_rates must have shape \(1,\), found \(2,\)"):
        random_trajectory(LIMITED, 20.0, 5, wheel_rates=[0.0, 0.0])


def test_a_robot_without_limits_moves_within_reach_of_ours():
    bodies = (Body("base"), Body("link", "base", Joint("j", position=(-np.inf, 2.0))))
    one_sided = Robot("one-sided", bodies)
    found = random_trajectory(one_sided, 20.0, 1, fill=1.0).extremes()
    np.testing.assert_allclose([found.lowest[0], found.highest[0]], [2.0 - 2 * np.pi, 2.0], atol=1e-9)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"fill": 1.5}, InvalidTrajectory, "fill is 1.5; allowed"),
        ({"seed": -1}, InvalidTrajectory, "seed is -1; allowed"),
        ({"start": [0.0]}, ShapeError, r"start must have shape \(2,\)"),
        ({"start": [0.0, 9.0]}, InvalidTrajectory, "j2 starts at 9; allowed: between -0.85 and 1.85"),
        ({"channels": ("elbow",)}, UnknownName, "elbow"),
        ({"seed": 2**64}, InvalidTrajectory, "seed is 18446744073709551616; allowed: 0 to"),
        ({"harmonics": 0}, InvalidTrajectory, "harmonics is 0; allowed"),
        ({"duration_s": 0.0}, InvalidTrajectory, "duration_s is 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        random_trajectory(**{"robot": LIMITED, "duration_s": 20.0, "seed": 1} | options)
