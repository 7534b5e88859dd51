"""What every sensor is: a rate and a clock, a mounting, and one verb, `measure`.

A sensor is what a mission file says of it, in the units of its data sheet, and nothing else. A reading stamped
s shows the motion at

    (s - start) / (1 + clock drift) + start - delay

so that a delay makes a sensor lag, and a clock that runs fast stamps too late; or at another instant nearby, where
stamps are noisy. It shows the mean over `integration_s` before that instant, or what a lag of first order leaves
(`bandwidth_Hz`). It is true motion, distorted and noisy, rounded to the resolution, cut at the range, and lost with the
probability of a dropout, in this order. The stamps themselves are rounded last.
Readings are in the axes of the sensor's own frame, which `mounting` places in the base.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import AfterValidator, BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from freefloat.arrays import Array
from freefloat.errors import FreefloatError, ShapeError
from freefloat.files import Number, Positive, Section, entries, shown
from freefloat.robot.placement_section import TransformSection
from freefloat.robot.transform import Transform
from freefloat.sensors.averaging import averaged, averaged_attitude, past_of
from freefloat.sensors.channel import Channel
from freefloat.sensors.draws import Stream
from freefloat.sensors.noise import Density, Noise
from freefloat.sensors.truth import Layout, Truth

# ---------------------------------------------------------------------- what fields may hold


def _thrice(value: object) -> object:
    return value if isinstance(value, list | tuple) else (value, value, value)


def _for_all(value: object) -> object:
    return value if isinstance(value, Mapping) else {EVERY: value}


def _plain(label: str) -> str:
    if not re.fullmatch("[A-Za-z0-9-]*", label):
        raise ValueError(f"is {shown(label)}; allowed: letters, digits and hyphens")
    return label


EVERY = "*"
Label = Annotated[str, AfterValidator(_plain)]
NotNegative = Annotated[Number, Field(ge=0.0)]
Probability = Annotated[Number, Field(ge=0.0, lt=1.0)]


class _OrOneNumber:
    """Says in a schema that one number will do."""

    @staticmethod
    def __get_pydantic_json_schema__(core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [{"type": "number"}, handler(core)]}


# A number for all axes, or one for each.
PerAxis = Annotated[tuple[Number, Number, Number], entries(3), BeforeValidator(_thrice), _OrOneNumber]
SpreadPerAxis = Annotated[
    tuple[NotNegative, NotNegative, NotNegative], entries(3), BeforeValidator(_thrice), _OrOneNumber
]
# A number for all joints (or wheels), or a mapping of their names.
PerName = Annotated[dict[str, Number], BeforeValidator(_for_all), _OrOneNumber]
SpreadPerName = Annotated[dict[str, NotNegative], BeforeValidator(_for_all), _OrOneNumber]

ZERO = (0.0, 0.0, 0.0)
MOST_SAMPLES = 10**8  # of one sensor; a rate that gives more is a mistake


def nothing(description: str) -> Any:
    """A field that is zero for every joint unless a file says otherwise."""
    return Field(default_factory=lambda: {EVERY: 0.0}, description=description)


def for_each(values: Mapping[str, float], names: Sequence[str]) -> Array:
    """The numbers for these joints or wheels, shape (names,)."""
    return np.array([values.get(name, values.get(EVERY, 0.0)) for name in names])


# ---------------------------------------------------------------------- what comes out


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One channel that a sensor gives, and how good it is.

    channel: its name in a recording. components, units: of its k columns.
    noise: of k components; of an attitude, of a rotation vector in the sensor's axes [rad].
    resolution: the step that values are rounded to, zero for none, shape (k,).
    range: values beyond plus or minus this are cut, infinite for none, shape (k,).
    gain: what is written down, times this, is the value, shape (k,).
    """

    channel: str
    components: tuple[str, ...]
    units: tuple[str, ...]
    noise: Noise
    resolution: Array = field(default_factory=lambda: np.zeros(1))
    range: Array = field(default_factory=lambda: np.full(1, np.inf))
    gain: Array = field(default_factory=lambda: np.ones(1))

    @property
    def sample_sd(self) -> Array:
        """Standard deviation of one sample, rounding included, shape (k,) [SI]."""
        return np.sqrt(self.noise.white_sd**2 + self.resolution**2 / 12.0)

    def rounded(self, values: Array) -> Array:
        """Values (..., k), changed in place, as the sensor's numbers can hold them."""
        if self.resolution.any():
            step = np.where(self.resolution > 0.0, self.resolution, 1.0)
            np.copyto(values, np.round(values / step) * step, where=self.resolution > 0.0)
        if np.isfinite(self.range).any():
            np.clip(values, -self.range, self.range, out=values)
        return values

    def written(self, values: Array) -> Array:
        """Values (..., k), changed in place, as a recording holds them."""
        if (self.gain != 1.0).any():
            values /= self.gain
        return values


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """One output in many runs.

    t: time stamps, shape (n,) [s]. values: shape (runs, n, k) [SI].
    kept: which samples were not lost, shape (runs, n); None if all.
    """

    output: Output
    t: Array
    values: Array
    kept: NDArray[np.bool_] | None = None

    def channel(self, index: int) -> Channel:
        """What a recording of the run at this index holds."""
        kept = slice(None) if self.kept is None else self.kept[index]
        if self.kept is not None and not self.kept[index].any():
            raise FreefloatError(f"{self.output.channel}: all {self.t.size} samples of this run were lost")
        output = self.output
        return Channel(output.channel, self.t[kept], self.values[index, kept], output.components, output.units)


# ---------------------------------------------------------------------- the sensor


class Sensor(Section):
    """What all sensors have; each kind says what it puts out and what it sees.

    quantities: those that a sensor of the kind can give.
    """

    quantities: ClassVar[tuple[str, ...]]

    name: str = Field("", description="in a mission file, the key")
    label: Label = Field("", description="tells its channels from those of another sensor of the kind")
    clock: Label = Field("", description="name of the clock that stamps it, for sensors that share one")
    rate_Hz: Positive = Field(description="samples per second")
    delay_s: Number = Field(0.0, description="how long before its stamp a reading was true")
    clock_drift_ppm: Annotated[Number, Field(gt=-1e6)] = Field(0.0, description="how much its clock runs fast")
    dropouts: Probability = Field(0.0, description="probability that a sample is lost")
    integration_s: NotNegative = Field(0.0, description="a reading is the mean over so long before its instant")
    bandwidth_Hz: Positive | None = Field(None, description="corner frequency of a lag of first order")
    stamp_noise_s: NotNegative = Field(0.0, description="standard deviation of the instant shown against that stamped")
    stamp_resolution_s: NotNegative = Field(0.0, description="what stamps are rounded to")

    @model_validator(mode="after")
    def _one_response(self) -> Self:
        if self.integration_s and self.bandwidth_Hz is not None:
            raise ValueError("gives integration_s and bandwidth_Hz; allowed: one of them")
        return self

    @model_validator(mode="after")
    def _stamps_differ(self) -> Self:
        if self.stamp_resolution_s * self.rate_Hz >= 1.0:
            raise ValueError(
                f"has a stamp_resolution_s of {self.stamp_resolution_s:g} s and a sample every {self.interval_s:g} s; "
                "allowed: stamps finer than samples"
            )
        return self

    @abstractmethod
    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """The channels that it gives on a robot with these joints and wheels."""

    @abstractmethod
    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        """Readings of one output before rounding and range, shape (runs, n, k)."""

    @property
    def interval_s(self) -> float:
        """Time between samples [s]."""
        return 1.0 / self.rate_Hz

    @property
    def stamp_sd_s(self) -> float:
        """Standard deviation of the instant that a reading shows against its stamp, rounding included [s]."""
        return math.hypot(self.stamp_noise_s, self.stamp_resolution_s / math.sqrt(12.0))

    def gives(self) -> tuple[str, ...]:
        """The quantities that it gives, as it is set up."""
        return self.quantities

    def channel_name(self, quantity: str) -> str:
        """The channel in which it gives a quantity."""
        return f"{quantity}.{self.label}" if self.label else quantity

    def measure(self, truth: Truth, seed: int | None, run: int = 0) -> tuple[Channel, ...]:
        """What it says of a motion in one run. seed: None for nothing that is drawn."""
        return tuple(readings.channel(0) for readings in self.measure_batch(truth, seed, [run]))

    def measure_batch(self, truth: Truth | Sequence[Truth], seed: int | None, runs: ArrayLike) -> tuple[Readings, ...]:
        """What it says in many runs at once, the same as run by run. seed: None for nothing that is drawn.

        truth: one motion for all runs, or one for each, over the same span of time.
        runs: their numbers, shape (runs,).
        """
        truths = (truth,) if isinstance(truth, Truth) else tuple(truth)
        draws = Stream(seed, runs, self.name or self.quantities[0])
        if len(truths) not in (1, len(draws)) or len({each.span_s for each in truths}) > 1:
            raise ShapeError(f"{len(draws)} runs need one motion, or as many over the same span of time")
        stamps, times = self.stamps(*truths[0].span_s)
        kept = draws.uniform("dropouts", (stamps.size,)) >= self.dropouts if self.dropouts else None
        readings = []
        for output in self.outputs(truths[0].layout):
            values = self._values(output, truths, times, draws)
            readings.append(Readings(output, stamps, output.written(output.rounded(values)), kept))
        return tuple(readings)

    def stamps(self, start_s: float, end_s: float) -> tuple[Array, Array]:
        """Time stamps of its samples, and the instants that they show, shape (n,) each [s].

        The first stamp is the first tick of its clock whose reading shows nothing before the start; but a lag, which
        never ends, shows the start as if it had lasted.
        """
        fast = 1.0 + 1e-6 * self.clock_drift_ppm
        slack = 1e-6  # of a sample: a tick that is due at the very end must not fall to rounding
        first = math.ceil((self.delay_s + self.integration_s) * fast * self.rate_Hz - slack)
        last = math.floor((end_s - start_s + self.delay_s) * fast * self.rate_Hz + slack)
        if not 0 <= last - first < MOST_SAMPLES:
            count = "no sample" if last < first else f"{last - first:,} samples"
            raise FreefloatError(f"sensor {shown(self.name)} takes {count} between {start_s:g} s and {end_s:g} s")
        ticks = np.arange(first, last + 1) / self.rate_Hz
        stamps, shown_at = start_s + ticks, np.clip(start_s + ticks / fast - self.delay_s, start_s, end_s)
        if self.stamp_resolution_s:
            stamps = np.floor(stamps / self.stamp_resolution_s + 0.5) * self.stamp_resolution_s
        return stamps, shown_at

    # ------------------------------------------------------------------ what it shows of the truth

    def _shown(
        self, seen: Callable[[Truth, Array], Array], truths: Sequence[Truth], times: Array, draws: Stream
    ) -> Array:
        """What is seen of each motion at times (n,), shape (n, k), as this sensor shows it, shape (1 or runs, n, k)."""
        past = past_of(self.integration_s, self.bandwidth_Hz)
        return np.stack([averaged(seen, truth, taken, past) for truth, taken in self._taken(truths, times, draws)])

    def _shown_attitude(self, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        """The attitude of the base likewise, shape (1 or runs, n, 4)."""
        past = past_of(self.integration_s, self.bandwidth_Hz)
        return np.stack([averaged_attitude(truth, taken, past) for truth, taken in self._taken(truths, times, draws)])

    def _taken(self, truths: Sequence[Truth], times: Array, draws: Stream) -> list[tuple[Truth, Array]]:
        """Motions and the instants at which they were really read, for all runs or for each."""
        if not self.stamp_noise_s:
            return [(truth, times) for truth in truths]
        start, end = truths[0].span_s
        taken = np.clip(draws.noisy("stamps", times[None], np.array(self.stamp_noise_s)), start, end)
        each = truths if len(truths) == len(taken) else [truths[0]] * len(taken)
        return list(zip(each, taken, strict=True))


class MountedSensor(Sensor):
    """A sensor that sits somewhere in the base, turned somehow."""

    mounting: TransformSection | None = Field(None, description="its frame in the base: xyz_m, and rpy_deg or rotation")

    def frame(self) -> Transform:
        """Its frame in the base."""
        return self.mounting.placement() if self.mounting else Transform()


class DensitySensor(Section):
    """Adds how densities of noise are to be read."""

    density: Density = Field(
        "double-sided", description="double-sided (IEEE; Allan deviation N / sqrt tau) or single-sided"
    )
