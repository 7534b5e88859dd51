"""The noise with which Case Studies 1 and 2 of M. Spirolazzi's thesis (2022) come out as printed.

The thesis prints no noise. White noise of the gyro, of one level for all axes, is tried: the level at which the median
of the 19 spreads is the printed one. Whether it is the cause shows in what was not fitted: how the spreads of the
single clusters go along with the printed ones, and the mean errors, which grow with the square of the noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.studies.check import Check
from freefloat.studies.christidi.clusters import printed_values
from freefloat.studies.christidi.servicer import GYRO_RAD_S
from freefloat.studies.spirolazzi.case_studies import STUDY, CaseStudy

_STEPS = 2  # of the level: the square is but the first order


@dataclass(frozen=True, slots=True, eq=False)
class FittedNoise:
    """White noise of the gyro [rad/s], and relative errors of pi with it, shape (runs, 19)."""

    gyro_rad_s: float
    errors: Array

    @property
    def spread(self) -> Array:
        """Of each pi over runs, shape (19,)."""
        return np.asarray(self.errors.std(axis=0, ddof=1))

    @property
    def median_mean_error(self) -> float:
        """Median over the 19 of the size of the mean error over runs."""
        return float(np.median(np.abs(self.errors.mean(axis=0))))


def printed_spread(case: CaseStudy) -> Array:
    """Standard deviations over true values as printed, shape (19,)."""
    true, sd = (printed_values(STUDY, case.group, column) for column in ("true_value", "sd"))
    return np.asarray(sd / np.abs(true))


def fit_noise(case: CaseStudy, runs: int) -> FittedNoise:
    """The level at which the median spread is the printed one: spreads are in proportion to it."""
    first = _errors(case, GYRO_RAD_S, runs).std(axis=0, ddof=1)
    level = GYRO_RAD_S * float(np.median(printed_spread(case) / first))
    return FittedNoise(level, _errors(case, level, runs))


def _by_mean_errors(case: CaseStudy, found: FittedNoise, wanted: float) -> FittedNoise:
    """The level at which the median of the mean errors is the printed one: they grow with its square."""
    for _ in range(_STEPS):
        level = found.gyro_rad_s * np.sqrt(wanted / found.median_mean_error)
        found = FittedNoise(level, _errors(case, level, len(found.errors)))
    return found


def _errors(case: CaseStudy, gyro_rad_s: float, runs: int) -> Array:
    return np.array([case.relative_errors(case.noisy_gyro(run, gyro_rad_s)) for run in range(runs)])


def noise_checks(case: CaseStudy, runs: int) -> Iterator[Check]:
    """Rows of one case study."""
    found, printed, which = fit_noise(case, runs), printed_spread(case), f"case study {case.number}"
    alike = float(np.asarray(np.corrcoef(np.log(printed), np.log(found.spread)))[0, 1])
    yield Check(
        f"spirolazzi.case{case.number}.fitted_noise.gyro_rad_s",
        f"{which}: white noise of the gyro, of earlier work and with which the printed spreads come out",
        GYRO_RAD_S,
        found.gyro_rad_s,
        "rad/s",
        comparable=False,
        note=f"{runs} runs, joints exact: {found.gyro_rad_s / GYRO_RAD_S:.0f} times that of earlier work",
    )
    yield Check(
        f"spirolazzi.case{case.number}.fitted_noise.median_relative_spread",
        f"{which}: median spread of a pi with that noise",
        float(np.median(printed)),
        float(np.median(found.spread)),
        tolerance=0.1,
        comparable=False,
        note=f"fitted; not so the 19 single spreads, whose logarithms correlate with the printed ones by {alike:.2f}",
    )
    mean = float(np.median(0.01 * np.abs(printed_values(STUDY, case.group, "mean_error_pct"))))
    ours = found.median_mean_error
    again = _by_mean_errors(case, found, mean)
    yield Check(
        f"spirolazzi.case{case.number}.fitted_noise.median_mean_relative_error",
        f"{which}: median of the mean errors of a pi with that noise",
        mean,
        ours,
        tolerance=0.5,
        comparable=False,
        note=f"not fitted: the printed ones are {mean / ours:.1f} times these; they come out with "
        f"{again.gyro_rad_s / found.gyro_rad_s:.2f} times the noise that gives the spreads, see the next row: no white "
        "noise of the gyro gives both",
    )
    times = float(np.median(again.spread / printed))
    yield Check(
        f"spirolazzi.case{case.number}.noise_of_mean_errors.median_mean_relative_error",
        f"{which}: median of the mean errors of a pi with the noise that gives them",
        mean,
        again.median_mean_error,
        tolerance=0.2,
        comparable=False,
        note=f"fitted: {again.gyro_rad_s:.2g} rad/s; spreads are then {times:.1f} times the printed ones",
    )
