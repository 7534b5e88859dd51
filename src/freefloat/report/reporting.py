"""A mission's results as a page, without a directory of a run."""

from __future__ import annotations

from pathlib import Path

from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.physically_consistent import physical_robot
from freefloat.excitation.excitation import Excitation
from freefloat.files import FilePath
from freefloat.mission.advising import advice_of
from freefloat.mission.drawing import mission_flown_with
from freefloat.mission.identifying import Recordings, named_recordings
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.prior_knowledge import trade_off_of
from freefloat.mission.run_directory import Run, simulated_robot
from freefloat.mission.run_manifest import BroughtSection, RunManifest, versions
from freefloat.report.run_page import write_run_page
from freefloat.robot.model import Robot
from freefloat.validation.validation import Validation


def write_report(
    path: FilePath,
    mission: Mission,
    flight: Recordings,
    estimate: Estimate,
    *,
    excitation: Excitation | None = None,
    validation: Validation | None = None,
    truth: Robot | None = None,
) -> None:
    """One self-contained HTML page of a mission's results, which works offline.

    flight: the recordings that were identified. excitation: the design of the motion, if one is known.
    validation: what predicting other flights said. truth: the robot that flew, where it is known; the mission's own
    unless given, if that flew on the desk.
    """
    write_run_page(path, run_without_directory(path, mission, flight, estimate, excitation, validation, truth))


def run_without_directory(
    path: FilePath,
    mission: Mission,
    flight: Recordings,
    estimate: Estimate,
    excitation: Excitation | None = None,
    validation: Validation | None = None,
    truth: Robot | None = None,
) -> Run:
    """The run that these would be the results of, as for `write_report`."""
    flights = named_recordings(flight)
    if not flights:
        raise InvalidMission("there is no recording to report of; allowed: those that were identified, at least one")
    real = {name: each for name, each in flights.items() if each.origin.kind == "recorded"}
    return Run(
        directory=Path(path).parent,
        mission=mission,
        excitation=excitation,
        motion=None if excitation is None else excitation.trajectory,
        flights=flights,
        estimate=estimate,
        unseen_flights={},
        validation=validation,
        truth=simulated_robot(mission, flights) if truth is None else mission_flown_with(mission, truth).robot,
        identified=_identified(mission, estimate),
        advice=advice_of(mission),
        manifest=RunManifest(
            mission=mission.name,
            robot=mission.settings.robot,
            motion="unknown",
            recordings=(),
            unseen=(),
            brought=tuple(BroughtSection.of(name, each) for name, each in real.items()),
            versions=versions(),
            hashes=dict(mission.hashes),
        ),
    )


def _identified(mission: Mission, estimate: Estimate) -> Robot | None:
    """What `export_robot` would write, which a run has in its directory; None where it would refuse."""
    if estimate.outcome == "failed":
        return None
    try:
        return physical_robot(estimate, trade_off=trade_off_of(mission)).robot.with_separate(mission.robot.separate)
    except FreefloatError:  # clusters that are not sums of standard parameters, or no robot explains them
        return None
