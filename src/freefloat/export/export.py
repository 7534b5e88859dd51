"""An estimate as files for other programs: a robot, a URDF, MJCF, code for a controller.

A robot file, a URDF or MJCF needs all parameters of all bodies, of which data show only clusters: it holds the physical
robot nearest to the estimate (`physical_robot`) with the drives of joints that were found, and what is returned says
which part of it is the CAD model's.
Files are written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from freefloat.errors import FileError, FreefloatError
from freefloat.estimate.causes.outcome import IMPOSSIBLE
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_drives import estimated_drives
from freefloat.estimate.physical.physical_section import remembered_trade_off
from freefloat.estimate.physical.physically_consistent import PhysicalRobot, physical_robot
from freefloat.estimate.physical.regularisers import TradeOff
from freefloat.estimate.prior import CadSpread
from freefloat.export.c_code import controller_c
from freefloat.export.casadi_code import controller_casadi
from freefloat.export.controller_code import springs_said
from freefloat.export.free_flying_file import write_free_flying
from freefloat.export.mjcf import IN_MJCF, write_mjcf
from freefloat.export.small_motion_file import write_small_motion
from freefloat.files import FilePath, write_bytes, write_text
from freefloat.robot.drive import DRIVE_TERMS, FRICTION_TERMS, DriveTerm, term_words
from freefloat.robot.model import Robot
from freefloat.robot.urdf_update import Lacking, update_urdf
from freefloat.robot.urdf_write import IN_URDF

MJCF_ENDINGS = (".xml", ".mjcf")

_WORSE = 1.5  # times what the estimate leaves of the data: a robot that leaves more is another one


@dataclass(frozen=True, slots=True, eq=False)
class Exported:
    """What was written.

    paths: the files. warnings: sentences that ask for a decision, those of the estimate first. notes: those that do
    not, such as which parameters are the CAD model's rather than the data's. physical: the robot that was written, if
    one was.
    """

    paths: tuple[Path, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    physical: PhysicalRobot | None = None


class NotExported(FreefloatError):
    """An estimate of which no files should be made."""


def export_urdf(
    estimate: Estimate,
    template: FilePath,
    path: FilePath,
    *,
    prior: CadSpread | None = None,
    trade_off: TradeOff | None = None,
    lacking: Lacking = "leave-out",
    force: bool = False,
) -> Exported:
    """The physical robot of an estimate in a URDF of yours; `export_robot` writes one of our own.

    template: the URDF that the robot came from, of which only inertias and the friction of joints are changed.
    prior: spread of the CAD model, which decides what the data leave open; that of the estimate unless given.
    trade_off: what bodies near the CAD model are worth against the data, and what else is known of them; what the
        estimate's mission says of it unless given.
    lacking: what becomes of a load that the URDF lacks: "leave-out" and "add", which are said, or "refuse".
    force: whether to write it even if the estimate failed, or no robot that can exist is near it.
    """
    physical = _physical(estimate, prior, trade_off, force)
    more = ", ".join(update_urdf(template, physical.robot, path, lacking))
    done = "added to it" if lacking == "add" else "left out"
    said = f"{os.fspath(template)} lacks {more}, which the estimate's robot has: {done}"
    exported = _exported(estimate, (path,), physical, left_out(physical.robot, "a URDF", IN_URDF, springs=False))
    return replace(exported, notes=(*exported.notes, said)) if more else exported


def export_robot(
    estimate: Estimate,
    path: FilePath,
    *,
    prior: CadSpread | None = None,
    trade_off: TradeOff | None = None,
    force: bool = False,
) -> Exported:
    """The physical robot of an estimate as a robot file, .yaml, .yml, .json, or as a URDF, .urdf.

    prior, trade_off, force: as for `export_urdf`.
    """
    physical = _physical(estimate, prior, trade_off, force)
    robot = physical.robot
    robot.save(path)
    said = left_out(robot, "a URDF", IN_URDF, springs=False) if _ending(path) in (".urdf", ".xml") else ()
    return _exported(estimate, (path,), physical, said)


def export_mjcf(
    estimate: Estimate,
    path: FilePath,
    *,
    prior: CadSpread | None = None,
    trade_off: TradeOff | None = None,
    force: bool = False,
) -> Exported:
    """The physical robot of an estimate as an MJCF file (.xml, .mjcf), which MuJoCo loads.

    prior, trade_off, force: as for `export_urdf`.
    """
    if _ending(path) not in MJCF_ENDINGS:
        raise FileError(path, f"not a file that MJCF is written to; allowed: {', '.join(MJCF_ENDINGS)}")
    physical = _physical(estimate, prior, trade_off, force)
    robot = physical.robot
    write_mjcf(robot, path)
    spins = any(joint.drive.rotor and np.isfinite(joint.drive.gear_ratio) for joint in robot.joints)
    still = ("MJCF has no word for what the spin of rotors does to bodies that turn, which is left out",)
    said = left_out(robot, "MJCF", IN_MJCF) + (still if spins else ())
    return _exported(estimate, (path,), physical, said)


def export_free_flying(
    estimate: Estimate,
    path: FilePath,
    at: Mapping[str, float] | None = None,
    rates: Mapping[str, float] | None = None,
    *,
    force: bool = False,
) -> Exported:
    """The free-flying matrices of an estimate at one posture, wheels included, with standard deviations (.json).

    at, rates: positions and rates of joints by name [rad or m, per s]; zero unless given. force: whether to write them
    even if the estimate failed.
    """
    _refuse_failed(estimate, force)
    write_free_flying(estimate, path, at, rates)
    return _exported(estimate, (path,), left=_swings(estimate))


def export_small_motion(
    estimate: Estimate, path: FilePath, at: Mapping[str, float] | None = None, *, force: bool = False
) -> Exported:
    """M, D, K of what swings about a posture, its state space and its modes (.json), for scipy and python-control.

    at: positions of joints by name [rad or m]; zero unless given. force: whether to write them even if the estimate
    failed.
    """
    _refuse_failed(estimate, force)
    write_small_motion(estimate, path, at)
    return _exported(estimate, (path,))


def export_controller(estimate: Estimate, path: FilePath, *, force: bool = False) -> Exported:
    """System matrices of an estimate as code, by the ending of the path.

    .c: C99, and the header beside it; functions begin with the name of the file.
    .casadi: a CasADi function (q, dq, twist) -> (H, c), and where joints are passive the torques of their springs,
    for `casadi.Function.load`.
    force: whether to write it even if the estimate failed.
    """
    _refuse_failed(estimate, force)
    target = Path(os.fspath(path))
    match _ending(path):
        case ".c":
            return _c_files(estimate, target)
        case ".casadi":
            write_bytes(target, _serialised(estimate, target.stem))
            rubs = any(getattr(drive, term) for drive in estimated_drives(estimate) for term in FRICTION_TERMS)
            said = ("friction is not in a .casadi file; `ff.export.controller_casadi` has it",) if rubs else ()
            return _exported(estimate, (target,), left=said)
    raise FileError(path, "not a file that controllers are written to; allowed: .c, .casadi")


def _refuse_failed(estimate: Estimate, force: bool) -> None:
    if estimate.outcome == "failed" and not force:
        raise NotExported("the estimate failed, and nothing is made of it unless forced")


def _physical(estimate: Estimate, prior: CadSpread | None, trade_off: TradeOff | None, force: bool) -> PhysicalRobot:
    """The nearest robot that can exist, if the estimate is near enough to it."""
    _refuse_failed(estimate, force)
    physical = physical_robot(estimate, prior, trade_off or remembered_trade_off(estimate))
    far = physical.misfit > IMPOSSIBLE and not physical.explains
    if far and not physical.growth < _WORSE and not force:
        raise NotExported(
            f"no robot that can exist has these values: the nearest is {physical.misfit:.3g} of the estimate's "
            f"standard deviations away, more than {IMPOSSIBLE:g}, and is not written unless forced"
        )
    return physical


def left_out(robot: Robot, what: str, held: Collection[DriveTerm], springs: bool = True) -> tuple[str, ...]:
    """A sentence on the terms of drives that a kind of file cannot say, with the joints that have them.

    springs: whether it can say the stiffness of passive joints.
    """
    missing = [
        f"{term_words(term)} of {', '.join(joints)}"
        for term in DRIVE_TERMS
        if term not in held and (joints := [each.name for each in robot.joints if getattr(each.drive, term)])
    ]
    if not springs and robot.passive.size:
        missing.append(f"stiffness of {', '.join(robot.joint_names[k] for k in robot.passive)}")
    return (f"{what} has no word for {'; '.join(missing)}, which is left out",) if missing else ()


def _c_files(estimate: Estimate, target: Path) -> Exported:
    code = controller_c(estimate, target.stem)
    header = target.with_name(f"{code.name}.h")
    write_text(header, code.header)  # first: a source without its header does not compile
    write_text(target, code.source)
    return _exported(estimate, (target, header))


def _swings(estimate: Estimate) -> tuple[str, ...]:
    """What matrices leave out of passive joints; nothing where there are none."""
    said = f"what springs give, -k q - d dq, is left out: {springs_said(estimate)}"
    return (said,) if estimate.robot.passive.size else ()


def _serialised(estimate: Estimate, name: str) -> bytes:
    with TemporaryDirectory() as folder:  # CasADi writes files only, and not atomically
        part = Path(folder) / "both"
        controller_casadi(estimate, name).both.save(os.fspath(part))
        return part.read_bytes()


def _exported(
    estimate: Estimate,
    paths: Sequence[FilePath],
    physical: PhysicalRobot | None = None,
    left: tuple[str, ...] = (),
) -> Exported:
    outcome = () if estimate.outcome == "good" else (f"the outcome of the estimate is {estimate.outcome!r}",)
    own = () if physical is None else physical.warnings
    return Exported(
        tuple(Path(os.fspath(path)) for path in paths),
        tuple(dict.fromkeys((*outcome, *estimate.warnings, *own))),  # a physical estimate says some of them itself
        (() if physical is None else physical.notes) + left,
        physical,
    )


def _ending(path: FilePath) -> str:
    return Path(os.fspath(path)).suffix.lower()
