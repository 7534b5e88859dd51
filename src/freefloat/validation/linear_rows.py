"""Rates of the base, or torques or the wrench of a fixed one, as an estimate made from linear equations predicts them.

Rows M x = b are linear in the clusters x. Torques and wrench are their own prediction. Rows of the angular momentum
about the centre of mass are linear in the measured rates too: with D their derivative by these, D^-1 (M x - b) is
exactly measured less predicted rate, and -D^-1 M at the predicted rate its derivative; weights make D superfluous.
Errors of joints and wheels are in the weights, those of a gyro's bias are nuisances.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import scipy.linalg

from freefloat.arrays import AXES, Array
from freefloat.estimate.causes.claims import NOTHING, Suspected
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import UNITS
from freefloat.estimate.estimated_clusters import total_covariance
from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.estimate.likelihood.noise_levels import Levels
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import Equations
from freefloat.estimate.rows.flight_stack import FlightStack, whitening
from freefloat.estimate.rows.model_rows import NoisyChannel, Unit
from freefloat.estimate.uncertain import root_of
from freefloat.estimate.unknowns import MOMENTUM
from freefloat.models.names import ModelName
from freefloat.robot.base_axes import turning_axes
from freefloat.sensors.gyro import BIAS as GYRO_BIAS, RateReading
from freefloat.sensors.unknowns import UnknownGroup
from freefloat.validation.prediction import (
    ClaimedClusters,
    InvalidValidation,
    PredictedMomentum,
    PredictedReading,
    largest_turn_rad,
)

_ARRAYS = {"angular-momentum": "w", "torque": "torques", "base-wrench": "base_wrench"}  # what the rows predict


class LinearPrediction:
    """Torques or the base's wrench, or rates by clusters about the centre of mass.

    noise_is_left: whether nobody said the noise, and it is what the estimate left of its own recordings.
    """

    def __init__(self, problem: Problem, estimate: Estimate, model: ModelName, noise_is_left: bool = False) -> None:
        self.problem, self.estimate, self.model = problem, estimate, model
        self.noise_is_left = noise_is_left
        self.turns, self.array = model == "angular-momentum", _ARRAYS[model]
        self.turning = turning_axes(problem.robot)
        self._axes = tuple(AXES[axis] for axis in self.turning)
        self.equations = problem.equations((model,))
        self.stacks = self.equations.stacks
        _refuse_others(self.equations, estimate)
        self.uncertain = np.flatnonzero(problem.known_sd)
        self.count = estimate.values.size + self.uncertain.size
        self.claimed = self._claimed_by()
        free = len(self.equations.nuisances)
        biases = tuple(self._biases()) if self.turns else ()
        self.kinds = (MOMENTUM,) * free + (GYRO_BIAS,) * sum(len(group.labels) for group in biases)
        self.mean = np.zeros(len(self.kinds))
        self.information = scipy.linalg.block_diag(np.zeros((free, free)), *(group.information for group in biases))
        x = np.concatenate([estimate.values, np.zeros(free)])
        self.weights = tuple(whitening(stack.errors(x)) for stack in self.stacks)
        self.levels = Levels()

    def _biases(self) -> Iterator[UnknownGroup]:
        """Of the gyro in every flight, as it says; where they walk is not allowed for."""
        for stack in self.stacks:
            ending = f" of {stack.flight.name}" if len(self.stacks) > 1 else ""
            data = stack.flight.sampled("w")
            own = RateReading.flight_unknowns(self.problem.nuisances, self.problem.robot, data, ending)
            yield from (group for group in own if group.kind == GYRO_BIAS)

    def _claimed_by(self) -> ClaimedClusters:
        estimate, clusters, known = self.estimate, self.estimate.values.size, self.uncertain.size
        spread = self.equations.cad_covariance
        total = total_covariance(estimate, np.sqrt(np.diagonal(spread)))
        given = self.problem.known_covariance[np.ix_(self.uncertain, self.uncertain)]
        root = scipy.linalg.block_diag(root_of(total), root_of(given))
        cad_root = scipy.linalg.block_diag(root_of(spread), root_of(given))
        theta = np.concatenate([estimate.values, np.zeros(known)])
        by_cluster = np.eye(clusters + known, clusters)
        sd = np.sqrt(np.diagonal(estimate.covariance))
        names, formulas = estimate.names, estimate.formulas
        return ClaimedClusters(names, formulas, estimate.values, sd, theta, by_cluster, root, cad_root, spread)

    # ------------------------------------------------------------------ rows

    def start(self) -> Array:
        """The estimate, and nothing else."""
        return np.concatenate([self.claimed.theta, self.mean])

    @cached_property
    def _unit_rates(self) -> tuple[tuple[Unit, ...], ...]:
        """What a unit rate about each axis adds to the rows of each flight; they do not depend on the unknowns."""
        channels = [NoisyChannel("w", axis, 1.0) for axis in self.turning.tolist()]
        made = [[stack.sources[0].unit(channel) for channel in channels] for stack in self.stacks]
        return tuple(tuple(unit for unit in units if unit is not None) for units in made)

    def _split(self, point: Array) -> tuple[Array, Array, Array]:
        """Unknowns of the equations, deviations of known values, gyro biases of all flights."""
        clusters, free = self.estimate.values.size, len(self.equations.nuisances)
        nu = point[self.count :]
        return np.concatenate([point[:clusters], nu[:free]]), point[clusters : self.count], nu[free:]

    def _missing(self, stack: FlightStack, index: int, point: Array) -> tuple[Array, Array]:
        """M x - b of a flight, shape (n, rows), a gyro's bias undone, and D, shape (n, rows, axes)."""
        x, known, biases = self._split(point)
        rest = stack.matrix @ x - stack.right @ np.concatenate([[1.0], known])
        if not self.turns:
            return rest, np.zeros((*rest.shape, 0))
        D = self._by_rates(index, point)
        width = len(self._axes) if biases.size else 0
        own = biases[index * width : (index + 1) * width]
        return rest - D @ own if own.size else rest, D

    def _by_rates(self, index: int, point: Array) -> Array:
        """D, the derivative of a flight's rows by its rates, shape (n, rows, axes)."""
        x, known, _ = self._split(point)
        own, right = x[self.stacks[index].places[0]], np.concatenate([[1.0], known])
        return np.stack([unit.matrix @ own - unit.right @ right for unit in self._unit_rates[index]], axis=2)

    def rows(self, point: Array, derivatives: bool) -> tuple[Rows, ...]:
        """Weighted residuals of all flights."""
        found = []
        for index, (stack, W) in enumerate(zip(self.stacks, self.weights, strict=True)):
            rest, D = self._missing(stack, index, point)
            sign = 1.0 if self.turns else -1.0
            r = sign * (W @ rest[:, :, None])[..., 0]
            J = -sign * (W @ self._slope(stack, index, point, D)) if derivatives else np.zeros((0, 0, 0))
            found.append(Rows(self.array, index, r, J))
        return tuple(found)

    def _slope(self, stack: FlightStack, index: int, point: Array, D: Array) -> Array:
        """Derivative of M x - b by all of a point, at predicted rates, shape (n, rows, unknowns)."""
        x, _, biases = self._split(point)
        M = stack.instruments(x) if self.turns else stack.matrix
        clusters, free = self.estimate.values.size, len(self.equations.nuisances)
        slope = np.zeros((*M.shape[:2], point.size))
        slope[..., :clusters], slope[..., self.count : self.count + free] = M[..., :clusters], M[..., clusters:]
        slope[..., clusters : self.count] = -stack.right[..., 1:]
        if biases.size:
            first = self.count + free + index * len(self._axes)
            slope[..., first : first + len(self._axes)] = -D
        return slope

    # ------------------------------------------------------------------ in the sensors' units

    def finer(self) -> None:
        """None: samples are what they are."""

    def as_noisy(self, rows: tuple[Rows, ...]) -> LinearPrediction | None:
        """None: weights of linear rows are mixtures of many sensors' noise."""
        return None

    def settle(self, point: Array) -> float:
        """Zero: samples are what they are."""
        return 0.0

    def readings(self, point: Array) -> tuple[PredictedReading, ...]:
        """Measured values and residuals of every flight."""
        found = []
        for index, stack in enumerate(self.stacks):
            rest, D = self._missing(stack, index, point)
            flight = stack.flight
            spread = np.linalg.inv(self.weights[index])
            if self.turns:
                rest = np.asarray(np.linalg.solve(D, rest[:, :, None])[..., 0], dtype=np.float64)
                spread = np.asarray(np.linalg.solve(D, spread), dtype=np.float64)
                measured, names = flight.samples.need("w", "validation")[:, self.turning], self._axes
            else:
                rest, measured = -rest, flight.samples.need(self.array, "validation")
                joints = self.problem.robot.joint_names
                names = joints if self.array == "torques" else stack.sources[0].labels
            noise = np.sqrt(((spread**2).sum(axis=2) / self._doubt(stack) ** 2).mean(axis=0))
            unit, signal = UNITS[self.array], measured.std(axis=0)
            found.append(
                PredictedReading(flight.name, self.array, names, unit, flight.t, rest, noise, measured, signal=signal)
            )
        return tuple(found)

    def _doubt(self, stack: FlightStack) -> Array:
        """Of rows that are readings, which noise does not hold: it is that of usual ones."""
        return np.ones((1, 1)) if self.turns else stack.doubt

    def momentum(self, point: Array, readings: tuple[PredictedReading, ...]) -> tuple[PredictedMomentum, ...]:
        """Missing momentum of each flight, where rows are those of it: D times measured less predicted rates."""
        found = []
        for index, (stack, reading) in enumerate(zip(self.stacks, readings, strict=True) if self.turns else ()):
            D = self._by_rates(index, point)
            wide, noise = np.zeros((len(D), 3)), np.zeros(3)
            spread = D * stack.flight.sd("w", 3)[self.turning]
            wide[:, self.turning] = (D @ reading.residual[:, :, None])[..., 0]
            noise[self.turning] = np.sqrt((spread**2).sum(axis=2).mean(axis=0))
            found.append(PredictedMomentum(reading.flight, reading.t, wide, noise))
        return tuple(found)

    def turned_away_rad(self, point: Array, readings: tuple[PredictedReading, ...]) -> float | None:
        """Largest angle between attitudes integrated from predicted and from measured rates; None for torques."""
        angles = []
        for reading in readings if self.turns else ():
            predicted, measured = np.zeros((2, reading.t.size, 3))
            predicted[:, self.turning], measured[:, self.turning] = reading.predicted, reading.measured
            angles.append(largest_turn_rad(reading.t, predicted, measured))
        return max(angles, default=None)

    def on(self, problem: Problem) -> LinearPrediction:
        """What the same estimate predicts of other flights."""
        return LinearPrediction(problem, self.estimate, self.model, self.noise_is_left)

    def suspected(self, point: Array, root: Array, xi: Array) -> Suspected:
        """Nothing: rows of a linear model do not hold what else may be wrong."""
        return NOTHING

    def shifted(self, parameters: Array) -> Array | None:
        """Theta of standard parameters; None for clusters about the centre of mass."""
        if self.turns:
            return None
        unknown = np.zeros_like(parameters)
        unknown[self.problem.unknown] = parameters[self.problem.unknown]
        theta = np.array(self.claimed.theta)
        theta[: self.estimate.values.size] = self.estimate.minimal.values(unknown)
        return theta


def _refuse_others(equations: Equations, estimate: Estimate) -> None:
    ours, theirs = equations.minimal, estimate.minimal
    same = ours.leaders == theirs.leaders and ours.combine.shape == theirs.combine.shape
    if not (same and np.allclose(ours.combine, theirs.combine)):
        raise InvalidValidation(
            f"the recordings show {len(ours)} clusters of {estimate.model}, which are not the {len(theirs)} of the "
            "estimate; allowed: recordings with the same bodies as those of the estimate"
        )
    if not equations.noise_known:
        raise InvalidValidation(
            "the noise of the recorded sensors is not known, so that nothing says how well they should be predicted; "
            "allowed: sensors with their noise in the mission"
        )
