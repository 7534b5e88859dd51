"""An estimate as files for other programs: a robot, a URDF, code for a controller.

A robot file or a URDF needs all parameters of all bodies, of which data show only clusters: it holds the physical
robot nearest to the estimate (`physical_robot`), and what is returned says which part of it is the CAD model's.
Files are written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from freefloat.errors import FileError, FreefloatError
from freefloat.estimate.causes.outcome import IMPOSSIBLE
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.physically_consistent import PhysicalRobot, physical_robot
from freefloat.estimate.physical.regularisers import TradeOff
from freefloat.estimate.prior import CadSpread
from freefloat.export.c_code import controller_c
from freefloat.export.casadi_code import controller_casadi
from freefloat.files import FilePath, write_bytes, write_text
from freefloat.robot.urdf_update import Lacking, update_urdf

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

    template: the URDF that the robot came from, of which only inertias are changed.
    prior: spread of the CAD model, which decides what the data leave open; that of the estimate unless given.
    trade_off: what bodies near the CAD model are worth against the data, and what else is known of them.
    lacking: what becomes of a load that the URDF lacks: "leave-out" and "add", which are said, or "refuse".
    force: whether to write it even if the estimate failed, or no robot that can exist is near it.
    """
    physical = _physical(estimate, prior, trade_off, force)
    more = ", ".join(update_urdf(template, physical.robot, path, lacking))
    done = "added to it" if lacking == "add" else "left out"
    said = f"{os.fspath(template)} lacks {more}, which the estimate's robot has: {done}"
    exported = _exported(estimate, (path,), physical)
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
    physical.robot.save(path)
    return _exported(estimate, (path,), physical)


def export_controller(estimate: Estimate, path: FilePath, *, force: bool = False) -> Exported:
    """System matrices of an estimate as code, by the ending of the path.

    .c: C99, and the header beside it; functions begin with the name of the file.
    .casadi: a CasADi function (q, dq, twist) -> (H, c), for `casadi.Function.load`.
    force: whether to write it even if the estimate failed.
    """
    _refuse_failed(estimate, force)
    target = Path(os.fspath(path))
    match _ending(path):
        case ".c":
            return _c_files(estimate, target)
        case ".casadi":
            write_bytes(target, _serialised(estimate, target.stem))
            return _exported(estimate, (target,))
    raise FileError(path, "not a file that controllers are written to; allowed: .c, .casadi")


def _refuse_failed(estimate: Estimate, force: bool) -> None:
    if estimate.outcome == "failed" and not force:
        raise NotExported("the estimate failed, and nothing is made of it unless forced")


def _physical(estimate: Estimate, prior: CadSpread | None, trade_off: TradeOff | None, force: bool) -> PhysicalRobot:
    """The nearest robot that can exist, if the estimate is near enough to it."""
    _refuse_failed(estimate, force)
    physical = physical_robot(estimate, prior, trade_off)
    far = physical.misfit > IMPOSSIBLE and not physical.explains
    if far and not physical.growth < _WORSE and not force:
        raise NotExported(
            f"no robot that can exist has these values: the nearest is {physical.misfit:.3g} of the estimate's "
            f"standard deviations away, more than {IMPOSSIBLE:g}, and is not written unless forced"
        )
    return physical


def _c_files(estimate: Estimate, target: Path) -> Exported:
    code = controller_c(estimate, target.stem)
    header = target.with_name(f"{code.name}.h")
    write_text(header, code.header)  # first: a source without its header does not compile
    write_text(target, code.source)
    return _exported(estimate, (target, header))


def _serialised(estimate: Estimate, name: str) -> bytes:
    with TemporaryDirectory() as folder:  # CasADi writes files only, and not atomically
        part = Path(folder) / "both"
        controller_casadi(estimate, name).both.save(os.fspath(part))
        return part.read_bytes()


def _exported(estimate: Estimate, paths: Sequence[FilePath], physical: PhysicalRobot | None = None) -> Exported:
    outcome = () if estimate.outcome == "good" else (f"the outcome of the estimate is {estimate.outcome!r}",)
    own = () if physical is None else physical.warnings
    return Exported(
        tuple(Path(os.fspath(path)) for path in paths),
        tuple(dict.fromkeys((*outcome, *estimate.warnings, *own))),  # a physical estimate says some of them itself
        () if physical is None else physical.notes,
        physical,
    )


def _ending(path: FilePath) -> str:
    return Path(os.fspath(path)).suffix.lower()
