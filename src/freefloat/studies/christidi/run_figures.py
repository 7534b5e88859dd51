"""What Table 4 and Section 4 of Christidi-Loumpasefski and Papadopoulos print of one run with noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from freefloat.arrays import Array
from freefloat.studies.catalogue import published
from freefloat.studies.christidi.clusters import printed_values
from freefloat.studies.christidi.servicer import STUDY
from freefloat.studies.christidi.two_steps import Identified

SCATTER = 0.5  # of a single run about the median
NINE_OF_TEN = 0.9  # of one half either way: the middle nine tenths of all runs


class Errors(NamedTuple):
    """Relative errors of all runs: pi (runs, 19), phi (runs, 5), total mass (runs,)."""

    pi: Array
    phi: Array
    mass: Array

    @classmethod
    def of(cls, runs: list[Identified]) -> Errors:
        """Of one estimate a run."""
        return cls(*(np.array([getattr(run, name) for run in runs]) for name in cls._fields))


class RunFigure(NamedTuple):
    """A number that one run gives: its name, in words, as printed, and from errors, shape (runs,)."""

    name: str
    quantity: str
    printed: float
    of: Callable[[Errors], Array]


def figures() -> tuple[RunFigure, ...]:
    """What Table 4 and Section 4 print of one run."""
    pi, phi = (0.01 * np.abs(printed_values(STUDY, group, "error_pct")) for group in ("pi", "phi"))
    mass = 0.01 * published(STUDY)["results"]["total_mass_error_pct"]
    return (
        RunFigure("pi.mean_relative_error", "mean error of the 19 pi", float(pi.mean()), lambda e: e.pi.mean(axis=1)),
        RunFigure("pi.max_relative_error", "largest error of a pi", float(pi.max()), lambda e: e.pi.max(axis=1)),
        RunFigure("phi.max_relative_error", "largest error of a phi", float(phi.max()), lambda e: e.phi.max(axis=1)),
        RunFigure("mass.relative_error", "error of the total mass", mass, lambda e: e.mass),
    )
