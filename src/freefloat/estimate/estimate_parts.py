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
UNITS = {reading.array: reading.unit for reading in READINGS} | {"torques": "N m"}
MODEL = "model"  # share of an interval that noise does not explain
MOTION = ("q", "dq", "ddq", "w", "attitude", "position", "torques", "t")  # arrays that are kept of a flight's motion
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
    """

    flight: str
    channel: str
    components: tuple[str, ...]
    unit: str
    t: Array
    residual: Array
    noise: Array

    @property
    def over_noise(self) -> Array:
        """Measured less predicted in standard deviations, shape (n, k)."""
        return self.residual / self.noise


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
    motion: as it was measured, at a few hundred instants.
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
