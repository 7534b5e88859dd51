"""Springs of passive joints as an estimate has them, and how the robot swings on them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.modes import SystemMode, system_modes
from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.unknowns import SPRINGS, Unknowns
from freefloat.robot.model import Robot
from freefloat.robot.spring import Spring

UNTOLD = "cannot tell"
_HARDLY = 0.7  # of the spread that was assumed: more is hardly less


def spring_names(robot: Robot) -> tuple[tuple[str, str], ...]:
    """What stiffness and damping of each passive joint are called among what is estimated beside the clusters."""
    return tuple((f"stiffness of {name}", f"damping of {name}") for name in robot.passive_names)


def estimated_springs(estimate: Estimate) -> tuple[Spring, ...]:
    """Of every passive joint: as found, the robot's own where nothing was; what noise has made negative is zero."""
    robot, found = estimate.robot, {quantity.name: quantity.value for quantity in estimate.nuisances}
    springs = []
    for place, (stiffness, damping) in zip(robot.passive, spring_names(robot), strict=True):
        own = robot.joints[place].passive
        assert own is not None
        pair = found.get(stiffness, own.stiffness), found.get(damping, own.damping)
        springs.append(Spring(*(max(value, 0.0) for value in pair)))
    return tuple(springs)


def spring_spreads(estimate: Estimate) -> Array | None:
    """Standard deviations of stiffness, then damping of all passive joints; None where not all were found."""
    found = {quantity.name: quantity.sd for quantity in estimate.nuisances}
    stiffness, damping = zip(*spring_names(estimate.robot), strict=True) if estimate.robot.passive.size else ((), ())
    names = (*stiffness, *damping)
    return np.array([found[name] for name in names]) if names and set(names) <= set(found) else None


def with_untold_springs(estimate: Estimate, unknowns: Unknowns) -> Estimate:
    """The estimate with a note on stiffness and damping of which the data say hardly more than was assumed."""
    found = {quantity.name: quantity.sd for quantity in estimate.nuisances}
    untold = [
        label
        for part in unknowns.parts
        if part.kind == SPRINGS
        for label, information in zip(part.labels, np.diagonal(part.information), strict=True)
        if information * found[label] ** 2 > _HARDLY**2
    ]
    if not untold:
        return estimate
    note = f"{UNTOLD} {', '.join(untold)}: these data say hardly more of that than was assumed"
    return replace(estimate, notes=(*estimate.notes, note))


def estimated_modes(estimate: Estimate) -> tuple[SystemMode, ...]:
    """System modes of what was found, all joints at zero, slowest first; none where these values make no robot."""
    if not estimate.robot.passive.size:
        return ()
    with suppress(FreefloatError):
        moving = estimate.robot.with_parameters(estimate.parameters)
        return system_modes(moving.with_springs(estimated_springs(estimate)))
    return ()
