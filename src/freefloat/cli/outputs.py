"""Where a command writes to: said before its work what could not be written after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from freefloat.errors import FileError

if TYPE_CHECKING:
    from freefloat.mission.mission_file import Mission


def files_of(mission: Mission) -> tuple[Path, ...]:
    """Files that a mission is read from, none of which a command may write: its own, the robot's, the trajectory's."""
    settings, folder = mission.settings, mission.path.parent
    named = [settings.robot, settings.trajectory] if isinstance(settings.trajectory, str) else [settings.robot]
    return (mission.path, *(folder / name for name in named))


def refuse_output(output: Path, inputs: Sequence[Path], what: str, endings: Sequence[str]) -> None:
    """Refuse a file that the command reads, one of another kind, or one in no folder.

    what: is written, for the sentence. endings: of files it can be written to.
    """
    if output.resolve() in [path.resolve() for path in inputs]:
        raise FileError(output, "is read by this command, and would be overwritten; allowed: another file")
    if output.suffix.lower() not in endings:
        raise FileError(output, f"not a file that {what} are written to; allowed: {', '.join(endings)}")
    if not output.parent.is_dir():
        raise FileError(output, "cannot be written: there is no such folder")
