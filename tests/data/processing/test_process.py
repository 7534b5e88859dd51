"""From a recording to samples: every channel used, everything said."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from data.processing.n1_flight import (
    ENCODER_SD,
    RATE,
    encoders,
    n1_command,
    n1_motion,
    n1_robot,
    n1_times,
    n1_truth,
    rms,
)

from freefloat.data.processing.cutoffs import propose_cutoff
from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.derivative_savitzky_golay import SavitzkyGolay
from freefloat.data.processing.filtering import LowPass, LowPassBySpectrum
from freefloat.data.processing.imu_model import Calibration
from freefloat.data.processing.process import process
from freefloat.data.processing.processed import ProcessSettings
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.recording import Recording
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import Fourier
from freefloat.robot.rotations import conjugate, quaternion_product, rotation_vectors
from freefloat.robot.transform import Transform, rotation_from_rpy
from freefloat.sensors.channel import Channel
from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.truth import Truth
from freefloat.simulation.recorded import record
from freefloat.simulation.simulate import simulate_motion
from freefloat.studies.catalogue import study_robot

GYRO_SD = 3e-5  # [rad/s], 0.01 deg/sqrt(h) at 100 Hz
TILTED = Transform(rotation_from_rpy([0.3, -0.2, 1.0]), np.array([0.2, -0.1, 0.4]))


def joint_channel(positions=None, t=None, seed=1):
    positions = n1_motion().position if positions is None else positions
    return Channel("q", n1_times() if t is None else t, encoders(positions, seed), n1_robot().joint_names, "rad")


def gyro_channel(delay=0.0, rate=100.0, frame=None, seed=2):
    t = np.arange(int(150.0 * rate) + 1) / rate
    w = n1_truth().at("w", np.clip(t - delay, 0.0, 150.0))
    w = w if frame is None else w @ frame.R
    return Channel("gyro", t, encoders(w, seed, GYRO_SD), tuple("xyz"), "rad_s")


def errors(processed, name):
    true, found = n1_truth().at(name, processed.samples.t), getattr(processed.samples, name)
    if name == "attitude":
        relative = quaternion_product(conjugate(true), found)
        return rotation_vectors(relative * np.sign(relative[:, 3:]))
    return found - true


@pytest.fixture(scope="module")
def simple():
    return Recording([joint_channel(), gyro_channel()])


def test_a_simulated_recording_comes_out_as_it_went_in(simple):
    found = process(simple, n1_robot(), n1_command(), rate_Hz=3.0)
    assert len(found.samples) == 451
    np.testing.assert_allclose(found.samples.t, np.arange(451) / 3.0)
    assert rms(errors(found, "q")) < 1e-6
    assert rms(errors(found, "dq")) < 1.5e-7
    assert rms(errors(found, "ddq")) < 3e-8
    assert rms(errors(found, "w")) < 0.2 * GYRO_SD  # filtered, for 3 Hz is less than 100
    assert rms(errors(found, "dw")) < 3e-5
    assert rms(errors(found, "attitude")) < 1e-4
    assert found.warnings == ()
    assert "projected on the command from 0 s on (9 functions)" in found.steps["q"]
    assert "low-passed at 1.2 Hz" in found.steps["gyro"]
    assert "attitude is the integral of the gyro's rates" in found.as_text()
    assert "agree in time" in found.as_text()


@pytest.mark.parametrize("rate", [3.0, None])
def test_stated_noise_is_the_noise(simple, rate):
    found = process(simple, n1_robot(), n1_command(), rate)
    for name in ("q", "dq", "ddq", "w"):
        assert rms(errors(found, name)) == pytest.approx(rms(found.noise[name]), rel=0.35), name


def test_unless_told_otherwise_gyro_readings_are_left_as_they_are(simple):
    found = process(simple, n1_robot(), n1_command())
    np.testing.assert_array_equal(found.samples.t, simple["gyro"].t)
    np.testing.assert_array_equal(found.samples.w, simple["gyro"].values)
    assert "as recorded" in found.steps["gyro"]
    filtered = process(simple, n1_robot(), n1_command(), settings=ProcessSettings(gyro=LowPassBySpectrum()))
    assert rms(errors(filtered, "w")) < 0.3 * GYRO_SD
    assert filtered.warnings == ()


@pytest.mark.parametrize("order", [1, 6])
def test_a_filter_by_the_spectrum_has_the_order_that_is_asked_for(simple, order):
    gyro = simple["gyro"]
    proposed = propose_cutoff(gyro.values, 1.0 / np.diff(gyro.t).mean(), n1_command(), order)
    assert proposed.order == order
    asked = (LowPassBySpectrum(order), proposed, LowPassBySpectrum())
    found, same, usual = (
        process(simple, n1_robot(), n1_command(), settings=ProcessSettings(gyro=each)).samples.w for each in asked
    )
    np.testing.assert_allclose(found, same, rtol=0.0, atol=1e-3 * GYRO_SD)
    assert rms(found - usual) > 0.01 * GYRO_SD


def test_without_a_command_joints_are_curves_that_encoders_measured(simple):
    found = process(simple, n1_robot(), rate_Hz=3.0)
    assert found.projection is None
    assert re.match(r"curves with knots every .+ s \(\d+ coefficients each for 15001 readings\)", found.steps["q"])
    assert found.curves.white.all()
    for name in ("q", "dq"):
        assert rms(errors(found, name)) == pytest.approx(rms(found.noise[name]), rel=0.2)
    assert found.warnings == ()


def test_a_joint_that_shakes_is_measured_as_it_shakes():
    shaken = n1_motion().position.copy()
    shaken[:, 3] += 1e-3 * np.sin(2.0 * np.pi * 2.0 * n1_times())
    found = process(Recording([joint_channel(shaken)]), n1_robot(), rate_Hz=10.0)
    assert not any("j4" in warning for warning in found.warnings)
    rate = n1_truth().at("dq", found.samples.t)[:, 3] + 4e-3 * np.pi * np.cos(4.0 * np.pi * found.samples.t)
    assert rms(found.samples.dq[:, 3] - rate) < 2.0 * found.noise["dq"][3]


def test_a_low_pass_where_it_is_asked_for(simple):
    found = process(simple, n1_robot(), rate_Hz=3.0, settings=ProcessSettings(joints=BandLimited(LowPass(0.5))))
    assert found.projection is None
    assert "low-passed at 0.5 Hz" in found.steps["q"]
    assert rms(errors(found, "dq")) < 2e-5
    assert found.warnings == ()
    central = (simple["q"].values[2:] - simple["q"].values[:-2]) * (0.5 * RATE)
    assert 50.0 * rms(errors(found, "dq")) < rms(central - n1_motion().rate[1:-1])


def test_a_joint_that_does_not_follow_the_command_is_named_and_all_are_measured_curves():
    stuck = n1_motion().position.copy()
    stuck[6000:, 2] = stuck[6000, 2]
    found = process(Recording([joint_channel(stuck)]), n1_robot(), n1_command(), rate_Hz=10.0)
    assert "j3 does not follow the command" in found.warnings[0]
    assert found.warnings[0].endswith("; the command is not used")
    assert found.projection is None
    late = found.samples.t > 70.0
    assert rms(found.samples.dq[late, 2]) < 1e-3  # it stands still, whatever was asked of it
    others = [0, 1, 3, 4, 5, 6]
    assert rms(errors(found, "dq")[:, others]) < 1.3 * rms(found.noise["dq"][others])


def test_if_no_joint_follows_the_command_is_not_used():
    found = process(Recording([joint_channel(-n1_motion().position)]), n1_robot(), n1_command(), rate_Hz=3.0)
    assert found.projection is None
    astray = [sentence for sentence in found.warnings if "does not follow the command" in sentence]
    assert len(astray) == 7
    assert all(sentence.endswith("; the command is not used") for sentence in astray)
    assert rms(found.samples.dq + n1_truth().at("dq", found.samples.t)) < 1.3 * rms(found.noise["dq"])


def test_the_published_chain_is_warned_of_and_half_a_hertz_is_not(simple):
    def with_cutoffs(joints, gyro, command):
        settings = ProcessSettings(joints=BandLimited(LowPass(joints)), gyro=LowPass(gyro), seek_delay=False)
        return process(simple, n1_robot(), command, 3.0, settings).warnings

    published = with_cutoffs(0.05, 0.2, n1_command())
    assert any("0.05 Hz is 1.9 times the highest frequency" in sentence for sentence in published)
    assert any("without any noise these filters" in sentence for sentence in published)
    assert len(with_cutoffs(0.05, 0.2, None)) == 2
    assert with_cutoffs(0.5, 0.5, n1_command()) == ()
    assert with_cutoffs(0.5, 0.5, None) == ()


def test_a_late_gyro_is_noticed_and_put_right():
    late = Recording([joint_channel(), gyro_channel(delay=0.043, rate=200.0)])
    found = process(late, n1_robot(), n1_command(), 3.0)
    assert found.gyro_delay.delay_s == pytest.approx(0.043, abs=2e-4)
    assert "the gyro is late by 4" in found.warnings[0]
    assert "identify: {processing: {delays_s: {gyro: 0.04" in found.warnings[0]
    mended = process(late, n1_robot(), n1_command(), 3.0, ProcessSettings(delays_s={"gyro": 0.043}))
    assert mended.warnings == ()
    assert rms(errors(mended, "w")) < 0.2 * GYRO_SD < 0.2 * rms(errors(found, "w"))


def test_a_recording_that_starts_earlier_is_cropped_to_the_command():
    t = np.arange(0.0, 170.0, 0.01)
    since = np.clip(t - 8.25, 0.0, 150.0)
    gyro = gyro_channel()
    held = replace(
        gyro, t=t, values=encoders(n1_truth().at("w", since) * ((t > 8.25) & (t < 158.25))[:, None], 3, GYRO_SD)
    )
    recording = Recording([joint_channel(n1_command().evaluate(since).position, t), held])
    found = process(recording, n1_robot(), n1_command(), 3.0)
    assert found.projection.start_s == pytest.approx(8.25, abs=1e-5)
    assert found.samples.t[0] == pytest.approx(8.25, abs=1e-5)
    assert rms(found.samples.dq - n1_command().evaluate(found.samples.t - found.samples.t[0]).rate) < 1e-6
    assert found.warnings == ()
    without = process(recording, n1_robot(), rate_Hz=3.0)
    assert 7.0 < without.samples.t[0] < 9.0
    assert 157.0 < without.samples.t[-1] < 160.0


def test_mounting_and_calibration_are_taken_off():
    calibration = Calibration.from_angles({"yz": 0.02, "xy": -0.01}, [1.05, 0.97, 1.0], [0.01, -0.02, 0.03])
    gyro = gyro_channel(frame=TILTED)
    raw = replace(gyro, values=calibration.undo(gyro.values))
    settings = ProcessSettings(calibrations={"gyro": calibration}, mountings={"gyro": TILTED})
    found = process(Recording([joint_channel(), raw]), n1_robot(), n1_command(), settings=settings)
    assert rms(errors(found, "w")) == pytest.approx(GYRO_SD, rel=0.05)
    assert rms(found.noise["w"]) == pytest.approx(GYRO_SD, rel=0.1)
    assert found.steps["gyro"].startswith("calibrated, ")


def test_all_kinds_of_sensors_end_up_in_the_samples():
    mounting = {"xyz_m": [0.2, -0.1, 0.4], "rpy_deg": [20.0, -10.0, 50.0]}
    told = {
        "joints": {"kind": "encoder", "noise_rad": ENCODER_SD, "bits": 20, "rate_Hz": 500},
        "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 100, "mounting": mounting},
        "stars": {"kind": "star-tracker", "noise_arcsec": [5, 5, 20], "rate_Hz": 10, "mounting": mounting},
        "speed": {"kind": "velocity", "noise_m_s": 1e-4, "rate_Hz": 50, "mounting": mounting},
        "place": {"kind": "pose", "position_noise_m": 1e-4, "gives_attitude": False, "rate_Hz": 25},
        "torque": {"kind": "torque", "noise_Nm": 1e-3, "rate_Hz": 100},
    }  # fmt: skip
    sensors = [make_sensor(name, settings) for name, settings in told.items()]
    sensors[4] = sensors[4].model_copy(update={"mounting": sensors[1].mounting})
    recording = record(sensors, n1_truth(), seed=5)
    found = process(recording, n1_robot(), n1_command(), 10.0, sensors=sensors)
    assert set(found.steps) == {"q", "gyro", "attitude", "velocity", "position", "tau"}
    assert found.warnings == ()
    for name in ("q", "dq", "w", "attitude", "v", "position", "torques"):
        stated = rms(found.noise[name])
        assert rms(errors(found, name)) == pytest.approx(stated, rel=0.35), name
    body = make_sensor("speed", told["speed"] | {"axes": "body"})
    other = record([*sensors[:2], body], n1_truth(), seed=6)
    assert rms(errors(process(other, n1_robot(), n1_command(), 10.0, sensors=[*sensors[:2], body]), "v")) < 6e-5


def test_without_a_gyro_rates_come_from_the_attitude():
    sensor = make_sensor("camera", {"kind": "pose", "attitude_noise_deg": 0.01, "rate_Hz": 50})
    recording = record([sensor], n1_truth(), seed=7).replaced(joint_channel())
    found = process(recording, n1_robot(), n1_command(), 3.0)
    assert rms(errors(found, "w")) < 4e-4
    assert "there is no gyro" in found.as_text()
    assert process(Recording([joint_channel()]), n1_robot(), n1_command()).samples.w is None


def test_inertial_quantities_need_a_measured_attitude():
    sensor = make_sensor("speed", {"kind": "velocity", "noise_m_s": 1e-4, "rate_Hz": 50})
    recording = record([sensor], n1_truth(), seed=8).replaced(joint_channel(), gyro_channel())
    found = process(recording, n1_robot(), n1_command(), 3.0)
    assert found.samples.v is None
    assert "velocity is not used: turning it into base axes needs a measured attitude" in found.warnings


def test_wheels_come_from_tachometers_or_from_the_command():
    robot = study_robot("christidi_servicer")
    rng = np.random.default_rng(9)
    arm = Fourier(robot.joint_names, 0.02 * rng.normal(size=(4, len(robot.joints))), 40.0)
    names = tuple(wheel.name for wheel in robot.wheels)
    wheels = Fourier(names, 2.0 * rng.normal(size=(4, len(names))), 40.0)
    command, t = Combined((arm, wheels)), np.arange(4001) / 100.0
    truth = Truth.of(robot, simulate_motion(robot, command, t))
    sensors = [
        make_sensor("joints", {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 100}),
        make_sensor("gyro", {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 100}),
        make_sensor("tachometers", {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 100}),
    ]
    found = process(record(sensors, truth, 1), robot, command, 5.0, sensors=sensors)
    np.testing.assert_allclose(found.samples.wheel_rates, truth.at("wheel_rates", found.samples.t), atol=0.02)
    np.testing.assert_allclose(
        found.samples.wheel_accelerations[3:-3],
        truth.at("wheel_accelerations", found.samples.t)[3:-3],
        atol=0.03,
    )
    assert "agree in time" in found.as_text()
    silent = process(record(sensors[:2], truth, 1), robot, command, 5.0, sensors=sensors)
    np.testing.assert_allclose(silent.samples.wheel_rates, truth.at("wheel_rates", silent.samples.t), atol=1e-9)
    assert "those of the command stand for them" in silent.as_text()
    unknown = process(record(sensors[:2], truth, 1), robot, arm, 5.0, sensors=sensors)
    assert unknown.samples.wheel_rates is None
    assert "no wheel rates were recorded" in unknown.warnings[0]


def test_wheels_that_do_not_change_are_better_than_their_tachometers():
    robot = study_robot("christidi_servicer")
    arm = Fourier(robot.joint_names, 0.02 * np.random.default_rng(9).normal(size=(4, len(robot.joints))), 40.0)
    rates, t = np.array([200.0, 0.0, -3.0]), np.arange(4001) / 100.0
    held = simulate_motion(robot, arm, t, wheel_rates=rates)
    drifting = replace(held, wheel_rates=held.wheel_rates + 0.2 * np.sin(0.3 * t)[:, None] * [0.0, 1.0, 0.0])
    tachometer = make_sensor("tachometers", {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 10})
    encoder = make_sensor("joints", {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 100})
    for flown, steady in ((held, [True, True, True]), (drifting, [True, False, True])):
        recording = record([tachometer, encoder], Truth.of(robot, flown), 3)
        found = process(recording, robot, arm, sensors=[tachometer, encoder])
        sd, off = found.noise["wheel_rates"], found.samples.wheel_rates - flown.wheel_rates
        np.testing.assert_allclose(sd, np.where(steady, 0.01 / np.sqrt(401), 0.01))
        assert (np.abs(off[:, steady]) < 4.0 * sd[steady]).all()
        assert (np.ptp(found.samples.wheel_rates[:, steady], axis=0) == 0.0).all()
        assert (np.ptp(off, axis=0) < 0.1).all()
        assert "constant but for noise" in found.steps["wheel"]


def test_gaps_and_unused_channels_are_named(simple):
    gyro = simple["gyro"]
    holed = gyro.at_rows(np.flatnonzero((gyro.t < 40.0) | (gyro.t > 41.0)))
    extra = Channel("accelerometer", gyro.t, gyro.values, tuple("xyz"), "m_s2")
    found = process(Recording([simple["q"], holed, extra]), n1_robot(), n1_command(), 3.0)
    assert found.gaps == ("gyro has 1 gap, the longest from 39.99 to 41.01 s",)
    assert "gyro has 1 gap, the longest from 39.99 to 41.01 s: values there are interpolated" in found.sampled_warnings
    assert found.steps["accelerometer"].startswith("not on this time base")


def test_another_way_to_differentiate_is_used_where_it_is_given(simple):
    found = process(simple, n1_robot(), n1_command(), 3.0, ProcessSettings(joints=SavitzkyGolay(2.0)))
    assert found.projection is None
    assert "SavitzkyGolay" in found.steps["q"]
    assert rms(errors(found, "dq")) < 5e-5


def test_what_cannot_be_processed_is_one_sentence(simple):
    with pytest.raises(CannotProcess, match="no channel holds the positions, or the rates, of all joints of"):
        process(Recording([simple["gyro"]]), n1_robot())
    with pytest.raises(CannotProcess, match="allowed: greater than zero"):
        process(simple, n1_robot(), n1_command(), -1.0)
    later = replace(simple["gyro"], t=simple["gyro"].t + 1000.0)
    found = process(Recording([simple["q"], later]), n1_robot(), n1_command(), 3.0)
    assert "gyro is not used: it has no readings while q was recorded" in found.warnings
    assert found.samples.w is None
    short = Recording([simple["q"].at_rows(slice(0, 3000))])
    found = process(short, n1_robot(), n1_command(), 3.0)
    assert "the command is not used: the joints were recorded for 29.99 s" in found.warnings[0]
