"""Joint-rate sensors in a likelihood: compared at their own instants, by their own clock, with exact derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.data.processing.joint_motion import joint_motion
from freefloat.data.processing.process import process
from freefloat.data.processing.processed import Known, ProcessSettings
from freefloat.data.processing.stamp_noise import rms_rate, with_stamp_noise
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.planned import planned_problem
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.recorded_flight import recorded_flight
from freefloat.estimate.unknowns import CLOCK_DRIFT, JOINT_MOTION, TIME_OFFSET
from freefloat.excitation.information.planned_flight import PlannedFlight
from freefloat.excitation.information.rows import InformationRows
from freefloat.excitation.planned_motion import Conditions
from freefloat.motion.random_motion import random_trajectory
from freefloat.sensors.joint_rate_sensor import BIAS
from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.truth import Truth
from freefloat.simulation.recorded import record
from freefloat.simulation.simulate import simulate_motion

ENCODER = {"kind": "encoder", "rate_Hz": 50.0, "noise_rad": 1e-4, "noise_m": 1e-4}
GYRO = {"kind": "gyro", "rate_Hz": 40.0, "angle_random_walk_deg_per_sqrt_h": 0.05}
RATES = {"kind": "joint-rate", "rate_Hz": 30.0, "noise_rad_s": 1e-3, "noise_m_s": 1e-3}
WHEELS = {"kind": "tachometer", "rate_Hz": 50.0, "noise_rad_s": 1e-3, "clock": "joints"}
TRACKER = {"kind": "star-tracker", "rate_Hz": 2.0, "noise_arcsec": 20}


def sensors_of(**settings):
    """With a tachometer, for the robot has a wheel."""
    return [make_sensor(name, each) for name, each in {**settings, "wheels": WHEELS}.items()]


def without_rates(sensors):
    return [sensor for sensor in sensors if sensor.name != "speeds"]


def flown(sensors, duration_s=12.0, seed=3):
    """A robot, its motion and a recording of it."""
    robot = random_robot(seed, bodies=4, base="free", wheels=1)
    motion = random_trajectory(robot, duration_s, seed, harmonics=2)
    motion = motion.with_coefficients(0.3 * motion.coefficients)
    samples = simulate_motion(robot, motion, np.linspace(0.0, duration_s, int(200 * duration_s) + 1), wheel_rates=[0.2])
    return robot, motion, record(sensors, Truth.of(robot, samples), seed=1)


def flight_with(sensors, command=False, recorded=None, declared=None):
    robot, motion, recording = flown(sensors)
    recording = recording if recorded is None else recorded(recording)
    declared = sensors if declared is None else declared
    settings = ProcessSettings(seek_delay=False)
    processed = process(recording, robot, motion if command else None, settings=settings, sensors=declared)
    return robot, recorded_flight(recording, robot, processed, declared, settings)


def test_a_recording_gives_rates_at_their_own_instants_by_the_encoders_clock():
    rates = {**RATES, "resolution_rad_s": 5e-3, "integration_s": 0.02, "stamp_noise_s": 1e-4}
    sensors = sensors_of(joints=ENCODER, gyro={**GYRO, "bandwidth_Hz": 50.0}, speeds=rates)
    robot, flight = flight_with(sensors)
    data, channel = flight.measured["joint_rates"], flown(sensors)[2]["dq"]
    inside = np.isin(channel.t, data.t)
    assert inside.sum() == data.t.size >= 0.9 * len(channel)
    np.testing.assert_array_equal(data.values, channel.of(robot.joint_names)[inside])
    slides = np.array([joint.kind == "prismatic" for joint in robot.joints])
    known = np.where(slides, 1e-3, np.hypot(1e-3, 5e-3 / np.sqrt(12.0)))
    assert (data.sd > known).all()  # stamps add to it
    assert data.sd == pytest.approx(with_stamp_noise(known, 1e-4, data.t, data.values))
    assert (data.clock, flight.clock, flight.measured["w"].clock) == ("joints", "joints", "gyro")
    assert (len(data.response), len(flight.measured["w"].response)) == (3, 5)


def test_its_clock_may_be_another():
    sensors = sensors_of(joints={**ENCODER, "clock": "bus"}, gyro=GYRO, speeds={**RATES, "clock": "drives"})
    assert flight_with(sensors)[1].measured["joint_rates"].clock == "drives"
    sensors = sensors_of(joints={**ENCODER, "clock": "bus"}, gyro=GYRO, speeds=RATES)
    assert flight_with(sensors)[1].measured["joint_rates"].clock == "bus"


def test_rates_of_a_sensor_that_nobody_declared_do_not_count():
    """Many logs hold what encoders read, differentiated: it would count twice."""
    sensors = sensors_of(joints=ENCODER, gyro=GYRO, speeds=RATES)
    assert "joint_rates" not in flight_with(sensors, declared=without_rates(sensors))[1].measured


def rows_of(likelihood, point):
    (found,) = (rows.values for rows in likelihood.rows(point, 0) if rows.channel == "joint_rates")
    return found


@pytest.mark.parametrize("turns", [False, True], ids=["rates alone", "attitude"])
@pytest.mark.parametrize("command", [False, True], ids=["curves", "command"])
def test_derivatives_are_those_of_the_residual(command, turns):
    more = {"tracker": TRACKER} if turns else {}
    sensors = sensors_of(joints=ENCODER, gyro=GYRO, speeds={**RATES, "clock": "drives"}, **more)
    robot, flight = flight_with(sensors, command)
    likelihood = Likelihood(Problem(robot, (flight,), nuisances=Nuisances(joint_scale=1e-3)))
    assert likelihood.flights[0].channels == ("w", *(("attitude",) if turns else ()), "joint_rates")
    assert likelihood.flights[0].turns == turns
    unknowns = likelihood.unknowns
    point = likelihood.start() + 1e-4 * np.random.default_rng(1).normal(size=len(unknowns))
    bends = unknowns.find(JOINT_MOTION, 0)
    point[bends or slice(0)] = 0.0  # what they change in accelerations is left out of clocks' columns: 3e-5 of these
    (J,) = (rows.jacobian for rows in likelihood.rows(point) if rows.channel == "joint_rates")
    seen = {}
    for index, label in enumerate(unknowns.labels):
        size = max(np.abs(J[..., index]).max(), 1.0)
        step = np.zeros(len(unknowns))
        step[index] = 1e-3 / size if "clock" in label or "time" in label else 1.0 / size
        ahead, behind = (rows_of(likelihood, point + sign * step) for sign in (1.0, -1.0))
        column = (behind - ahead) / (2.0 * step[index])
        assert np.abs(J[..., index] - column).max() <= 1e-5 * max(np.abs(column).max(), 1.0), label
        seen[label] = np.abs(column).max() > 0.0
    touching = {label.split(" of ")[0].rstrip(" 0123456789") for label, touched in seen.items() if touched}
    assert touching == {BIAS, "scale", "time offset", "clock drift"} | ({"joint motion"} if command else set())


@pytest.mark.parametrize("turns", [False, True], ids=["rates alone", "attitude"])
def test_errors_of_curves_are_in_its_rows(turns):
    """What curve noise makes of a change of the coefficients is what the change does to the residual."""
    more = {"tracker": TRACKER} if turns else {}
    robot, flight = flight_with(sensors_of(joints=ENCODER, gyro=GYRO, speeds=RATES, **more))
    likelihood = Likelihood(Problem(robot, (flight,)))
    point = likelihood.start()
    (part,) = likelihood.flights
    local = part.local
    plain = rows_of(likelihood, point)
    assert likelihood.reweigh(point)
    whole = part.curve_noise
    rng = np.random.default_rng(2)
    direction = 1e-7 * rng.normal(size=local.coefficients.shape)
    by_curves = whole._by_curves(direction)
    part.curve_noise, part.local = None, replace(local, coefficients=local.coefficients + direction)
    moved = rows_of(likelihood, point)
    found = np.empty_like(by_curves)
    found[whole.order] = by_curves
    change = found[-plain.size :].reshape(plain.shape)  # its rows are the last
    np.testing.assert_allclose(change, plain - moved, atol=1e-6 * np.abs(change).max())
    assert np.abs(change).max() > 1e-6


def test_a_bias_is_found_and_rates_make_an_estimate_better():
    biased = {**RATES, "bias_rad_s": 5e-3, "bias_m_s": 5e-3, "noise_rad_s": 1e-4, "noise_m_s": 1e-4}
    poor = {**ENCODER, "noise_rad": 2e-3, "noise_m": 2e-3}
    sensors = sensors_of(joints=poor, gyro=GYRO, speeds=biased)
    robot, flight = flight_with(sensors)
    found = MaximumLikelihood().estimate(Problem(robot, (flight,)))
    for each in found.nuisances:
        if each.name.startswith(BIAS):
            assert abs(each.value - 5e-3) < 4.0 * each.sd < 4e-3
    measured = {name: data for name, data in flight.own_instants.items() if name != "joint_rates"}
    without = MaximumLikelihood().estimate(Problem(robot, (replace(flight, own_instants=measured),)))
    assert (found.sd < without.sd).all()
    assert np.abs((found.values - found.cad) / found.sd).max() < 4.0


def test_plans_leave_it_out():
    sensors = sensors_of(joints=ENCODER, gyro=GYRO, speeds=RATES)
    robot, motion, _ = flown(sensors)
    problem, without = (
        planned_problem(robot, motion, each, 10.0, wheel_rates=[0.2]) for each in (sensors, without_rates(sensors))
    )
    assert set(problem.flights[0].noise) == set(without.flights[0].noise)
    recorded = flight_with(sensors)[1]
    assert "joint_rates" in recorded.measured
    planned = PlannedFlight(Problem(robot, (recorded,)), np.zeros(3))
    assert [reading.array for reading in planned.readings] == ["w"]


def test_the_base_of_a_plan_knows_its_joints_rates_too():
    sensors = sensors_of(joints=ENCODER, gyro=GYRO)
    robot, motion, _ = flown(sensors)
    problem = planned_problem(robot, motion, sensors, 10.0, wheel_rates=[0.2])
    rows = InformationRows(problem, np.zeros(3))
    joints = motion.linear_map(rows.flight.t).motion(motion.coefficients)
    samples = Conditions(robot, np.zeros(3), wheel_rates=[0.2]).samples(motion.channels, joints)
    ((_, base),), unknowns = rows.fill(samples).seen, rows.unknowns
    np.testing.assert_array_equal(base.joint_rates, samples.dq)
    expected = np.zeros((*samples.dq.shape, len(unknowns)))
    expected[:, :, unknowns.find(TIME_OFFSET, 0).start] = -samples.ddq
    since = rows.flight.t - 0.5 * (rows.flight.t[0] + rows.flight.t[-1])
    expected[:, :, unknowns.find(CLOCK_DRIFT, 0).start] = -samples.ddq * since[:, None]
    errors, bends = problem.flights[0].joints.errors(rows.flight.t), unknowns.find(JOINT_MOTION, 0)
    expected[:, errors.joint, np.arange(bends.start, bends.stop)] = errors.rate
    np.testing.assert_allclose(base.joint_rates_by_unknowns, expected, atol=1e-12)


# ---------------------------------------------------------------------- noise of stamps


def test_rates_are_found_beside_noise():
    t = np.arange(0.0, 40.0, 0.01) + 1e-3 * np.random.default_rng(1).uniform(size=4000)
    turn = np.array([0.3, 2.0, 6.0])
    sd = np.array([1e-2, 1e-3, 1e-5])
    values = np.sin(t[:, None] * turn) + sd * np.random.default_rng(2).normal(size=(t.size, 3))
    assert rms_rate(t, values, sd) == pytest.approx(turn / np.sqrt(2.0), rel=0.03)
    assert rms_rate(t, sd * np.random.default_rng(3).normal(size=(t.size, 3)), sd).max() < 0.01 * sd[0]
    assert rms_rate(t, np.zeros((t.size, 1)), np.zeros(1)) == [0.0]


def test_noise_of_stamps_grows_with_the_rate():
    t = np.arange(0.0, 40.0, 0.01)
    values = np.sin(t[:, None] * [2.0, 0.0])
    found = with_stamp_noise(np.full(2, 1e-4), 1e-3, t, values)
    assert found == pytest.approx([np.hypot(1e-4, 2e-3 / np.sqrt(2.0)), 1e-4], rel=0.01)
    unknown = np.array([np.nan, 1e-4])
    assert with_stamp_noise(unknown, 0.0, t, values) is unknown


def test_curves_of_encoders_know_the_noise_of_their_stamps():
    encoder = {**ENCODER, "stamp_noise_s": 5e-4}
    _, flight = flight_with(sensors_of(joints=encoder, gyro=GYRO))
    curves = flight.curves.curves
    rate = np.sqrt((curves.motion(np.linspace(1.0, 11.0, 2001)).rate ** 2).mean(axis=0))
    assert curves.noise_sd == pytest.approx(np.hypot(1e-4, 5e-4 * rate), rel=0.15)
    assert curves.left == pytest.approx(1.0, abs=0.15)
    assert curves.white.all()
    ignored = flight_with(sensors_of(joints=encoder, gyro=GYRO), declared=sensors_of(joints=ENCODER, gyro=GYRO))[1]
    assert ignored.curves.curves.level.max() > 1.3


def test_noise_that_is_read_from_the_data_holds_that_of_stamps_already():
    robot, _, recording = flown(sensors_of(joints=ENCODER))
    q = recording["q"]
    readings = q.t, q.of(robot.joint_names), robot, None
    plain, noisy = (joint_motion(*readings, Known(stamp_sd_s=sd), ProcessSettings()) for sd in (0.0, 1e-3))
    np.testing.assert_array_equal(plain.noise_sd, noisy.noise_sd)
