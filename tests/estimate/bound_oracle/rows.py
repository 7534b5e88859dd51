"""What each sensor of the base's motion says of the unknowns: derivatives of its predicted readings, whitened.

    gyro       (1 + s) (w - mu x w) + b + walk(t)
    velocity   v + R^T R_0^T V + R^T (integral of R) a       V of the centre of mass, a an accelerometer's bias
    attitude   R_0 R
    position   P + V t - R_0 R c                             c the centre of mass in base axes

R is the attitude relative to the first sample, R_0 that of the first sample. Each row is divided by its standard
deviation, to which noise of joints that were sampled one by one adds through the base's reaction. A velocity that
wanders, an integrated acceleration, is compared from sample to sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from estimate.bound_oracle.attitude import BaseMotion
from estimate.bound_oracle.reaction import Setting, centre
from numpy.typing import NDArray
from scipy.linalg import cholesky_banded, solve_banded

from freefloat.arrays import AXES, Array
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.unknowns import PlacedGroup
from freefloat.robot.rotations import cross_matrices, rotations
from freefloat.sensors.walks import KNOTS


@dataclass(frozen=True, slots=True, eq=False)
class SensorRows:
    """The rows of one flight. parts: unknowns that only sensors see."""

    setting: Setting
    motion: BaseMotion
    parts: tuple[PlacedGroup, ...]

    @property
    def flight(self) -> Flight:
        """The flight."""
        return self.setting.flight

    @property
    def first(self) -> Array:
        """R_0, shape (3, 3): as measured; without a measured attitude, inertial axes are those of the first sample."""
        attitude = self.flight.samples.attitude
        known = attitude is None or "attitude" not in self.flight.noise
        return np.eye(3) if known else rotations(np.asarray(attitude)[:1])[0]

    def whitened(self) -> Array:
        """Derivatives of all readings of the setting's clock by all unknowns of the flight, over noise, (rows, k)."""
        makers = {"w": self._gyro, "v": self._velocity, "attitude": self._attitude, "position": self._position}
        measured = self.flight.measured
        there = [name for name in makers if name in measured and measured[name].clock == self.setting.clock]
        stacked = [makers[name]() for name in there]
        return np.vstack([rows.reshape(-1, rows.shape[-1]) for rows in stacked])

    def _columns(self, moving: Array, sensed: Mapping[str, Array]) -> Array:
        """Columns of what moves the base, then of what only sensors see, zero where this one does not, (n, 3, k)."""
        others = [
            sensed.get(part.kind, np.zeros((1, 3, len(part.labels)))) * np.ones((moving.shape[0], 1, 1))
            for part in self.parts
        ]
        return np.concatenate([moving, *others], axis=2)

    def _over_noise(self, name: str, J: Array, by_joints: Array, axes: NDArray[np.int64]) -> Array:
        """Rows along some axes over their noise; by_joints: what noise of the joints adds, (n, 3, sources)."""
        own = self.flight.readings(name)
        sd, J, D = self.flight.noise[name][axes], J[own], by_joints[own][:, axes]
        if not (sd > 0.0).all():
            raise InvalidProblem(f"{self.flight.name}: noise of {name} is {sd.min():g}; allowed: more than zero")
        if not D.shape[2]:
            return J[:, axes] / sd[:, None]
        return np.linalg.solve(np.linalg.cholesky(D @ D.swapaxes(1, 2) + np.diag(sd**2)), J[:, axes])

    def _joint_noise(self, rows: slice) -> Array:
        """Derivative by the noise of joints and wheels that were sampled one by one, over its sd, (n, 3, sources)."""
        instant, robot = self.motion.instant, self.setting.robot
        sd = [self.flight.sd(name, len(robot.joints)) for name in ("q", "dq")]
        as_a_whole = any(part.kind == "joint motion" for part in self.setting.parts)
        sources = [] if as_a_whole else [instant.position[:, rows] * sd[0], instant.rate[:, rows] * sd[1]]
        spins = self.flight.sd("wheel_rates", len(robot.wheels)) * robot.wheel_inertias
        if spins.any():
            sources.append(instant.momentum[:, rows] @ self.motion.R @ (robot.wheel_axes.T * spins))
        there = [source for source in sources if source.any()]
        return np.concatenate(there, axis=2) if there else np.zeros((self.flight.t.size, 3, 0))

    # ------------------------------------------------------------------ gyro

    def _gyro(self) -> Array:
        w, turning = self.motion.x[:, 3:], self.setting.turning
        turn, scale = self.setting.values["gyro misalignment"], 1.0 + self.setting.values["gyro scale"]
        gain = scale[:, None] * (np.eye(3) - cross_matrices(turn[None])[0])
        axes = np.eye(3)[:, turning]
        sensed = {
            "gyro misalignment": scale[:, None] * cross_matrices(w),
            "gyro scale": (w - np.cross(turn, w))[:, :, None] * axes,
            "gyro bias": axes[None],
        }
        sensed |= {f"gyro walk {AXES[axis]}": np.eye(3)[axis][:, None] * self._hats() for axis in turning.tolist()}
        J = self._columns(gain @ self.motion.twist[:, 3:], sensed)
        return self._over_noise("w", J, gain @ self._joint_noise(slice(3, 6)), turning)

    def _hats(self) -> Array:
        """Straight lines from knot to knot, one function for each knot after the first, shape (n, 1, knots - 1)."""
        t = self.flight.t
        knots = np.linspace(t[0], t[-1], KNOTS)
        rise = np.clip((t[:, None] - knots[:-1]) / np.diff(knots), 0.0, 1.0)
        return (rise - np.append(rise[:, 1:], np.zeros((t.size, 1)), axis=1))[:, None]

    # ------------------------------------------------------------------ velocity

    def _velocity(self) -> Array:
        motion, axes, R_0 = self.motion, np.eye(3)[:, self.setting.sliding], self.first
        back, V = motion.R.swapaxes(1, 2), self.setting.values["drift velocity"]
        # A base that is turned by psi in the axes of the first sample sees V x psi more of the velocity V.
        seen = back @ cross_matrices((R_0.T @ V)[None])
        sensed = {"velocity bias": back @ motion.integral @ axes, "first attitude": seen[..., self.setting.turning]}
        wanders = bool(self.flight.walks.get("v", np.zeros(3))[self.setting.sliding].any())
        if not wanders:  # differences do not show V itself
            sensed["drift velocity"] = back @ R_0.T @ axes
        arm = cross_matrices(self.flight.velocity_point[None])
        moving = motion.twist[:, :3] - arm @ motion.twist[:, 3:] + seen @ motion.turn
        by_joints = self._joint_noise(slice(0, 3)) - arm @ self._joint_noise(slice(3, 6))
        J = self._columns(moving, sensed)
        return self._wandering(J, by_joints) if wanders else self._over_noise("v", J, by_joints, self.setting.sliding)

    def _wandering(self, J: Array, by_joints: Array) -> Array:
        """Rows of a velocity whose error walks: differences in the axes of the first sample, white noise included.

        The first velocity says nothing, for where the walk began is not known.
        """
        own = self.flight.readings("v")
        sliding, R, J, by_joints = self.setting.sliding, self.motion.R[own], J[own], by_joints[own]
        noise = np.concatenate([R * self.flight.noise["v"], R @ by_joints], axis=2)[:, sliding]
        white = noise @ noise.swapaxes(1, 2)
        step = self.flight.walks["v"][sliding] ** 2 * np.diff(self.flight.t[own])[:, None]
        block = white[1:] + white[:-1] + step[:, :, None] * np.eye(sliding.size)
        try:
            return _whitened_chain(block, -white[1:-1], np.diff((R @ J)[:, sliding], axis=0))
        except np.linalg.LinAlgError as error:
            raise InvalidProblem(
                f"{self.flight.name}: v has neither noise nor a walk along some axis; allowed: at least one of them"
            ) from error

    # ------------------------------------------------------------------ pose

    def _attitude(self) -> Array:
        back, turning = self.motion.R.swapaxes(1, 2), self.setting.turning
        J = self._columns(back @ self.motion.turn, {"first attitude": back[..., turning]})
        return self._over_noise("attitude", J, np.zeros((J.shape[0], 3, 0)), turning)

    def _position(self) -> Array:
        motion, R_0, sliding = self.motion, self.first, self.setting.sliding
        c, derivatives = centre(self.setting, motion.joints)
        arm = cross_matrices(np.einsum("kij,kj->ki", motion.R, c))
        moving = arm @ motion.turn - motion.R @ derivatives.spread(self.setting, motion.joints)
        axes, since = np.eye(3)[:, sliding], (self.flight.t - self.flight.t[0])[:, None, None]
        sensed = {
            "drift velocity": since * axes,
            "first attitude": (R_0 @ arm)[..., self.setting.turning],
            "first position": axes[None],
        }
        J = self._columns(R_0 @ moving, sensed)
        return self._over_noise("position", J, np.zeros((J.shape[0], 3, 0)), sliding)


def _whitened_chain(block: Array, beside: Array, rows: Array) -> Array:
    """Rows (n, r, k) whose neighbours are correlated, whitened, shape (n r, k).

    block: covariance of each r rows, (n, r, r). beside: of the r rows with those before, (n - 1, r, r).
    """
    n, r = block.shape[:2]
    band = np.zeros((2 * r, n * r))  # band[d, j] is the covariance of row j + d with row j
    for i in range(r):
        for j in range(r):
            if i >= j:
                band[i - j, j::r] = block[:, i, j]
            band[r + i - j, j : (n - 1) * r : r] = beside[:, i, j]
    factor = cholesky_banded(band, lower=True)
    return np.asarray(solve_banded((2 * r - 1, 0), factor, rows.reshape(n * r, -1)), float)
