"""The directory of a run made ready: all that the run is made from, and nothing of an earlier one.

A directory that holds a `run.json` may be run into again, any other directory with files in it is not touched. What a
run that did not end had designed is kept for the same run, since nothing else takes long.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from freefloat.data.recording import Recording
from freefloat.errors import FileError
from freefloat.files import FilePath, dump_yaml, load_yaml, read_bytes, write_bytes
from freefloat.mission.mission_file import Mission
from freefloat.mission.run_manifest import (
    EXCITATION,
    MADE,
    MANIFEST,
    MISSION,
    RECORDED,
    RECORDED_UNSEEN,
    REPORT,
    RunManifest,
    read_manifest,
    sha256,
    write_manifest,
)


def prepare_directory(
    directory: FilePath,
    mission: Mission,
    manifest: RunManifest,
    renamed: Mapping[str, str] | None = None,
    recordings: Mapping[str, Recording] | None = None,
    motion: str | None = None,
) -> RunManifest:
    """A directory with all that a run is made from, and nothing of an earlier one; what its manifest says so far.

    An earlier run there is replaced, but for the design of the same one if it did not end; anything else is refused.
    Whatever is stopped loses nothing: what is new is written before anything is removed, and what is still to be
    removed is in the manifest. renamed: what recordings are called there, by the name that the mission has for them.
    recordings: those of real flights, by file in the directory. motion: the file that a given motion has there; it
    may have been read from there, and stays.
    """
    folder, copies = Path(directory), recordings or {}
    content, robot = _inputs(mission, renamed or {})
    earlier = _earlier(folder)
    manifest = manifest.model_copy(update={"robot": robot})
    kept = None if earlier is None else _designed(folder, earlier, manifest, content)
    own = {*content, *copies, *({EXCITATION} if kept else ()), *({motion} if motion else ())}
    manifest = (kept or manifest).model_copy(update={"stale": _stale(earlier, own)})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_manifest(folder, manifest)
        for name in copies:
            (folder / name).parent.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be written: {error.strerror}") from error
    for name, data in content.items():
        write_bytes(folder / name, data)
    for name in sorted(copies, key=lambda name: (folder / name).exists()):  # over what was read here, last
        copies[name].save(folder / name)
    _remove(folder, manifest.stale)
    manifest = manifest.model_copy(update={"stale": ()})
    write_manifest(folder, manifest)
    return manifest


def recording_files(recordings: Mapping[str, Recording], folder: str, others: Collection[str] = ()) -> dict[str, str]:
    """Where each recording goes in the directory, by its name: as it is called, no two alike, nor like the others."""
    found, taken = dict[str, str](), {Path(each).stem for each in others}
    for name in recordings:
        stem = Path(name.replace("\\", "/")).stem.strip(".") or "flight"
        wanted, number = stem, 2
        while wanted in taken:
            wanted, number = f"{stem}_{number}", number + 1
        taken.add(wanted)
        found[name] = f"{folder}/{wanted}.parquet"
    return found


def _earlier(folder: Path) -> RunManifest | None:
    """What an earlier run there says of itself; None of a new directory; anything else that is there is refused."""
    if folder.exists() and not folder.is_dir():
        raise FileError(folder, "is a file; allowed: a directory of an earlier run, or a new one")
    if not (folder.is_dir() and any(folder.iterdir())):
        return None
    try:
        return read_manifest(folder)
    except FileError as error:
        raise FileError(
            folder, "holds files, and not those of a run; allowed: a new or empty directory, or one of a run"
        ) from error


def _designed(
    folder: Path, earlier: RunManifest, manifest: RunManifest, content: Mapping[str, bytes]
) -> RunManifest | None:
    """The manifest with the design of the same run that did not end; None where there is none that was not touched."""
    same = ("motion", "starts", "shakes", "seeds", "versions", "robot")
    if earlier.finished or manifest.motion != "designed" or EXCITATION not in earlier.hashes:
        return None
    if any(getattr(earlier, name) != getattr(manifest, name) for name in same):
        return None
    there = {name: folder / name for name in (*content, EXCITATION)}
    if not all(path.is_file() for path in there.values()) or sha256(there[EXCITATION]) != earlier.hashes[EXCITATION]:
        return None
    if any(read_bytes(there[name]) != data for name, data in content.items()):
        return None
    steps = tuple(each for each in earlier.steps if each.name == "design")
    return manifest.model_copy(update={"steps": steps, "hashes": {EXCITATION: earlier.hashes[EXCITATION]}})


def _stale(earlier: RunManifest | None, own: Collection[str]) -> tuple[str, ...]:
    """What an earlier run has there, but for what the new one has of its own."""
    if earlier is None:
        return ()
    robot = (earlier.robot,) if Path(earlier.robot).name == earlier.robot else ()
    names = (*MADE, REPORT, *robot, *earlier.recordings, *earlier.unseen, *earlier.stale)
    return tuple(name for name in dict.fromkeys(names) if name not in own)


def _remove(folder: Path, names: Collection[str]) -> None:
    try:
        for name in names:
            (folder / name).unlink(missing_ok=True)
        for name in (RECORDED, RECORDED_UNSEEN):
            if (folder / name).is_dir() and not any((folder / name).iterdir()):
                (folder / name).rmdir()
    except OSError as error:
        raise FileError(folder, f"holds a file that cannot be removed: {error.strerror}") from error


def _inputs(mission: Mission, renamed: Mapping[str, str]) -> tuple[Mapping[str, bytes], str]:
    """Mission and robot file as they go into the directory, and the robot's name there.

    The mission's file is copied as it is unless it names files elsewhere: then it names the copies of robot and
    recordings, and holds the trajectory itself.
    """
    said = mission.settings
    source = mission.path.parent / said.robot
    taken = (MANIFEST, MISSION, *MADE, REPORT, RECORDED, RECORDED_UNSEEN)
    robot = source.name if source.name not in taken else f"robot{source.suffix}"
    without = said.identify.without
    elsewhere = said.robot != robot or isinstance(said.trajectory, str)
    if not elsewhere and all(renamed.get(name, name) == name for name in without):
        return {MISSION: read_bytes(mission.path), robot: read_bytes(source)}, robot
    document: dict[str, Any] = {**load_yaml(mission.path).data, "robot": robot}
    if mission.trajectory is not None:
        document["trajectory"] = mission.trajectory.document()
    if without:
        named = {renamed.get(name, name): list(bodies) for name, bodies in without.items()}
        document["identify"] = {**document["identify"], "without": named}
    return {MISSION: dump_yaml(document).encode(), robot: read_bytes(source)}, robot
