"""Attitude by integration of rates, and how late a gyro is."""

from __future__ import annotations

import numpy as np
import pytest
from data.processing.n1_flight import encoders, n1_command, n1_motion, n1_robot, n1_times, n1_truth
from scipy.spatial.transform import Rotation

from freefloat.data.processing.attitude import integrate_rates, rates_of, running_product
from freefloat.data.processing.derivative_through_samples import ThroughSamples
from freefloat.data.processing.resampling import CannotProcess, one_way_round
from freefloat.data.processing.time_offset import estimate_gyro_delay
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.robot.rotations import conjugate, quaternion_product, quaternions, rotation_vectors
from freefloat.studies.catalogue import study_robot


def tumbling(t):
    """A body that cones while it turns faster and faster: attitude and body rates, in closed form."""
    coning, angle = 0.6, 0.4 * t + 0.05 * t**2
    rate = 0.4 + 0.1 * t
    first = quaternions(np.stack([0 * t, 0 * t, angle], axis=1))
    second = quaternions(np.stack([coning + 0 * t, 0 * t, 0 * t], axis=1))
    third = quaternions(np.stack([0 * t, 0.9 * np.sin(1.1 * t), 0 * t], axis=1))
    attitude = quaternion_product(first, quaternion_product(second, third))
    spin = np.stack([0 * t, 0.99 * np.cos(1.1 * t), 0 * t], axis=1)
    R_3 = Rotation.from_quat(third)
    about_z = R_3.inv().apply(Rotation.from_rotvec([coning, 0, 0]).inv().apply([[0.0, 0.0, 1.0]] * t.size))
    return attitude, spin + rate[:, None] * about_z


def attitude_error(found, true):
    return np.linalg.norm(rotation_vectors(quaternion_product(conjugate(true), found)), axis=1)


def end_error(steps):
    t = np.linspace(0.0, 8.0, steps + 1)
    attitude, w = tumbling(t)
    return float(attitude_error(integrate_rates(t, w, attitude[0]), attitude).max())


def test_integration_is_of_order_four():
    errors = np.array([end_error(steps) for steps in (80, 160, 320, 640)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert (orders > 3.7).all()
    assert errors[-1] < 1e-8


def test_midpoint_rates_alone_would_be_of_order_two():
    # What is left out if neither the spline nor the term of Magnus is there: the test above can fail.
    def error(steps):
        t = np.linspace(0.0, 8.0, steps + 1)
        attitude, w = tumbling(t)
        turned = running_product(quaternions(0.5 * (w[1:] + w[:-1]) * np.diff(t)[:, None]))
        return float(attitude_error(quaternion_product(attitude[0], turned), attitude[1:]).max())

    assert 1.8 < np.log2(error(160) / error(320)) < 2.2


def test_uneven_samples_are_integrated_too():
    t = np.sort(np.concatenate([[0.0, 8.0], np.random.default_rng(0).uniform(0.0, 8.0, 900)]))
    attitude, w = tumbling(t)
    assert attitude_error(integrate_rates(t, w, attitude[0]), attitude).max() < 1e-6


def test_a_constant_rate_is_exact_over_a_million_radians():
    t = np.linspace(0.0, 1e4, 20001)
    found = integrate_rates(t, np.tile([60.0, 80.0, 0.0], (t.size, 1)))
    exact = quaternions(np.outer(t, [60.0, 80.0, 0.0]))
    assert attitude_error(found, exact).max() < 1e-7
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-14)


def test_rates_come_back_from_attitudes():
    t = np.linspace(0.0, 8.0, 2001)
    attitude, w = tumbling(t)
    motion = ThroughSamples().motion(t, one_way_round(attitude))
    np.testing.assert_allclose(rates_of(motion)[20:-20], w[20:-20], atol=1e-8)


def test_rates_of_the_wrong_shape_are_refused():
    with pytest.raises(ShapeError, match="rates must have shape"):
        integrate_rates([0.0, 1.0], np.zeros((3, 3)))


# ---------------------------------------------------------------------- delay


def joints():
    return Samples(q=n1_motion().position, dq=n1_motion().rate, t=n1_times())


def readings(delay, seed=0, sd=4e-5, rate=200.0):
    """A gyro of angle random walk 0.01 deg/sqrt(h) at its own rate, with a bias."""
    t = np.arange(int(150.0 * rate) + 1) / rate
    w = n1_truth().at("w", np.clip(t - delay, 0.0, 150.0))
    return t, encoders(w, seed, sd) + 5e-7


@pytest.mark.parametrize("delay", [0.0, 0.043, -0.0013, 0.31])
def test_a_delay_is_recovered_to_a_tenth_of_a_millisecond(delay):
    found = estimate_gyro_delay(n1_robot(), joints(), *readings(delay, seed=int(1e4 * abs(delay))))
    assert found.delay_s == pytest.approx(delay, abs=1e-4)
    assert abs(found.delay_s - delay) < 4.0 * found.sd_s
    assert found.sd_s < 6e-5  # a sample is 5e-3
    assert found.tells


def test_its_standard_deviation_is_that_of_many_runs():
    errors, stated = [], []
    for seed in range(24):
        found = estimate_gyro_delay(n1_robot(), joints(), *readings(0.01, seed, rate=40.0))
        errors.append(found.delay_s - 0.01)
        stated.append(found.sd_s)
    assert np.std(errors) == pytest.approx(np.mean(stated), rel=0.5)
    assert abs(np.mean(errors)) < 3.0 * np.std(errors) / np.sqrt(24) + 1e-6


def test_a_model_that_is_off_by_a_tenth_still_shows_the_delay():
    rng = np.random.default_rng(8)
    robot = n1_robot()
    wrong = robot.with_parameters(robot.parameters * (1.0 + 0.1 * rng.uniform(-1.0, 1.0, robot.parameters.size)))
    found = estimate_gyro_delay(wrong, joints(), *readings(0.043))
    assert found.delay_s == pytest.approx(0.043, abs=0.02)
    assert abs(found.delay_s - 0.043) < 4.0 * found.sd_s  # and it knows that it is less sure
    assert found.sd_s > 1e-3


def test_without_noise_the_delay_is_exact():
    t = n1_times()
    late = n1_command().evaluate(np.clip(t - 0.0271, 0.0, 150.0))
    w = base_reaction(n1_robot(), Samples(q=late.position, dq=late.rate))[1]
    assert estimate_gyro_delay(n1_robot(), joints(), t, w).delay_s == pytest.approx(0.0271, abs=1e-7)


def test_what_it_says():
    late = estimate_gyro_delay(n1_robot(), joints(), *readings(0.043))
    assert late.sentence().startswith("the gyro is late by 43.0")
    assert "agree in time" in estimate_gyro_delay(n1_robot(), joints(), *readings(0.0, 3)).sentence()
    t, w = readings(0.0)
    nothing = estimate_gyro_delay(n1_robot(), joints(), t, np.random.default_rng(1).normal(size=w.shape))
    assert not nothing.tells
    assert "no delay can be estimated" in nothing.sentence()


def test_a_delay_needs_motion_of_the_base():
    still = Samples(q=np.zeros((200, 7)), dq=np.zeros((200, 7)), t=np.arange(200.0))
    with pytest.raises(CannotProcess, match="cause no motion of the base"):
        estimate_gyro_delay(n1_robot(), still, np.arange(200.0), np.zeros((200, 3)))
    fixed = study_robot("gautier_khalil_arm")
    n = len(fixed.joints)
    moving = Samples(q=np.zeros((200, n)), dq=np.ones((200, n)), t=np.arange(200.0))
    with pytest.raises(CannotProcess, match="cause no motion of the base"):
        estimate_gyro_delay(fixed, moving, np.arange(200.0), np.zeros((200, 3)))
    with pytest.raises(CannotProcess, match="fewer than 100 gyro samples"):
        estimate_gyro_delay(n1_robot(), joints(), n1_times()[:50], np.zeros((50, 3)))
