"""The OOS-SIM experiment: the printed motion, exact or with a gyro that is late.

M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", master thesis,
Politecnico di Milano, 2022, Chapter 6. The facility followed its simulated motion with a delay; a constant lag of the
gyro is our reading of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Nuisances, Problem
from freefloat.motion.fourier import Fourier
from freefloat.regressor.samples import Samples
from freefloat.regressor.states import base_reaction
from freefloat.robot.model import Robot
from freefloat.studies import published
from freefloat.studies.printed import printed_motion
from freefloat.studies.simulated import reacting
from freefloat.studies.spirolazzi.cluster_table import SIMPLE
from freefloat.studies.spirolazzi.n1 import KNOWN

STUDY = "spirolazzi_oossim"


@dataclass(frozen=True, eq=False)
class OosSim:
    """The experiment. robot: the one that flies, like `spirolazzi_oossim`."""

    robot: Robot

    @cached_property
    def motion(self) -> Fourier:
        """Table 6.4."""
        return printed_motion(STUDY, self.robot)

    @cached_property
    def samples(self) -> Samples:
        """451 samples at 3 Hz with the base's reaction; exact."""
        said = published(STUDY)["trajectory"]
        t = np.arange(said["samples"]) / said["rate_Hz"]
        return reacting(self.robot, self.motion.samples(self.robot, t))

    def problem(self, late_s: float = 0.0) -> Problem:
        """Without noise, linear clusters, nothing else unknown. late_s: how late the gyro is [s]."""
        t = self.samples.need("t", "a run")
        shown = np.clip(t - late_s, 0.0, self.motion.duration_s)
        _, w = base_reaction(self.robot, self.motion.samples(self.robot, shown))
        flight = Flight(replace(self.samples, w=w, v=None))
        nothing = Nuisances.none()
        return Problem(self.robot, (flight,), KNOWN, SIMPLE, nuisances=nothing, models=("angular-momentum",))
