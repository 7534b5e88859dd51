"""Eight robots as plain numbers, with the sensors they carry and what is said to be known of them.

Nothing here or in the other generating files (`truth`, `motion`, `flights`, `readings`, `documents`) comes from the
package that is tried: what a robot is, how it flies and what its sensors read is said a second time, by others' means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DEGREE = np.pi / 180.0
ARCSEC = DEGREE / 3600.0


def turned(roll_deg: float, pitch_deg: float, yaw_deg: float) -> np.ndarray:
    """Rotation matrix of angles about fixed axes x, then y, then z, shape (3, 3)."""
    (a, b, c), (x, y, z) = (f(np.array([roll_deg, pitch_deg, yaw_deg]) * DEGREE) for f in (np.cos, np.sin))
    about_x = np.array([[1, 0, 0], [0, a, -x], [0, x, a]])
    about_y = np.array([[b, 0, y], [0, 1, 0], [-y, 0, b]])
    about_z = np.array([[c, -z, 0], [z, c, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def rotation(vector: object) -> np.ndarray:
    """Rotation matrix of a rotation vector [rad] (Rodrigues), shape (3, 3)."""
    (x, y, z), angle = np.asarray(vector, float), float(np.linalg.norm(np.asarray(vector, float)))
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    half = np.sinc(0.5 * angle / np.pi)
    return np.eye(3) + np.sinc(angle / np.pi) * across + 0.5 * half**2 * across @ across


@dataclass(frozen=True)
class Mass:
    """How heavy a body is, and where.

    com: in the body's frame [m]. radius: root mean square distance of its mass from there [m]. ratios: of the moments
    about x, y and z to their mean; near one, so that a body that is a tenth off can still exist. products: entries xy,
    xz, yz of the inertia matrix over the mean moment.
    """

    mass_kg: float
    com: tuple[float, float, float]
    radius: float
    ratios: tuple[float, float, float] = (1.0, 1.0, 1.0)
    products: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def inertia(self) -> np.ndarray:
        """About the centre of mass, shape (3, 3) [kg m^2]; the trace of it is twice m times radius squared."""
        xy, xz, yz = self.products
        shape = np.diag(self.ratios) + np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
        return 2.0 / 3.0 * self.mass_kg * self.radius**2 * shape


@dataclass(frozen=True)
class Body:
    """A body on a joint: where its frame is in the parent's at joint position zero, and how it moves.

    rpy_deg: as for `turned`. axis: in the body's own frame, of any length. kind: `revolute`, `prismatic` or `fixed`.
    turn: rotation vector, in the body's own frame, by which it is turned beyond that [rad]; of robots that were not
        built as the CAD model has them.
    """

    name: str
    parent: str
    xyz: tuple[float, float, float]
    rpy_deg: tuple[float, float, float]
    weighs: Mass
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    kind: str = "revolute"
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def rotation(self) -> np.ndarray:
        """From its axes to the parent's at joint position zero, shape (3, 3)."""
        return turned(*self.rpy_deg) @ rotation(self.turn)

    @property
    def joint(self) -> str:
        """Name of its joint."""
        return f"{self.name}-joint"

    @property
    def unit_axis(self) -> np.ndarray:
        """The axis, of length one, shape (3,)."""
        return np.array(self.axis) / np.linalg.norm(self.axis)


@dataclass(frozen=True)
class Wheel:
    """A reaction wheel that is round about its axis; its mass and inertia at rest count as the base's.

    axis: of unit length, base frame. spin, across: inertia about the axis and across it [kg m^2].
    bias, swing: its rate is about this, and varies by as much either way [rad/s].
    """

    name: str
    axis: tuple[float, float, float]
    place: tuple[float, float, float]
    mass_kg: float
    spin: float
    across: float
    bias: float
    swing: float


@dataclass(frozen=True)
class Mount:
    """Where a sensor sits in the base, and how it is turned."""

    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Gyro:
    """Angular rates. walk: angle random walk [deg/sqrt(h)]."""

    rate_Hz: float
    walk: float
    mount: Mount = Mount()


@dataclass(frozen=True)
class Tracker:
    """Attitude. noise_arcsec: about each of its axes."""

    rate_Hz: float
    noise_arcsec: tuple[float, float, float]
    mount: Mount = Mount()


@dataclass(frozen=True)
class Camera:
    """Position of its own origin and attitude of its own frame."""

    rate_Hz: float
    position_noise_m: float
    attitude_noise_deg: float
    mount: Mount = Mount()


@dataclass(frozen=True)
class Prior:
    """How far the CAD model is trusted: of masses; of centres, over `Mass.radius`; of moments, over their mean."""

    mass: float
    com: float
    inertia: float


@dataclass(frozen=True)
class Stranger:
    """A robot with its sensors.

    known: by name of a body, the relative standard deviation to which all of it is known.
    tumble: standard deviation of the base's first rate [rad/s]; zero for no angular momentum, which the mission then
        says; else it says that momentum is unknown. fastest: how fast joints move [rad/s or m/s].
    """

    name: str
    base: Mass
    bodies: tuple[Body, ...]
    prior: Prior
    known: dict[str, float]
    gyro: Gyro
    encoder_Hz: float = 100.0
    encoder_noise: float = 2.5e-5
    slide_noise: float = 2.5e-5
    tracker: Tracker | None = None
    camera: Camera | None = None
    wheels: tuple[Wheel, ...] = ()
    tachometer_Hz: float = 50.0
    tachometer_noise: float = 0.0
    tumble: float = 0.0
    fastest: float = 0.5
    slides: float = 0.1

    @property
    def moving(self) -> tuple[Body, ...]:
        """Bodies whose joint moves, in the order of the robot's coordinates."""
        return tuple(body for body in self.bodies if body.kind != "fixed")


# ---------------------------------------------------------------------- the eight

UP = (0.0, 0.0, 1.0)
LOAD = ((1.1, 0.9, 1.0), (0.06, -0.05, 0.04))  # its ratios and products


def link(mass_kg: float, length: float, lean: float = 0.1) -> Mass:
    """A link along z of its own frame, its centre somewhat beside the line."""
    com = (lean * length, -0.7 * lean * length, 0.45 * length)
    return Mass(mass_kg, com, 0.45 * length, (1.08, 1.04, 0.88), (0.03, -0.04, 0.02))


def load(mass_kg: float, radius: float) -> Mass:
    """A load whose centre is beside its joint's axis: only then does it show how heavy all else is."""
    return Mass(mass_kg, (0.9 * radius, 0.4 * radius, 0.6 * radius), radius, *LOAD)


CUBESAT = Stranger(
    "cubesat",
    Mass(3.7, (0.004, -0.006, 0.01), 0.09, (1.05, 0.95, 1.0), (0.02, -0.03, 0.01)),
    (
        Body("shoulder", "base", (0.05, 0.0, 0.1), (0, 0, 0), link(0.6, 0.2)),
        Body("elbow", "shoulder", (0.0, 0.0, 0.2), (90, 0, 0), link(0.4, 0.2)),
        Body("load", "elbow", (0.0, 0.0, 0.2), (-90, 0, 35), load(0.3, 0.07)),
    ),
    Prior(0.08, 0.08, 0.07),
    {"load": 0.005},
    Gyro(100.0, 0.05, Mount((0.02, 0.03, -0.04), (90, 0, 90))),
    fastest=0.35,
)

INSPECTOR = Stranger(
    "inspector",
    Mass(104.0, (0.01, -0.02, 0.03), 0.38, (1.06, 0.98, 0.96), (0.02, 0.01, -0.03)),
    (
        Body("yaw", "base", (0.3, 0.1, 0.45), (0, 0, 20), link(8.0, 0.35)),
        Body("upper", "yaw", (0.0, 0.0, 0.35), (90, 0, 0), link(7.0, 0.6)),
        Body("fore", "upper", (0.0, 0.0, 0.6), (0, 90, 0), link(5.0, 0.5)),
        Body("load", "fore", (0.0, 0.0, 0.5), (0, -80, 0), load(6.0, 0.22)),
    ),
    Prior(0.1, 0.1, 0.08),
    {"load": 0.002},
    Gyro(100.0, 0.01, Mount((0.1, -0.2, 0.05), (180, 0, 45))),
    encoder_Hz=200.0,
)

SLIDER = Stranger(
    "slider",
    Mass(236.0, (-0.02, 0.01, 0.0), 0.5, (0.94, 1.0, 1.06), (-0.02, 0.03, 0.01)),
    (
        Body("turret", "base", (0.0, 0.4, 0.5), (0, 0, 0), link(14.0, 0.3)),
        Body("upper", "turret", (0.0, 0.0, 0.3), (90, 0, 30), link(12.0, 0.5)),
        Body("boom", "upper", (0.0, 0.0, 0.6), (0, 15, 0), link(10.0, 0.6), UP, "prismatic"),
        Body("roll", "boom", (0.0, 0.0, 0.6), (0, 0, 0), link(7.0, 0.3)),
        Body("wrist", "roll", (0.0, 0.05, 0.3), (-90, 0, 0), link(5.0, 0.3)),
        Body("load", "wrist", (0.05, 0.0, 0.3), (0, 90, 0), load(16.0, 0.3)),
    ),
    Prior(0.07, 0.07, 0.07),
    {"load": 0.003},
    Gyro(100.0, 0.01, Mount((0.3, 0.2, -0.1), (0, 90, 0))),
    fastest=0.4,
)

TWINS = Stranger(
    "twins",
    Mass(140.0, (0.0, 0.01, -0.02), 0.42, (1.0, 1.05, 0.95), (0.01, 0.02, 0.02)),
    (
        Body("left1", "base", (0.3, 0.4, 0.3), (0, 0, 0), link(6.0, 0.4)),
        Body("left2", "left1", (0.0, 0.0, 0.4), (90, 0, 0), link(5.0, 0.5)),
        Body("left3", "left2", (0.0, 0.0, 0.5), (0, 90, 0), link(3.0, 0.3)),
        Body("right1", "base", (0.3, -0.4, 0.3), (90, 0, 0), link(6.0, 0.4)),
        Body("right2", "right1", (0.0, 0.0, 0.4), (0, 90, 0), link(5.0, 0.5)),
        Body("right3", "right2", (0.0, 0.0, 0.5), (-90, 0, 0), link(3.0, 0.3)),
        Body("load", "right3", (0.1, 0.05, 0.3), (0, 30, 0), load(9.0, 0.25), UP, "fixed"),
    ),
    Prior(0.08, 0.06, 0.08),
    {"right3": 0.01, "load": 0.002},
    Gyro(100.0, 0.01, Mount((-0.2, 0.0, 0.3), (0, 0, -90))),
    encoder_Hz=50.0,
    fastest=0.4,
)

TUG = Stranger(
    "tug",
    Mass(1790.0, (0.05, -0.03, 0.1), 1.1, (1.08, 0.96, 0.96), (0.02, -0.01, 0.02)),
    (
        Body("link1", "base", (0.4, 0.2, 1.0), (0, 0, 0), link(35.0, 0.4)),
        Body("link2", "link1", (0.0, 0.0, 0.4), (90, 0, 0), link(30.0, 1.2)),
        Body("link3", "link2", (0.0, 0.1, 1.2), (0, 0, 90), link(25.0, 1.0)),
        Body("link4", "link3", (0.0, 0.0, 1.0), (0, 90, 0), link(18.0, 0.4)),
        Body("link5", "link4", (0.0, 0.0, 0.4), (-90, 0, 0), link(12.0, 0.4)),
        Body("link6", "link5", (0.0, 0.0, 0.4), (90, 0, 0), link(10.0, 0.3)),
        Body("load", "link6", (0.0, 0.0, 0.3), (0, -90, 0), load(80.0, 0.6)),
    ),
    Prior(0.05, 0.05, 0.05),
    {"load": 0.005},
    Gyro(100.0, 0.005, Mount((0.5, 0.5, -0.8), (0, 180, 0))),
    tracker=Tracker(5.0, (5.0, 5.0, 30.0), Mount((0.7, 0.0, -0.6), (0, -60, 0))),
    tumble=0.003,
)

WHEELED = Stranger(
    "wheeled",
    Mass(72.0, (0.01, 0.0, -0.01), 0.35, (1.04, 1.0, 0.96), (0.02, -0.02, 0.01)),
    (
        Body("link1", "base", (0.2, 0.0, 0.4), (0, 0, 0), link(6.0, 0.3)),
        Body("link2", "link1", (0.0, 0.0, 0.3), (90, 0, 0), link(5.0, 0.4)),
        Body("link3", "link2", (0.0, 0.0, 0.4), (0, 90, 0), link(4.0, 0.4)),
        Body("link4", "link3", (0.0, 0.0, 0.4), (90, 0, 0), link(3.0, 0.3, 0.4)),
    ),
    Prior(0.08, 0.08, 0.08),
    {},
    Gyro(100.0, 0.01, Mount((0.1, 0.1, 0.1), (45, 0, 0))),
    wheels=(
        Wheel("wx", (1.0, 0.0, 0.0), (0.1, 0.0, -0.1), 1.0, 0.005, 0.003, 40.0, 60.0),
        Wheel("wy", (0.0, 1.0, 0.0), (0.0, 0.1, -0.1), 1.0, 0.005, 0.003, -30.0, 60.0),
        Wheel("wd", (0.6, 0.0, 0.8), (0.0, 0.0, -0.2), 1.2, 0.006, 0.0035, 25.0, 50.0),
    ),
    tachometer_noise=0.02,
)

CRAB = Stranger(
    "crab",
    Mass(320.0, (0.0, 0.02, 0.01), 0.6, (0.98, 1.04, 0.98), (0.01, -0.02, 0.02)),
    (
        Body("left1", "base", (0.3, 0.5, 0.4), (0, 0, 0), link(8.0, 0.3)),
        Body("left2", "left1", (0.0, 0.0, 0.3), (90, 0, 0), link(7.0, 0.5)),
        Body("left3", "left2", (0.0, 0.05, 0.5), (0, 90, 0), link(6.0, 0.4)),
        Body("left4", "left3", (0.0, 0.0, 0.4), (-90, 0, 0), link(5.0, 0.3)),
        Body("left5", "left4", (0.0, 0.0, 0.3), (0, 90, 0), link(4.0, 0.3)),
        Body("load", "left5", (0.0, 0.0, 0.3), (90, 0, 0), load(14.0, 0.3)),
        Body("right1", "base", (0.3, -0.5, 0.4), (0, 90, 0), link(8.0, 0.3)),
        Body("right2", "right1", (0.0, 0.0, 0.3), (90, 0, 0), link(7.0, 0.5)),
        Body("right3", "right2", (0.05, 0.0, 0.5), (0, -90, 0), link(6.0, 0.4)),
        Body("right4", "right3", (0.0, 0.0, 0.4), (90, 0, 0), link(5.0, 0.3)),
        Body("right5", "right4", (0.0, 0.0, 0.3), (0, -90, 0), link(4.0, 0.3)),
        Body("right6", "right5", (0.0, 0.0, 0.3), (-90, 0, 0), link(3.0, 0.3, 0.3)),
    ),
    Prior(0.06, 0.06, 0.06),
    {"load": 0.002},
    Gyro(100.0, 0.01, Mount((0.0, 0.3, 0.0), (0, 0, 180))),
    fastest=0.3,
)

TILTED = Stranger(
    "tilted",
    Mass(45.0, (0.01, 0.02, 0.0), 0.3, (1.0, 0.95, 1.05), (0.03, 0.01, -0.02)),
    (
        Body("link1", "base", (0.15, 0.1, 0.3), (0.5, 3, 0), link(4.0, 0.3), (0.02, -0.01, 0.9997)),
        Body("link2", "link1", (0.0, 0.02, 0.3), (88, -4, 10), link(3.5, 0.4)),
        Body("link3", "link2", (0.01, 0.0, 0.4), (-1.5, 97, 0), link(3.0, 0.3), (0.1, 0.05, 0.99)),
        Body("link4", "link3", (0.0, 0.0, 0.3), (-70, 8, 0), link(2.0, 0.25)),
        Body("load", "link4", (0.0, 0.0, 0.25), (20, -75, 5), load(2.5, 0.15)),
    ),
    Prior(0.08, 0.08, 0.07),
    {"load": 0.004},
    Gyro(100.0, 0.02, Mount((0.2, -0.1, 0.15), (30, -50, 110))),
    camera=Camera(10.0, 5e-4, 0.02, Mount((0.25, -0.2, 0.1), (-20, 65, 15))),
    tumble=0.01,
)

ROBOTS = (CUBESAT, INSPECTOR, SLIDER, TWINS, TUG, WHEELED, CRAB, TILTED)
