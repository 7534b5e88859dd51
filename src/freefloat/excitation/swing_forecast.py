"""What a planned motion will tell: of clusters, of springs, and of the modes that springs and bodies make.

Springs are unknowns of the bound itself. A mode's frequency and damping ratio are functions of springs and of the
robot's parameters, whose errors go together: their standard deviations are those of the functions' first derivatives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.mode_slopes import ModeSlopes, mode_slopes
from freefloat.dynamics.swinging import fastest_swing
from freefloat.estimate.bound.bound import Bound
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import SPRINGS, parameter_columns, unknowns_of
from freefloat.excitation.excitation import Prediction
from freefloat.excitation.goals.accuracy import Accuracy
from freefloat.robot.model import Robot

_PER_SWING = 8.0  # samples of a plan per period of the fastest swing
_OF_MODES = ("frequency of mode", "damping ratio of mode")


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """What will be known after a motion.

    clusters: each of them. spreads: their standard deviations in the CAD model, (c,). swings: stiffness and damping of
    passive joints, frequency and damping ratio of modes.
    """

    clusters: tuple[Prediction, ...]
    spreads: Array
    swings: tuple[Prediction, ...]

    @classmethod
    def of(cls, problem: Problem, bound: Bound) -> Forecast:
        """Of a problem that is planned, by its bound."""
        named = zip(bound.names, bound.values.tolist(), bound.sd.tolist(), strict=True)
        spreads = np.sqrt(np.diagonal(problem.cad_covariance))
        return cls(tuple(Prediction(*each) for each in named), spreads, swing_predictions(problem, bound))

    def accuracy(self, kind: type[Accuracy], weights: Mapping[str, float]) -> float:
        """The value of a goal on the accuracy of clusters; weights: of those that are named, one for others."""
        c = len(self.clusters)
        share = np.array([weights.get(each.name, 1.0) for each in self.clusters])
        goal = kind(np.zeros((c, c)), np.eye(c), share, sizes=np.where(self.spreads > 0.0, self.spreads, 1.0))
        return goal.mean(np.array([each.sd for each in self.clusters]) ** 2)[0]

    def modes(self) -> float:
        """Mean logarithm of standard deviations over values, of frequencies and damping ratios of all modes."""
        relative = [each.relative for each in self.swings if each.name.startswith(_OF_MODES)]
        return float(np.mean(np.log(relative))) if relative else np.inf


def samples_needed_Hz(robot: Robot) -> float:
    """Rate of samples at which nothing that swings is missed [Hz]; zero where nothing does."""
    return _PER_SWING * fastest_swing(robot) if robot.passive.size else 0.0


def swing_predictions(problem: Problem, bound: Bound) -> tuple[Prediction, ...]:
    """Of stiffness and damping of every passive joint, then of frequency and damping ratio of every mode."""
    robot = problem.robot
    if not robot.passive.size:
        return ()
    unknowns = unknowns_of(problem)
    place = unknowns.find(SPRINGS)
    assert place is not None
    labels, sd = unknowns.labels[place], np.sqrt(np.diagonal(bound.full_covariance))
    springs = zip(labels, unknowns.mean[place].tolist(), sd[place].tolist(), strict=True)
    found = [Prediction(*each) for each in springs]
    if not robot.gravity.any():
        found += _modes(problem, bound, mode_slopes(robot), place)
    return tuple(found)


def _modes(problem: Problem, bound: Bound, slopes: ModeSlopes, springs: slice) -> list[Prediction]:
    columns, found = parameter_columns(problem, unknowns_of(problem)), []
    for kind, values, by_parameters, by_springs in (
        ("frequency", slopes.frequency_Hz, slopes.frequency_by_parameters, slopes.frequency_by_springs),
        ("damping ratio", slopes.damping_ratio, slopes.damping_by_parameters, slopes.damping_by_springs),
    ):
        by = np.zeros((values.size, len(bound.full_covariance)))
        by[:, : columns.size], by[:, springs] = by_parameters[:, columns], by_springs
        sd = np.sqrt(np.einsum("ku,uv,kv->k", by, bound.full_covariance, by))
        sizes = values if kind == "frequency" else np.ones_like(values)
        for number, value in enumerate(values.tolist()):
            joint = problem.robot.passive_names[int(slopes.joint[number])]
            found.append(Prediction(f"{kind} of mode {number + 1} ({joint})", value, float(sizes[number] * sd[number])))
    return found
