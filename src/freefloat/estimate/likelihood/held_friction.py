"""Friction that noise, or what a model leaves out, would make negative, which no friction is.

Coulomb and viscous friction and rotors that a fit finds below zero are held there, all at once, and everything else is
fitted again, until none is; what the free fit said of them is their interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.problem import Problem
from freefloat.estimate.uncertain import HALF
from freefloat.estimate.unknowns import FRICTION, Unknowns
from freefloat.robot.drive import NOT_NEGATIVE, drive_name

Free = Mapping[str, tuple[float, float]]  # by name, what a fit found of it when it was free, and standard deviation


def negative_friction(problem: Problem, unknowns: Unknowns, point: Array, covariance: Array) -> Free:
    """What is free and less than nothing at a point."""
    place = unknowns.find(FRICTION)
    if place is None:
        return {}
    labels = [drive_name(term, joint) for term in problem.friction for joint in problem.robot.joint_names]
    never = {drive_name(term, joint) for term in NOT_NEGATIVE for joint in problem.robot.joint_names}
    sd = np.sqrt(np.maximum(np.diagonal(covariance)[place], 0.0))
    found = zip(labels, point[place].tolist(), sd.tolist(), strict=True)
    return {
        name: (value, spread)
        for name, value, spread in found
        if value < 0.0 and name in never and name not in problem.frictionless
    }


def with_held(estimate: Estimate, free: Free) -> Estimate:
    """The estimate with what is held at zero said, as uncertain as it was when it was free."""
    if not free:
        return estimate
    told = [
        replace(each, value=0.0, sd=free[each.name][1]) if each.name in free else each for each in estimate.nuisances
    ]
    units = {each.name: each.unit for each in estimate.nuisances}
    listed = ", ".join(f"{name} ({value:.2g} ± {HALF * sd:.2g} {units[name]})" for name, (value, sd) in free.items())
    note = f"friction is not negative: held at zero is what the data alone would make less, {listed}"
    return replace(estimate, nuisances=tuple(told), notes=(*estimate.notes, note))


def with_rotor_words(estimate: Estimate, problem: Problem) -> Estimate:
    """The estimate with a sentence on rotors of joints on the base, which no motion tells from what they turn."""
    robot, tree = problem.robot, problem.robot.tree.arrays
    if "rotor" not in problem.friction:
        return estimate
    on_base = [int(dof) for dof, parent in zip(tree.dof, tree.parent, strict=True) if dof >= 0 and parent == 0]
    first = [robot.joint_names[dof] for dof in on_base if robot.joints[dof].kind != "prismatic"]
    notes = tuple(
        f"{drive_name('rotor', name)}: no motion tells it from the inertia about the joint's axis of what the joint "
        "turns; only their sum shows"
        for name in first
    )
    return replace(estimate, notes=(*estimate.notes, *notes))
