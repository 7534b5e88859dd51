"""The weighted rows in the seen part of the unknowns, and how they are solved.

Solutions are written with orthogonal factors F = Q R of the weighted matrix, never with F^T F, whose condition
number is the square of F's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.estimate.linear.rate_noise import rate_noise
from freefloat.estimate.linear.seen_space import SeenSpace, seen_space, weighted
from freefloat.estimate.rows.equations import Equations
from freefloat.estimate.rows.flight_stack import whitening


@dataclass(frozen=True, slots=True, eq=False)
class LinearFit:
    """A solution that is linear in the rows' errors.

    z: of the seen unknowns, then its derivative by each uncertain known value, shape (s, 1 + known).
    gain: z moves by gain^T times errors of the weighted rows, shape (all rows, s).
    """

    z: Array
    gain: Array


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """F z = g.

    roots: weights of the rows, W = root^T root, shape (n or 1, rows, rows), one a flight.
    found_noise: `rate_noise` of these weights, where it is known already.
    """

    equations: Equations
    space: SeenSpace
    roots: tuple[Array, ...]
    found_noise: Array | None = None

    @classmethod
    def of(cls, equations: Equations, roots: Sequence[Array]) -> LinearSystem:
        """The system in what these rows show."""
        u = equations.matrix.shape[1]
        noise = rate_noise(equations, roots) if _noise_in_columns(equations) else None
        shown = seen_space(equations, roots, None if noise is None else noise[:u, :u])
        return cls(equations, shown, tuple(roots), noise)

    def reweighted(self, roots: Sequence[Array]) -> LinearSystem:
        """The same unknowns with other weights."""
        return LinearSystem(self.equations, self.space, tuple(roots))

    @cached_property
    def noise(self) -> Array | None:
        """What `rate_noise` says of these weights; None if the noise in the columns is not known."""
        if self.found_noise is not None or not _noise_in_columns(self.equations):
            return self.found_noise
        return rate_noise(self.equations, self.roots)

    @cached_property
    def F(self) -> Array:
        """Weighted matrix, shape (all rows, s)."""
        return self.on_basis([stack.matrix for stack in self.equations.stacks])

    @cached_property
    def g(self) -> Array:
        """Weighted right-hand side less that of the origin, and its derivatives, shape (all rows, 1 + known)."""
        parts = []
        for stack in self.equations.stacks:
            right = stack.right.copy()
            right[..., 0] -= stack.matrix @ self.space.origin
            parts.append(right)
        return weighted(self.equations, self.roots, parts)

    def on_basis(self, parts: Sequence[Array]) -> Array:
        """Columns of all unknowns (n, rows, u), one array a flight, weighted, in the seen ones, (all rows, s)."""
        return weighted(self.equations, self.roots, parts) @ self.space.basis

    @cached_property
    def factors(self) -> tuple[Array, Array]:
        """Q, shape (all rows, s), and R, shape (s, s)."""
        Q, R = scipy.linalg.qr(self.F, mode="economic")
        return Q, R

    # ------------------------------------------------------------------ solutions

    def least_squares(self) -> LinearFit:
        """Smallest sum of squares."""
        Q, R = self.factors
        return LinearFit(_back(R, Q.T @ self.g), _back(R, Q.T).T)

    def compensated(self, noise: Array) -> LinearFit:
        """Least squares less what `noise`, as of `rate_noise` with the same weights, adds to its products."""
        (Q, R), basis = self.factors, self.space.basis
        u = basis.shape[0]
        on_matrix = _forward(R, _forward(R, basis.T @ noise[:u, :u] @ basis).T)
        cross = noise[:u, u:].copy()
        cross[:, 0] -= noise[:u, :u] @ self.space.origin
        left = np.eye(R.shape[0]) - 0.5 * (on_matrix + on_matrix.T)
        y = np.linalg.solve(left, Q.T @ self.g - _forward(R, basis.T @ cross))
        return LinearFit(_back(R, y), _back(R, np.linalg.solve(left, Q.T)).T)

    def instrumental(self, Z: Array) -> LinearFit:
        """The solution of Z^T F z = Z^T g for instruments Z, shape (all rows, s)."""
        Q, R = self.factors
        P = scipy.linalg.qr(Z, mode="economic")[0]
        y = np.linalg.solve(P.T @ Q, P.T @ self.g)
        return LinearFit(_back(R, y), _back(R, np.linalg.solve(P.T @ Q, P.T)).T)


def _noise_in_columns(equations: Equations) -> bool:
    return equations.noise_known and all(stack.rate_linear for stack in equations.stacks)


def plain_roots(equations: Equations) -> tuple[Array, ...]:
    """One weight a model, by the size of its errors: its rows count alike, but for those that are in doubt."""
    roots = []
    for stack in equations.stacks:
        weight = np.ones(len(stack.labels))
        for number, source in enumerate(stack.sources):
            sds = [equations.sd[block.rows] for block in equations.blocks if block.model == source.name]
            mean = np.sqrt(np.mean(np.concatenate(sds) ** 2))
            weight[stack.starts[number] : stack.starts[number + 1]] = 1.0 / mean
        roots.append(np.eye(weight.size) * once(weight / stack.doubt)[..., None])
    return tuple(roots)


def once(weights: Array) -> Array:
    """Weights of the rows, (n, rows), or (1, rows) where they are the same in all samples."""
    return weights[:1] if (weights == weights[:1]).all() else weights


def roots_at(equations: Equations, x: Array) -> tuple[Array, ...]:
    """Weights by the sensors' noise at the unknowns x; flights without known noise count as in `plain_roots`."""
    plain = plain_roots(equations)
    pairs = zip(equations.stacks, plain, strict=True)
    return tuple(whitening(stack.errors(x)) if stack.noise_known else root for stack, root in pairs)


def _back(R: Array, right: ArrayLike) -> Array:
    return np.asarray(scipy.linalg.solve_triangular(R, right))


def _forward(R: Array, right: ArrayLike) -> Array:
    return np.asarray(scipy.linalg.solve_triangular(R, right, trans="T"))
