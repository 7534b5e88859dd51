"""Drives of joints as an estimate has them: what it found of friction and rotors, and the robot's own for the rest.

And gains of drives, by which torques were recorded.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.drive_torques import drive_column
from freefloat.dynamics.samples import Samples
from freefloat.estimate.estimate import Estimate
from freefloat.robot.drive import DRIVE_TERMS, NOT_NEGATIVE, Drive, DriveTerm, drive_name
from freefloat.sensors.torque_sensor import gain_name


def estimated_drives(estimate: Estimate) -> tuple[Drive, ...]:
    """Of every joint of the estimate's robot; what noise has made negative that cannot be so is zero."""
    found = {quantity.name: quantity.value for quantity in estimate.nuisances}
    drives = []
    for joint in estimate.robot.joints:
        own = {term: found[name] for term in DRIVE_TERMS if (name := drive_name(term, joint.name)) in found}
        kept = {term: max(value, 0.0) if term in NOT_NEGATIVE else value for term, value in own.items()}
        drives.append(replace(joint.drive, **kept))
    return tuple(drives)


def torque_over_true(estimate: Estimate) -> Array:
    """What the gains that were assumed make of each joint's torque, over what it is, (joints,): one where not found."""
    found = {quantity.name: quantity.value for quantity in estimate.nuisances}
    return np.array([1.0 + found.get(gain_name(joint), 0.0) for joint in estimate.robot.joint_names])


def drive_columns(estimate: Estimate, motion: Samples, place: int) -> Array:
    """Torque of one joint per unit of each term of its drive that was estimated, shape (n, terms)."""
    dq, ddq = motion.need("dq", "friction"), motion.need("ddq", "rotor inertia")
    slow = [joint.drive.stribeck_rate for joint in estimate.robot.joints]
    columns = [drive_column(term, dq, ddq, slow).value[:, place] for term in found_terms(estimate, place)]
    return np.column_stack(columns) if columns else np.zeros((len(dq), 0))


def found_terms(estimate: Estimate, place: int) -> list[DriveTerm]:
    """Terms of one joint's drive that were estimated."""
    found, name = {quantity.name for quantity in estimate.nuisances}, estimate.robot.joints[place].name
    return [term for term in DRIVE_TERMS if drive_name(term, name) in found]
