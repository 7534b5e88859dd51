"""Sensors on axes: joint encoders, joint torque sensors, wheel tachometers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from freefloat.errors import UnknownName
from freefloat.experiment.draws import Stream
from freefloat.experiment.sensor_noise import Noise
from freefloat.experiment.sensors_base import (
    EVERY,
    NotNegative,
    Output,
    PerName,
    Sensor,
    SpreadPerName,
    for_each,
    nothing,
)
from freefloat.experiment.truth import Layout, Truth
from freefloat.files import Positive
from freefloat.robot.transform import Array

Names = Annotated[list[str], Field(min_length=1)]


class _AxisSensor(Sensor):
    """Reads one array of the truth, some of its columns, and adds noise."""

    reads: ClassVar[str]

    def _columns(self, layout: Layout) -> list[int]:
        """Which joints or wheels it reads."""
        raise NotImplementedError

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        columns = self._columns(truths[0].layout)
        signal = np.stack([truth.at(self.reads, times)[:, columns] for truth in truths])
        return output.noise.added_to(signal, self.interval_s, draws)


def _chosen(kind: str, wanted: Sequence[str] | None, known: tuple[str, ...]) -> list[int]:
    """Places of the wanted names among the known ones; all of them if nothing was said."""
    for name in wanted or ():
        if name not in known:
            raise UnknownName(kind, name, known)
    return [known.index(name) for name in (known if wanted is None else wanted)]


class _JointSensor(_AxisSensor):
    joints: Names | None = Field(None, description="names of joints; all of them unless given")

    def _columns(self, layout: Layout) -> list[int]:
        return _chosen("joint", self.joints, layout.joints)

    def _output(
        self,
        layout: Layout,
        turning: tuple[str, tuple[dict[str, float], ...]],
        sliding: tuple[str, tuple[dict[str, float], ...]],
    ) -> Output:
        """Each joint with the settings of its kind.

        turning, sliding: the unit, then noise, bias, spread of the bias, resolution and range by joint.
        """
        columns = self._columns(layout)
        names = tuple(layout.joints[index] for index in columns)
        slides = np.array([layout.slides[index] for index in columns])
        for table in (*turning[1], *sliding[1]):
            _chosen("joint", [name for name in table if name != EVERY], layout.joints)
        noise, bias, spread, resolution, limit = (
            np.where(slides, for_each(linear, names), for_each(angular, names))
            for angular, linear in zip(turning[1], sliding[1], strict=True)
        )
        return Output(
            self.channel_name(self.quantities[0]),
            names,
            tuple(np.where(slides, sliding[0], turning[0]).tolist()),
            Noise(noise, bias=bias, bias_sd=spread),
            resolution,
            np.where(limit > 0.0, limit, np.inf),
        )


class Encoder(_JointSensor):
    """Joint positions: white noise, counts, a zero that is off. `_m` fields are for joints that slide."""

    quantities = ("q",)
    reads = "q"

    kind: Literal["encoder"] = "encoder"
    noise_rad: SpreadPerName = nothing("standard deviation of a sample")
    noise_m: SpreadPerName = nothing("standard deviation of a sample")
    resolution_rad: SpreadPerName = nothing("one count")
    resolution_m: SpreadPerName = nothing("one count")
    bits: Annotated[int, Field(ge=1, le=40)] | None = Field(None, description="counts per turn are 2^bits")
    zero_offset_rad: PerName = nothing("what it reads at zero, in every run")
    zero_offset_m: PerName = nothing("what it reads at zero, in every run")
    zero_offset_sd_rad: SpreadPerName = nothing("what it reads at zero, drawn for every run")
    zero_offset_sd_m: SpreadPerName = nothing("what it reads at zero, drawn for every run")

    @model_validator(mode="after")
    def _one_resolution(self) -> Self:
        if self.bits is not None and any(self.resolution_rad.values()):
            raise ValueError("gives bits and resolution_rad; allowed: one of them")
        return self

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Joint positions [rad or m]."""
        step = self.resolution_rad if self.bits is None else {EVERY: 2.0 * np.pi / 2.0**self.bits}
        endless: dict[str, float] = {}
        turning = (self.noise_rad, self.zero_offset_rad, self.zero_offset_sd_rad, step, endless)
        sliding = (self.noise_m, self.zero_offset_m, self.zero_offset_sd_m, self.resolution_m, endless)
        return (self._output(layout, ("rad", turning), ("m", sliding)),)


class TorqueSensor(_JointSensor):
    """Joint torques: white noise, offset, resolution, range. `_N` fields are for joints that slide."""

    quantities = ("tau",)
    reads = "torques"

    kind: Literal["torque"] = "torque"
    noise_Nm: SpreadPerName = nothing("standard deviation of a sample")
    noise_N: SpreadPerName = nothing("standard deviation of a sample")
    resolution_Nm: SpreadPerName = nothing("smallest step")
    resolution_N: SpreadPerName = nothing("smallest step")
    offset_Nm: PerName = nothing("reading without load, in every run")
    offset_N: PerName = nothing("reading without load, in every run")
    offset_sd_Nm: SpreadPerName = nothing("reading without load, drawn for every run")
    offset_sd_N: SpreadPerName = nothing("reading without load, drawn for every run")
    range_Nm: SpreadPerName = nothing("largest reading; none if zero")
    range_N: SpreadPerName = nothing("largest reading; none if zero")

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Joint torques or forces [N m or N]."""
        turning = (self.noise_Nm, self.offset_Nm, self.offset_sd_Nm, self.resolution_Nm, self.range_Nm)
        sliding = (self.noise_N, self.offset_N, self.offset_sd_N, self.resolution_N, self.range_N)
        return (self._output(layout, ("Nm", turning), ("N", sliding)),)


class Tachometer(_AxisSensor):
    """Rates of wheels relative to the base."""

    quantities = ("wheel",)
    reads = "wheel_rates"

    kind: Literal["tachometer"] = "tachometer"
    wheels: Names | None = Field(None, description="names of wheels; all of them unless given")
    noise_rad_s: NotNegative = Field(0.0, description="standard deviation of a sample")
    resolution_rad_s: NotNegative = Field(0.0, description="smallest step")
    range_rad_s: Positive | None = Field(None, description="largest reading")

    def _columns(self, layout: Layout) -> list[int]:
        return _chosen("wheel", self.wheels, layout.wheels)

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Wheel rates [rad/s]."""
        names = tuple(layout.wheels[index] for index in self._columns(layout))
        ones = np.ones(len(names))
        return (
            Output(
                self.channel_name("wheel"),
                names,
                ("rad_s",) * len(names),
                Noise(self.noise_rad_s * ones),
                self.resolution_rad_s * ones,
                (self.range_rad_s or np.inf) * ones,
            ),
        )
