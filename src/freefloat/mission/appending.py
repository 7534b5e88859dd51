"""A robot with appendages for what was found to swing on its base, as heavy to turn as before while they are locked.

Each is a body on a hinge through its own centre of mass, which is the base's: about the hinge it has the coupling
inertia of the oscillator, across it about half of that, as a disc has. What it carries is taken from the base. Where
the real one sits, and how heavy it is, no oscillator tells; a fit may move both as far as the spreads of CAD allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat.errors import InvalidRobot
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.oscillator import Oscillator
from freefloat.files import FilePath
from freefloat.mission.identifying import estimator_of
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.robot.model import Robot
from freefloat.robot.parameters import can_exist, com_of, inertia_about_com, parameters_from_com, seen_from
from freefloat.robot.parts import Body, Joint
from freefloat.robot.spring_section import spring_of_frequency
from freefloat.robot.transform import Transform

_LIGHTER = 0.25  # its mass over the base's, by the same ratio of inertias: panels are light and wide
_ACROSS = 0.55  # inertia across the hinge, over that about it: a disc that is not infinitely thin


def seeking(mission: Mission, method: str | None) -> Estimator:
    """The mission's maximum likelihood, which looks for what swings; other methods do not."""
    asked = estimator_of(mission, method)
    if not isinstance(asked, MaximumLikelihood):
        raise InvalidMission(
            f"{asked.name} does not look for what swings; allowed with --add-appendage: --method maximum-likelihood"
        )
    return replace(asked, seeks_swings=True)


def found_swings(estimate: Estimate) -> tuple[Oscillator, ...]:
    """Oscillators that an estimate claims."""
    return tuple(swing for cause in estimate.causes for swing in cause.swings)


def append_swings(robot: Robot, estimate: Estimate, path: FilePath) -> None:
    """Write a robot with an appendage for all that an estimate claims to swing; nothing where that is nothing."""
    swings = found_swings(estimate)
    if swings:
        with_appendages(robot, swings).save(path)


def with_appendages(robot: Robot, swings: Sequence[Oscillator]) -> Robot:
    """The robot with one appendage for each oscillator, which is the same robot while all of them are locked.

    Raises InvalidRobot where the base that remains could not exist.
    """
    base, *others = robot.bodies
    whole, taken, added = base.parameters, np.array(base.parameters), list[Body]()
    names = {body.name for body in robot.bodies}
    for swing in swings:
        name = next(name for k in range(1, len(names) + 2) if (name := f"appendage{k}") not in names)
        names.add(name)
        body = _appendage(name, base, swing)
        taken -= seen_from(body.placement, body.parameters)
        added.append(body)
    if not can_exist(taken):
        about = float(np.trace(inertia_about_com(whole)))
        listed = ", ".join(f"{swing.coupling_inertia:.3g}" for swing in swings)
        raise InvalidRobot(
            f"body {base.name!r}",
            f"cannot carry {listed} kg m^2 on hinges, for what remains of it could not exist; allowed: less than about "
            f"half of its inertia (principal inertias add up to {about:.3g} kg m^2)",
        )
    return replace(robot, bodies=(replace(base, parameters=taken), *others, *added))


def _appendage(name: str, base: Body, swing: Oscillator) -> Body:
    axis, inertia = np.array(swing.axis), swing.coupling_inertia
    own = float(axis @ inertia_about_com(base.parameters) @ axis)
    mass = _LIGHTER * float(base.parameters[0]) * inertia / max(own, inertia)
    tensor = inertia * (_ACROSS * np.eye(3) + (1.0 - _ACROSS) * np.outer(axis, axis))
    # damping over critical damping is less on a base that is held, by as much as the frequency is
    damping = swing.damping_ratio * swing.held_Hz / swing.frequency_Hz
    spring = spring_of_frequency(swing.held_Hz, damping, inertia)
    joint = Joint(f"{name}_hinge", "revolute", axis, passive=spring)
    return Body(
        name, base.name, joint, Transform(p=com_of(base.parameters)), parameters_from_com(mass, np.zeros(3), tensor)
    )
