"""Drives of joints as an estimate has them: what it found of friction and rotors, and the robot's own for the rest."""

from __future__ import annotations

from dataclasses import replace

from freefloat.estimate.estimate import Estimate
from freefloat.robot.drive import DRIVE_TERMS, NOT_NEGATIVE, Drive, drive_name


def estimated_drives(estimate: Estimate) -> tuple[Drive, ...]:
    """Of every joint of the estimate's robot; what noise has made negative that cannot be so is zero."""
    found = {quantity.name: quantity.value for quantity in estimate.nuisances}
    drives = []
    for joint in estimate.robot.joints:
        own = {term: found[name] for term in DRIVE_TERMS if (name := drive_name(term, joint.name)) in found}
        kept = {term: max(value, 0.0) if term in NOT_NEGATIVE else value for term, value in own.items()}
        drives.append(replace(joint.drive, **kept))
    return tuple(drives)
