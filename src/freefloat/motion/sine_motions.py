"""Random sines, one to a joint: many quick motions to try a model on.

After M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", 2022, section
5.3.2: every joint moves as A sin(2 pi t / T) with a random A, the same T for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.motion.limits import limits_of
from freefloat.robot.model import Robot

_TOGETHER = 20  # motions that are given at one time
_ENDLESS = 1.0  # rad or m: amplitude of a joint without any limit


@dataclass(frozen=True, eq=False)
class RandomSines:
    """The motions. centre: about which joints move, (joints,) [rad or m]. amplitudes: (motions, joints).

    duration_s: T. rate_Hz: of the samples.
    """

    centre: Array
    amplitudes: Array
    duration_s: float
    rate_Hz: float

    @classmethod
    def drawn(cls, robot: Robot, motions: int, duration_s: float, rate_Hz: float, seed: int = 0) -> RandomSines:
        """Amplitudes uniform within positions and rates of the joints, about zero or the middle of a range without.

        Passive joints rest.
        """
        limits = limits_of(robot, robot.joint_names)
        lowest, highest = np.maximum(limits.lowest, -1e300), np.minimum(limits.highest, 1e300)
        centre = np.where((lowest < 0.0) & (highest > 0.0), 0.0, 0.5 * (lowest + highest))
        by_rate = limits.rate * duration_s / (2.0 * np.pi)
        reach = np.minimum(np.minimum(centre - limits.lowest, limits.highest - centre), by_rate)
        reach = np.where(np.isfinite(reach), reach, _ENDLESS)
        reach[robot.passive] = 0.0  # which nobody moves
        draws = np.random.default_rng(seed).uniform(-1.0, 1.0, (motions, reach.size))
        return cls(centre, reach * draws, duration_s, rate_Hz)

    def pieces(self) -> Iterator[tuple[Samples, int]]:
        """Joint motion of some motions, one after the other, and how many they are."""
        for first in range(0, len(self.amplitudes), _TOGETHER):
            some = self.amplitudes[first : first + _TOGETHER, None]
            q = self.centre + some * np.sin(self._phases)[:, None]
            dq = some * (2.0 * np.pi / self.duration_s * np.cos(self._phases))[:, None]
            joints = some.shape[2]
            yield Samples(q=q.reshape(-1, joints), dq=dq.reshape(-1, joints)), len(some)

    @cached_property
    def _phases(self) -> Array:
        """Of the samples, but each position once: joints pass it twice, at opposite rates and so opposite errors."""
        t = np.arange(round(self.duration_s * self.rate_Hz) + 1) / self.rate_Hz
        phase = 2.0 * np.pi / self.duration_s * t
        _, kept = np.unique(np.round(np.sin(phase), 12), return_index=True)
        return np.asarray(phase[kept], float)
