"""What a robot that can exist fulfils, by the distance of its parameters from the CAD model.

Unknown standard parameters are written by their distance x from the CAD model in units of its spread,

    phi = origin + root x,

and every body b must keep a positive definite pseudo-inertia J (Wensing, Kim, Slotine, RA-L 2018; Sousa,
Cortesao, IJRR 2014). Bodies differ by many orders of magnitude, so each is looked at in a frame of its own: in its
centre of mass, in units of its mass and its radius of gyration in the CAD model, where J is about the identity:

    F^-1 (J(phi_b) - what its wheels need) F^-T >= least E,       F = sqrt(m) [[r E, c], [0, 1]].

A body that must lie inside a shape also has tr(J Q) >= 0 for the Q of that shape (`bounds.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.errors import FreefloatError, UnknownName
from freefloat.estimate.physical.bounds import Bound, bounding_forms
from freefloat.robot.model import Robot
from freefloat.robot.parameters import (
    PER_BODY,
    com_of,
    inertia_about_com,
    parameters_from_pseudo_inertia,
    pseudo_inertia,
)

LEAST = 1e-7  # smallest eigenvalue of a scaled pseudo-inertia: a sheet a few ten-thousandths of its width thick
_LIGHT, _SMALL = 1e-3, 1e-2  # of the largest: mass and size of a body to which the CAD model gives none
_FLOOR = 1e-3  # smallest spread of a scaled pseudo-inertia's entries
AT_LIMIT = 100.0 * LEAST  # below it, bodies are all but impossible
_SLACK = 0.5  # of LEAST: what rounding may take off it


class NotSolved(FreefloatError):
    """A program that the solver gave up on."""


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """Standard parameters by their whitened distance from the CAD model: phi = origin + root x.

    origin: CAD values of what is unknown, known values, zeros, shape (10 bodies,). root: shape (10 bodies, k).
    """

    origin: Array
    root: Array


@dataclass(frozen=True, slots=True, eq=False)
class Cones:
    """What a physical robot fulfils, affine in x.

    bodies: names. offset, slope: scaled pseudo-inertias, each offset + slope x >= LEAST E, shapes (b, 4, 4) and
    (b, 4, 4, k). room, room_slope: room + room_slope x >= 0, rows for shapes and bounds, shapes (e,) and (e, k).
    gap, gap_slope: gap + gap_slope x = 0, shapes (g,) and (g, k).
    """

    bodies: tuple[str, ...]
    offset: Array
    slope: Array
    room: Array
    room_slope: Array
    gap: Array = field(default_factory=lambda: np.zeros(0))
    gap_slope: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def smallest(self, x: Array) -> Array:
        """Smallest eigenvalue of each body's scaled pseudo-inertia, shape (b,)."""
        return np.asarray(np.linalg.eigvalsh(self.offset + self.slope @ x)[:, 0])

    def hold(self, x: Array) -> bool:
        """Whether all are fulfilled, up to rounding."""
        if self.gap.size and np.abs(self.gap + self.gap_slope @ x).max() > LEAST:
            return False
        enough = bool((self.smallest(x) >= _SLACK * LEAST).all())
        return enough and bool((self.room + self.room_slope @ x >= -LEAST).all())

    def along(self, start: Array, directions: Array) -> Cones:
        """The same in coordinates w, x = start + directions w."""
        return replace(
            self,
            offset=self.offset + self.slope @ start,
            slope=self.slope @ directions,
            room=self.room + self.room_slope @ start,
            room_slope=self.room_slope @ directions,
            gap=self.gap + self.gap_slope @ start if self.gap.size else self.gap,
            gap_slope=self.gap_slope @ directions if self.gap.size else np.zeros((0, directions.shape[1])),
        )

    def with_room(self, room: Array, slope: Array) -> Cones:
        """The same and room + slope x >= 0, shapes (e,) and (e, k)."""
        return replace(self, room=np.append(self.room, room), room_slope=np.vstack([self.room_slope, slope]))

    def with_gap(self, gap: Array, slope: Array) -> Cones:
        """The same and gap + slope x = 0, shapes (g,) and (g, k)."""
        own = self.gap_slope if self.gap.size else np.zeros((0, slope.shape[1]))
        return replace(self, gap=np.append(self.gap, gap), gap_slope=np.vstack([own, slope]))

    def with_columns(self, count: int) -> Cones:
        """The same for x with so many further entries, of which no body knows."""
        shape = self.slope.shape
        return replace(
            self,
            slope=np.concatenate([self.slope, np.zeros((*shape[:3], count))], axis=3),
            room_slope=np.hstack([self.room_slope, np.zeros((self.room.size, count))]),
            gap_slope=np.hstack([self.gap_slope, np.zeros((self.gap.size, count))])
            if self.gap.size
            else self.gap_slope,
        )


def frames_of(robot: Robot) -> Array:
    """F of each moving body of a robot; where it says nothing of their sizes, a tenth of its longest link counts."""
    return frames(robot.parameters, float(np.abs(robot.tree.arrays.geometry[:, 30:]).max()) / 10.0)


def frames(parameters: Array, size: float = 0.0) -> Array:
    """F of each moving body, by its CAD values, shape (bodies, 4, 4): J = F (about the identity) F^T.

    parameters: shape (10 bodies,). size: radius of gyration of the largest body, at least [m].
    """
    phi = parameters.reshape(-1, PER_BODY)
    mass = np.maximum(phi[:, 0], _LIGHT * max(phi[:, 0].max(), 1e-300))
    squared = np.array([np.trace(inertia_about_com(body)) / 6.0 for body in phi]) / mass
    largest = max(float(squared.max()), size**2, 1e-12)
    reach = np.sqrt(np.maximum(squared, _SMALL**2 * largest))
    F = np.zeros((len(phi), 4, 4))
    F[:, [0, 1, 2], [0, 1, 2]] = reach[:, None]
    F[:, :3, 3] = [com_of(body) for body in phi]
    F[:, 3, 3] = 1.0
    return np.asarray(np.sqrt(mass)[:, None, None] * F)


def cad_coordinates(
    F: Array, origin: Array, covariance: Array, unknown: NDArray[np.int64], least: float = _FLOOR
) -> Coordinates:
    """Coordinates in which the CAD model's covariance, shape (10 bodies, 10 bodies), is the identity.

    F: frames of the bodies, (bodies, 4, 4). origin: where x = 0 is. unknown: columns that move; the others stay where
    the origin has them.
    least: smallest spread, over a body's mass and size, which is added to every other.
    """
    root = np.zeros((origin.size, unknown.size))
    for body, frame in enumerate(F):
        columns = np.flatnonzero(unknown // PER_BODY == body)
        rows = unknown[columns]
        if rows.size:
            units = _scaled_units(frame)
            block = slice(PER_BODY * body, PER_BODY * (body + 1))
            spread = (covariance[block, block] + least**2 * units @ units.T)[np.ix_(rows % PER_BODY, rows % PER_BODY)]
            size = np.sqrt(np.diagonal(spread))
            root[np.ix_(rows, columns)] = size[:, None] * np.linalg.cholesky(spread / np.outer(size, size))
    return Coordinates(origin, root)


def _scaled_units(F: Array) -> Array:
    """Parameters of a unit of each entry of the scaled pseudo-inertia, as columns, (10, 10)."""
    units = []
    for i in range(4):
        for j in range(i, 4):
            entry = np.zeros((4, 4))
            entry[i, j] = entry[j, i] = 1.0
            units.append(parameters_from_pseudo_inertia(F @ entry @ F.T))
    return np.array(units).T


def physical_cones(robot: Robot, coordinates: Coordinates, bodies: Sequence[int], inside: Mapping[str, Bound]) -> Cones:
    """What these moving bodies of a robot, by number, must fulfil."""
    return cones_of(robot.body_names, frames_of(robot), coordinates, bodies, inside, _wheels(robot))


def cones_of(
    names: Sequence[str],
    F: Array,
    coordinates: Coordinates,
    bodies: Sequence[int],
    inside: Mapping[str, Bound],
    wheels: Array | None = None,
) -> Cones:
    """What bodies must fulfil. wheels: second moments that the first of all must hold, as a pseudo-inertia, (4, 4)."""
    offset, slope = [], []
    inverses = np.linalg.inv(F)
    for body in bodies:
        invert = inverses[body]
        block = slice(PER_BODY * body, PER_BODY * (body + 1))
        least = wheels if body == 0 and wheels is not None else np.zeros((4, 4))
        offset.append(invert @ (pseudo_inertia(coordinates.origin[block]) - least) @ invert.T)
        columns = [invert @ pseudo_inertia(column) @ invert.T for column in coordinates.root[block].T]
        slope.append(np.stack(columns, axis=-1))
    room, room_slope = _room(names, F, coordinates, inside)
    listed = tuple(names[body] for body in bodies)
    shape = (len(listed), 4, 4, coordinates.root.shape[1])
    return Cones(listed, np.reshape(offset, shape[:3]), np.reshape(slope, shape), room, room_slope)


def _wheels(robot: Robot) -> Array:
    """Second moments that the base must hold for its wheels, as a pseudo-inertia, (4, 4).

    They are a little thicker than flat, and than a URDF takes them to be.
    """
    least = np.zeros((4, 4))
    for wheel in robot.wheels:
        least[:3, :3] += 0.5 * wheel.spin_inertia * (np.eye(3) - 0.998 * np.outer(wheel.axis, wheel.axis))
    return least


def _room(names: Sequence[str], F: Array, coordinates: Coordinates, inside: Mapping[str, Bound]) -> tuple[Array, Array]:
    """tr(J Q) for each Q of each shape, over the mass of the body in the CAD model: offsets (e,) and slopes (e, k)."""
    rows = [np.zeros((0, coordinates.origin.size))]
    for name, bound in inside.items():
        if name not in names:
            raise UnknownName("moving body", name, names)
        body, forms = names.index(name), bounding_forms(bound)
        weights = np.einsum("qij,pij->qp", forms, [pseudo_inertia(unit) for unit in np.eye(PER_BODY)])
        own = np.zeros((len(forms), coordinates.origin.size))
        own[:, PER_BODY * body : PER_BODY * (body + 1)] = weights / F[body, 3, 3] ** 2
        rows.append(own)
    every = np.vstack(rows)
    return every @ coordinates.origin, every @ coordinates.root
