"""The mission file and the verbs over all stages: read this first.

A mission says which robot, what is known of it, which sensors it carries, how it moves (`mission_file.py`, and
`sections.py` for what the file may say). Every verb takes the mission and gives back the one frozen type of its stage:

    mission = load_mission("n1.yaml")
    excitation = design(mission)                # an Excitation: the motion that reveals the most
    flight = simulate(mission, excitation, seed=1)  # a Recording, as a real flight would give
    estimate = identify(mission, flight, trajectory=excitation)  # an Estimate: values, intervals, what they are made of
    print(validate(mission, estimate, other))   # a Validation: whether it predicts another flight
    write_report("report.html", mission, excitation, flight, estimate)  # one page of all of it
    run(mission, "n1.run")                      # or all of it at once, in a directory
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from freefloat.mission.drawing import draw_robot
from freefloat.mission.flying import fly, random_motion, simulate
from freefloat.mission.mission_file import InvalidMission, Mission, load_mission

if TYPE_CHECKING:
    from freefloat.mission.designing import design
    from freefloat.mission.identifying import identify, problem
    from freefloat.mission.reporting import write_report
    from freefloat.mission.run_directory import Run, load_run
    from freefloat.mission.running import run
    from freefloat.mission.sweeping import sweep
    from freefloat.mission.validating import validate

__all__ = [
    "InvalidMission",
    "Mission",
    "Run",
    "design",
    "draw_robot",
    "fly",
    "identify",
    "load_mission",
    "load_run",
    "problem",
    "random_motion",
    "run",
    "simulate",
    "sweep",
    "validate",
    "write_report",
]
_LATER = {
    "Run": "run_directory",
    "design": "designing",
    "identify": "identifying",
    "load_run": "run_directory",
    "problem": "identifying",
    "run": "running",
    "sweep": "sweeping",
    "validate": "validating",
    "write_report": "reporting",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:  # which bring a second of imports that flying does without
        raise AttributeError(f"module 'freefloat.mission' has no attribute {name!r}")
    return getattr(import_module(f"freefloat.mission.{_LATER[name]}"), name)
