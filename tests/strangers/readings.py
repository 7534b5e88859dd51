"""What sensors say of a flight: each by its own clock, at irregular instants, with noise, losses and gaps.

The encoders' clock is true time. Any other sensor stamps what it reads at t with

    t (1 + drift) + offset

exactly; only the instants themselves are irregular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from strangers.flights import Flight, quaternion_product
from strangers.robots import ARCSEC, DEGREE, Mount, Stranger, rotation, turned
from strangers.truth import GYRO_BIAS_RAD_S, Truth


@dataclass(frozen=True)
class Disturbances:
    """What makes stamps irregular.

    offset_s: clocks are this late at most. own_clocks: each sensor has one of its own; else all but the encoders share
    one. drift_ppm: of a clock, at most, either way. jitter: of an instant, at most, over the interval. lost: part of
    the samples that is missing. gaps, gap_s: in every channel so many at most, so long at most.
    noise: factor of all noise and of the gyro's bias.
    """

    offset_s: float = 0.025
    own_clocks: bool = True
    drift_ppm: float = 20.0
    jitter: float = 0.2
    lost: float = 0.01
    gaps: int = 2
    gap_s: float = 1.0
    noise: float = 1.0


REGULAR = Disturbances(own_clocks=False, drift_ppm=0.0, jitter=0.0, lost=0.0, gaps=0, gap_s=0.0)


@dataclass(frozen=True)
class Clock:
    """How late a sensor stamps at time zero [s], and how much more every second."""

    offset_s: float = 0.0
    drift: float = 0.0


@dataclass(frozen=True)
class Channel:
    """Readings of one quantity: stamps (n,) [s], values (n, k), names and units of the k columns."""

    name: str
    stamps: np.ndarray
    values: np.ndarray
    components: tuple[str, ...]
    units: tuple[str, ...]


@dataclass(frozen=True)
class Recorded:
    """What was recorded in a flight, and the clocks by sensor."""

    channels: tuple[Channel, ...]
    clocks: dict[str, Clock]


def rotation_quaternion(vectors: np.ndarray) -> np.ndarray:
    """Unit quaternions w, x, y, z of rotation vectors, shape (n, 3) -> (n, 4)."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2.0 * np.pi)) * vectors], axis=-1)


def matrix_quaternion(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternion w, x, y, z of a rotation matrix: the eigenvector of the largest eigenvalue, shape (4,)."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    symmetric = np.array(
        [
            [a + e + i, h - f, c - g, d - b],
            [h - f, a - e - i, b + d, c + g],
            [c - g, b + d, e - a - i, f + h],
            [d - b, c + g, f + h, i - a - e],
        ]
    )
    return np.linalg.eigh(symmetric)[1][:, -1]


def rotated(quaternions: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector of the base's axes in inertial ones, shape (n, 4), (3,) -> (n, 3)."""
    scalar, axis = quaternions[:, :1], quaternions[:, 1:]
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + scalar * vector)


class Recorder:
    """Draws instants, clocks and noise for the sensors of one flight."""

    def __init__(self, flight: Flight, disturbances: Disturbances, rng: np.random.Generator) -> None:
        self.flight, self.disturbed, self.rng = flight, disturbances, rng
        self.clocks: dict[str, Clock] = {}
        self.shared = self._clock()

    def _clock(self) -> Clock:
        drift = 1e-6 * self.disturbed.drift_ppm * self.rng.uniform(-1.0, 1.0)
        return Clock(self.disturbed.offset_s * self.rng.uniform(), drift)

    def instants(self, rate_Hz: float) -> np.ndarray:
        """When a sensor reads, in true time, increasing, shape (n,) [s]."""
        said, rng = self.disturbed, self.rng
        count = int(self.flight.duration_s * rate_Hz) - 1
        phase = 0.5 + rng.uniform(-0.5, 0.5) * (1.0 - 2.0 * said.jitter)  # no instant is outside the flight
        t = (np.arange(count) + phase + said.jitter * rng.uniform(-1.0, 1.0, count)) / rate_Hz
        kept = rng.uniform(size=count) >= said.lost
        for _ in range(rng.integers(said.gaps + 1)):
            begin, length = rng.uniform(0.0, self.flight.duration_s), rng.uniform(0.0, said.gap_s)
            kept &= (t < begin) | (t > begin + length)
        return t[kept]

    def stamped(self, sensor: str, t: np.ndarray) -> np.ndarray:
        """Those instants by the sensor's clock, shape (n,) [s]."""
        if sensor not in self.clocks:
            self.clocks[sensor] = self._clock() if self.disturbed.own_clocks else self.shared
        clock = self.clocks[sensor]
        return t * (1.0 + clock.drift) + clock.offset_s

    def noise(self, sd: object, like: np.ndarray) -> np.ndarray:
        """White, one standard deviation for each column, the shape of `like`."""
        return self.disturbed.noise * np.asarray(sd) * self.rng.standard_normal(like.shape)

    def encoders(self, robot: Stranger, zeros: np.ndarray) -> Channel:
        """Joint positions; theirs is the clock that others are late against."""
        t = self.instants(robot.encoder_Hz)
        slides = np.array([body.kind == "prismatic" for body in robot.moving])
        q = self.flight.motion.at(t)[0][:, : slides.size] + zeros
        q += self.noise(np.where(slides, robot.slide_noise, robot.encoder_noise), q)
        units = tuple("m" if slide else "rad" for slide in slides)
        return Channel("q", t, q, tuple(body.joint for body in robot.moving), units)

    def gyro(self, robot: Stranger, misalignment: np.ndarray) -> Channel:
        """Angular rates in the axes of a gyro that is not quite as its mount."""
        gyro, t = robot.gyro, self.instants(robot.gyro.rate_Hz)
        to_sensor = rotation(misalignment).T @ turned(*gyro.mount.rpy_deg).T
        bias = self.disturbed.noise * GYRO_BIAS_RAD_S * self.rng.standard_normal(3)
        w = self.flight.rate_at(t) @ to_sensor.T + bias
        w += self.noise(gyro.walk * DEGREE / 60.0 * np.sqrt(gyro.rate_Hz), w)
        return Channel("gyro", self.stamped("gyro", t), w, tuple("xyz"), ("rad_s",) * 3)

    def attitude(self, sensor: str, t: np.ndarray, mount: Mount, sd_rad: object) -> Channel:
        """Attitude of a mounted sensor, scalar last, at these instants."""
        true = quaternion_product(self.flight.attitude_at(t), matrix_quaternion(turned(*mount.rpy_deg)))
        seen = quaternion_product(true, rotation_quaternion(self.noise(sd_rad, true[:, 1:])))
        return Channel("attitude", self.stamped(sensor, t), np.roll(seen, -1, axis=1), tuple("xyzw"), ("",) * 4)

    def tracker(self, robot: Stranger) -> Channel:
        """Attitude by stars."""
        assert robot.tracker is not None
        t = self.instants(robot.tracker.rate_Hz)
        return self.attitude("tracker", t, robot.tracker.mount, np.array(robot.tracker.noise_arcsec) * ARCSEC)

    def camera(self, robot: Stranger) -> tuple[Channel, Channel]:
        """Position of the camera's origin, and its attitude, at the same instants."""
        assert robot.camera is not None
        camera, t = robot.camera, self.instants(robot.camera.rate_Hz)
        place = self.flight.position_at(t) + rotated(self.flight.attitude_at(t), np.array(camera.mount.xyz))
        place += self.noise(camera.position_noise_m, place)
        position = Channel("position", self.stamped("camera", t), place, tuple("xyz"), ("m",) * 3)
        return position, self.attitude("camera", t, camera.mount, camera.attitude_noise_deg * DEGREE)

    def tachometers(self, robot: Stranger) -> Channel:
        """Rates of the wheels."""
        t = self.instants(robot.tachometer_Hz)
        rates = self.flight.motion.at(t)[1][:, len(robot.moving) :]
        rates = rates + self.noise(robot.tachometer_noise, rates)
        names = tuple(wheel.name for wheel in robot.wheels)
        return Channel("wheel", self.stamped("tachometers", t), rates, names, ("rad_s",) * len(names))


def recorded(
    robot: Stranger, truth: Truth, flight: Flight, disturbances: Disturbances, rng: np.random.Generator
) -> Recorded:
    """What all sensors of a robot say of a flight."""
    recorder = Recorder(flight, disturbances, rng)
    channels = [recorder.encoders(robot, truth.zeros), recorder.gyro(robot, truth.misalignment)]
    if robot.tracker:
        channels.append(recorder.tracker(robot))
    if robot.camera:
        channels.extend(recorder.camera(robot))
    if robot.wheels:
        channels.append(recorder.tachometers(robot))
    return Recorded(tuple(channels), recorder.clocks)
