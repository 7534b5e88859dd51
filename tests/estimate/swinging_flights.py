"""Flights of random trees with passive joints, recorded at instants of their own by clocks of their own."""

from dataclasses import dataclass, replace

import numpy as np
from estimate.clocked_flights import Off
from random_trees import random_robot

from freefloat.data.processing.measured_curves import HELD_SD, CurveReadings, measured_curves
from freefloat.data.processing.projection import project
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import JOINT_CLOCK, Flight
from freefloat.estimate.joint_curves import ProjectedCurves, SplineCurves
from freefloat.estimate.recorded_flight import on_common_knots
from freefloat.estimate.wheel_curves import MeasuredWheels, SampledWheels
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.model import Robot
from freefloat.sensors.measured import Measured
from freefloat.simulation.simulate import Disturbance, Start, simulate_motion

RATES_HZ = {"w": 31.0, "attitude": 7.0, "v": 12.0, "position": 5.0}
SD = {"w": 1e-5, "attitude": 3e-5, "v": 2e-5, "position": 5e-5}
WHEEL_SD, WHEEL_NMS = 1e-4, 3.0
FINE_S = 0.004  # between samples of wheels that are known exactly
ARM = np.array([0.3, -0.2, 0.4])


@dataclass(frozen=True)
class Flown:
    """A flight with the robot that flew it, and at first its momentum in base axes and swing of passive joints."""

    robot: Robot
    flight: Flight
    momentum: np.ndarray
    swing: np.ndarray


def flown(
    seed,
    base="free",
    channels=("w",),
    momentum="zero",
    clocks=None,
    passive=2,
    driven=2,
    wheels=0,
    lasts_s=8.0,
    torque=0.0,
    noisy=True,
    encoder_sd=2e-5,
    sd=SD,
    rates_Hz=RATES_HZ,
    swing=0.03,
    robot=None,
    fill=0.5,
    curves="measured",
    harmonics=3,
):
    """A flight that begins at its first reading; other arguments as those of `clocked_flights.flown`."""
    if robot is None:
        bodies = passive + driven + 1
        robot = random_robot(seed, bodies=bodies, base=base, wheels=wheels, passive=passive)
    rng, clocks, flat = np.random.default_rng([seed, 47]), clocks or {}, base == "planar"
    names = (*(robot.joint_names[k] for k in robot.driven), *(wheel.name for wheel in robot.wheels))
    motion = random_trajectory(robot, lasts_s, seed, harmonics=harmonics, channels=names, fill=fill)
    calm = [WHEEL_NMS / (wheel.spin_inertia * wheel.max_rate) for wheel in robot.wheels]
    motion = motion.with_coefficients(motion.coefficients * [*np.ones(robot.driven.size), *calm])
    h = np.zeros(3) if momentum == "zero" else 0.5 * rng.normal(size=3) * ([0, 0, 1] if flat else 1.0)
    turn = rng.normal(size=4) * ([0.0, 0.0, 1.0, 1.0] if flat else 1.0)
    drift = 0.05 * rng.normal(size=3) * ([1, 1, 0] if flat else 1.0)
    read = {name: _instants(rng, lasts_s, rates_Hz[name]) for name in channels}
    first = min(t[0] for t in read.values())
    encoded = np.arange(first, lasts_s, 0.02)
    fine = round((lasts_s - first) / FINE_S) if curves == "exact" else 400
    every = np.unique(np.concatenate([encoded, *read.values(), np.linspace(first, lasts_s, fine)]))
    swung = swing * rng.normal(size=(2, robot.passive.size))
    place = rng.normal(size=3) * ([1, 1, 0] if flat else 1.0)
    start = Start(attitude=turn, position=place, angular_momentum=h, velocity=drift, swing=swung)
    pushed = Disturbance(torque_Nm=torque * np.ones(3) * ([0, 0, 1] if flat else 1.0))
    truth = simulate_motion(robot, motion, every, start, "held", None, (), pushed, step_s=0.01)
    samples = _on(truth, np.searchsorted(every, encoded))
    middle, measured = 0.5 * (samples.t[0] + samples.t[-1]), {}
    for name, t in read.items():
        clock, off = clocks.get(name, (JOINT_CLOCK, Off()))
        values = _read(_on(truth, np.searchsorted(every, t)), name)
        if noisy and name != "attitude":
            values = values + sd[name] * rng.normal(size=values.shape)
        own = ARM if name == "v" else np.zeros(3)
        none = np.zeros(3)
        measured[name] = Measured(off.stamps(t, middle), values, np.full(3, sd[name]), none, clock, own)
    q, dq, ddq = (np.array(each) for each in (samples.q, samples.dq, samples.ddq))
    for each in (q, dq, ddq):
        each[:, robot.passive] = 0.0  # which nobody measures
    spread = np.full(len(robot.joints), HELD_SD)
    spread[robot.driven] = encoder_sd
    if noisy:
        q[:, robot.driven] += encoder_sd * rng.normal(size=(encoded.size, robot.driven.size))
    hidden = replace(samples, q=q, dq=dq, ddq=ddq)
    held = h if momentum == "known" else momentum
    if curves == "exact":
        along = ProjectedCurves(project(motion, encoded, q, robot.joint_names, noise_sd=1e-6))
    else:
        along = SplineCurves(measured_curves(CurveReadings(encoded, q, spread)))
    flight = Flight(hidden, momentum=held, own_instants=measured, curves=along)
    if robot.wheels:
        rates = samples.wheel_rates
        if curves == "exact":
            spun = SampledWheels(truth.t, truth.wheel_rates, truth.wheel_accelerations, JOINT_CLOCK)
            return Flown(robot, replace(flight, wheels=spun), h, swung)
        if noisy:
            rates = rates + WHEEL_SD * rng.normal(size=rates.shape)
        span = float(encoded[0]), float(encoded[-1])
        spun = measured_curves(CurveReadings(encoded, rates, np.full(len(robot.wheels), WHEEL_SD)), span)
        flight = on_common_knots(replace(flight, wheels=MeasuredWheels(spun, JOINT_CLOCK)))
    return Flown(robot, flight, h, swung)


def _instants(rng, lasts_s, rate_Hz):
    even = np.arange(rng.uniform(0.3, 0.6), lasts_s - 0.5, 1.0 / rate_Hz)
    return even + 0.2 / rate_Hz * rng.uniform(-1.0, 1.0, even.size)


def _on(samples, rows):
    """The samples of these rows."""
    given = {name: getattr(samples, name) for name in ("t", "q", "dq", "ddq", "v", "w", "attitude", "position")}
    given |= {name: getattr(samples, name) for name in ("wheel_rates", "wheel_accelerations")}
    return Samples(**{name: values[rows] for name, values in given.items() if values is not None})


def _read(samples, name):
    return samples.v + np.cross(samples.w, ARM) if name == "v" else getattr(samples, name)
