"""Sweeps of a mission: what its motion tells as masses, offsets, duration, sampling or harmonics change.

    sweep(mission, {"load.mass_kg": np.linspace(5, 60, 8)})

| varied | what happens |
| --- | --- |
| BODY.mass_kg | the body's mass; its inertia grows along, unless told otherwise |
| BODY.offset_m.x, .y, .z | its centre of mass is shifted by so much in its frame; the inertia about it stays |
| duration_s | the motion takes so long on the same path |
| rate_Hz | the gyro's; its noise is a density, so this matters only where samples miss some of the motion |
| harmonics | the motion is designed anew with so many |

Where neither the mission nor the caller gives a motion, it is designed: once, for the mission as it is; but anew for
each duration and each number of harmonics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar

import numpy as np

from freefloat.errors import FileError, FreefloatError
from freefloat.excitation.effort import STARTS
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.excitation.plan import Plan
from freefloat.excitation.sweep import Sweep, SweepPoint, measure, stretched, with_mass, with_offset
from freefloat.files import Section, YamlDocument, validate
from freefloat.mission.designing import found_for, plan_of
from freefloat.mission.mission_file import Mission
from freefloat.motion.trajectory import Trajectory
from freefloat.sensors.gyro import Gyro

KEYS = "BODY.mass_kg, BODY.offset_m.x (or y, z), duration_s, rate_Hz, harmonics"
_MOST_SAMPLES = 3000  # of a motion: more of them, each noisier, tell the same
DESIGN_INTERRUPTED = "interrupted while a motion was designed"
_SHAPING = ("duration_s", "harmonics")  # what a motion is designed anew for
_OFFSET = re.compile(r"(.+)\.offset_m\.([xyz])")
_MASS = re.compile(r"(.+)\.mass_kg")
SectionKind = TypeVar("SectionKind", bound=Section)


class InvalidSweep(FreefloatError):
    """Something that cannot be varied, or not like this."""


def sweep(
    mission: Mission,
    over: Mapping[str, Sequence[float]],
    motion: Trajectory | Excitation | None = None,
    inertia_scales: bool = True,
    starts: int = STARTS,
    seed: int = 0,
    workers: int | None = None,
    watch: Callable[[SweepPoint], None] | None = None,
) -> Sweep:
    """Condition number, predicted accuracy and influences for every combination of the values of all names.

    over: values by name. motion: the mission's own unless given. inertia_scales: whether a body's inertia grows
    with its mass. starts, seed, workers: of designs. watch: told each point as it is there. An interrupt (Ctrl-C) ends
    the sweep with the points so far, if there are any.
    """
    refuse_sweep(mission, over, motion, inertia_scales)
    given = trajectory_of(motion) if motion else mission.trajectory
    if "harmonics" in over:
        given = None
    anew = given is None and any(key in over for key in _SHAPING)
    flown, points, interrupted = given, list[SweepPoint](), False
    try:
        for setting in settings_of(over):
            changed = mission_at(mission, setting, inertia_scales)
            if flown is None or anew:
                flown = designed_motion(changed if anew else mission, starts, seed, workers)
            if flown is None:
                interrupted = True
                break
            points.append(_point(changed, setting, flown))
            if watch is not None:
                watch(points[-1])
    except KeyboardInterrupt:
        if not points:
            raise
        interrupted = True
    if not points:
        raise KeyboardInterrupt(DESIGN_INTERRUPTED)
    return Sweep(tuple(over), tuple(points), interrupted)


def settings_of(over: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """All combinations of the values of all names, the last name changing fastest."""
    return [dict(zip(over, map(float, values), strict=True)) for values in product(*over.values())]


def designed_motion(mission: Mission, starts: int, seed: int, workers: int | None) -> Trajectory | None:
    """A motion for the mission as it is, without the shakes that a single design has time for.

    None if the search was interrupted: what it ends with then is no fair point of a sweep.
    """
    found = found_for(mission, _plan(mission), starts, seed, workers, shakes=0)
    return None if found.how.interrupted else found.trajectory


def _point(changed: Mission, setting: Mapping[str, float], motion: Trajectory) -> SweepPoint:
    if "duration_s" in setting:
        motion = stretched(motion, setting["duration_s"])
    plan = _plan(changed)
    if "rate_Hz" in setting:
        samples = min(round(setting["rate_Hz"] * motion.duration_s), _MOST_SAMPLES)
        plan = replace(plan, goal_instants=max(samples, 1) + 1)
    return measure(plan, motion, setting)


def _plan(mission: Mission) -> Plan:
    """For its own goal; without sensors, which could not be predicted with, for the condition number."""
    return plan_of(mission, None if mission.sensors else "condition-number")


def refuse_sweep(
    mission: Mission, over: Mapping[str, Sequence[float]], motion: object, inertia_scales: bool = True
) -> None:
    """Say before the work what cannot be done."""
    if not over or any(len(values) == 0 for values in over.values()):
        raise InvalidSweep(f"nothing is varied; allowed: {KEYS}")
    for key, values in over.items():
        _refuse_key(mission, key)
        for value in map(float, values):
            if not np.isfinite(value):
                raise InvalidSweep(f"{key} is {value:g}; allowed: a finite number")
            mission_at(mission, {key: value}, inertia_scales)
    if "harmonics" in over and motion is not None:
        raise InvalidSweep("harmonics are varied by designing anew; allowed: no motion that is given beside them")


def _refuse_key(mission: Mission, key: str) -> None:
    if key == "rate_Hz" and not any(isinstance(sensor, Gyro) for sensor in mission.sensors.values()):
        raise InvalidSweep("rate_Hz is that of a gyro, and the mission has none")
    body = _MASS.fullmatch(key) or _OFFSET.fullmatch(key)
    if body:
        mission.robot.body(body[1])
    elif key not in (*_SHAPING, "rate_Hz"):
        raise InvalidSweep(f"{key!r} is not varied; allowed: {KEYS}")


def mission_at(mission: Mission, setting: Mapping[str, float], inertia_scales: bool = True) -> Mission:
    """The mission at one setting, which is checked as a mission file's would be."""
    robot, sensors, excitation = mission.robot, dict(mission.sensors), mission.settings.excitation
    for key, value in setting.items():
        if heavy := _MASS.fullmatch(key):
            robot = with_mass(robot, heavy[1], value, inertia_scales)
        elif shifted := _OFFSET.fullmatch(key):
            robot = with_offset(robot, shifted[1], value * np.eye(3)["xyz".index(shifted[2])])
        elif key == "rate_Hz":
            sensors = {
                name: _with(each, key, value) if isinstance(each, Gyro) else each for name, each in sensors.items()
            }
        elif key == "harmonics":
            excitation = excitation.model_copy(update={"shape": _with(excitation.shape, key, value)})
        else:
            excitation = _with(excitation, key, value)
    settings = mission.settings.model_copy(update={"excitation": excitation})
    return replace(mission, robot=robot, sensors=sensors, settings=settings)


def _with(section: SectionKind, field: str, value: float) -> SectionKind:
    """The section with another value in one field, if it is allowed there."""
    try:
        return validate(type(section), YamlDocument("sweep", {**section.model_dump(exclude_unset=True), field: value}))
    except FileError as error:
        raise InvalidSweep(error.problem) from error  # there is no file
