"""What is simply wrong in data or robot file is named by kind and name, in the axes of the sensor that it is in."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.data.processing.measured_curves import CurveReadings, measured_curves
from freefloat.data.processing.process import process
from freefloat.data.recording import Recording
from freefloat.dynamics.samples import UNCLAIMED_WHEEL
from freefloat.estimate.causes.fault_search import search_faults
from freefloat.estimate.causes.flight_view import FlightView, instants_read
from freefloat.estimate.causes.mistakes import mistakes
from freefloat.estimate.causes.possible_faults import no_fault, possible_faults
from freefloat.estimate.causes.suspicions import suspicions
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import SplineCurves
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.rotations import conjugate, exponential, quaternion_of, quaternion_product, rotations, turned
from freefloat.sensors.channel import Channel
from freefloat.sensors.measured import Measured
from freefloat.sensors.tachometer import Tachometer
from freefloat.simulation.simulate import Start, simulate_motion

SD = {"w": 1e-5, "v": 1e-5, "attitude": 1e-4}
MOUNT = exponential(np.array([[0.5, -0.8, 1.9]]))[0]  # of a sensor in the base
PER_MINUTE = 60.0 / (2.0 * np.pi)


def robot_of(seed=4):
    return random_robot(seed, base="free", wheels=3, bodies=4, prismatic=False)


def flown(momentum=(0.8, -0.5, 0.3), seed=4):
    """A problem whose flight is right: a tumbling tree, its CAD model as far off as the prior says; gyro and star
    tracker are mounted turned."""
    robot, rng = robot_of(seed), np.random.default_rng([seed, 5])
    names = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    start = Start(attitude=quaternion_of(MOUNT.T), angular_momentum=np.array(momentum), velocity=np.full(3, 0.02))
    motion = random_trajectory(robot, 30.0, seed, harmonics=7, channels=names)
    true = simulate_motion(robot, motion, np.linspace(0.0, 30.0, 601), start)
    samples = replace(true, w=true.w + SD["w"] * rng.normal(size=true.w.shape), dv=None, dw=None)
    own = {name: Measured(samples.t, getattr(samples, name), np.full(3, sd), own_axes=MOUNT) for name, sd in SD.items()}
    known = "unknown" if any(momentum) else "zero"
    flight = Flight(samples, SD, momentum=known, own_instants=own)
    return Problem(CadSpread().drawn(robot, rng), (flight,))


def with_samples(problem, **arrays):
    """The problem with other arrays in its flight, samples and readings alike."""
    (flight,) = problem.flights
    own = {
        name: replace(read, values=arrays[name]) if name in arrays else read
        for name, read in flight.own_instants.items()
    }
    changed = replace(flight, samples=replace(flight.samples, **arrays), own_instants=own, curves=None)
    return replace(problem, flights=(changed,))


def samples_of(problem):
    return problem.flights[0].samples


def gyro_showed(problem, matrix):
    """As if the gyro, in its own axes, had shown this matrix times what it should have."""
    return with_samples(problem, w=samples_of(problem).w @ (MOUNT @ np.asarray(matrix, float) @ MOUNT.T).T)


def wheels_showed(problem, factors):
    samples = samples_of(problem)
    arrays = {name: getattr(samples, name) * factors for name in ("wheel_rates", "wheel_accelerations")}
    return with_samples(problem, **arrays)


def tracker_showed(problem, change):
    """As if the quaternions of the tracker's own attitude had been recorded otherwise."""
    own = quaternion_product(samples_of(problem).attitude, quaternion_of(MOUNT))
    return with_samples(problem, attitude=quaternion_product(change(own), conjugate(quaternion_of(MOUNT))))


def discrete_causes(problem):
    """What is claimed where a fit leaves more than noise."""
    return tuple(cause for each in mistakes(problem, suspicions(problem), np.inf) for cause in each.causes)


def claims(problem):
    return [(cause.kind, cause.name) for cause in discrete_causes(problem)]


RIGHT = pytest.mark.parametrize("momentum", [(0.0, 0.0, 0.0), (0.8, -0.5, 0.3)])
WRONG = {
    "gyro x reversed": (lambda p: gyro_showed(p, np.diag([-1, 1, 1])), ("sign", "gyro x")),
    "gyro y and z reversed": (lambda p: gyro_showed(p, np.diag([1, -1, -1])), ("axes", "gyro")),
    "gyro axes swapped": (lambda p: gyro_showed(p, np.eye(3)[[0, 2, 1]]), ("axes", "gyro")),
    "gyro y dead": (lambda p: gyro_showed(p, np.diag([1, 0, 1])), ("dead", "gyro y")),
    "gyro in degrees": (lambda p: gyro_showed(p, 180.0 / np.pi * np.eye(3)), ("units", "gyro")),
    "second wheel reversed": (lambda p: wheels_showed(p, [1, -1, 1]), ("sign", "{wheels[1].name}")),
    "all wheels reversed": (lambda p: wheels_showed(p, -1.0), ("sign", "wheels")),
    "third wheel in rpm": (lambda p: wheels_showed(p, [1, 1, PER_MINUTE]), ("units", "{wheels[2].name}")),
    "all wheels in rpm": (lambda p: wheels_showed(p, PER_MINUTE), ("units", "wheels")),
    "scalar first": (
        lambda p: tracker_showed(p, lambda q: np.roll(q, 1, axis=1)),
        ("quaternion order", "scalar first"),
    ),
    "quaternions inverted": (lambda p: tracker_showed(p, conjugate), ("frame", "attitude")),
}


@RIGHT
def test_nothing_is_claimed_of_a_right_flight(momentum):
    assert claims(flown(momentum)) == []


@RIGHT
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_thing_gets_its_kind_and_name(wrong, momentum):
    inject, (kind, name) = WRONG[wrong]
    problem = inject(flown(momentum))
    assert claims(problem) == [(kind, name.format(wheels=problem.robot.wheels))]


def test_a_velocity_in_other_axes_is_named():
    problem = flown()
    samples = samples_of(problem)
    R = rotations(samples.attitude)
    inertial = turned(R, samples.v) @ MOUNT.T  # recorded in inertial axes, then turned as if by the sensor
    (cause,) = discrete_causes(with_samples(problem, v=inertial))
    assert (cause.kind, cause.name) == ("frame", "velocity")
    assert "recorded in inertial axes" in cause.what
    own = turned(R.swapaxes(1, 2), samples.v @ MOUNT)  # recorded in the sensor's axes, turned as if inertial
    (cause,) = discrete_causes(with_samples(problem, v=own))
    assert (cause.kind, cause.name) == ("frame", "velocity")
    assert "recorded in the sensor's axes" in cause.what


@RIGHT
def test_a_wheel_that_is_missing_from_the_robot_file_is_found_by_its_recorded_rate(momentum):
    problem = flown(momentum)
    (flight,), robot = problem.flights, problem.robot
    *left, gone = robot.wheels
    rates, accelerations = samples_of(problem).wheel_rates, samples_of(problem).wheel_accelerations
    samples = replace(
        flight.samples,
        wheel_rates=rates[:, :-1],
        wheel_accelerations=accelerations[:, :-1],
        others={f"{UNCLAIMED_WHEEL}{gone.name}": rates[:, -1:]},
    )
    said = replace(problem, robot=replace(robot, wheels=tuple(left)), flights=(replace(flight, samples=samples),))
    (cause,) = discrete_causes(said)
    assert (cause.kind, cause.name) == ("missing wheel", gone.name)
    assert cause.amount == pytest.approx(gone.spin_inertia, rel=0.3)  # as well as the CAD model knows the rest
    assert "wheels in the robot file" in cause.cure
    assert cause.share > 0.9
    assert np.isnan(cause.gain)


def test_a_known_body_that_was_not_there_is_named():
    problem = flown()
    name = problem.robot.body_names[-1]
    light = problem.robot.with_parameters(
        np.where(np.arange(problem.robot.parameters.size) >= problem.robot.parameters.size - 10, 1e-3, 1.0)
        * problem.robot.parameters
    )
    names = (*light.joint_names, *(wheel.name for wheel in light.wheels))
    motion = random_trajectory(light, 30.0, 4, harmonics=7, channels=names)
    samples = simulate_motion(light, motion, np.linspace(0.0, 30.0, 601))
    flight = Flight(samples, {"w": SD["w"]})
    assert claims(replace(problem, known={name: 0.0}, flights=(flight,))) == [("known", name)]


def test_every_fault_has_a_name_of_its_own_but_for_opposite_units_and_mixed_axes():
    faults = list(possible_faults(robot_of(), False, ["spare"], ["load"]))
    named = [(fault.kind, fault.name) for fault in faults if fault.kind not in ("units", "axes")]
    assert len(named) == len(set(named))
    assert {kind for kind, _ in named} == {"sign", "order", "missing wheel", "known", "momentum"}
    assert all(fault.what and fault.cure for fault in faults)


def test_derivatives_by_the_momentum_of_a_missing_wheel_are_those_of_differences():
    problem = flown()
    (flight,) = problem.flights
    other = {f"{UNCLAIMED_WHEEL}spare": 30.0 + samples_of(problem).wheel_rates[:, :1]}
    spare = replace(flight, samples=replace(flight.samples, others=other))
    fault = next(fault for fault in possible_faults(problem.robot, True, ["spare"]) if fault.missing)
    view, count = FlightView(problem, spare, fault), len(problem.minimal)
    point = np.concatenate([np.zeros(count), np.full(view.extras, 1e-3)])

    def residual(at):
        return view.rows(at[:count], at[count:])[0]

    step = 1e-5 * np.eye(point.size)[count:]
    differences = [(residual(point - each) - residual(point + each)) / 2e-5 for each in step]
    derivative = view.rows(point[:count], point[count:])[1][:, :, count:]
    np.testing.assert_allclose(derivative, np.stack(differences, axis=2), rtol=0, atol=1e-6)


def test_instants_in_gaps_of_the_encoders_are_left_out():
    """Splines may do anything in a gap, the more so where readings in degrees are taken for radians."""
    problem = flown()
    (flight,) = problem.flights
    rng, t = np.random.default_rng(3), np.linspace(0.0, 30.0, 3001)
    read = t[(t < 12.0) | (t > 13.0)]
    exact = flight.joints.at(read).position
    q = np.degrees(exact + 2.5e-5 * rng.normal(size=exact.shape))
    curves = SplineCurves(measured_curves(CurveReadings(read, q, np.full(q.shape[1], 2.5e-5)), (0.0, 30.0)))
    motion = curves.at(flight.t)
    samples = replace(flight.samples, q=motion.position, dq=motion.rate, ddq=motion.acceleration)
    gapped = replace(flight, samples=samples, curves=curves)
    whole = instants_read(gapped)
    assert not whole[(flight.t > 11.95) & (flight.t < 13.05)].any()
    assert whole[(flight.t < 10.5) | (flight.t > 14.5)].all()
    assert claims(replace(problem, flights=(gapped,))) == [("units", "joints")]


def test_a_gyro_that_is_mounted_turned_is_told_from_mixed_axes():
    turn = exponential(np.array([[0.1, -0.2, 0.1]]))[0]
    problem = flown()
    wrong = with_samples(problem, w=samples_of(problem).w @ turn)
    (cause,) = discrete_causes(wrong)
    assert (cause.kind, cause.name) == ("mounting", "gyro")
    assert cause.amount == pytest.approx(np.sqrt(0.06), rel=0.05)


def test_agreement_counts_axes_as_the_gyro_has_them():
    """A dead axis of a turned gyro spoils no other: the model still explains what the two that live show."""
    dead = gyro_showed(flown(), np.diag([1, 0, 1]))
    view = FlightView(dead, dead.flights[0], no_fault(dead.robot))
    assert view.alive.tolist() == [True, False, True]
    assert search_faults(dead).recorded.explained > 0.8


def test_rates_of_wheels_that_the_robot_does_not_have_go_along_and_take_no_other_wheels_noise():
    robot, t = robot_of(), np.linspace(0.0, 10.0, 501)
    names = ("spare", *(wheel.name for wheel in robot.wheels))
    rates = np.sin(np.outer(t, 1.0 + np.arange(len(names))))
    q = np.cos(np.outer(t, np.ones(len(robot.joints))))
    channels = [
        Channel("q", t, q, robot.joint_names, ("rad",) * len(robot.joints)),
        Channel("wheel", t, rates, names, ("rad_s",) * len(names)),
        Channel("gyro", t, rates[:, :3], ("x", "y", "z"), ("rad_s",) * 3),
    ]
    found = process(Recording(channels), robot, sensors=[Tachometer(name="", noise_rad_s=0.02, rate_Hz=50.0)])
    np.testing.assert_allclose(found.samples.array(f"{UNCLAIMED_WHEEL}spare"), rates[:, :1], atol=1e-6)
    np.testing.assert_allclose(found.samples.wheel_rates, rates[:, 1:], atol=1e-6)
    np.testing.assert_allclose(found.noise["wheel_rates"], 0.02)
