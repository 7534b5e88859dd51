"""Recursive least squares by a square-root information filter, sample by sample as on board.

Bierman, Factorization Methods for Discrete Sequential Estimation (Academic Press 1977): what all rows so far say of
the unknowns x is a triangle R and a vector z, with x = R^-1 z and covariance R^-1 R^-T (see `recursive_kernel`).
The state never grows, the covariance cannot lose its symmetry or become indefinite, and the rows may come in any
order: the answer is that of least squares over all of them at once.

    filter = Filter.start(columns=52, forgetting=Forgetting.over(seconds=600.0))
    for each sample:
        filter = filter.update(rows, right, sd, t_s)      # a new filter; the old one stays as it was
    filter.values, filter.covariance

With forgetting, information fades exponentially: the filter follows parameters that change, as those of a satellite
do when its tanks are filled, and pays with the data that it forgets. `Recursive` is the same as an estimator: it runs
a filter through the rows of a problem in the order of their times. It equals least squares to 1e-9 where nothing is
forgotten, and beats it where parameters change during a flight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, read_only
from freefloat.errors import ShapeError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.recursive_kernel import absorb
from freefloat.estimate.linear.solution import solution_of
from freefloat.estimate.linear.system import LinearFit, LinearSystem, plain_roots
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import COUNTS, Equations


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Share of the information that is left after each row, and after each second; one forgets nothing."""

    per_row: float = 1.0
    per_second: float = 1.0

    def __post_init__(self) -> None:
        for name in ("per_row", "per_second"):
            share = getattr(self, name)
            if not 0.0 < share <= 1.0:
                raise InvalidProblem(f"forgetting {name} is {share}; allowed: more than 0, at most 1")

    @classmethod
    def over(cls, *, rows: float = math.inf, seconds: float = math.inf) -> Forgetting:
        """Forgetting with a memory of this length: older information counts less than 1/e."""
        for name, length in (("rows", rows), ("seconds", seconds)):
            if not length > 0.0:
                raise InvalidProblem(f"a memory of {length} {name} is too short; allowed: more than 0")
        return cls(math.exp(-1.0 / rows), math.exp(-1.0 / seconds))

    def left(self, passed_s: Array) -> Array:
        """Share left of what there was before, then of each row, after m rows, shape (m + 1,).

        passed_s: time that passes before each row, shape (m,).
        """
        return np.append(np.cumprod(self.keep(passed_s)[::-1])[::-1], 1.0)

    def keep(self, passed_s: Array) -> Array:
        """Share left of all that came before when each row comes, shape (m,)."""
        return self.per_row * self.per_second**passed_s


@dataclass(frozen=True, eq=False)
class Filter:
    """All that is remembered: a triangle of one size however many rows have come.

    triangle: [R z; 0 e], shape (n + 1, n + 1). rows: how many have come; weight: how many of them are remembered.
    t_s: time of the last row [s], None before any or if rows come without times.
    """

    triangle: Array
    forgetting: Forgetting = field(default_factory=Forgetting)
    rows: int = 0
    weight: float = 0.0
    t_s: float | None = None

    @classmethod
    def start(cls, columns: int, forgetting: Forgetting | None = None) -> Filter:
        """A filter that knows nothing yet of so many unknowns."""
        return cls(read_only(np.zeros((columns + 1, columns + 1))), forgetting or Forgetting())

    def update(self, rows: ArrayLike, right: ArrayLike, sd: ArrayLike = 1.0, t_s: ArrayLike | None = None) -> Filter:
        """The filter after rows x = right + noise.

        rows: shape (n,) or (m, n). right: shape () or (m,). sd: of the noise of each row, shape () or (m,).
        t_s: time of each row, shape () or (m,) [s]; needed if information fades with time.
        """
        matrix = read_only(np.atleast_2d(np.asarray(rows, float)))
        m, n = matrix.shape[0], self.columns
        if matrix.shape != (m, n):
            raise ShapeError(f"rows must have shape ({n},) or (m, {n}) for {n} unknowns, found {np.shape(rows)}")
        b, spread = _one_each("right", right, m), _one_each("sd", sd, m)
        if not ((spread > 0.0) & np.isfinite(spread)).all():
            raise InvalidProblem("standard deviations of rows must be finite and more than zero")
        passed, last = self._passed(m, t_s)
        triangle = np.array(self.triangle)
        bad = absorb(triangle, matrix, b, spread, read_only(self.forgetting.keep(passed)))
        if bad >= 0:
            raise InvalidProblem(f"row {bad} holds a number that is not finite; leave such rows out")
        if not np.isfinite(triangle).all():
            raise InvalidProblem("rows are too large for their squares to be numbers; use other units")
        left = self.forgetting.left(passed)
        weight = float(self.weight * left[0] + left[1:].sum())
        return Filter(read_only(triangle), self.forgetting, self.rows + m, weight, last)

    def _passed(self, m: int, t_s: ArrayLike | None) -> tuple[Array, float | None]:
        """Time that passes before each row, shape (m,), and the time of the last [s]."""
        if t_s is None:
            if self.forgetting.per_second < 1.0:
                raise InvalidProblem("this filter forgets with time: each row needs its time `t_s`")
            return np.zeros(m), self.t_s
        times = _one_each("t_s", t_s, m)
        before = times[:1] if self.t_s is None else np.array([self.t_s])
        passed = np.diff(times, prepend=before)
        if not (passed >= 0.0).all():
            raise InvalidProblem("times of rows must be finite and must not go back")
        return passed, float(times[-1]) if m else self.t_s

    # ------------------------------------------------------------------ what it says

    @property
    def columns(self) -> int:
        """Number of unknowns."""
        return int(self.triangle.shape[0]) - 1

    @property
    def R(self) -> Array:
        """Square root of the information, upper triangular, shape (n, n); row signs are a matter of chance."""
        return self.triangle[:-1, :-1]

    @property
    def z(self) -> Array:
        """R times the values, shape (n,)."""
        return self.triangle[:-1, -1]

    @cached_property
    def rank(self) -> int:
        """How many directions of the unknowns the rows have shown."""
        size = np.linalg.norm(self.R, axis=0)
        if not size.any():
            return 0
        singular = scipy.linalg.svdvals(self.R / np.where(size > 0.0, size, 1.0))
        return int((singular > COUNTS * singular[0]).sum())

    @cached_property
    def values(self) -> Array:
        """Least-squares values of the unknowns, shape (n,)."""
        self._check_rank()
        return np.asarray(scipy.linalg.solve_triangular(self.R, self.z))

    @cached_property
    def covariance(self) -> Array:
        """Covariance of the values for rows with the given standard deviations, shape (n, n).

        With forgetting, of values that may have changed meanwhile: for such as did not, the true variance is down
        to half of it.
        """
        self._check_rank()
        root = scipy.linalg.solve_triangular(self.R, np.eye(self.columns))
        return np.asarray(root @ root.T)

    @property
    def ratio(self) -> float:
        """Root mean square of the remembered weighted residuals; NaN unless more rows than unknowns are remembered."""
        spare = self.weight - self.columns
        return float(abs(self.triangle[-1, -1]) / math.sqrt(spare)) if spare > 0.0 else math.nan

    def _check_rank(self) -> None:
        if self.rank < self.columns:
            raise InvalidProblem(
                f"the rows that are remembered show {self.rank} of {self.columns} unknowns; allowed: all of them, by "
                "more rows, a longer memory, or values assumed to begin with"
            )


@dataclass(frozen=True)
class Recursive(Estimator):
    """A square-root information filter run through the rows in the order of their times."""

    name: ClassVar[str] = "recursive"

    forgetting: Forgetting = field(default_factory=Forgetting)

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters as they are at the end of the last flight, as far as the filter's memory reaches."""
        equations = problem.equations()
        system = LinearSystem.of(equations, plain_roots(equations))
        order, passed = time_order(equations)
        started = Filter.start(system.F.shape[1], self.forgetting)
        run = started.update(system.F[order], system.g[order, 0], 1.0, np.cumsum(passed))
        share = np.empty(order.size)
        share[order] = self.forgetting.left(passed)[1:]
        half = scipy.linalg.solve_triangular(run.R, system.F.T, trans="T")
        gain = share[:, None] * scipy.linalg.solve_triangular(run.R, half).T
        fit = LinearFit(np.column_stack([run.values, gain.T @ system.g[:, 1:]]), gain)
        solution = solution_of(system, fit, biased=True, notes=self._notes(run))
        return linear_estimate(problem, equations, self.name, solution)

    def _notes(self, run: Filter) -> tuple[str, ...]:
        if self.forgetting == Forgetting():
            return ()
        return (
            f"of {run.rows} rows {run.weight:.0f} are remembered; intervals hold the noise in those, not what changed "
            "meanwhile, while the residual is that of all rows",
        )


def time_order(equations: Equations) -> tuple[NDArray[np.int64], Array]:
    """Numbers of the rows flight after flight and by time within each, and the time that passes before each row [s].

    Between flights passes what their clocks say, and nothing if the later one's begins anew.
    """
    flights = np.concatenate([np.full(block.rows.stop - block.rows.start, block.flight) for block in equations.blocks])
    times = [np.repeat(equations.stacks[block.flight].flight.t, block.per_sample) for block in equations.blocks]
    t = np.concatenate(times)
    order = np.lexsort((t, flights))
    return order, np.maximum(np.diff(t[order], prepend=t[order[0]]), 0.0)


def _one_each(name: str, values: ArrayLike, m: int) -> Array:
    """One value for each row, shape (m,), from one for all or one for each."""
    array = np.asarray(values, float)
    if array.shape not in ((), (m,)):
        raise ShapeError(f"{name} must have shape () or ({m},), found {array.shape}")
    return read_only(np.broadcast_to(array, (m,)))
