"""The estimate: values with covariance, what the intervals are made of, and how far to trust them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.estimate import estimate_file as file
from freefloat.estimate.cause import Cause
from freefloat.estimate.estimate_parts import (
    TORQUES,
    Budget,
    ChannelResidual,
    NothingKept,
    Outcome,
    Quantity,
    Residual,
    UsedFlight,
    in_percent,
)
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.uncertain import HALF
from freefloat.exact_json import finite_or_none, plain, save_json
from freefloat.files import FilePath
from freefloat.frozen import Content, FrozenMapping
from freefloat.models.minimal import MinimalParameters
from freefloat.models.names import cluster_unit, cluster_words
from freefloat.robot.model import Robot
from freefloat.robot.selection import select_parameters
from freefloat.robot.yaml_read import robot_from_document
from freefloat.robot.yaml_write import robot_document
from freefloat.sensors.torque_sensor import TorqueReading

_RESTS = 0.25  # of a variance: were the CAD model twice as bad as was said, one in six such intervals would miss
_TOUCHED = 1e-6
_TORQUES = (TORQUES, TorqueReading.array)


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
    causes: what explains that the data do not fit; several where they do not tell which of these it is.
    no_interval: why no intervals are stated, such as a bias of the method; empty where they are.
    origin: versions, hashes of inputs, seeds, settings.
    prior: spread of the CAD model that was given, None where the data were to speak alone.
    flights: what it was made from. residuals: what the fit leaves, channel by channel of each flight; of a linear
        method, the rows of its models. Both empty in estimates that freefloat 0.1 saved.
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
    prior: CadSpread | None = None
    flights: tuple[UsedFlight, ...] = ()
    residuals: tuple[ChannelResidual, ...] = ()
    no_interval: str = ""
    causes: tuple[Cause, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", FrozenMapping(dict(self.known)))
        object.__setattr__(self, "origin", FrozenMapping(dict(self.origin)))
        covariance = np.array(self.covariance, float)
        object.__setattr__(self, "covariance", 0.5 * (covariance + covariance.T))
        if not self.unseen.size:
            object.__setattr__(self, "unseen", np.zeros((0, len(self.minimal))))
        self._protect("values", "covariance", "cad", "unseen")

    def __repr__(self) -> str:
        return f"<Estimate of {self.robot.name} by {self.method}: {len(self.values)} clusters, {self.outcome}>"

    def __str__(self) -> str:
        """A line for each cluster: value, 95 %, unit, the CAD model's value; then what is to be said."""
        half, width = HALF * self.sd, max(len(name) for name in self.names) + 4
        columns = zip(self.names, self.formulas, self.values, half, self.cad, strict=True)
        lines = [
            f" {cluster_words(name, formula):<{width}} {value:>11.5g} {_plus_minus(error):<11} "
            f"{cluster_unit(name):<6} CAD {cad:.5g}"
            for name, formula, value, error, cad in columns
        ]
        head = f"{self.robot.name}  {self.method} · {len(half)} clusters of {self.model} · {self.outcome}"
        known = np.isfinite(self.residual.ratio)
        level = f"{self.residual.ratio:.2f} × sensor noise" if known else "of sensors whose noise is not known"
        residual = f" residual {level}{self.signal_words}"
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
        """Standard deviations, shape (c,); infinite for clusters that the data leave open, NaN if none are stated.

        What little of a cluster lies in directions that were held at the CAD model counts with that model's spread.
        """
        if self.no_interval:
            return np.full(self.values.shape, np.nan)
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
        covariance = (self.prior or CadSpread()).of_clusters(self.robot, self.minimal.combine)
        return length * np.sqrt(np.maximum(np.diagonal(covariance), 1e-300))

    @cached_property
    def of_prior(self) -> Array:
        """Part of each cluster's variance that the CAD model's spread makes, shape (c,); zero without a prior."""
        if self.budget is None or "prior" not in self.budget.sources:
            return np.zeros(self.values.shape)
        return self.budget.shares[:, self.budget.sources.index("prior")]

    @property
    def rests_on_prior(self) -> NDArray[np.bool_]:
        """Clusters whose intervals are only as right as what was said of the CAD model, shape (c,)."""
        return np.asarray(self.of_prior > _RESTS)

    def interval(self, confidence: float = 0.95) -> Array:
        """Lower and upper ends of two-sided intervals, shape (c, 2)."""
        half = norm.isf((1.0 - confidence) / 2.0) * self.sd
        return np.column_stack([self.values - half, self.values + half])

    @cached_property
    def significant(self) -> NDArray[np.bool_]:
        """Clusters that differ from zero by more than their 95 % interval, shape (c,)."""
        return np.asarray(np.abs(self.values) > HALF * self.sd)

    @cached_property
    def parameters(self) -> Array:
        """Standard parameters that move as the fit does, (10 bodies,): known values at their places, as it has them.

        What was known within a standard deviation is corrected by the data, and values and corrections belong
        together. Only for clusters of standard parameters (not for those about the centre of mass); masses of links
        are part of the base's there: the numbers predict motion, they do not describe bodies.
        """
        phi = np.zeros(self.robot.parameters.size)
        known = select_parameters(self.robot, self.known)
        phi[known] = self.robot.parameters[known]
        phi[self.minimal.kept] += self.values
        corrected = {quantity.name: quantity.value for quantity in self.nuisances}
        return phi + np.array([corrected.get(f"known {name}", 0.0) for name in self.robot.parameter_names])

    @property
    def of_signal(self) -> float:
        """Root mean square of what is left of a channel over that of its signal, of the worst; NaN if not known."""
        parts = [each.of_signal for each in self.residuals]
        return max((part for part in parts if not np.isnan(part)), default=np.nan)

    @property
    def signal_words(self) -> str:
        """The same in brackets, to stand behind a multiple of noise; empty if it is not known."""
        return "" if np.isnan(self.of_signal) else f" ({in_percent(self.of_signal)} of the signal)"

    @property
    def torque_words(self) -> str:
        """What is left of each joint's torque, in per cent of how much it varies; empty without torques."""
        said = []
        for each in self.residuals:
            if each.channel in _TORQUES and not np.isnan(each.of_each_signal).all():
                parts = zip(each.components, each.of_each_signal, strict=True)
                listed = ", ".join(f"{name} {in_percent(part)}" for name, part in parts if not np.isnan(part))
                where = f" of {each.flight}" if len(self.flights) > 1 else ""
                said.append(f"torques left over{where}: {listed}")
        return "; ".join(said)

    @property
    def torque_left(self) -> Array | None:
        """What is left of each joint's torque, root mean square, shape (joints,) [N m]; None without torques."""
        left = [each.residual for each in self.residuals if each.channel in _TORQUES]
        return np.sqrt((np.concatenate(left) ** 2).mean(axis=0)) if left else None

    @property
    def stated_covariance(self) -> Array:
        """Covariance that intervals are made of, shape (c, c); NaN where none are stated."""
        return np.full_like(self.covariance, np.nan) if self.no_interval else self.covariance

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
        """Covariance of quantities with these derivatives by the clusters, (m, c) -> (m, m); NaN if none is stated."""
        J = np.asarray(jacobian, float)
        return J @ self.stated_covariance @ J.T

    def need_flights(self) -> tuple[UsedFlight, ...]:
        """The flights that it was made from, or one sentence that it does not keep them."""
        if not self.flights:
            raise NothingKept("flights")
        return self.flights

    def need_residuals(self) -> tuple[ChannelResidual, ...]:
        """What the fit leaves, or one sentence that the estimate does not keep it."""
        if not self.residuals:
            raise NothingKept("residuals")
        return self.residuals

    def summary_document(self) -> dict[str, Any]:
        """The estimate as plain data, exact, but for what is long: residuals and the flights' motion."""
        minimal = self.minimal
        return {
            "format": file.FORMAT,
            "method": self.method,
            "model": self.model,
            "outcome": self.outcome,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "origin": dict(self.origin),
            "robot": robot_document(self.robot),
            "known": dict(self.known),
            "zero": list(self.zero),
            "prior": None if self.prior is None else file.prior_document(self.prior),
            "parameters": list(minimal.names),
            "gap": finite_or_none(minimal.gap),
            "clusters": file.cluster_documents(minimal),
            "values": file.row(self.values),
            "covariance": file.rows(self.covariance),
            "cad": file.row(self.cad),
            "residual": file.residual_document(self.residual),
            "budget": None if self.budget is None else file.budget_document(self.budget),
            "nuisances": [file.quantity_document(each) for each in self.nuisances],
            "unseen": file.rows(self.unseen),
            "held": list(self.held),
            "no_interval": self.no_interval or None,
            "causes": plain(self.causes),
        }

    def save(self, path: FilePath) -> None:
        """Write an estimate file, JSON, whole or not at all; `load_estimate` reads it back."""
        flights = [file.flight_document(each) for each in self.flights]
        residuals = [file.channel_document(each) for each in self.residuals]
        save_json(path, {**self.summary_document(), "flights": flights, "residuals": residuals})


def _plus_minus(half: float) -> str:
    return "no interval" if np.isnan(half) else f"± {half:.2g}"


def load_estimate(path: FilePath) -> Estimate:
    """The estimate of an estimate file."""
    section = file.read_section(path)
    robot = robot_from_document(section.robot, path)
    try:
        select_parameters(robot, [*section.known, *section.zero])
        minimal = section.minimal()
        c = len(minimal)
        return Estimate(
            method=section.method,
            model=section.model,
            robot=robot,
            known=section.known,
            zero=tuple(section.zero),
            minimal=minimal,
            values=file.array("values", [section.values], 1, c)[0],
            covariance=file.array("covariance", section.covariance, c, c),
            cad=file.array("cad", [section.cad], 1, c)[0],
            residual=section.residual.made(),
            budget=None if section.budget is None else section.budget.made(c),
            nuisances=tuple(each.made() for each in section.nuisances),
            unseen=file.array("unseen", section.unseen, len(section.unseen), c),
            held=tuple(section.held),
            outcome=section.outcome,
            warnings=tuple(section.warnings),
            notes=tuple(section.notes),
            origin=section.origin,
            prior=section.spread(),
            flights=tuple(each.made() for each in section.flights),
            residuals=tuple(each.made() for each in section.residuals),
            no_interval=section.no_interval or "",
            causes=tuple(each.made() for each in section.causes),
        )
    except FreefloatError as error:
        raise FileError(path, str(error)) from error
