"""The lines for a shell that repeat a run from its directory, all at once and step by step."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from freefloat.excitation.effort import SHAKES
from freefloat.mission.run_directory import Run
from freefloat.mission.run_manifest import (
    ESTIMATE,
    EXCITATION,
    FLIGHT,
    IDENTIFIED,
    MISSION,
    MOTION,
    TRUE_ROBOT,
    UNSEEN,
    UNSEEN_MOTION,
    VALIDATION,
)


def repeating(run: Run) -> tuple[str, ...]:
    """The run in one line, then a line for each step that makes a file."""
    manifest, seeds = run.manifest, run.manifest.seeds
    urdf, robot = IDENTIFIED
    template = f" --urdf {shlex.quote(manifest.robot)}" if manifest.robot.lower().endswith(".urdf") else ""
    recordings, unseen = _quoted(manifest.recordings), _quoted(manifest.unseen)
    lines = [_whole(run)]
    if seeds is not None:
        lines += _flying(run)
    lines.append(f"freefloat identify {MISSION} {recordings}{_motion(run)} -o {ESTIMATE}")
    if VALIDATION in manifest.hashes:
        lines.append(f"freefloat validate {MISSION} {ESTIMATE} {unseen} -o {VALIDATION}")
    if robot in manifest.hashes:
        lines.append(f"freefloat export {ESTIMATE}{template} -o {urdf} --robot {robot}")
    return tuple(lines)


def _whole(run: Run) -> str:
    manifest, seeds = run.manifest, run.manifest.seeds
    if seeds is None:
        given = [f"--recording {shlex.quote(name)}" for name in manifest.recordings]
        given += [f"--unseen {shlex.quote(name)}" for name in manifest.unseen]
        return f"freefloat run {MISSION} {' '.join(given)}{_motion(run)} -o again.run"
    cad = "" if TRUE_ROBOT in manifest.hashes else " --fly cad"
    if manifest.motion == "designed" and not _interrupted(run):
        return f"freefloat run {MISSION} {_search(run)}{cad} -o again.run"
    return f"freefloat run {MISSION}{_motion(run)} --seed {seeds.design}{cad} -o again.run"


def _flying(run: Run) -> Iterator[str]:
    """The robot that flies, its motion, both flights."""
    seeds, there = run.manifest.seeds, run.manifest.hashes
    assert seeds is not None
    robot = f" --robot {TRUE_ROBOT}" if TRUE_ROBOT in there else ""
    if robot:
        yield f"freefloat draw {MISSION} --seed {seeds.robot} -o {TRUE_ROBOT}"
    if run.manifest.motion == "designed" and not _interrupted(run):
        yield f"freefloat design {MISSION} {_search(run)} -o {EXCITATION}"
    yield f"freefloat simulate {MISSION}{_motion(run)}{robot} --seed {seeds.flight} -o {FLIGHT}"
    other = f" --trajectory {UNSEEN_MOTION}" if UNSEEN_MOTION in there else ""
    yield f"freefloat simulate {MISSION}{other}{robot} --seed {seeds.unseen} -o {UNSEEN}"


def _search(run: Run) -> str:
    manifest = run.manifest
    seed = manifest.seeds.design if manifest.seeds else 0
    shakes = "" if manifest.shakes in (None, SHAKES) else f" --shakes {manifest.shakes}"
    return f"--starts {manifest.starts} --seed {seed}{shakes}"


def _motion(run: Run) -> str:
    """The option that names the commanded motion; none where it is the mission's own, or not known."""
    if run.manifest.motion in ("mission", "unknown"):
        return ""
    return f" --trajectory {MOTION}" if MOTION in run.manifest.hashes else f" --excitation {EXCITATION}"


def _interrupted(run: Run) -> bool:
    """A design that was interrupted is not found again: its file is what repeats it."""
    return run.excitation is not None and run.excitation.how.interrupted


def _quoted(names: tuple[str, ...]) -> str:
    return " ".join(shlex.quote(name) for name in names)
