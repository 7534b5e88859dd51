"""Limits of a robot that stands: what they mean, and their derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from excitation.test_limits import STEP, TOLERANCE, moved, planned
from random_trees import random_robot

from freefloat.excitation.limits.centre_of_mass import CentreOfMassDisc
from freefloat.excitation.limits.support import CentreOfMassInside, SupportPolygon, ZeroMomentPointInside
from freefloat.models.model import NotApplicable

SQUARE = [[-0.5, -0.4, -1.0], [0.6, -0.5, -1.0], [0.5, 0.5, -1.0], [-0.4, 0.5, -1.0]]


def standing(seed, wheels=0):
    return random_robot(seed, bodies=6, base="fixed", gravity=True, wheels=wheels, prismatic=seed % 2 == 0)


def across(robot):
    """A polygon about the robot, corners at different heights, going round to the left or right."""
    up = -robot.gravity / np.linalg.norm(robot.gravity)
    one = np.linalg.svd(up[None])[2][1]
    other = np.cross(up, one)
    angles = np.array([0.1, 1.4, 2.9, 4.4, 5.2])
    return (np.cos(angles)[:, None] * one + np.sin(angles)[:, None] * other) * 2.0 + 0.3 * angles[:, None] * up


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [CentreOfMassInside, ZeroMomentPointInside, CentreOfMassDisc])
def test_the_jacobian_is_the_derivative_of_the_margins(kind, seed):
    robot = standing(seed, wheels=2)
    polygon = SupportPolygon.of(robot, across(robot))
    disc = kind is CentreOfMassDisc
    limit = kind(0.3, tuple(polygon.centre), tuple(polygon.up)) if disc else kind(polygon, 0.05)
    motion = planned(robot, seed)
    direction = np.random.default_rng(seed).normal(size=motion.coefficients.shape) * np.abs(motion.coefficients)
    ahead, behind = moved(motion, direction, STEP), moved(motion, direction, -STEP)
    expected = (limit.margins(ahead) - limit.margins(behind)) / (2.0 * STEP)
    found = limit.jacobian(motion, np.arange(expected.size)) @ direction.ravel()
    assert np.abs(found - expected).max() <= TOLERANCE * max(np.abs(expected).max(), 1e-2)
    assert limit.instants(motion).shape == expected.shape


def test_at_rest_the_zero_moment_point_is_below_the_centre_of_mass():
    robot = standing(3)
    polygon = SupportPolygon.of(robot, across(robot))
    motion = planned(robot)
    still = replace(motion, coefficients=np.zeros_like(motion.coefficients))
    one, other = (kind(polygon, 0.02).margins(still) for kind in (CentreOfMassInside, ZeroMomentPointInside))
    rest = np.isclose(np.abs(still.samples.dq).max(axis=1), 0.0)
    assert rest.all()
    assert np.allclose(one, other, atol=1e-12)


def test_the_slack_is_the_distance_of_the_zero_moment_point_from_the_nearest_edge():
    robot = replace(random_robot(2, bodies=5, base="fixed"), gravity=np.array([0.0, 0.0, -9.81]))
    polygon = SupportPolygon.of(robot, SQUARE[::-1])  # to the right seen from above
    motion = planned(robot, 2)
    force, moment = motion.loads[:, :3], motion.loads[:, 3:6]
    point = np.stack([-moment[:, 1], moment[:, 0]], axis=1) + SQUARE[0][2] * force[:, :2]
    point /= force[:, 2:3]  # where the moment about x and y vanishes on the ground
    corners = np.array(SQUARE)[:, :2]
    along = np.roll(corners, -1, axis=0) - corners
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    away = point[:, None] - corners
    inside = along[:, 0] * away[..., 1] - along[:, 1] * away[..., 0]
    assert ZeroMomentPointInside(polygon, 0.03).slack(motion) == pytest.approx(inside.min() - 0.03, abs=1e-12)


STAR = [(np.cos(0.8 * np.pi * k), np.sin(0.8 * np.pi * k), 0.0) for k in range(5)]  # goes round twice


@pytest.mark.parametrize("corners", [SQUARE[:2], [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]], [SQUARE[0]] * 4, STAR])
def test_what_makes_no_polygon_is_refused(corners):
    robot = replace(standing(0), gravity=np.array([0.0, 0.0, -9.81]))
    with pytest.raises(NotApplicable, match="no convex polygon"):
        SupportPolygon.of(robot, corners)


def test_what_does_not_stand_is_refused():
    for robot in (random_robot(1, base="free"), random_robot(1, base="fixed")):
        with pytest.raises(NotApplicable, match="allowed: a fixed base with gravity"):
            SupportPolygon.of(robot, SQUARE)
