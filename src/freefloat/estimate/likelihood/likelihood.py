"""The likelihood of measured base motion: weighted residuals of all flights, and their exact derivatives.

Every array of the samples that is measured with known noise is compared with its prediction
(`sensors/reading.py`). Errors are white; a velocity that is an integrated acceleration has errors that walk, and is
compared by its changes from sample to sample. Where joint motion or wheel rates are known sample by sample only,
their errors go through the base's reaction into the weights, which stay fixed while a fit iterates.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible, solve_base
from freefloat.estimate.estimate_parts import ChannelResidual
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.likelihood.curve_noise import CurveNoise, SeenCurves
from freefloat.estimate.likelihood.flight_prediction import FlightPrediction
from freefloat.estimate.likelihood.predicted_base import PredictedBase, PredictedFlight
from freefloat.estimate.predicted_motion import Targets, sensitivities
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import JOINT_MOTION, Unknowns, parameter_columns, parameters_beside, unknowns_of
from freefloat.models.model import NotApplicable
from freefloat.robot.rotations import logarithm, rotations
from freefloat.sensors.gyro import RateReading
from freefloat.sensors.reading import Reading
from freefloat.sensors.torque_sensor import TorqueReading

_NOTHING = 1e-4  # of a sensor's variance: errors of joints and wheels that do not matter
_FAR = 7.0  # median size of white residuals beyond which curves stay: they would only bend to a wrong model
WRONG_MODEL = 5.0  # times the noise left: finer curves do not explain it
SETTLED, SETTLING = 0.01, 8  # of the readings' noise: curves that move them by less have settled; rounds at most


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Residuals of one channel of one flight. values: measured less predicted over its standard deviation, (n, k).

    jacobian: derivative of the prediction over the same, (n, k, unknowns); empty if it was not asked for.
    louder: how much larger the noise of each reading was taken to be than that of most, (n, k); None if it was not.
    """

    channel: str
    flight: int
    values: Array
    jacobian: Array
    louder: Array | None = None

    @property
    def alike(self) -> tuple[Array, Array]:
        """Residuals (n, k) by which noise is judged, and how many readings they are worth, (k,).

        A reading that is louder counts by one over the square of how much: that is a bound, and measures nothing.
        """
        if self.louder is None:
            return self.values, np.full(self.values.shape[1], float(len(self.values)))
        worth = (self.louder**-2.0).sum(axis=0)
        return self.values / self.louder * np.sqrt(len(self.louder) / worth), worth


class Likelihood:
    """Residuals of a problem as a function of its unknowns.

    rotation_seen: whether every flight must have rates or attitudes, without which no search has a start.
    `beside`: standard parameters beside those that a point gives, (10 bodies,), as last supposed.
    """

    def __init__(self, problem: Problem, rotation_seen: bool = True) -> None:
        stands = problem.robot.base == "fixed"
        for given in problem.flights if stands else ():
            if TorqueReading.array not in given.measured:
                lacking = f"torques of {', '.join(given.torques_lacking)}" if given.torques_lacking else "joint torques"
                raise NotApplicable(
                    f"{given.name}: a fixed base does not react, and {lacking} were not recorded: maximum likelihood "
                    "needs a base that moves, or `tau` of every joint"
                )
        self.problem = problem
        self.unknowns: Unknowns = unknowns_of(problem)
        self.suppose(problem.cad)
        self.unsettled = 0.0  # how far curves moved readings when they settled last, in units of their noise
        self.flights = tuple(
            FlightLikelihood(problem, self.unknowns, self.columns, index) for index in range(len(problem.flights))
        )
        for flight in self.flights if rotation_seen and not stands else ():
            if not any(reading.turns for reading in flight.readings.values()):
                bolted = "" if flight.samples.torques is None else ", or a base of kind fixed, if it is bolted down"
                raise InvalidProblem(
                    f"{flight.flight.name}: neither angular rates nor attitude with their noise were measured; "
                    f"allowed: at least one of `w` and `attitude` with `noise`{bolted}"
                )

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Standard parameters that are unknown: leaders of clusters, then known ones that may deviate."""
        return parameter_columns(self.problem, self.unknowns)

    @property
    def has_local_curves(self) -> bool:
        """Whether some flight's joints or wheels are curves of which a few coefficients count at a time."""
        return any(flight.local is not None for flight in self.flights)

    def phi(self, point: Array) -> Array:
        """Standard parameters of a point in the space of unknowns, (10 bodies,)."""
        phi = np.array(self.beside)
        np.add.at(phi, self.columns, point[: self.columns.size])
        return phi

    def suppose(self, point: Array) -> None:
        """Take what no motion shows but where geometry is off to be what is likely beside the clusters of a point."""
        self.beside = parameters_beside(self.problem, self.unknowns, point[: len(self.problem.minimal)])

    def rows(self, point: Array, count: int | None = None, white: bool = True) -> tuple[Rows, ...]:
        """Weighted residuals of all flights and channels.

        count: derivatives are by this many leading unknowns, by all unless given: zero for none, else at least all
        but geometry and the errors of the joints' curves. white: whether errors of curves are made so.
        """
        phi, count = self.phi(point), len(self.unknowns) if count is None else count
        return tuple(rows for flight in self.flights for rows in flight.rows(point, phi, count, white))

    def left(self, rows: tuple[Rows, ...]) -> tuple[ChannelResidual, ...]:
        """The same residuals in the sensors' units."""
        return tuple(self.flights[part.flight].left(part) for part in rows)

    def expected(self, point: Array) -> tuple[Array, ...]:
        """Weighted derivatives of the data at a point that is the truth, (m, k, unknowns) of each flight and channel.

        What is measured is then what is predicted, noise aside, and nothing is added that only steadies a search.
        """
        phi = self.phi(point)
        return tuple(J for flight in self.flights for J in flight.expected(point, phi))

    def start(self) -> Array:
        """The prior's mean, with momenta as the CAD model and the measured rates have them."""
        point = np.array(self.unknowns.mean)
        for flight in self.flights:
            flight.start(point, self.phi(point))
        return point

    def reweigh(self, point: Array) -> bool:
        """Set the weights anew for errors of joint motion as they act at this point; whether there are any."""
        with suppress(NotPossible):
            self.suppose(point)
            return self._reweighed(point)
        self.suppose(self.problem.cad)  # a point so far off that the likeliest robot there is none
        return self._reweighed(point)

    def _reweighed(self, point: Array) -> bool:
        matter = [flight.reweigh(point, self.phi(point)) for flight in self.flights]
        return any(matter)

    def settle(self, point: Array) -> float:
        """Bring curves to what all readings make most likely at a point; how far readings move by that, in their noise.

        Zero where no curves have errors of a few coefficients at a time, infinite where readings contradict the model
        by so much that curves would only bend to it.
        """
        return max(flight.settle(point, self.phi(point)) for flight in self.flights)


class FlightLikelihood(FlightPrediction):
    """Weighted residuals of one flight."""

    def __init__(self, problem: Problem, unknowns: Unknowns, columns: NDArray[np.int64], index: int) -> None:
        super().__init__(problem, unknowns, columns, index)
        self.weights: dict[str, Array] = {}
        self.curve_noise: CurveNoise | None = None
        self.seen_curves: list[SeenCurves] = []  # where curves were last looked at, and derivatives there
        self._there: tuple[Array, dict[str, Array]] | None = None

    def rows(self, point: Array, phi: Array, count: int, white: bool = True) -> list[Rows]:
        """Residuals of all channels of this flight."""
        derivatives = self._known_derivatives(point, count)
        whole, residuals = PredictedFlight(self, point, phi, 0 if derivatives else count), dict[str, Array]()
        for name, reading in self.readings.items():
            base = whole.base(name)
            residuals[name] = self._weighted(reading, reading.residual(base, point)[:, :, None], base)
            if count and name not in derivatives:
                J = self._weighted(reading, reading.residual_derivative(base, point)[:, :, :count], base)
                derivatives[name] = J if J.flags.c_contiguous else np.ascontiguousarray(J)
        if white:
            residuals = self._without_curve_noise(residuals, residual=True)
            derivatives = self._without_curve_noise(derivatives, residual=False)
        none = np.zeros((0, 0, 0))
        return [
            Rows(name, self.index, values[..., 0], derivatives.get(name, none), self.measured[name].louder)
            for name, values in residuals.items()
        ]

    def _known_derivatives(self, point: Array, count: int) -> dict[str, Array]:
        """Of a point where the curves have just been looked at, handed over once; none of others."""
        there, self._there = self._there, None if count else self._there
        if there is None or count != point.size or not np.array_equal(there[0], point):
            return {}
        if set(there[1]) != set(self.readings):  # what is compared by its steps was not looked at
            return {}
        return there[1]

    def expected(self, point: Array, phi: Array) -> list[Array]:
        """Weighted derivatives of the data of all channels if the point is the truth, (m, k, unknowns) each."""
        count = len(self.unknowns)
        whole, found = PredictedFlight(self, point, phi, count), dict[str, Array]()
        for name, reading in self.readings.items():
            base = whole.base(name)
            found[name] = reading.of_data(self._weighted(reading, reading.derivative(base, point), base)[:, :, :count])
        return list(self._without_curve_noise(found, residual=False).values())

    def _weighted(self, reading: Reading[Any], values: Array, base: PredictedBase) -> Array:
        """Values (n, k, c) at the nodes as rows, over their noise."""
        rows = self.nodes[reading.array].rows(values)
        if reading.array in self.weights:
            return self.weights[reading.array] @ rows
        return reading.whitened(rows, base)

    def left(self, rows: Rows) -> ChannelResidual:
        """The residuals of a channel in its sensor's units; of a velocity whose errors walk, in those of its steps."""
        name, given, reading = rows.channel, self.flight, self.readings[rows.channel]
        components, t = reading.components, self.nodes[name].t
        if reading.steps:
            unit, ones = "standard deviations of a step", np.ones(rows.values.shape[1])
            return ChannelResidual(given.name, name, components, unit, t, rows.values, ones)
        sd = reading.sd
        louder = self.measured[name].louder
        residual = rows.values * (sd if louder is None else sd * louder)
        if name in self.weights:
            roots = np.linalg.inv(self.weights[name])
            residual = (roots @ rows.values[:, :, None])[..., 0]
            sd = np.sqrt((roots**2).sum(axis=2).mean(axis=0))
        seen = self.seen(name)
        kept = seen if self.swinging is not None and name == RateReading.array else None
        said = given.name, name, components, reading.unit, t, residual, sd
        return ChannelResidual(*said, signal=seen.std(axis=0), measured=kept)

    def seen(self, name: str) -> Array:
        """What a sensor read at its rows, attitudes as turned from the first [rad], shape (m, k) [unit]."""
        values = self.measured[name].values
        if name == "attitude":
            R = rotations(values)
            values = logarithm(R[0].T @ R)
        return self.nodes[name].at_rows(values)[:, self.readings[name].axes]

    # ------------------------------------------------------------------ errors of joints and wheels

    @property
    def _touched(self) -> list[str]:
        """Arrays in whose readings errors of curves are made white; steps of a velocity have been made so already."""
        return [name for name, reading in self.readings.items() if not reading.steps]

    def _without_curve_noise(self, parts: dict[str, Array], residual: bool) -> dict[str, Array]:
        """Parts (n, axes, k) by array, with errors of curves made white; residual: whether they are residuals."""
        if self.curve_noise is None or not parts:
            return parts
        touched = {name: parts[name] for name in self._touched}
        flat = [part.reshape(-1, part.shape[2]) for part in touched.values()]
        columns = flat[0] if len(flat) == 1 else np.concatenate(flat)
        white, start = self.curve_noise.whitened(columns, residual), 0
        found = dict(parts)
        for name, part in touched.items():
            stop = start + part.shape[0] * part.shape[1]
            found[name] = white[start:stop].reshape(part.shape)
            start = stop
        return found

    def linearise(self, point: Array, phi: Array) -> None:
        """Find anew what errors of the curves do to the readings, at a point and the curves of the moment."""
        count = len(self.unknowns)
        whole, seen = PredictedFlight(self, point, phi, count, of_curves=True), list[SeenCurves]()
        carrying = whole
        if self.turns and not self.attitude_counts:  # errors of curves are carried on, what unknowns do is not
            carrying = PredictedFlight(self, point, phi, 0, of_curves=True, carried=True)
        self.curve_noise = self._there = None  # before others are made: they may be large
        there = dict[str, Array]()
        for name in self._touched:
            base, reading, nodes = whole.base(name), self.readings[name], self.nodes[name]
            J = reading.whitened(reading.residual_derivative(base, point), base)
            seen.append(SeenCurves(name, self.joint_time(name, point), np.array(J[:, :, count:]), nodes))
            there[name] = np.ascontiguousarray(nodes.rows(J[:, :, :count]))
            del J, base
        self.curve_noise, self._there = CurveNoise(carrying, seen), (np.array(point), there)
        self.seen_curves = seen

    def by_change_of_curves(self, change: CubicSpline) -> dict[str, Array]:
        """Weighted derivatives by how much of a change, (joints,), each joint's curve makes, (m, axes, joints) each.

        Of all arrays that see joints on curves of which a few coefficients count at a time. What such changes did to
        the attitude before counts for nothing.
        """
        found, joints = dict[str, Array](), len(self.robot.joints)
        for part in self.seen_curves:
            by_position, by_rate = part.values[:, :, :joints], part.values[:, :, joints : 2 * joints]
            moved = by_position * change(part.t)[:, None] + by_rate * change(part.t, 1)[:, None]
            found[part.name] = part.nodes.rows(moved)
        return self._without_curve_noise(found, residual=False)

    def settle(self, point: Array, phi: Array) -> float:
        """Bring the curves to those that all readings make most likely at a point; how far readings move by that."""
        if self.curve_noise is None:
            return 0.0 if self.local is None else np.inf
        rows = {part.channel: part.values for part in self.rows(point, phi, 0)}
        white = np.concatenate([rows[name].reshape(-1) for name in self._touched])
        if not np.median(np.abs(white)) < _FAR:
            return np.inf
        self.local, moved = self.curve_noise.most_likely(white)
        self.linearise(point, phi)
        return moved

    def curve_share(self, phi: Array, point: Array, top: Array) -> Array:
        """Variance of unknowns that errors of the curves make; top: their rows of the covariance, (c, unknowns)."""
        if self.curve_noise is None:
            return np.zeros(len(top))
        rows = {part.channel: part.jacobian for part in self.rows(point, phi, top.shape[1])}
        moved = np.concatenate([rows.pop(name).reshape(-1, top.shape[1]) @ top.T for name in self._touched])
        own = self.curve_noise.weighted_twice(moved)
        return np.asarray((moved**2).sum(axis=0) - (own**2).sum(axis=0))

    def reweigh(self, point: Array, phi: Array) -> bool:
        """Set the weights anew for errors of joints and wheels as they act at this point; whether there are any.

        Curves of which a few coefficients count at a time are made white. Where joints and wheels were sampled one by
        one, what their errors do to rates and velocities goes into the weights of these, unless it is too small to
        matter.
        """
        if self.local is not None:
            self.linearise(point, phi)
            if not all(np.isfinite(part.values).all() for part in self.rows(point, phi, 0)):
                self.curve_noise = self._there = None  # a motion so wild that errors grow beyond numbers
            return True
        spread = self._sampled_errors(point, np.where(self.present, phi, 0.0))
        matter = False
        for name, reading in self.readings.items():
            seen = reading.by_twist()
            if name in spread and seen is not None and not reading.steps:
                own = np.diag(reading.sd**2)
                added = seen @ spread[name] @ seen.T
                if np.einsum("kii->i", added).max() > _NOTHING * len(added) * own.max():
                    self.weights[name] = np.linalg.inv(np.linalg.cholesky(added + own))
                    matter = True
        return matter

    def _sampled_errors(self, point: Array, phi: Array) -> dict[str, Array]:
        """Covariance of the base's velocities by errors of each sample's joints and wheels, (n, r, r), by array."""
        dofs = len(self.robot.joints)
        sd_q, sd_dq = self.flight.sd("q", dofs), self.flight.sd("dq", dofs)
        joints = self.place(JOINT_MOTION) is None and bool(sd_q.any() or sd_dq.any())
        spins = self.flight.sd("wheel_rates", len(self.robot.wheels)) * self.robot.wheel_inertias
        if not joints and not spins.any():
            return {}
        whole, found = PredictedFlight(self, point, phi, 0), dict[str, Array]()
        for name in self.readings:
            motion, at = whole.motion_of(name)
            B, A = motion.B[at], motion.A[at]
            by_wheels = B @ (self.robot.wheel_axes.T * spins) if spins.any() else B[:, :, :0]
            spread = by_wheels @ by_wheels.swapaxes(1, 2)
            if joints:
                targets, gain, none = Targets(dofs, zeros=0), np.eye(self.allowed.size), np.zeros(0, np.int64)
                still = np.zeros(motion.grid.t.size)
                by_position = sensitivities(self.robot, motion, phi, none, self.present, still, targets, gain)[at]
                by_rate = solve_base(A, A[:, :, 6:], self.allowed) * motion.scale
                spread += (by_position * sd_q**2) @ by_position.swapaxes(1, 2)
                spread += (by_rate * sd_dq**2) @ by_rate.swapaxes(1, 2)
            found[name] = spread
        return found
