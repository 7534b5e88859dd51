"""The estimate file: `format: freefloat/estimate@1`, JSON, with the robot, what was known, and where it came from.

What the file may say, and its parts as plain data and back; the whole is put together by `Estimate.save` and
`load_estimate`. Numbers are exact: what was saved comes back. JSON knows neither infinity nor "not a number": both are
`null`, as a standard deviation or a gap that is infinite, as any other number one that is not a number. A cluster is
written as what it is made of, parameter by parameter; residuals and motion are packed (`exact_json.packed`).

Files of freefloat 0.1 have the prior among their origin, and neither flights nor residuals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, ValidationError, model_validator

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.errors import FreefloatError
from freefloat.estimate.cause import Cause
from freefloat.estimate.estimate_parts import MOTION, Budget, ChannelResidual, Outcome, Quantity, Residual, UsedFlight
from freefloat.estimate.oscillator import Oscillator
from freefloat.estimate.prior import CadSpread, UnknownBody
from freefloat.exact_json import Extended, PackedSection, finite_or_none, packed, unpacked
from freefloat.files import FilePath, Number, Positive, Section, Vector3, check_format, load_yaml, shown, validate
from freefloat.models.minimal import MinimalParameters

FORMAT = "freefloat/estimate@1"
LIMIT_BYTES = 256 * 2**20  # the covariance of many clusters is long

Row = list[Number | None]


class UnfitParts(FreefloatError):
    """Parts of an estimate that do not fit together."""


# ---------------------------------------------------------------------- arrays


def row(values: Array) -> list[float | None]:
    """Numbers as plain data."""
    return [finite_or_none(value) for value in values.tolist()]


def rows(values: Array) -> list[list[float | None]]:
    """Rows of numbers as plain data."""
    return [row(each) for each in values]


def array(name: str, given: Sequence[Row], count: int, width: int) -> Array:
    """Rows of numbers as an array of this shape; null is not a number."""
    if len(given) != count or any(len(each) != width for each in given):
        found = f"{len(given)} rows of {' or '.join(map(str, sorted({len(each) for each in given}))) or 'no'} numbers"
        raise UnfitParts(f"{name} has {found}; allowed: {count} of {width}")
    return np.array([[_or_nan(number) for number in each] for each in given]).reshape(count, width)


def _or_nan(number: float | None) -> float:
    return math.nan if number is None else number


# ---------------------------------------------------------------------- clusters, and what stands beside them


class ClusterSection(Section):
    """A cluster of parameters."""

    name: str = Field(description="the parameter that stands for it")
    of: dict[str, Number] = Field(description="a mapping of parameters and their weights")

    @model_validator(mode="after")
    def _holds_its_leader(self) -> Self:
        if self.name not in self.of:
            raise ValueError(f"is called {shown(self.name)} but does not hold it; allowed: one of its parameters")
        return self


def cluster_documents(minimal: MinimalParameters) -> list[dict[str, Any]]:
    """Each cluster as plain data; a negative zero is no part of it, but is kept."""
    return [
        {
            "name": leader,
            "of": {
                name: float(weight)
                for name, weight in zip(minimal.names, weights, strict=True)
                if weight or np.signbit(weight)
            },
        }
        for leader, weights in zip(minimal.leaders, minimal.combine, strict=True)
    ]


class ResidualSection(Section):
    """What the model leaves unexplained."""

    ratio: Number | None = Field(description="a number")
    white: bool | None = Field(description="true, false or null")
    rows: int = Field(description="a whole number")
    unknowns: int = Field(description="a whole number")
    by_channel: dict[str, Number | None] = Field(default_factory=dict)

    def made(self) -> Residual:
        """What it says."""
        ratios = {name: _or_nan(ratio) for name, ratio in self.by_channel.items()}
        return Residual(_or_nan(self.ratio), self.white, self.rows, self.unknowns, ratios)


def residual_document(residual: Residual) -> dict[str, Any]:
    """As plain data."""
    return {
        "ratio": finite_or_none(residual.ratio),
        "white": None if residual.white is None else bool(residual.white),
        "rows": int(residual.rows),
        "unknowns": int(residual.unknowns),
        "by_channel": {name: finite_or_none(ratio) for name, ratio in residual.by_channel.items()},
    }


class BudgetSection(Section):
    """Where the variance comes from."""

    sources: list[str] = Field(description="a list of names")
    shares: list[Row] = Field(description="a row for each cluster")

    def made(self, clusters: int) -> Budget:
        """What it says of so many clusters."""
        return Budget(tuple(self.sources), array("budget.shares", self.shares, clusters, len(self.sources)))


def budget_document(budget: Budget) -> dict[str, Any]:
    """As plain data."""
    return {"sources": list(budget.sources), "shares": rows(budget.shares)}


class QuantitySection(Section):
    """A nuisance."""

    name: str = Field(description="text")
    value: Number | None = Field(description="a number")
    sd: Number | None = Field(description="a number, or null if it is infinite")
    unit: str = Field(description="text")

    def made(self) -> Quantity:
        """What it says."""
        return Quantity(self.name, _or_nan(self.value), math.inf if self.sd is None else self.sd, self.unit)


def quantity_document(each: Quantity) -> dict[str, Any]:
    """As plain data."""
    return {"name": each.name, "value": finite_or_none(each.value), "sd": finite_or_none(each.sd), "unit": each.unit}


class OscillatorSection(Section):
    """What swings."""

    frequency_Hz: Positive = Field(description="greater than zero: on the floating base")
    damping_ratio: Number = Field(description="over critical damping, there")
    held_Hz: Positive = Field(description="greater than zero: with the base held")
    axis: Vector3 = Field(description="three numbers, base axes")
    coupling_inertia: Positive = Field(description="greater than zero [kg m^2]")
    gain: Extended = Field(description="a number, or nan")
    driven: Extended = Field(description="a number, or nan")

    def made(self) -> Oscillator:
        """What it says."""
        return Oscillator(**self.model_dump())


class CauseSection(Section):
    """A mistake that explains what was found."""

    kind: str = Field(description="what kind of mistake")
    name: str = Field(description="of what it is a mistake")
    what: str = Field(description="a sentence")
    amount: Extended = Field(description="a number, or nan")
    sd: Extended = Field(description="a number, or nan")
    share: Extended = Field(description="a number, or nan")
    gain: Extended = Field(math.nan, description="a number, or nan")
    cure: str = ""
    swings: list[OscillatorSection] = Field(default_factory=list)

    def made(self) -> Cause:
        """What it says."""
        said = self.model_dump(exclude={"swings"})
        return Cause(**said, swings=tuple(each.made() for each in self.swings))


class KeptUnknownSection(Section):
    """A body that the CAD model says nothing of."""

    name: str = Field(description="text")
    mass_kg: Positive = Field(description="greater than zero")
    size_m: Positive = Field(description="greater than zero")


class KeptPriorSection(Section):
    """Spread of the CAD model."""

    mass: Positive = Field(description="greater than zero")
    com: Positive = Field(description="greater than zero")
    inertia: Positive = Field(description="greater than zero")
    unknown: list[KeptUnknownSection] = Field(default_factory=list)

    def made(self) -> CadSpread:
        """What it says."""
        unknown = tuple(UnknownBody(each.name, each.mass_kg, each.size_m) for each in self.unknown)
        return CadSpread(self.mass, self.com, self.inertia, unknown)


def prior_document(prior: CadSpread) -> dict[str, Any]:
    """As plain data."""
    said = asdict(prior)
    return said if prior.unknown else {kind: value for kind, value in said.items() if kind != "unknown"}


# ---------------------------------------------------------------------- flights and residuals


class KeptResidualSection(Section):
    """What the fit leaves of one channel of one flight."""

    flight: str = Field(description="name of the flight")
    channel: str = Field(description="text")
    components: list[str] = Field(description="a list of names")
    unit: str = Field(description="text")
    t: PackedSection = Field(description="packed numbers")
    residual: PackedSection = Field(description="packed numbers")
    noise: Row = Field(description="a number for each component")
    signal: Row | None = Field(None, description="a number for each component, or null")
    measured: PackedSection | None = Field(None, description="packed numbers, or null")

    def made(self) -> ChannelResidual:
        """What it says."""
        t, residual, width = unpacked(self.t), unpacked(self.residual), len(self.components)
        if residual.shape != (t.size, width) or t.ndim != 1:
            raise UnfitParts(
                f"residuals of {self.channel} have shape {residual.shape}; allowed: {(t.size, width)}, a row an instant"
            )
        noise = array("residuals.noise", [self.noise], 1, width)[0]
        signal = None if self.signal is None else array("residuals.signal", [self.signal], 1, width)[0]
        measured = None if self.measured is None else unpacked(self.measured)
        if measured is not None and measured.shape != residual.shape:
            raise UnfitParts(
                f"what was measured of {self.channel} has shape {measured.shape}; allowed: that of what is left, "
                f"{residual.shape}"
            )
        said = self.flight, self.channel, tuple(self.components), self.unit
        return ChannelResidual(*said, t, residual, noise, signal=signal, measured=measured)


def channel_document(each: ChannelResidual) -> dict[str, Any]:
    """As plain data."""
    return {
        "flight": each.flight,
        "channel": each.channel,
        "components": list(each.components),
        "unit": each.unit,
        "t": packed(each.t),
        "residual": packed(each.residual),
        "noise": row(each.noise),
        "signal": None if each.signal is None else row(each.signal),
        **({} if each.measured is None else {"measured": packed(each.measured)}),
    }


class KeptFlightSection(Section):
    """A flight that the estimate was made from."""

    name: str = Field(description="text")
    without: list[str] = Field(default_factory=list)
    momentum: Literal["zero", "unknown"] | Annotated[list[Number], Field(min_length=3, max_length=3)] = Field(
        description="zero, unknown or three numbers"
    )
    motion: dict[str, PackedSection] = Field(description="arrays of the motion by name")

    def made(self) -> UsedFlight:
        """What it says."""
        strange = [name for name in self.motion if name not in MOTION]
        if strange or not {"q", "t"} <= set(self.motion):
            raise UnfitParts(f"flights.motion has {', '.join(self.motion)}; allowed: {', '.join(MOTION)}, with q and t")
        motion = Samples(**{name: unpacked(each) for name, each in self.motion.items()})
        return UsedFlight(self.name, tuple(self.without), TotalMomentum.of(self.momentum), motion)


def flight_document(flight: UsedFlight) -> dict[str, Any]:
    """As plain data."""
    arrays = {name: getattr(flight.motion, name) for name in MOTION}
    return {
        "name": flight.name,
        "without": list(flight.without),
        "momentum": flight.momentum.said,
        "motion": {name: packed(values) for name, values in arrays.items() if values is not None},
    }


# ---------------------------------------------------------------------- the whole


class EstimateSection(Section):
    """An estimate file."""

    format: Literal["freefloat/estimate@1"] = Field(description=FORMAT)
    method: str = Field(description="name of the estimator")
    model: str = Field(description="whose clusters the values are")
    outcome: Outcome = Field(description="good, doubtful or failed")
    warnings: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    origin: dict[str, Any] = Field(default_factory=dict)
    robot: dict[str, Any] = Field(description="a robot, as in a robot file")
    known: dict[str, Number] = Field(default_factory=dict)
    zero: list[str] = Field(default_factory=list)
    prior: KeptPriorSection | None = Field(None, description="mass, com and inertia, or null")
    parameters: list[str] = Field(description="names of the parameters that clusters are made of")
    gap: Number | None = None
    clusters: list[ClusterSection] = Field(description="a list of clusters")
    values: Row = Field(description="a number for each cluster")
    covariance: list[Row] = Field(description="a row of numbers for each cluster")
    cad: Row = Field(description="a number for each cluster")
    residual: ResidualSection = Field(description="ratio, white, rows, unknowns, by_channel")
    budget: BudgetSection | None = None
    nuisances: list[QuantitySection] = Field(default_factory=list)
    unseen: list[Row] = Field(default_factory=list)
    held: list[str] = Field(default_factory=list)
    no_interval: str | None = None
    causes: list[CauseSection] = Field(default_factory=list)
    flights: list[KeptFlightSection] = Field(default_factory=list)
    residuals: list[KeptResidualSection] = Field(default_factory=list)

    def spread(self) -> CadSpread | None:
        """Of the CAD model; where the file does not say it itself, what its origin says."""
        if "prior" in self.model_fields_set:
            return None if self.prior is None else self.prior.made()
        said = self.origin.get("prior")
        try:
            return None if said is None else KeptPriorSection.model_validate(said).made()
        except ValidationError as error:
            raise UnfitParts(
                f"origin has the prior {said!r}; allowed: positive mass, com and inertia, or null"
            ) from error

    def minimal(self) -> MinimalParameters:
        """The clusters."""
        column = {name: index for index, name in enumerate(self.parameters)}
        if len(column) < len(self.parameters):
            raise UnfitParts("parameters: a name is given twice; allowed: names that differ")
        combine = np.zeros((len(self.clusters), len(column)))
        for place, cluster in enumerate(self.clusters):
            for name, weight in cluster.of.items():
                if name not in column:
                    raise UnfitParts(
                        f"clusters[{place}] holds {shown(name)}; allowed: names that are listed as parameters"
                    )
                combine[place, column[name]] = weight
        kept = np.array([column[cluster.name] for cluster in self.clusters], dtype=np.int64)
        return MinimalParameters(tuple(column), kept, combine, math.inf if self.gap is None else self.gap)


def read_section(path: FilePath) -> EstimateSection:
    """What an estimate file says."""
    document = load_yaml(path, LIMIT_BYTES)
    check_format(document, "estimate")
    return validate(EstimateSection, document)
