"""From a fit of a linear system to the solution of the equations, with its covariance."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.linear.blocks import beyond_noise
from freefloat.estimate.linear.system import LinearFit, LinearSystem
from freefloat.estimate.rows.equations import Equations, by_flight


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The unknowns of stacked equations, found in whatever way.

    x: clusters, then nuisances, shape (u,). covariance: by the sensors' noise alone, shape (u, u).
    by_known: derivative of x by each known value that has a standard deviation, shape (u, known); none unless given.
    unseen: directions held at the CAD model, as in `Estimate`, shape (k, clusters).
    held_sd: by how much nuisances go along with these, shape (nuisances,), as in `SeenSpace`; none unless given.
    bias: what noise in the rows' own columns is expected to have done to x, shape (u,); None if not known.
    beyond_noise: covariance of x that blocks of time show beyond that, shape (u, u); None if it was not looked at.
    warnings, notes: further sentences.
    """

    x: Array
    covariance: Array
    by_known: Array | None = None
    unseen: Array = field(default_factory=lambda: np.zeros((0, 0)))
    held_sd: Array = field(default_factory=lambda: np.zeros(0))
    bias: Array | None = None
    beyond_noise: Array | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def solution_of(
    system: LinearSystem,
    fit: LinearFit,
    biased: bool,
    warnings: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Solution:
    """The solution, its covariance by the sensors' noise, or by the residuals where that is not known.

    biased: whether noise in the columns moves this fit, so that it should be said by how much.
    """
    space = system.space
    x = space.at(fit.z[:, 0])
    spread = covariance_of_errors(system, fit, x)
    covariance = space.basis @ spread @ space.basis.T
    return Solution(
        x=x,
        covariance=covariance,
        by_known=space.basis @ fit.z[:, 1:],
        unseen=space.unseen,
        held_sd=space.held_sd,
        bias=_bias(system, fit, x) if biased else None,
        beyond_noise=beyond_noise(system, x, covariance),
        warnings=warnings,
        notes=notes,
    )


def covariance_of_errors(system: LinearSystem, fit: LinearFit, x: Array) -> Array:
    """Covariance of z by what the rows err at x, shape (s, s)."""
    equations = system.equations
    gains = by_flight(equations.stacks, fit.gain)
    total = np.zeros((fit.z.shape[0], fit.z.shape[0]))
    sizes = _residual_sizes(equations, x, fit.z.shape[0])
    for stack, root, gain in zip(equations.stacks, system.roots, gains, strict=True):
        moved = root.transpose(0, 2, 1) @ gain  # by errors of the rows themselves
        if stack.noise_known:
            own, common = stack.own_and_common_errors(x)
            shared = np.einsum(
                "kri,krs->is", common, moved
            )  # in all samples alike: they add up before they are squared
            total += shared.T @ shared
            moved = own.transpose(0, 2, 1) @ moved
        else:
            moved = moved * np.concatenate([np.full(len(s.labels), sizes[s.name]) for s in stack.sources])[:, None]
        flat = moved.reshape(moved.shape[0] * moved.shape[1], moved.shape[2])
        total += flat.T @ flat
    return total


def _residual_sizes(equations: Equations, x: Array, unknowns: int) -> dict[str, float]:
    """Root mean square of each model's residual, with regard to the unknowns that were fitted."""
    rest = equations.matrix @ x - equations.right
    rows = rest.size
    correction = np.sqrt(rows / max(rows - unknowns, 1))
    sizes = {}
    for name in dict.fromkeys(block.model for block in equations.blocks):
        own = np.concatenate([rest[block.rows] for block in equations.blocks if block.model == name])
        sizes[name] = float(np.sqrt(np.mean(own**2)) * correction)
    return sizes


def _bias(system: LinearSystem, fit: LinearFit, x: Array) -> Array | None:
    """What noise of the measured rates is expected to have done to x, shape (u,)."""
    if system.noise is None:
        return None
    basis, u = system.space.basis, x.size
    pulled = system.noise[:u, :u] @ x - system.noise[:u, u]
    return -basis @ (fit.gain.T @ fit.gain) @ (basis.T @ pulled)
