"""A sensor with a quantity of its own, known to the list of readings alone: it is compared, fitted, designed for."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from excitation.planned_cases import CASES, SPIN, TURNING, Case, trajectory_of
from sensors.sun_sensor import MISALIGNMENT, SunReading

from freefloat.data.processing.process import process
from freefloat.data.recording import Recording
from freefloat.dynamics.samples import Samples
from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.flight import Flight, flight_of
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.planned import planned_flight
from freefloat.estimate.problem import Problem
from freefloat.excitation.information.rows import InformationRows
from freefloat.excitation.planned_motion import Conditions
from freefloat.sensors import kinds
from freefloat.sensors.channel import Channel
from freefloat.sensors.kinds import make_sensor
from freefloat.simulation.simulate import Start, simulate_motion

CASE = Case(6, ("w", "sun"), TURNING, "unknown", {})


@pytest.fixture(autouse=True)
def sun_sensor(monkeypatch):
    monkeypatch.setattr(kinds, "READINGS", (*kinds.READINGS, SunReading))


def flown(n=41):
    """Robot, motion and problem of a flight with a gyro and a sun sensor."""
    robot, motion = trajectory_of(CASE)
    t = np.linspace(0.0, motion.duration_s, n)
    samples = simulate_motion(robot, motion, t, Start(angular_momentum=TURNING), wheel_rates=SPIN)
    samples = replace(samples, others={"sun": SunReading.exact(samples)})
    flight = Flight(samples, {"w": 1e-7, "sun": 1e-7}, momentum="unknown")
    return robot, motion, Problem(robot, (flight,))


def test_derivatives_are_those_of_the_residual():
    likelihood = Likelihood(flown(401)[2])
    assert likelihood.flights[0].channels == ("w", "sun")
    size = len(likelihood.unknowns)
    point = likelihood.start() + 1e-4 * np.random.default_rng(1).normal(size=size)
    J = stacked(likelihood.rows(point))[1]
    assert np.abs(J[:, likelihood.unknowns.find(MISALIGNMENT)]).max() > 0.0
    for index in range(size):
        step = 10.0 / np.abs(J[:, index]).max() * np.eye(size)[index]
        ahead, behind = (stacked(Likelihood(likelihood.problem).rows(point + s, 0))[0] for s in (step, -step))
        column = (behind - ahead) / (2.0 * step[index])
        assert np.abs(J[:, index] - column).max() <= 2e-5 * np.abs(column).max(), likelihood.unknowns.labels[index]


def test_the_truth_is_found_and_the_bound_is_better_than_without_it():
    problem = flown(201)[2]
    found, bound = MaximumLikelihood().estimate(problem), cramer_rao_bound(problem)
    assert np.abs((found.values - problem.cad) / found.sd).max() < 1e-3
    without = replace(problem, flights=(replace(problem.flights[0], noise={"w": 1e-7}),))
    assert (bound.sd < cramer_rao_bound(without).sd).all()


def test_a_design_has_its_rows_and_their_way_back():
    robot, motion, problem = flown()
    rows, conditions = InformationRows(problem, TURNING), Conditions(robot, TURNING, wheel_rates=SPIN)
    linear = motion.linear_map(rows.flight.t)

    def filled(coefficients):
        return rows.fill(conditions.samples(motion.channels, linear.motion(coefficients)))

    here, rng = filled(motion.coefficients), np.random.default_rng(1)
    Z, direction = rng.normal(size=here.matrix.shape), rng.normal(size=motion.coefficients.shape)
    slope = (here.pull_back(Z).by_coefficients(robot, motion.channels, linear) * direction).sum()

    def difference(step):
        ahead, behind = (filled(motion.coefficients + sign * step * direction).matrix for sign in (1.0, -1.0))
        return float((Z * (ahead - behind)).sum())

    assert_agree(slope, (8.0 * difference(1e-4) - difference(2e-4)) / 12e-4, 1e-6)


def test_a_recording_and_a_plan_become_its_array_in_base_axes():
    robot, motion = trajectory_of(CASES[0])
    t = np.linspace(0.0, 20.0, 401)
    exact = simulate_motion(robot, motion, t, wheel_rates=SPIN)
    mounting = {"rpy_deg": [0.0, 90.0, 0.0]}
    sensor = make_sensor("sun", {"kind": "accelerometer", "rate_Hz": 20.0, "mounting": mounting})
    turned = SunReading.exact(exact) @ sensor.frame().R
    channels = {
        "q": Channel("q", t, exact.q, robot.joint_names, "rad"),
        "gyro": Channel("gyro", t, exact.w, tuple("xyz"), "rad_s"),
        "accelerometer": Channel("accelerometer", t, turned, tuple("xyz"), "m_s2"),
        "wheel": Channel("wheel", t, exact.wheel_rates, [wheel.name for wheel in robot.wheels], "rad_s"),
    }
    processed = process(Recording(channels), robot, motion, sensors=[sensor])
    flight = flight_of(processed)
    start = np.searchsorted(t, flight.t[0])
    np.testing.assert_allclose(flight.samples.array("sun"), SunReading.exact(exact)[start:][: len(flight.t)], atol=1e-6)
    assert flight.noise["sun"].shape == (3,)
    planned = planned_flight(robot, motion, [sensor], 20.0, wheel_rates=SPIN)
    np.testing.assert_allclose(planned.samples.array("sun"), SunReading.exact(exact), atol=1e-6)


def test_samples_hold_other_arrays():
    samples = Samples.holding({"q": np.zeros((4, 1)), "sun": np.arange(12.0).reshape(4, 3)})
    np.testing.assert_array_equal(samples[::2].array("sun"), samples.array("sun")[::2])
    with pytest.raises(Exception, match=r"sun must have shape \(4, k\), found \(3, 3\)"):
        Samples(np.zeros((4, 1)), others={"sun": np.zeros((3, 3))})
