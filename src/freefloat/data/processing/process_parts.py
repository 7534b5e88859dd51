"""The parts of `process`: wheels, angular motion, linear motion and loads, each from its channels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.data.processing.base_motion import (
    OnTimeBase,
    attitude_sd,
    base_attitude,
    differentiated,
    integrated_attitude,
    put_on_time_base,
    rates_from_attitude,
    velocity_of,
)
from freefloat.data.processing.cutoffs import cutoff_warnings, propose_cutoff
from freefloat.data.processing.filtering import LowPass, LowPassBySpectrum
from freefloat.data.processing.processed import Known, ProcessSettings, known_of
from freefloat.data.processing.resampling import evenly
from freefloat.data.processing.spectrum import noise_level
from freefloat.data.processing.whiteness import whiteness
from freefloat.dynamics.samples import UNCLAIMED_WHEEL
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations, turned
from freefloat.sensors.channel import Channel
from freefloat.sensors.kinds import sources
from freefloat.sensors.sensor import Sensor

_MOTION = ("w", "v", "attitude", "position")  # arrays that `angular` and `linear` make
_NEAR = 1.5  # times as many samples as are independent
_NEGLIGIBLE = 1e-4  # of the angular rates; those of joints are derivatives, and need more


@dataclass(frozen=True, slots=True, eq=False)
class ProcessingInputs:
    """What every part is made from.

    channels: one of each quantity, delays taken off. t: the common time base, shape (m,) [s], at rate_Hz.
    simulated: whether sensors without noise have none; else nobody said it.
    """

    channels: Mapping[str, Channel]
    robot: Robot
    command: Trajectory | None
    settings: ProcessSettings
    sensors: tuple[Sensor, ...]
    t: Array
    rate_Hz: float
    simulated: bool = False

    def known(self, channel: Channel) -> Known:
        """What is known of the sensor behind a channel."""
        return known_of(channel, self.robot, self.sensors, self.settings)

    def on_time_base(self, channel: Channel, values: Array) -> OnTimeBase:
        """Values of a channel on the common time base."""
        return put_on_time_base(channel.t, values, self.t, self.rate_Hz)


@dataclass(frozen=True, slots=True, eq=False)
class ProcessedPart:
    """What a part adds: arrays of the samples, their noise, what was done by channel, sentences."""

    arrays: Mapping[str, Array] = field(default_factory=dict)
    noise: Mapping[str, Array] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __add__(self, other: ProcessedPart) -> ProcessedPart:
        return ProcessedPart(
            {**self.arrays, **other.arrays},
            {**self.noise, **other.noise},
            {**self.steps, **other.steps},
            self.notes + other.notes,
            self.warnings + other.warnings,
        )


# ---------------------------------------------------------------------- wheels


def wheels(inputs: ProcessingInputs) -> ProcessedPart:
    """Wheel rates and accelerations, from tachometers, else from the command; those of unknown wheels go along."""
    names = tuple(wheel.name for wheel in inputs.robot.wheels)
    channel = inputs.channels.get("wheel")
    if channel is None:
        return _commanded_wheels(inputs, names) if names else ProcessedPart()
    unknown = [name for name in channel.components if name not in names]
    further = {f"{UNCLAIMED_WHEEL}{name}": inputs.on_time_base(channel, channel.of((name,))).values for name in unknown}
    return (_measured_wheels(inputs, channel, names) if names else ProcessedPart()) + ProcessedPart(further)


def _measured_wheels(inputs: ProcessingInputs, channel: Channel, names: tuple[str, ...]) -> ProcessedPart:
    values = channel.of(names)
    resampled = inputs.on_time_base(channel, values)
    motion, spread, how = differentiated(channel.t, values, inputs.t, inputs.command)
    sd, level = inputs.known(channel).noise_sd, noise_level(evenly(channel.t, values).values)
    if sd is not None:
        said = _placed(channel, names, sd)
        level = np.where(np.isnan(said), level, said)
    steady = _steady(values, level)
    words = f"{resampled.words}; accelerations from it {how}"
    if steady.any():
        still = ", ".join(name for name, constant in zip(names, steady, strict=True) if constant)
        words = f"{still}: constant but for noise, so that means stand for them" + (
            "" if steady.all() else f"; {words}"
        )
    return ProcessedPart(
        {
            "wheel_rates": np.where(steady, values.mean(axis=0), resampled.values),
            "wheel_accelerations": np.where(steady, 0.0, motion.rate),
        },
        {
            "wheel_rates": np.where(steady, level / np.sqrt(len(values)), resampled.gain * level),
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


def _commanded_wheels(inputs: ProcessingInputs, names: tuple[str, ...]) -> ProcessedPart:
    command = inputs.command
    if command is None or not set(names) <= set(command.channels):
        return ProcessedPart(
            warnings=("the robot has wheels, but no wheel rates were recorded: samples are without them",)
        )
    start = inputs.settings.start_s or 0.0
    since = np.clip(inputs.t - start, 0.0, command.duration_s)
    flown = command.samples(inputs.robot, since)
    arrays = {name: np.asarray(getattr(flown, name)) for name in ("wheel_rates", "wheel_accelerations")}
    return ProcessedPart(arrays, notes=("wheel rates were not recorded; those of the command stand for them",))


def _placed(channel: Channel, names: tuple[str, ...], sd: Array) -> Array:
    return sd[[channel.components.index(name) for name in names]]


# ---------------------------------------------------------------------- angular motion


def gyro_rates(inputs: ProcessingInputs) -> tuple[Array, Array, Array] | None:
    """Times (n,), readings in base axes (n, 3) and their noise (3,), calibrated but not filtered; None if none."""
    channel = inputs.channels.get("gyro")
    if channel is None:
        return None
    known, raw = inputs.known(channel), channel.of(AXES)
    M = known.mounting.R
    if channel.name in inputs.settings.calibrations:
        calibration = inputs.settings.calibrations[channel.name]
        raw, M = raw + calibration.bias, M @ calibration.matrix
    sd = noise_level(evenly(channel.t, raw).values) if known.noise_sd is None else known.noise_sd
    return channel.t, raw @ M.T, np.sqrt(M**2 @ sd**2)


def angular(inputs: ProcessingInputs) -> ProcessedPart:
    """Angular rates and accelerations, and attitude."""
    if inputs.robot.base == "fixed":
        return ProcessedPart()
    attitude = _measured_attitude(inputs)
    rates = gyro_rates(inputs)
    if rates is not None:
        return _from_gyro(inputs, *rates) + (attitude or _integrated(inputs, *rates))
    if attitude is None:
        return ProcessedPart(
            warnings=("no gyro and no attitude were recorded: samples are without the base's rotation",)
        )
    return attitude + _from_attitude(inputs)


def _from_gyro(inputs: ProcessingInputs, t: Array, w: Array, sd: Array) -> ProcessedPart:
    channel, even = inputs.channels["gyro"], evenly(t, w)
    low_pass = inputs.settings.gyro
    if isinstance(low_pass, LowPassBySpectrum):
        low_pass = propose_cutoff(even.values, even.rate_Hz, inputs.command, low_pass.order)
    resampled = put_on_time_base(t, w, inputs.t, inputs.rate_Hz, low_pass)
    motion, spread, how = differentiated(t, w, inputs.t, inputs.command)
    steps = {channel.name: f"{resampled.words}; angular accelerations from it {how}"}
    if channel.name in inputs.settings.calibrations:
        steps[channel.name] = f"calibrated, {steps[channel.name]}"
    return ProcessedPart(
        {"w": resampled.values, "dw": motion.rate},
        {"w": resampled.gain * sd, "dw": spread[1]},
        steps,
        warnings=_cut(inputs, resampled.low_pass, even.values, even.rate_Hz),
    )


def _cut(inputs: ProcessingInputs, low_pass: LowPass | None, values: Array, rate_Hz: float) -> tuple[str, ...]:
    return (
        () if low_pass is None else cutoff_warnings(low_pass, "the gyro", values, rate_Hz, inputs.command, _NEGLIGIBLE)
    )


def _integrated(inputs: ProcessingInputs, t: Array, w: Array, sd: Array) -> ProcessedPart:
    """Attitude from rates; its noise is that of the angle random walk at the end."""
    interval = float(np.median(np.diff(t)))
    walk = sd * np.sqrt(interval * (inputs.t[-1] - inputs.t[0]))
    note = "attitude is the integral of the gyro's rates, relative to that of the first sample"
    return ProcessedPart({"attitude": integrated_attitude(t, w, inputs.t)}, {"attitude": walk}, notes=(note,))


def _measured_attitude(inputs: ProcessingInputs) -> ProcessedPart | None:
    channel = inputs.channels.get("attitude")
    if channel is None:
        return None
    known = inputs.known(channel)
    turned_back = base_attitude(channel.of((*AXES, "w")), known.mounting)
    resampled = inputs.on_time_base(channel, turned_back)
    unit = resampled.values / np.linalg.norm(resampled.values, axis=1, keepdims=True)
    sd = attitude_noise(channel, known, turned_back)
    return ProcessedPart({"attitude": unit}, {"attitude": resampled.gain * sd}, {channel.name: resampled.words})


def attitude_noise(channel: Channel, known: Known, attitude: Array) -> Array:
    """Of a reading, as a rotation vector in base axes, shape (3,) [rad]; attitude: of the base, shape (n, 4)."""
    if known.noise_sd is None:
        return np.full(3, attitude_sd(noise_level(evenly(channel.t, attitude).values)))
    return np.sqrt(known.mounting.R**2 @ known.noise_sd**2)


def _from_attitude(inputs: ProcessingInputs) -> ProcessedPart:
    channel = inputs.channels["attitude"]
    attitude = base_attitude(channel.of((*AXES, "w")), inputs.known(channel).mounting)
    w, sd, how = rates_from_attitude(channel.t, attitude, inputs.t, inputs.command)
    return ProcessedPart({"w": w}, {"w": sd}, notes=(f"there is no gyro: angular rates come from the attitude {how}",))


# ---------------------------------------------------------------------- linear motion


def linear(inputs: ProcessingInputs, so_far: ProcessedPart) -> ProcessedPart:
    """Position and velocity of the base's origin; `so_far` holds attitude and angular rates."""
    if inputs.robot.base == "fixed":
        return ProcessedPart()
    return _position(inputs, so_far) + _velocity(inputs, so_far)


def _position(inputs: ProcessingInputs, so_far: ProcessedPart) -> ProcessedPart:
    channel = inputs.channels.get("position")
    if channel is None:
        return ProcessedPart()
    known, resampled = inputs.known(channel), inputs.on_time_base(channel, channel.of(AXES))
    arm, place = known.mounting.p, resampled.values
    if arm.any():
        if "attitude" not in inputs.channels:
            sentence = f"{channel.name} is not used: taking it to the base's origin needs a measured attitude"
            return ProcessedPart(warnings=(sentence,))
        place = place - rotations(so_far.arrays["attitude"]) @ arm
    sd = noise_level(evenly(channel.t, channel.of(AXES)).values) if known.noise_sd is None else known.noise_sd
    return ProcessedPart({"position": place}, {"position": resampled.gain * sd}, {channel.name: resampled.words})


def _velocity(inputs: ProcessingInputs, so_far: ProcessedPart) -> ProcessedPart:
    channel = inputs.channels.get("body_velocity") or inputs.channels.get("velocity")
    if channel is None:
        return _velocity_of_positions(inputs, so_far) if inputs.settings.velocity_from_position else ProcessedPart()
    inertial = channel.quantity == "velocity"
    if inertial and "attitude" not in inputs.channels:
        sentence = f"{channel.name} is not used: turning it into base axes needs a measured attitude"
        return ProcessedPart(warnings=(sentence,))
    known, resampled = inputs.known(channel), inputs.on_time_base(channel, channel.of(AXES))
    if inertial:
        v = turned(rotations(so_far.arrays["attitude"]).swapaxes(1, 2), resampled.values)
    else:
        v = resampled.values @ known.mounting.R.T
    if known.mounting.p.any():
        if "w" not in so_far.arrays:
            sentence = f"{channel.name} is not used: taking it to the base's origin needs angular rates or an attitude"
            return ProcessedPart(warnings=(sentence,))
        v = v - np.cross(so_far.arrays["w"], known.mounting.p)
    sd = noise_level(evenly(channel.t, channel.of(AXES)).values) if known.noise_sd is None else known.noise_sd
    return ProcessedPart({"v": v}, {"v": resampled.gain * sd}, {channel.name: resampled.words})


def _velocity_of_positions(inputs: ProcessingInputs, so_far: ProcessedPart) -> ProcessedPart:
    """Velocity of the base's origin from positions of a point of the base, as of motion capture."""
    channel = inputs.channels.get("position")
    if channel is None or "attitude" not in inputs.channels:
        return ProcessedPart()
    known = inputs.known(channel)
    rate, sd, how = velocity_of(channel.t, channel.of(AXES), known.noise_sd, inputs.t, inputs.rate_Hz, inputs.command)
    v = turned(rotations(so_far.arrays["attitude"]).swapaxes(1, 2), rate)
    if known.mounting.p.any():
        v = v - np.cross(so_far.arrays["w"], known.mounting.p)
    sd = np.full(3, np.sqrt((sd**2).mean()))  # the base turns in the axes of the positions
    note = f"no velocity was recorded: it is the derivative of {channel.name} {how}"
    return ProcessedPart({"v": v}, {"v": sd}, notes=(note,))


# ---------------------------------------------------------------------- loads


def loads(inputs: ProcessingInputs) -> ProcessedPart:
    """Joint torques, and force and moment on the base from outside."""
    return _torques(inputs) + _wrench(inputs)


def _torques(inputs: ProcessingInputs) -> ProcessedPart:
    channel = inputs.channels.get("tau")
    if channel is None or not set(inputs.robot.joint_names) <= set(channel.components):
        return ProcessedPart()
    names, known, low_pass = inputs.robot.joint_names, inputs.known(channel), inputs.settings.torques
    assert not isinstance(low_pass, LowPassBySpectrum)
    resampled = put_on_time_base(channel.t, channel.of(names), inputs.t, inputs.rate_Hz, low_pass)
    found = ProcessedPart({"torques": resampled.values}, steps={channel.name: resampled.words})
    exact = inputs.simulated and inputs.robot.base != "fixed"  # on the ground, rows say what is left of any torques
    known = known if exact else known.of_something_real
    level = None if known.noise_sd is None else _placed(channel, names, known.noise_sd)
    if inputs.robot.base == "fixed" and (level is None or not (level > 0.0).all()):
        return found  # what rows leave says it
    if level is None:
        level = noise_level(evenly(channel.t, channel.of(names)).values)
    return found + ProcessedPart(noise={"torques": _alike(resampled, inputs.rate_Hz) * resampled.gain * level})


def _alike(resampled: OnTimeBase, rate_Hz: float) -> float:
    """What filtered noise counts for: as that of samples which are independent, two for each period of the cut-off.

    Of samples that are much nearer to each other it is as large as it is; what they leave is then not white.
    """
    per_period = 2.0 if resampled.low_pass is None else rate_Hz / resampled.low_pass.cutoff_Hz
    return math.sqrt(per_period / 2.0) if 2.0 < per_period < 2.0 * _NEAR else 1.0


def _wrench(inputs: ProcessingInputs) -> ProcessedPart:
    given = [inputs.channels.get(name) for name in ("force", "moment")]
    if not any(given) or (inputs.robot.base == "fixed" and not all(given)):  # which nothing but both together holds
        return ProcessedPart()
    values, noise = np.zeros((inputs.t.size, 6)), np.zeros(6)
    for place, channel in zip((slice(0, 3), slice(3, 6)), given, strict=True):
        if channel is not None:
            resampled, sd = inputs.on_time_base(channel, channel.of(AXES)), inputs.known(channel).noise_sd
            values[:, place] = resampled.values
            noise[place] = 0.0 if sd is None else resampled.gain * _placed(channel, AXES, sd)
    steps = {each.name: "on the common time base" for each in given if each is not None}
    # A wrench that no sensor is declared for, such as one that was commanded, counts as exact.
    return ProcessedPart({"base_wrench": values}, {"base_wrench": noise} if noise.any() else {}, steps)


# ---------------------------------------------------------------------- what else is compared with a prediction


def others(inputs: ProcessingInputs) -> ProcessedPart:
    """Sensors of three axes that the parts above do not know, as they are, turned into base axes."""
    found = ProcessedPart()
    for array, names in sources().items():
        given = [inputs.channels[name] for name in names if name in inputs.channels]
        if not given or array in _MOTION or inputs.robot.base == "fixed":
            continue
        channel, known = given[0], inputs.known(given[0])
        values = channel.of(AXES) @ known.mounting.R.T
        put = inputs.on_time_base(channel, values)
        sd = noise_level(evenly(channel.t, values).values)
        if known.noise_sd is not None:
            sd = np.sqrt(known.mounting.R**2 @ known.noise_sd**2)
        found += ProcessedPart({array: put.values}, {array: put.gain * sd}, {channel.name: put.words})
    return found
