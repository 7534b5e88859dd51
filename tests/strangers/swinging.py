"""A servicer whose solar panels swing, and one whose fuel sloshes: as files have them, and as they are.

The servicer is that of the package's demo, an arm of seven joints with a load of known inertia, its wheels standing
still. What swings is fixed to it as far as robots of `robots.py` go; hinges come on top (`flights.Hinge`), so that the
same robot flies with them locked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from strangers.documents import Document, robot_document
from strangers.flights import Hinge, Spring, World
from strangers.robots import Body, Gyro, Mass, Mount, Prior, Stranger
from strangers.servicer import ARM, BASE, weighed
from strangers.truth import ENTRIES, Truth

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
FREQUENCY_SPREAD = 0.2  # of a spring's natural frequency, as a mission that says nothing takes it
FARTHEST = 2.5  # spreads: springs farther off are drawn again
DAMPING_RATIOS = (0.005, 0.02)  # drawn evenly by their logarithm
START_RAD = 0.05  # one standard deviation of where a hinge is at the beginning, and of its rate over its frequency
_POINT_M = 1e-5  # radius of what a file has as a point


@dataclass(frozen=True)
class Held:
    """How a body hangs, as its file has it: axes of its hinges, base axes, and its swing with the base held."""

    axes: tuple[tuple[float, float, float], ...]
    frequency_Hz: float
    damping_ratio: float


@dataclass(frozen=True)
class Swinging:
    """A robot with bodies that swing, all of them on its base and parallel to it. held: by name of the body."""

    robot: Stranger
    held: dict[str, Held]

    @property
    def axes(self) -> dict[str, tuple[tuple[float, float, float], ...]]:
        """Of all hinges, by name of the body."""
        return {name: held.axes for name, held in self.held.items()}


def _servicer(name: str, *swings: Body) -> Stranger:
    """Inertias are less far off than masses and centres: most of the arm's links could not exist otherwise."""
    gyro = Gyro(100.0, 0.01, Mount((0.1, 0.2, -0.1), (0, 0, 90)))
    return Stranger(name, BASE, (*ARM, *swings), Prior(0.2, 0.2, 0.1), {"load": 0.002}, gyro, fastest=0.15)


def _panel(name: str, side: float) -> Body:
    weighs = weighed(8.0, (0.01, side * 0.75, 0.02), (1.3, 0.55, 1.5), (side * 0.01, 0.01, side * 0.02))
    return Body(name, "base", (0.0, side * 0.5, 0.1), (0.0, 0.0, 0.0), weighs, kind="fixed")


_FUEL = Body("fuel", "base", (0.05, 0.0, 0.1), (0.0, 0.0, 0.0), Mass(20.0, (0.0, 0.0, -0.25), _POINT_M), kind="fixed")
PANELS = Swinging(
    _servicer("servicer with panels", _panel("left", 1.0), _panel("right", -1.0)),
    {"left": Held((X,), 0.3, 0.01), "right": Held((X,), 0.7, 0.01)},
)
TANK = Swinging(_servicer("servicer with a tank", _FUEL), {"fuel": Held((X, Y), 0.15, 0.01)})
SYSTEMS = {"panels": PANELS, "tank": TANK}


# ---------------------------------------------------------------------- as they are


def held_inertia(ten: np.ndarray, axis: object) -> float:
    """Of a body about an axis through its frame's origin [kg m^2]."""
    return float(np.asarray(axis) @ _moment(ten) @ np.asarray(axis))


def _moment(ten: np.ndarray) -> np.ndarray:
    """The inertia matrix among the ten numbers, (3, 3)."""
    whole = np.zeros((3, 3))
    for (row, column), value in zip(ENTRIES, ten[4:], strict=True):
        whole[row, column] = whole[column, row] = value
    return whole


def drawn_springs(system: Swinging, true: Truth, rng: np.random.Generator) -> dict[str, tuple[Spring, ...]]:
    """Springs of the true bodies, the same in all flights of a seed.

    A body's frequency, with the base held, is off by the spread that missions take; its damping ratio is any between
    bounds. All hinges of a body have their own.
    """
    springs = {}
    for name, held in system.held.items():
        of_body = []
        for axis in held.axes:
            off = rng.standard_normal()
            while abs(off) > FARTHEST:
                off = rng.standard_normal()
            w = 2.0 * np.pi * held.frequency_Hz * (1.0 + FREQUENCY_SPREAD * off)
            ratio = float(np.exp(rng.uniform(*np.log(DAMPING_RATIOS))))
            inertia = held_inertia(true.bodies[name], axis)
            of_body.append(Spring(w**2 * inertia, 2.0 * ratio * w * inertia))
        springs[name] = tuple(of_body)
    return springs


def world_of(
    system: Swinging, springs: dict[str, tuple[Spring, ...]], rng: np.random.Generator, begins_still: bool
) -> World:
    """What hangs on springs, at rest when the flight begins or swinging."""
    held = {}
    for name, of_body in springs.items():
        start = np.zeros((len(of_body), 2)) if begins_still else START_RAD * rng.standard_normal((len(of_body), 2))
        rates = 2.0 * np.pi * system.held[name].frequency_Hz * start[:, 1]
        given = zip(system.held[name].axes, of_body, start[:, 0].tolist(), rates.tolist(), strict=True)
        held[name] = tuple(Hinge(*each) for each in given)
    return World(held=held)


# ---------------------------------------------------------------------- what a file says


def swinging_document(system: Swinging) -> Document:
    """The CAD model with what swings in the short forms that robot files have: one hinge is a panel's, two a tank's."""
    whole = robot_document(system.robot)
    bodies: list[Document] = whole["bodies"]  # type: ignore[assignment]
    appendages, tanks = list[Document](), list[Document]()
    for body in bodies:
        if (held := system.held.get(str(body["name"]))) is None:
            continue
        place = next(each for each in system.robot.bodies if each.name == body["name"])
        swings = {"frequency_Hz": held.frequency_Hz, "damping_ratio": held.damping_ratio}
        hangs: Document = {"name": place.name, "xyz_m": place.xyz, **swings}
        if len(held.axes) == 1:
            weighs = {key: body[key] for key in ("mass_kg", "com_m", "inertia_kgm2")}
            appendages.append({**hangs, "axis": held.axes[0], **weighs})
        else:
            tanks.append({**hangs, "length_m": -place.weighs.com[2], "mass_kg": place.weighs.mass_kg})
    kept = [body for body in bodies if body["name"] not in system.held]
    forms = {"appendages": appendages, "tanks": tanks}
    return {**whole, "bodies": kept, **{key: form for key, form in forms.items() if form}}


# ---------------------------------------------------------------------- how it swings


@dataclass(frozen=True)
class Modes:
    """How a robot swings with driven joints locked at zero, slowest first, (modes,) each; frequencies [Hz]."""

    frequency_Hz: np.ndarray
    damping_ratio: np.ndarray


def mass_matrix(system: Swinging, bodies: dict[str, np.ndarray]) -> np.ndarray:
    """Of the base (velocity, then turning, base axes) and all hinges, joints at zero, from every body's ten numbers.

    Numbers of `<name>_swing` are those of a body that moves with the first hinge of that name only.
    """
    hinges = [(name, np.array(axis)) for name, held in system.held.items() for axis in held.axes]
    placed = {"base": (np.zeros(3), np.eye(3))}
    for body in system.robot.bodies:
        origin, turn = placed[body.parent]
        placed[body.name] = origin + turn @ np.array(body.xyz), turn @ body.rotation
    whole = np.zeros((6 + len(hinges), 6 + len(hinges)))
    for name, ten in bodies.items():
        hung, first_only = name.removesuffix("_swing"), name.endswith("_swing")
        origin, turn = placed[hung]
        motion = np.zeros((6, 6 + len(hinges)))  # velocity of the body's frame and its turning, body axes
        motion[:3, :3], motion[3:, 3:6] = turn.T, turn.T
        motion[:3, 3:6] = -turn.T @ _across(origin)
        mine = [k for k, (body, _) in enumerate(hinges) if body == hung]
        for k in mine[:1] if first_only else mine:
            motion[3:, 6 + k] = hinges[k][1]
        whole += motion.T @ _spatial(ten) @ motion
    return whole


def _across(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _spatial(ten: np.ndarray) -> np.ndarray:
    """Inertia of a body about its frame's origin, (6, 6)."""
    first = _across(ten[1:4])
    return np.block([[ten[0] * np.eye(3), -first], [first, _moment(ten)]])


def modes(system: Swinging, bodies: dict[str, np.ndarray], springs: np.ndarray) -> Modes:
    """Modes of a robot by its bodies' ten numbers; springs: stiffness and damping of all hinges, (2, hinges)."""
    whole = mass_matrix(system, bodies)
    gives = whole[6:, 6:] - whole[6:, :6] @ np.linalg.solve(whole[:6, :6], whole[:6, 6:])
    root = np.linalg.inv(np.linalg.cholesky(gives))
    squares, shapes = np.linalg.eigh(root @ np.diag(springs[0]) @ root.T)
    w, u = np.sqrt(squares), root.T @ shapes
    return Modes(w / (2.0 * np.pi), np.einsum("im,i,im->m", u, springs[1], u) / (2.0 * w))


def with_swings_fixed(system: Swinging, bodies: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The ten numbers of all bodies where what swings is part of the base, as it is of a robot on which it is fixed."""
    found = {name: ten for name, ten in bodies.items() if name.removesuffix("_swing") not in system.held}
    for body in system.robot.bodies:
        if body.name in system.held:
            m, first = bodies[body.name][0], bodies[body.name][1:4]
            whole = _moment(bodies[body.name]) + m * _apart(place := np.array(body.xyz), place)
            whole = whole + _apart(place, first) + _apart(first, place)
            found["base"] = found["base"] + np.array([m, *(first + m * place), *(whole[entry] for entry in ENTRIES)])
    return found


def _apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a @ b) * np.eye(3) - np.outer(a, b)


def total_inertia(system: Swinging, bodies: dict[str, np.ndarray]) -> np.ndarray:
    """Of the whole robot about its centre of mass, all joints at zero, (3, 3) [kg m^2]."""
    whole = mass_matrix(system, bodies)[:6, :6]
    return whole[3:, 3:] - whole[3:, :3] @ np.linalg.solve(whole[:3, :3], whole[:3, 3:])
