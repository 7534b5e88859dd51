"""What is wrong with a run, said before it begins: no earlier run is lost for it, and no design is in vain."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from freefloat.estimate.methods import make_estimator
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.mission.designing import plan_of
from freefloat.mission.flying import robot_sha256
from freefloat.mission.identifying import method_of
from freefloat.mission.limits import mission_limits
from freefloat.mission.mission_file import InvalidMission, Mission, load_mission
from freefloat.motion.trajectory import Trajectory


def refuse_idle(options: Mapping[str, object], why: str) -> None:
    """Refuse options that were given and do nothing. options: None where not given. why: they do nothing."""
    idle = [name for name, value in options.items() if value is not None]
    if idle:
        are = "are" if len(idle) > 1 else "is"
        raise InvalidMission(f"{', '.join(idle)} {are} given, but {why}; allowed: a run without")


def refuse_changed(mission: Mission) -> None:
    """Refuse a mission that is not what its file says: the file is what is copied, run and repeated."""
    filed = load_mission(mission.path)
    for what, same in (
        ("settings", filed.settings == mission.settings),
        ("robot", robot_sha256(filed.robot) == robot_sha256(mission.robot)),
        ("sensors", dict(filed.sensors) == dict(mission.sensors)),
        ("trajectory", _document(filed.trajectory) == _document(mission.trajectory)),
    ):
        if not same:
            raise InvalidMission(
                f"{mission.path}: the {what} of mission {mission.name!r} and of its file differ; allowed: a mission as "
                "its file has it, for a run is made from files"
            )


def refuse_names(mission: Mission, recordings: Collection[str]) -> None:
    """Refuse a mission that says of a recording what was not there, and there is no such recording."""
    for name in mission.settings.identify.without:
        if name not in recordings:
            raise InvalidMission(
                f"{mission.path}: identify.without: no recording is called {name!r}; there are: {', '.join(recordings)}"
            )


def refuse_method(mission: Mission) -> None:
    """Refuse a method that there is not, or not for the robot's base."""
    make_estimator(method_of(mission), mission.robot.base)


def refuse_desk(mission: Mission, designs: bool) -> None:
    """Refuse what cannot be flown on the desk and identified, or, where it designs, what cannot be designed."""
    mission.need_sensors()
    if mission.robot.driven_names and not {"q", "dq"} & set(mission.measured):
        raise InvalidMission(
            f"{mission.path}: no sensor of the mission is an encoder or a joint-rate; to identify needs one"
        )
    if designs:
        plan_of(mission)


def refuse_limits(mission: Mission, given: Excitation | Trajectory | None) -> None:
    """Refuse limits that cannot be checked of a motion that is given, or else of the mission's own."""
    motion = mission.trajectory if given is None else given
    if motion is not None:
        mission_limits(mission, trajectory_of(motion).channels)


def _document(trajectory: Trajectory | None) -> object:
    return None if trajectory is None else trajectory.document()
