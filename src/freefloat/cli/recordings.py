"""Recordings that commands read: from which files, of which robot, and what is refused before the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from freefloat.cli.outputs import refuse_output
from freefloat.data.bag_mapping import load_bag_mapping
from freefloat.data.load import load_recording
from freefloat.data.measured_joints import passive_joint_measured
from freefloat.data.recording import Recording
from freefloat.errors import FileError, WrongFormat
from freefloat.excitation.excitation_file import load_motion
from freefloat.files import check_format, load_yaml
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.run_manifest import FLIGHT, MANIFEST, sha256
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot


@dataclass(frozen=True, slots=True)
class RecordingInputs:
    """The files that a command reads recordings from, and how. without: texts `FILE=body`."""

    mission_path: Path
    recordings: tuple[Path, ...]
    trajectory: Path | None
    without: tuple[str, ...]
    mapping: Path | None
    repair: tuple[str, ...]

    def refuse_outputs(self, outputs: Mapping[Path | None, str], what: str, others: Sequence[Path] = ()) -> None:
        """Refuse, before the work, what could not be done after it: a recording twice, outputs that would harm.

        outputs: the ending of each, None for one that is not wanted. others: further files that are read.
        """
        _refuse_repeated(self.recordings)
        inputs = (self.mission_path, *others, *self.recordings, self.trajectory, self.mapping)
        for path, ending in outputs.items():
            if path is not None:
                refuse_output(path, [each for each in inputs if each is not None], what, (ending,))

    def load_mission(self) -> tuple[Mission, Trajectory | None, Mapping[str, list[str]]]:
        """The mission, the commanded motion if one is given, and bodies that were not there by recording."""
        mission = load_mission(self.mission_path)
        trajectory = None if self.trajectory is None else load_motion(self.trajectory, mission.robot)
        return mission, trajectory, _absent_bodies(self.without)

    def read(self, robot: Robot) -> dict[str, Recording]:
        """The recordings by name, which must be of this robot."""
        read = {}
        for path in self.recordings:
            recording = read_any(path, self.mapping, list(self.repair))
            _refuse_other_joints(path, recording, robot)
            read[_flight_name(path, self.recordings)] = recording
        return read


def _refuse_repeated(recordings: Sequence[Path]) -> None:
    """The same file twice; a copy of it is found when it is read."""
    seen = set[Path]()
    for path in recordings:
        if path.resolve() in seen:
            raise FileError(path, "is given twice; allowed: each recording once")
        seen.add(path.resolve())


def _refuse_other_joints(path: Path, recording: Recording, robot: Robot) -> None:
    """Refuse a recording of joints that are not the robot's, or not all of them."""
    claim = passive_joint_measured(recording, robot)
    if claim is not None:
        raise FileError(path, claim)
    found = {name: None for channel in recording if channel.quantity == "q" for name in channel.components}
    there = {body.joint.name for body in robot.bodies if body.joint is not None}
    names = robot.driven_names
    if found and not set(names) <= set(found) <= there:
        near = {name: get_close_matches(name, set(found) - there, 1) for name in names if name not in found}
        meant = "".join(f" (is {match[0]} meant for {name}?)" for name, match in near.items() if match)
        allowed = f"those of {robot.name}, {', '.join(names)}"
        raise FileError(path, f"holds the joints {', '.join(found)}{meant}; allowed: {allowed}")


def _flight_name(path: Path, among: Sequence[Path]) -> str:
    """The file's name, or the whole path where two files have the same name."""
    return path.name if [other.name for other in among].count(path.name) == 1 else str(path)


def _absent_bodies(without: Sequence[str]) -> Mapping[str, list[str]]:
    """Bodies that were not there, by recording, from texts `FILE=body`."""
    absent: dict[str, list[str]] = {}
    for text in without:
        name, equals, body = text.rpartition("=")
        if not (name and equals and body):
            raise FileError(text, "does not say which body which recording was without; allowed: FILE=BODY")
        absent.setdefault(name, []).append(body)
    return absent


def read_any(path: Path, mapping: Path | None, repair: list[str]) -> Recording:
    """A recording from a table or, with a mapping, from a bag."""
    if (path / MANIFEST).is_file():
        raise FileError(path, f"is the directory of a run; allowed: a recording in it, such as {path / FLIGHT}")
    if not (path.is_dir() or path.suffix in (".mcap", ".db3")):
        _refuse_other_kind(path)
        return load_recording(path, repair=repair)
    if mapping is None:
        raise FileError(path, "a bag needs a mapping file that says which topic is what; give it as --mapping")
    recording = load_recording(path, load_bag_mapping(mapping), repair=repair)
    hashes = {**recording.origin.hashes, mapping.name: sha256(mapping)}  # it says what the numbers mean
    return replace(recording, origin=replace(recording.origin, hashes=hashes))


def _refuse_other_kind(path: Path) -> None:
    """Refuse a file of ours that is no recording, and say what it is."""
    if path.suffix.lower() in (".yaml", ".yml", ".json") and path.is_file():
        try:
            check_format(load_yaml(path), "recording")
        except WrongFormat as fault:
            said = f"is of the kind {fault.found}, not a recording; allowed: .parquet, .csv or a ROS 2 bag"
            raise WrongFormat(path, said, fault.found) from None
