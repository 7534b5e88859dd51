"""Cycloidal intervals, as the dual-arm robot's publication has them."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import ShapeError
from freefloat.motion.cycloid import Cycloid, direction_combinations, seed_map
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.studies.catalogue import published, study_robot


def dual_arm_motion(intervals=slice(None)):
    """The motion of Table 3: six joints and three wheels."""
    robot, table = study_robot("naveen_dual_arm"), published("naveen_dual_arm")["excitation"]
    wheels = [wheel.name for wheel in robot.wheels]
    start = [*np.radians(table["joints"]["start_deg"]), *[table["wheels"]["start_rad"]] * 3]
    ranges = [*np.radians(table["joints"]["range_deg"]), *[table["wheels"]["range_rad"]] * 3]
    directions = direction_combinations(9)[intervals]
    return Cycloid.from_seeds([*robot.joint_names, *wheels], start, ranges, directions, table["interval_s"]), np.array(
        [start, ranges]
    )


def test_combinations_count_in_binary_the_second_channel_first():
    np.testing.assert_array_equal(direction_combinations(3), [[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]])
    all_nine = direction_combinations(9)
    assert all_nine.shape == (256, 9)
    assert (all_nine[:, 0] == 1).all()
    assert len(np.unique(all_nine, axis=0)) == 256
    assert all_nine[128, 1] == -1
    assert (all_nine[:128, 1] == 1).all()
    np.testing.assert_array_equal(direction_combinations(1), [[1.0]])
    with pytest.raises(InvalidTrajectory, match="allowed: 1 to 20"):
        direction_combinations(64)


def test_every_interval_starts_where_the_last_one_ended():
    motion, (start, ranges) = dual_arm_motion()
    assert motion.duration_s == 256.0
    ends = motion.evaluate(np.arange(257.0))
    np.testing.assert_allclose(ends.position[0], start, atol=1e-15)
    np.testing.assert_allclose(
        np.diff(ends.position, axis=0), direction_combinations(9) * ranges, rtol=1e-9, atol=1e-12
    )
    np.testing.assert_array_equal(ends.rate, 0.0)
    np.testing.assert_array_equal(ends.acceleration, 0.0)


def test_inside_an_interval_it_is_the_printed_formula():
    motion, (start, ranges) = dual_arm_motion(slice(3, 4))
    t = np.linspace(0.0, 1.0, 21)[:, None]
    moved = direction_combinations(9)[3] * ranges
    found = motion.evaluate(t[:, 0])
    np.testing.assert_allclose(found.position, start + moved * (t - np.sin(2 * np.pi * t) / (2 * np.pi)), atol=1e-14)
    np.testing.assert_allclose(found.rate, moved * (1 - np.cos(2 * np.pi * t)), atol=1e-14)


def test_the_direction_of_a_channel_does_not_change_in_an_interval():
    motion, _ = dual_arm_motion(slice(0, 40))
    np.testing.assert_array_equal(motion.directions, direction_combinations(9)[:40])
    middle = motion.evaluate(np.arange(40) + 0.5)
    np.testing.assert_array_equal(np.sign(middle.rate), motion.directions)


def test_the_peaks_are_those_of_the_publication():
    motion, _ = dual_arm_motion(published("naveen_dual_arm")["excitation"]["surrogate_intervals"])
    assert motion.duration_s == 67.0
    found = motion.extremes()
    np.testing.assert_allclose(np.degrees(found.rate[:6]), [1.048, 5.02, 5.02, 5.026, 4.072, 5.0], rtol=1e-12)
    robot = study_robot("naveen_dual_arm")
    np.testing.assert_allclose(found.rate[6:] * robot.wheel_inertias, 18.8496, atol=1e-4)


def test_seeds_lead_linearly_to_coefficients():
    motion, seeds = dual_arm_motion(slice(0, 12))
    lead = seed_map(motion.directions)
    np.testing.assert_allclose(np.einsum("ksn,sn->kn", lead, seeds), motion.coefficients, atol=1e-15)


@pytest.mark.parametrize(
    ("build", "error", "said"),
    [
        (lambda: Cycloid(("x",), np.ones((1, 1)), 1.0), ShapeError, "at least one step"),
        (lambda: Cycloid(("x",), np.ones((2, 1)), 0.0), InvalidTrajectory, "interval_s is 0"),
        (lambda: Cycloid.from_seeds(("x",), [0.0], [1.0], [[0.5]], 1.0), InvalidTrajectory, "neither"),
        (
            lambda: Cycloid.from_seeds(("x",), [0.0], [1.0, 2.0], [[1]], 1.0),
            ShapeError,
            r"must have shape \(1,\)",
        ),
    ],
)
def test_what_makes_no_cycloids_is_refused(build, error, said):
    with pytest.raises(error, match=said):
        build()
