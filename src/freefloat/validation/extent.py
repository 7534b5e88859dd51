"""How much a validation flight shows: what the prediction depends on, and what the flight alone would tell.

The estimate that growing windows of the flight would give, from the CAD model's spread about the estimate, is that of
M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", 2022, figure 4.8, to
first order: every window uses the derivatives of the whole fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.single_body import about_centre
from freefloat.frozen import Content
from freefloat.models.names import cluster_words
from freefloat.robot.parameters import PER_BODY, com_of, inertia_entries
from freefloat.validation.base_motion import BaseMotionPrediction
from freefloat.validation.checks import information_on
from freefloat.validation.fits import FittedPrediction, inverse
from freefloat.validation.prediction import PredictedReading, Predictor

_WINDOWS = 10
_CLAIMED = 0.03  # relative standard deviation of a cluster that the estimate claims to know
_OFF, _SURE = 0.1, 3.3  # error of a cluster that a flight should tell, by so many standard deviations


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Of a prediction to one cluster.

    formula: what the cluster is made of. change: of the first channel were the cluster off by its whole value, rms
    over time and axes [unit]. by_own_sd: the same for its standard deviation. share: of the variance that the
    estimate gives the prediction.
    """

    name: str
    formula: str
    value: float
    change: float
    by_own_sd: float
    share: float
    unit: str

    @property
    def words(self) -> str:
        """The name, with a sign that there is more to the cluster than that."""
        return cluster_words(self.name, self.formula)


@dataclass(frozen=True, slots=True, eq=False)
class Windows(Content):
    """What growing windows say of the clusters: ends, shape (w,) [s]; shift from the estimate, and sd, (w, c) each."""

    names: tuple[str, ...]
    ends_s: Array
    shift: Array
    sd: Array

    def __post_init__(self) -> None:
        self._protect("ends_s", "shift", "sd")


def sensitivities(fitted: FittedPrediction, readings: tuple[PredictedReading, ...]) -> tuple[Sensitivity, ...]:
    """Of the first channel's prediction to every cluster, the largest first."""
    claimed, first = fitted.prediction.claimed, readings[0]
    chosen = [part for part, reading in zip(fitted.rows, readings, strict=True) if reading.channel == first.channel]
    p = claimed.theta.size
    J = np.concatenate([part.jacobian[..., :p].reshape(-1, p) for part in chosen])
    size = float(np.sqrt((first.noise**2).mean()))
    unit_change = size * np.sqrt(((J @ claimed.by_cluster) ** 2).mean(axis=0))
    variance = size**2 * float(((J @ claimed.root) ** 2).sum(axis=1).mean())
    sd = np.where(np.isfinite(claimed.sd), claimed.sd, 0.0)
    own = unit_change * sd
    found = [
        Sensitivity(
            name,
            formula,
            float(value),
            float(change * abs(value)),
            float(by_sd),
            float(by_sd**2 / max(variance, 1e-300)),
            first.unit,
        )
        for name, formula, value, change, by_sd in zip(
            claimed.names, claimed.formulas, claimed.values, unit_change, own, strict=True
        )
    ]
    return tuple(sorted(found, key=lambda each: -each.change))


def hidden_clusters(fitted: FittedPrediction) -> tuple[list[str], int]:
    """Clusters that the estimate claims to know and of which this flight would not tell a tenth; how many it claims.

    Of one body without joints, mass, centre of mass and inertia about it stand for the clusters: these are known where
    nothing shows the mass, which all moments about another point hold.
    """
    claimed, p = _claims(fitted.prediction), fitted.freedom.theta.size
    known = np.flatnonzero(claimed.sd < _CLAIMED * np.abs(claimed.values))
    m = fitted.freedom.size
    J = np.hstack([fitted.by_point[:, :p] @ claimed.by_claim[:, known], fitted.J[:, m:]])
    size = known.size + fitted.y.size - m
    prior = np.zeros((size, size))
    prior[known.size :, known.size :] = fitted.prior[m:, m:]
    alone = np.sqrt(np.maximum(np.diagonal(information_on(J, prior, known.size)), 0.0))
    hidden = alone * _OFF * np.abs(claimed.values[known]) < _SURE
    return [claimed.names[place] for place in known[hidden]], int(known.size)


@dataclass(frozen=True, slots=True, eq=False)
class _Claims:
    """What an estimate may claim to know: values and standard deviations, shape (c,) each.

    by_claim: derivative of the prediction's parameters by each with the others held, shape (p, c).
    """

    names: tuple[str, ...]
    values: Array
    sd: Array
    by_claim: Array


def _claims(prediction: Predictor) -> _Claims:
    if isinstance(prediction, BaseMotionPrediction) and prediction.estimate.robot.parameters.size == PER_BODY:
        return _of_one_body(prediction)
    claimed = prediction.claimed
    return _Claims(claimed.names, claimed.values, claimed.sd, claimed.by_cluster)


def _of_one_body(prediction: BaseMotionPrediction) -> _Claims:
    """Mass, centre of mass and inertia about it, as far as they are estimated and the motion can depend on them."""
    estimate, quantities = prediction.estimate, about_centre(prediction.estimate)
    mass = estimate.sd[estimate.minimal.kept == 0]
    names = ("the mass", *(each.name.replace("about it", "about the centre of mass") for each in quantities))
    values = np.array([estimate.parameters[0], *(each.value for each in quantities)])
    sd = np.array([mass[0] if mass.size else 0.0, *(each.sd for each in quantities)])
    by_claim = prediction.problem.minimal.combine @ _by_mass_centre_inertia(estimate.parameters)
    told = (sd > 0.0) & by_claim.any(axis=0)
    return _Claims(tuple(np.array(names)[told].tolist()), values[told], sd[told], by_claim[:, told])


def _by_mass_centre_inertia(phi: Array) -> Array:
    """Derivative of a body's ten parameters by its mass, its centre of mass and its inertia about that, (10, 10)."""
    m, c = phi[0], com_of(phi)
    by = np.zeros((PER_BODY, PER_BODY))
    by[0, 0], by[1:4, 0], by[1:4, 1:4] = 1.0, c, m * np.eye(3)
    by[4:, 0] = inertia_entries((c @ c) * np.eye(3) - np.outer(c, c))
    for axis, unit in enumerate(np.eye(3)):
        by[4:, 1 + axis] = m * inertia_entries(2.0 * c[axis] * np.eye(3) - np.outer(unit, c) - np.outer(c, unit))
    by[4:, 4:] = np.eye(6)
    return by


def windows(fitted: FittedPrediction, readings: tuple[PredictedReading, ...]) -> Windows:
    """What the first tenth of the flights, then two of them, and so on, would have said."""
    claimed, p, c = fitted.prediction.claimed, fitted.freedom.theta.size, fitted.prediction.claimed.values.size
    moved = fitted.point[:p] - claimed.theta
    size = c + fitted.nu.size
    N, g = np.zeros((_WINDOWS, size, size)), np.zeros((_WINDOWS, size))
    for part, reading in zip(fitted.rows, readings, strict=True):
        J = part.jacobian.reshape(-1, part.jacobian.shape[2])
        at_estimate = part.values.ravel() + J[:, :p] @ moved + J[:, p:] @ fitted.nu
        own = np.hstack([J[:, :p] @ claimed.by_cluster, J[:, p:]])
        edges = np.searchsorted(reading.t, _ends(reading), side="right") * part.values.shape[1]
        for place, (low, high) in enumerate(zip([0, *edges[:-1]], edges, strict=True)):
            N[place] += own[low:high].T @ own[low:high]
            g[place] += own[low:high].T @ at_estimate[low:high]
    N, g = np.cumsum(N, axis=0), np.cumsum(g, axis=0)
    N[:, :c, :c] += inverse(claimed.spread)
    N[:, c:, c:] += fitted.prediction.information
    g[:, c:] += fitted.prediction.information @ fitted.prediction.mean
    covariance = np.stack([inverse(each) for each in N])
    shift = (covariance @ g[:, :, None])[:, :c, 0]
    sd = np.sqrt(np.maximum(np.diagonal(covariance, axis1=1, axis2=2)[:, :c], 0.0))
    first = readings[0]
    return Windows(claimed.names, _ends(first) - first.t[0], shift, sd)


def _ends(reading: PredictedReading) -> Array:
    return np.asarray(np.linspace(reading.t[0], reading.t[-1], _WINDOWS + 1)[1:])
