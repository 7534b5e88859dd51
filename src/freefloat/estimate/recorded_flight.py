"""A recording as a flight whose readings keep their own instants and clocks.

Nothing is resampled: what each sensor of the base said stays where its clock stamped it, between the first and the last
instant at which the joints are known. The same recording on one time base (`data/processing`) goes along for methods
that need it, and for looking at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import AXES, Array
from freefloat.data.processing.base_motion import base_attitude
from freefloat.data.processing.measured_curves import FEWEST, CurveReadings, measured_curves, on_knots
from freefloat.data.processing.process import chosen_channels, joint_channel
from freefloat.data.processing.process_parts import attitude_noise
from freefloat.data.processing.processed import Known, Processed, ProcessSettings, known_of, sensor_behind
from freefloat.data.processing.resampling import evenly, resample
from freefloat.data.processing.spectrum import noise_level, rounding_step
from freefloat.data.processing.stamp_noise import rms_rate, with_stamp_noise
from freefloat.data.recording import Recording
from freefloat.dynamics.total_momentum import SaidMomentum
from freefloat.estimate.flight import JOINT_CLOCK, Flight, clock_of, flight_of
from freefloat.estimate.joint_curves import SplineCurves
from freefloat.estimate.wheel_curves import MeasuredWheels, SampledWheels, WheelCurves
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations, turned
from freefloat.sensors.channel import Channel
from freefloat.sensors.kinds import READINGS
from freefloat.sensors.measured import Measured
from freefloat.sensors.response import response_of
from freefloat.sensors.sensor import Sensor

_SAME = 1.5  # times the spacing of other knots: as fine as these
_GUESS, _SMALLEST = 0.05, 1e-3  # noise of torques of which nobody said it, over their size; size over the largest
_OFTEN = 0.7  # of the readings: if fewer are new, the rest may repeat the last


def recorded_flight(
    recording: Recording,
    robot: Robot,
    processed: Processed,
    sensors: Iterable[Sensor] = (),
    settings: ProcessSettings | None = None,
    momentum: SaidMomentum = "zero",
    walks: Mapping[str, ArrayLike] | None = None,
    without: tuple[str, ...] = (),
    name: str = "flight",
) -> Flight:
    """The flight of a recording.

    processed: the same on one time base. sensors: what is known of noise, mountings and clocks. walks: as in `Flight`.
    Joints that were filtered have no curves: their flight is that of the samples.
    """
    sampled = flight_of(processed, momentum, walks, without, name)
    if robot.joints and processed.projection is None and processed.curves is None:
        return sampled
    chosen, known = settings or ProcessSettings(), tuple(sensors)
    channels, _ = chosen_channels(recording, robot, chosen, known)
    task = _Readings(channels, robot, known, chosen, dict(walks or {}), *_span(channels, processed))
    clock = task.joint_clock
    wheels = task.wheels(sampled, clock)
    lacking = task.torques_lacking
    return on_common_knots(
        replace(sampled, own_instants=task.all(), wheels=wheels, clock=clock, torques_lacking=lacking)
    )


def on_common_knots(flight: Flight) -> Flight:
    """The flight with curves of joints and wheels on the same knots, fine enough for both."""
    joints, wheels = flight.curves, flight.wheels
    if not isinstance(joints, SplineCurves) or not isinstance(wheels, MeasuredWheels):
        return flight
    own = wheels.curves.spline.spacing_s
    while joints.curves.spline.spacing_s > own * _SAME:
        finer = joints.curves.finer()
        if finer is None:
            break
        joints = SplineCurves(finer)
    found = on_knots(wheels.curves.readings, joints.curves.spline)
    return replace(flight, curves=joints, wheels=replace(wheels, curves=found))


def on_finer_knots(flight: Flight) -> Flight | None:
    """The flight with curves on knots half as far apart; None if readings are too few for that."""
    joints, wheels = flight.curves, flight.wheels
    if isinstance(joints, SplineCurves):
        finer = joints.curves.finer()
        return None if finer is None else on_common_knots(replace(flight, curves=SplineCurves(finer)))
    if isinstance(wheels, MeasuredWheels):
        finer = wheels.curves.finer()
        return None if finer is None else replace(flight, wheels=replace(wheels, curves=finer))
    return None


def _span(channels: Mapping[str, Channel], processed: Processed) -> tuple[float, float]:
    """From when to when the joints are known [s]; all the time where there are none."""
    read = joint_channel(channels)
    if read is None:
        return -np.inf, np.inf
    start, end = float(read.t[0]), float(read.t[-1])
    if processed.projection is None:
        return start, end
    begin = processed.projection.start_s
    return max(start, begin), min(end, begin + processed.projection.command.duration_s)


@dataclass(frozen=True, slots=True, eq=False)
class _Readings:
    """Channels of a recording between two instants [s], as a likelihood compares them."""

    channels: Mapping[str, Channel]
    robot: Robot
    sensors: tuple[Sensor, ...]
    settings: ProcessSettings
    walks: Mapping[str, ArrayLike]
    start_s: float
    end_s: float

    def all(self) -> dict[str, Measured]:
        """By array, what was measured of the base, and of the joints' rates."""
        found = dict[str, Measured]()
        for reading in READINGS:
            given = [self.channels[name] for name in reading.quantities if name in self.channels]
            measured = self._of(reading.array, given[0]) if given else None
            if measured is not None:
                found[reading.array] = measured
        return found

    def _of(self, array: str, channel: Channel) -> Measured | None:
        own = {
            "attitude": self._attitude,
            "position": self._position,
            "v": self._velocity,
            "joint_rates": self._joint_rates,
            "specific_force": self._specific_force,
            "joint_torques": self._joint_torques,
        }
        inside = (channel.t >= self.start_s) & (channel.t <= self.end_s)
        if inside.sum() < 2:
            return None
        within = channel.at_rows(inside)
        found = own.get(array, self._turned)(within, self._known(channel))
        if found is None:
            return None
        walk, sensor = np.asarray(self.walks.get(array, 0.0), float), self.sensor_of(channel)
        sd = found.sd
        if sensor is not None and array == "attitude":  # a rotation is twice as far as its quaternion
            moved = rms_rate(found.t, 2.0 * found.values, np.full(4, sd.mean()))
            sd = np.hypot(sd, sensor.stamp_sd_s * float(np.linalg.norm(moved)) / np.sqrt(3.0))
        elif sensor is not None:
            sd = with_stamp_noise(sd, sensor.stamp_sd_s, found.t, found.values)
        return replace(
            found,
            sd=sd,
            walk=np.broadcast_to(walk, sd.shape),
            clock=self.clock(channel),
            response=response_of(sensor),
        )

    def _known(self, channel: Channel) -> Known:
        return known_of(channel, self.robot, self.sensors, self.settings)

    def sensor_of(self, channel: Channel) -> Sensor | None:
        """The sensor that gives a channel; None if nobody declared it."""
        given = sensor_behind(channel, self.robot, self.sensors)
        return None if given is None else given[0]

    def clock(self, channel: Channel) -> str:
        """The clock by which a channel was stamped: that of its sensor, by default its own.

        Of joints' rates it is theirs, and so it is of torques that were stamped together with positions.
        """
        sensor = self.sensor_of(channel)
        together = channel.quantity == "dq" or (channel.quantity == "tau" and self._stamped_with_joints(channel))
        if together and (sensor is None or not sensor.clock):
            return self.joint_clock
        return channel.name if sensor is None else clock_of(sensor, channel.name)

    def _stamped_with_joints(self, channel: Channel) -> bool:
        joints = self.channels.get("q")
        return joints is not None and np.array_equal(joints.t, channel.t)

    @property
    def joint_clock(self) -> str:
        """The clock by which the encoders were stamped, or without them the joints' rates."""
        read = joint_channel(self.channels)
        sensor = None if read is None else self.sensor_of(read)
        return JOINT_CLOCK if read is None or sensor is None else clock_of(sensor, read.name)

    # ------------------------------------------------------------------ the base

    def _turned(self, channel: Channel, known: Known) -> Measured:
        """Three axes turned into those of the base, calibrated where there is a calibration."""
        raw, M = channel.of(AXES), known.mounting.R
        if channel.name in self.settings.calibrations:
            calibration = self.settings.calibrations[channel.name]
            raw, M = raw + calibration.bias, M @ calibration.matrix
        return Measured(channel.t, raw @ M.T, np.sqrt(M**2 @ self._sd(channel, known) ** 2), own_axes=known.mounting.R)

    def _specific_force(self, channel: Channel, known: Known) -> Measured:
        """At the sensor's own place; where its sensor says no noise, that is what readings leave of smooth curves."""
        said = known if known.noise_sd is not None and known.noise_sd.all() else replace(known, noise_sd=None)
        return replace(self._turned(channel, said), arm=known.mounting.p)

    def _sd(self, channel: Channel, known: Known) -> Array:
        """Of a reading along the sensor's axes, rounding included, shape (3,)."""
        if known.noise_sd is None:  # of readings at instants that need not be even
            return measured_curves(CurveReadings(channel.t, channel.of(AXES), np.full(3, np.nan))).noise_sd
        return np.hypot(known.noise_sd, 0.0 if known.rounding is None else known.rounding / np.sqrt(12.0))

    def _attitude(self, channel: Channel, known: Known) -> Measured:
        attitude = base_attitude(channel.of((*AXES, "w")), known.mounting)
        return Measured(channel.t, attitude, attitude_noise(channel, known, attitude), own_axes=known.mounting.R)

    def _position(self, channel: Channel, known: Known) -> Measured | None:
        place, arm = channel.of(AXES), known.mounting.p
        if arm.any():
            R = self._rotations(channel.t)
            if R is None:
                return None
            place = place - R @ arm
        return Measured(channel.t, place, self._sd(channel, known))

    def _velocity(self, channel: Channel, known: Known) -> Measured | None:
        """Velocity of the sensor's own place, in base axes."""
        if channel.quantity != "velocity":
            return replace(self._turned(channel, known), arm=known.mounting.p)
        R = self._rotations(channel.t)
        if R is None:
            return None
        v = turned(R.swapaxes(1, 2), channel.of(AXES))
        sd = np.full(3, np.sqrt((self._sd(channel, known) ** 2).mean()))
        return Measured(channel.t, v, sd, arm=known.mounting.p, own_axes=known.mounting.R)

    def _rotations(self, t: Array) -> Array | None:
        """Attitudes as measured, between their instants where need be, shape (n, 3, 3)."""
        channel = self.channels.get("attitude")
        if channel is None:
            return None
        attitude = base_attitude(channel.of((*AXES, "w")), self._known(channel).mounting)
        if not np.array_equal(channel.t, t):
            attitude = resample(channel.t, attitude, np.clip(t, channel.t[0], channel.t[-1]))
        return rotations(attitude / np.linalg.norm(attitude, axis=1, keepdims=True))

    # ------------------------------------------------------------------ joints and wheels

    def _joint_rates(self, channel: Channel, known: Known) -> Measured | None:
        """Rates of all joints; None without a declared sensor: many logs hold readings of encoders, differentiated.

        None also without positions, for then curves are made of the rates.
        """
        names = self.robot.joint_names
        if "q" not in self.channels or self.sensor_of(channel) is None or not set(names) <= set(channel.components):
            return None
        values, sd = channel.of(names), _sd_of(names, channel, known)
        if np.isnan(sd).any():
            sd = np.hypot(noise_level(evenly(channel.t, values).values), rounding_step(values) / np.sqrt(12.0))
            if not sd.all():
                return None
        return Measured(channel.t, values, sd)

    @property
    def torques_lacking(self) -> tuple[str, ...]:
        """Joints whose torques were not recorded; none where nobody recorded any."""
        channel = self.channels.get("tau")
        return () if channel is None else tuple(n for n in self.robot.joint_names if n not in channel.components)

    def _joint_torques(self, channel: Channel, known: Known) -> Measured | None:
        """Torques of all joints of a robot on the ground; of others they are not compared.

        Where nobody says their noise, what a model leaves of them will tell.
        """
        names = self.robot.joint_names
        if self.robot.base != "fixed" or not set(names) <= set(channel.components):
            return None
        values, sd = channel.of(names), _sd_of(names, channel, known)
        noise = None if known.noise_sd is None else known.noise_sd[[channel.components.index(name) for name in names]]
        said = np.zeros(len(names), dtype=bool) if noise is None else noise > 0.0  # rounding alone is not what errs
        if said.all():
            return Measured(channel.t, values, sd)
        size = np.sqrt((values**2).mean(axis=0))
        guess = _GUESS * np.maximum(size, _SMALLEST * size.max(initial=1e-9))
        return Measured(channel.t, values, np.where(said, sd, guess), guessed=True)

    def wheels(self, sampled: Flight, reference: str) -> WheelCurves | None:
        """Rates of the wheels as tachometers measured them, else as the samples have them by the joints' clock."""
        channel, names = self.channels.get("wheel"), tuple(wheel.name for wheel in self.robot.wheels)
        rates = sampled.samples.wheel_rates
        if not names or rates is None:
            return None
        if channel is None or not set(names) <= set(channel.components):
            return SampledWheels(sampled.t, rates, sampled.samples.wheel_accelerations, reference)
        known, values = self._known(channel), channel.of(names)
        new = _renewed(values)
        t, values = channel.t[new], values[new]
        sd = with_stamp_noise(_sd_of(names, channel, known), known.stamp_sd_s, t, values)
        readings = CurveReadings(t, values, sd, rounding=_step_of(names, channel, known))
        span = max(self.start_s, float(channel.t[0])), min(self.end_s, float(channel.t[-1]))
        return MeasuredWheels(measured_curves(readings, span), self.clock(channel))


def _renewed(values: Array) -> NDArray[np.bool_]:
    """Which readings (n, k) are new: a sensor slower than whoever writes them down is read again and again.

    Repeated values are such a hold if those that follow each other differ by more than the smallest step there is;
    else it is that step which repeats them, and all count.
    """
    change = np.abs(np.diff(values, axis=0))
    new = np.concatenate([[True], change.any(axis=1)])
    step = rounding_step(values)
    held = all((column[column > 0.0] > 1.5 * least).mean() > 0.5 for column, least in zip(change.T, step, strict=True))
    return new if new.sum() >= FEWEST and new.mean() < _OFTEN and held else np.ones(len(values), dtype=bool)


def _sd_of(names: tuple[str, ...], channel: Channel, known: Known) -> Array:
    """Of readings of these joints or wheels, rounding included, shape (names,); NaN if nobody said."""
    if known.noise_sd is None:
        return np.full(len(names), np.nan)
    place = [channel.components.index(name) for name in names]
    return np.hypot(known.noise_sd[place], _step_of(names, channel, known) / np.sqrt(12.0))


def _step_of(names: tuple[str, ...], channel: Channel, known: Known) -> Array:
    """That readings of these joints or wheels are rounded to, shape (names,); zeros if nobody said."""
    if known.rounding is None:
        return np.zeros(len(names))
    return known.rounding[[channel.components.index(name) for name in names]]
