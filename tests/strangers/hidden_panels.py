"""The demo's servicer with panels on hinges that its file has fixed: what a search for swings must find.

In MuJoCo a panel is a body
whose joint does not move but has a spring (`World.soft`); in the robot file it is a part of the base. A panel swings as
the motion has shaken it for a while when a recording begins. How the whole swings is found from its mass matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from strangers.documents import Document, mission_document, robot_document
from strangers.flights import Flyer, Spring, World
from strangers.robots import Body, Gyro, Mass, Prior, Stranger
from strangers.servicer import ARM, BASE
from strangers.truth import CannotExist, Truth, about_frame, body_of, drawn, ten_of

SLOWEST_HZ, FASTEST_HZ = 0.2, 1.2  # with the base held
DAMPING = (0.005, 0.02)  # over critical damping, so
INERTIA = (0.02, 0.25)  # of a panel about its hinge, over that of the base
_SHORTEST_M, _WIDTH = 0.4, 0.35  # of a panel's centre from its hinge; half its width over that


@dataclass(frozen=True)
class Line:
    """How the whole swings with its joints at rest: frequency, damping ratio, what the base is pushed about."""

    frequency_Hz: float
    damping_ratio: float
    axis: np.ndarray


@dataclass(frozen=True)
class Hidden:
    """A servicer whose panels swing. robot, true: as MuJoCo flies it. said: as its file has it."""

    robot: Stranger
    said: Stranger
    true: Truth
    world: World
    lines: tuple[Line, ...]

    @property
    def documents(self) -> tuple[Document, Document]:
        """Robot and mission."""
        return robot_document(self.said), mission_document(self.said)


SERVICER = Stranger("servicer", BASE, ARM, Prior(0.1, 0.1, 0.08), {"load": 0.002}, Gyro(100.0, 0.01), fastest=0.15)


# ---------------------------------------------------------------------- panels


def hidden(panels: int, duration_s: float, rng: np.random.Generator) -> Hidden:
    """A servicer drawn from its prior, with so many panels; lines of two are more than 2 / T apart."""
    while True:
        said = SERVICER
        true = drawn(said, rng)
        made = [_panel(f"panel{k + 1}", said.base, rng) for k in range(panels)]
        robot = replace(said, bodies=(*said.bodies, *(body for body, _ in made)))
        bodies = true.bodies | {body.name: ten_of(body.weighs) for body, _ in made}
        bodies["base"] = true.bodies["base"] - sum((_seen_from(body) for body, _ in made), np.zeros(10))
        world = World(soft={body.joint: spring for body, spring in made})
        if not _exists(bodies["base"]):
            continue
        whole = replace(true, bodies=bodies)
        lines = lines_of(Flyer(robot, whole, world), np.zeros(len(said.moving)))
        apart = np.diff([line.frequency_Hz for line in lines])
        if (apart > 2.0 / duration_s).all():
            return Hidden(robot, said, whole, world, lines)


def _panel(name: str, base: Mass, rng: np.random.Generator) -> tuple[Body, Spring]:
    """A thin plate on a hinge, which the file has as a part of the base."""
    reach, axis = (each / np.linalg.norm(each) for each in rng.standard_normal((2, 3)))
    axis = np.cross(reach, axis)
    axis /= np.linalg.norm(axis)
    low, high = np.log(INERTIA)
    about_hinge = np.exp(rng.uniform(low, high)) * float(axis @ base.inertia @ axis)
    centre = rng.uniform(_SHORTEST_M, 2.0 * _SHORTEST_M)
    mass = about_hinge / (4.0 / 3.0 * centre**2)  # a plate from its hinge to twice as far
    normal = np.cross(reach, axis)
    half = np.array([centre, _WIDTH * centre, 0.05 * centre])  # along reach, axis and normal
    frame, squares = np.stack([reach, axis, normal], axis=1), half**2 / 3.0
    inertia = mass * frame @ np.diag(squares.sum() - squares) @ frame.T
    held = float(axis @ about_frame(inertia, mass, centre * reach) @ axis)
    turns = 2.0 * np.pi * rng.uniform(SLOWEST_HZ, FASTEST_HZ)
    damping = rng.uniform(*DAMPING)
    spring = Spring(held * turns**2, 2.0 * damping * held * turns)
    place = np.array(base.com) + 0.5 * base.radius * reach
    return _weighed(name, place, axis, mass, centre * reach, inertia), spring


def _weighed(name: str, place: np.ndarray, axis: np.ndarray, mass: float, com: np.ndarray, inertia: np.ndarray) -> Body:
    mean = float(np.trace(inertia)) / 3.0
    ratios, products = np.diag(inertia) / mean, inertia[[0, 0, 1], [1, 2, 2]] / mean
    weighs = Mass(mass, tuple(com), float(np.sqrt(1.5 * mean / mass)), tuple(ratios), tuple(products))
    return Body(name, "base", tuple(place), (0.0, 0.0, 0.0), weighs, tuple(axis), "fixed")


def _seen_from(body: Body) -> np.ndarray:
    """The ten numbers of a body in the axes and about the origin of what carries it, to which it is parallel."""
    return ten_of(replace(body.weighs, com=tuple(np.array(body.xyz) + body.weighs.com)))


def _exists(ten: np.ndarray) -> bool:
    try:
        body_of(ten)
    except CannotExist:
        return False
    return True


def lines_of(flyer: Flyer, q: np.ndarray) -> tuple[Line, ...]:
    """How the whole swings with all that is driven at q, (joints,), slowest first, by MuJoCo's mass matrix.

    A mode pushes the base about the angular momentum that its springs take on.
    """
    mujoco.mj_resetData(flyer.model, flyer.data)
    still = np.zeros(13 + 2 * flyer.swings.size)
    still[3] = 1.0
    M = flyer.inertia_at(still, q)[np.ix_(flyer.free, flyer.free)]
    afloat = M[6:, 6:] - M[6:, :6] @ np.linalg.solve(M[:6, :6], M[:6, 6:])
    turning = M[3:6, 6:] - M[3:6, :3] @ np.linalg.solve(M[:3, :3], M[:3, 6:])
    root = np.linalg.inv(np.linalg.cholesky(afloat))
    squares, shapes = np.linalg.eigh(root @ np.diag(flyer.stiffness) @ root.T)
    found = []
    for square, shape in zip(squares, (root.T @ shapes).T, strict=True):
        omega, pushed = np.sqrt(square), turning @ shape
        ratio = float(shape**2 @ flyer.damping) / (2.0 * omega)
        found.append(Line(float(omega / (2.0 * np.pi)), ratio, pushed / np.linalg.norm(pushed)))
    return tuple(found)
