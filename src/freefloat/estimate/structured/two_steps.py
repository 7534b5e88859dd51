"""Two steps and the structure behind them: angular momentum and base velocity as functions of the same few unknowns.

    Y pi(z) = -h         (angular momentum about the centre of mass, wheels h)
    W eta(z) = v - v_cm  (the base's velocity)

The rows are those of both steps, linear in pi and eta, and free of accelerations. What they are solved for are the
clusters z of momentum that pi and eta are functions of (`structure.py`): about each z the rows are linear, are weighted
by the sensors' noise and freed of the bias by noisy rates as in `bias_compensated`, and the CAD model's spread counts
where the problem has one; again until z stays. So many joints' products, which no motion tells apart one by one, still
say together what they are made of. After O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter
identification of free-flying space manipulator systems", Robotics and Autonomous Systems, 2022.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.estimate.causes.advice import held_in_words
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Budget
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.likelihood.finished import HELD
from freefloat.estimate.likelihood.levenberg_marquardt import directions
from freefloat.estimate.linear.linear_estimate import LINEAR, covariance_by_known, linear_estimate
from freefloat.estimate.linear.seen_space import SeenSpace, spread, weighted
from freefloat.estimate.linear.solution import Solution, covariance_of_errors
from freefloat.estimate.linear.system import LinearFit, LinearSystem, roots_at
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.angular_momentum import AngularMomentumRows
from freefloat.estimate.rows.base_velocity import BaseVelocityRows
from freefloat.estimate.rows.equations import Equations
from freefloat.estimate.structured.structure import Structure
from freefloat.estimate.uncertain import OPEN, inverse_of
from freefloat.models.names import ModelName

ROWS: tuple[ModelName, ...] = ("angular-momentum", "base-velocity")
_SETTLED = 1e-2  # of the standard deviations
_ROUNDING = 1e-9  # of the CAD model's spread, where nothing is known of the noise
_DROWNED = 0.9  # of a direction's power: if noise of the rows' own columns makes more, they do not show it


@dataclass(frozen=True)
class TwoSteps(Estimator):
    """Angular momentum and base velocity, by the clusters of momentum behind both. rounds: most renewals of weights."""

    name: ClassVar[str] = "two-steps"

    rounds: int = 20

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters that momentum shows; the rows are always those of angular-momentum and base-velocity."""
        asked = replace(problem, models=ROWS)
        equations = asked.equations()
        task = _Task(asked, equations, _structure(asked, equations))
        z, x, settled = asked.cad, equations.start, False
        for _ in range(self.rounds):
            found = task.solved(z, x)
            x, step = found.x, found.y[: z.size] * task.units
            small = _SETTLED * np.sqrt(np.diagonal(found.known)) if equations.noise_known else _ROUNDING * task.units
            z, settled = z + step, bool((np.abs(step) <= small).all())
            if settled:
                break
        warnings = () if settled else (f"the clusters did not settle in {self.rounds} rounds",)
        on_rows = linear_estimate(asked, equations, self.name, replace(found.of_rows, warnings=warnings))
        return _estimate(asked, on_rows, found, z, task.weighs_prior)


@dataclass(frozen=True, eq=False)
class _Solved:
    """One linear problem: y of clusters over the CAD model's spread, then other unknowns, about where it began.

    x: pi, eta and other unknowns. known: covariance of the clusters that the weights promise, (c, c). by_noise,
    by_prior: of the clusters as errors are, (c, c). by_known: derivative of the clusters by known values, (c, known).
    unseen: directions that nothing determines, in the CAD model's spread, (u, c). of_rows: the same for the rows.
    """

    y: Array
    x: Array
    known: Array
    by_noise: Array
    by_prior: Array
    by_known: Array
    unseen: Array
    of_rows: Solution


@dataclass(frozen=True, eq=False)
class _Task:
    """The rows, and what their unknowns are functions of."""

    problem: Problem
    equations: Equations
    structure: Structure

    @cached_property
    def units(self) -> Array:
        """The CAD model's spread of each cluster, shape (c,)."""
        return np.sqrt(np.diagonal(self.problem.cad_covariance))

    @property
    def weighs_prior(self) -> bool:
        """Whether the CAD model counts: only against errors of known size can it be weighed."""
        return self.problem.prior is not None and self.equations.noise_known

    @property
    def least(self) -> float:
        """Information of a direction, in the CAD model's spread, below which it is held there."""
        return HELD if self.equations.noise_known and not self.weighs_prior else 0.0

    @cached_property
    def information(self) -> Array:
        """Of the CAD model on all unknowns, clusters in their spread, (c + others, c + others)."""
        others = len(self.equations.nuisances)
        own = inverse_of(self.problem.cad_covariance) * np.outer(self.units, self.units)
        given = own if self.weighs_prior else np.zeros_like(own)
        return scipy.linalg.block_diag(given, np.zeros((others, others)))

    def solved(self, z: Array, x: Array) -> _Solved:
        """Rows that are linear about the clusters z, weighted at the unknowns x."""
        equations, others, c = self.equations, len(self.equations.nuisances), z.size
        basis = scipy.linalg.block_diag(self.structure.slope(z) * self.units, np.eye(others))
        origin = np.concatenate([self.structure.clusters(z), np.zeros(others)])
        unseen, held = np.zeros((0, len(equations.minimal))), np.zeros(len(equations.nuisances))
        space = SeenSpace(origin, basis, unseen, spread(equations), held)
        system = LinearSystem(equations, space, roots_at(equations, x))
        data, right = _normal(system)
        prior = self.information
        start = np.concatenate([(self.problem.cad - z) / self.units, np.zeros(others)])
        sizes = np.concatenate([np.ones(c), np.full(others, np.nan)])
        found = directions(data + prior, sizes, self.least)
        moved = found.vectors[:, found.seen]
        inverse = (moved / found.values[found.seen]) @ moved.T
        right[:, 0] += prior @ start
        uncertain = np.flatnonzero(self.problem.known_sd)
        by_parameters = np.vstack([self.structure.by_parameters(z)[:, uncertain], np.zeros((others, uncertain.size))])
        shifted = weighted(equations, system.roots, [stack.matrix @ by_parameters for stack in equations.stacks])
        right[:, 1:] -= system.F.T @ shifted
        solution = inverse @ right
        y, unknowns = solution[:, 0], space.at(solution[:, 0])
        noise = covariance_of_errors(system, LinearFit(solution, system.F @ inverse), unknowns)
        by_prior = inverse @ prior @ inverse
        scale = np.outer(self.units, self.units)
        total = noise + by_prior
        open_ended = found.covariance(OPEN**-2.0) if len(found.unseen) else inverse
        rows = Solution(
            unknowns, space.basis @ total @ space.basis.T, space.basis @ solution[:, 1:] + by_parameters, notes=()
        )
        return _Solved(
            y,
            unknowns,
            inverse[:c, :c] * scale,
            (noise + open_ended - inverse)[:c, :c] * scale,
            by_prior[:c, :c] * scale,
            self.units[:, None] * solution[:c, 1:],
            found.unseen[:, :c],
            rows,
        )


def _normal(system: LinearSystem) -> tuple[Array, Array]:
    """F^T F and F^T g without what noise of the rows' own columns adds to them; nothing of directions it drowns."""
    F, g, basis = system.F, system.g, system.space.basis
    data, right, u = F.T @ F, F.T @ g, basis.shape[0]
    if system.noise is None:
        return data, right
    added = basis.T @ system.noise[:u, :u] @ basis
    cross = system.noise[:u, u:].copy()
    cross[:, 0] -= system.noise[:u, :u] @ system.space.origin
    size = np.sqrt(np.maximum(np.diagonal(data), 1e-300))
    scaled = data / np.outer(size, size)
    values, V = np.linalg.eigh(scaled)
    values = np.maximum(values, np.finfo(float).eps * values[-1])
    root = V * np.sqrt(values)
    whitened = np.linalg.solve(root, np.linalg.solve(root, added / np.outer(size, size)).T)
    share, U = np.linalg.eigh(0.5 * (whitened + whitened.T))
    shown = share < _DROWNED
    half = (root @ U[:, shown]) * size[:, None]
    within = np.linalg.solve(root, (right - basis.T @ cross) / size[:, None])
    return (half * (1.0 - share[shown])) @ half.T, half @ (U[:, shown].T @ within)


def _structure(problem: Problem, equations: Equations) -> Structure:
    """Of the models that the rows were made with."""
    angular, velocity = equations.stacks[0].sources
    assert isinstance(angular, AngularMomentumRows)
    assert isinstance(velocity, BaseVelocityRows)
    return Structure(angular.model, velocity.model, problem.minimal, problem.fixed)


def _estimate(problem: Problem, on_rows: Estimate, found: _Solved, z: Array, with_prior: bool) -> Estimate:
    """The estimate of momentum's clusters; residuals, nuisances and doubts are those of the rows."""
    parts = {"noise": found.by_noise}
    if with_prior:
        parts["prior"] = found.by_prior
    parts |= covariance_by_known(problem, found.by_known)
    variances = np.column_stack([np.diagonal(part) for part in parts.values()])
    return replace(
        on_rows,
        model="momentum",
        minimal=problem.minimal,
        values=z,
        covariance=np.sum(list(parts.values()), axis=0),
        cad=problem.cad,
        budget=Budget(tuple(parts), variances / np.maximum(variances.sum(axis=1, keepdims=True), 1e-300)),
        unseen=found.unseen,
        held=held_in_words(problem.minimal.leaders, None, found.unseen),
        notes=tuple(note for note in on_rows.notes if note != LINEAR),  # it does add the prior
    )
