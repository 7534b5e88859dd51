"""What errors of the right-hand side and of the regressor do to a least-squares solution, and how far they can move it.

The rows of a motion, Y = W X, are perturbed and solved again. In 2-norms, to first order in the perturbations and
exactly for as many rows as unknowns,

    |dX| <= cond(W) ( |X| |dY| / |Y| + |X + dX| |dW| / |W| )

which for dW = 0 is eq. 12, and for dY = 0 eq. 13, of M. Gautier, W. Khalil, "Exciting trajectories for the
identification of base inertial parameters of robots", International Journal of Robotics Research, 1992. Their noise
is normal: a level k is four standard deviations of the right-hand side over its largest entry, and of positions and
rates over the ranges that joints have for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError
from freefloat.excitation.rows.rows import ModelDesignRows
from freefloat.frozen import Content
from freefloat.models.names import ModelName

What = Literal["right", "regressor", "both"]
WHATS: tuple[What, ...] = ("right", "regressor", "both")
PER_LEVEL = 0.25  # standard deviation over what it is relative to, for a level of one
_NOTHING = 1e-9  # of what rows could measure: a right-hand side that is smaller is rounding


class NothingMeasured(FreefloatError):
    """Rows whose right-hand side is zero, of which no perturbation is a part."""


@dataclass(frozen=True, eq=False)
class Perturbation(Content):
    """Least squares under perturbations of one size, by draw: arrays of shape (draws,).

    what: is perturbed, the right-hand side, the regressor or both. level: of the noise, as above.
    right: |dY| / |Y|. regressor: |dW| / |W|. error: |dX| / |X|. bound: the largest that error can be.
    condition_numbers: of W. perturbed_condition_numbers: of W + dW.
    """

    what: What
    level: float
    right: Array
    regressor: Array
    error: Array
    bound: Array
    condition_numbers: Array
    perturbed_condition_numbers: Array

    @property
    def kept(self) -> float:
        """Share of draws whose error is within its bound; of more rows than unknowns it is so to first order only."""
        return float(np.mean(self.error <= self.bound * (1.0 + 1e-9)))


@dataclass(frozen=True, eq=False)
class Perturbations(Content):
    """What perturbations do to the estimate of a motion.

    model: whose rows these are. rows, unknowns: their numbers. condition_number, equilibrium: of the regressor.
    entries: for what is perturbed, level by level.
    """

    model: ModelName
    rows: int
    unknowns: int
    condition_number: float
    equilibrium: float
    entries: tuple[Perturbation, ...]

    def document(self) -> dict[str, Any]:
        """As plain data: of each entry the median over the draws, and the error that 95 % of them keep."""
        return {
            "model": self.model,
            "rows": self.rows,
            "unknowns": self.unknowns,
            "condition_number": self.condition_number,
            "equilibrium": self.equilibrium,
            "entries": [
                {
                    "perturbed": each.what,
                    "level": each.level,
                    "right": float(np.median(each.right)),
                    "regressor": float(np.median(each.regressor)),
                    "error": float(np.median(each.error)),
                    "error_of_95_percent": float(np.quantile(each.error, 0.95)),
                    "bound": float(np.median(each.bound)),
                    "perturbed_condition_number": float(np.median(each.perturbed_condition_numbers)),
                    "within_bound": each.kept,
                }
                for each in self.entries
            ],
        }


def perturbation(
    rows: ModelDesignRows, states: Sequence[Samples], spread: Array, what: What, level: float, seed: int = 0
) -> Perturbation:
    """What perturbations of one level do to the rows of some states.

    states: the motion, a draw for each; rows are filled with it. spread: what noise of positions, of rates and, if
        there is a third row, of accelerations is relative to, shape (2 or 3, joints) [rad or m, per s, per s^2].
    """
    sd, rng, found = PER_LEVEL * level, np.random.default_rng(seed), []
    filled = {id(state): state for state in states}  # a motion that is drawn for often is filled once
    plain = {key: _Rows.of(rows, state) for key, state in filled.items()}
    for state in states:
        exact = plain[id(state)]
        dY = sd * np.abs(exact.Y).max() * rng.normal(size=exact.Y.size)
        noise = sd * spread[:, None] * rng.normal(size=(len(spread), *state.q.shape))
        W = exact.W if what == "right" else rows.fill(_moved(state, noise)).matrix
        found.append(exact.solved_with(W, np.zeros_like(dY) if what == "regressor" else dY))
    return Perturbation(what, level, *np.array(found).T)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows without noise: Y = W X, and the singular values of W, descending."""

    W: Array
    X: Array
    Y: Array
    sigma: Array

    @classmethod
    def of(cls, rows: ModelDesignRows, state: Samples) -> _Rows:
        W, X = rows.fill(state).matrix, rows.values
        Y, sigma = W @ X, np.asarray(np.linalg.svd(W, compute_uv=False), float)
        if not np.linalg.norm(Y) > _NOTHING * sigma[0] * np.linalg.norm(X):
            raise NothingMeasured(
                "the right-hand side of these rows is zero, so that no perturbation is a part of it; allowed: energy "
                "or torque rows, or momentum with something declared known"
            )
        return cls(W, X, Y, sigma)

    def solved_with(self, W: Array, dY: Array) -> tuple[float, ...]:
        """The numbers of one draw, in the order of `Perturbation`."""
        dX = np.linalg.lstsq(W, self.Y + dY)[0] - self.X
        sigma = np.linalg.svd(W, compute_uv=False)
        size, condition_number = np.linalg.norm(self.X), self.sigma[0] / self.sigma[-1]
        right = np.linalg.norm(dY) / np.linalg.norm(self.Y)
        regressor = np.linalg.norm(W - self.W, 2) / self.sigma[0]
        bound = condition_number * (right + regressor * np.linalg.norm(self.X + dX) / size)
        found = right, regressor, np.linalg.norm(dX) / size, bound, condition_number, sigma[0] / sigma[-1]
        return tuple(map(float, found))


def _moved(state: Samples, noise: Array) -> Samples:
    names = ("q", "dq", "ddq")[: len(noise)]
    return replace(state, **{name: state.need(name, "noise") + each for name, each in zip(names, noise, strict=True)})
