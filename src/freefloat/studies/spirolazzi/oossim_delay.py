"""What may have been wrong in the OOS-SIM experiment: readings of the base's rate that come late, in several ways.

M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", 2022, Chapter 6: the
facility followed its simulated motion with a delay that was not constant. Each way has two numbers at most, which are
chosen so that Table 6.5 comes out best (`delays` in the study's file); how much of its errors it then explains is the
share of their squares, the mean of those of the six small rows and of the 24 big ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from scipy.signal import StateSpace, lsim

from freefloat.arrays import Array
from freefloat.estimate.flight import Flight
from freefloat.estimate.linear.total_least_squares import TotalLeastSquares
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check
from freefloat.studies.spirolazzi.cluster_table import cluster_table
from freefloat.studies.spirolazzi.oossim import STUDY, OosSim

_FINER = 20  # steps of the facility's response between samples

Readings = Callable[[OosSim, Mapping[str, float]], Array]


def constant_lag(experiment: OosSim, numbers: Mapping[str, float]) -> Array:
    """Rates of `lag_s` ago, (n, 3) [rad/s]."""
    return experiment.rates(_times(experiment) - numbers["lag_s"])


def drifting_lag(experiment: OosSim, numbers: Mapping[str, float]) -> Array:
    """A lag of `lag_s` in the middle that grows by `drift` seconds a second."""
    t = _times(experiment)
    return experiment.rates(t - numbers["lag_s"] - numbers["drift"] * (t - 0.5 * t[-1]))


def lag_and_gain(experiment: OosSim, numbers: Mapping[str, float]) -> Array:
    """Rates of `lag_s` ago, too large by the part `gain`."""
    return constant_lag(experiment, numbers) * (1.0 + numbers["gain"])


def delayed_admittance(experiment: OosSim, numbers: Mapping[str, float]) -> Array:
    """A facility that follows the rates of `lag_s` ago like a critically damped spring of `natural_rad_s`."""
    t, natural = _times(experiment), numbers["natural_rad_s"]
    fine = np.linspace(t[0], t[-1], _FINER * (t.size - 1) + 1)
    wanted = experiment.rates(fine - numbers["lag_s"])
    A = np.array([[0.0, 1.0], [-(natural**2), -2.0 * natural]])
    spring = StateSpace(A, np.array([[0.0], [natural**2]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)))
    return np.column_stack([lsim(spring, column, fine)[1][::_FINER] for column in wanted.T])


WAYS: Mapping[str, tuple[str, Readings]] = {
    "constant_lag": ("a constant lag", constant_lag),
    "drifting_lag": ("a lag that drifts", drifting_lag),
    "delayed_admittance": ("a delayed admittance", delayed_admittance),
    "lag_and_gain": ("a constant lag and a gain", lag_and_gain),
}


def explained(experiment: OosSim, way: str, numbers: Mapping[str, float] | None = None) -> float:
    """Share of the errors of Table 6.5 that a way explains. numbers: those of the study's file unless given."""
    w = WAYS[way][1](experiment, numbers or published(STUDY)["delays"][way])
    problem = experiment.posed(Flight(replace(experiment.samples, w=w, v=None)))
    found, table = TotalLeastSquares("plain").estimate(problem), cluster_table(STUDY)
    printed = table.clusters("estimate")
    rest, error = found.values[table.places(found.names)] - printed, printed - table.clusters("true_value")
    left = [(rest[rows] @ rest[rows]) / (error[rows] @ error[rows]) for rows in (table.big, ~table.big)]
    return 1.0 - float(np.mean(left))


def delay_checks(experiment: OosSim) -> Iterator[Check]:
    """A row a way."""
    for way, (words, _) in WAYS.items():
        numbers = ", ".join(f"{name} {value:.4g}" for name, value in published(STUDY)["delays"][way].items())
        yield Check(
            f"spirolazzi.oossim.delay.{way}.explained",
            f"OOS-SIM: share of the errors of Table 6.5 that {words} explains",
            1.0,
            explained(experiment, way),
            better="higher",
            tolerance=0.1,
            comparable=False,
            note=f"{numbers}: ours, chosen so that it is most; no noise, total least squares",
        )


def _times(experiment: OosSim) -> Array:
    return experiment.samples.need("t", "a run")
