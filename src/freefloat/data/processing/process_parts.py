"""The parts of `process`: wheels, angular motion, linear motion and loads, each from its channels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.data.processing.base_motion import (
    Brought,
    attitude_sd,
    base_attitude,
    bring,
    differentiated,
    integrated_attitude,
    rates_from_attitude,
)
from freefloat.data.processing.cutoffs import cutoff_warnings, propose_cutoff
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.processed import Known, ProcessSettings, known_of
from freefloat.data.processing.resampling import evenly
from freefloat.data.processing.spectrum import noise_level
from freefloat.data.processing.whiteness import whiteness
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations, turned
from freefloat.sensors.channel import Channel
from freefloat.sensors.kinds import sources
from freefloat.sensors.sensor import Sensor

_MOTION = ("w", "v", "attitude", "position")  # arrays that `angular` and `linear` make
_NEGLIGIBLE = 1e-4  # of the angular rates; those of joints are derivatives, and need more


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What every part is made from.

    channels: one of each quantity, delays taken off. t: the common time base, shape (m,) [s], at rate_Hz.
    """

    channels: Mapping[str, Channel]
    robot: Robot
    command: Trajectory | None
    settings: ProcessSettings
    sensors: tuple[Sensor, ...]
    t: Array
    rate_Hz: float

    def known(self, channel: Channel) -> Known:
        """What is known of the sensor behind a channel."""
        return known_of(channel, self.robot, self.sensors, self.settings)

    def brought(self, channel: Channel, values: Array) -> Brought:
        """Values of a channel on the common time base."""
        return bring(channel.t, values, self.t, self.rate_Hz)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What a part adds: arrays of the samples, their noise, what was done by channel, sentences."""

    arrays: Mapping[str, Array] = field(default_factory=dict)
    noise: Mapping[str, Array] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __add__(self, other: Part) -> Part:
        return Part(
            {**self.arrays, **other.arrays},
            {**self.noise, **other.noise},
            {**self.steps, **other.steps},
            self.notes + other.notes,
            self.warnings + other.warnings,
        )


# ---------------------------------------------------------------------- wheels


def wheels(task: Task) -> Part:
    """Wheel rates and accelerations, from tachometers, else from the command."""
    names = tuple(wheel.name for wheel in task.robot.wheels)
    channel = task.channels.get("wheel")
    if not names:
        return Part()
    if channel is None:
        return _commanded_wheels(task, names)
    values = channel.of(names)
    brought = task.brought(channel, values)
    motion, spread, how = differentiated(channel.t, values, task.t, task.command)
    sd = task.known(channel).noise_sd
    level = noise_level(evenly(channel.t, values).values) if sd is None else _placed(channel, names, sd)
    steady = _steady(values, level)
    words = f"{brought.words}; accelerations from it {how}"
    if steady.any():
        still = ", ".join(name for name, constant in zip(names, steady, strict=True) if constant)
        words = f"{still}: constant but for noise, so that means stand for them" + (
            "" if steady.all() else f"; {words}"
        )
    return Part(
        {
            "wheel_rates": np.where(steady, values.mean(axis=0), brought.values),
            "wheel_accelerations": np.where(steady, 0.0, motion.rate),
        },
        {
            "wheel_rates": np.where(steady, level / np.sqrt(len(values)), brought.gain * level),
            "wheel_accelerations": np.where(steady, 0.0, spread[1]),
        },
        {channel.name: words},
    )


def _steady(values: Array, noise_sd: Array) -> NDArray[np.bool_]:
    """Which wheels show nothing but noise about a constant rate, shape (wheels,).

    Rates that a tachometer gives sample by sample carry momentum that is not there: its noise.
    """
    away = values - values.mean(axis=0)
    return np.array([whiteness(column, float(sd)).white for column, sd in zip(away.T, noise_sd, strict=True)])


def _commanded_wheels(task: Task, names: tuple[str, ...]) -> Part:
    command = task.command
    if command is None or not set(names) <= set(command.channels):
        return Part(warnings=("the robot has wheels, but no wheel rates were recorded: samples are without them",))
    start = task.settings.start_s or 0.0
    since = np.clip(task.t - start, 0.0, command.duration_s)
    flown = command.samples(task.robot, since)
    arrays = {name: np.asarray(getattr(flown, name)) for name in ("wheel_rates", "wheel_accelerations")}
    return Part(arrays, notes=("wheel rates were not recorded; those of the command stand for them",))


def _placed(channel: Channel, names: tuple[str, ...], sd: Array) -> Array:
    return sd[[channel.components.index(name) for name in names]]


# ---------------------------------------------------------------------- angular motion


def gyro_rates(task: Task) -> tuple[Array, Array, Array] | None:
    """Times (n,), readings in base axes (n, 3) and their noise (3,), calibrated but not filtered; None if none."""
    channel = task.channels.get("gyro")
    if channel is None:
        return None
    known, raw = task.known(channel), channel.of(AXES)
    M = known.mounting.R
    if channel.name in task.settings.calibrations:
        calibration = task.settings.calibrations[channel.name]
        raw, M = raw + calibration.bias, M @ calibration.matrix
    sd = noise_level(evenly(channel.t, raw).values) if known.noise_sd is None else known.noise_sd
    return channel.t, raw @ M.T, np.sqrt(M**2 @ sd**2)


def angular(task: Task) -> Part:
    """Angular rates and accelerations, and attitude."""
    if task.robot.base == "fixed":
        return Part()
    attitude = _measured_attitude(task)
    rates = gyro_rates(task)
    if rates is not None:
        return _from_gyro(task, *rates) + (attitude or _integrated(task, *rates))
    if attitude is None:
        return Part(warnings=("no gyro and no attitude were recorded: samples are without the base's rotation",))
    return attitude + _from_attitude(task)


def _from_gyro(task: Task, t: Array, w: Array, sd: Array) -> Part:
    channel, even = task.channels["gyro"], evenly(t, w)
    low_pass = task.settings.gyro
    if low_pass == "propose":
        low_pass = propose_cutoff(even.values, even.rate_Hz, task.command)
    brought = bring(t, w, task.t, task.rate_Hz, low_pass)
    motion, spread, how = differentiated(t, w, task.t, task.command)
    steps = {channel.name: f"{brought.words}; angular accelerations from it {how}"}
    if channel.name in task.settings.calibrations:
        steps[channel.name] = f"calibrated, {steps[channel.name]}"
    return Part(
        {"w": brought.values, "dw": motion.rate},
        {"w": brought.gain * sd, "dw": spread[1]},
        steps,
        warnings=_cut(task, brought.low_pass, even.values, even.rate_Hz),
    )


def _cut(task: Task, low_pass: LowPass | None, values: Array, rate_Hz: float) -> tuple[str, ...]:
    return () if low_pass is None else cutoff_warnings(low_pass, "the gyro", values, rate_Hz, task.command, _NEGLIGIBLE)


def _integrated(task: Task, t: Array, w: Array, sd: Array) -> Part:
    """Attitude from rates; its noise is that of the angle random walk at the end."""
    interval = float(np.median(np.diff(t)))
    walk = sd * np.sqrt(interval * (task.t[-1] - task.t[0]))
    note = "attitude is the integral of the gyro's rates, relative to that of the first sample"
    return Part({"attitude": integrated_attitude(t, w, task.t)}, {"attitude": walk}, notes=(note,))


def _measured_attitude(task: Task) -> Part | None:
    channel = task.channels.get("attitude")
    if channel is None:
        return None
    known = task.known(channel)
    turned_back = base_attitude(channel.of((*AXES, "w")), known.mounting)
    brought = task.brought(channel, turned_back)
    unit = brought.values / np.linalg.norm(brought.values, axis=1, keepdims=True)
    sd = known.noise_sd
    if sd is None:
        sd = np.full(3, attitude_sd(noise_level(evenly(channel.t, turned_back).values)))
    return Part({"attitude": unit}, {"attitude": brought.gain * sd}, {channel.name: brought.words})


def _from_attitude(task: Task) -> Part:
    channel = task.channels["attitude"]
    attitude = base_attitude(channel.of((*AXES, "w")), task.known(channel).mounting)
    w, sd, how = rates_from_attitude(channel.t, attitude, task.t, task.command)
    return Part({"w": w}, {"w": sd}, notes=(f"there is no gyro: angular rates come from the attitude {how}",))


# ---------------------------------------------------------------------- linear motion


def linear(task: Task, so_far: Part) -> Part:
    """Position and velocity of the base's origin; `so_far` holds attitude and angular rates."""
    if task.robot.base == "fixed":
        return Part()
    return _position(task, so_far) + _velocity(task, so_far)


def _position(task: Task, so_far: Part) -> Part:
    channel = task.channels.get("position")
    if channel is None:
        return Part()
    known, brought = task.known(channel), task.brought(channel, channel.of(AXES))
    arm, place = known.mounting.p, brought.values
    if arm.any():
        if "attitude" not in task.channels:
            sentence = f"{channel.name} is not used: taking it to the base's origin needs a measured attitude"
            return Part(warnings=(sentence,))
        place = place - rotations(so_far.arrays["attitude"]) @ arm
    sd = noise_level(evenly(channel.t, channel.of(AXES)).values) if known.noise_sd is None else known.noise_sd
    return Part({"position": place}, {"position": brought.gain * sd}, {channel.name: brought.words})


def _velocity(task: Task, so_far: Part) -> Part:
    channel = task.channels.get("body_velocity") or task.channels.get("velocity")
    if channel is None:
        return Part()
    inertial = channel.quantity == "velocity"
    if inertial and "attitude" not in task.channels:
        sentence = f"{channel.name} is not used: turning it into base axes needs a measured attitude"
        return Part(warnings=(sentence,))
    known, brought = task.known(channel), task.brought(channel, channel.of(AXES))
    R_IB = rotations(so_far.arrays["attitude"])
    v = turned(R_IB.swapaxes(1, 2), brought.values) if inertial else brought.values @ known.mounting.R.T
    if known.mounting.p.any():
        v = v - np.cross(so_far.arrays["w"], known.mounting.p)
    sd = noise_level(evenly(channel.t, channel.of(AXES)).values) if known.noise_sd is None else known.noise_sd
    return Part({"v": v}, {"v": brought.gain * sd}, {channel.name: brought.words})


# ---------------------------------------------------------------------- loads


def loads(task: Task) -> Part:
    """Joint torques, and force and moment on the base from outside."""
    return _torques(task) + _wrench(task)


def _torques(task: Task) -> Part:
    channel = task.channels.get("tau")
    if channel is None or not set(task.robot.joint_names) <= set(channel.components):
        return Part()
    values = channel.of(task.robot.joint_names)
    brought, sd = task.brought(channel, values), task.known(channel).noise_sd
    level = noise_level(evenly(channel.t, values).values) if sd is None else sd
    if sd is not None:
        level = _placed(channel, task.robot.joint_names, sd)
    return Part({"torques": brought.values}, {"torques": brought.gain * level}, {channel.name: brought.words})


def _wrench(task: Task) -> Part:
    given = [task.channels.get(name) for name in ("force", "moment")]
    if not any(given):
        return Part()
    parts = [np.zeros((task.t.size, 3)) if each is None else task.brought(each, each.of(AXES)).values for each in given]
    steps = {each.name: "on the common time base" for each in given if each is not None}
    return Part({"base_wrench": np.hstack(parts)}, steps=steps)


# ---------------------------------------------------------------------- what else is compared with a prediction


def others(task: Task) -> Part:
    """Sensors of three axes that the parts above do not know, as they are, turned into base axes."""
    found = Part()
    for array, names in sources().items():
        given = [task.channels[name] for name in names if name in task.channels]
        if not given or array in _MOTION or task.robot.base == "fixed":
            continue
        channel, known = given[0], task.known(given[0])
        values = channel.of(AXES) @ known.mounting.R.T
        brought = task.brought(channel, values)
        sd = noise_level(evenly(channel.t, values).values)
        if known.noise_sd is not None:
            sd = np.sqrt(known.mounting.R**2 @ known.noise_sd**2)
        found += Part({array: brought.values}, {array: brought.gain * sd}, {channel.name: brought.words})
    return found
