"""Which mistake in the data explains a motion that the robot's model does not.

Rates as recorded, and with every possible mistake undone, are compared with the CAD model (`rate_comparison.py`); where
no mistake in them is found, attitudes are compared with rates and velocities with the CAD model
(`attitude_comparison.py`, `velocity_comparison.py`). All are looked at in one linear step, the best refined. A mistake
is named only if the data agree with the model once it is undone, and several times better than before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import AXES
from freefloat.dynamics.reaction import NotPossible
from freefloat.dynamics.samples import UNCLAIMED_WHEEL
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.attitude_comparison import attitude_faults
from freefloat.estimate.causes.flight_view import FlightView
from freefloat.estimate.causes.possible_faults import Fault, no_fault, possible_faults, turned_gyro
from freefloat.estimate.causes.rate_comparison import Agreement, RateComparison
from freefloat.estimate.causes.velocity_comparison import velocity_faults
from freefloat.estimate.problem import Problem
from freefloat.robot.rotations import exponential, logarithm

_COARSE, _FINE = (0.03,), (0.03, 0.003, 0.003)
_CANDIDATES = 6
_MARGIN = 4.0  # times less cost than the data as recorded
_AS_GOOD = 2.0  # times the cost of the best: cannot be told from it
_LEFT, _SPREADS = 0.05, 25.0  # largest unexplained share, mean square of spreads from the CAD model: still plausible
_HEARD = 10.0  # times its noise that a gyro should show
_TURNED_RAD, _FREE_RAD = 0.05, 0.5  # least turn worth a word; standard deviation of it while it is sought
_TURNS = (_COARSE, _COARSE, _FINE, _FINE)


@dataclass(frozen=True, slots=True)
class Search:
    """What was found.

    recorded: agreement of the data as they are: of those that the faults are in, of the rates if there are none.
    faults: those that explain them and cannot be told from each other, with the agreement once each is undone, the best
    first; empty if none does.
    """

    recorded: Agreement
    faults: tuple[tuple[Fault, Agreement], ...]


def plausible(found: Agreement) -> bool:
    """Whether a model not too far from the CAD model explains nearly everything."""
    return found.left < _LEFT and found.spreads < _SPREADS


def search_faults(problem: Problem) -> Search | None:
    """Compare data and model with and without mistakes; None where no rates of a base that reacts are recorded."""
    if problem.robot.base == "fixed" or not (comparison := RateComparison(problem)).flights:
        return None
    unknown = all(flight.momentum.is_unknown for flight in comparison.flights)
    known = [name for name in problem.known if name in problem.robot.body_names]
    faults = list(possible_faults(problem.robot, unknown, _unclaimed_wheels(comparison), known))
    costs = [comparison.agreement(fault, _COARSE).cost for fault in faults]
    recorded = comparison.agreement(no_fault(problem.robot), _FINE)
    tried = [(faults[k], comparison.agreement(faults[k], _FINE)) for k in np.argsort(costs)[:_CANDIDATES]]
    named = _named(recorded, tried)
    if not named and problem.robot.base == "free":
        turned = _turned(comparison)
        named = _named(recorded, [(turned, comparison.agreement(turned, _FINE))]) if turned is not None else ()
    return Search(recorded, named) if named else _in_other_sensors(comparison) or Search(recorded, ())


def _in_other_sensors(comparison: RateComparison) -> Search | None:
    """A mistake in attitudes or velocities; None if there is none."""
    for found in (attitude_faults(comparison.problem), velocity_faults(comparison)):
        if found is not None and (named := _named(*found)):
            return Search(found[0], named)
    return None


def _unclaimed_wheels(comparison: RateComparison) -> list[str]:
    """Wheels whose rates every flight has, and that the robot has not."""
    held = [set(flight.samples.others or {}) for flight in comparison.flights]
    found = sorted(name for name in set.intersection(*held) if name.startswith(UNCLAIMED_WHEEL))
    return [name.removeprefix(UNCLAIMED_WHEEL) for name in found]


def _named(recorded: Agreement, tried: list[tuple[Fault, Agreement]]) -> tuple[tuple[Fault, Agreement], ...]:
    """Faults that explain the data, the best first."""
    best = min(found.cost for _, found in tried)
    if not _MARGIN * best < recorded.cost:
        return ()
    alike = [(fault, found) for fault, found in tried if plausible(found) and found.cost < _AS_GOOD * best]
    return tuple(sorted(alike, key=lambda each: each[1].cost))


def _turned(comparison: RateComparison) -> Fault | None:
    """The gyro turned against the base so that the data agree best; None if it is hardly turned at all."""
    R, robot = np.eye(3), comparison.problem.robot
    for shares in _TURNS:
        found = comparison.agreement(turned_gyro(robot, R), shares, _FREE_RAD)
        if not found.turn:
            return None
        R = exponential(np.array([found.turn]))[0] @ R
    return turned_gyro(robot, R) if float(np.linalg.norm(logarithm(R[None]))) > _TURNED_RAD else None


def dead_axes(problem: Problem) -> Iterator[Cause]:
    """Each axis of a gyro that shows nothing but noise where the CAD model says that the base turns about it."""
    recorded, several = no_fault(problem.robot), len(problem.flights) > 1
    for flight in problem.flights:
        if problem.robot.base == "fixed" or flight.samples.w is None or flight.samples.dq is None:
            continue
        view = FlightView(problem, flight, recorded)
        with suppress(NotPossible):
            motion = view.motion(np.zeros(len(problem.minimal)), view.first())
            expected = (motion.w[:, view.turning] @ view.to_gyro.T).std(axis=0)
            for row in np.flatnonzero(~view.alive & (expected > _HEARD * view.noise)):
                where, axis = f"{flight.name}: " if several else "", AXES[view.turning[row]]
                what = (
                    f"{where}gyro {axis} shows nothing but noise, where the CAD model expects {expected[row]:.2g} "
                    "rad/s: a dead or missing sensor"
                )
                yield Cause("dead", f"gyro {axis}", what, np.nan, np.nan, 1.0, cure="repair it or leave it out")
