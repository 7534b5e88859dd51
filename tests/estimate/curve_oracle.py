"""What sensors of the base read, from unknowns and coefficients of all curves, without the code under test.

Everything is analytic, so that complex steps give derivatives to the last digit (W. Squire, G. Trapp, "Using complex
variables to estimate derivatives of real functions", 1998): kinematics body by body, momentum by sums over bodies,
attitude by Runge-Kutta steps that are a fraction of those between readings. Arrays have a first axis of points at which
all is computed at once.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline

from freefloat.estimate.unknowns import clock_kinds, clocks_of

TINY = 1e-25
_FINER = 2  # steps between two instants of readings


def _cross(a):
    """[a x], shape (..., 3, 3)."""
    x, y, z = np.moveaxis(a, -1, 0)
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)


def _turn(axis, angle):
    K = _cross(axis)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


def _exponential(a):
    """Rotation of a rotation vector by its series, for small ones."""
    K, R, term = _cross(a), np.eye(3) + 0.0 * _cross(a), np.eye(3) + 0.0 * _cross(a)
    for k in range(1, 16):
        term = term @ K / k
        R = R + term
    return R


class Curves:
    """Splines with even knots at complex times."""

    def __init__(self, spline):
        self.start, self.h, self.pieces, self.count = spline.start_s, spline.spacing_s, spline.pieces, spline.count
        knots = np.arange(-5.0, 7.0)
        bases = [BSpline.basis_element(knots[k : k + 7]) for k in range(6)]  # those that count between 0 and 1
        u = np.linspace(0.05, 0.95, 6)
        self.powers = np.linalg.solve(np.vander(u, 6, increasing=True), np.column_stack([b(u) for b in bases]))

    def __call__(self, t, c):
        """Values and slopes at t, shape (points, n), of curves c (points, count, curves), shape (points, n, curves)."""
        place = (t - self.start) / self.h
        first = np.clip(np.floor(place.real).astype(int), 0, self.pieces - 1)
        u = place - first
        value = sum(u[..., None] ** k * self.powers[k] for k in range(6))
        slope = sum(k * u[..., None] ** (k - 1) * self.powers[k] for k in range(1, 6)) / self.h
        points = np.arange(len(c))[:, None, None]
        near = c[points, first[..., None] + np.arange(6)]
        return np.einsum("pna,pnak->pnk", value, near), np.einsum("pna,pnak->pnk", slope, near)


def momentum_parts(robot, q, phi):
    """A_b, (..., 6, 6), A_q, (..., 6, dofs), and the first moment, (..., 3); q (..., dofs), phi (..., 10 bodies)."""
    joints = {name: index for index, name in enumerate(robot.joint_names)}
    shape, dofs = q.shape[:-1], q.shape[-1]
    placed, A = {}, np.zeros((*shape, 6, 6 + dofs), complex)
    moment = np.zeros((*shape, 3), complex)
    for index, body in enumerate(robot.bodies):
        R, p = np.broadcast_to(np.eye(3) + 0j, (*shape, 3, 3)), np.zeros((*shape, 3), complex)
        Jv, Jw = np.zeros((2, *shape, 3, dofs), complex)
        if body.joint is not None:
            R, p, Jv, Jw = placed[body.parent]
            arm = R @ body.placement.p
            Jv = Jv - _cross(arm) @ Jw
            p, R = p + arm, R @ body.placement.R
            if body.joint.moves:
                k, axis = joints[body.joint.name], body.joint.axis
                Jv, Jw, along = Jv.copy(), Jw.copy(), R @ axis
                if body.joint.kind == "prismatic":
                    step = along * q[..., k, None]
                    Jv = Jv - _cross(step) @ Jw
                    Jv[..., k] += along
                    p = p + step
                else:
                    Jw[..., k] += along
                    R = R @ _turn(axis, q[..., k])
        placed[body.name] = R, p, Jv, Jw
        m, mc = (
            phi[..., 10 * index, None, None],
            np.einsum("...ij,...j->...i", R, phi[..., 10 * index + 1 : 10 * index + 4]),
        )
        xx, xy, yy, xz, yz, zz = np.moveaxis(phi[..., 10 * index + 4 : 10 * index + 10], -1, 0)
        inertia = np.stack([np.stack([xx, xy, xz], -1), np.stack([xy, yy, yz], -1), np.stack([xz, yz, zz], -1)], -2)
        inertia = R @ inertia @ R.swapaxes(-1, -2)
        eye = np.broadcast_to(np.eye(3), (*shape, 3, 3))
        v = np.concatenate([eye + 0j, -_cross(p), Jv], -1)  # of the body's origin
        w = np.concatenate([0j * eye, eye + 0j, Jw], -1)
        linear = m * v - _cross(mc) @ w
        angular = _cross(p) @ linear + _cross(mc) @ v + inertia @ w
        A += np.concatenate([linear, angular], -2)
        moment += m[..., 0] * p + mc
    return A[..., :6], A[..., 6:], moment


@dataclass
class Oracle:
    """Readings of a problem's only flight as functions of its unknowns and of coefficients (count, joints + wheels)."""

    problem: object
    unknowns: object
    spline: object

    def __post_init__(self):
        self.robot, self.flight = self.problem.robot, self.problem.flights[0]
        self.clocks = clocks_of(self.problem, self.flight)
        self.middle = 0.5 * (self.flight.t[0] + self.flight.t[-1])
        self.curves = Curves(self.spline)

    def _value(self, x, kind, default):
        found = [x[:, part.place] for part in self.unknowns.parts if part.kind == kind]
        return found[0] if found else np.zeros((len(x), default))

    def _clock(self, x, name):
        if name not in self.clocks:
            return np.zeros((len(x), 1)), np.zeros((len(x), 1))
        offset, drift = (self._value(x, kind, 1) for kind in clock_kinds(self.clocks, name))
        return offset, drift

    def _twist(self, x, c, t, phi):
        """At times t, (points, n): twist without momentum, its derivative by that, and the centre of mass."""
        dofs = len(self.robot.joints)
        q, dq = self.curves(t, c[:, :, :dofs])
        scale = 1.0 + self._value(x, "joint scales", dofs)[:, None]
        q, dq = (q + self._value(x, "joint zeros", dofs)[:, None]) * scale, dq * scale
        base, joints, moment = momentum_parts(self.robot, q, np.broadcast_to(phi[:, None], (*t.shape, phi.shape[1])))
        right = -(joints @ dq[..., None])[..., 0]
        if self.robot.wheels:
            offset, drift = self._clock(x, self.flight.wheel_rates.clock)
            rates, _ = self.curves((t + offset - drift * self.middle) / (1.0 - drift), c[:, :, dofs:])
            spin = np.array([wheel.spin_inertia * np.asarray(wheel.axis) for wheel in self.robot.wheels])
            right[..., 3:] -= rates @ spin
        push = np.zeros((*t.shape, 6, 4), complex)
        push[..., 0], push[..., 3:, 1:] = right, np.eye(3)
        solved = np.linalg.solve(base, push)
        return solved[..., 0], solved[..., 1:], moment / base[..., :1, 0]

    def readings(self, x, c):
        """By array, at points x (points, unknowns) and c (points, count, curves), shape (points, n, 3 or 3 x 3)."""
        x, c = x.astype(complex), c.astype(complex)
        phi = np.broadcast_to(self.problem.fixed, (len(x), self.problem.fixed.size)).astype(complex)
        kept = self.problem.minimal.kept
        phi[:, kept] += x[:, : kept.size]
        measured = self.flight.measured
        times = {}
        for name, data in measured.items():
            offset, drift = self._clock(x, data.clock)
            times[name] = data.t - offset - drift * (data.t - self.middle)
        stacked = np.concatenate(list(times.values()), axis=1)
        order = np.argsort(stacked[0].real, kind="stable")
        nodes = stacked[:, order]
        fine = np.linspace(0.0, 1.0, 2 * _FINER, endpoint=False)
        between = nodes[:, :-1, None] + np.diff(nodes, axis=1)[:, :, None] * fine
        t = np.concatenate([between.reshape(len(x), -1), nodes[:, -1:]], axis=1)
        rest, B, centre = self._twist(x, c, t, phi)
        H = self._value(x, "momentum", 3)
        T = self._value(x, "external torque", 3)
        momentum = H[:, None] + (t - t[:, :1])[..., None] * T[:, None]
        R = self._attitudes(t, rest[..., 3:], B[..., 3:, :], momentum)  # at every second of t
        place = np.empty(order.size, int)
        place[order] = np.arange(order.size)
        found, start = {}, 0
        for name, own in times.items():
            at = place[start : start + own.shape[1]]
            start += own.shape[1]
            turned, fine_at = R[:, _FINER * at], 2 * _FINER * at
            u = np.einsum("pnji,pnj->pni", turned, momentum[:, fine_at])
            twist = rest[:, fine_at] + np.einsum("pnij,pnj->pni", B[:, fine_at], u)
            found[name] = self._read(name, x, measured[name], turned, twist, centre[:, fine_at])
        return found

    def _attitudes(self, t, rest, B, momentum):
        R = np.empty((len(t), (t.shape[1] + 1) // 2, 3, 3), complex)
        R[:, 0] = np.eye(3)

        def rate(R, k):
            u = np.einsum("pji,pj->pi", R, momentum[:, k])
            return R @ _cross(rest[:, k] + np.einsum("pij,pj->pi", B[:, k], u))

        for k in range(R.shape[1] - 1):
            h, now = (t[:, 2 * k + 2] - t[:, 2 * k])[:, None, None], R[:, k]
            d1 = rate(now, 2 * k)
            d2 = rate(now + 0.5 * h * d1, 2 * k + 1)
            d3 = rate(now + 0.5 * h * d2, 2 * k + 1)
            d4 = rate(now + h * d3, 2 * k + 2)
            R[:, k + 1] = now + h / 6.0 * (d1 + 2.0 * d2 + 2.0 * d3 + d4)
        return R

    def _read(self, name, x, data, R, twist, centre):
        first = np.eye(3) + 0j
        if "attitude" in self.flight.measured:
            x_, y, z, w = self.flight.measured["attitude"].values[0]
            axis, angle = np.array([x_, y, z]), 2.0 * np.arctan2(np.linalg.norm([x_, y, z]), w)
            said = _turn(axis / np.linalg.norm(axis), np.array(angle))
            first = (said @ _exponential(self._value(x, "first attitude", 3)))[:, None]
        V, back = self._value(x, "drift velocity", 3)[:, None], (first @ R).swapaxes(-1, -2)
        if name == "w":
            w, mu = twist[..., 3:], self._value(x, "gyro misalignment", 3)[:, None]
            return w - np.cross(mu, w) + self._value(x, "gyro bias", 3)[:, None]
        if name == "attitude":
            return first @ R
        if name == "v":
            seen = np.einsum("pnij,pnj->pni", back, np.broadcast_to(V, twist[..., :3].shape))
            return twist[..., :3] + np.cross(twist[..., 3:], data.arm) + seen
        P, since = self._value(x, "first position", 3)[:, None], (data.t - data.t[0])[:, None]
        return P + since * V - np.einsum("pnij,pnj->pni", first @ R, centre)

    def derivatives(self, x, c):
        """Readings over their noise by unknowns, (rows, k), and by all coefficients, curve by curve of one after the
        other, (rows, count curves); rows array by array. Of an attitude, as a small rotation in base axes.
        """
        k, size = x.size, c.size
        X = np.tile(x.astype(complex), (k + size, 1))
        X[np.arange(k), np.arange(k)] += 1j * TINY
        C = np.tile(c.reshape(-1).astype(complex), (k + size, 1))
        C[k + np.arange(size), np.arange(size)] += 1j * TINY
        C, rows, step = C.reshape(-1, *c.shape), [], 40
        parts = [self.readings(X[i : i + step], C[i : i + step]) for i in range(0, k + size, step)]
        for name, data in self.flight.measured.items():
            values = np.concatenate([part[name] for part in parts])
            if name == "attitude":
                turn = values.real.swapaxes(-1, -2) @ values.imag
                change = np.stack([turn[..., 2, 1], turn[..., 0, 2], turn[..., 1, 0]], axis=-1)
            else:
                change = values.imag
            rows.append((change / TINY / data.sd).reshape(k + size, -1).T)
        J = np.concatenate(rows)
        return J[:, :k], J[:, k:]
