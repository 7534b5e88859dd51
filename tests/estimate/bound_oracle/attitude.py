"""The base's motion in one flight with its attitude, and how it changes with every unknown.

What turns the base also turns all that follows. With psi the small rotation of the attitude in the axes of the first
sample, J = R B R^T and B the angular block of A_b^-1,

    psi' = J (H x psi) + R dw,

dw being the change of the angular rate at a given attitude (`reaction.py`), less the rate itself for a clock that runs
fast by one second in a second. Where the readings' clock is late, their first shows the base before it turned from
where the first reading of all was. That is a linear equation, solved by
collocation at the four Lobatto points of each sample interval, its ends among them (order six; E. Hairer, G. Wanner,
"Solving Ordinary Differential Equations II", 1996, section IV.5). The intervals are joined by a running product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from estimate.bound_oracle.reaction import Derivatives, Joints, Setting, inverse_inertia, reaction

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.estimate.unknowns import PlacedGroup
from freefloat.robot.rotations import cross_matrices

_ORDERS = np.arange(1, 5)
_POINTS = np.array([0.0, 0.5 - np.sqrt(0.05), 0.5 + np.sqrt(0.05), 1.0])  # of Lobatto, on the unit interval
# Integral to each of the points of the cubic through values at all of them.
_TO_POINT = (_POINTS[:, None] ** _ORDERS / _ORDERS) @ np.linalg.inv(np.vander(_POINTS, increasing=True))


@dataclass(frozen=True, slots=True, eq=False)
class BaseMotion:
    """The predicted motion of the base at n samples, and its derivatives by the k columns and parts of the setting.

    R: attitude relative to the first sample, (n, 3, 3). integral: of R over time from the first sample, (n, 3, 3).
    x: twist, (n, 6). twist: its derivative, (n, 6, k). turn: of the attitude, as a small rotation psi in the axes
    of the first sample, (n, 3, k). instant: of the twist at a given attitude.
    """

    joints: Joints
    R: Array
    integral: Array
    x: Array
    twist: Array
    turn: Array
    instant: Derivatives


def base_motion(setting: Setting) -> BaseMotion:
    """The base's motion at the samples of a flight."""
    t = setting.flight.t
    if not setting.attitude_matters:
        joints, still = setting.joints(t), np.broadcast_to(np.eye(3), (t.size, 3, 3))
        x, _, instant = reaction(setting, joints, still)
        held = instant.spread(setting, joints)
        return BaseMotion(joints, still, np.zeros_like(still), x, held, np.zeros_like(held[:, 3:]), instant)
    grid = _with_inner_points(t)
    # Half steps bring the attitude, of order four, to the accuracy of the rest.
    R = attitudes(setting, with_midpoints(grid))[::2]
    return _turning_motion(setting, grid, R)


def _turning_motion(setting: Setting, grid: Array, R: Array) -> BaseMotion:
    """The motion at the samples, from attitudes R at the samples and the inner points of all intervals."""
    first, last = R[:-1:3], R[3::3]
    joints = setting.joints(grid[::3])
    x, inverse, instant = reaction(setting, joints, R[::3])
    held = instant.spread(setting, joints)
    H, B = setting.momentum(grid), np.empty((grid.size, 3, 3))
    B[::3] = inverse[:, 3:, 3:]
    turned = held[:, 3:] - _passed(setting, x)
    forcing = [first @ turned[:-1]]
    for point in (1, 2):
        inner = slice(point, None, 3)
        between = setting.joints(grid[inner])
        x_between, inverse_between, found = reaction(setting, between, R[inner], slice(3, 6))
        forcing.append(R[inner] @ (found.spread(setting, between) - _passed(setting, x_between)))
        B[inner] = inverse_between[:, 3:, 3:]
    forcing.append(last @ turned[1:])
    steps, back = np.diff(grid[::3]), R[::3].swapaxes(1, 2)
    psi = _collocate(steps, R @ B @ R.swapaxes(1, 2) @ cross_matrices(H), forcing, _begin(setting, x[0, 3:]))
    u = np.einsum("kji,kj->ki", R[::3], H[::3])
    twist = held + inverse[:, :, 3:] @ cross_matrices(u) @ (back @ psi)
    return BaseMotion(joints, R[::3], _integral(steps, R), x, twist, psi, instant)


def _clock_columns(setting: Setting) -> dict[int, PlacedGroup]:
    """Columns of clocks, which are the parts' that have one."""
    ends = setting.columns.size + np.cumsum([len(part.labels) for part in setting.parts])
    parts = zip(ends.tolist(), setting.parts, strict=True)
    return {end - 1: part for end, part in parts if part.kind in setting.clocks}


def _passed(setting: Setting, x: Array) -> Array:
    """Rates that pass unseen while the readings' own clock runs fast, shape (n, 3, k); x: twist, (n, 6)."""
    columns = _clock_columns(setting)
    passed = np.zeros((x.shape[0], 3, setting.columns.size + sum(len(part.labels) for part in setting.parts)))
    for column, part in columns.items():
        if part.kind.startswith("clock drift") and setting.clocks[part.kind] == setting.clock:
            passed[:, :, column] = x[:, 3:]
    return passed


def _begin(setting: Setting, w: Array) -> Array:
    """How the base is turned at the first stamp of the readings' clock, shape (3, k)."""
    turned = np.zeros((3, setting.columns.size + sum(len(part.labels) for part in setting.parts)))
    for column, part in _clock_columns(setting).items():
        clock, late = setting.clocks[part.kind], setting.late(part, setting.flight.t[:1])[0]
        turned[:, column] = (float(clock == setting.first_clock) - float(clock == setting.clock)) * late * w
    return turned


def attitudes(setting: Setting, t: Array) -> Array:
    """Attitude relative to that at the first of these times by the classical Runge-Kutta method, shape (n, 3, 3)."""
    joints = setting.joints(with_midpoints(t))
    A = momentum_matrix(setting.robot, joints.q, setting.phi)
    inverse = inverse_inertia(setting.robot, A)
    right = -A[:, :, 6:] @ joints.dq[..., None]
    right[:, 3:, 0] -= joints.spin
    rest, B, H = (inverse @ right)[:, 3:, 0], inverse[:, 3:, 3:], setting.momentum(joints.t)
    R = np.empty((t.size, 3, 3))
    R[0] = np.eye(3)

    def rate(R: Array, k: int) -> Array:
        return R @ cross_matrices((rest[k] + B[k] @ R.T @ H[k])[None])[0]

    for k, h in enumerate(np.diff(t).tolist()):
        now = R[k]
        d1 = rate(now, 2 * k)
        d2 = rate(now + 0.5 * h * d1, 2 * k + 1)
        d3 = rate(now + 0.5 * h * d2, 2 * k + 1)
        d4 = rate(now + h * d3, 2 * k + 2)
        after = now + h / 6.0 * (d1 + 2.0 * d2 + 2.0 * d3 + d4)
        R[k + 1] = 1.5 * after - 0.5 * after @ after.T @ after  # the rotation next to it
    return R


def with_midpoints(t: Array) -> Array:
    """Times t (n,) and those half-way between them, shape (2 n - 1,)."""
    fine = np.empty(2 * t.size - 1)
    fine[::2], fine[1::2] = t, 0.5 * (t[1:] + t[:-1])
    return fine


def _with_inner_points(t: Array) -> Array:
    """Times t (n,) with the inner points of every interval, shape (3 n - 2,)."""
    return np.append((t[:-1, None] + np.diff(t)[:, None] * _POINTS[:3]).ravel(), t[-1])


def _integral(steps: Array, R: Array) -> Array:
    """Integral of R, given at the points of all intervals, from the first sample to each, shape (n, 3, 3)."""
    pieces = sum(_TO_POINT[3, i] * R[i : i + 3 * steps.size : 3] for i in range(4)) * steps[:, None, None]
    return np.concatenate([np.zeros((1, 3, 3)), np.cumsum(pieces, axis=0)])


def _collocate(steps: Array, M: Array, forcing: Sequence[Array], start: Array) -> Array:
    """Solve y' = M y + forcing from a start, (3, k): y at the samples, (n, 3, k).

    M: at the points of all intervals, (3 n - 2, 3, 3). forcing: at each of the four points of every interval.
    """
    count = steps.size
    at = [M[i : i + 3 * count : 3] for i in range(4)]
    h = steps[:, None, None]
    implicit = np.einsum("ij,jkab->kiajb", _TO_POINT[1:, 1:], np.stack(at[1:])).reshape(count, 9, 9)
    last = np.linalg.inv(np.eye(9) - h * implicit)[:, 6:].reshape(count, 3, 3, 3)  # interval, row, point, column
    over = sum(last[:, :, i] @ (np.eye(3) + h * _TO_POINT[i + 1, 0] * at[0]) for i in range(3))
    added = sum(
        h * np.einsum("kaib,i->kab", last, _TO_POINT[1:, point]) @ values for point, values in enumerate(forcing)
    )
    through = _running_product(over)
    y = through @ (start + np.cumsum(np.linalg.solve(through, added), axis=0))
    return np.concatenate([start[None], y])


def _running_product(steps: Array) -> Array:
    """steps[0], steps[1] steps[0], ... of matrices, shape (n, 3, 3), in log n steps over all of them."""
    product, reach = steps.copy(), 1
    while reach < len(product):
        product[reach:] = product[reach:] @ product[:-reach]
        reach *= 2
    return product
