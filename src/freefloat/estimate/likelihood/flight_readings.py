"""What the sensors of one flight should read: predictions of each channel, and their derivatives.

Of a gyro, a velocity, an attitude, a position:

    gyro:      (1 + s) (w - mu x w) + b + walk(t)
    velocity:  v + R^T R0^T V + R^T int R dt a         (V of the centre of mass, a an accelerometer's bias)
    attitude:  R0 R                                    (residual: the rotation vector between the two)
    position:  P + V t - R0 R c                        (c the centre of mass in base axes)

V and P are those of the centre of mass in inertial axes; s, mu, b, a errors of the sensors.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.samples import Samples
from freefloat.estimate.likelihood.flight_prediction import FlightPrediction
from freefloat.estimate.likelihood.reaction import BaseMotion
from freefloat.estimate.likelihood.unknowns import KNOTS
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import cross_matrices, exponential, logarithm, right_jacobian, rotations


class FlightReadings(FlightPrediction):
    """Residuals of each channel, measured less predicted, before any weight."""

    def _gyro_gain(self, point: Array) -> tuple[Array, Array]:
        """What the gyro makes of rates about the axes that count, (k, k), and its scale alone, (3,)."""
        turn = self._vector(point, self._shared("gyro misalignment"), np.arange(3))
        scale = 1.0 + self._vector(point, self._shared("gyro scale"), self.turning)
        gain = scale[:, None] * (np.eye(3) - cross_matrices(turn[None])[0])
        return gain[self.turning[:, None], self.turning], scale

    def _gyro(self, point: Array, motion: BaseMotion, G: Array | None, alpha: Array | None) -> tuple[Array, Array]:
        w = motion.w[:: self.grid.step]
        gain, scale = self._gyro_gain(point)
        seen = w[:, self.turning] @ gain.T
        bias = self.place("gyro bias")
        predicted = seen + (point[bias] if bias is not None else 0.0)
        for row, axis in enumerate(self.turning.tolist()):
            knots = self.place(f"gyro walk {AXES[axis]}")
            if knots is not None:
                predicted[:, row] += self._hats @ point[knots]
        assert self.samples.w is not None
        residual = self.samples.w[:, self.turning] - predicted
        if G is None:
            return residual, np.zeros((0, 0, 0))
        J = G if alpha is None else gain @ G[:, self.sliding.size :]
        self._add_gyro_columns(J, w, seen, scale, bias)
        return residual, J

    def _add_gyro_columns(self, J: Array, w: Array, seen: Array, scale: Array, bias: slice | None) -> None:
        """Columns of misalignment, scale, bias and its walk."""
        turns, scales = self._shared("gyro misalignment"), self._shared("gyro scale")
        if turns is not None:
            J[:, :, turns] += scale[:, None] * cross_matrices(w)
        for row, axis in enumerate(self.turning.tolist()):
            if scales is not None:
                J[:, row, scales.start + row] += seen[:, row] / scale[axis]
            if bias is not None:
                J[:, row, bias.start + row] += 1.0
            knots = self.place(f"gyro walk {AXES[axis]}")
            if knots is not None:
                J[:, row, knots] += self._hats

    @cached_property
    def _hats(self) -> Array:
        """Straight lines between knots, one function for each knot after the first, (n, knots - 1)."""
        place = self.since / self.since[-1] * (KNOTS - 1)
        return np.maximum(0.0, 1.0 - np.abs(place[:, None] - np.arange(1, KNOTS)))

    def _first(self, point: Array) -> tuple[Array, Array]:
        """R0, and the derivative of its small rotation in base axes, both (3, 3)."""
        place = self.place("first attitude")
        if place is None:
            return np.eye(3), np.zeros((3, 0))
        vector = self._vector(point, place, self.turning)[None]
        return self._reference @ exponential(vector)[0], right_jacobian(vector)[0][:, self.turning]

    @cached_property
    def _reference(self) -> Array:
        assert self.samples.attitude is not None
        return rotations(self.samples.attitude[:1])[0]

    def _whole_turn(self, point: Array, motion: BaseMotion, alpha: Array) -> Array:
        """Derivative of R0 R as a small rotation in base axes, (n, 3, unknowns)."""
        place = self.place("first attitude")
        if place is None:
            return alpha
        total = np.array(alpha)
        total[:, :, place] += motion.R[::2].swapaxes(1, 2) @ self._first(point)[1]
        return total

    def _attitude(self, point: Array, motion: BaseMotion, G: Array | None, alpha: Array | None) -> tuple[Array, Array]:
        assert self.samples.attitude is not None
        predicted = self._first(point)[0] @ motion.R[::2]
        away = logarithm(predicted.swapaxes(1, 2) @ rotations(self.samples.attitude))
        residual = away[:, self.turning]
        if alpha is None:
            return residual, np.zeros((0, 0, 0))
        turned = np.linalg.inv(right_jacobian(-away)) @ self._whole_turn(point, motion, alpha)
        return residual, turned[:, self.turning]

    def _velocity(self, point: Array, motion: BaseMotion, G: Array | None, alpha: Array | None) -> tuple[Array, Array]:
        assert self.samples.v is not None
        back = (self._first(point)[0] @ motion.R[::2]).swapaxes(1, 2)
        drift = back @ self._vector(point, self.place("drift velocity"), self.sliding)
        lever, bias = self._integrated_attitude(motion), self.place("velocity bias")
        predicted = motion.v[::2] + drift + lever @ self._vector(point, bias, self.sliding)
        arm = self.flight.velocity_point
        if arm.any() and self.samples.w is not None:  # as it was measured, not as it was taken to the base's origin
            predicted = predicted + np.cross(motion.w[::2] - self.samples.w, arm)
        residual = (self.samples.v - predicted)[:, self.sliding]
        if G is None or alpha is None:
            return residual, np.zeros((0, 0, 0))
        turned = cross_matrices(drift) @ self._whole_turn(point, motion, alpha)
        J = G[:, : self.sliding.size] + turned[:, self.sliding]
        if arm.any() and self.samples.w is not None:
            J -= cross_matrices(arm[None])[0][self.sliding][:, self.turning] @ G[:, self.sliding.size :]
        J[:, :, self.place("drift velocity")] += back[:, self.sliding][:, :, self.sliding]
        if bias is not None:
            J[:, :, bias] += lever[:, self.sliding][:, :, self.sliding]
        return residual, J

    def _integrated_attitude(self, motion: BaseMotion) -> Array:
        """R^T int R dt at the samples, by Simpson's rule, (n, 3, 3)."""
        R, h = motion.R, np.diff(self.flight.t)[:, None, None]
        pieces = h / 6.0 * (R[:-2:2] + 4.0 * R[1::2] + R[2::2])
        total = np.concatenate([np.zeros((1, 3, 3)), np.cumsum(pieces, axis=0)])
        return R[::2].swapaxes(1, 2) @ total

    def _position(self, point: Array, motion: BaseMotion, G: Array | None, alpha: Array | None) -> tuple[Array, Array]:
        assert self.samples.position is not None
        R0R = self._first(point)[0] @ motion.R[::2]
        A, start, drift = motion.A[::2], self.place("first position"), self.place("drift velocity")
        mass = A[:, 0, 0]
        centre = np.stack([A[:, 1, 5], A[:, 2, 3], A[:, 0, 4]], axis=1) / mass[:, None]  # A_b holds -[s]x
        flown = self._vector(point, start, self.sliding) + self.since[:, None] * self._vector(
            point, drift, self.sliding
        )
        predicted = flown - (R0R @ centre[:, :, None])[..., 0]
        residual = (self.samples.position - predicted)[:, self.sliding]
        if alpha is None:
            return residual, np.zeros((0, 0, 0))
        moved = self._centre_by_unknowns(motion, centre, mass, alpha.shape[2])
        turned = cross_matrices(centre) @ self._whole_turn(point, motion, alpha)
        J = -(R0R @ (moved - turned))[:, self.sliding]
        J[:, :, start] += np.eye(self.sliding.size)
        J[:, :, drift] += self.since[:, None, None] * np.eye(self.sliding.size)
        return residual, J

    def _centre_by_unknowns(self, motion: BaseMotion, centre: Array, mass: Array, count: int) -> Array:
        """Derivative of the centre of mass in base axes, (n, 3, unknowns)."""
        columns, dofs = self.columns, len(self.robot.joints)
        moved = np.zeros((centre.shape[0], 3, count))
        S = first_moment_regressor(self.robot, Samples(q=motion.q[::2]))[..., columns]
        S = (S - centre[:, :, None] * (columns % PER_BODY == 0)) * self.present[columns]
        moved[:, :, : columns.size] = S / mass[:, None, None]
        by_joint = motion.A[::2, :3, 6 : 6 + dofs] / mass[:, None, None]
        zeros, bends = self._shared("joint zeros"), self.place("joint motion")
        if zeros is not None:
            moved[:, :, zeros] = by_joint
        if bends is not None and bends.start < count:
            errors = motion.errors
            moved[:, :, bends] = by_joint[:, :, errors.joint] * errors.position[::2, None, :]
        late = -(by_joint @ motion.dq[::2, :, None])
        offset, drift = self.place("time offset"), self.place("clock drift")
        if offset is not None:
            moved[:, :, offset] = late
        if drift is not None:
            middle = 0.5 * (self.flight.t[0] + self.flight.t[-1])
            moved[:, :, drift] = late * (self.flight.t - middle)[:, None, None]
        return moved
