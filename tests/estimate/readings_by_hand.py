"""Readings of the base's sensors straight from their definition, for whatever unknowns: what tests differentiate.

Base rates from the momentum matrix, attitude by the classical Runge-Kutta method on a fine grid, many runs at once.
Each clock's readings have a grid of their own, in the time of the joints' clock.
"""

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.estimate.unknowns import clock_kinds, clocks_of
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.geometry import PER_JOINT, built_with
from freefloat.robot.selection import select_parameters
from freefloat.sensors.walks import KNOTS

STEPS = 1  # between two samples
READ = ("w", "v", "attitude", "position")


class Hand:
    """The readings of one flight whose samples are even."""

    def __init__(self, problem, number, unknowns):
        self.problem, self.number, self.unknowns = problem, number, unknowns
        self.robot, self.flight = problem.robot, problem.flights[number]
        self.t = self.flight.t
        self.middle = 0.5 * (self.t[0] + self.t[-1])
        self.fine = np.linspace(self.t[0], self.t[-1], 2 * STEPS * (self.t.size - 1) + 1)
        self.axes = {
            "turning": [2] if self.robot.base == "planar" else [0, 1, 2],
            "sliding": [0, 1] if self.robot.base == "planar" else [0, 1, 2],
        }

    def value(self, point, kind, axes=None):
        """Values of a kind; of a vector, all three components."""
        place = self.unknowns.find(kind, self.number) or self.unknowns.find(kind)
        values = np.zeros(0) if place is None else point[place]
        if axes is None:
            return values if values.size else np.zeros(1)
        vector = np.zeros(3)
        vector[self.axes[axes][: values.size]] = values
        return vector

    def parameters(self, point):
        problem = self.problem
        phi = np.array(self.robot.parameters)  # all of the CAD model, and how far clusters are from its own
        phi[select_parameters(self.robot, problem.zero)] = 0.0
        phi[problem.minimal.kept] += point[: len(problem.minimal)] - problem.cad
        for part in self.unknowns.parts:
            for label, place in zip(part.labels, range(part.place.start, part.place.stop), strict=True):
                if part.kind.startswith("known "):
                    phi[self.robot.parameter_names.index(label.removeprefix("known "))] += point[place]
        return np.where(problem.present(self.flight), phi, 0.0)

    def built(self, point):
        """The robot with joints where they are at a point."""
        place = self.unknowns.find("geometry")
        return self.robot if place is None else built_with(self.robot, point[place].reshape(-1, PER_JOINT))

    def clock(self, point, clock):
        """Offset and drift of a clock."""
        clocks = clocks_of(self.problem, self.flight)
        kinds = clock_kinds(clocks, clock) if clock in clocks else ("", "")
        return tuple(float(self.value(point, kind)[0]) for kind in kinds)

    def grid(self, point, clock):
        """The fine grid of a clock's stamps in the joints' time, before it the step from where attitude begins."""
        measured = self.flight.measured
        first = next(measured[name].clock for name in READ if name in measured)
        (offset, drift), (offset_first, drift_first) = self.clock(point, clock), self.clock(point, first)
        since = self.fine - self.middle
        late = self.fine - offset - drift * since
        begin = self.fine[0] - offset_first - drift_first * since[0]
        return np.concatenate([[begin, 0.5 * (begin + late[0])], late])

    def spin(self, point, t):
        """Momentum of the wheels when the joints' clock shows t."""
        samples, (offset, drift) = self.flight.samples, self.clock(point, self.flight.wheel_rates.clock)
        curve = CubicHermiteSpline(self.t, samples.wheel_rates, samples.wheel_accelerations)
        shown = np.clip((t + offset - drift * self.middle) / (1.0 - drift), self.t[0], self.t[-1])
        return (curve(shown) * self.robot.wheel_inertias) @ self.robot.wheel_axes

    def at_rest(self, point, late):
        """(A_b^-1, twist at zero momentum, centre of mass) at times of the joints' clock."""
        motion, errors = self.flight.joints.at(late), self.flight.joints.errors(late)
        q, dq = motion.position + self.value(point, "joint zeros"), np.array(motion.rate)
        for k, joint in enumerate(errors.joint):
            q[:, joint] += self.value(point, "joint motion")[k] * errors.position[:, k]
            dq[:, joint] += self.value(point, "joint motion")[k] * errors.rate[:, k]
        q, dq = (each * (1.0 + self.value(point, "joint scales")) for each in (q, dq))
        A = momentum_matrix(self.built(point), q, self.parameters(point))
        allowed = allowed_rows(self.robot)
        inverse = np.zeros((len(A), 6, 6))
        inverse[:, allowed[:, None], allowed] = np.linalg.inv(A[:, allowed[:, None], allowed])
        momentum = np.einsum("kij,kj->ki", A[:, :, 6:], dq)
        if self.robot.wheels:
            momentum[:, 3:] += self.spin(point, late)
        centre = A[:, [5, 3, 4], [1, 2, 0]] / A[0, 0, 0]
        return inverse, -np.einsum("kij,kj->ki", inverse, momentum), centre

    def momentum(self, point, t):
        """H at times of the joints' clock, of which the first is where attitude begins."""
        given = np.array(self.flight.momentum.vector)
        given[[axis for axis in range(3) if axis not in self.axes["turning"]]] = 0.0
        H = given + self.value(point, "momentum", "turning")
        return H + self.value(point, "external torque", "turning") * (t - t[0])[:, None]

    def readings(self, points, R_0):
        """At every point, by array, readings of every sensor, shape (n, 3), and `turned`, the attitude at those of v.

        Attitudes (n, 3, 3) are against R_0 at the start.
        """
        found = [{} for _ in points]
        measured = self.flight.measured
        for clock in {data.clock for data in measured.values()}:
            for run, seen in zip(found, self._stamped_by(clock, points, R_0), strict=True):
                run.update({name: seen[name] for name in measured if measured[name].clock == clock})
                if "v" in measured and measured["v"].clock == clock:
                    run["turned"] = seen["attitude"]
        return found

    def _stamped_by(self, clock, points, R_0):
        """Readings that all sensors would have on one clock."""
        t = np.stack([self.grid(point, clock) for point in points])
        found = [self.at_rest(point, late) for point, late in zip(points, t, strict=True)]
        inverse, rest, centre = (np.stack([run[k] for run in found]) for k in range(3))
        H = np.stack([self.momentum(point, late) for point, late in zip(points, t, strict=True)])
        R = self._turn(t, inverse, rest, H)
        x = rest + np.einsum("rkij,rkj->rki", inverse[..., 3:], np.einsum("rkji,rkj->rki", R, H))
        coarse = slice(2, None, 2 * STEPS)
        integral = self._integral(t[:, 2:], R[:, 2:])[:, ::STEPS]
        return [
            self._of_run(point, R_0, x[k, coarse], R[k, coarse], centre[k, coarse], integral[k])
            for k, point in enumerate(points)
        ]

    def _turn(self, t, inverse, rest, H):
        R = np.empty((*rest.shape[:2], 3, 3))
        R[:, 0] = np.eye(3)

        def rate(R, k):
            w = rest[:, k, 3:] + np.einsum("rij,rlj,rl->ri", inverse[:, k, 3:, 3:], R, H[:, k])
            return R @ np.cross(w[:, None, :], np.eye(3)).swapaxes(1, 2)

        for k in range(0, t.shape[1] - 2, 2):
            now, h = R[:, k], (t[:, k + 2] - t[:, k])[:, None, None]
            d1 = rate(now, k)
            d2 = rate(now + 0.5 * h * d1, k + 1)
            d3 = rate(now + 0.5 * h * d2, k + 1)
            d4 = rate(now + h * d3, k + 2)
            after = now + h / 6.0 * (d1 + 2.0 * d2 + 2.0 * d3 + d4)
            R[:, k + 2] = 1.5 * after - 0.5 * after @ after.swapaxes(1, 2) @ after  # the rotation next to it
            R[:, k + 1] = 0.5 * (now + R[:, k + 2]) + h / 8.0 * (d1 - rate(R[:, k + 2], k + 2))
        return R

    def _integral(self, t, R):
        h = np.diff(t[:, ::2])[..., None, None]
        pieces = h / 6.0 * (R[:, :-2:2] + 4.0 * R[:, 1::2] + R[:, 2::2])
        return np.concatenate([np.zeros_like(R[:, :1]), np.cumsum(pieces, axis=1)], axis=1)

    def _of_run(self, point, R_0, x, R, centre, integral):
        first = R_0 @ Rotation.from_rotvec(self.value(point, "first attitude", "turning")).as_matrix()
        V, a = self.value(point, "drift velocity", "sliding"), self.value(point, "velocity bias", "sliding")
        back = R.swapaxes(1, 2)
        since = (self.t - self.t[0])[:, None]
        return {
            "w": self._gyro(point, x[:, 3:]),
            "v": x[:, :3] + back @ first.T @ V + back @ integral @ a,
            "attitude": first @ R,
            "position": self.value(point, "first position", "sliding")
            + since * V
            - (first @ R @ centre[..., None])[..., 0],
        }

    def _gyro(self, point, w):
        turn, scale = self.value(point, "gyro misalignment", "turning"), self.value(point, "gyro scale", "turning")
        seen = (1.0 + scale) * (w - np.cross(turn, w)) + self.value(point, "gyro bias", "turning")
        knots = np.linspace(self.t[0], self.t[-1], KNOTS)
        for axis, name in enumerate("xyz"):
            walk = self.value(point, f"gyro walk {name}")
            if walk.size == KNOTS - 1:
                seen[:, axis] += np.interp(self.t, knots, np.append(0.0, walk))
        return seen
