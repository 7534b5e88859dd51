"""How wide the CAD model's spread must be for the data: its masses, centres of mass and inertias, each by evidence.

Near a fit the data say of the clusters theta: information N and N theta_d, everything else allowed for. With spreads
scaled by s the prior is N(cad, S(s)), S(s) = s_m^2 S_m + s_c^2 S_c + s_I^2 S_I, and the data have the evidence

    -1/2 log |E + R^T N R| - 1/2 d^T N d + 1/2 |(E + R^T N R)^-1/2 R^T N d|^2,   R R^T = S(s),  d = theta_d - cad

(empirical Bayes; D. J. C. MacKay, Neural Computation 4, 1992). Before that is looked for, the data are compared with
what the prior predicts of them (G. E. P. Box, Journal of the Royal Statistical Society A 143, 1980): along an
eigenvector u of R^T N R with value m, z = u^T R^T N d / sqrt(m (1 + m)) is N(0, 1). Spreads are widened only, and only
where the evidence for it is clear: a CAD model that happens to be good is no promise that it is so elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from freefloat.arrays import Array
from freefloat.estimate.likelihood.levenberg_marquardt import Fit
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import Unknowns

KINDS = ("mass", "com", "inertia")
_WIDEST = 30.0
_CLEAR = 4.0  # gain in log evidence for which spreads are widened
_USUAL = 0.7  # spread of the logarithm of a scale before the data
_SEEN, _NUMERICAL = 1e-2, 1e-11  # of the prior's information, of the largest: directions that data say something of
_UNLIKELY = 2.0  # standard deviations of the sum of squares beyond which spreads are looked for
_FIRST = 0.7 * np.vstack([np.zeros(3), np.eye(3)])  # logarithms of scales that are tried first


def wider_spread(problem: Problem, unknowns: Unknowns, fit: Fit) -> CadSpread | None:
    """The spread that the data ask for; None if they are content with what was given, or it was none."""
    spread, c = problem.prior, len(problem.minimal)
    if spread is None or not c:
        return None
    N, right = _of_clusters(fit, unknowns, c)
    given = [_part(problem, spread, kind) for kind in KINDS]
    always = problem.spread_of_clusters(CadSpread(0.0, 0.0, 0.0, spread.unknown))
    pull = right - N @ problem.cad  # N d
    if _as_predicted(always + sum(given), N, pull):
        return None

    def cost(logs: Array) -> float:
        S = always + sum(np.exp(2.0 * log) * part for log, part in zip(logs, given, strict=True))
        return _minus_evidence(S, N, pull) + 0.5 * float(((logs / _USUAL) ** 2).sum())

    stops = {"initial_simplex": _FIRST, "xatol": 0.05, "fatol": 0.1, "maxfev": 120}
    found = minimize(cost, _FIRST[0], bounds=[(0.0, np.log(_WIDEST))] * 3, method="Nelder-Mead", options=stops)
    if cost(np.zeros(3)) - found.fun < _CLEAR:
        return None
    scales = dict(zip(KINDS, np.exp(found.x).tolist(), strict=True))
    return replace(spread, **{kind: getattr(spread, kind) * scale for kind, scale in scales.items()})


def _part(problem: Problem, spread: CadSpread, kind: str) -> Array:
    """Covariance of the clusters by the spread of one kind alone, (c, c)."""
    nothing = tuple(replace(body, mass_kg=0.0) for body in spread.unknown)
    alone = {each: getattr(spread, each) if each == kind else 0.0 for each in KINDS}
    return problem.spread_of_clusters(CadSpread(**alone, unknown=nothing))


def _of_clusters(fit: Fit, unknowns: Unknowns, c: int) -> tuple[Array, Array]:
    """What the data say of the clusters with everything else allowed for: N, (c, c), and N theta_d, (c,).

    At the fit the pull of the data is that of the prior, so that both follow from the information alone.
    """
    prior = unknowns.information
    right = fit.data @ fit.point + prior @ (fit.point - unknowns.mean)
    beside = fit.data[c:, c:] + prior[c:, c:]
    right_beside = right[c:] + prior[c:, c:] @ unknowns.mean[c:]
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(beside), 1e-300))
    solved = (
        scale[:, None]
        * np.linalg.lstsq(
            beside * np.outer(scale, scale),
            scale[:, None] * np.column_stack([fit.data[c:, :c], right_beside]),
            rcond=1e-14,
        )[0]
    )
    N = fit.data[:c, :c] - fit.data[:c, c:] @ solved[:, :-1]
    return 0.5 * (N + N.T), right[:c] - fit.data[:c, c:] @ solved[:, -1]


def _as_predicted(S: Array, N: Array, pull: Array) -> bool:
    """Whether the data are as far from the CAD model as its spread has it."""
    R = _root(S)
    m, U = np.linalg.eigh(R.T @ N @ R)
    seen = m > max(_SEEN, _NUMERICAL * float(m[-1]))
    z = (U[:, seen].T @ (R.T @ pull)) / np.sqrt(m[seen] * (1.0 + m[seen]))
    return float(z @ z) < z.size + _UNLIKELY * np.sqrt(2.0 * z.size)


def _minus_evidence(S: Array, N: Array, pull: Array) -> float:
    """Of the data, but for what does not depend on the prior's covariance S."""
    R = _root(S)
    values, vectors = np.linalg.eigh(R.T @ N @ R)
    inner = 1.0 + np.maximum(values, 0.0)  # of data that hardly say anything, rounding makes some negative
    along = vectors.T @ (R.T @ pull)
    return 0.5 * float(np.log(inner).sum() - along**2 @ (1.0 / inner))


def _root(S: Array) -> Array:
    """R with R R^T = S, (c, c)."""
    scale = np.sqrt(np.maximum(np.diagonal(S), 1e-300))
    values, vectors = np.linalg.eigh(S / np.outer(scale, scale))
    return np.asarray(scale[:, None] * (vectors * np.sqrt(np.maximum(values, 0.0))))
