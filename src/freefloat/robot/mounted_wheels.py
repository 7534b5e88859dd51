"""Reaction wheels as bodies of their own, for files that know no wheels.

What a wheel's body has is taken out of the base, so that at rest the sum is the base as it was, and a wheel at relative
rate r adds exactly J r along its axis.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import InvalidRobot
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com, seen_from
from freefloat.robot.parts import Body, Wheel
from freefloat.robot.transform import Transform, rotation_to
from freefloat.robot.written import WrittenRobot

# Second moment of a wheel along its axis over that across it. Not zero: rounding can push a perfectly flat
# ring past the triangle inequality, which simulators refuse.
_THICKNESS = 1e-3


class MountedWheel(NamedTuple):
    """A wheel's link: its frame in the housing, z along the wheel's axis, and its parameters, shape (10,)."""

    wheel: Wheel
    placement: Transform
    parameters: Array


def housing_of(robot: WrittenRobot) -> Body:
    """The body the wheels are taken out of: the heaviest of the base, whose root may be massless."""
    return max(
        (body for body in robot.bodies if robot.tree.carried[body.name][0] == 0),
        key=lambda body: body.parameters[0],
    )


def mounted_wheels(robot: WrittenRobot, housing: Body) -> list[MountedWheel]:
    """The wheels as nearly flat rings at the housing's centre of mass.

    There, and with masses in the ratio of second moments, the housing without them can exist whenever
    their second moments fit into its own; no other place or mass asks less of it.
    """
    phi, R = housing.parameters, robot.tree.carried[housing.name][1].R
    wanted = (1.0 + _THICKNESS / 2.0) * robot.wheel_inertias  # traces of the second moments, shape (wheels,)
    masses = phi[0] * wanted / max(np.trace(_second_moments(phi)), 2.0 * wanted.sum(), np.finfo(float).tiny)
    return [
        MountedWheel(wheel, Transform(rotation_to(R.T @ wheel.axis), com_of(phi)), _ring(mass, wheel.spin_inertia))
        for wheel, mass in zip(robot.wheels, masses, strict=True)
    ]


def _ring(mass: float, spin_inertia: float) -> Array:
    """Ten parameters of a wheel about z, shape (10,): exactly J along z, a little over J/2 across."""
    across = spin_inertia / 2.0 * (1.0 + _THICKNESS)
    return parameters_from_com(mass, np.zeros(3), np.diag([across, across, spin_inertia]))


def without_wheels(housing: Body, wheels: Iterable[MountedWheel]) -> Array:
    """Parameters of the housing without its wheels, shape (10,)."""
    rest = housing.parameters.copy()
    for mounted in wheels:
        rest -= seen_from(mounted.placement, mounted.parameters)
    if _can_exist(housing.parameters) and not _can_exist(rest):
        raise InvalidRobot(
            f"body {housing.name!r}", "is too small for its reaction wheels; without them it could not exist"
        )
    return rest


def _second_moments(phi: Array) -> Array:
    """Integral of r r^T dm about the centre of mass, shape (3, 3) [kg m^2]."""
    inertia = inertia_about_com(phi)
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia


def _can_exist(phi: Array) -> bool:
    moments = np.linalg.eigvalsh(_second_moments(phi))
    return bool(phi[0] > 0.0 and moments[0] > 1e-12 * moments[-1])
