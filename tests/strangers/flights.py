"""A flight of the true robot in MuJoCo: joints and wheels move as given, the base floats as it must.

MuJoCo has the robot as MJCF with a free base and no gravity, contacts or damping. Its inverse dynamics say what would
have to push the base for a given acceleration of it; nothing does, and that is the base's acceleration. It is
integrated by the Runge-Kutta method of order four in steps of `STEP_S`. Halving them changes what sensors read by less
than a thousandth of their noise; momentum is not used, so that its conservation is a test. Springs swing as they must
too, and a torque from outside pushes, where a `World` has them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree as xml

import mujoco
import numpy as np
from strangers.motion import Motion
from strangers.orbits import InOrbit
from strangers.robots import Stranger
from strangers.truth import BodyTruth, Truth, body_of, wheel_inertia

DURATION_S = 30.0
STEP_S = 0.01
_SETTLING_S = 3.0  # of springs in joints, before a flight begins
_DRIFT_M_S = 0.01  # of the centre of mass, about each axis
_BARELY = "1e-9"  # kg m^2 on a spring whose axis is a joint's own, so that MuJoCo can tell the two apart


@dataclass(frozen=True)
class Spring:
    """Of a hinge that nothing drives. stiffness [N m/rad], damping [N m s/rad]."""

    stiffness: float
    damping: float


@dataclass(frozen=True)
class Panel:
    """A body that swings on a spring; at rest it counts as the base's.

    place: of the hinge in the base [m]. axis: of the hinge, base axes. weighs: in axes parallel to the base's, from the
    hinge on.
    """

    place: tuple[float, float, float]
    axis: tuple[float, float, float]
    weighs: BodyTruth
    spring: Spring


@dataclass(frozen=True)
class Hinge:
    """That holds a body by a spring. axis: in the body's frame. angle [rad], rate [rad/s]: where a flight begins."""

    axis: tuple[float, float, float]
    spring: Spring
    angle: float = 0.0
    rate: float = 0.0


@dataclass(frozen=True)
class World:
    """What a flight has beside robot and motion.

    torque: from outside, constant in inertial axes [N m]. panel: on the base. soft: springs between a joint's drive,
    which the encoder reads, and what it moves, by name of the joint. held: hinges, outermost last, through the origin
    of bodies that are fixed as their robot has them, by name of the body. orbit: of a robot without springs.
    """

    torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
    panel: Panel | None = None
    soft: dict[str, Spring] = field(default_factory=dict)
    held: dict[str, tuple[Hinge, ...]] = field(default_factory=dict)
    orbit: InOrbit | None = None

    @property
    def springs(self) -> dict[str, Spring]:
        """Of all hinges that nothing drives, by their name in MuJoCo."""
        swings = {"panel": self.panel.spring} if self.panel else {}
        soft = {f"{name} spring": spring for name, spring in self.soft.items()}
        return swings | soft | {name: hinge.spring for name, hinge in self.hinges.items()}

    @property
    def hinges(self) -> dict[str, Hinge]:
        """Of bodies that are held, by their name in MuJoCo."""
        return {f"{body} hinge {k}": hinge for body, held in self.held.items() for k, hinge in enumerate(held)}


EMPTY = World()


@dataclass(frozen=True)
class Flight:
    """Motion of the base, with slopes, at instants `t`, and that of joints and wheels at any.

    position, velocity, push: of the base's origin and its first two derivatives, inertial axes, shape (n, 3).
    quaternion: w, x, y, z of the base in inertial axes, shape (n, 4). rate, twist: angular rate and its derivative,
    base axes, shape (n, 3).
    """

    t: np.ndarray
    position: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    rate: np.ndarray
    push: np.ndarray
    twist: np.ndarray
    motion: Motion

    @property
    def duration_s(self) -> float:
        """From first to last instant."""
        return round(float(self.t[-1]), 9)

    def rate_at(self, t: np.ndarray) -> np.ndarray:
        """Angular rate in base axes, shape (n, 3) [rad/s]."""
        return hermite(self.t, self.rate, self.twist, t)

    def position_at(self, t: np.ndarray) -> np.ndarray:
        """Of the base's origin, inertial axes, shape (n, 3) [m]."""
        return hermite(self.t, self.position, self.velocity, t)

    def attitude_at(self, t: np.ndarray) -> np.ndarray:
        """Unit quaternion w, x, y, z, shape (n, 4)."""
        found = hermite(self.t, self.quaternion, quaternion_slope(self.quaternion, self.rate), t)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def hermite(t: np.ndarray, values: np.ndarray, slopes: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Cubic interpolation from values and slopes on a regular grid, shape (n, k) -> (m, k)."""
    step = t[1] - t[0]
    index = np.clip(((at - t[0]) / step).astype(int), 0, t.size - 2)
    s = ((at - t[index]) / step)[:, None]
    left, right = values[index] * (1.0 + 2.0 * s) * (1.0 - s) ** 2, values[index + 1] * s**2 * (3.0 - 2.0 * s)
    return left + right + step * (slopes[index] * s * (1.0 - s) ** 2 - slopes[index + 1] * s**2 * (1.0 - s))


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of quaternions w, x, y, z, shape (..., 4)."""
    a0, b0, av, bv = a[..., :1], b[..., :1], a[..., 1:], b[..., 1:]
    scalar = a0 * b0 - (av * bv).sum(axis=-1, keepdims=True)
    return np.concatenate([scalar, a0 * bv + b0 * av + np.cross(av, bv)], axis=-1)


def quaternion_slope(quaternion: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Derivative of an attitude by time at a rate in its own axes, shape (n, 4)."""
    return 0.5 * quaternion_product(quaternion, np.concatenate([np.zeros_like(rate[..., :1]), rate], axis=-1))


# ---------------------------------------------------------------------- the model


def text(values: object) -> str:
    """Numbers so that they are read back exactly."""
    return " ".join(f"{value:.17g}" for value in np.ravel(np.asarray(values, float)))


Part = tuple[float, np.ndarray, np.ndarray]  # mass [kg], centre in the base [m], inertia about it [kg m^2]


def without(base: BodyTruth, parts: list[Part]) -> BodyTruth:
    """The base less parts that turn on bodies of their own in MuJoCo."""
    mass = base.mass_kg - sum(part[0] for part in parts)
    com = (base.mass_kg * base.com - sum((m * place for m, place, _ in parts), np.zeros(3))) / mass
    inertia = base.inertia + moved(base.mass_kg, base.com - com)
    for m, place, own in parts:
        inertia = inertia - own - moved(m, place - com)
    return BodyTruth(mass, com, inertia)


def parts_of(robot: Stranger, world: World) -> list[Part]:
    """Wheels and the panel."""
    parts = [(wheel.mass_kg, np.array(wheel.place), wheel_inertia(wheel)) for wheel in robot.wheels]
    if world.panel:
        weighs = world.panel.weighs
        parts.append((weighs.mass_kg, np.array(world.panel.place) + weighs.com, weighs.inertia))
    return parts


def moved(mass: float, by: np.ndarray) -> np.ndarray:
    """Inertia of a point mass at this place, shape (3, 3)."""
    return mass * ((by @ by) * np.eye(3) - np.outer(by, by))


def mjcf(robot: Stranger, truth: Truth, world: World = EMPTY) -> str:
    """The true robot for MuJoCo."""
    root = xml.Element("mujoco", model=robot.name)
    xml.SubElement(root, "compiler", angle="radian", boundmass="0", boundinertia="0", balanceinertia="false")
    option = xml.SubElement(root, "option", gravity="0 0 0")
    xml.SubElement(option, "flag", contact="disable", constraint="disable")
    base = xml.SubElement(xml.SubElement(root, "worldbody"), "body", name="base")
    xml.SubElement(base, "freejoint", name="floats")
    _weigh(base, without(body_of(truth.bodies["base"]), parts_of(robot, world)))
    elements = {"base": base}
    for body in robot.bodies:
        placed = {"pos": text(body.xyz), "xyaxes": text([body.rotation[:, 0], body.rotation[:, 1]])}
        elements[body.name] = xml.SubElement(elements[body.parent], "body", name=body.name, **placed)
        if body.kind != "fixed":
            kind = "slide" if body.kind == "prismatic" else "hinge"
            xml.SubElement(elements[body.name], "joint", name=body.joint, type=kind, axis=text(body.unit_axis))
        if body.joint in world.soft:
            swing = {"name": f"{body.joint} spring", "type": "hinge", "axis": text(body.unit_axis), "armature": _BARELY}
            xml.SubElement(elements[body.name], "joint", **swing)
        for k, hinge in enumerate(world.held.get(body.name, ())):
            swing = {"name": f"{body.name} hinge {k}", "type": "hinge", "axis": text(hinge.axis)}
            xml.SubElement(elements[body.name], "joint", **swing)
        _weigh(elements[body.name], body_of(truth.bodies[body.name]))
    for wheel in robot.wheels:
        element = xml.SubElement(base, "body", name=wheel.name, pos=text(wheel.place))
        xml.SubElement(element, "joint", name=wheel.name, type="hinge", axis=text(wheel.axis))
        _weigh(element, BodyTruth(wheel.mass_kg, np.zeros(3), wheel_inertia(wheel)))
    if world.panel:
        element = xml.SubElement(base, "body", name="panel", pos=text(world.panel.place))
        xml.SubElement(element, "joint", name="panel", type="hinge", axis=text(world.panel.axis))
        _weigh(element, world.panel.weighs)
    return xml.tostring(root, encoding="unicode")


def _weigh(element: xml.Element, body: BodyTruth) -> None:
    entries = body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    weighed = {"pos": text(body.com), "mass": text(body.mass_kg), "fullinertia": text(entries)}
    xml.SubElement(element, "inertial", **weighed)


# ---------------------------------------------------------------------- flying


class Flyer:
    """MuJoCo's model of a true robot, and the acceleration of what moves by itself: the base, and springs if any.

    places, dofs: of joints and wheels, in the order of `Motion`, among MuJoCo's positions and rates. swings: of the
    springs' hinges among the positions. free: dofs that move by themselves.
    """

    def __init__(self, robot: Stranger, truth: Truth, world: World = EMPTY) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf(robot, truth, world))
        self.data = mujoco.MjData(self.model)
        names = [*(body.joint for body in robot.moving), *(wheel.name for wheel in robot.wheels)]
        joints, hinges = [self.model.joint(name) for name in names], [*map(self.model.joint, world.springs)]
        self.places = np.array([joint.qposadr[0] for joint in joints], int)
        self.dofs = np.array([joint.dofadr[0] for joint in joints], int)
        self.swings = np.array([joint.qposadr[0] for joint in hinges], int)
        self.free = np.array([*range(6), *(joint.dofadr[0] for joint in hinges)], int)
        self.inertia = np.zeros((self.model.nv, self.model.nv))
        self.torque, self.orbit = np.array(world.torque), world.orbit
        self.stiffness = np.array([spring.stiffness for spring in world.springs.values()])
        self.damping = np.array([spring.damping for spring in world.springs.values()])
        begins = {name: (hinge.angle, hinge.rate) for name, hinge in world.hinges.items()}
        self.begin = np.array([begins.get(name, (0.0, 0.0)) for name in world.springs]).reshape(-1, 2).T

    def inertia_at(self, state: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Inertia matrix of all degrees of freedom, the base's six first; state as for `slope`."""
        self.data.qpos[:7], self.data.qpos[self.places] = state[:7], q
        self.data.qpos[self.swings] = state[13 : 13 + self.swings.size]
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, self.inertia)
        return self.inertia.copy()

    def momentum_at(self, state: np.ndarray, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """Linear momentum and the angular one about the centre of mass, inertial axes, shape (6,)."""
        data = self.data
        self._put(state, q, dq)
        mujoco.mj_forward(self.model, data)
        mujoco.mj_subtreeVel(self.model, data)
        return np.concatenate([data.subtree_linvel[0] * self.model.body_subtreemass[0], data.subtree_angmom[0]])

    def slope(self, state: np.ndarray, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray, t: float = 0.0) -> np.ndarray:
        """Derivative of the state at a time [s], shape (13 + 2 springs,).

        Position, quaternion, velocity, rate in base axes, then angles and rates of the springs.
        """
        data, springs = self.data, self.swings.size
        self._put(state, q, dq)
        data.qacc[self.free], data.qacc[self.dofs] = 0.0, ddq
        mujoco.mj_inverse(self.model, data)
        mujoco.mj_fullM(self.model, data, self.inertia)
        push = -data.qfrc_inverse[self.free]
        a, b, c, d = state[3:7].tolist()
        x, y, z = state[10:13].tolist()
        if self.torque.any():
            push[3:6] += _to_base(a, b, c, d) @ self.torque
        if self.orbit is not None:
            push[:6] += self.orbit.push(self.model, data, t)
        push[6:] -= self.stiffness * state[13 : 13 + springs] + self.damping * state[13 + springs :]
        rise = np.linalg.solve(self.inertia[np.ix_(self.free, self.free)], push)
        turning = (-b * x - c * y - d * z, a * x + c * z - d * y, a * y + d * x - b * z, a * z + b * y - c * x)
        return np.array([*state[7:10], *(0.5 * each for each in turning), *rise[:6], *state[13 + springs :], *rise[6:]])

    def _put(self, state: np.ndarray, q: np.ndarray, dq: np.ndarray) -> None:
        data, springs = self.data, self.swings.size
        data.qpos[:7], data.qpos[self.places] = state[:7], q
        data.qvel[:6], data.qvel[self.dofs] = state[7:13], dq
        data.qpos[self.swings], data.qvel[self.free[6:]] = state[13 : 13 + springs], state[13 + springs :]


def _to_base(a: float, b: float, c: float, d: float) -> np.ndarray:
    """From inertial axes to those of an attitude w, x, y, z, shape (3, 3)."""
    return np.array(
        [
            [1 - 2 * (c * c + d * d), 2 * (b * c + a * d), 2 * (b * d - a * c)],
            [2 * (b * c - a * d), 1 - 2 * (b * b + d * d), 2 * (c * d + a * b)],
            [2 * (b * d + a * c), 2 * (c * d - a * b), 1 - 2 * (b * b + c * c)],
        ]
    )


def start(flyer: Flyer, motion: Motion, tumble: float, rng: np.random.Generator, at_s: float = 0.0) -> np.ndarray:
    """Any attitude, no momentum but a drift's and a tumble's [rad/s], springs as they begin, (13 + 2 springs,)."""
    turn = rng.standard_normal(4)
    state = np.concatenate([rng.standard_normal(3), turn / np.linalg.norm(turn), np.zeros(6), *flyer.begin])
    q, dq, _ = motion.at(np.array([at_s]))
    inertia = flyer.inertia_at(state, q[0])
    pulled = inertia[:6, flyer.dofs] @ dq[0] + inertia[:6, flyer.free[6:]] @ flyer.begin[1]
    state[7:13] = np.linalg.solve(inertia[:6, :6], -pulled)
    state[7:10] += _DRIFT_M_S * rng.standard_normal(3)
    state[10:13] += tumble * rng.standard_normal(3)
    return state


def flown(
    robot: Stranger,
    truth: Truth,
    motion: Motion,
    rng: np.random.Generator,
    step_s: float = STEP_S,
    duration_s: float = DURATION_S,
    world: World = EMPTY,
) -> Flight:
    """The flight of a true robot. Joints with springs have moved for a while when it begins: they do not ring."""
    flyer, before = Flyer(robot, truth, world), round(_SETTLING_S / step_s) if world.soft else 0
    steps = before + round(duration_s / step_s)
    moves = motion.at(0.5 * step_s * np.arange(-2 * before, 2 * (steps - before) + 1))  # also half way through a step
    state = start(flyer, motion, robot.tumble, rng, -before * step_s)
    states, slopes = np.zeros((steps + 1, state.size)), np.zeros((steps + 1, state.size))
    for k in range(steps + 1):
        first, middle, last = (tuple(each[min(2 * k + part, 2 * steps)] for each in moves) for part in (0, 1, 2))
        t, half = (k - before) * step_s, 0.5 * step_s
        k1 = flyer.slope(state, *first, t)
        states[k], slopes[k] = state, k1
        k2 = flyer.slope(state + half * k1, *middle, t + half)
        k3 = flyer.slope(state + half * k2, *middle, t + half)
        k4 = flyer.slope(state + step_s * k3, *last, t + step_s)
        state = state + step_s / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        state[3:7] /= np.linalg.norm(state[3:7])
    states, slopes = states[before:], slopes[before:]
    position, quaternion, velocity, rate = np.split(states[:, :13], [3, 7, 10], axis=1)
    return Flight(
        step_s * np.arange(len(states)), position, quaternion, velocity, rate, slopes[:, 7:10], slopes[:, 10:13], motion
    )
