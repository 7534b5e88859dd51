"""Sentences about a linear estimate: what was not seen, what not to trust, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.estimate.equations import Equations
from freefloat.estimate.estimate import Residual
from freefloat.robot.transform import Array

_NAMED = 3  # clusters of a direction, and directions, that are named
_SMALL = 0.1  # of the largest part of a direction
_ALONG = 0.5  # cosine with the CAD model itself, which may be somewhat wrong: the direction is the scale
SCALE = "the common scale of all clusters"
_TOO_LARGE, _TOO_SMALL = 1.5, 0.67


def held_in_words(equations: Equations, unseen: Array) -> tuple[str, ...]:
    """What each unseen direction is, shape (k, clusters) in units of the CAD model's spread."""
    return tuple(_direction(equations, row) for row in unseen)


def _direction(equations: Equations, row: Array) -> str:
    sd = np.sqrt(np.maximum(np.diagonal(equations.cad_covariance), 0.0))
    whole = equations.cad / np.where(sd > 0.0, sd, np.inf)
    homogeneous = not equations.right.any()  # any multiple of a solution is one, so that no data show the scale
    if homogeneous and abs(float(row @ whole)) > _ALONG * float(np.linalg.norm(whole)):
        return SCALE
    order = np.argsort(-np.abs(row))
    large = [index for index in order if abs(row[index]) > _SMALL * abs(row[order[0]])]
    names = [equations.minimal.leaders[index] for index in large[:_NAMED]]
    if len(large) == 1:
        return names[0]
    more = f" and {len(large) - _NAMED} more" if len(large) > _NAMED else ""
    return f"a combination of {', '.join(names)}{more}"


def sentences(
    equations: Equations, sd: Array, held: tuple[str, ...], residual: Residual, bias: Array | None
) -> Iterator[str]:
    """Warnings, each with advice."""
    if held:
        more = f"; and {len(held) - _NAMED} more directions" if len(held) > _NAMED else ""
        shown = "; ".join(held[:_NAMED]) + more
        yield f"the data do not show {shown}: held at the CAD model. {_remedy(held)}"
    if residual.ratio > _TOO_LARGE:
        yield (
            f"the residual is {residual.ratio:.2g} times what the sensors' noise explains: the model lacks something, "
            "such as a time offset or a body, or the sensors are worse than they say"
        )
    if residual.ratio < _TOO_SMALL:
        yield f"the residual is only {residual.ratio:.2g} of what the sensors' noise explains: it is stated too large"
    if residual.white is False:
        yield (
            "the residual is not white: something lasts over several samples (a sensor's bias or hold, a time offset, "
            "a body that the model lacks), so that intervals are too narrow; maximum-likelihood can estimate most of it"
        )
    yield from _shifted(equations, sd, bias)


def _remedy(held: tuple[str, ...]) -> str:
    if SCALE in held:
        return (
            "Nothing known enters the equations: spin a wheel, declare known what fills a cluster of its own, or "
            "measure torques."
        )
    return "Move more joints and in more ways, or declare known what is."


def _shifted(equations: Equations, sd: Array, bias: Array | None) -> Iterator[str]:
    """Where noise in the columns moves clusters by more than their standard deviation."""
    c = len(equations.minimal)
    if bias is None or not (sd[:c] > 0.0).any():
        return
    shift = np.abs(bias[:c]) / np.where(sd[:c] > 0.0, sd[:c], np.inf)
    many, worst = int((shift > 1.0).sum()), int(np.argmax(shift))
    if many:
        yield (
            f"noise in the measured rates is expected to shift {many} of {c} clusters by more than their standard "
            f"deviation, {equations.minimal.leaders[worst]} the most, by {shift[worst]:.2g} of them; bias-compensated "
            "allows for it"
        )
