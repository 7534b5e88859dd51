"""A motion that was not designed here, described as a design is: what it will tell, how far it is from every limit."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from freefloat import __version__
from freefloat.errors import WrongFormat
from freefloat.excitation.excitation import Excitation, HowFound
from freefloat.excitation.excitation_file import load_excitation, load_motion
from freefloat.excitation.finding import described
from freefloat.excitation.flight_forecast import flight_sheet
from freefloat.excitation.plan import InvalidPlan
from freefloat.files import FilePath
from freefloat.mission.designing import plan_of
from freefloat.mission.limits import mission_limits
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.motion.trajectory import Trajectory

_MOST_ROWS = 200  # of coefficients: beyond, the motion is a table of samples, which is not searched near
_LISTED = 3


def given_excitation(mission: Mission, trajectory: Trajectory, by: str = "given by the mission") -> Excitation | None:
    """The motion with its predicted accuracy, margins and flight sheet, for the mission's goal; nothing is searched.

    by: who gave it. None where that cannot be told: of a long table of samples, or a goal that it leaves open.
    """
    if trajectory.coefficients.shape[0] > _MOST_ROWS:
        return None
    limits = mission_limits(mission, trajectory.channels)
    try:
        plan = replace(plan_of(mission), shape=trajectory, limits=limits, rest=False)
        found = described(plan, trajectory, HowFound(by, 0, (), 0, 0, 0.0), math.inf)
    except (InvalidPlan, InvalidMission):
        return None
    broken = [each.limit for each in found.margins if not each.kept]
    more = f" and {len(broken) - _LISTED} more" if len(broken) > _LISTED else ""
    said = (f"the motion goes beyond: {', '.join(broken[:_LISTED])}{more}",) if broken else ()
    return replace(
        found,
        sheet=flight_sheet(plan, trajectory, found.margins, mission.orbital_rate, mission.orbit is not None),
        warnings=(*said, *found.warnings),
        origin={"made_by": f"freefloat {__version__}", "mission": mission.name, "hashes": dict(mission.hashes)},
    )


def load_given(path: FilePath, mission: Mission) -> Excitation | Trajectory:
    """A design, or a motion alone, from its file; refused where it is not for the mission's robot."""
    motion = load_motion(path, mission.robot)
    if Path(path).suffix.lower() != ".json":
        return motion
    try:
        return load_excitation(path)
    except WrongFormat:
        return motion
