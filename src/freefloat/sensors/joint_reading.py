"""A reading of all joints, which says nothing of the base by itself."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.sensors.moving_base import MovingBase, PulledBack
from freefloat.sensors.reading import Axes, Reading, Spreads


class JointReading(Reading[Spreads]):
    """What was read of all joints: a column each."""

    turns = False
    needs_attitude = False
    of_base = False

    def _compared(self) -> Axes:
        return np.arange(len(self.setting.joints))

    @property
    def components(self) -> tuple[str, ...]:
        """The joints."""
        return self.setting.joints

    def pull_back(self, base: MovingBase, point: Array, J: Array) -> PulledBack:
        """Nothing of the base: it reads none of it, and plans leave it out."""
        return PulledBack()
