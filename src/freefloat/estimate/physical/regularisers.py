"""How far bodies are from those of a CAD model, and what that counts against the data.

With J0 the pseudo-inertia of a body in the CAD model, J another one, and s the relative spread of its mass:

- euclidean: |x|^2, x the difference of the standard parameters in units of the CAD model's spread;
- entropic: sum_b (tr(J0^-1 J) - log det(J0^-1 J) - 4) / (2 s^2), the Bregman divergence of the log-determinant, which
  is the same in all frames and units and grows without bound as a body becomes one that cannot exist;
- pull-back: sum_b tr((J0^-1 (J - J0))^2) / (4 s^2), that divergence to second order: the metric at J0 that no change of
  frame or unit alters, held constant.

Divided so, the last two give one, as the first does, for a body of which all is a quarter of a spread heavier in each
of the four directions of its pseudo-inertia. After T. Lee, P. M. Wensing, F. C. Park, "Geometric robot dynamic
identification: a convex programming approach", IEEE Transactions on Robotics 36, 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FreefloatError
from freefloat.estimate.physical.bounds import Bound
from freefloat.estimate.physical.cone_program import Entropy, minimise
from freefloat.estimate.physical.pseudo_inertia_program import Cones, Coordinates
from freefloat.robot.parameters import PER_BODY

Regulariser = Literal["euclidean", "entropic", "pull-back"]
_FLATTEST = 1e-4  # of a scaled pseudo-inertia: a CAD model's sheets and points count as this thick


class InvalidTradeOff(FreefloatError):
    """A setting of the trade-off between data and CAD model that makes no sense."""


@dataclass(frozen=True)
class TradeOff:
    """What bodies near the CAD model are worth against the data.

    regulariser: how the distance from the CAD model is measured. weight: of its square against the squares of what is
    left of the data, in units of their errors; zero where the CAD model decides only what the data leave open.
    mass_factor: by which masses differ from the CAD model's at most, where the data allow it; None for any.
    total_mass: of all bodies [kg], or its bounds, None for an open end.
    inside: shapes, in the frames of moving bodies, that these do not reach out of.
    """

    regulariser: Regulariser = "euclidean"
    weight: float = 1.0
    mass_factor: float | None = 2.0
    total_mass: float | tuple[float | None, float | None] | None = None
    inside: Mapping[str, Bound] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.regulariser not in get_args(Regulariser):
            raise InvalidTradeOff(f"regulariser is {self.regulariser!r}; allowed: {', '.join(get_args(Regulariser))}")
        if not (np.isfinite(self.weight) and self.weight >= 0.0):
            raise InvalidTradeOff(f"weight is {self.weight}; allowed: zero or a positive number")
        if self.mass_factor is not None and not self.mass_factor > 1.0:
            raise InvalidTradeOff(f"mass_factor is {self.mass_factor}; allowed: more than one")
        low, high = self.mass_bounds
        if not (low < high or low == high > 0.0) or high <= 0.0 or np.isnan([low, high]).any():
            raise InvalidTradeOff(
                f"total_mass is {self.total_mass}; allowed: a positive mass, or the lower bound first"
            )

    @property
    def mass_bounds(self) -> tuple[float, float]:
        """Least and greatest total mass [kg]; the same where it is known."""
        if self.total_mass is None:
            return 0.0, np.inf
        if isinstance(self.total_mass, tuple):
            low, high = self.total_mass
            return (0.0 if low is None else float(low)), (np.inf if high is None else float(high))
        return float(self.total_mass), float(self.total_mass)


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """The square of a distance from the CAD model, as a function of x.

    regulariser: which. cones: the bodies. own: how many entries of x are parameters, the first ones.
    trust: relative spread of each body's mass, shape (b,).
    """

    regulariser: Regulariser
    cones: Cones
    own: int
    trust: Array

    def squared(self, x: Array) -> float:
        """Its value."""
        if self.regulariser == "entropic":
            scaled = self._whitened(self.cones.offset + self.cones.slope @ x)
            divergence = np.trace(scaled, axis1=1, axis2=2) - np.linalg.slogdet(scaled)[1] - 4.0
            return float((divergence / (2.0 * self.trust**2)).sum())
        rows, right = self.rows(1.0, x.size)
        return float(((rows @ x - right) ** 2).sum())

    def nearest(self, B: Array, b: Array, weight: float, cones: Cones) -> Array | None:
        """The x in these cones of the least |B x - b|^2 + weight squared(x); None if there is none."""
        if self.regulariser == "entropic":
            inverse = np.asarray(np.linalg.inv(self._about), float)
            return minimise(B, b, cones, Entropy(weight / (2.0 * self.trust**2), inverse))
        rows, right = self.rows(weight, B.shape[1])
        return minimise(np.vstack([B, rows]), np.concatenate([b, right]), cones)

    def rows(self, weight: float, count: int) -> tuple[Array, Array]:
        """Rows and right hand side whose squares are the weighted square, for x with so many entries."""
        if self.regulariser == "euclidean":
            return np.sqrt(weight) * np.eye(self.own, count), np.zeros(self.own)
        slope = np.moveaxis(self._whitened(np.moveaxis(self.cones.slope, 3, 0)), 0, 3)
        offset = self._whitened(self._about - self.cones.offset)
        factor = np.sqrt(weight) / (2.0 * self.trust[:, None, None])
        return (factor[..., None] * slope).reshape(-1, count), (factor * offset).ravel()

    @property
    def _about(self) -> Array:
        """Scaled pseudo-inertias of the CAD model, or the nearest that can exist, shape (b, 4, 4)."""
        values, vectors = np.linalg.eigh(self.cones.offset)
        thick = np.maximum(values, _FLATTEST * np.maximum(values[:, -1:], 1.0))
        return np.asarray((vectors * thick[:, None, :]) @ vectors.swapaxes(1, 2))

    def _whitened(self, matrices: Array) -> Array:
        """In coordinates in which the CAD model's pseudo-inertias are the identity, (..., b, 4, 4)."""
        inverse = np.linalg.inv(np.linalg.cholesky(self._about))
        return np.asarray(inverse @ matrices @ inverse.swapaxes(1, 2))


def relative_spread(covariance: Array, mass: Array) -> Array:
    """Of the masses of bodies, (b,): their covariance (10 bodies, 10 bodies), and what each weighs [kg]."""
    return np.sqrt(np.diagonal(covariance)[::PER_BODY]) / mass


# ---------------------------------------------------------------------- masses


def with_masses(cones: Cones, coordinates: Coordinates, asked: TradeOff) -> Cones:
    """Cones with what is known of the total mass."""
    low, high = asked.mass_bounds
    total = coordinates.origin[::PER_BODY].sum(keepdims=True)
    slope = coordinates.root[::PER_BODY].sum(axis=0, keepdims=True)
    if low == high:
        return cones.with_gap(total / low - 1.0, slope / low)
    if low > 0.0:
        cones = cones.with_room(total / low - 1.0, slope / low)
    if np.isfinite(high):
        cones = cones.with_room(1.0 - total / high, -slope / high)
    return cones


def mass_rows(coordinates: Coordinates, factor: float, bodies: Sequence[int]) -> tuple[Array, Array]:
    """Rows of room + slope x >= 0: masses within a factor of those at x = 0, of bodies that have any there."""
    mass = coordinates.origin[::PER_BODY]
    places = [body for body in bodies if mass[body] > 0.0]
    slope = coordinates.root[::PER_BODY][places] / mass[places, None]
    some = np.ones(len(places))
    return np.concatenate([(1.0 - 1.0 / factor) * some, (factor - 1.0) * some]), np.vstack([slope, -slope])


def nothing_fits(asked: TradeOff, mass_factor: float | None = None) -> str:
    """A sentence on what no bodies that can exist fulfil at once."""
    low, high = asked.mass_bounds
    said = ["every body can exist"]
    if asked.total_mass is not None:
        said.append(f"the total mass is {f'{low:g} kg' if low == high else f'from {low:g} to {high:g} kg'}")
    if mass_factor is not None:
        said.append(f"masses are within a factor of {mass_factor:g} of the CAD model's")
    if asked.inside:
        said.append(
            f"{', '.join(asked.inside)} {'stays' if len(asked.inside) == 1 else 'stay'} inside the given shapes"
        )
    return f"no bodies were found of which all of this is so: {'; '.join(said)}; allowed: bounds that some bodies meet"
