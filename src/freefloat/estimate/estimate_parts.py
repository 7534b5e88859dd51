"""What an estimate is made of, beside its clusters: nuisances, what is left over, where the variance comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.errors import FreefloatError
from freefloat.estimate.flight import Flight
from freefloat.frozen import Content, FrozenMapping
from freefloat.robot.model import Robot
from freefloat.sensors.kinds import READINGS

Outcome = Literal["good", "doubtful", "failed"]
UNITS = {reading.array: reading.unit for reading in READINGS} | {"torques": "N m", "base_wrench": "N or N m"}
A_SIGNAL = 10.0  # times the noise' power: less is hardly a signal that could be explained
TORQUES = "torques"  # of joints, as rows have them
MODEL = "model"  # share of an interval that noise does not explain
MOTION = ("q", "dq", "ddq", "w", "attitude", "position", "torques", "t")  # arrays that are kept of a flight's motion
_BEYOND_PERCENT = 1000.0  # of a signal: how much more does not matter
_INSTANTS = 241  # of the motion that are kept


class NothingKept(FreefloatError):
    """An estimate without residuals or motion, as freefloat 0.1 saved them."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the estimate keeps no {what}, as one that freefloat 0.1 saved; allowed: one identified again from its "
            "recordings (`freefloat run MISSION --recording FILE`)"
        )


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
class ChannelResidual(Content):
    """What the fit leaves of one channel of one flight, instant by instant.

    channel: an array of the samples such as `w`, or what the rows of a linear method are, such as `energy`.
    components: names of the k columns. t: shape (n,) [s]. residual: measured less predicted, shape (n, k) [unit].
    noise: standard deviation of each component, root mean square over time, shape (k,) [unit]; NaN if it is not known.
    signal: standard deviation over time of what was measured, about its mean, shape (k,) [unit]; None if not known.
    measured: what the sensor read, shape (n, k) [unit]; kept of the rates of a base on which something swings.
    """

    flight: str
    channel: str
    components: tuple[str, ...]
    unit: str
    t: Array
    residual: Array
    noise: Array
    signal: Array | None = field(default=None, kw_only=True)
    measured: Array | None = field(default=None, kw_only=True)

    @property
    def of_signal(self) -> float:
        """Root mean square of what is left over that of the signal; NaN where no signal is known."""
        if self.signal is None:
            return float("nan")
        return part_of_signal(np.sqrt((self.residual**2).mean(axis=0)), self.signal, self.noise)

    @property
    def of_each_signal(self) -> Array:
        """The same of each component, shape (k,)."""
        if self.signal is None:
            return np.full(len(self.components), np.nan)
        rms = np.sqrt((self.residual**2).mean(axis=0))
        parts = zip(rms[:, None], self.signal[:, None], self.noise[:, None], strict=True)
        return np.array([part_of_signal(*each) for each in parts])

    @property
    def over_noise(self) -> Array:
        """Measured less predicted in standard deviations, shape (n, k)."""
        return self.residual / self.noise


def part_of_signal(left: Array, signal: Array, noise: Array) -> float:
    """Root mean square of errors over that of a signal; NaN where it is not known, or hardly more than noise.

    left, signal, noise: root mean square of each component, shape (k,) [one unit].
    """
    power = float((signal**2).sum())
    if not power > A_SIGNAL * float(np.nansum(noise**2)):
        return float("nan")
    return float(np.sqrt((left**2).sum() / power))


def in_percent(part: float) -> str:
    """A part of a signal to two digits, as a person writes it; no more where it is far beyond the whole."""
    percent = 100.0 * part
    if percent > _BEYOND_PERCENT:
        return f"more than {_BEYOND_PERCENT:.0f} %"
    return f"{percent:.2g} %" if percent < 99.5 else f"{percent:.0f} %"


@dataclass(frozen=True, slots=True, eq=False)
class Budget(Content):
    """Where the variance of each cluster comes from.

    sources: `noise`, nuisances, known values by name, `prior`, `model`. shares: of the variance, (clusters, sources),
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


@dataclass(frozen=True, slots=True, eq=False)
class UsedFlight(Content):
    """A flight that an estimate was made from.

    without: bodies that were not there. momentum: what was said of the total angular momentum.
    motion: as it was measured, at a few hundred instants; passive joints, which nobody measures, as they swing by
        what was found.
    """

    name: str
    without: tuple[str, ...]
    momentum: TotalMomentum
    motion: Samples


def torque_unit(robot: Robot) -> str:
    """Of the torques of all joints, which are forces where joints slide."""
    return "N m or N" if any(joint.kind == "prismatic" for joint in robot.joints) else UNITS["torques"]


def used_flights(flights: Iterable[Flight]) -> tuple[UsedFlight, ...]:
    """What is kept of flights, their motion at even steps."""
    return tuple(UsedFlight(each.name, each.without, each.momentum, _thinned(each.samples)) for each in flights)


def _thinned(samples: Samples) -> Samples:
    kept = Samples(**{name: getattr(samples, name) for name in MOTION})
    return kept[np.unique(np.linspace(0, len(samples) - 1, _INSTANTS).round().astype(int))]
