"""Minimal parameters in closed form, from the tips of the tree to the base.

A change of the parameters that no motion shows is built joint by joint. What a change delta of body i adds
to the kinetic energy is, with the parent's twist t and the joint's unit twist s in the frame of body i,

    1/2 y(t)·X(q) delta  +  dq K(t)^T s·delta  +  1/2 dq^2 K(s)^T s·delta,

y(t) the energy row and K(t) the momentum columns of a single body. It goes unnoticed exactly if the last two
vanish for every twist and the first does not depend on q: then the parent can make up for it, with X(0) delta
in its own frame. So the functionals

    K(t)^T s for t in V,    (d/dq X^T) y for y in Y,    and the torque of gravity about or along the joint

are what body i shows by itself; the parameters are reduced to them, and the rest goes to the parent. V and Y
are the spans of all twists, and of all energy rows, that the body can have: everything for a free base, which
gives 7 per revolute and 4 per prismatic joint; for a fixed base they start empty and grow from joint to joint,
which is where the extra losses near a fixed base come from. They grow by the generator of the joint's
motion, so nothing is sampled; spans have ten dimensions at the most.

Momentum along a twist e of the base is e^T K(t) phi, symmetric in e and t, where energy has t twice. So the same
recursion gives its minimal parameters, with V the span of what the base alone lets a body do, and Y that of the rows
K(t)^T e. For a free base that is no difference; a planar one does not show in its momentum what moves out of the plane.

The wrench under a base that stands is the rate of that momentum with e any twist and t of the joints alone, and the
weight: total mass, and first moment across gravity, which are rows for Y to start from.

Generalises Gautier, Khalil, "Direct calculation of minimum set of inertial parameters of serial robots"
(T-RA 1990) and Naveen, Shah, Misra (JGCD 2019), eq. 18-23, to any tree, axis and base. The idea of carrying
attainable spans is that of Wensing, Niemeyer, Slotine, "A geometric characterization of observability in
inertial parameter identification" (IJRR 2024).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.models.formula import clean_coefficients
from freefloat.models.leaders import (
    PREFERENCE,
    SHOWS,
    led,
    typical_length,
    typical_sizes,
    well_led,
    with_dimensions,
    without_dimensions,
)
from freefloat.models.minimal import MinimalParameters
from freefloat.models.numerical import standard_preference
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX, PER_BODY, inertia_entries, inertia_matrix, seen_from
from freefloat.robot.transform import Transform, skew
from freefloat.robot.tree import PRISMATIC, RIGID

_ORDER = np.array([INDEX[name] for name in PREFERENCE])
# An axis tilted by less [rad] is not tilted: nobody makes or measures such an angle, it is rounding of a file or of a
# product of rotations, and no prediction changes by 1e-10 of itself.
TILTED = 1e-11
_WHOLE = 1e-14  # rounding of what is a whole number or a simple fraction on paper

_Looked = Literal[
    "energy", "momentum", "wrench"
]  # at: energy and torque, momentum, the wrench under a base that stands


@dataclass(frozen=True, slots=True, eq=False)
class _Reach:
    """What a body can do, as rows that span it: twists (k, 6), energy rows (l, 10), gravity (g, 3)."""

    twists: Array
    energies: Array
    gravity: Array


class _Geometry:
    """All of a robot that its minimal parameters depend on; robots that differ in inertias alone are equal."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        arrays = (robot.gravity, *robot.tree.arrays)
        self.key = (robot.parameter_names, robot.base, *(array.tobytes() for array in arrays))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Geometry) and self.key == other.key


def closed_form(robot: Robot) -> MinimalParameters:
    """Minimal parameters of the energy, torque and (free base) momentum models, in the robot's gravity."""
    return _closed_form(_Geometry(robot), "energy")


def closed_form_of_momentum(robot: Robot) -> MinimalParameters:
    """Minimal parameters of the momentum along what the base can do; gravity does not enter."""
    return _closed_form(_Geometry(replace(robot, gravity=np.zeros(3))), _momentum_of(robot))


def closed_form_of_wrench(robot: Robot) -> MinimalParameters:
    """Minimal parameters of the wrench under a fixed base, in the robot's gravity."""
    return _closed_form(_Geometry(robot), "wrench")


def visible_rows(robot: Robot) -> Array:
    """Rows that span what `closed_form` finds, each as large as it shows, over parameters without dimensions, (r, p).

    Clusters know a direction that hardly shows to few digits only; these know it to rounding, of what shows most.
    """
    return _visible_rows(_Geometry(robot), "energy")


def visible_rows_of_momentum(robot: Robot) -> Array:
    """Likewise of what `closed_form_of_momentum` finds."""
    return _visible_rows(_Geometry(replace(robot, gravity=np.zeros(3))), _momentum_of(robot))


def visible_rows_of_wrench(robot: Robot) -> Array:
    """Likewise of what `closed_form_of_wrench` finds."""
    return _visible_rows(_Geometry(robot), "wrench")


def _momentum_of(robot: Robot) -> _Looked:
    """Of a free base energy shows no less than momentum."""
    return "energy" if robot.base == "free" else "momentum"


@lru_cache(maxsize=64)  # campaigns ask for the same geometry thousands of times
def _closed_form(geometry: _Geometry, looked: _Looked) -> MinimalParameters:
    robot = geometry.robot
    tree = robot.tree.arrays
    count = tree.parent.size
    moved, shown = _shown(robot, looked)
    combine = np.eye(PER_BODY * count)
    kept: list[int] = []
    for body in range(count - 1, -1, -1):
        rows = slice(PER_BODY * body, PER_BODY * (body + 1))
        own, echelon = led(shown[body], _ORDER)
        if body > 0:
            # What the kept ones do not say of this body's parameters, the parent takes over.
            rest = combine[rows].copy()
            rest[own] -= echelon @ combine[rows]
            parent = int(tree.parent[body])
            combine[PER_BODY * parent : PER_BODY * (parent + 1)] += moved[body].seen_from_parent @ rest
        clusters = np.zeros((PER_BODY, combine.shape[1]))
        clusters[own] = echelon @ combine[rows]
        combine[rows] = clusters
        kept.extend(PER_BODY * body + own)
    order, coefficients = well_led(np.array(kept, dtype=np.int64), combine[kept], standard_preference(count))
    sizes = typical_sizes(robot)
    rounding = with_dimensions(order, np.full(coefficients.shape, _WHOLE), sizes)
    combine = clean_coefficients(with_dimensions(order, coefficients, sizes), rounding)
    return MinimalParameters(robot.parameter_names, order, combine)


@lru_cache(maxsize=64)
def _visible_rows(geometry: _Geometry, looked: _Looked) -> Array:
    robot = geometry.robot
    if robot.base == "free":  # where everything shows about as well, and leaders are sparse
        minimal = _closed_form(geometry, looked)
        rows = without_dimensions(minimal.kept, minimal.combine, typical_sizes(robot))
    else:
        tree = robot.tree.arrays
        moved, shown = _shown(robot, looked)
        carried = np.eye(PER_BODY * tree.parent.size).reshape(-1, PER_BODY, PER_BODY * tree.parent.size)
        for body in range(tree.parent.size - 1, 0, -1):
            carried[tree.parent[body]] += moved[body].seen_from_parent @ carried[body]
        # What a body shows by itself it shows of all that it carries: the rest of that goes on to its parent.
        rows = np.vstack([_span(own) @ carries for own, carries in zip(shown, carried, strict=True)])
    rows.setflags(write=False)
    return rows


def _shown(robot: Robot, looked: _Looked) -> tuple[list[_Moved], list[Array]]:
    """How each joint moves its body, and the functionals that each body shows by itself, (f, 10) a body."""
    tree, length = robot.tree.arrays, typical_length(robot)
    moved = [_moved_by(robot, body, length) for body in range(tree.parent.size)]
    reaches = [_reach_of_standing(robot) if looked == "wrench" else _reach_of_base(robot)]
    shown = [reaches[0].energies]
    for body in range(1, tree.parent.size):
        reach, functionals = _beyond_joint(tree.kind[body], moved[body], reaches[tree.parent[body]], looked)
        reaches.append(reach)
        shown.append(functionals)
    return moved, shown


@dataclass(frozen=True, slots=True, eq=False)
class _Moved:
    """How quantities pass through a joint at q = 0, and their rates of change with q, in the body's frame.

    axis: unit vector in the body frame.
    seen_from_parent: X, body parameters to parent frame, (10, 10).
    twist, twist_rate: parent twist in the body frame, (6, 6); its derivative with q.
    energy_rate: derivative with q of the energy row, (10, 10).
    rotation: parent vector in the body frame, (3, 3).
    """

    axis: Array
    seen_from_parent: Array
    twist: Array
    twist_rate: Array
    energy_rate: Array
    rotation: Array


def _moved_by(robot: Robot, body: int, length: float) -> _Moved:
    geometry = robot.tree.arrays.geometry[body]
    turn = geometry[:27].reshape(3, 3, 3)
    R, p = turn[0] + turn[2], geometry[30:33] / length  # R_parent_body, p_parent_body at q = 0
    axis = _not_tilted(R.T @ geometry[27:30])
    R = _not_tilted(R)
    twist = np.zeros((6, 6))
    twist[:3, :3] = twist[3:, 3:] = R.T
    twist[:3, 3:] = -R.T @ skew(p)
    rate = np.zeros((6, 6))
    if robot.tree.arrays.kind[body] == PRISMATIC:
        rate[:3, 3:] = -skew(axis)
        energy_rate = _slide_rate(axis).T
    else:
        rate[:3, :3] = rate[3:, 3:] = -skew(axis)
        energy_rate = _turn_rate(axis).T
    columns = [seen_from(Transform(R, p), unit) for unit in np.eye(PER_BODY)]
    return _Moved(axis, np.array(columns).T, twist, rate, energy_rate, R.T)


def _not_tilted(directions: Array) -> Array:
    """Directions without what is no tilt; they are as far from unit vectors as its square."""
    return np.where(np.abs(directions) < TILTED, 0.0, directions)


def _turn_rate(axis: Array) -> Array:
    """Derivative at zero of parameters seen from a frame in which the body turns about `axis`, (10, 10)."""
    rate, spin = np.zeros((PER_BODY, PER_BODY)), skew(axis)
    rate[1:4, 1:4] = spin
    for column in range(4, PER_BODY):
        inertia = inertia_matrix(np.eye(PER_BODY)[column])
        rate[4:, column] = inertia_entries(spin @ inertia - inertia @ spin)
    return rate


def _slide_rate(axis: Array) -> Array:
    """Derivative at zero of parameters seen from a frame in which the body slides along `axis`, (10, 10)."""
    rate = np.zeros((PER_BODY, PER_BODY))
    rate[1:4, 0] = axis
    for k, unit in enumerate(np.eye(3)):
        mixed = 2.0 * axis[k] * np.eye(3) - np.outer(axis, unit) - np.outer(unit, axis)
        rate[4:, 1 + k] = inertia_entries(mixed)
    return rate


def _reach_of_base(robot: Robot) -> _Reach:
    strength = np.linalg.norm(robot.gravity)
    gravity = robot.gravity[None] / strength if strength else np.zeros((0, 3))
    if robot.base == "fixed":
        return _Reach(np.zeros((0, 6)), np.zeros((0, PER_BODY)), gravity)
    if robot.base == "planar":
        rows = [INDEX[name] for name in ("m", "mx", "my", "Izz")]
        turned = _grown(gravity, -skew(np.array([0.0, 0.0, 1.0])), 2)
        return _Reach(np.eye(6)[[0, 1, 5]], np.eye(PER_BODY)[rows], turned)
    return _Reach(np.eye(6), np.eye(PER_BODY), np.eye(3) if gravity.size else gravity)


def _reach_of_standing(robot: Robot) -> _Reach:
    """Of a base at rest whose wrench is measured: along all twists; weight is shown by Y and pulls at no joint."""
    weight = np.zeros((0, PER_BODY))
    strength = np.linalg.norm(robot.gravity)
    if strength:
        weight = np.zeros((4, PER_BODY))
        weight[0, 0], weight[1:, 1:4] = 1.0, skew(robot.gravity / strength)
    return _Reach(np.eye(6), _span(weight), np.zeros((0, 3)))


def _beyond_joint(kind: int, moved: _Moved, parent: _Reach, looked: _Looked) -> tuple[_Reach, Array]:
    """What a body can do, and the functionals of its parameters that it shows by itself (rows, (f, 10))."""
    twists = parent.twists @ moved.twist.T
    energies = parent.energies @ moved.seen_from_parent
    gravity = parent.gravity @ moved.rotation.T
    if kind == RIGID:
        return _Reach(twists, energies, gravity), np.zeros((0, PER_BODY))
    turns = kind != PRISMATIC
    along = np.concatenate([np.zeros(3), moved.axis] if turns else [moved.axis, np.zeros(3)])
    twists = _grown(twists, moved.twist_rate, 2)
    if looked == "energy":  # nobody measures momentum or the wrench along the joint
        twists = _span(np.vstack([twists, along]))
    energies = _grown(energies, moved.energy_rate, 4)
    across = np.array([_momentum_columns(twist).T @ along for twist in twists])
    pull = np.zeros((len(gravity), PER_BODY))
    if turns:
        gravity = _grown(gravity, -skew(moved.axis), 2)
        pull = np.zeros((len(gravity), PER_BODY))
        pull[:, 1:4] = -gravity @ skew(moved.axis).T
    else:
        pull[:, 0] = gravity @ moved.axis
    shown = np.vstack([across, energies @ moved.energy_rate.T, pull])
    return _Reach(twists, _span(np.vstack([energies, across])), gravity), shown


def _momentum_columns(twist: Array) -> Array:
    """Momentum of one body about its own origin, in its own frame, per parameter, (6, 10)."""
    v, w = twist[:3], twist[3:]
    K = np.zeros((6, PER_BODY))
    K[:3, 0], K[:3, 1:4], K[3:, 1:4] = v, skew(w), -skew(v)
    for column in range(4, PER_BODY):
        K[3:, column] = inertia_matrix(np.eye(PER_BODY)[column]) @ w
    return K


def _grown(rows: Array, rate: Array, times: int) -> Array:
    """The span of the rows under the motion whose generator is `rate`: rows, rate rows, rate^2 rows, ..."""
    grown, scaled = [rows], rate / np.linalg.norm(rate, 2)
    for _ in range(times):
        grown.append(grown[-1] @ scaled.T)
    return _span(np.vstack(grown))


def _span(rows: Array) -> Array:
    """Orthogonal rows with the same span: the largest that is left, made orthogonal to those before it.

    They have length one, or less if less was left: a direction that hardly shows is made no longer, because its
    rounding would then pass for further directions.
    """
    rest, directions, lengths = rows, np.zeros((0, rows.shape[1])), list[float]()
    while len(rest):
        size = np.linalg.norm(rest, axis=1)
        best = int(np.argmax(size))
        if size[best] <= SHOWS:
            break
        row = rest[best] - (rest[best] @ directions.T) @ directions  # once more: rounding of the steps before
        directions = np.vstack([directions, row / np.linalg.norm(row)])
        lengths.append(min(float(size[best]), 1.0))
        rest = np.delete(rest, best, axis=0)
        rest = rest - np.outer(rest @ directions[-1], directions[-1])
    return directions * np.array(lengths)[:, None]
