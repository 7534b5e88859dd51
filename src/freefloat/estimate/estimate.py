"""The estimate: values with covariance, what the intervals are made of, and how far to trust them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from freefloat.arrays import Array
from freefloat.files import FilePath
from freefloat.frozen import Content, FrozenMapping
from freefloat.models.minimal import MinimalParameters
from freefloat.robot.model import Robot

Outcome = Literal["good", "doubtful", "failed"]
_TOUCHED = 1e-6


@dataclass(frozen=True, slots=True)
class Quantity:
    """A nuisance that was estimated beside the parameters. sd: infinite if the data say nothing of it."""

    name: str
    value: float
    sd: float
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Residual(Content):
    """What the model leaves unexplained.

    ratio: root mean square of the weighted residual; one if the sensors are as good as they say. NaN if their
        noise is not known.
    white: whether no octave of frequency holds more than noise does; None if it was not tested.
    rows, unknowns: of the fit. by_channel: ratio of each measured channel.
    """

    ratio: float
    white: bool | None
    rows: int
    unknowns: int
    by_channel: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_channel", FrozenMapping(dict(self.by_channel)))


@dataclass(frozen=True, slots=True, eq=False)
class Budget(Content):
    """Where the variance of each cluster comes from.

    sources: `noise`, nuisances, known values by name, `prior`. shares: parts of the variance, (clusters, sources),
    each row sums to one.
    """

    sources: tuple[str, ...]
    shares: Array

    def of(self, cluster: int, least: float = 0.05) -> tuple[tuple[str, float], ...]:
        """Sources of a cluster's variance, the largest first, as far as they make up `least` of it."""
        order = np.argsort(-self.shares[cluster])
        return tuple(
            (self.sources[k], float(self.shares[cluster, k])) for k in order if self.shares[cluster, k] > least
        )


@dataclass(frozen=True, eq=False)
class Estimate(Content):
    """What was found.

    method: name of the estimator. model: whose clusters the values are, such as `momentum` (clusters of standard
        parameters) or `angular-momentum` (those about the centre of mass).
    robot, known, zero: what was given: the robot with its CAD values, known parameters with relative standard
        deviations, parameters declared zero.
    minimal: the clusters. values, covariance: shape (c,), (c, c) [SI].
    cad: values of the same clusters in the CAD model.
    unseen: directions (orthonormal in units of the CAD model's spread) that the data do not show and that were
        held at the CAD model, shape (k, c). held: what they are, in words.
    warnings: sentences that ask for a decision, with advice; notes: those that do not.
    origin: versions, hashes of inputs, seeds, settings.
    """

    method: str
    model: str
    robot: Robot
    known: Mapping[str, float]
    zero: tuple[str, ...]
    minimal: MinimalParameters
    values: Array
    covariance: Array
    cad: Array
    residual: Residual
    budget: Budget | None = None
    nuisances: tuple[Quantity, ...] = ()
    unseen: Array = field(default_factory=lambda: np.zeros((0, 0)))
    held: tuple[str, ...] = ()
    outcome: Outcome = "good"
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origin: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", FrozenMapping(dict(self.known)))
        object.__setattr__(self, "origin", FrozenMapping(dict(self.origin)))
        covariance = np.array(self.covariance, float)
        object.__setattr__(self, "covariance", 0.5 * (covariance + covariance.T))
        if not self.unseen.size:
            object.__setattr__(self, "unseen", np.zeros((0, len(self.minimal))))

    def __repr__(self) -> str:
        return f"<Estimate of {self.robot.name} by {self.method}: {len(self.values)} clusters, {self.outcome}>"

    def __str__(self) -> str:
        """A line for each cluster: value, 95 %, unit, the CAD model's value; then what is to be said."""
        from freefloat.models.names import cluster_unit, cluster_words

        half, width = norm.isf(0.025) * self.sd, max(len(name) for name in self.names) + 4
        columns = zip(self.names, self.formulas, self.values, half, self.cad, strict=True)
        lines = [
            f" {cluster_words(name, formula):<{width}} {value:>11.5g} ± {error:<9.2g} "
            f"{cluster_unit(name):<6} CAD {cad:.5g}"
            for name, formula, value, error, cad in columns
        ]
        head = f"{self.robot.name}  {self.method} · {len(half)} clusters of {self.model} · {self.outcome}"
        residual = f" residual {self.residual.ratio:.2f} × sensor noise"
        return "\n".join([head, *lines, residual, *(f" ! {sentence}" for sentence in self.warnings)])

    @property
    def names(self) -> tuple[str, ...]:
        """Short name of each cluster: that of its leading parameter."""
        return self.minimal.leaders

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """Each cluster as a formula of standard parameters."""
        return self.minimal.formulas

    @property
    def is_standard(self) -> bool:
        """Whether the clusters are sums of standard parameters, unlike those about the centre of mass."""
        return self.minimal.names == self.robot.parameter_names

    @cached_property
    def sd(self) -> Array:
        """Standard deviations, shape (c,); infinite for clusters that the data leave open.

        What little of a cluster lies in directions that were held at the CAD model counts with that model's spread.
        """
        return np.where(self.open, np.inf, np.hypot(self._seen_sd, self._held_sd))

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        """Clusters of which more is held at the CAD model, by its spread, than the data leave uncertain, shape (c,)."""
        return np.asarray((np.abs(self.unseen).max(axis=0, initial=0.0) > _TOUCHED) & (self._held_sd > self._seen_sd))

    @cached_property
    def _seen_sd(self) -> Array:
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @cached_property
    def _held_sd(self) -> Array:
        """Spread of the CAD model along the unseen directions, shape (c,); infinite where it is not known."""
        length = np.linalg.norm(self.unseen, axis=0)
        if not self.is_standard:
            return np.where(length > _TOUCHED, np.inf, 0.0)
        from freefloat.estimate.estimated_clusters import cad_spread

        return length * cad_spread(self)

    def interval(self, confidence: float = 0.95) -> Array:
        """Lower and upper ends of two-sided intervals, shape (c, 2)."""
        half = norm.isf((1.0 - confidence) / 2.0) * self.sd
        return np.column_stack([self.values - half, self.values + half])

    @cached_property
    def significant(self) -> NDArray[np.bool_]:
        """Clusters that differ from zero by more than their 95 % interval, shape (c,)."""
        return np.asarray(np.abs(self.values) > norm.isf(0.025) * self.sd)

    @cached_property
    def parameters(self) -> Array:
        """Standard parameters that move as the fit does, (10 bodies,): known values at their places, as it has them.

        What was known within a standard deviation is corrected by the data, and values and corrections belong
        together. Only for clusters of standard parameters (not for those about the centre of mass); masses of links
        are part of the base's there: the numbers predict motion, they do not describe bodies.
        """
        from freefloat.robot.selection import select_parameters

        phi = np.zeros(self.robot.parameters.size)
        known = select_parameters(self.robot, self.known)
        phi[known] = self.robot.parameters[known]
        phi[self.minimal.kept] += self.values
        corrected = {quantity.name: quantity.value for quantity in self.nuisances}
        return phi + np.array([corrected.get(f"known {name}", 0.0) for name in self.robot.parameter_names])

    def value(self, name: str) -> tuple[float, float]:
        """Value and standard deviation of a cluster or nuisance, by its short name."""
        if name in self.names:
            place = self.names.index(name)
            return float(self.values[place]), float(self.sd[place])
        found = {quantity.name: (quantity.value, quantity.sd) for quantity in self.nuisances}
        if name not in found:
            raise KeyError(name)
        return found[name]

    def transformed(self, jacobian: ArrayLike) -> Array:
        """Covariance of quantities whose derivatives by the clusters are given, shape (m, c) -> (m, m)."""
        J = np.asarray(jacobian, float)
        return J @ self.covariance @ J.T

    def save(self, path: FilePath) -> None:
        """Write an estimate file, JSON, whole or not at all; `load_estimate` reads it back."""
        from freefloat.estimate.estimate_file import save_estimate

        save_estimate(self, path)
