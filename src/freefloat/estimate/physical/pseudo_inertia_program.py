"""The semidefinite program behind physically consistent parameters.

Unknown standard parameters are written by their distance x from the CAD model in units of its spread,

    phi = origin + root x,

and every body b must keep a positive definite pseudo-inertia J (Wensing, Kim, Slotine, RA-L 2018; Sousa,
Cortesao, IJRR 2014). Bodies differ by many orders of magnitude, so each is looked at in a frame of its own: in its
centre of mass, in units of its mass and its radius of gyration in the CAD model, where J is about the identity:

    F^-1 (J(phi_b) - what its wheels need) F^-T >= least E,       F = sqrt(m) [[r E, c], [0, 1]].

A body that must lie inside an ellipsoid (x - c)^T S^-1 (x - c) <= 1 also has tr(J Q) >= 0, with
Q = [[-S^-1, S^-1 c], [(S^-1 c)^T, 1 - c^T S^-1 c]].
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.errors import FreefloatError, UnknownName
from freefloat.robot.model import Robot
from freefloat.robot.parameters import (
    PER_BODY,
    com_of,
    inertia_about_com,
    parameters_from_pseudo_inertia,
    pseudo_inertia,
)
from freefloat.robot.shapes import Ellipsoid

LEAST = 1e-7  # smallest eigenvalue of a scaled pseudo-inertia: a sheet a few ten-thousandths of its width thick
_LIGHT, _SMALL = 1e-3, 1e-2  # of the largest: mass and size of a body to which the CAD model gives none
_FLOOR = 1e-3  # smallest spread of a scaled pseudo-inertia's entries
_ACCURACY = 1e-10
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
    (b, 4, 4, k). room, room_slope: room + room_slope x >= 0, one for each ellipsoid, shapes (e,) and (e, k).
    """

    bodies: tuple[str, ...]
    offset: Array
    slope: Array
    room: Array
    room_slope: Array

    def smallest(self, x: Array) -> Array:
        """Smallest eigenvalue of each body's scaled pseudo-inertia, shape (b,)."""
        return np.asarray(np.linalg.eigvalsh(self.offset + self.slope @ x)[:, 0])

    def hold(self, x: Array) -> bool:
        """Whether all are fulfilled, up to rounding."""
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
        )


def frames(robot: Robot) -> Array:
    """F of each moving body, by its CAD values, shape (bodies, 4, 4): J = F (about the identity) F^T."""
    phi = robot.parameters.reshape(-1, PER_BODY)
    mass = np.maximum(phi[:, 0], _LIGHT * max(phi[:, 0].max(), 1e-300))
    squared = np.array([np.trace(inertia_about_com(body)) / 6.0 for body in phi]) / mass
    largest = max(float(squared.max()), float(np.abs(robot.tree.arrays.geometry[:, 30:]).max()) ** 2 / 100.0, 1e-12)
    reach = np.sqrt(np.maximum(squared, _SMALL**2 * largest))
    F = np.zeros((len(phi), 4, 4))
    F[:, [0, 1, 2], [0, 1, 2]] = reach[:, None]
    F[:, :3, 3] = [com_of(body) for body in phi]
    F[:, 3, 3] = 1.0
    return np.asarray(np.sqrt(mass)[:, None, None] * F)


def cad_coordinates(robot: Robot, origin: Array, covariance: Array, unknown: NDArray[np.int64]) -> Coordinates:
    """Coordinates in which the CAD model's covariance, shape (10 bodies, 10 bodies), is the identity.

    origin: where x = 0 is. unknown: columns that move; the others stay where the origin has them.
    A spread below a thousandth of a body's size counts as that.
    """
    root = np.zeros((origin.size, unknown.size))
    for body, F in enumerate(frames(robot)):
        columns = np.flatnonzero(unknown // PER_BODY == body)
        rows = unknown[columns]
        if rows.size:
            units = _scaled_units(F)
            block = slice(PER_BODY * body, PER_BODY * (body + 1))
            spread = (covariance[block, block] + _FLOOR**2 * units @ units.T)[np.ix_(rows % PER_BODY, rows % PER_BODY)]
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


def physical_cones(
    robot: Robot, coordinates: Coordinates, bodies: Sequence[int], inside: Mapping[str, Ellipsoid]
) -> Cones:
    """What these moving bodies, by number, must fulfil."""
    offset, slope, names = [], [], robot.body_names
    inverses = np.linalg.inv(frames(robot))
    for body in bodies:
        invert = inverses[body]
        block = slice(PER_BODY * body, PER_BODY * (body + 1))
        least = _wheels(robot) if body == 0 else np.zeros((4, 4))
        offset.append(invert @ (pseudo_inertia(coordinates.origin[block]) - least) @ invert.T)
        columns = [invert @ pseudo_inertia(column) @ invert.T for column in coordinates.root[block].T]
        slope.append(np.stack(columns, axis=-1))
    room, room_slope = _room(robot, coordinates, inside)
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


def _room(robot: Robot, coordinates: Coordinates, inside: Mapping[str, Ellipsoid]) -> tuple[Array, Array]:
    """tr(J Q) for each ellipsoid, over the mass of the body in the CAD model: offsets (e,) and slopes (e, k)."""
    room, slope = np.zeros(len(inside)), np.zeros((len(inside), coordinates.root.shape[1]))
    scale = frames(robot)[:, 3, 3] ** 2
    for row, (name, ellipsoid) in enumerate(inside.items()):
        if name not in robot.body_names:
            raise UnknownName("moving body", name, robot.body_names)
        body, Q = robot.body_names.index(name), _bound(ellipsoid)
        block = slice(PER_BODY * body, PER_BODY * (body + 1))
        weights = np.array([np.sum(Q * pseudo_inertia(unit)) for unit in np.eye(PER_BODY)]) / scale[body]
        room[row], slope[row] = weights @ coordinates.origin[block], weights @ coordinates.root[block]
    return room, slope


def _bound(ellipsoid: Ellipsoid) -> Array:
    """Q of an ellipsoid, (4, 4)."""
    S = ellipsoid.rotation @ np.diag(ellipsoid.semi_axes**-2) @ ellipsoid.rotation.T
    Q, turned = np.empty((4, 4)), S @ ellipsoid.centre
    Q[:3, :3], Q[:3, 3], Q[3, :3] = -S, turned, turned
    Q[3, 3] = 1.0 - ellipsoid.centre @ turned
    return Q


def minimise(B: Array, b: Array, cones: Cones) -> Array | None:
    """The x of least |B x - b|^2 in the cones; None if there is none, or none with an inside.

    B: shape (rows, k), of full column rank.
    """
    Q, R = scipy.linalg.qr(B, mode="economic")
    # The solver stops at an absolute gap, best that of the misfit itself; but large numbers may lead it astray.
    for size in np.unique(np.maximum(np.abs(R).max() ** np.array([0.0, 0.5, 1.0]), 1.0)):
        found = _solved(R / size, Q.T @ b / size, cones)
        if found is not None:
            return found
    return None


def _solved(R: Array, right: Array, cones: Cones) -> Array | None:
    import cvxpy

    x = cvxpy.Variable(R.shape[1])
    constraints = []
    for offset, slope in zip(cones.offset, cones.slope, strict=True):
        scaled = cvxpy.reshape(slope.reshape(16, -1) @ x, (4, 4), order="C") + offset
        constraints.append(scaled - LEAST * np.eye(4) >> 0)
    if cones.room.size:
        constraints.append(cones.room_slope @ x + cones.room >= 0)
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(R @ x - right)), constraints)
    settings = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), _ACCURACY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of inaccurate solutions: what comes out is checked below
        try:
            program.solve(solver=cvxpy.CLARABEL, max_iter=200, **settings)
        except cvxpy.SolverError:
            return None
    if program.status not in (cvxpy.OPTIMAL, cvxpy.OPTIMAL_INACCURATE):
        return None
    found = np.asarray(x.value, float)
    return found if cones.hold(found) else None
