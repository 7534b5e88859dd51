"""A robot that stands does not fall: centre of mass and zero-moment point inside the polygon it stands on.

With `a` a corner, d the direction of the edge from it, corners going round to the left seen from above, and n = -g/|g|
upwards, the centre of mass c is (c - a) . (n x d) inside that edge, seen along gravity. The ground holds the robot by
the force f and the moment m about the base's origin; where that wrench has no moment across n, at Vukobratović's
zero-moment point, it acts, and that is

    d . (m - a x f) / (n . f)

inside the edge. Margins are that times the force over the weight: linear in the wrench, and smooth where nothing
presses down. If none is negative, the force presses down, for the edges' moments times their lengths add up to twice
the area times n . f.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from freefloat.arrays import Array
from freefloat.dynamics.mass_centre import centre_of_mass
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates
from freefloat.dynamics.torque import inverse_dynamics_adjoint
from freefloat.excitation.limits.centre_of_mass import CentreOfMassDisc, mass_centre_by_positions
from freefloat.excitation.limits.limit import Limit, LimitFields
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.files import Number, Positive, Vector3
from freefloat.frozen import Content
from freefloat.models.model import NotApplicable
from freefloat.robot.model import Robot

_FLAT = 1e-9  # of its length squared: an area that is none


@dataclass(frozen=True, eq=False)
class SupportPolygon(Content):
    """What a robot stands on, convex seen along gravity.

    corners: in order, base frame, shape (k, 3) [m]. up: against gravity, unit vector, shape (3,).
    """

    corners: Array
    up: Array

    @classmethod
    def of(cls, robot: Robot, corners: Sequence[Sequence[float]]) -> SupportPolygon:
        """Of a robot that stands; refused where it does not, or where corners make no such polygon."""
        weight = float(np.linalg.norm(robot.gravity))
        if robot.base != "fixed" or not weight:
            raise NotApplicable(
                f"{robot.name} has a {robot.base} base and {'no gravity' if not weight else 'gravity'}; allowed: a "
                "fixed base with gravity, or a stance in the mission"
            )
        points, up = np.array(corners, float), -robot.gravity / weight
        before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
        bends = np.cross(before, after) @ up
        if bends.sum() < 0.0:  # they go round to the right
            points, bends = points[::-1], -bends
        size = max(float((after**2).sum()), 1e-300)
        sides = np.cross(np.roll(points, -1, axis=0) - points, points[:, None] - points) @ up  # of corners, by edges
        if len(points) < 3 or not (bends > _FLAT * size).all() or not (sides > -_FLAT * size).all():
            raise NotApplicable(
                f"{len(points)} corners that make no convex polygon seen along gravity; allowed: 3 or more"
            )
        return cls(points, up)

    @cached_property
    def inwards(self) -> Array:
        """Horizontal unit vectors from each edge inwards, shape (k, 3)."""
        across = np.cross(self.up, np.roll(self.corners, -1, axis=0) - self.corners)
        return np.asarray(across / np.linalg.norm(across, axis=1, keepdims=True))

    @cached_property
    def moments(self) -> Array:
        """From a wrench to its moment about each edge, per metre across it, shape (k, 6)."""
        along = np.roll(self.corners, -1, axis=0) - self.corners
        along = along / np.linalg.norm(np.cross(self.up, along), axis=1, keepdims=True)
        return np.hstack([-np.cross(along, self.corners), along])  # -d . (a x f) = -(d x a) . f

    @cached_property
    def centre(self) -> Array:
        """Of the area, seen along gravity, shape (3,) [m]."""
        first = self.corners[0]
        one, other = self.corners[1:-1] - first, self.corners[2:] - first
        areas = np.cross(one, other) @ self.up
        return np.asarray(first + (areas[:, None] * (one + other)).sum(axis=0) / (3.0 * areas.sum()))

    @cached_property
    def size(self) -> float:
        """Half the side of a square of its area, seen along gravity [m]."""
        first = self.corners[0]
        area = 0.5 * float((np.cross(self.corners[1:-1] - first, self.corners[2:] - first) @ self.up).sum())
        return 0.5 * float(np.sqrt(area))


@dataclass(frozen=True, eq=False)
class _InsideSupport(Limit):
    """A point at least `least_m` [m] inside every edge of a polygon; margins edge by edge, each at all instants."""

    polygon: SupportPolygon
    least_m: float = 0.0
    name: str = field(init=False)
    size: float = field(init=False)
    what: ClassVar[str]
    unit = "m"

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"{self.what} inside its support")
        object.__setattr__(self, "size", self.polygon.size)

    @abstractmethod
    def distances(self, motion: PlannedMotion) -> Array:
        """How far inside each edge, shape (n, edges) [m], as margins count it."""

    @abstractmethod
    def slopes(self, motion: PlannedMotion, edges: NDArray[np.int64], at: NDArray[np.int64]) -> Array:
        """Derivative of chosen distances by the flattened coefficients, shape (len(at), k * channels)."""

    def margins(self, motion: PlannedMotion) -> Array:
        """Not negative where the point is inside, shape (edges * n,)."""
        return self.distances(motion).T.ravel() / self.size

    def jacobian(self, motion: PlannedMotion, rows: NDArray[np.int64]) -> Array:
        """Derivative of the chosen margins by the flattened coefficients, shape (len(rows), k * channels)."""
        edges, at = np.divmod(rows, motion.t.size)
        return self.slopes(motion, edges, at) / self.size

    def instants(self, motion: PlannedMotion) -> Array:
        """Time of each margin, shape (edges * n,) [s]."""
        return np.tile(motion.t, len(self.polygon.corners))


@dataclass(frozen=True, eq=False)
class CentreOfMassInside(_InsideSupport):
    """The centre of mass of the robot as it is assumed to be, seen along gravity."""

    what = "centre of mass"

    def distances(self, motion: PlannedMotion) -> Array:
        """Beyond the least, shape (n, edges) [m]."""
        inwards, corners = self.polygon.inwards, self.polygon.corners
        return centre_of_mass(motion.robot, motion.samples) @ inwards.T - (inwards * corners).sum(axis=1) - self.least_m

    def slopes(self, motion: PlannedMotion, edges: NDArray[np.int64], at: NDArray[np.int64]) -> Array:
        """Of chosen distances, shape (len(at), k * channels)."""
        by_position = np.einsum("ni,nij->nj", self.polygon.inwards[edges], mass_centre_by_positions(motion, at))
        return motion.chain(at, position=by_position)


@dataclass(frozen=True, eq=False)
class ZeroMomentPointInside(_InsideSupport):
    """The point of the ground at which its force acts; distances count by the force over the weight."""

    what = "zero-moment point"

    @cached_property
    def _wrenches(self) -> Array:
        """From a wrench to the moment about each edge less that of its force at the least distance, (edges, 6)."""
        press = np.concatenate([self.polygon.up, np.zeros(3)])
        return self.polygon.moments - self.least_m * press

    def distances(self, motion: PlannedMotion) -> Array:
        """Beyond the least, times the force over the weight, shape (n, edges) [m]."""
        return motion.loads[:, :6] @ self._wrenches.T / _weight(motion.robot)

    def slopes(self, motion: PlannedMotion, edges: NDArray[np.int64], at: NDArray[np.int64]) -> Array:
        """Of chosen distances, shape (len(at), k * channels)."""
        robot, samples = motion.robot, motion.samples[at]
        weight = np.zeros((at.size, 6 + len(robot.joints)))
        weight[:, :6] = self._wrenches[edges] / _weight(robot)
        found = inverse_dynamics_adjoint(robot, samples, weight)
        by_wheels = weight[:, 3:6] @ momentum_by_wheel_rates(robot)
        return motion.chain(at, found.q, found.dq, found.ddq, wheel_acceleration=by_wheels)

    def slack(self, motion: PlannedMotion) -> float:
        """The smallest distance of the point itself from its bound [m]; minus infinity where nothing presses down."""
        wrench = motion.loads[:, :6]
        press = wrench[:, :3] @ self.polygon.up
        if not (press > 0.0).all():
            return -np.inf
        return float((wrench @ self.polygon.moments.T / press[:, None]).min()) - self.least_m


def _weight(robot: Robot) -> float:
    return robot.mass * float(np.linalg.norm(robot.gravity))


class SupportFields(LimitFields):
    """What a robot that stands must keep so as not to fall."""

    support_polygon_m: Annotated[list[Vector3], Field(min_length=3)] | None = Field(
        default=None, description="corners of what it stands on, in order, in the frame of the base or body that stands"
    )
    centre_of_mass_inside_m: Annotated[Number, Field(ge=0.0)] | None = Field(
        default=0.0, description="least distance of the centre of mass from the polygon's edges; null leaves it free"
    )
    zero_moment_point_inside_m: Annotated[Number, Field(ge=0.0)] | None = Field(
        default=0.0, description="least distance of the zero-moment point from the polygon's edges; null leaves it free"
    )
    centre_of_mass_disc_m: Positive | None = Field(
        default=None, description="largest distance of the centre of mass from the polygon's centre, seen along gravity"
    )

    @model_validator(mode="after")
    def _of_a_polygon(self) -> Self:
        asked = {"centre_of_mass_inside_m", "zero_moment_point_inside_m", "centre_of_mass_disc_m"}
        given = sorted(asked & self.model_fields_set)
        if self.support_polygon_m is None and given:
            raise ValueError(f"has {given[0]} but no support_polygon_m; allowed: with it only")
        return self

    def limits(self, robot: Robot, channels: Sequence[str]) -> tuple[Limit, ...]:
        """Of the centre of mass and the zero-moment point."""
        if self.support_polygon_m is None:
            return ()
        try:
            polygon = SupportPolygon.of(robot, self.support_polygon_m)
        except NotApplicable as error:
            raise NotApplicable(f"support_polygon_m: {error}") from error
        found: list[Limit] = []
        if self.centre_of_mass_inside_m is not None:
            found.append(CentreOfMassInside(polygon, self.centre_of_mass_inside_m))
        if self.zero_moment_point_inside_m is not None:
            found.append(ZeroMomentPointInside(polygon, self.zero_moment_point_inside_m))
        if self.centre_of_mass_disc_m is not None:
            centre, up = tuple(polygon.centre.tolist()), tuple(polygon.up.tolist())
            found.append(CentreOfMassDisc(self.centre_of_mass_disc_m, centre, up))
        return tuple(found)
