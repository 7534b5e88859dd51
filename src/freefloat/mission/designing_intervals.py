"""The motion of intervals of a mission: what its sections say, made ready for the design."""

from __future__ import annotations

import numpy as np

from freefloat.excitation.procedures.interval_settings import Intervals
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.shapes import IntervalsShapeSection
from freefloat.motion.cycloid import Cycloid


def intervals_of(mission: Mission, shape: IntervalsShapeSection) -> Intervals:
    """What a mission whose motion has this shape says of it; refused where another section contradicts."""
    said = mission.settings.excitation
    if said.home:
        raise InvalidMission(
            f"{mission.path}: excitation.home is given, but intervals begin where it is best and end elsewhere; "
            "allowed: no home"
        )
    if said.robust is not None:
        raise InvalidMission(
            f"{mission.path}: excitation.robust is given, but intervals are designed for one robot; allowed: null"
        )
    lasts = (shape.most or 0) * shape.interval_s
    if "duration_s" in said.model_fields_set and lasts > said.duration_s * (1.0 + 1e-9):
        raise InvalidMission(
            f"{mission.path}: excitation.shape.most asks for {shape.most} intervals, which last {lasts:g} s; "
            f"allowed: no longer than duration_s, {said.duration_s:g} s"
        )
    return shape.intervals(said.duration_s)


def still_intervals(mission: Mission, shape: IntervalsShapeSection, channels: tuple[str, ...]) -> Cycloid:
    """A motion of as many intervals as the mission wants that does not move."""
    intervals = intervals_of(mission, shape)
    return Cycloid(channels, np.zeros((1 + (intervals.most or 1), len(channels))), intervals.interval_s)
