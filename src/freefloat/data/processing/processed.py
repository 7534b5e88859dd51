"""What processing is told, and what comes out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.differentiation import Differentiator
from freefloat.data.processing.filtering import LowPass, LowPassBySpectrum
from freefloat.data.processing.imu_model import Calibration
from freefloat.data.processing.measured_curves import MeasuredCurves
from freefloat.data.processing.projection import Projection
from freefloat.data.processing.time_offset import GyroDelay
from freefloat.dynamics.samples import Samples
from freefloat.frozen import Content, FrozenMapping
from freefloat.robot.model import Robot
from freefloat.robot.transform import Transform
from freefloat.sensors.channel import Channel
from freefloat.sensors.sensor import MountedSensor, Output, Sensor
from freefloat.sensors.truth import Layout


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """How to process; the defaults suit most recordings.

    start_s: when the command began, on the recording's clock [s]; found from the joints unless given.
    joints: a method by which all joints are filtered, instead of projection on the command or measured curves;
        or a low-pass from their spectrum.
    gyro: a low-pass for angular rates, one from their spectrum, or None for none, except what
        going to a lower rate takes.
    torques: a low-pass of joint torques, or one from the spectrum of the joints' positions, and the same of the joints,
        unless these are projected or filtered as asked: rows of torques compare the two. None for none.
    per_cutoff: samples in a period of that low-pass' cut-off, where nobody gives their rate.
    delays_s: by channel: how late its stamps are [s]; taken off before anything else.
    calibrations: of gyros, by channel, applied to raw readings.
    mountings: by channel: the sensor's frame in the base, instead of what the sensors say.
    encoder_noise_sd: of a sample [rad or m], where the sensors do not say; else read from the data.
    start_positions: of joints by name at the first reading [rad or m], where only their rates were recorded; those of
        the command unless given.
    start_sd: by joint, how far off its start may be [rad or m] by what is estimated along; zero unless given.
    seek_delay: whether to estimate how late the gyro is; it is said, not taken off.
    most_samples: on the common time base; where there are more, one in so many is taken. None for all.
    velocity_from_position: whether positions are differentiated where no velocity was recorded: rows of linear methods
        need it, while others predict positions.
    false_alarm: of the tests of whether joints follow the command, for each joint.
    """

    start_s: float | None = None
    joints: Differentiator | LowPassBySpectrum | None = None
    gyro: LowPass | LowPassBySpectrum | None = None
    torques: LowPass | LowPassBySpectrum | None = None
    per_cutoff: float = 2.5
    delays_s: Mapping[str, float] = field(default_factory=dict)
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    mountings: Mapping[str, Transform] = field(default_factory=dict)
    encoder_noise_sd: float | None = None
    start_positions: Mapping[str, float] = field(default_factory=dict)
    start_sd: Mapping[str, float] = field(default_factory=dict)
    seek_delay: bool = True
    most_samples: int | None = None
    velocity_from_position: bool = False
    false_alarm: float = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Processed(Content):
    """Samples on one time base, and how they came about.

    samples: what regressors read; `t` is on the recording's clock.
    noise: by name of an array of the samples: standard deviation of one of its rows, shape (k,); of an attitude,
        of a rotation vector [rad], shape (3,).
    steps: by channel, what was done to it. notes: further sentences. warnings: those that ask for a decision.
    shared: by name of an array: how many of its rows come from one reading, more than one for slow sensors.
    velocity_point: where on the base `v` was measured, base axes, (3,) [m]; the measured rates took it to the origin.
    torque_filter: low-pass that joint torques, and joints, went through; None for none.
    projection: of the joints on the command; None if they do not follow it, or there is none.
    curves: of the joints, as encoders measured them; None if they were projected, or filtered.
    gaps: a sentence for every channel with gaps, across which the samples are interpolated.
    gyro_delay: None where it was not sought or cannot be told.
    """

    samples: Samples
    noise: Mapping[str, Array]
    steps: Mapping[str, str]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    projection: Projection | None = None
    curves: MeasuredCurves | None = None
    gaps: tuple[str, ...] = ()
    gyro_delay: GyroDelay | None = None
    shared: Mapping[str, float] = field(default_factory=dict)
    velocity_point: Array = field(default_factory=lambda: np.zeros(3))
    torque_filter: LowPass | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", FrozenMapping(dict(self.noise)))
        object.__setattr__(self, "steps", FrozenMapping(dict(self.steps)))
        object.__setattr__(self, "shared", FrozenMapping(dict(self.shared)))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was done to each channel, then notes: all but the warnings."""
        return (*(f"{name}: {step}" for name, step in self.steps.items()), *self.notes)

    def as_text(self) -> str:
        """All of it in lines of text."""
        return "\n".join([*self.sentences, *(f"warning: {sentence}" for sentence in self.sampled_warnings)])

    @property
    def sampled_warnings(self) -> tuple[str, ...]:
        """Warnings for whoever reads the samples, gaps among them."""
        return (*self.warnings, *(f"{gap}: values there are interpolated" for gap in self.gaps))


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of the sensor behind a channel.

    noise_sd: of a sample, in the order of the channel's components (of an attitude: of its three axes); None if
    nobody said. rounding: its step, likewise. mounting: its frame in the base.
    stamp_sd_s: by how much stamps are off the instants that readings show, reading by reading [s].
    """

    noise_sd: Array | None = None
    rounding: Array | None = None
    mounting: Transform = field(default_factory=Transform)
    stamp_sd_s: float = 0.0

    @property
    def of_something_real(self) -> Known:
        """The same of a sensor that is not simulated: no noise at all means that nobody said it."""
        said = [level for level in (self.noise_sd, self.rounding) if level is not None]
        return self if any(level.any() for level in said) else replace(self, noise_sd=None, rounding=None)


def sensor_behind(channel: Channel, robot: Robot, sensors: Iterable[Sensor]) -> tuple[Sensor, Output] | None:
    """The sensor that gives a channel, and that output of it; None if nobody declared it."""
    outputs = ((sensor, output) for sensor in sensors for output in sensor.outputs(Layout.of(robot)))
    return next(((sensor, output) for sensor, output in outputs if output.channel == channel.name), None)


def with_gain(channel: Channel, robot: Robot, sensors: Iterable[Sensor]) -> Channel:
    """The channel as what its sensor reads of the motion, where something else is recorded: a current for a torque."""
    given = sensor_behind(channel, robot, sensors)
    if given is None or not (given[1].gain != 1.0).any():
        return channel
    gains = dict(zip(given[1].components, given[1].gain.tolist(), strict=True))
    return replace(channel, values=channel.values * [gains.get(name, 1.0) for name in channel.components])


def known_of(channel: Channel, robot: Robot, sensors: Iterable[Sensor], settings: ProcessSettings) -> Known:
    """What the sensors of a mission, or the settings, say of the channel."""
    found, given = Known(), sensor_behind(channel, robot, sensors)
    if given is not None:
        sensor, output = given
        frame = sensor.frame() if isinstance(sensor, MountedSensor) else Transform()
        levels = _ordered(channel, output.components, output.noise.white_sd, output.resolution)
        found = Known(*levels, frame, sensor.stamp_sd_s)
    if channel.name in settings.mountings:
        found = replace(found, mounting=settings.mountings[channel.name])
    return found


def _ordered(channel: Channel, given: tuple[str, ...], noise: Array, step: Array) -> tuple[Array, Array]:
    """Noise and step in the order of the channel's own components; NaN of those that the sensor does not speak of."""
    if channel.quantity == "attitude":
        return noise, np.zeros(noise.size)
    spoken = [place for place, name in enumerate(channel.components) if name in given]
    levels = np.full((2, len(channel.components)), np.nan)
    levels[:, spoken] = np.array([noise, np.broadcast_to(step, noise.shape)])[
        :, [given.index(channel.components[place]) for place in spoken]
    ]
    return levels[0], levels[1]
