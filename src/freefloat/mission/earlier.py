"""Motions that were flown before, which a design complements: as designed, as commanded, or as recorded."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from freefloat.data.load import load_recording
from freefloat.data.recording import Recording
from freefloat.errors import FileError, FreefloatError
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.excitation.excitation_file import load_motion
from freefloat.files import FilePath
from freefloat.mission.identifying import flights_of, method_of, settings_for
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.motion.combined import Combined
from freefloat.motion.command_file import holds_commands
from freefloat.motion.sampled import Sampled
from freefloat.motion.trajectory import Trajectory

Flown = Trajectory | Excitation | Recording
_MOST = 2000  # samples of a recording that its motion is made of
_TABLES = (".csv", ".parquet")


def load_flown(mission: Mission, path: FilePath) -> Trajectory:
    """The motion of a file: an excitation, a trajectory, commands, or a recording of the mission's robot.

    A .csv file of joints and wheels alone counts as commands, unless the mission speaks of it as a recording.
    """
    file = Path(os.fspath(path))
    asked, suffix = mission.settings.identify, file.suffix.lower()
    recorded = file.name in {*asked.without, *asked.start_positions, *asked.pulses}
    if suffix not in _TABLES or (suffix == ".csv" and not recorded and holds_commands(path)):
        return load_motion(path, mission.robot)
    try:
        return motion_flown(mission, load_recording(path), file.name)
    except FileError:
        raise
    except FreefloatError as error:
        raise FileError(path, str(error)) from error


def motion_flown(mission: Mission, flown: Flown, name: str | None = None) -> Trajectory:
    """The motion itself; of a recording, that of its joints and wheels from the first sample on.

    name: of a recording, by which the mission speaks of it; the file that it was first read from unless given.
    """
    if not isinstance(flown, Recording):
        return trajectory_of(flown)
    called = name or Path(flown.origin.file or "earlier").name
    absent = mission.settings.identify.without.get(called)
    if absent:
        raise InvalidMission(
            f"{called!r} was made without {', '.join(absent)}, as identify.without has it, and would count as a motion "
            "of the whole robot; allowed before a design: recordings with all its bodies"
        )
    settings = settings_for(mission, method_of(mission))
    ((flight, _),) = flights_of(mission, {called: flown}, None, {}, settings)
    samples, robot = flight.samples, mission.robot
    kept = np.unique(np.linspace(0, len(samples) - 1, min(len(samples), _MOST)).astype(int))
    t = samples.need("t", "an earlier motion")[kept]
    parts: list[Trajectory] = []
    if robot.joints:
        dq = samples.need("dq", "an earlier motion")
        parts.append(Sampled.from_positions(robot.joint_names, t - t[0], samples.q[kept], dq[kept]))
    if robot.wheels and samples.wheel_rates is not None:
        names = tuple(wheel.name for wheel in robot.wheels)
        # What wheels turn at before a motion is the mission's to say; channels are what they do beside that.
        rates = samples.wheel_rates[kept] - mission.wheel_rates
        parts.append(Sampled.from_rates(names, t - t[0], rates))
    return parts[0] if len(parts) == 1 else Combined(tuple(parts))
