"""Estimates that are right or wrong in a known way, and recordings that were tampered with."""

from dataclasses import replace

import numpy as np
from excitation.small_mission import small_mission

from freefloat.data.recording import Recording
from freefloat.estimate.prior import CadSpread
from freefloat.mission.flying import simulate
from freefloat.mission.identifying import identify, problem

SWAPPED = (("Ixx", "Iyy"), ("Ixz", "Iyz"), ("mx", "my"))


def estimated(folder, **changes):
    """A small mission and its default estimate from one flight."""
    mission = small_mission(folder, **changes)
    return mission, identify(mission, simulate(mission, seed=1))


def scaled(estimate, name, factor):
    """The estimate with one cluster off."""
    values = np.array(estimate.values)
    values[estimate.names.index(name)] *= factor
    return replace(estimate, values=values)


def swapped(estimate, body="base"):
    """The estimate with x and y of a body exchanged."""
    values = np.array(estimate.values)
    for one, other in SWAPPED:
        a, b = (estimate.names.index(f"{each}_{body}") for each in (one, other))
        values[[a, b]] = values[[b, a]]
    return replace(estimate, values=values)


def renamed(estimate):
    """The estimate of a robot whose link1 is called arm."""
    bodies = [replace(body, name="arm") if body.name == "link1" else body for body in estimate.robot.bodies]
    bodies = [replace(body, parent="arm") if body.parent == "link1" else body for body in bodies]
    return replace(estimate, robot=replace(estimate.robot, bodies=tuple(bodies)))


def without_body(mission, body):
    """The mission with a robot that lost a body: for flights, not for estimates."""
    phi = np.array(mission.robot.parameters)
    first = 10 * mission.robot.body_names.index(body)
    phi[first : first + 10] = 0.0
    return replace(mission, robot=mission.robot.with_parameters(phi))


def redrawn(mission, run):
    """The mission with a CAD model that errs as such models do, and known bodies that err as was said of them."""
    rng, said = np.random.default_rng([run, 77]), mission.settings
    robot = CadSpread().drawn(mission.robot, rng, (*said.assume_zero, *said.known))
    for body, trust in said.known.items():
        spread = CadSpread(*[trust.relative_sd] * 3)
        others = [name for name in robot.body_names if name != body]
        robot = spread.drawn(robot, rng, others)
    return replace(mission, robot=robot)


def gyro_noise(mission, recording):
    """Standard deviation that is assumed of a reading of the gyro."""
    return float(problem(mission, recording).flights[0].noise["w"][0])


def with_gyro(recording, values):
    """The recording with other gyro readings."""
    channels = [replace(each, values=values) if each.name == "gyro" else each for each in recording.channels.values()]
    return Recording(channels, recording.origin)


def noisier(mission, recording, times, seed):
    """The recording with so many times the gyro's noise."""
    values, sd = recording["gyro"].values, gyro_noise(mission, recording)
    rng = np.random.default_rng(seed)
    return with_gyro(recording, values + np.sqrt(times**2 - 1.0) * sd * rng.normal(size=values.shape))


def shaken(mission, recording, frequency_Hz, times):
    """The recording with an oscillation of the base, its amplitude about x so many times the gyro's noise."""
    gyro, sd = recording["gyro"], gyro_noise(mission, recording)
    wave = times * sd * np.sin(2.0 * np.pi * frequency_Hz * gyro.t)
    return with_gyro(recording, gyro.values + wave[:, None] * [1.0, 0.5, 0.2])
