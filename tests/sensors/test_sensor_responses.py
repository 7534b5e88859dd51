"""Sensors that integrate or lag, stamps that are noisy or rounded: what they show, and that nothing else changes."""

import math

import numpy as np
import pytest
from data.recordings_made import said_by
from scipy.integrate import simpson
from scipy.spatial.transform import Rotation
from sensors.sensor_motions import LAYOUT, flight, still, truth

from freefloat.dynamics.samples import Samples
from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.response import response_of
from freefloat.sensors.truth import Truth

FINE = np.linspace(0.0, 6.0, 6001)
MOVING = truth(np.linspace(0.0, 4.0, 401))
MOUNTED = {"mounting": {"xyz_m": [0.3, -0.2, 0.5], "rpy_deg": [90, 20, -40]}}
KINDS = [
    {"kind": "encoder"},
    {"kind": "joint-rate"},
    {"kind": "torque"},
    {"kind": "tachometer"},
    {"kind": "gyro", **MOUNTED},
    {"kind": "accelerometer", **MOUNTED},
    {"kind": "velocity", **MOUNTED},
    {"kind": "velocity", "axes": "body", **MOUNTED},
    {"kind": "pose", "gives_attitude": False, **MOUNTED},
]


def names(settings):
    return " ".join(value for value in settings.values() if isinstance(value, str))


def swinging(frequency_Hz):
    """Joints of which the first swings as a sine."""
    turn = 2.0 * math.pi * frequency_Hz
    q = np.stack([np.sin(turn * FINE), 0.0 * FINE], axis=1)
    dq = np.stack([turn * np.cos(turn * FINE), 0.0 * FINE], axis=1)
    return Truth(Samples(q=q, dq=dq, t=FINE), LAYOUT)


def shown(frequency_Hz, **settings):
    """Amplitude and delay [s] of a sine as an encoder shows it, and the largest departure from such a sine."""
    (q,) = make_sensor("e", {"kind": "encoder", "rate_Hz": 100.0, **settings}).measure(swinging(frequency_Hz), 0)
    late = q.t > 3.0  # what a lag remembers of the start is gone
    turn = 2.0 * math.pi * frequency_Hz * q.t[late]
    waves = np.stack([np.sin(turn), np.cos(turn)], axis=1)
    (sine, cosine), *_ = np.linalg.lstsq(waves, q.values[late, 0], rcond=None)
    left = np.abs(q.values[late, 0] - waves @ [sine, cosine]).max()
    return math.hypot(sine, cosine), math.atan2(-cosine, sine) / (2.0 * math.pi * frequency_Hz), left


# ---------------------------------------------------------------------- integration and bandwidth


def test_a_10_Hz_integrating_sensor_shows_1_Hz_too_small_by_a_sixtieth():
    amplitude, delay, left = shown(1.0, integration_s=0.1)
    assert amplitude == pytest.approx(math.sin(0.1 * math.pi) / (0.1 * math.pi), abs=1e-9)
    assert amplitude == pytest.approx(1.0 - 0.0164, abs=5e-5)
    assert delay == pytest.approx(0.05, abs=1e-9)
    assert left < 1e-9


@pytest.mark.parametrize("frequency_Hz", [0.2, 2.0, 10.0])
def test_a_bandwidth_is_a_lag_of_first_order(frequency_Hz):
    amplitude, delay, left = shown(frequency_Hz, bandwidth_Hz=2.0)
    ratio = frequency_Hz / 2.0
    assert amplitude == pytest.approx(1.0 / math.sqrt(1.0 + ratio**2), abs=1e-6)
    assert delay == pytest.approx(math.atan(ratio) / (2.0 * math.pi * frequency_Hz), abs=1e-6)
    assert left < 1e-6


@pytest.mark.parametrize("settings", KINDS, ids=names)
def test_what_integrates_shows_the_mean_of_what_is_instant(settings):
    (instant,) = make_sensor("s", {"rate_Hz": 2000.0, **settings}).measure(MOVING, 0)
    (mean,) = make_sensor("s", {"rate_Hz": 10.0, "integration_s": 0.1, **settings}).measure(MOVING, 0)
    assert mean.t == pytest.approx(np.arange(1, 41) / 10.0)  # the first shows nothing before the start
    expected = [simpson(instant.values[k - 200 : k + 1], dx=1 / 200, axis=0) for k in range(200, 8001, 200)]
    # Torques are straight between samples and an accelerometer's accelerations splines: their bends cost Simpson that.
    atol = {"torque": 2e-5, "accelerometer": 1e-7}.get(settings["kind"], 1e-9)
    np.testing.assert_allclose(mean.values, expected, atol=atol * np.abs(expected).max())


@pytest.mark.parametrize("settings", KINDS, ids=names)
def test_what_lags_follows_its_equation(settings):
    """lag x' = seen - x, by central differences of the test's own."""
    lag = 1.0 / (2.0 * math.pi * 3.0)
    (instant,) = make_sensor("s", {"rate_Hz": 1000.0, **settings}).measure(MOVING, 0)
    (late,) = make_sensor("s", {"rate_Hz": 1000.0, "bandwidth_Hz": 3.0, **settings}).measure(MOVING, 0)
    np.testing.assert_allclose(late.values[0], instant.values[0], rtol=1e-12)  # as if the start had lasted
    x, inside = late.values, slice(500, -1)
    slope = (x[501:] - x[499:-2]) * 500.0
    np.testing.assert_allclose(
        lag * slope, (instant.values - x)[inside], atol=3e-4 * np.ptp(instant.values, axis=0).max()
    )


def test_attitude_is_the_mean_turn_about_the_middle():
    tracker = {"kind": "star-tracker", **MOUNTED}
    (instant,) = make_sensor("s", {"rate_Hz": 1000.0, **tracker}).measure(MOVING, 0)
    (mean,) = make_sensor("s", {"rate_Hz": 5.0, "integration_s": 0.2, **tracker}).measure(MOVING, 0)
    turned = Rotation.from_matrix(Rotation.from_quat(mean.values).as_matrix())
    for k, found in zip(range(200, 4001, 200), turned, strict=True):
        # The frame sits in the base: a mean in base axes is one in the frame's.
        middle, window = (
            Rotation.from_quat(instant.values[k - 100]),
            Rotation.from_quat(instant.values[k - 200 : k + 1]),
        )
        away = simpson((middle.inv() * window).as_rotvec(), dx=1 / 200, axis=0)
        np.testing.assert_allclose((middle.inv() * found).as_rotvec(), away, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(mean.values, axis=1), 1.0, rtol=1e-14)


def test_runs_integrate_alike_singly_and_together():
    settings = {"kind": "gyro", "rate_Hz": 37.0, "angle_random_walk_deg_per_sqrt_h": 0.1, "stamp_noise_s": 1e-3}
    sensor = make_sensor("s", {**settings, "bandwidth_Hz": 5.0})
    (together,) = sensor.measure_batch(MOVING, 5, range(4))
    for run in range(4):
        assert np.array_equal(sensor.measure(MOVING, 5, run)[0].values, together.values[run])
    motions = [MOVING, Truth(still(4.0).samples, LAYOUT), MOVING]
    (mixed,) = sensor.measure_batch(motions, 5, [3, 1, 0])
    for index, (motion, run) in enumerate(zip(motions, [3, 1, 0], strict=True)):
        assert np.array_equal(sensor.measure(motion, 5, run)[0].values, mixed.values[index])


# ---------------------------------------------------------------------- stamps


def test_noisy_stamps_show_other_instants():
    ramp = Samples(
        q=np.stack([2.0 * FINE, 0.5 * FINE], axis=1), dq=np.tile([2.0, 0.5], (FINE.size, 1)), t=FINE
    )  # fmt: skip
    sensor = make_sensor("e", {"kind": "encoder", "rate_Hz": 100.0, "stamp_noise_s": 1e-3})
    (readings,) = sensor.measure_batch(Truth(ramp, LAYOUT), 1, range(20))
    inside = slice(10, -10)  # the motion ends there
    off = (readings.values - ramp_at(readings.t))[:, inside]
    np.testing.assert_allclose(off[..., 0], 4.0 * off[..., 1], atol=1e-12)  # one instant for all joints
    off = off[..., 0] / 2.0
    assert off.std() == pytest.approx(1e-3, rel=4.0 / math.sqrt(2 * off.size))
    assert abs(off.mean()) < 4e-3 / math.sqrt(off.size)
    between = np.corrcoef(off[0], off[1])[0, 1], np.corrcoef(off[0, 1:], off[0, :-1])[0, 1]
    assert np.abs(between).max() < 4.0 / math.sqrt(off.shape[1])
    assert np.allclose(np.diff(readings.t), 0.01, rtol=1e-9)


def ramp_at(t):
    return np.stack([2.0 * t, 0.5 * t], axis=1)


def test_a_pose_is_taken_at_one_instant():
    sensor = make_sensor("p", {"kind": "pose", "rate_Hz": 20.0, "stamp_noise_s": 5e-3})
    position, attitude = sensor.measure(MOVING, 3)
    z = position.values[:, 2] / 0.3  # rises evenly: it tells the instant
    np.testing.assert_allclose(position.values, flight(z).position, atol=1e-6)
    assert np.std(z - position.t) > 3e-3
    away = (Rotation.from_quat(flight(z).attitude).inv() * Rotation.from_quat(attitude.values)).as_rotvec()
    assert np.abs(away).max() < 1e-6


@pytest.mark.parametrize("more", [{"stamp_noise_s": 1e-3}, {"bandwidth_Hz": 5.0}, {"stamp_resolution_s": 1e-3}])
def test_other_draws_are_as_they_were(more):
    """At rest there is nothing to show at other instants: noise and losses alone, to the last bit."""
    rest = Truth(still(4.0).samples, LAYOUT)
    for settings in (
        {"kind": "encoder", "noise_rad": 1e-4, "zero_offset_sd_rad": 1e-3},
        {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.1, "scale_sd_ppm": 100, "bias_instability_deg_per_h": 1},
        {"kind": "star-tracker", "noise_arcsec": 5},
    ):
        plain, other = (
            make_sensor("s", {"rate_Hz": 37.0, "dropouts": 0.1, **settings, **extra}).measure(rest, 7)[0]
            for extra in ({}, more)
        )
        assert np.array_equal(plain.values, other.values)


@pytest.mark.parametrize("resolution", [1e-3, 9.9e-3])
def test_stamps_are_rounded_and_readings_are_not(resolution):
    settings = {"kind": "encoder", "rate_Hz": 100.0}
    (exact,) = make_sensor("e", settings).measure(MOVING, 0)
    (rounded,) = make_sensor("e", {**settings, "stamp_resolution_s": resolution}).measure(MOVING, 0)
    steps = rounded.t / resolution
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert np.abs(rounded.t - exact.t).max() <= 0.5 * resolution * (1 + 1e-9)
    assert np.array_equal(rounded.values, exact.values)


def test_what_stamps_are_off_by_is_noise_and_a_twelfth_of_the_square_of_a_step():
    sensor = make_sensor("e", {"kind": "encoder", "rate_Hz": 10, "stamp_noise_s": 3e-3, "stamp_resolution_s": 0.01})
    assert sensor.stamp_sd_s == pytest.approx(math.sqrt(9e-6 + 1e-4 / 12.0))
    assert make_sensor("e", {"kind": "encoder", "rate_Hz": 10}).stamp_sd_s == 0.0


# ---------------------------------------------------------------------- as an estimator is told


def test_an_estimator_is_told_instants_and_weights():
    assert response_of(None) == response_of(make_sensor("g", {"kind": "gyro", "rate_Hz": 10})) == ((0.0, 1.0),)
    mean = response_of(make_sensor("g", {"kind": "gyro", "rate_Hz": 10, "integration_s": 0.1}))
    delays, weights = np.array(mean).T
    assert delays == pytest.approx(0.05 + 0.05 * np.array([-1, 0, 1]) * math.sqrt(0.6))
    assert weights == pytest.approx(np.array([5, 8, 5]) / 18)
    lag = response_of(make_sensor("g", {"kind": "gyro", "rate_Hz": 10, "bandwidth_Hz": 2.0}))
    delays, weights = np.array(lag).T
    assert len(lag) == 5
    assert weights.sum() == pytest.approx(1.0, abs=1e-15)
    for order in range(10):  # moments of exp(-s / lag) / lag
        expected = math.factorial(order) * (4.0 * math.pi) ** -order
        assert weights @ delays**order == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("more", "frequency_Hz", "error"),
    [({"integration_s": 0.1}, 1.0, 5e-7), ({"bandwidth_Hz": 10.0}, 1.0, 1e-9), ({"bandwidth_Hz": 2.0}, 1.0, 2e-4)],
)
def test_few_instants_do_for_slow_motion(more, frequency_Hz, error):
    sensor = make_sensor("g", {"kind": "gyro", "rate_Hz": 10, **more})
    delays, weights = np.array(response_of(sensor)).T
    turn = 2j * math.pi * frequency_Hz
    if sensor.bandwidth_Hz is None:
        exact = (1.0 - np.exp(-turn * 0.1)) / (turn * 0.1)
    else:
        exact = 1.0 / (1.0 + 1j * frequency_Hz / sensor.bandwidth_Hz)
    assert abs(weights @ np.exp(-turn * delays) - exact) < error


# ---------------------------------------------------------------------- bad values


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"integration_s": -0.1}, "sensors.s.integration_s is -0.1; allowed: a number not less than 0"),
        ({"bandwidth_Hz": 0}, "sensors.s.bandwidth_Hz is 0; allowed: a number greater than 0"),
        ({"integration_s": 0.1, "bandwidth_Hz": 5}, "gives integration_s and bandwidth_Hz; allowed: one of them"),
        ({"stamp_noise_s": -1}, "sensors.s.stamp_noise_s is -1; allowed: a number not less than 0"),
        ({"stamp_resolution_s": -1}, "sensors.s.stamp_resolution_s is -1; allowed: a number not less than 0"),
        (
            {"stamp_resolution_s": 0.1},
            "has a stamp_resolution_s of 0.1 s and a sample every 0.1 s; allowed: stamps finer than samples",
        ),
    ],
)
def test_bad_values_are_one_sentence(more, said):
    assert said in said_by(make_sensor, "s", {"kind": "gyro", "rate_Hz": 10, **more})
