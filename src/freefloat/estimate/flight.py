"""One recording as estimators see it: samples, how noisy they are, and what is known of the flight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.processed import Processed
from freefloat.dynamics.orbit import Orbit
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.total_momentum import SaidMomentum, TotalMomentum
from freefloat.errors import FreefloatError, ShapeError
from freefloat.estimate.joint_curves import JointCurves, ProjectedCurves, SplineCurves, through_samples
from freefloat.estimate.wheel_curves import SampledWheels, WheelCurves
from freefloat.frozen import Content, FrozenMapping
from freefloat.sensors.kinds import reading_for
from freefloat.sensors.measured import BASE_CLOCK, Measured
from freefloat.sensors.quantities import quantity_of
from freefloat.sensors.sensor import Sensor
from freefloat.sensors.walks import UnstableBias
from freefloat.simulation.simulate import Pulse

JOINT_CLOCK = "joints"


class InvalidProblem(FreefloatError):
    """Data and declarations from which nothing can be estimated."""


@dataclass(frozen=True, slots=True, eq=False)
class Flight(Content):
    """One recording.

    samples: on one time base, `t` included. Rates of the base are as measured, those of the joints as processed.
    noise: by name of an array of the samples, standard deviation of one of its rows, shape (k,) [SI]; of an
        attitude, of a rotation vector in base axes [rad]. An array without noise here counts as exact, but a
        measured base motion (w, v, attitude, position) without noise is not compared with the prediction.
    walks: by the same names, random walk of the errors after one second, shape (k,): of a gyro's bias, of a
        velocity that is an integrated acceleration.
    unstable: of such a velocity whose accelerometer's bias flickers: its walk without the flicker, and the flicker, as
        rows of a linear method weigh them; `walks` has both in one.
    momentum: total angular momentum about the centre of mass: zero, unknown, or known in base axes at the first
        sample; `"zero"`, `"unknown"` or the vector itself, shape (3,) [N m s], will do.
    curves: joint motion at any time; through the samples unless given.
    without: bodies that were not there in this flight, such as a load not yet gripped.
    every: by the same names, how many samples share one reading of a sensor that is slower than they are; only
        every so manieth is compared with the prediction.
    velocity_point: where on the base the velocity was measured, base axes [m]; `samples.v` is that of the base's
        origin, taken there by the measured rates, whose noise is in it.
    own_instants: by array of the samples, what sensors of the base said at their own instants, by their own clocks.
        Where given, estimators that predict readings compare these; else the samples.
    wheels: rates of the wheels at any time; through the samples unless given.
    clock: the reference, by which the joints were stamped.
    clocks: by array of the samples, name of the clock of the sensor behind it, that of the wheels' rates included;
        `BASE_CLOCK` unless given. `own_instants` and `wheels`, where given, have theirs in themselves.
    pulses: pushes of thrusters, by the clock of the joints; estimators that predict readings reckon with them.
    orbit: whose gravity gradient acts, in base axes at the first instant; estimators that predict readings reckon with
        it. None in free space.
    torques_lacking: joints whose torques were not recorded, where those of others were.
    torque_noise_left: whether nobody said the noise of the torques, and `noise` has what rows leave of them.
    torque_filter: that joint torques of the samples went through, so that rows filter friction, which jumps, alike.
    """

    samples: Samples
    noise: Mapping[str, Array] = field(default_factory=dict)
    walks: Mapping[str, Array] = field(default_factory=dict)
    momentum: TotalMomentum = field(default_factory=TotalMomentum.zero)
    curves: JointCurves | None = None
    without: tuple[str, ...] = ()
    name: str = "flight"
    every: Mapping[str, int] = field(default_factory=dict)
    velocity_point: Array = field(default_factory=lambda: np.zeros(3))
    own_instants: Mapping[str, Measured] | None = None
    wheels: WheelCurves | None = None
    clock: str = JOINT_CLOCK
    clocks: Mapping[str, str] = field(default_factory=dict)
    pulses: tuple[Pulse, ...] = ()
    torque_filter: LowPass | None = None
    unstable: UnstableBias | None = None
    torques_lacking: tuple[str, ...] = ()
    torque_noise_left: bool = False
    orbit: Orbit | None = None

    def __post_init__(self) -> None:
        if self.samples.t is None:
            raise InvalidProblem(f"{self.name}: samples need their times `t`")
        if not (np.diff(self.samples.t) > 0.0).all():
            raise InvalidProblem(f"{self.name}: times do not increase from sample to sample")
        for kind in ("noise", "walks"):
            object.__setattr__(self, kind, self._levels(kind))
        object.__setattr__(self, "every", FrozenMapping(dict(self.every)))
        object.__setattr__(self, "clocks", FrozenMapping(dict(self.clocks)))
        object.__setattr__(self, "pulses", tuple(self.pulses))
        try:
            object.__setattr__(self, "momentum", TotalMomentum.of(self.momentum))
        except ShapeError as error:
            raise ShapeError(f"{self.name}: {error}") from None
        self._protect("velocity_point")
        if self.curves is None:
            object.__setattr__(self, "curves", through_samples(self.samples))
        if self.own_instants is not None:
            object.__setattr__(self, "own_instants", FrozenMapping(dict(self.own_instants)))

    def _levels(self, kind: str) -> Mapping[str, Array]:
        """Standard deviations as arrays of the right width, each zero or more."""
        levels = {}
        for name, given in getattr(self, kind).items():
            values = self.samples.array(name)
            if values is None:
                continue
            width = 3 if name == "attitude" else values.shape[1]
            level = np.array(np.broadcast_to(np.asarray(given, float), (width,)))
            if not (np.isfinite(level).all() and (level >= 0.0).all()):
                raise InvalidProblem(f"{self.name}: {kind} of {name} must be zero or more")
            level.setflags(write=False)
            levels[name] = level
        return FrozenMapping(levels)

    @property
    def t(self) -> Array:
        """Times of the samples, shape (n,) [s]."""
        assert self.samples.t is not None
        return self.samples.t

    @property
    def joints(self) -> JointCurves:
        """Joint motion at any time."""
        assert self.curves is not None
        return self.curves

    def sd(self, name: str, width: int) -> Array:
        """Standard deviation of a row of one of the samples' arrays, shape (width,); zero where it is exact."""
        return self.noise.get(name, np.zeros(width))

    def readings(self, name: str) -> slice:
        """Which samples of a measured array hold readings of their own."""
        return slice(None, None, self.every.get(name, 1))

    @property
    def measured(self) -> Mapping[str, Measured]:
        """What is compared with a predicted motion of the base, by array of the samples."""
        if self.own_instants is not None:
            return self.own_instants
        return {array: self.sampled(array) for array in self.noise if reading_for(array) is not None}

    def sampled(self, array: str) -> Measured:
        """An array of the samples, as if it had been read at their instants."""
        own, samples = self.readings(array), self.samples
        values, t = samples.need(array, "a comparison")[own], self.t[own]
        sd = self.noise.get(array, np.zeros(3))
        walk = self.walks.get(array, np.zeros(sd.size))
        moved = array == "v" and samples.w is not None
        return Measured(
            t,
            values,
            sd,
            walk,
            self._clock_of(array),
            arm=self.velocity_point if moved else np.zeros(3),
            taken_by=samples.w[own] if moved and samples.w is not None else None,
        )

    @property
    def wheel_rates(self) -> WheelCurves | None:
        """Rates of the wheels at any time; None without wheels."""
        if self.wheels is not None or self.samples.wheel_rates is None:
            return self.wheels
        rates, accelerations = self.samples.wheel_rates, self.samples.wheel_accelerations
        return SampledWheels(self.t, rates, accelerations, self._clock_of("wheel_rates"))

    def _clock_of(self, array: str) -> str:
        return self.clocks.get(array, BASE_CLOCK)

    def named(self, name: str) -> Flight:
        """The same flight under another name."""
        return replace(self, name=name)


def refuse_pushed(flights: Iterable[Flight]) -> None:
    """Refuse flights with pulses, for methods that do not reckon with them."""
    for flight in flights:
        if flight.pulses:
            raise InvalidProblem(
                f"{flight.name}: thrusters pushed, which this method does not reckon with; allowed: "
                "maximum-likelihood, or recordings without pulses"
            )


def clock_of(sensor: Sensor, channel: str) -> str:
    """Name of the clock that stamps a channel of a sensor: the sensor's own unless it shares one."""
    return sensor.clock or sensor.name or channel


def flight_of(
    processed: Processed,
    momentum: SaidMomentum = "zero",
    walks: Mapping[str, ArrayLike] | None = None,
    without: tuple[str, ...] = (),
    name: str = "flight",
) -> Flight:
    """A flight from a processed recording; joints that were not filtered are known at any time.

    What was measured counts once: an attitude that is the integral of the gyro's rates, or rates that are the
    derivative of an attitude, are without noise here, so that they are not compared with the prediction.
    """
    curves: JointCurves | None = None
    if processed.projection is not None:
        curves = ProjectedCurves(processed.projection)
    elif processed.curves is not None:
        curves = SplineCurves(processed.curves)
    measured = {quantity_of(channel) for channel in processed.steps}
    derived = {array for array, quantity in (("attitude", "attitude"), ("w", "gyro")) if quantity not in measured}
    noise = {array: level for array, level in processed.noise.items() if array not in derived}
    given = {key: np.asarray(value, float) for key, value in (walks or {}).items()}
    every = {array: max(1, round(shared)) for array, shared in processed.shared.items()}
    point = processed.velocity_point
    total, low_pass = TotalMomentum.of(momentum), processed.torque_filter
    return Flight(processed.samples, noise, given, total, curves, without, name, every, point, torque_filter=low_pass)
