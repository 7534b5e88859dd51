"""Limits that no motion can keep, in words.

Some are seen before any search: a box without room, and whatever the ends of the motion fix, since no coefficient acts
there. Others a search finds: then the limits that pull hardest against each other are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.errors import BadResult, FreefloatError
from freefloat.excitation.limits.box import BoxLimit
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.limits.wheels import WheelRate
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.excitation.sheet import in_words
from freefloat.motion.trajectory import LinearMap

_KEPT = -1e-9  # a margin that is as near as this counts as kept
_NOTHING = 1e-11  # of the largest derivative: what is smaller is rounding
_SHARE = 1e-3  # of the tightest limit's weight: what weighs less takes no part in a conflict
_MOST = 3  # limits named in one sentence


class Infeasible(FreefloatError):
    """No motion keeps all limits."""


class NoMotionFound(Infeasible, BadResult):
    """A search found no motion that keeps all limits."""


def violations(limits: Sequence[Limit], motion: PlannedMotion) -> list[Array]:
    """By how much each margin of each limit is missed, zero where it is kept, one array (m,) per limit."""
    return [np.maximum(-limit.margins(motion), 0.0) for limit in limits]


def conflict_sentence(limits: Sequence[Limit], weights: Sequence[Array], motion: PlannedMotion) -> str:
    """Which limits a search could not bring together, the tightest first.

    weights: how hard each margin pulls, one array (m,) per limit: its multiplier. Violations count where all are zero.
    motion: the best that was found.
    """
    if not any(np.any(weight) for weight in weights):
        weights = violations(limits, motion)
    pull = np.array([np.max(weight, initial=0.0) for weight in weights])
    order = np.argsort(-pull, kind="stable")[:_MOST]
    named = [_tightness(limits[k], motion) for k in order if pull[k] > _SHARE * pull.max()]
    if not named:
        return "no motion was found that keeps every limit"
    if len(named) == 1:
        return f"no motion was found that keeps {named[0]}"
    return f"no motion was found that keeps all limits: {named[0]} conflicts with {' and '.join(named[1:])}"


def refuse_impossible(limits: Sequence[Limit], motion: PlannedMotion) -> None:
    """Raise `Infeasible` where no choice of coefficients can help.

    motion: of any coefficients, zero for instance; only what they cannot change is judged.
    """
    found = [sentence for limit in limits for sentence in _faults(limit, motion)]
    if found:
        more = f"; and {len(found) - _MOST} more" if len(found) > _MOST else ""
        raise Infeasible("; ".join(found[:_MOST]) + more)


def _faults(limit: Limit, motion: PlannedMotion) -> list[str]:
    """A sentence if the limit cannot be kept."""
    if isinstance(limit, BoxLimit) and not limit.lowest <= limit.highest:
        lowest, highest = _said(limit, limit.lowest), _said(limit, limit.highest)
        return [f"{limit.name} has no room: the lowest value allowed is {lowest}, the highest {highest}"]
    margins = limit.margins(motion)
    bad = np.flatnonzero(margins < _KEPT)
    fixed = bad[_unchangeable(limit, motion, bad)]
    if not fixed.size:
        return []
    row = int(fixed[np.argmin(margins[fixed])])
    when = f"at {limit.instants(motion)[row]:.4g} s, which no coefficient can change"
    if isinstance(limit, BoxLimit):
        value = limit.values(motion)[row % motion.t.size] + 0.0  # which turns -0 to 0
        allowed = f"{_said(limit, limit.lowest)} to {_said(limit, limit.highest)}"
        return [f"{limit.name} is {_said(limit, value)} {when}; allowed: {allowed}"]
    short = -margins[row] * limit.size if limit.linear else -limit.slack(_at_start(motion))
    return [f"{limit.name} is short by {_said(limit, short, 3)} {when}"]


def _unchangeable(limit: Limit, motion: PlannedMotion, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Of each margin whether it is the same for all coefficients.

    Of a limit that is not linear this is known at the first instant only, where nothing has moved yet.
    """
    if not limit.linear:
        return (limit.instants(motion)[rows] == motion.t[0]) & _starts_fixed(motion)
    slopes = np.abs(limit.jacobian(motion, np.arange(limit.instants(motion).size))).max(axis=1, initial=0.0)
    return slopes[rows] <= _NOTHING * slopes.max(initial=0.0)


def _starts_fixed(motion: PlannedMotion) -> bool:
    """Whether no coefficient acts on position, rate or acceleration at the first instant."""
    linear = motion.linear
    bases = (linear.basis, linear.basis_rate, linear.basis_acceleration)
    return all(np.abs(basis[0]).max() <= _NOTHING * np.abs(basis).max() for basis in bases)


def _at_start(motion: PlannedMotion) -> PlannedMotion:
    """The first instant alone."""
    first = {part.name: getattr(motion.linear, part.name)[:1] for part in fields(motion.linear)}
    return replace(motion, linear=LinearMap(**first))


def _tightness(limit: Limit, motion: PlannedMotion) -> str:
    """The limit's name, and by how much and when it is missed."""
    slack, when = limit.slack(motion), limit.instants(motion)[np.argmin(limit.margins(motion))]
    if slack < 0.0:
        return f"{limit.name} (short by {_said(limit, -slack, 3)} at {when:.4g} s)"
    return f"{limit.name} (at its bound at {when:.4g} s)"


def _said(limit: Limit, value: float, digits: int = 4) -> str:
    """With the unit in which robot and mission files give it: degrees for all that turns but wheels."""
    if isinstance(limit, WheelRate):
        return f"{value:.{digits}g} {limit.unit}"
    return in_words(value, limit.unit, digits)
