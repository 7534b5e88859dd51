"""Flights on the desk: the motion of a mission, and what its sensors record of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np

from freefloat import __version__
from freefloat.arrays import Array
from freefloat.data.origin import Origin
from freefloat.data.recording import Recording
from freefloat.dynamics.mass_centre import centre_of_mass
from freefloat.dynamics.momentum_rows import momentum
from freefloat.dynamics.orbit import Orbit
from freefloat.dynamics.samples import Samples
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.mission.drawing import mission_flown_with
from freefloat.mission.limits import asks_for_clearance
from freefloat.mission.mission_file import InvalidMission, Mission, in_inertial_axes
from freefloat.mission.shapes import random_harmonics
from freefloat.motion.random_motion import random_trajectory
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.robot.yaml_write import robot_document
from freefloat.sensors.draws import draw_normal
from freefloat.sensors.truth import Truth
from freefloat.simulation.conditions import Disturbance, Pulse, Start
from freefloat.simulation.recorded import record
from freefloat.simulation.simulate import simulate_motion

_STEPS_S = (1e-3, 0.05)  # shortest and longest step of a simulation that chooses its own
_MOST_STEPS = 5_000_000
_EDGE_S = 1e-6
_MOST_REMEMBERED = 10_000  # coefficients


def random_motion(mission: Mission, seed: int, duration_s: float | None = None) -> Trajectory:
    """A random motion within the robot's limits, from rest to rest, of all that a design of the mission would move."""
    channels, wheels = mission.channels, {wheel.name for wheel in mission.robot.wheels}
    if mission.settings.flight.wheels == "free" and wheels & set(channels):
        raise InvalidMission(f"{mission.path}: flight.wheels is free, but a random motion drives wheels; allowed: held")
    return random_trajectory(
        mission.robot,
        duration_s or mission.duration_s,
        seed,
        harmonics=random_harmonics(mission.settings.excitation.shape),
        channels=channels,
        wheel_rates=mission.wheel_rates,
    )


def fly(
    mission: Mission,
    motion: Trajectory | Excitation | None = None,
    seed: int = 0,
    robot: Robot | None = None,
) -> Samples:
    """The true motion, without sensors: driven joints follow the command, the base reacts, passive joints swing.

    motion: a trajectory or a design; by default the mission's own, else a random one of this seed within the limits.
    seed: of a random motion, and of the errors of thrusters' forces.
    robot: the one that flies (`draw_robot`); the mission's own unless given.
    """
    asks_for_clearance(mission)  # refused where nobody could say whether it is kept
    command = _chosen(mission, motion, seed)
    mission = mission_flown_with(mission, robot)
    flight = mission.settings.flight
    t = instants(mission, command.duration_s)
    pushed = _disturbance(mission)
    flown = simulate_motion(
        mission.robot,
        command,
        t,
        _start(mission),
        flight.wheels,
        mission.wheel_rates,
        _fired(mission, seed),
        pushed,
    )
    return _on_its_orbit(mission.robot, flown, pushed.orbit)


def _on_its_orbit(robot: Robot, flown: Samples, orbit: Orbit) -> Samples:
    """The flight with positions against one that flies on the orbit, where inertial axes have their origin."""
    if not orbit.rate_rad_s or robot.base != "free":
        return flown
    first, since = flown[:1], flown.need("t", "an orbit") - flown.need("t", "an orbit")[0]
    position = flown.need("position", "an orbit")
    (R,), (centre,) = rotations(first.need("attitude", "an orbit")), centre_of_mass(robot, first)
    place, velocity = position[0] + R @ centre, R @ momentum(robot, first)[0, :3] / robot.mass
    by_place, by_velocity = orbit.coasting(since)
    evenly = place + since[:, None] * velocity
    return replace(flown, position=position + by_place @ place + by_velocity @ velocity - evenly)


def _disturbance(mission: Mission) -> Disturbance:
    """What pushes from outside; the mission's orbit, which is in base axes, in those of the flight."""
    said, flight = mission.settings.flight.disturbance, mission.settings.flight
    orbit = Orbit(said.orbital_rate_rad_s, np.array(said.nadir), np.array(said.orbit_normal))
    if mission.orbit is not None:
        orbit = in_inertial_axes(mission.orbit, flight.start)
    return Disturbance(np.array(said.force_N), np.array(said.torque_Nm), orbit.rate_rad_s, orbit.nadir, orbit.normal)


def _fired(mission: Mission, seed: int) -> list[Pulse]:
    """The mission's pulses as the thrusters of a seed fire them: each thruster with its own error of the force."""
    pulses = [pulse.pulse() for pulse in mission.settings.flight.pulses]
    thrusters = list(dict.fromkeys(pulse.thruster for pulse in pulses))
    off = draw_normal(seed, [0], "thrusters", (len(thrusters),))[0] if thrusters else np.zeros(0)
    factors = [1.0 + pulse.relative_sd * off[thrusters.index(pulse.thruster)] for pulse in pulses]
    return [replace(pulse, force_N=pulse.force_N * factor) for pulse, factor in zip(pulses, factors, strict=True)]


def simulate(
    mission: Mission,
    motion: Trajectory | Excitation | None = None,
    seed: int = 0,
    run: int = 0,
    truth: Samples | None = None,
    robot: Robot | None = None,
    noise: bool = True,
) -> Recording:
    """What the mission's sensors record of a flight.

    motion, robot: as for `fly`. truth: the flight, if it was flown before (`fly`): many runs differ in their noise
        alone; motion and robot are then those that were flown in it, for the recording to remember.
    noise: whether errors are drawn; those that are the same in every run, rounding among them, are always there.
    """
    mission.need_sensors()
    known = truth is None or motion is not None
    command = _chosen(mission, motion, seed) if known else None
    flown = truth if truth is not None else fly(mission, command, seed, robot)
    looked_at = Truth.of(mission_flown_with(mission, robot).robot, flown)
    hashes = {**mission.hashes, "motion": motion_sha256(flown.q)}
    if robot is not None:
        hashes["robot"] = robot_sha256(robot)
    kept = None if command is None else _command(command)
    origin = Origin("simulated", None, hashes, None, None, mission.name, f"freefloat {__version__}", kept)
    return record(mission.sensors.values(), looked_at, seed if noise else None, run, origin)


def _chosen(mission: Mission, motion: Trajectory | Excitation | None, seed: int) -> Trajectory:
    """The motion to fly: that given, the mission's own, or a random one."""
    return trajectory_of(motion) if motion else mission.trajectory or random_motion(mission, seed)


def _command(motion: Trajectory) -> dict[str, Any] | None:
    """The motion for a recording to remember; a table of samples is too long for that."""
    return motion.document() if motion.coefficients.size <= _MOST_REMEMBERED else None


def instants(mission: Mission, duration_s: float) -> Array:
    """Even steps, and the edges of every pulse with an instant just before: what jumps does so between those two."""
    steps = int(np.ceil(duration_s / _step(mission) - 1e-9))
    if steps > _MOST_STEPS:
        raise InvalidMission(
            f"{mission.path}: flight.step_s asks for {steps:,} steps; allowed: at most {_MOST_STEPS:,}"
        )
    pulses = mission.settings.flight.pulses
    edges = np.array([[pulse.start_s, pulse.start_s + pulse.duration_s] for pulse in pulses]).ravel()
    inside = edges[(edges > _EDGE_S) & (edges < duration_s - _EDGE_S)]
    even = np.linspace(0.0, duration_s, 1 + steps)
    far = np.abs(even[:, None] - inside).min(axis=1, initial=np.inf) > 2.0 * _EDGE_S
    return np.sort(np.concatenate([even[far], inside, inside - _EDGE_S]))


def _step(mission: Mission) -> float:
    if mission.settings.flight.step_s is not None:
        return mission.settings.flight.step_s
    fastest = max((sensor.rate_Hz for sensor in mission.sensors.values()), default=20.0)
    return float(np.clip(1.0 / fastest, *_STEPS_S))


def _start(mission: Mission) -> Start:
    start = mission.settings.flight.start
    velocity = None if start.velocity_m_s is None else np.array(start.velocity_m_s)
    attitude, position = np.array(start.attitude_xyzw), np.array(start.position_m)
    names = [mission.robot.joint_names[k] for k in mission.robot.passive]
    swing = np.array([[said.get(name, 0.0) for name in names] for said in (start.swing, start.swing_rates)])
    return Start(attitude, position, start.rate(), velocity, mission.total_momentum, swing)


def motion_sha256(q: Array) -> str:
    """By which a recording knows the motion that was flown: that of joint positions at `instants`, (n, joints)."""
    return hashlib.sha256(np.ascontiguousarray(q).tobytes()).hexdigest()


def robot_sha256(robot: Robot) -> str:
    """By which a recording knows a robot that flew and is not the mission's: of all that its file would say."""
    return hashlib.sha256(json.dumps(robot_document(robot), sort_keys=True).encode()).hexdigest()
