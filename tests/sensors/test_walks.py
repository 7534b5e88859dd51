"""Errors of an integral whose rate flickers: white once whitened, and never stated smaller than they are."""

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.estimate.planned import unstable_bias
from freefloat.robot.rotations import exponential
from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.noise import flicker
from freefloat.sensors.quantities import MICRO_G
from freefloat.sensors.walks import PIECES, FlickerWhitening, StepWhitening, faster_walk


@pytest.mark.parametrize("seed", range(3))
def test_changes_with_a_flicker_in_axes_that_turn_become_white(seed):
    """Against the dense covariance: white noise, walk, and a flicker drawn as the sensor draws it."""
    rng = np.random.default_rng(seed)
    n, white, walk, B = PIECES + 1, 0.02, 0.3, np.array([2.0, 0.5, 0.0])
    t = 0.1 * np.arange(n)
    R = exponential(np.cumsum(0.2 * rng.normal(size=(n, 3)), axis=0))
    differences = np.diff(np.eye(n), axis=0)
    C = np.kron(white**2 * differences @ differences.T + walk**2 * 0.1 * np.eye(n - 1), np.eye(3))
    drawn = flicker(np.eye(n - 1)[:, :, None])[..., 0].T
    added = np.einsum("iab,b,ip->iapb", 0.1 * R[:-1], B, drawn).reshape(3 * (n - 1), -1)
    steps = StepWhitening(t, white, walk)
    errors = np.linalg.cholesky(C + added @ added.T).reshape(n - 1, 3, -1)
    made = FlickerWhitening(steps, R[:-1], B).whitened(steps.whitened(errors)).reshape(3 * (n - 1), -1)
    np.testing.assert_allclose(made @ made.T, np.eye(len(made)), atol=1e-9)


@pytest.mark.parametrize("n", [20, 400, 4000])
def test_what_is_faster_counts_as_no_less_than_it_is(n):
    t, B = 0.1 * np.arange(n), np.array([1.0, 2.0, 0.0])
    f = min(PIECES, n - 1) / 2.0 / t[-1]
    np.testing.assert_allclose(faster_walk(B, t) ** 2, B**2 / (2.0 * np.pi * f), rtol=1e-12)


def test_each_axis_of_the_base_has_the_flicker_of_the_sensors_axis_along_it():
    settings = {"velocity_random_walk_m_s_per_sqrt_h": 0.6, "accelerometer_bias_instability_ug": [10, 20, 0]}
    mounting = {"rpy_deg": [0, 0, 90]}
    sensor = make_sensor("speed", {"kind": "velocity", "rate_Hz": 10.0, "mounting": mounting} | settings)
    found = unstable_bias(random_robot(3), [sensor])
    np.testing.assert_allclose(found.flicker, np.array([20.0, 10.0, 0.0]) * MICRO_G, atol=1e-18)
    np.testing.assert_allclose(found.walk, 0.01)
    steady = make_sensor("speed", {"kind": "velocity", "rate_Hz": 10.0})
    assert unstable_bias(random_robot(3), [steady]) is None
