"""Free-flying matrices about the centre of mass: those of Pinocchio at true parameters, and as sure as they say."""

from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from agreement import assert_agree
from authorities.pinocchio_model import with_real_wheels
from estimate.estimates_made import estimate_of
from estimate.in_pinocchio import FullRobot
from export.test_floating_model import assert_follows, correlated, differences
from random_trees import random_robot, random_samples

from freefloat.export.free_flying_model import FreeFlyingModel
from freefloat.models.model import NotApplicable
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.parts import Point
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import Start, simulate_motion

TOLERANCE = 1e-10
SAMPLES = 3
every_flyer = pytest.mark.parametrize(("seed", "wheels"), [(1, 3), (4, 4), (7, 3), (10, 4)])


@cache
def flyer(seed, wheels):
    """A tree of several arms with wheels in its base; the same with wheels that are bodies, in Pinocchio."""
    robot = random_robot(seed, bodies=4 + seed % 4, base="free", wheels=wheels, branched=True, prismatic=seed == 7)
    return robot, FullRobot(with_real_wheels(robot, np.random.default_rng(seed)))


def about_centre(H):
    """Speeds (v, w, ...) of the base's origin by those of the centre of mass, shape (n, s, s)."""
    T = np.broadcast_to(np.eye(H.shape[1]), H.shape).copy()
    T[:, :3, 3:] = -H[:, :3, 3:] / H[:, :1, :1]
    return T


def needed(full, q, speeds, rises):
    """Generalised forces at speeds and accelerations (v, w, joints, wheels), by Pinocchio, shape (n, s)."""
    found = []
    for position, speed, rise in zip(q, speeds, rises, strict=True):
        velocity, acceleration = np.zeros(full.model.nv), np.zeros(full.model.nv)
        velocity[full.order], acceleration[full.order] = speed, rise
        data = full.model.createData()
        found.append(pin.rnea(full.model, data, full.configuration(position), velocity, acceleration)[full.order])
    return np.array(found)


def with_wheels(robot, q):
    """Joints, then wheels, which may stand anywhere."""
    return np.hstack([q, np.full((len(q), len(robot.wheels)), 0.7)])


# ---------------------------------------------------------------------- values


@every_flyer
def test_the_mass_matrix_with_wheels_is_pinocchios(seed, wheels):
    robot, full = flyer(seed, wheels)
    q = random_samples(robot, SAMPLES, seed).q
    H = full.mass_matrix(with_wheels(robot, q))
    T = about_centre(H)
    assert_agree(FreeFlyingModel(estimate_of(robot)).mass_matrix(q).value, T.swapaxes(1, 2) @ H @ T, TOLERANCE, 1e-6)


@every_flyer
def test_the_terms_of_the_motion_are_pinocchios(seed, wheels):
    robot, full = flyer(seed, wheels)
    samples = random_samples(robot, SAMPLES, seed)
    q = with_wheels(robot, samples.q)
    H = full.mass_matrix(q)
    speeds = np.hstack([samples.v, samples.w, samples.dq, samples.wheel_rates])
    rises, mass = np.zeros_like(speeds), H[:, :1, 0]
    v_cm = samples.v + np.einsum("kij,kj->ki", H[:, :3, 3:], speeds[:, 3:]) / mass
    force = mass * np.cross(samples.w, v_cm)  # such that v_cm does not change in base axes
    rises[:, :3] = (force - needed(full, q, speeds, rises)[:, :3]) / mass
    expected = np.einsum("kij,ki->kj", about_centre(H), needed(full, q, speeds, rises))
    found, moved = FreeFlyingModel(estimate_of(robot)).bias(samples).value, 6 + len(robot.joints)
    assert_agree(found[:, :moved], expected[:, :moved], TOLERANCE, 1e-6)
    assert not found[:, moved:].any(), "wheels need no torque where nothing accelerates"
    assert np.abs(expected[:, moved:]).max() < TOLERANCE * np.abs(expected).max()


@every_flyer
def test_jacobians_of_points_are_pinocchios_flying_and_floating(seed, wheels):
    robot, full = flyer(seed, wheels)
    q = random_samples(robot, SAMPLES, seed).q
    H, model = full.mass_matrix(with_wheels(robot, q)), FreeFlyingModel(estimate_of(robot))
    link, base = robot.body_names[-1], robot.body_names[0]
    for point in (
        "tool",
        Point("there", link, np.array([0.3, -0.1, 0.2])),
        Point("S", base, np.array([1.0, 2.0, 3.0])),
    ):
        J = full_jacobian(full, with_wheels(robot, q), robot, point)
        assert_agree(model.jacobian(q, point).value, J @ about_centre(H), TOLERANCE, 1e-6)
        reacting = -np.linalg.solve(H[:, :6, :6], H[:, :6, 6:])
        assert_agree(model.floating_jacobian(q, point).value, J[:, :, 6:] + J[:, :, :6] @ reacting, TOLERANCE, 1e-6)


def full_jacobian(full, q, robot, point):
    place = robot.point(point) if isinstance(point, str) else point
    named = replace(full.robot, points=(*full.robot.points, Point("asked", place.body, place.xyz)))
    return FullRobot(named, full.model.copy()).jacobian(q, "asked")


def test_predicted_base_motion_is_the_flown_one_whatever_its_momentum():
    robot = random_robot(6, bodies=5, base="free", wheels=3)
    motion = random_trajectory(robot, 20.0, 3)
    h, drift = np.array([0.3, -0.2, 0.5]), np.array([0.02, 0.01, -0.03])
    start = Start(attitude=np.array([0.1, 0.2, 0.3, 0.9]), angular_momentum=h, velocity=drift)
    flown = simulate_motion(robot, motion, np.linspace(0.0, 20.0, 41), start, wheel_rates=np.array([5.0, -3.0, 2.0]))
    model = FreeFlyingModel(estimate_of(robot))
    R = rotations(flown.attitude[:1])[0]
    V = R @ (flown.v[0] - model.base_motion(flown, R @ h).value[0, :3])
    found = model.base_motion(flown, R @ h, V)
    np.testing.assert_allclose(found.value, np.hstack([flown.v, flown.w]), atol=1e-7)
    assert (found.sd > 0.0).all()


# ---------------------------------------------------------------------- uncertainty


def quantities(model, samples):
    return {
        "mass matrix": model.mass_matrix(samples.q),
        "bias": model.bias(samples),
        "Jacobian": model.jacobian(samples.q, "tool"),
        "floating Jacobian": model.floating_jacobian(samples.q, "tool"),
        "base motion": model.base_motion(samples, (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)),
    }


@pytest.mark.parametrize("base", ["free", "planar"])
def test_standard_deviations_follow_from_the_derivatives_by_the_clusters(base):
    robot = random_robot(9, bodies=4, base=base, wheels=2, prismatic=True)
    samples, estimate = random_samples(robot, 2, 3), correlated(estimate_of(robot))
    found = quantities(FreeFlyingModel(estimate), samples)
    slopes = differences(lambda each: quantities(FreeFlyingModel(each), samples), estimate)
    assert_follows(found, slopes, estimate)


def test_wheels_are_exact_and_the_mass_stands_alone():
    robot = random_robot(3, bodies=4, base="free", wheels=4)
    H = FreeFlyingModel(estimate_of(robot)).mass_matrix(random_samples(robot, 2, 1).q)
    joints = len(robot.joints)
    assert not H.sd[:, 6 + joints :].any()
    assert not H.value[:, :3, 3:].any()
    np.testing.assert_allclose(H.value[:, 0, 0], robot.mass)
    assert (H.sd[:, 3 : 6 + joints, 3 : 6 + joints] > 0.0).all()


def test_an_estimate_that_states_no_intervals_has_none_of_its_matrices():
    robot = random_robot(3, bodies=4, base="free", wheels=2)
    samples = random_samples(robot, 2, 1)
    stated, unstated = (
        quantities(FreeFlyingModel(each), samples)
        for each in (estimate_of(robot), estimate_of(robot, no_interval="biased"))
    )
    for name, found in unstated.items():
        np.testing.assert_array_equal(found.value, stated[name].value)
        assert np.isnan(found.sd[stated[name].sd > 0.0]).all(), name
        assert not (found.sd > 0.0).any(), name  # what is exact remains so


def test_in_the_plane_only_what_moves_in_it_is_given():
    robot = random_robot(2, bodies=3, base="planar", wheels=1)
    H = FreeFlyingModel(estimate_of(robot)).mass_matrix(random_samples(robot, 2, 1).q)
    in_plane = [0, 1, 5, *range(6, 6 + len(robot.joints) + 1)]
    assert np.isfinite(H.value[:, in_plane][:, :, in_plane]).all()
    assert np.isnan(H.value[:, 3, 3]).all()


def test_a_fixed_base_does_not_fly():
    with pytest.raises(NotApplicable, match="does not fly; allowed: a free or planar base"):
        FreeFlyingModel(estimate_of(random_robot(2, bodies=3, base="fixed")))
