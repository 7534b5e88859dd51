"""A motion that the thesis prints, flown without noise; its two experiments on a free base share this.

M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", master thesis,
Politecnico di Milano, 2022. Momentum is zero, the load known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published
from freefloat.studies.printed import printed_motion
from freefloat.studies.simulated import reacting
from freefloat.studies.spirolazzi.cluster_table import SIMPLE

KNOWN = {"load": 0.0}


@dataclass(frozen=True, eq=False)
class PrintedFlight:
    """The experiment. study: whose robot and motion. robot: the one that flies, like that of the study."""

    study: ClassVar[str]
    robot: Robot

    @cached_property
    def motion(self) -> Fourier:
        """As printed."""
        return printed_motion(self.study, self.robot)

    @cached_property
    def samples(self) -> Samples:
        """451 samples at 3 Hz with the base's reaction; exact."""
        said = published(self.study)["trajectory"]
        t = np.arange(said["samples"]) / said["rate_Hz"]
        return reacting(self.robot, self.motion.samples(self.robot, t))

    def rates(self, t: Array) -> Array:
        """The base's rates at times (n,) [s], those before and after the motion as at its ends, (n, 3) [rad/s]."""
        _, w = base_reaction(self.robot, self.motion.samples(self.robot, np.clip(t, 0.0, self.motion.duration_s)))
        return w

    def posed(self, flight: Flight) -> Problem:
        """The thesis' problem: linear clusters, nothing else unknown."""
        nothing = Nuisances.none()
        return Problem(self.robot, (flight,), KNOWN, SIMPLE, nuisances=nothing, models=("angular-momentum",))
