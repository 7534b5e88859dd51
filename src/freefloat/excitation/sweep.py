"""Sweeps: what a motion tells as the robot, the motion or the sensors change.

    point = measure(plan, trajectory, {"load.mass_kg": 25.0})
    point.condition_number, point.typical_accuracy

Bodies are varied by `with_mass` and `with_offset`, the duration of a motion by `stretched`: the same path, faster or
slower.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.excitation import Prediction, typical_accuracy
from freefloat.excitation.influence import Influence, influences
from freefloat.excitation.plan import Plan
from freefloat.frozen import Content
from freefloat.models.model import NotApplicable
from freefloat.motion.bspline import BSpline
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.trajectory import InvalidTrajectory, Trajectory
from freefloat.robot.model import Robot
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com


@dataclass(frozen=True, eq=False)
class SweepPoint(Content):
    """What a motion tells at one setting.

    setting: by the names of what is varied. predictions: none where there are no sensors to predict with.
    influences: none where the model's rows are not of the base's motion. broken: limits of joints that the motion
    breaks, in words.
    """

    setting: Mapping[str, float]
    condition_number: float
    predictions: tuple[Prediction, ...]
    influences: tuple[Influence, ...]
    broken: tuple[str, ...] = ()

    @property
    def typical_accuracy(self) -> float:
        """Median over the clusters of standard deviation over value; not a number without predictions."""
        return typical_accuracy(self.predictions)


@dataclass(frozen=True, eq=False)
class Sweep(Content):
    """Points of a sweep, the last of the varied names changing fastest.

    interrupted: whether it was ended early, so that only the first points are there.
    """

    keys: tuple[str, ...]
    points: tuple[SweepPoint, ...]
    interrupted: bool = False

    def column(self, key: str) -> Array:
        """What one name was set to, shape (points,)."""
        return np.array([point.setting[key] for point in self.points])

    @property
    def condition_numbers(self) -> Array:
        """Shape (points,)."""
        return np.array([point.condition_number for point in self.points])

    @property
    def accuracies(self) -> Array:
        """Median over the clusters of standard deviation over value, shape (points,)."""
        return np.array([point.typical_accuracy for point in self.points])


def measure(plan: Plan, trajectory: Trajectory, setting: Mapping[str, float]) -> SweepPoint:
    """What a motion tells of the plan's robot; the plan's own limits, but for those of joints, are not looked at."""
    planned = replace(plan, shape=trajectory, swinging=())
    try:
        shares = influences(planned, trajectory)
    except NotApplicable:
        shares = ()
    broken = tuple(trajectory.check(plan.robot).faults())
    condition_number, predictions = planned.condition_number(trajectory), planned.predictions(trajectory)
    return SweepPoint(dict(setting), condition_number, predictions, shares, broken)


# ---------------------------------------------------------------------- what is varied


def with_mass(robot: Robot, name: str, mass_kg: float, inertia_scales: bool = True) -> Robot:
    """The robot with another mass of one body, its centre of mass kept; the inertia about it grows along, or stays."""
    phi = robot.body(name).parameters
    if not mass_kg > 0.0:
        raise NotApplicable(f"mass of {name} is {mass_kg:g} kg; allowed: a positive number")
    if not phi[0] > 0.0:
        raise NotApplicable(f"{name} has no mass, so there is no centre of mass to keep")
    if inertia_scales:
        return _with_parameters(robot, name, phi * (mass_kg / phi[0]))
    return _with_parameters(robot, name, parameters_from_com(mass_kg, com_of(phi), inertia_about_com(phi)))


def with_offset(robot: Robot, name: str, offset_m: Array) -> Robot:
    """The robot with the centre of mass of one body shifted, (3,) in its frame [m], the inertia about it kept."""
    phi = robot.body(name).parameters
    return _with_parameters(
        robot, name, parameters_from_com(float(phi[0]), com_of(phi) + offset_m, inertia_about_com(phi))
    )


def _with_parameters(robot: Robot, name: str, phi: Array) -> Robot:
    bodies = (replace(body, parameters=phi) if body.name == name else body for body in robot.bodies)
    return replace(robot, bodies=tuple(bodies))


def stretched(trajectory: Trajectory, duration_s: float) -> Trajectory:
    """The same path in another time [s]."""
    slower = trajectory.duration_s / duration_s
    if isinstance(trajectory, BSpline):
        return replace(trajectory, duration_s=duration_s)
    if isinstance(trajectory, Fourier):
        ends = trajectory.ends * np.array([1.0, slower, slower**2] * 2)[:, None]
        return replace(trajectory, coefficients=slower * trajectory.coefficients, duration_s=duration_s, ends=ends)
    if isinstance(trajectory, PlainFourier):
        rows = np.vstack([trajectory.coefficients[:1], slower * trajectory.coefficients[1:]])
        return replace(trajectory, coefficients=rows, duration_s=duration_s, period_s=trajectory.period_s / slower)
    raise InvalidTrajectory(f"a {trajectory.kind} motion is not stretched; allowed: fourier, plain-fourier, b-spline")
