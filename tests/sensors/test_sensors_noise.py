"""Noise is what data sheets promise: Allan deviations, drifts after an hour, spreads between runs."""

import math

import numpy as np
import pytest
from sensors.sensor_motions import still

from freefloat.sensors.accelerometer import Accelerometer
from freefloat.sensors.draws import Stream
from freefloat.sensors.gyro import Gyro
from freefloat.sensors.noise import FLAT_ALLAN, Noise
from freefloat.sensors.truth import Layout
from freefloat.sensors.velocity_sensor import VelocitySensor

DEG = math.pi / 180.0
HOUR = 3600.0


def allan_deviation(x, m):
    """Overlapping Allan deviation of rates, shape (runs, n, k), over m samples; all series together."""
    total = np.concatenate([np.zeros_like(x[:, :1]), np.cumsum(x, axis=1)], axis=1)
    means = (total[:, m:] - total[:, :-m]) / m
    return math.sqrt(0.5 * np.mean((means[:, m:] - means[:, :-m]) ** 2))


def slope(x, short, long):
    """Of the Allan deviation between two averaging times, in a plot with logarithmic axes."""
    return math.log(allan_deviation(x, long) / allan_deviation(x, short)) / math.log(long / short)


def readings(rate_Hz=10.0, duration_s=1600.0, runs=8, **settings):
    gyro = Gyro(name="gyro", rate_Hz=rate_Hz, **settings)
    return gyro.measure_batch(still(duration_s), 11, range(runs))[0]


# ---------------------------------------------------------------------- slopes and levels of the gyro


def test_angle_random_walk_falls_with_one_half():
    N = 0.2
    found = readings(angle_random_walk_deg_per_sqrt_h=N)
    assert slope(found.values, 1, 100) == pytest.approx(-0.5, abs=0.02)
    expected = N * DEG / 60.0  # rad / sqrt(s)
    for m, tau in ((1, 0.1), (10, 1.0), (100, 10.0)):
        assert allan_deviation(found.values, m) == pytest.approx(expected / math.sqrt(tau), rel=0.03)


def test_bias_instability_is_flat():
    B = 3.0
    found = readings(bias_instability_deg_per_h=B)
    assert slope(found.values, 16, 1024) == pytest.approx(0.0, abs=0.02)
    for m in (16, 64, 256, 1024):
        assert allan_deviation(found.values, m) == pytest.approx(0.664 * B * DEG / HOUR, rel=0.06)


def test_rate_random_walk_rises_with_one_half():
    K = 40.0
    found = readings(rate_random_walk_deg_per_h_per_sqrt_h=K)
    assert slope(found.values, 10, 1000) == pytest.approx(0.5, abs=0.04)
    expected = K * DEG / HOUR / 60.0  # rad/s / sqrt(s)
    for m, tau in ((10, 1.0), (100, 10.0), (1000, 100.0)):
        assert allan_deviation(found.values, m) == pytest.approx(expected * math.sqrt(tau / 3.0), rel=0.1)


def test_all_three_add_up_to_what_the_noise_predicts():
    found = readings(
        runs=16,
        angle_random_walk_deg_per_sqrt_h=0.1,
        bias_instability_deg_per_h=6.0,
        rate_random_walk_deg_per_h_per_sqrt_h=60.0,
    )
    spans = [4, 32, 256, 2048]
    predicted = found.output.noise.allan_deviation(np.array(spans) / 10.0, 0.1)[:, 0]
    measured = [allan_deviation(found.values, m) for m in spans]
    np.testing.assert_allclose(measured, predicted, rtol=0.08)


def test_a_constant_bias_is_not_seen_by_the_allan_deviation():
    plain = readings(angle_random_walk_deg_per_sqrt_h=0.1)
    biased = readings(angle_random_walk_deg_per_sqrt_h=0.1, bias_deg_per_h=100.0, bias_sd_deg_per_h=50.0)
    assert allan_deviation(biased.values, 10) == pytest.approx(allan_deviation(plain.values, 10), rel=1e-6)


@pytest.mark.parametrize(
    "name",
    ["angle_random_walk_deg_per_sqrt_h", "bias_instability_deg_per_h", "rate_random_walk_deg_per_h_per_sqrt_h"],
)
def test_single_sided_densities_have_half_the_variance(name):
    double, single = (readings(runs=2, density=side, **{name: 1.0}).values for side in ("double-sided", "single-sided"))
    np.testing.assert_allclose(single, double * math.sqrt(0.5), rtol=1e-12)


def test_the_flat_level_is_that_of_ieee_952():
    assert abs(FLAT_ALLAN - 0.664) < 5e-4


# ---------------------------------------------------------------------- what the units mean

RUNS = 4000


def spread(values):
    """Standard deviation over runs and axes, and how far from it chance may take it."""
    return values.std(), 4.0 / math.sqrt(2 * values.size)


def test_after_an_hour_the_angle_has_walked_by_the_angle_random_walk():
    gyro = Gyro(name="gyro", rate_Hz=0.1, angle_random_walk_deg_per_sqrt_h=0.01)
    rates = gyro.measure_batch(still(HOUR), 1, range(RUNS))[0].values[:, :-1]
    found, chance = spread(rates.sum(axis=1) / 0.1 / DEG)
    assert found == pytest.approx(0.01, rel=chance)


def test_after_an_hour_the_bias_has_walked_by_the_rate_random_walk():
    gyro = Gyro(name="gyro", rate_Hz=0.1, rate_random_walk_deg_per_h_per_sqrt_h=0.3)
    values = gyro.measure_batch(still(HOUR), 1, range(RUNS))[0].values
    assert not values[:, 0].any()
    found, chance = spread(values[:, -1] / DEG * HOUR)
    assert found == pytest.approx(0.3, rel=chance)


def test_after_an_hour_the_velocity_has_walked_by_the_velocity_random_walk():
    settings = {"velocity_random_walk_m_s_per_sqrt_h": 0.001, "rate_Hz": 0.1}
    felt = Accelerometer(name="a", **settings).measure_batch(still(HOUR), 1, range(RUNS))[0].values[:, :-1]
    found, chance = spread(felt.sum(axis=1) / 0.1)
    assert found == pytest.approx(0.001, rel=chance)
    velocity = VelocitySensor(name="v", **settings).measure_batch(still(HOUR), 1, range(RUNS))[0].values
    found, chance = spread(velocity[:, -1])
    assert found == pytest.approx(0.001, rel=chance)


@pytest.mark.parametrize("axes", ["inertial", "body"])
def test_an_integrated_accelerometer_drifts_by_the_sum_of_its_biases_flicker(axes):
    felt = Accelerometer(name="a", bias_instability_ug=10.0, rate_Hz=1.0).measure_batch(still(60.0), 1, range(RUNS))
    expected, _ = spread(felt[0].values[:, :-1].sum(axis=1))
    sensor = VelocitySensor(name="v", axes=axes, accelerometer_bias_instability_ug=10.0, rate_Hz=1.0)
    found, chance = spread(sensor.measure_batch(still(60.0), 1, range(RUNS))[0].values[:, -1])
    assert found == pytest.approx(expected, rel=2.0 * chance)
    assert not sensor.measure(still(60.0), 1, 0)[0].values[0].any()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [  # the published cases, as their case files read them
        ({"angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 3}, 5.04e-6),
        ({"angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 20, "density": "single-sided"}, 9.199e-6),
        ({"angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 20}, 1.301e-5),
    ],
)
def test_white_noise_per_sample_is_that_of_the_published_cases(settings, expected):
    (output,) = Gyro(name="gyro", **settings).outputs(Layout())
    assert output.sample_sd == pytest.approx([expected] * 3, rel=4e-4)


def test_noise_of_a_sample_stands_beside_that_of_a_density():
    """A sample's own noise does not depend on rate or kind of density; both add up."""
    densities = {"angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 20, "density": "single-sided"}
    (both,) = Gyro(name="gyro", noise_rad_s=1.2e-5, **densities).outputs(Layout())
    assert both.sample_sd == pytest.approx([np.hypot(9.199e-6, 1.2e-5)] * 3, rel=4e-4)
    (alone,) = Accelerometer(name="a", noise_m_s2=[0.1, 0.2, 0.3], rate_Hz=7).outputs(Layout())
    assert alone.sample_sd == pytest.approx([0.1, 0.2, 0.3])
    seen = Gyro(name="gyro", noise_rad_s=0.02, rate_Hz=10).measure(still(400.0), 1, 0)[0].values
    assert seen.std() == pytest.approx(0.02, rel=0.04)


def test_biases_are_fixed_or_drawn_per_run_and_axis():
    gyro = Gyro(name="gyro", rate_Hz=1.0, bias_deg_per_h=(0.3, 0.0, -0.1), bias_sd_deg_per_h=0.5)
    values = gyro.measure_batch(still(5.0), 1, range(RUNS))[0].values / DEG * HOUR
    assert (values == values[:, :1]).all()
    np.testing.assert_allclose(values[:, 0].mean(axis=0), [0.3, 0.0, -0.1], atol=4 * 0.5 / math.sqrt(RUNS))
    np.testing.assert_allclose(values[:, 0].std(axis=0), 0.5, rtol=4 / math.sqrt(2 * RUNS))
    assert abs(np.corrcoef(values[:, 0].T) - np.eye(3)).max() < 4 / math.sqrt(RUNS)


def test_each_term_has_draws_of_its_own():
    noise = Noise(np.ones(1), walk_sd=np.ones(1), flicker=np.ones(1), bias_sd=np.ones(1))
    quiet, stream = np.zeros((1, 20_000, 1)), Stream(4, [0], "gyro")
    off = np.zeros(1)
    parts = [
        Noise(np.ones(1)).added_to(quiet, 1.0, stream)[0, :, 0],
        np.diff(Noise(off, walk_sd=np.ones(1)).added_to(quiet, 1.0, stream)[0, :, 0], prepend=0.0),
        Noise(off, flicker=np.ones(1)).added_to(quiet, 1.0, stream)[0, :, 0],
    ]
    assert abs(np.corrcoef(parts) - np.eye(3)).max() < 0.04
    whole = noise.added_to(quiet, 1.0, stream)[0, :, 0]
    rest = whole - parts[0] - np.cumsum(parts[1]) - parts[2]
    np.testing.assert_allclose(rest, rest[0], atol=1e-10)
