"""From recordings to an estimate, with a sign that something is happening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from freefloat.command_line.flights import read_any
from freefloat.command_line.outputs import refuse_output
from freefloat.errors import FileError
from freefloat.estimate.estimate import Estimate
from freefloat.excitation.excitation_file import load_motion
from freefloat.mission import identify, load_mission


def identify_recordings(
    mission_path: Path,
    recordings: Sequence[Path],
    method: str | None,
    trajectory_path: Path | None,
    without: Sequence[str],
    mapping: Path | None,
    repair: list[str],
    output: Path | None,
) -> Estimate:
    """Read everything, estimate, write the estimate if a path is given."""
    refuse_repeated(recordings)
    if output is not None:  # before the work, not after it
        given = (mission_path, *recordings, trajectory_path, mapping)
        refuse_output(output, [path for path in given if path is not None], "estimates", (".json",))
    mission = load_mission(mission_path)
    trajectory = None if trajectory_path is None else load_motion(trajectory_path, mission.robot)
    absent = absent_bodies(without)
    with Console(stderr=True).status("reading") as status:
        read = {flight_name(path, recordings): read_any(path, mapping, repair) for path in recordings}
        status.update(f"identifying {mission.name}")
        estimate = identify(mission, read, method, trajectory, absent)
    if output is not None:
        estimate.save(output)
    return estimate


def refuse_repeated(recordings: Sequence[Path]) -> None:
    """The same file twice; a copy of it is found when it is read."""
    seen = set[Path]()
    for path in recordings:
        if path.resolve() in seen:
            raise FileError(path, "is given twice; allowed: each recording once")
        seen.add(path.resolve())


def flight_name(path: Path, among: Sequence[Path]) -> str:
    """The file's name, or the whole path where two files have the same name."""
    return path.name if [other.name for other in among].count(path.name) == 1 else str(path)


def absent_bodies(without: Sequence[str]) -> Mapping[str, list[str]]:
    """Bodies that were not there, by recording, from texts `FILE=body`."""
    absent: dict[str, list[str]] = {}
    for text in without:
        name, equals, body = text.rpartition("=")
        if not (name and equals and body):
            raise FileError(text, "does not say which body which recording was without; allowed: FILE=BODY")
        absent.setdefault(name, []).append(body)
    return absent
