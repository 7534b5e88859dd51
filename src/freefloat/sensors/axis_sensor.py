"""What sensors on axes have in common: they read joints or wheels by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.errors import UnknownName
from freefloat.sensors.draws import Stream
from freefloat.sensors.noise import Noise
from freefloat.sensors.sensor import EVERY, Output, Sensor, for_each
from freefloat.sensors.truth import Layout, Truth

Names = Annotated[list[str], Field(min_length=1)]


class AxisSensor(Sensor):
    """Reads one array of the truth, some of its columns, and adds noise."""

    reads: ClassVar[str]

    def _columns(self, layout: Layout) -> list[int]:
        """Which joints or wheels it reads."""
        raise NotImplementedError

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        columns = self._columns(truths[0].layout)
        signal = self._shown(lambda truth, t: truth.at(self.reads, t)[:, columns], truths, times, draws)
        return output.noise.added_to(signal, self.interval_s, draws)


def chosen(kind: str, wanted: Sequence[str] | None, known: tuple[str, ...]) -> list[int]:
    """Places of the wanted names among the known ones; all of them if nothing was said."""
    for name in wanted or ():
        if name not in known:
            raise UnknownName(kind, name, known)
    return [known.index(name) for name in (known if wanted is None else wanted)]


class JointSensor(AxisSensor):
    """Reads joints, each with the settings of its kind: turning or sliding."""

    joints: Names | None = Field(None, description="names of joints; all of them unless given")

    def _columns(self, layout: Layout) -> list[int]:
        return chosen("joint", self.joints, layout.joints)

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
            chosen("joint", [name for name in table if name != EVERY], layout.joints)
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
