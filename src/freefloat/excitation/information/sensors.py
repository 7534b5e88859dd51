"""What each sensor of the base reads of a planned motion, by all unknowns, whitened; and the way back.

    gyro       w + mu x-columns + s-columns + b + walk(t)
    velocity   v - r x-columns of w + R^T R_0^T V + R^T (integral of R) a
    attitude   R^T (psi + psi_0)
    position   P + V t - R_0 R c

as in `estimate/bound/rows.py`, at a velocity V = 0 of the centre of mass. Attitudes are against the first instant, R_0
that of the first instant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky_banded, solve_banded

from freefloat.arrays import AXES, Array
from freefloat.dynamics.mass_centre import first_moment_adjoint, first_moment_regressor
from freefloat.estimate.likelihood.unknowns import KNOTS, Unknowns
from freefloat.estimate.problem import Problem
from freefloat.excitation.information.motion import Backward, InformedMotion
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import axial, cross_matrices, rotations


class Reader(ABC):
    """Rows of one sensor."""

    array: str  # of the samples

    def __init__(self, problem: Problem, unknowns: Unknowns) -> None:
        self.problem, self.unknowns, self.flight = problem, unknowns, problem.flights[0]

    @abstractmethod
    def rows(self, motion: InformedMotion) -> Array:
        """Whitened derivatives, shape (m, unknowns)."""

    @abstractmethod
    def pull_back(self, motion: InformedMotion, Z: Array, back: Backward) -> None:
        """Add the derivatives of a number with derivative Z by the rows."""

    @cached_property
    def first(self) -> Array:
        """R_0, shape (3, 3)."""
        attitude = self.flight.samples.attitude
        unknown = attitude is None or "attitude" not in self.flight.noise
        return np.eye(3) if unknown else rotations(np.asarray(attitude)[:1])[0]

    def _over_noise(self, J: Array, axes: NDArray[np.int64]) -> Array:
        """Rows along some axes over their noise, (n * axes, unknowns)."""
        return (J[:, axes] / self.flight.noise[self.array][axes, None]).reshape(-1, J.shape[2])

    def _unwhitened(self, Z: Array, axes: NDArray[np.int64], n: int) -> Array:
        """The way back of `_over_noise`, (n, 3, unknowns)."""
        J = np.zeros((n, 3, Z.shape[1]))
        J[:, axes] = Z.reshape(n, axes.size, -1) / self.flight.noise[self.array][axes, None]
        return J


class Gyro(Reader):
    """Angular rate."""

    array = "w"

    def rows(self, motion: InformedMotion) -> Array:
        """Whitened derivatives, shape (m, unknowns)."""
        J, w, axes = np.array(motion.twist[:, 3:]), motion.base.x[:, 3:], np.eye(3)[:, motion.turning]
        sensed = (
            ("gyro misalignment", cross_matrices(w)),
            ("gyro scale", w[:, :, None] * axes),
            ("gyro bias", axes[None]),
        )
        for kind, columns in sensed:
            place = motion.place(kind)
            if place is not None:
                J[:, :, place] += columns
        for axis in motion.turning.tolist():
            place = motion.place(f"gyro walk {AXES[axis]}")
            if place is not None:
                J[:, axis, place] += self._hats(motion.base.t)
        return self._over_noise(J, motion.turning)

    def pull_back(self, motion: InformedMotion, Z: Array, back: Backward) -> None:
        """Add the derivatives of a number with derivative Z by the rows."""
        J = self._unwhitened(Z, motion.turning, motion.base.n)
        back.twist[:, 3:] += J
        turned, scaled = motion.place("gyro misalignment"), motion.place("gyro scale")
        if turned is not None:
            back.bars.x[:, 3:] += axial(J[:, :, turned])
        if scaled is not None:
            back.bars.x[:, 3:][:, motion.turning] += np.einsum("nii->ni", J[:, motion.turning, scaled])

    def _hats(self, t: Array) -> Array:
        """Straight lines from knot to knot, one function for each knot after the first, shape (n, knots - 1)."""
        knots = np.linspace(t[0], t[-1], KNOTS)
        rise = np.clip((t[:, None] - knots[:-1]) / np.diff(knots), 0.0, 1.0)
        return rise - np.append(rise[:, 1:], np.zeros((t.size, 1)), axis=1)


class Velocity(Reader):
    """Velocity of a point of the base; of one that wanders, differences from instant to instant."""

    array = "v"

    @cached_property
    def wanders(self) -> bool:
        """Whether the velocity is an integrated acceleration."""
        return bool(self.flight.walks.get("v", np.zeros(3)).any())

    def rows(self, motion: InformedMotion) -> Array:
        """Whitened derivatives, shape (m, unknowns)."""
        J = self._columns(motion)
        if not self.wanders:
            return self._over_noise(J, motion.sliding)
        differences = np.diff((motion.base.R @ J)[:, motion.sliding], axis=0)
        return self._chain(differences, motion.base.t, transposed=False)

    def _columns(self, motion: InformedMotion) -> Array:
        J, R = motion.twist[:, :3] - self._arm @ motion.twist[:, 3:], motion.base.R
        axes = np.eye(3)[:, motion.sliding]
        drift, bias = motion.place("drift velocity"), motion.place("velocity bias")
        if drift is not None and not self.wanders:  # differences do not show the velocity itself
            J[:, :, drift] += R.swapaxes(1, 2) @ self.first.T @ axes
        if bias is not None:
            J[:, :, bias] += R.swapaxes(1, 2) @ self._integral(motion) @ axes
        return J

    def pull_back(self, motion: InformedMotion, Z: Array, back: Backward) -> None:
        """Add the derivatives of a number with derivative Z by the rows."""
        n, R, axes = motion.base.n, motion.base.R, np.eye(3)[:, motion.sliding]
        if self.wanders:
            step = self._chain(Z.reshape(n - 1, motion.sliding.size, -1), motion.base.t, transposed=True)
            turned = np.zeros((n, 3, Z.shape[1]))
            turned[:-1, motion.sliding] -= step
            turned[1:, motion.sliding] += step
            J = R.swapaxes(1, 2) @ turned
            back.bars.turn += np.cross(self._columns(motion), J, axis=1).sum(axis=2)
        else:
            J = self._unwhitened(Z, motion.sliding, n)
        back.twist[:, :3] += J
        back.twist[:, 3:] += self._arm @ J  # minus the transpose of a cross matrix
        drift, bias = motion.place("drift velocity"), motion.place("velocity bias")
        if drift is not None and not self.wanders:
            seen = R.swapaxes(1, 2) @ self.first.T @ axes
            back.bars.turn -= np.cross(seen, J[:, :, drift], axis=1).sum(axis=2)
        if bias is not None:
            seen = R.swapaxes(1, 2) @ self._integral(motion) @ axes
            back.bars.turn -= np.cross(seen, J[:, :, bias], axis=1).sum(axis=2)
            by_R = self._integral_back(motion, R @ J[:, :, bias] @ axes.T)
            back.bars.turn += axial(R.swapaxes(1, 2) @ by_R)

    @property
    def _arm(self) -> Array:
        return cross_matrices(self.flight.velocity_point[None])[0]

    def _integral(self, motion: InformedMotion) -> Array:
        """Of R over time, by the trapezoidal rule, shape (n, 3, 3)."""
        R, h = motion.base.R, 0.5 * np.diff(motion.base.t)[:, None, None]
        return np.concatenate([np.zeros((1, 3, 3)), np.cumsum(h * (R[1:] + R[:-1]), axis=0)])

    def _integral_back(self, motion: InformedMotion, P: Array) -> Array:
        h = 0.5 * np.diff(motion.base.t)[:, None, None]
        later = h * np.cumsum(P[:0:-1], axis=0)[::-1]
        found = np.zeros_like(P)
        found[:-1] += later
        found[1:] += later
        return found

    def _chain(self, rows: Array, t: Array, transposed: bool) -> Array:
        """Rows (n - 1, r, k) of differences, whitened: L^-1 of each axis; transposed: L^-T, in the same shape."""
        white = float(np.mean(self.flight.noise["v"] ** 2))
        walk = float(np.mean(self.flight.walks["v"] ** 2))
        band = np.zeros((2, t.size - 1))
        band[0] = 2.0 * white + walk * np.diff(t)
        band[1, :-1] = -white
        factor = cholesky_banded(band, lower=True)
        flat = rows.reshape(t.size - 1, -1)
        if transposed:
            upper = np.zeros_like(factor)
            upper[1], upper[0, 1:] = factor[0], factor[1, :-1]
            return np.asarray(solve_banded((0, 1), upper, flat), float).reshape(rows.shape)
        return np.asarray(solve_banded((1, 0), factor, flat), float).reshape(-1, rows.shape[2])


class Attitude(Reader):
    """Attitude, as a small rotation in base axes."""

    array = "attitude"

    def rows(self, motion: InformedMotion) -> Array:
        """Whitened derivatives, shape (m, unknowns)."""
        return self._over_noise(_seen(motion), motion.turning)

    def pull_back(self, motion: InformedMotion, Z: Array, back: Backward) -> None:
        """Add the derivatives of a number with derivative Z by the rows."""
        motion.rotate_back(self._unwhitened(Z, motion.turning, motion.base.n), _seen(motion), back)


class Position(Reader):
    """Position of the base's origin."""

    array = "position"

    def rows(self, motion: InformedMotion) -> Array:
        """Whitened derivatives, shape (m, unknowns)."""
        c, change = self._centre(motion)
        R, R_0 = motion.base.R, self.first
        arm = np.einsum("nij,nj->ni", R, c)
        J = R_0 @ (np.cross(arm[:, :, None], _turned(motion), axis=1) - R @ change)
        axes, since = np.eye(3)[:, motion.sliding], (motion.base.t - motion.base.t[0])[:, None, None]
        for kind, columns in (("drift velocity", since * axes), ("first position", axes[None])):
            place = motion.place(kind)
            if place is not None:
                J[:, :, place] += columns
        return self._over_noise(J, motion.sliding)

    def pull_back(self, motion: InformedMotion, Z: Array, back: Backward) -> None:
        """Add the derivatives of a number with derivative Z by the rows."""
        base, bars, R = motion.base, back.bars, motion.base.R
        c, change = self._centre(motion)
        J = self.first.T @ self._unwhitened(Z, motion.sliding, base.n)
        arm = np.einsum("nij,nj->ni", R, c)
        back.psi += np.cross(J, arm[:, :, None], axis=1)
        by_c = np.einsum("nji,nj->ni", R, np.cross(_turned(motion), J, axis=1).sum(axis=2))
        seen = R.swapaxes(1, 2) @ J
        bars.turn += np.cross(c, by_c) - np.cross(change, seen, axis=1).sum(axis=2)
        self._centre_back(motion, -seen, by_c, back)

    def _centre(self, motion: InformedMotion) -> tuple[Array, Array]:
        """Centre of mass in base axes, (n, 3), and its derivatives by all unknowns, (n, 3, unknowns)."""
        base, rows = motion.base, motion.rows
        mass = float(base.A[0, 0, 0])
        Y = first_moment_regressor(base.robot, base.samples)
        c = Y @ base.phi / mass
        is_mass = (rows.columns % PER_BODY == 0).astype(float)
        parameters = (Y[..., rows.columns] - c[..., None] * is_mass) * base.present / mass
        position = base.A[:, :3, 6:] / mass
        return c, motion.spread(parameters, position, np.zeros_like(position))

    def _centre_back(self, motion: InformedMotion, change: Array, by_c: Array, back: Backward) -> None:
        base, rows, bars = motion.base, motion.rows, back.bars
        mass = float(base.A[0, 0, 0])
        position = base.A[:, :3, 6:] / mass
        parameters, by_position, _ = motion.gather(change, position, np.zeros_like(position), bars)
        bars.A_q[:, :3] += by_position / mass
        weight = parameters * base.present / mass
        is_mass = (rows.columns % PER_BODY == 0).astype(float)
        by_c = by_c - weight @ is_mass
        Z = by_c[:, :, None] * base.phi / mass
        Z[:, :, rows.columns] += weight
        bars.q += first_moment_adjoint(base.robot, base.samples.q, Z)


def _turned(motion: InformedMotion) -> Array:
    """Small rotation in the axes of the first instant, that of the first attitude included, (n, 3, unknowns)."""
    place = motion.place("first attitude")
    if place is None:
        return motion.psi
    psi = np.array(motion.psi)
    psi[:, :, place] += np.eye(3)[:, motion.turning]
    return psi


def _seen(motion: InformedMotion) -> Array:
    """The same in base axes."""
    return motion.base.R.swapaxes(1, 2) @ _turned(motion)


READERS: dict[str, type[Reader]] = {"w": Gyro, "v": Velocity, "attitude": Attitude, "position": Position}
