"""Flights of random trees whose sensors read at instants of their own, by clocks of their own."""

from dataclasses import dataclass, replace

import numpy as np
from random_trees import random_robot

from freefloat.data.processing.measured_curves import CurveReadings, measured_curves
from freefloat.data.processing.projection import project
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import JOINT_CLOCK, Flight
from freefloat.estimate.joint_curves import ProjectedCurves, SplineCurves
from freefloat.estimate.recorded_flight import on_common_knots
from freefloat.estimate.wheel_curves import MeasuredWheels, SampledWheels
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.sensors.measured import Measured
from freefloat.simulation.simulate import Disturbance, Start, simulate_motion

RATES_HZ = {"w": 31.0, "attitude": 7.0, "v": 12.0, "position": 5.0, "specific_force": 23.0}
SD = {"w": 1e-5, "attitude": 3e-5, "v": 2e-5, "position": 5e-5, "specific_force": 1e-3}
ARM = np.array([0.3, -0.2, 0.4])
ENCODER_HZ, ENCODER_SD, WHEEL_SD = 40.0, 2e-5, 1e-4
WHEEL_NMS = 3.0  # largest momentum of a wheel: those of random trees are strong
STEP_S = 0.004  # between the instants of a flight that is flown


@dataclass(frozen=True)
class Off:
    """A clock that is off: late by offset + drift (t - middle) [s]."""

    offset: float = 0.0
    drift: float = 0.0

    def stamps(self, t, middle):
        """What it shows at times t of the joints' clock."""
        return (t + self.offset - self.drift * middle) / (1.0 - self.drift)


@dataclass(frozen=True)
class Flown:
    """A flight with the robot that flew it. momentum: at the first of the base's readings, in base axes."""

    robot: Robot
    flight: Flight
    momentum: np.ndarray


def flown(
    seed,
    base="free",
    channels=("w",),
    momentum="zero",
    clocks=None,
    curves="measured",
    wheels=None,
    lasts_s=8.0,
    walk=0.0,
    torque=0.0,
    noisy=True,
    bodies=4,
    arm=ARM,
    rate_Hz=None,
    accelerometer_Hz=None,
    pulses=(),
    orbit=None,
):
    """A flight.

    clocks: by channel (`wheels` among them) its clock's name and how that is off; all by the joints' clock unless
    given. curves: of joints and wheels as `measured` by encoders and tachometers, or `exact`. noisy: whether readings
    have noise. orbit: in base axes at the first instant. rate_Hz, accelerometer_Hz: of these, as usual unless given.
    """
    robot = random_robot(
        seed, base=base, bodies=bodies, wheels={"free": 3, "planar": 1}[base] if wheels is None else wheels
    )
    names = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    trajectory = random_trajectory(robot, lasts_s, seed, harmonics=3, channels=names, fill=0.5)
    calm = [WHEEL_NMS / (wheel.spin_inertia * wheel.max_rate) for wheel in robot.wheels]
    trajectory = trajectory.with_coefficients(trajectory.coefficients * [*np.ones(len(robot.joints)), *calm])
    rng, clocks = np.random.default_rng([seed, 43]), clocks or {}
    flat = base == "planar"
    h = np.zeros(3) if momentum == "zero" else 0.5 * rng.normal(size=3) * ([0, 0, 1] if flat else 1.0)
    turn = rng.normal(size=4) * ([0.0, 0.0, 1.0, 1.0] if flat else 1.0)
    drift = 0.05 * rng.normal(size=3) * ([1, 1, 0] if flat else 1.0)
    rates = {**RATES_HZ, **({} if rate_Hz is None else {"w": rate_Hz})}
    rates |= {} if accelerometer_Hz is None else {"specific_force": accelerometer_Hz}
    read = {name: _instants(rng, lasts_s, rates[name]) for name in channels}
    first = min(t[0] for t in read.values())
    edges = [[pulse.start_s, pulse.end_s] for pulse in pulses]
    even = np.linspace(first, lasts_s, round(lasts_s / STEP_S))
    every = np.unique(np.concatenate([even, *read.values(), *edges]))
    start = Start(
        attitude=turn, position=rng.normal(size=3) * ([1, 1, 0] if flat else 1.0), angular_momentum=h, velocity=drift
    )
    vertical = {}
    if orbit is not None:
        (R,) = rotations(turn[None])
        vertical = {"orbital_rate_rad_s": orbit.rate_rad_s, "nadir": R @ orbit.nadir, "orbit_normal": R @ orbit.normal}
    pushed = Disturbance(torque_Nm=torque * np.ones(3) * ([0, 0, 1] if flat else 1.0), **vertical)
    truth = simulate_motion(robot, trajectory, every, start, "held", None, pulses, pushed)
    samples = _on(truth, np.searchsorted(every, np.linspace(first, lasts_s, 200)))
    middle = 0.5 * (samples.t[0] + samples.t[-1])
    measured = {}
    for name, t in read.items():
        clock, off = clocks.get(name, (JOINT_CLOCK, Off()))
        values, sd = _read(_on(truth, np.searchsorted(every, t)), name, arm), np.full(3, SD[name])
        if noisy and name != "attitude":
            values = values + SD[name] * rng.normal(size=values.shape)
        own = arm if name in ("v", "specific_force") else np.zeros(3)
        measured[name] = Measured(
            off.stamps(t, middle), values, sd, np.full(3, walk if name == "w" else 0.0), clock, own
        )
    held = h if momentum == "known" else momentum
    flight = Flight(samples, momentum=held, own_instants=measured, pulses=pulses, orbit=orbit)
    flight = _with_curves(flight, robot, trajectory, truth, clocks, curves, rng if noisy else None, middle)
    return Flown(robot, flight, h)


def _instants(rng, lasts_s, rate_Hz):
    even = np.arange(rng.uniform(0.3, 0.6), lasts_s - 0.5, 1.0 / rate_Hz)
    return even + 0.2 / rate_Hz * rng.uniform(-1.0, 1.0, even.size)


def _on(samples, rows):
    """The samples of these rows."""
    given = {name: getattr(samples, name) for name in ("t", "q", "dq", "ddq", "v", "w", "attitude", "position")}
    given |= {name: getattr(samples, name) for name in ("wheel_rates", "wheel_accelerations", "dv", "dw")}
    return Samples(**{name: values[rows] for name, values in given.items() if values is not None})


def _read(samples, name, arm):
    if name == "specific_force":
        u = samples.v + np.cross(samples.w, arm)
        return samples.dv + np.cross(samples.dw, arm) + np.cross(samples.w, u)
    return samples.v + np.cross(samples.w, arm) if name == "v" else getattr(samples, name)


def _with_curves(flight, robot, trajectory, truth, clocks, curves, rng, middle):
    """The flight with curves of its joints and wheels."""
    clock, off = clocks.get("wheels", (JOINT_CLOCK, Off()))
    shown, joints = off.stamps(truth.t, middle), robot.joint_names
    if curves == "exact":
        fit = project(trajectory, truth.t, truth.q, joints, noise_sd=1e-6)
        spun = SampledWheels(shown, truth.wheel_rates, truth.wheel_accelerations, clock) if robot.wheels else None
        return replace(flight, curves=ProjectedCurves(fit), wheels=spun)
    some = slice(None, None, round(1.0 / (ENCODER_HZ * STEP_S)))

    def measured(t, values, sd):
        seen = values if rng is None else values + sd * rng.normal(size=values.shape)
        return measured_curves(CurveReadings(t, seen, np.full(values.shape[1], sd)), (truth.t[0], truth.t[-1]))

    flight = replace(flight, curves=SplineCurves(measured(truth.t[some], truth.q[some], ENCODER_SD)))
    if not robot.wheels:
        return flight
    spun = MeasuredWheels(measured(shown[some], truth.wheel_rates[some], WHEEL_SD), clock)
    return on_common_knots(replace(flight, wheels=spun))
