"""A body of which nothing is known, fixed to one of the robot's: put there, and found again in an estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import UnknownName
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.prior import UnknownBody
from freefloat.estimate.single_body import body_about_centre
from freefloat.models.names import cluster_unit
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.parts import Body, Joint

_ROUNDING = 1e-9  # of the weights that make up a cluster
_A_MASS = 4.0  # standard deviations from zero: of less, nobody can say where its centre is


@dataclass(frozen=True, eq=False)
class FoundBody:
    """One body of an estimate, in its own frame.

    estimate: of everything. body: its name. names: of its standard parameters that the flights show.
    values, covariance: shape (k,), (k, k) [SI]. sd: shape (k,), infinite where the flights leave one open.
    """

    estimate: Estimate
    body: str
    names: tuple[str, ...]
    values: Array
    covariance: Array
    sd: Array

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its standard parameters, and where there clearly is a mass, its centre and the inertia about it."""
        columns = zip(self.names, self.values.tolist(), self.sd.tolist(), strict=True)
        found = tuple(Quantity(name, value, sd, cluster_unit(name)) for name, value, sd in columns)
        return (*found, *self._about_centre())

    def summary(self) -> dict[str, object]:
        """As plain data: an infinite standard deviation is null."""
        listed = [
            {"name": each.name, "value": each.value, "sd": each.sd if np.isfinite(each.sd) else None, "unit": each.unit}
            for each in self.quantities
        ]
        said = {"outcome": self.estimate.outcome, "warnings": list(self.estimate.warnings)}
        return {"robot": self.estimate.robot.name, "body": self.body, "quantities": listed, **said}

    def _about_centre(self) -> tuple[Quantity, ...]:
        mass = f"m_{self.body}"
        if mass not in self.names:
            return ()
        place = self.names.index(mass)
        if not abs(self.values[place]) > _A_MASS * self.sd[place]:
            return ()
        robot = self.estimate.robot
        own = PER_BODY * robot.body_names.index(self.body) + np.arange(PER_BODY)
        shown = [robot.parameter_names.index(name) - int(own[0]) for name in self.names]
        phi, covariance = np.array(robot.parameters[own]), np.zeros((PER_BODY, PER_BODY))
        is_open = np.ones(PER_BODY, dtype=bool)
        phi[shown], is_open[shown] = self.values, ~np.isfinite(self.sd)
        covariance[np.ix_(shown, shown)] = self.covariance
        return tuple(each for each in body_about_centre("", phi, covariance, is_open) if np.isfinite(each.sd))


def with_unknown_body(robot: Robot, on: str, body: UnknownBody, guess_kg: float = 0.0) -> Robot:
    """The robot with a further body, a ball of the guessed mass at the origin of the one that it is fixed to."""
    robot.body(on)
    if body.name in [each.name for each in robot.bodies]:
        raise InvalidProblem(f"the robot has a body named {body.name} already; allowed: another name")
    ball = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0]) * body.size_m**2
    phi = guess_kg * np.concatenate([[1.0], np.zeros(3), ball])
    added = Body(body.name, on, Joint(body.name, "fixed"), parameters=phi)
    return replace(robot, bodies=(*robot.bodies, added), separate=robot.separate | {body.name})


def found_body(estimate: Estimate, body: str) -> FoundBody:
    """The clusters that are one parameter of this body alone."""
    robot, minimal = estimate.robot, estimate.minimal
    if body not in robot.body_names:
        raise UnknownName("body", body, robot.body_names)
    own = np.arange(robot.parameters.size) // PER_BODY == robot.body_names.index(body)
    weight = np.abs(minimal.combine)
    alone = (np.abs(weight[:, own].sum(axis=1) - 1.0) < _ROUNDING) & (weight[:, ~own].sum(axis=1) < _ROUNDING)
    pure = np.flatnonzero(alone)
    names = tuple(estimate.names[place] for place in pure)
    covariance = estimate.covariance[np.ix_(pure, pure)]
    return FoundBody(estimate, body, names, estimate.values[pure], covariance, estimate.sd[pure])
