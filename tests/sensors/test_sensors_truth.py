"""Between its samples the truth is what the motion is, to the fourth power of the step."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from sensors.sensor_motions import LAYOUT, cone, flight, truth

from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.robot.rotations import quaternion_of, quaternion_product, quaternions, rotation_vectors
from freefloat.sensors.truth import Layout, Truth, _rate_of_rotation_vector
from freefloat.studies.catalogue import study_robot

SMOOTH = ("q", "dq", "v", "w", "position", "attitude", "wheel_rates")
ASKED = np.linspace(0.0, 4.0, 1001)


def error(name, steps, **leave_out):
    found = truth(np.linspace(0.0, 4.0, steps + 1), **leave_out).at(name, ASKED)
    return np.abs(found - getattr(flight(ASKED), name)).max()


@pytest.mark.parametrize("name", SMOOTH)
def test_the_error_falls_with_the_fourth_power_of_the_step(name):
    coarse, fine = error(name, 50), error(name, 100)
    assert 13.0 < coarse / fine < 19.0
    assert fine < 1e-4 * np.abs(getattr(flight(ASKED), name)).max()


@pytest.mark.parametrize(
    ("name", "rate"), [("dq", "ddq"), ("v", "dv"), ("w", "dw"), ("wheel_rates", "wheel_accelerations")]
)
def test_without_known_rates_a_spline_is_nearly_as_good(name, rate):
    coarse, fine = error(name, 50, **{rate: False}), error(name, 100, **{rate: False})
    assert 10.0 < coarse / fine < 25.0


def test_attitude_without_rates_turns_evenly_between_samples():
    coarse, fine = error("attitude", 50, w=False), error("attitude", 100, w=False)
    assert 3.5 < coarse / fine < 4.5


def test_torques_are_joined_by_straight_lines():
    samples = Samples(q=np.zeros((3, 1)), torques=np.array([[0.0], [2.0], [-2.0]]), t=np.array([0.0, 1.0, 2.0]))
    values = Truth(samples).at("torques", np.array([0.5, 1.0, 1.75]))
    np.testing.assert_allclose(values, [[1.0], [2.0], [-1.0]])


@pytest.mark.parametrize("name", [*SMOOTH, "torques"])
def test_samples_are_met_exactly(name):
    t = np.linspace(0.0, 4.0, 41)
    np.testing.assert_allclose(truth(t).at(name, t), getattr(flight(t), name), atol=2e-15, rtol=1e-14)


def test_attitudes_are_unit_quaternions_and_large_steps_are_survived():
    t = np.linspace(0.0, 40.0, 21)  # turns of 3.5 rad between samples
    found = truth(t).at("attitude", ASKED)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-14)


def test_the_velocity_of_a_point_is_that_of_the_origin_and_the_turn():
    point = np.array([0.3, -0.2, 0.5])
    base = truth(np.linspace(0.0, 4.0, 401))
    expected = flight(ASKED).v + np.cross(flight(ASKED).w, point)
    np.testing.assert_allclose(base.velocity_of(point, ASKED), expected, atol=1e-6)


def test_the_layout_is_that_of_the_robot():
    robot = study_robot("spirolazzi_n1")
    assert Layout.of(robot).joints == robot.joint_names
    samples = flight(np.linspace(0.0, 1.0, 5))
    with pytest.raises(ShapeError, match="q has 2 columns"):
        Truth.of(robot, samples)


@pytest.mark.parametrize("t", [None, [0.0], [0.0, 0.0]])
def test_a_truth_has_times(t):
    samples = Samples(q=np.zeros((2 if t is None else len(t), 1)), t=None if t is None else np.array(t))
    with pytest.raises(ShapeError, match="a sensor needs"):
        Truth(samples, LAYOUT)


def test_what_is_missing_is_said():
    with pytest.raises(ShapeError, match="a sensor needs `attitude`, which these samples do not have"):
        truth(np.linspace(0.0, 1.0, 5), attitude=False).at("attitude", ASKED[:3])


def test_quaternions_are_those_of_scipy():
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(size=(50, 3)), 1e-9 * rng.normal(size=(5, 3)), np.zeros((1, 3))])
    found, expected = quaternions(vectors), Rotation.from_rotvec(vectors)
    np.testing.assert_allclose(found, expected.as_quat(), atol=1e-15)
    np.testing.assert_allclose(rotation_vectors(-found), expected.as_rotvec(), rtol=1e-12, atol=1e-20)
    product = quaternion_product(found[:28], found[28:])
    both = (expected[:28] * expected[28:]).as_matrix()
    np.testing.assert_allclose(Rotation.from_quat(product).as_matrix(), both, atol=1e-14)
    np.testing.assert_allclose(Rotation.from_quat(quaternion_of(both[0])).as_matrix(), both[0], atol=1e-14)


def test_the_cone_is_a_motion():
    """The test's own formula: body rates are those of the attitude, by a difference quotient."""
    t, step = np.linspace(0.0, 5.0, 11), 1e-5
    ahead, behind = (Rotation.from_quat(cone(t + d)[0]) for d in (step, -step))
    np.testing.assert_allclose((behind.inv() * ahead).as_rotvec() / (2 * step), cone(t)[1], atol=1e-8)


def test_rates_of_rotation_vectors_are_those_of_the_turn():
    """Exp(turn + rate dt) = Exp(turn) Exp(w dt), by a difference quotient of scipy's rotations."""
    rng = np.random.default_rng(0)
    turn, w, step = rng.normal(size=(40, 3)), rng.normal(size=(40, 3)), 1e-6
    turn[:5] *= 1e-5
    start = Rotation.from_rotvec(turn)
    ahead, behind = (start * Rotation.from_rotvec(sign * step * w) for sign in (1, -1))
    expected = (ahead.as_rotvec() - behind.as_rotvec()) / (2 * step)
    np.testing.assert_allclose(_rate_of_rotation_vector(turn, w), expected, atol=1e-8)


def test_rounding_of_times_does_not_matter_and_more_does():
    t = np.linspace(0.0, 4.0, 41)
    base = truth(t)
    assert np.array_equal(base.at("w", t * (1 + 2e-16)), flight(t).w)
    late = t * (1 - 1e-9)
    assert not np.array_equal(base.at("w", late), flight(t).w)
    np.testing.assert_allclose(base.at("w", late), flight(late).w, atol=1e-12)
