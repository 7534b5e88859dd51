"""The likelihood of measured base motion: weighted residuals of all flights, and their exact derivatives.

Every array of the samples that is measured with known noise is compared with its prediction (`reaction.py`):

    gyro       (1 + s) (w - mu x w) + b + walk(t)
    velocity   v + R^T R0^T V + R^T int R dt a         (V of the centre of mass, a an accelerometer's bias)
    attitude   R0 R                                    (residual: the rotation vector between the two)
    position   P + V t - R0 R c                        (c the centre of mass in base axes)

Errors are white; a velocity that is an integrated acceleration has errors that walk, and is compared by its
changes from sample to sample. Where joint motion is known sample by sample only, its errors go through the base's
reaction into the weights (`weights`), which stay fixed while the fit iterates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.estimate import reaction_kernels as compiled
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.joint_curves import Remembered
from freefloat.estimate.problem import Problem
from freefloat.estimate.reaction import BaseMotion, Clock, Grid, Targets, predict, sensitivities, solve_base
from freefloat.estimate.rotation_vectors import exponential, logarithm, right_jacobian
from freefloat.estimate.unknowns import AXES, KNOTS, Unknowns, parameter_columns, unknowns_of
from freefloat.experiment.processing.attitude import integrate_rates
from freefloat.regressor.centre_of_mass import first_moment_regressor
from freefloat.regressor.model import NotApplicable
from freefloat.regressor.samples import Samples, rotations
from freefloat.regressor.states import allowed_rows
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.transform import Array

MEASURED = ("w", "v", "attitude", "position")
_NEAR = 1e-3  # of the interval between samples: a change of the clock that Taylor's series bridges
_NOTHING = 1e-4  # of a sensor's variance: errors of joints and wheels that do not matter
_FIRST_M_S = 1.0  # spread of the first of several velocities that are compared by their changes


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Residuals of one channel of one flight. values: measured less predicted over its standard deviation, (n, k).

    jacobian: derivative of the prediction over the same, (n, k, unknowns); empty if it was not asked for.
    """

    channel: str
    flight: int
    values: Array
    jacobian: Array


class Likelihood:
    """Residuals of a problem as a function of its unknowns."""

    def __init__(self, problem: Problem) -> None:
        if problem.robot.base == "fixed":
            raise NotApplicable(
                "a fixed base does not react: maximum likelihood on the base motion needs one that moves"
            )
        self.problem = problem
        self.unknowns: Unknowns = unknowns_of(problem)
        self.flights = tuple(FlightLikelihood(self, index) for index in range(len(problem.flights)))

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Standard parameters that are unknown: leaders of clusters, then known ones that may deviate."""
        return parameter_columns(self.problem, self.unknowns)

    def phi(self, point: Array) -> Array:
        """Standard parameters of a point in the space of unknowns, (10 bodies,)."""
        phi = np.array(self.problem.fixed)
        np.add.at(phi, self.columns, point[: self.columns.size])
        return phi

    def rows(self, point: Array, count: int | None = None) -> tuple[Rows, ...]:
        """Weighted residuals of all flights and channels.

        count: derivatives are by this many leading unknowns, by all unless given: zero for none, else at least all
        but the errors of the joints' curves.
        """
        phi, count = self.phi(point), len(self.unknowns) if count is None else count
        return tuple(rows for flight in self.flights for rows in flight.rows(point, phi, count))

    def start(self) -> Array:
        """The prior's mean, with momenta as the CAD model and the measured rates have them."""
        point = np.array(self.unknowns.mean)
        for flight in self.flights:
            flight.start(point, self.phi(point))
        return point

    def reweigh(self, point: Array) -> bool:
        """Set the weights anew for errors of joint motion as they act at this point; whether there are any."""
        return any([flight.reweigh(point, self.phi(point)) for flight in self.flights])


class FlightLikelihood:
    """Residuals of one flight; what does not depend on the unknowns is computed once."""

    def __init__(self, whole: Likelihood, index: int) -> None:
        self.whole, self.index = whole, index
        self.problem, self.flight = whole.problem, whole.problem.flights[index]
        self.robot, self.samples = self.problem.robot, self.flight.samples
        self.allowed = allowed_rows(self.robot)
        self.turning = self.allowed[self.allowed >= 3] - 3
        self.sliding = self.allowed[self.allowed < 3]
        self.channels = self._channels()
        self.present = self.problem.present(self.flight)
        self.grid = Grid.of(self.robot, self.flight, self._needs_attitude())
        self.curves = Remembered(self.flight.joints, _NEAR * float(np.diff(self.flight.t).min()))
        self.since = self.flight.t - self.flight.t[0]
        self.weights: dict[str, Array] = {}

    def _channels(self) -> tuple[str, ...]:
        """Arrays that are compared with their prediction."""
        found = []
        for name in MEASURED:
            if getattr(self.samples, name) is None or name not in self.flight.noise:
                continue
            if not (self._sd(name) > 0.0).all() and not self._walks(name):
                raise InvalidProblem(f"{self.flight.name}: noise of {name} is zero; allowed: greater than zero")
            found.append(name)
        if "w" not in found and "attitude" not in found:
            raise InvalidProblem(
                f"{self.flight.name}: neither angular rates nor attitude with their noise were measured; "
                f"allowed: at least one of `w` and `attitude` with `noise`"
            )
        return tuple(found)

    def _walks(self, name: str) -> bool:
        return name == "v" and bool(self.flight.walks.get("v", np.zeros(3))[self.sliding].all())

    def _sd(self, name: str) -> Array:
        """Noise of the components that count."""
        return self.flight.noise[name][self.sliding if name in ("v", "position") else self.turning]

    def _needs_attitude(self) -> bool:
        zero = isinstance(self.flight.momentum, str) and self.flight.momentum == "zero"
        return not zero or self.place("external torque") is not None or set(self.channels) != {"w"}

    def place(self, kind: str) -> slice | None:
        """Where this flight's unknowns of a kind are; None if there are none."""
        return self.whole.unknowns.find(kind, self.index)

    def _shared(self, kind: str) -> slice | None:
        return self.whole.unknowns.find(kind)

    def _vector(self, point: Array, place: slice | None, components: Array) -> Array:
        """Three components of unknowns of which only some exist."""
        vector = np.zeros(3)
        if place is not None:
            vector[components] = point[place]
        return vector

    # ------------------------------------------------------------------ prediction

    def start(self, point: Array, phi: Array) -> None:
        """Put a first guess of the unknown momentum into a point."""
        place = self.place("momentum")
        if place is None or self.samples.w is None:
            return
        motion, step = self.motion(point, phi), self.grid.step
        gain = motion.B[::step, self.sliding.size :][:, :, self.turning]
        missing = (self.samples.w - motion.w[::step])[:, self.turning]
        momentum = np.zeros((len(missing), 3))
        momentum[:, self.turning] = np.linalg.solve(gain, missing[:, :, None])[..., 0]
        turned = rotations(integrate_rates(self.flight.t, self.samples.w))
        point[place] = (turned @ momentum[:, :, None])[..., 0].mean(axis=0)[self.turning]

    def clock(self, point: Array) -> Clock:
        """The time offset and drift at a point."""
        offset, drift = (self.place(kind) for kind in ("time offset", "clock drift"))
        middle = 0.5 * float(self.flight.t[0] + self.flight.t[-1])
        return Clock(
            float(point[offset][0]) if offset is not None else 0.0,
            float(point[drift][0]) if drift is not None else 0.0,
            middle,
        )

    def total_momentum(self, point: Array) -> Array:
        """Angular momentum at the first sample, in base axes, (3,) [N m s]."""
        momentum = self._vector(point, self.place("momentum"), self.turning)
        return momentum if isinstance(self.flight.momentum, str) else momentum + self.flight.momentum

    def motion(self, point: Array, phi: Array) -> BaseMotion:
        """The predicted base motion at a point."""
        zeros, bends = self._shared("joint zeros"), self.place("joint motion")
        momentum = self.total_momentum(point)
        torque = self._vector(point, self.place("external torque"), self.turning)
        return predict(
            self.robot,
            self.curves,
            self.grid,
            np.where(self.present, phi, 0.0),
            self.clock(point),
            point[zeros] if zeros is not None else np.zeros(len(self.robot.joints)),
            point[bends] if bends is not None else np.zeros(0),
            momentum + (self.grid.t - self.grid.t[0])[:, None] * torque,
        )

    def rows(self, point: Array, phi: Array, count: int) -> list[Rows]:
        """Residuals of all channels of this flight."""
        motion = self.motion(point, phi)
        G, alpha = None, None
        if count and self.grid.step == 1:  # rates alone: the gyro's gain goes first, as there are fewer columns then
            G = self._by_unknowns(point, motion, phi, count, self._gyro_gain(point)[0])
        elif count:
            G, alpha = self._through_attitude(motion, self._by_unknowns(point, motion, phi, count))
        compare = {"w": self._gyro, "v": self._velocity, "attitude": self._attitude, "position": self._position}
        R = motion.R[:: self.grid.step]
        return [self._weighted(name, *compare[name](point, motion, G, alpha), R) for name in self.channels]

    def _by_unknowns(
        self, point: Array, motion: BaseMotion, phi: Array, count: int, turning_gain: Array | None = None
    ) -> Array:
        """Derivatives of the base's velocities by unknowns at a given attitude, (m, r, count).

        turning_gain: where given, derivatives of this times the angular rates alone.
        """
        gain = np.eye(self.allowed.size)
        if turning_gain is not None:
            gain = np.hstack([np.zeros((self.turning.size, self.sliding.size)), turning_gain])
        zeros, bends, offset, drift = (
            -1 if place is None or place.start >= count else place.start
            for place in (
                self._shared("joint zeros"),
                self.place("joint motion"),
                self.place("time offset"),
                self.place("clock drift"),
            )
        )
        there, clock = np.where(self.present, phi, 0.0), self.clock(point)
        targets = Targets(count, 0, zeros, bends, offset, drift)
        G = sensitivities(self.robot, motion, there, self.whole.columns, self.present, clock, targets, gain)
        momentum, torque = self.place("momentum"), self.place("external torque")
        if momentum is not None or torque is not None:
            by_momentum = (motion.B @ motion.R.swapaxes(1, 2))[:, :, self.turning]
            if momentum is not None:
                G[:, :, momentum] = by_momentum
            if torque is not None:
                G[:, :, torque] = by_momentum * (self.grid.t - self.grid.t[0])[:, None, None]
        return G

    def _through_attitude(self, motion: BaseMotion, G: Array) -> tuple[Array, Array]:
        """Derivatives of velocities with those of attitude, (n, r, count), and of attitude, (n, 3, count)."""
        m, count = G.shape[0], G.shape[2]
        turned, gain = np.zeros((m, 3, count)), np.zeros((m, 3, 3))
        turned[:, self.turning] = G[:, self.sliding.size :]
        gain[:, self.turning] = motion.B[:, self.sliding.size :]
        u_cross = _cross_matrix(motion.u)
        F = gain @ u_cross - _cross_matrix(motion.w)
        alpha = np.empty((self.flight.t.size, 3, count))
        compiled.turn_sensitivity(self.grid.t, F, turned, alpha)
        return G[::2] + (motion.B[::2] @ u_cross[::2]) @ alpha, alpha

    # ------------------------------------------------------------------ channels

    def _gyro_gain(self, point: Array) -> tuple[Array, Array]:
        """What the gyro makes of rates about the axes that count, (k, k), and its scale alone, (3,)."""
        turn = self._vector(point, self._shared("gyro misalignment"), np.arange(3))
        scale = 1.0 + self._vector(point, self._shared("gyro scale"), self.turning)
        gain = scale[:, None] * (np.eye(3) - _cross_matrix(turn[None])[0])
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
            J[:, :, turns] += scale[:, None] * _cross_matrix(w)
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
        turned = _cross_matrix(drift) @ self._whole_turn(point, motion, alpha)
        J = G[:, : self.sliding.size] + turned[:, self.sliding]
        if arm.any() and self.samples.w is not None:
            J -= _cross_matrix(arm[None])[0][self.sliding][:, self.turning] @ G[:, self.sliding.size :]
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
        turned = _cross_matrix(centre) @ self._whole_turn(point, motion, alpha)
        J = -(R0R @ (moved - turned))[:, self.sliding]
        J[:, :, start] += np.eye(self.sliding.size)
        J[:, :, drift] += self.since[:, None, None] * np.eye(self.sliding.size)
        return residual, J

    def _centre_by_unknowns(self, motion: BaseMotion, centre: Array, mass: Array, count: int) -> Array:
        """Derivative of the centre of mass in base axes, (n, 3, unknowns)."""
        columns, dofs = self.whole.columns, len(self.robot.joints)
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

    # ------------------------------------------------------------------ weights

    def _weighted(self, name: str, residual: Array, J: Array, R: Array) -> Rows:
        own = self.flight.readings(name)
        residual, J = residual[own], J[own]
        if self._walks(name):
            return self._differenced(name, residual, J, R[own], self.flight.t[own])
        if name in self.weights:
            W = self.weights[name][own]
            return Rows(name, self.index, (W @ residual[:, :, None])[..., 0], W @ J if J.size else J)
        sd = self._sd(name)
        if J.size:
            J /= sd[:, None]
        return Rows(name, self.index, residual / sd, J)

    def _differenced(self, name: str, residual: Array, J: Array, R: Array, t: Array) -> Rows:
        """Changes from sample to sample in inertial axes: those of errors that walk are independent."""
        axes = np.ix_(range(len(R)), self.sliding, self.sliding)

        def changes(values: Array) -> Array:
            inertial = R[axes] @ values
            inertial[1:] -= inertial[:-1].copy()
            return self._over_steps(name, inertial, t)

        whitened = changes(residual[:, :, None])[..., 0]
        return Rows(name, self.index, whitened, changes(J) if J.size else J)

    def _over_steps(self, name: str, values: Array, t: Array) -> Array:
        """Changes (n, k, c) whitened: steps of a walk, and white noise that neighbours share with opposite signs."""
        walk, white = (float(np.sqrt((level[name] ** 2).mean())) for level in (self.flight.walks, self.flight.noise))
        variance = np.concatenate([[_FIRST_M_S**2], walk**2 * np.diff(t) + 2.0 * white**2])
        if not white:
            return values / np.sqrt(variance)[:, None, None]
        band = np.zeros((2, variance.size))
        band[0], band[1, 1:-1] = variance, -(white**2)
        root = scipy.linalg.cholesky_banded(band, lower=True)
        solved, _ = scipy.linalg.lapack.dtbtrs(root, values.reshape(variance.size, -1), uplo="L")
        return np.asarray(solved).reshape(values.shape)

    def reweigh(self, point: Array, phi: Array) -> bool:
        """Add what errors of joints and wheels that were sampled one by one do to the base to the weights.

        Those of rates and velocities, that is; errors too small to matter change nothing. Whether any do.
        """
        spread = self._sampled_errors(point, np.where(self.present, phi, 0.0))
        matter = False
        for name, rows in (("w", slice(self.sliding.size, None)), ("v", slice(0, self.sliding.size))):
            if spread is not None and name in self.channels and not self._walks(name):
                own = np.diag(self._sd(name) ** 2)
                added = spread[:, rows, rows]
                if np.einsum("kii->i", added).max() > _NOTHING * len(added) * own.max():
                    self.weights[name] = np.linalg.inv(np.linalg.cholesky(added + own))
                    matter = True
        return matter

    def _sampled_errors(self, point: Array, phi: Array) -> Array | None:
        """Covariance of the base's velocities by errors of each sample's joints and wheels, (n, r, r)."""
        dofs, step = len(self.robot.joints), self.grid.step
        sd_q, sd_dq = self.flight.sd("q", dofs), self.flight.sd("dq", dofs)
        joints = self.place("joint motion") is None and bool(sd_q.any() or sd_dq.any())
        spins = self.flight.sd("wheel_rates", len(self.robot.wheels)) * self.robot.wheel_inertias
        if not joints and not spins.any():
            return None
        motion = self.motion(point, phi)
        by_wheels = motion.B[::step] @ (self.robot.wheel_axes.T * spins) if spins.any() else motion.B[::step, :, :0]
        spread = by_wheels @ by_wheels.swapaxes(1, 2)
        if joints:
            clock, targets, gain = self.clock(point), Targets(dofs, zeros=0), np.eye(self.allowed.size)
            none = np.zeros(0, np.int64)
            by_position = sensitivities(self.robot, motion, phi, none, self.present, clock, targets, gain)[::step]
            by_rate = solve_base(motion.A[::step], motion.A[::step, :, 6:], self.allowed)
            spread += (by_position * sd_q**2) @ by_position.swapaxes(1, 2)
            spread += (by_rate * sd_dq**2) @ by_rate.swapaxes(1, 2)
        return spread


def _cross_matrix(vectors: Array) -> Array:
    K = np.zeros((vectors.shape[0], 3, 3))
    x, y, z = vectors.T
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = x, y, z
    K[:, 1, 2], K[:, 2, 0], K[:, 0, 1] = -x, -y, -z
    return K
