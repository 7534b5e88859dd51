"""Estimates made by hand: clusters of a robot that is known, with a covariance that is chosen."""

import numpy as np

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Residual
from freefloat.estimate.prior import CadSpread
from freefloat.models.model import Momentum, Torque
from freefloat.robot.parameters import PER_BODY, pseudo_inertia
from freefloat.robot.selection import select_parameters


def estimate_of(robot, cad=None, relative=1e-3, seed=None, known=(), zero=(), **fields):
    """The clusters of `robot`, found by somebody whose CAD model is `cad`, by default the same.

    relative: standard deviation of a cluster over its size; errors of that size are added where a seed is given.
    """
    cad = robot if cad is None else cad
    model = (Torque if robot.base == "fixed" else Momentum)(cad, tuple(known), tuple(zero))
    phi = np.zeros_like(robot.parameters)
    phi[model.unknown] = robot.parameters[model.unknown]
    values = model.minimal.values(phi)
    sd = relative * np.maximum(np.abs(values), 0.01 * np.abs(values).max())
    if seed is not None:
        values = values + sd * np.random.default_rng([seed, 41]).normal(size=sd.size)
    given = {"covariance": np.diag(sd**2), "residual": Residual(1.0, None, 1000, len(values))} | fields
    return Estimate(
        "by-hand",
        "momentum",
        cad,
        dict.fromkeys(known, 0.0),
        tuple(zero),
        model.minimal,
        values,
        cad=model.values(),
        **given,
    )


def wrong_cad(robot, seed, share=1.0, keep=()):
    """A CAD model that is wrong by `share` of its usual spread, its bodies possible or not, masses positive."""
    rng = np.random.default_rng([seed, 43])
    values, vectors = np.linalg.eigh(CadSpread().covariance(robot))
    while True:
        error = share * vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.normal(size=values.size))
        error[select_parameters(robot, keep)] = 0.0
        if ((robot.parameters + error)[::PER_BODY] > 0.0).all():
            return robot.with_parameters(robot.parameters + error)


def smallest_eigenvalues(parameters):
    """Of the pseudo-inertia of every body."""
    return np.array([np.linalg.eigvalsh(pseudo_inertia(phi))[0] for phi in np.reshape(parameters, (-1, PER_BODY))])
