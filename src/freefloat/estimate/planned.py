"""A problem from a plan: what a mission's sensors would say of a motion that is yet to be flown, without their noise.

    problem = planned_problem(robot, trajectory, mission.sensors, known={"load": 0.002})
    cramer_rao_bound(problem).sd             # how accurate the flight will be at best

Samples are exact; what is planned for is in the noise levels. A sensor that is slower or faster than the samples is
as good as one of their rate with the same information: its noise is scaled by the root of the ratio of rates.
Flicker of a gyro is not planned for, nor what taking velocities from a sensor's place to the base's origin adds.

Every sensor has the clock that a recording of it will have: its own, or the one that it shares. Against that of the
encoders each is off by an unknown offset and drift. So is that of tachometers, whose readings count as exact and dense;
without tachometers the wheels turn as they are told, by the joints' clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.data.processing.projection import Projection, project
from freefloat.dynamics.orbit import Orbit
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.total_momentum import SaidMomentum, TotalMomentum
from freefloat.estimate.flight import JOINT_CLOCK, Flight, InvalidProblem, clock_of
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.sensors.kinds import reading_of, readings_among, sources
from freefloat.sensors.quantities import quantity_of
from freefloat.sensors.reading import Reading
from freefloat.sensors.sensor import Output, Sensor
from freefloat.sensors.truth import Layout
from freefloat.sensors.walks import KNOTS, UnstableBias
from freefloat.simulation.simulate import Start, simulate_motion


def planned_problem(
    robot: Robot,
    motion: Trajectory,
    sensors: Mapping[str, Sensor] | Iterable[Sensor],
    rate_Hz: float | None = None,
    known: Mapping[str, float] | None = None,
    zero: Iterable[str] = (),
    prior: CadSpread | None = CadSpread(),  # noqa: B008  (frozen)
    momentum: SaidMomentum = "zero",
    nuisances: Nuisances = Nuisances(),  # noqa: B008  (frozen)
    start: Start | None = None,
    wheel_rates: ArrayLike | None = None,
    orbit: Orbit | None = None,
) -> Problem:
    """The problem that this motion with these sensors will pose; what is not said here, `planned_flight` says.

    known, zero, prior, nuisances: as in `Problem`. orbit: as in `Flight`.
    """
    flight = replace(planned_flight(robot, motion, sensors, rate_Hz, momentum, start, wheel_rates), orbit=orbit)
    return Problem(robot, (flight,), known or {}, tuple(zero), prior, nuisances)


def planned_flight(
    robot: Robot,
    trajectory: Trajectory,
    sensors: Mapping[str, Sensor] | Iterable[Sensor],
    rate_Hz: float | None = None,
    momentum: SaidMomentum = "zero",
    start: Start | None = None,
    wheel_rates: ArrayLike | None = None,
    name: str = "flight",
) -> Flight:
    """Noise-free samples of a motion with the noise levels of these sensors.

    rate_Hz: of the samples; the gyro's (without one: that of the fastest sensor of the base) unless given.
    momentum: what the estimator will know of the total angular momentum about the centre of mass.
    start: how the flight really begins; with that momentum if it is known, else at zero momentum, unless given.
    wheel_rates: at the start, added to the trajectory's, shape (wheels,) [rad/s].
    """
    channels = _channels(robot, sensors.values() if isinstance(sensors, Mapping) else sensors)
    measured = _measured(channels)
    own_rate = _rate(measured)
    rate = own_rate if rate_Hz is None else rate_Hz
    known = TotalMomentum.of(momentum)
    begin = start or Start(angular_momentum=known.vector)
    flown = simulate_motion(robot, trajectory, _instants(trajectory, rate), begin, wheel_rates=wheel_rates)
    joints = {key: getattr(flown, key) for key in ("q", "dq", "ddq", "wheel_rates", "wheel_accelerations", "t")}
    exact = {reading.array: reading.exact(flown) for reading in readings_among(measured)}
    samples = Samples.holding(joints | exact)
    noise = {key: channel.sd(rate) for key, channel in measured.items()}
    walks, unstable = _walks(measured, trajectory.duration_s), _unstable(measured)
    projection = _projection(robot, trajectory, channels.get("q"))
    clock, clocks = _clocks(robot, channels, measured)
    if projection is None:
        return Flight(samples, noise, walks, known, name=name, clock=clock, clocks=clocks, unstable=unstable)
    noise |= _joint_noise(projection, samples)
    curves = ProjectedCurves(projection)
    return Flight(samples, noise, walks, known, curves, name=name, clock=clock, clocks=clocks, unstable=unstable)


def sensor_walks(robot: Robot, sensors: Iterable[Sensor], duration_s: float) -> dict[str, Array]:
    """Random walks of a flight with these sensors, as in `Flight.walks`: of a gyro's bias, an integrated velocity."""
    return _walks(_measured(_channels(robot, sensors)), duration_s)


def unstable_bias(robot: Robot, sensors: Iterable[Sensor]) -> UnstableBias | None:
    """That of a flight with these sensors, as in `Flight.unstable`."""
    return _unstable(_measured(_channels(robot, sensors)))


def _measured(channels: Mapping[str, _Channel]) -> dict[str, _Channel]:
    """By array of the samples, the channel that becomes it."""
    found = {array: [channels[name] for name in names if name in channels] for array, names in sources().items()}
    return {array: given[0] for array, given in found.items() if given}


def _clocks(
    robot: Robot, channels: Mapping[str, _Channel], measured: Mapping[str, _Channel]
) -> tuple[str, dict[str, str]]:
    """The reference, which stamps the joints, and by array of the samples the clock of the sensor behind it."""
    reference = channels["q"].clock if "q" in channels else JOINT_CLOCK
    tachometer, wheels = channels.get("wheel"), {wheel.name for wheel in robot.wheels}
    read = tachometer is not None and wheels <= set(tachometer.output.components)
    spun = tachometer.clock if tachometer is not None and read else reference
    return reference, {array: channel.clock for array, channel in measured.items()} | {"wheel_rates": spun}


def _walks(measured: Mapping[str, _Channel], duration_s: float) -> dict[str, Array]:
    may_walk = {reading.array for reading in readings_among(measured) if reading.walks}
    walks = {array: channel.walk(duration_s) for array, channel in measured.items() if array in may_walk}
    return {array: walk for array, walk in walks.items() if walk.any()}


def _unstable(measured: Mapping[str, _Channel]) -> UnstableBias | None:
    """Of the channel that becomes the velocity; None if no accelerometer's bias flickers behind it."""
    channel = measured.get("v")
    if channel is None or not channel.output.noise.flicker.any():
        return None
    return UnstableBias(*channel.walk_and_flicker)


@dataclass(frozen=True, slots=True, eq=False)
class _Channel:
    """One output of a sensor."""

    sensor: Sensor
    output: Output

    @property
    def clock(self) -> str:
        """Name of the clock that stamps it."""
        return clock_of(self.sensor, self.output.channel)

    @property
    def kept_Hz(self) -> float:
        """Samples per second that are not lost."""
        return self.sensor.rate_Hz * (1.0 - self.sensor.dropouts)

    @property
    def _quantity(self) -> str:
        return quantity_of(self.output.channel)

    def sd(self, rate_Hz: float) -> Array:
        """Noise of a sample at another rate with the same information, in base axes where it has axes."""
        sd, reading = self.output.sample_sd, reading_of(self._quantity)
        turned = sd if reading is None else reading.sd_in_base_axes(self.sensor, self._quantity, sd)
        return turned * np.sqrt(rate_Hz / self.kept_Hz)

    @property
    def walk_and_flicker(self) -> tuple[Array, Array]:
        """Of an integrated acceleration: the walk after one second, and the flicker in base axes, shape (3,) each."""
        noise, reading = self.output.noise, reading_of(self._quantity)
        assert reading is not None
        walk = reading.walk_in_base_axes(self.sensor, self._quantity, noise.walk_sd)
        return walk, Reading.sd_in_base_axes(self.sensor, self._quantity, noise.flicker)

    def walk(self, duration_s: float) -> Array:
        """Random walk after one second, of what estimators compare.

        A flicker of the bias counts as the walk with its Allan deviation over the time between knots.
        """
        noise, between_s, reading = self.output.noise, duration_s / (KNOTS - 1), reading_of(self._quantity)
        if reading is None:
            return noise.walk_sd
        walk = np.hypot(noise.walk_sd, reading.walk_of_flicker(noise.flicker, between_s))
        return reading.walk_in_base_axes(self.sensor, self._quantity, walk)


def _channels(robot: Robot, sensors: Iterable[Sensor]) -> dict[str, _Channel]:
    """One output of each quantity: the one whose channel comes first by name, as in processing."""
    found = [_Channel(sensor, output) for sensor in sensors for output in sensor.outputs(Layout.of(robot))]
    found.sort(key=lambda channel: channel.output.channel, reverse=True)
    return {quantity_of(channel.output.channel): channel for channel in found}


def _rate(measured: Mapping[str, _Channel]) -> float:
    rates = {key: channel.sensor.rate_Hz for key, channel in measured.items()}
    if not rates:
        raise InvalidProblem("no sensor measures the base's motion; allowed: a gyro, star tracker, pose or velocity")
    return rates.get("w", max(rates.values()))


def _instants(trajectory: Trajectory, rate_Hz: float) -> Array:
    """Times of samples from the first to the last instant of the motion, shape (n,) [s]."""
    return np.arange(int(trajectory.duration_s * rate_Hz * (1.0 + 1e-12)) + 1) / rate_Hz


def _projection(robot: Robot, trajectory: Trajectory, encoder: _Channel | None) -> Projection | None:
    """Exact encoder samples on the command's functions, with the encoder's noise; None if it has none."""
    if encoder is None or not encoder.output.sample_sd.any():
        return None
    t = _instants(trajectory, encoder.sensor.rate_Hz)
    sd = dict(zip(encoder.output.components, encoder.sd(encoder.sensor.rate_Hz).tolist(), strict=True))
    noise = np.array([sd.get(joint, 0.0) for joint in robot.joint_names])
    return project(trajectory, t, trajectory.samples(robot, t).q, robot.joint_names, noise_sd=noise)


def _joint_noise(projection: Projection, samples: Samples) -> dict[str, Array]:
    """Noise of positions, rates and accelerations, root mean square over time, shape (joints,) each."""
    variance = np.diagonal(projection.covariance(samples.need("t", "joints")), axis1=2, axis2=3).mean(axis=0)
    return dict(zip(("q", "dq", "ddq"), np.sqrt(variance.T), strict=True))
