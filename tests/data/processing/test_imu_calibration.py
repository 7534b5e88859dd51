"""Calibration of an IMU: given parameters applied, unknown ones found from rests and turns."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.data.processing import imu_accelerometer, imu_gyro
from freefloat.data.processing.imu_accelerometer import calibrate_accelerometer
from freefloat.data.processing.imu_calibration import calibrate_imu
from freefloat.data.processing.imu_model import Calibration
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.processing.static_intervals import interval_means, static_intervals
from freefloat.errors import ShapeError
from freefloat.studies.catalogue import published
from freefloat.studies.spirolazzi.handled_imu import INITIAL_S, REST_S, TURN_S, handled, printed_calibrations

GRAVITY = 9.80665


def test_synthetic_parameters_are_recovered_to_a_thousandth():
    found = calibrate_imu(*handled(30, 1), initial_s=INITIAL_S)
    assert len(found.intervals) == 30
    for fitted, true in zip((found.accelerometer, found.gyro), printed_calibrations(), strict=True):
        np.testing.assert_allclose(fitted.calibration.misalignment, true.misalignment, atol=1e-3)
        np.testing.assert_allclose(fitted.calibration.scale, true.scale, rtol=1e-3)
        np.testing.assert_allclose(fitted.calibration.bias, true.bias, atol=1e-3)
    # What they were before, to be sure that there was something to find.
    assert abs(1.0 - printed_calibrations()[1].scale[2]) > 0.1


def test_stated_deviations_are_those_of_the_errors():
    found = calibrate_imu(*handled(30, 2), initial_s=INITIAL_S)
    accelerometer, gyro = printed_calibrations()
    T, true_T = found.accelerometer.calibration.misalignment, accelerometer.misalignment
    away = np.concatenate(
        [
            (T - true_T)[[0, 0, 1], [1, 2, 2]],
            found.accelerometer.calibration.scale - accelerometer.scale,
            found.accelerometer.calibration.bias - accelerometer.bias,
        ]
    )
    scores = np.concatenate(
        [
            away / found.accelerometer.sd,
            (found.gyro.calibration.matrix - gyro.matrix).ravel() / found.gyro.sd,
        ]
    )
    assert np.abs(scores).max() < 4.0
    assert 0.4 < np.sqrt((scores**2).mean()) < 1.7


def test_without_noise_the_gyro_is_as_exact_as_the_integration():
    accelerometer, gyro = handled(12, 3, 1e-5, 1e-6)
    found = calibrate_imu(accelerometer, gyro, initial_s=INITIAL_S)
    np.testing.assert_allclose(found.accelerometer.calibration.scale, printed_calibrations()[0].scale, rtol=1e-6)
    np.testing.assert_allclose(found.gyro.calibration.matrix, printed_calibrations()[1].matrix, atol=1e-6)


def test_an_accelerometer_can_be_calibrated_alone():
    found = calibrate_imu(handled(15, 4)[0], initial_s=INITIAL_S)
    assert found.gyro is None
    np.testing.assert_allclose(found.accelerometer.calibration.scale, printed_calibrations()[0].scale, rtol=1e-3)


def differences(f, x, step=1e-6):
    return np.stack([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(x.size)], axis=1)


def test_derivatives_are_exact():
    rng = np.random.default_rng(5)
    raw = rng.normal(size=(12, 3))
    x = np.concatenate([0.1 * rng.normal(size=3), 1.0 + 0.1 * rng.normal(size=3), 0.1 * rng.normal(size=3)])
    expected = differences(lambda x: imu_accelerometer._residual(x, raw, 1.0), x)
    np.testing.assert_allclose(imu_accelerometer._jacobian(x, raw, 1.0), expected, atol=1e-8)
    _, gyro = handled(4, 6)
    rests = np.array([[0.0, 14.0], [17.5, 19.5], [22.5, 24.5]])
    up = rng.normal(size=(3, 3))
    turns = imu_gyro._turns(gyro.t, gyro.values, rests, up / np.linalg.norm(up, axis=1, keepdims=True))
    x = np.eye(3).ravel() + 0.1 * rng.normal(size=9)
    expected = differences(lambda x: imu_gyro._residual(x, turns), x)
    assert len(turns) == 2
    np.testing.assert_allclose(imu_gyro._jacobian(x, turns), expected, atol=1e-8)


# ---------------------------------------------------------------------- given parameters


def test_given_parameters_are_applied_as_the_model_says():
    accelerometer, gyro = printed_calibrations()
    expected = np.array([[1.0, 0.0003, -0.0262], [0.0043, 1.0, 0.0029], [-0.0077, 0.0321, 1.0]])
    np.testing.assert_allclose(gyro.misalignment, expected)
    np.testing.assert_array_equal(np.tril(accelerometer.misalignment, -1), 0.0)
    raw = np.random.default_rng(7).normal(size=(5, 3))
    by_hand = np.stack([expected @ np.diag(gyro.scale) @ (row + gyro.bias) for row in raw])
    np.testing.assert_allclose(gyro.apply(raw), by_hand, rtol=1e-14)
    np.testing.assert_allclose(gyro.undo(gyro.apply(raw)), raw, atol=1e-14)
    assert gyro.angles == pytest.approx(published("spirolazzi_oossim")["imu_calibration"]["gyro"]["misalignment"])
    again = Calibration.from_matrix(gyro.matrix, gyro.bias)
    np.testing.assert_allclose(again.misalignment, gyro.misalignment, rtol=1e-14)
    np.testing.assert_array_equal(Calibration().apply(raw), raw)


def test_a_wrong_calibration_is_one_sentence():
    with pytest.raises(CannotProcess, match="an angle is called 'zz'; allowed: yz, zy, xz, zx, xy, yx"):
        Calibration.from_angles({"zz": 0.1})
    with pytest.raises(ShapeError, match="diagonal of a misalignment must be ones"):
        Calibration(2.0 * np.eye(3))


# ---------------------------------------------------------------------- rests


def test_rests_are_found_and_nothing_of_the_turns():
    accelerometer, _ = handled(6, 8)
    found = static_intervals(accelerometer.t, accelerometer.values, INITIAL_S)
    ends = INITIAL_S + (TURN_S + REST_S) * np.arange(6)
    starts = np.concatenate([[0.0], ends[:-1] + TURN_S])
    assert len(found) == 6
    # Turns begin and end so gently that a few hundredths of a second of them look like rest.
    assert (found[:, 0] > starts - 0.01).all()
    assert (found[:, 1] < ends + 0.01).all()
    assert (found[:, 1] - found[:, 0] > REST_S - 1.3).all()
    means = interval_means(accelerometer.t, accelerometer.values, found)
    force = printed_calibrations()[0].apply(means)
    np.testing.assert_allclose(np.linalg.norm(force, axis=1), GRAVITY, atol=5e-3)


def test_too_few_or_too_similar_rests_are_refused():
    with pytest.raises(CannotProcess, match="rests in fewer than 9 attitudes"):
        calibrate_imu(*handled(5, 9), initial_s=INITIAL_S)
    with pytest.raises(CannotProcess, match="at rest in 4 attitudes; allowed: at least 9"):
        calibrate_accelerometer(np.ones((4, 3)))
    flat = np.random.default_rng(10).normal(size=(20, 3)) * [1.0, 1.0, 0.0]  # turned about one axis only
    with pytest.raises(CannotProcess, match="too much alike"):
        calibrate_accelerometer(GRAVITY * flat / np.linalg.norm(flat, axis=1, keepdims=True))
    accelerometer, _ = handled(9, 11)
    with pytest.raises(CannotProcess, match=r"the initial rest of 0.5 s is shorter than two windows"):
        static_intervals(accelerometer.t, accelerometer.values, 0.5)
