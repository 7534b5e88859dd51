"""The OOS-SIM experiment: the printed motion, exact or with a gyro that is late.

M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", master thesis,
Politecnico di Milano, 2022, Chapter 6. The facility followed its simulated motion with a delay; a constant lag of the
gyro is our reading of it.
"""

from __future__ import annotations

from dataclasses import replace

from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Problem
from freefloat.studies.spirolazzi.printed_flight import PrintedFlight

STUDY = "spirolazzi_oossim"


class OosSim(PrintedFlight):
    """The experiment, its motion that of Table 6.4. robot: the one that flies, like `spirolazzi_oossim`."""

    study = STUDY

    def problem(self, late_s: float = 0.0) -> Problem:
        """Without noise, linear clusters, nothing else unknown. late_s: how late the gyro is [s]."""
        w = self.rates(self.samples.need("t", "a run") - late_s)
        return self.posed(Flight(replace(self.samples, w=w, v=None)))
