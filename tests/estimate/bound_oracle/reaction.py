"""The base's reaction at one instant, and how it changes with every unknown: exact derivatives from regressors.

At one instant and attitude R the base's twist x = (v, w) follows from momentum,

    A_b x = (0, R^T H) - A_q dq - wheels,

so that dx/dphi = -A_b^-1 K, dx/dq = -A_b^-1 d(K phi)/dq (the adjoint of the regressor with Z = e_i phi^T, row by
row), dx/d(dq) = -A_b^-1 A_q, dx/dH = A_b^-1 (0, R^T). By geometry, momentum and first moment are those of robots that
are built otherwise, by central differences.

Time is the stamps of one sensor's clock, which is exact at the point where derivatives are taken. A clock that is late
by one second more shows joints, and wheels that another clock stamps, as they were one second before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from freefloat.arrays import Array
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_adjoint, momentum_matrix, momentum_regressor
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight
from freefloat.estimate.unknowns import PlacedGroup
from freefloat.robot.base_axes import allowed_rows, sliding_axes, turning_axes
from freefloat.robot.geometry import built_with
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What the motion of one flight is predicted from.

    phi: standard parameters of what was there, (10 bodies,). columns: those that are unknown, clusters' leaders
    first, then known ones that may deviate; present: zero for those that were not there, else one, both (c,).
    parts: further unknowns that change the motion. values: of all unknowns that are not parameters or of clocks, by
    kind, each for all axes, all joints, or all curves.
    clock: that stamps the readings at hand. clocks: of each part its clock, if it is of one.
    """

    robot: Robot
    flight: Flight
    phi: Array
    columns: NDArray[np.int64]
    present: Array
    parts: tuple[PlacedGroup, ...]
    values: Mapping[str, Array]
    clock: str
    clocks: Mapping[str, str]

    @property
    def turning(self) -> NDArray[np.int64]:
        """Axes about which the base can turn."""
        return turning_axes(self.robot)

    @property
    def sliding(self) -> NDArray[np.int64]:
        """Axes along which the base can move."""
        return sliding_axes(self.robot)

    @property
    def attitude_matters(self) -> bool:
        """Whether anything measured depends on the attitude: rates alone do not if there is no momentum."""
        turns = any(part.kind in ("momentum", "external torque") for part in self.parts)
        return (
            turns or bool(self.values["momentum"].any()) or bool({"v", "attitude", "position"} & set(self.flight.noise))
        )

    @property
    def middle_s(self) -> float:
        """Half-way between the first and the last sample [s]."""
        return 0.5 * float(self.flight.t[0] + self.flight.t[-1])

    def momentum(self, t: Array) -> Array:
        """Total angular momentum about the centre of mass in the axes of the first instant, shape (n, 3)."""
        return self.values["momentum"] + self.values["external torque"] * (t - self.flight.t[0])[:, None]

    @property
    def first_clock(self) -> str:
        """That of the first reading, at which the attitude begins."""
        measured = self.flight.measured
        return next(measured[name].clock for name in ("w", "v", "attitude", "position") if name in measured)

    def late(self, part: PlacedGroup, t: Array) -> Array:
        """How much later an offset or drift makes the stamps of its clock, shape (n,)."""
        return t - self.middle_s if part.kind.startswith("clock drift") else np.ones(t.size)

    def joints(self, t: Array) -> Joints:
        """Motion of joints and wheels at times t."""
        values = self.values
        motion = self.flight.joints.at(t)
        q, dq = motion.position + values["joint zeros"], motion.rate
        if values["joint motion"].any():
            errors = self.flight.joints.errors(t)
            of_joint = np.equal.outer(errors.joint, np.arange(q.shape[1])).astype(float)
            q = q + (errors.position * values["joint motion"]) @ of_joint
            dq = dq + (errors.rate * values["joint motion"]) @ of_joint
        scale = 1.0 + values["joint scales"]
        return Joints(t, q * scale, dq * scale, motion.acceleration * scale, *self._spin(t))

    def _spin(self, t: Array) -> tuple[Array, Array]:
        """Momentum of the wheels' rates relative to the base, and its derivative, (n, 3) each."""
        if not self.robot.wheels:
            return np.zeros((t.size, 3)), np.zeros((t.size, 3))
        samples = self.flight.samples
        curve = CubicHermiteSpline(samples.t, samples.wheel_rates, samples.wheel_accelerations)
        rates, accelerations = curve(t), curve.derivative()(t)
        return tuple((values * self.robot.wheel_inertias) @ self.robot.wheel_axes for values in (rates, accelerations))


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """Joints and wheels at n instants t. spin, spin_rate: of the wheels, (n, 3)."""

    t: Array
    q: Array
    dq: Array
    ddq: Array
    spin: Array
    spin_rate: Array


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """Of r quantities at n instants, the attitude held.

    parameters: by the setting's columns, (n, r, c). position, rate: by joint, (n, r, joints).
    geometry: by where joints sit and how they point, (n, r, 5 joints).
    momentum: by total angular momentum in the axes of the first instant, (n, r, 3). held: by that in base axes.
    """

    parameters: Array
    position: Array
    rate: Array
    geometry: Array
    momentum: Array
    held: Array

    def spread(self, setting: Setting, joints: Joints) -> Array:
        """By the columns, then by all parts of the setting, shape (n, r, k)."""
        later = self.position @ joints.dq[..., None] + self.rate @ joints.ddq[..., None]
        by_momentum = self.momentum[..., setting.turning]
        columns = {
            "joint zeros": self.position,
            "joint scales": self.position * joints.q[:, None] + self.rate * joints.dq[:, None],
            "geometry": self.geometry,
            "momentum": by_momentum,
            "external torque": by_momentum * (joints.t - setting.flight.t[0])[:, None, None],
        }
        wheels = setting.flight.wheel_rates
        for part in setting.parts:
            if part.kind in setting.clocks:
                clock, late = setting.clocks[part.kind], setting.late(part, joints.t)[:, None, None]
                own = float(clock == setting.clock)
                shown = (
                    float(wheels is not None and clock == wheels.clock) - own
                )  # by wheels that the clocks make later
                spun = -self.held @ joints.spin_rate[..., None]
                columns[part.kind] = (shown * spun - own * later) * late
        if any(part.kind == "joint motion" for part in setting.parts):
            errors = setting.flight.joints.errors(joints.t)
            bent = self.position[..., errors.joint] * errors.position[:, None]
            columns["joint motion"] = bent + self.rate[..., errors.joint] * errors.rate[:, None]
        return np.concatenate([self.parameters, *(columns[part.kind] for part in setting.parts)], axis=2)


def reaction(setting: Setting, joints: Joints, R: Array, rows: slice = slice(0, 6)) -> tuple[Array, Array, Derivatives]:
    """Twist of the base (n, 6), A_b^-1 (n, 6, 6), and derivatives of the chosen rows of the twist."""
    robot, phi = setting.robot, setting.phi
    A = momentum_matrix(robot, joints.q, phi)
    inverse = inverse_inertia(robot, A)
    right = -A[:, :, 6:] @ joints.dq[..., None]
    H = np.einsum("kji,kj->ki", R, setting.momentum(joints.t))
    right[:, 3:, 0] += H - joints.spin
    x = (inverse @ right)[..., 0]
    state = Samples(joints.q, joints.dq, v=x[:, :3], w=x[:, 3:])
    chosen = -inverse[:, rows]
    K = momentum_regressor(robot, state, setting.columns) * setting.present
    found = Derivatives(
        chosen @ K,
        chosen @ _momentum_by_position(robot, state, phi),
        chosen @ A[:, :, 6:],
        chosen @ _by_geometry(setting, lambda built: momentum_regressor(built, state) @ phi),
        inverse[:, rows, 3:] @ R.swapaxes(1, 2),
        inverse[:, rows, 3:],
    )
    return x, inverse, found


def inverse_inertia(robot: Robot, A: Array) -> Array:
    """A_b^-1, shape (n, 6, 6), zero in what the base cannot do; A: shape (n, 6, 6 + joints)."""
    allowed = allowed_rows(robot)
    inverse = np.zeros((A.shape[0], 6, 6))
    inverse[:, allowed[:, None], allowed] = np.linalg.inv(A[:, allowed[:, None], allowed])
    return inverse


def _momentum_by_position(robot: Robot, state: Samples, phi: Array) -> Array:
    """d(K phi)/dq at a given twist, shape (n, 6, joints); zero in rows that the base cannot follow."""
    found = np.zeros((len(state), 6, state.q.shape[1]))
    for row in allowed_rows(robot).tolist():
        Z = np.zeros((len(state), 6, phi.size))
        Z[:, row] = phi
        found[:, row] = momentum_adjoint(robot, state, Z)[0]
    return found


def _by_geometry(setting: Setting, quantity: Callable[[Robot], Array]) -> Array:
    """Of a quantity (n, r) of a robot, by differences of order four, (n, r, 5 joints); none unless asked for."""
    joints, step = len(setting.robot.joints), 1e-3
    asked = any(part.kind == "geometry" for part in setting.parts)

    def difference(off: Array) -> Array:
        return quantity(built_with(setting.robot, off)) - quantity(built_with(setting.robot, -off))

    steps = step * np.eye(5 * joints).reshape(-1, joints, 5)[: 5 * joints if asked else 0]
    slopes = [(8.0 * difference(off) - difference(2.0 * off)) / (12.0 * step) for off in steps]
    return np.stack(slopes, axis=2) if slopes else quantity(setting.robot)[:, :, None][:, :, :0]


def centre(setting: Setting, joints: Joints) -> tuple[Array, Derivatives]:
    """Centre of mass in base axes, (n, 3), and its derivatives.

    The linear momentum of joints that move while the base rests is the rate of the first moment, so its matrix
    holds the derivatives by joint positions.
    """
    A = momentum_matrix(setting.robot, joints.q, setting.phi)
    mass, n = A[0, 0, 0], joints.t.size
    Y = first_moment_regressor(setting.robot, Samples(joints.q))
    c = Y @ setting.phi / mass
    is_mass = (setting.columns % PER_BODY == 0).astype(float)
    by_parameters = (Y[..., setting.columns] - c[..., None] * is_mass) * setting.present / mass
    by_position = A[:, :3, 6:] / mass
    samples, phi = Samples(joints.q), setting.phi
    geometry = _by_geometry(setting, lambda built: first_moment_regressor(built, samples) @ phi) / mass
    return c, Derivatives(by_parameters, by_position, np.zeros_like(by_position), geometry, *np.zeros((2, n, 3, 3)))
