"""Flights of N1's robot with something that swings, and what a rigid and a flexible robot make of them.

The robot is that of case study N1 with two panels on springs, or with a tank as a pendulum. Panels and tank, motion and
noise are ours. The robot that flies is drawn about the file, as far as the usual prior says: bodies by 10 %,
frequencies by 20 %, damping by half.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.data.recording import Recording
from freefloat.dynamics.modes import SystemMode, system_modes
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_springs import estimated_modes, spring_names
from freefloat.mission.drawing import draw_robot
from freefloat.mission.flying import random_motion, simulate
from freefloat.mission.identifying import identify
from freefloat.mission.mission_file import Mission
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.locked import locked
from freefloat.robot.model import Robot
from freefloat.robot.yaml_read import robot_from_document
from freefloat.robot.yaml_write import robot_document
from freefloat.studies.catalogue import study_mission

STUDY = "spirolazzi_n1"
Arm = Literal["known", "unknown"]

_LINKS = tuple(f"link{number}" for number in range(1, 7))
_WHOLE = ("Ixx_base", "Iyy_base", "Izz_base")  # leaders of what the base turns as, all passive joints locked


def _panel(name: str, side: float, frequency_Hz: float, damping_ratio: float) -> dict[str, Any]:
    """A panel of 2 m by 0.8 m on one side of the base, hinged where it is fixed."""
    return {
        "name": name,
        "xyz_m": [0.0, 0.5 * side, 0.0],
        "axis": [1, 0, 0],
        "mass_kg": 8.0,
        "com_m": [0.0, side, 0.0],
        "inertia_kgm2": {"xx": 2.67, "yy": 0.43, "zz": 3.1},
        "frequency_Hz": frequency_Hz,
        "damping_ratio": damping_ratio,
    }


_TANK = {"name": "fuel", "xyz_m": [-0.1, 0, -0.2], "length_m": 0.2, "mass_kg": 20}
SWINGING: dict[str, dict[str, Any]] = {  # sections of a robot file
    "panels": {"appendages": [_panel("left_panel", 1.0, 0.3, 0.005), _panel("right_panel", -1.0, 0.7, 0.02)]},
    "tank": {"tanks": [{**_TANK, "frequency_Hz": 0.15, "damping_ratio": 0.02}]},
}


def swinging_robot(robot: Robot, what: str) -> Robot:
    """The robot with panels or a tank."""
    return robot_from_document({**robot_document(robot), **SWINGING[what]}, f"{robot.name} with {what}")


@dataclass(frozen=True, eq=False)
class Flown:
    """One flight. mission: with the swinging robot as its file has it. real: the robot that flew."""

    mission: Mission
    real: Robot
    recording: Recording

    @classmethod
    def drawn(cls, robot: Robot, arm: Arm, run: int) -> Flown:
        """A flight of a run: robot, motion and noise drawn. arm: whether its links are known exactly."""
        plain = study_mission("flexible")
        known = plain.settings.known
        if arm == "known":
            known = {**known, **dict.fromkeys(_LINKS, known["load"])}
        settings = plain.settings.model_copy(update={"known": known})
        mission = replace(plain, robot=robot, settings=settings)
        return cls.of(mission, random_motion(mission, run), run)

    @classmethod
    def of(cls, mission: Mission, motion: Trajectory, run: int) -> Flown:
        """A flight of this motion."""
        real = draw_robot(mission, run)
        return cls(mission, real, simulate(mission, motion, run, robot=real))

    @cached_property
    def flexible(self) -> Fitted:
        """The flight as that of the robot that it is."""
        return Fitted(identify(self.mission, self.recording), self.real)

    @cached_property
    def rigid(self) -> Fitted:
        """The flight as that of a robot whose passive joints are locked."""
        stiff = replace(self.mission, robot=locked(self.mission.robot))
        return Fitted(identify(stiff, self.recording), locked(self.real))


@dataclass(frozen=True, eq=False)
class Fitted:
    """An estimate beside the truth. real: the robot that flew, locked where the estimate's is."""

    estimate: Estimate
    real: Robot

    @property
    def residual(self) -> float:
        """Over the sensors' noise."""
        return self.estimate.residual.ratio

    @cached_property
    def errors_over_sd(self) -> Array:
        """Of clusters, then of stiffness and damping, over their standard deviations."""
        estimate = self.estimate
        clusters = (estimate.values - estimate.minimal.values(self.real.parameters)) / estimate.sd
        found = [estimate.value(name) for pair in spring_names(self.real) for name in pair]
        true = [value for spring in self.real.springs for value in (spring.stiffness, spring.damping)]
        springs = [(value - is_) / sd for (value, sd), is_ in zip(found, true, strict=True)]
        return np.concatenate([clusters, springs])

    def inertia_errors(self, whole: Fitted) -> Array:
        """Relative errors of the whole robot's inertia, all passive joints locked, shape (3,).

        whole: the rigid fit of the flight, whose clusters say what that is.
        """
        found = whole.estimate.minimal.values(self.estimate.parameters)[whole._places]
        return np.asarray(found / whole._true_inertia - 1.0)

    @property
    def inertia_deviations(self) -> Array:
        """Of a rigid fit: stated standard deviations of the same, relative, shape (3,)."""
        return np.asarray(self.estimate.sd[self._places] / self._true_inertia)

    @cached_property
    def slowest(self) -> tuple[SystemMode, SystemMode]:
        """The slowest mode as found, and as it is."""
        return estimated_modes(self.estimate)[0], system_modes(self.real)[0]

    @property
    def _places(self) -> list[int]:
        return [self.estimate.names.index(name) for name in _WHOLE]

    @property
    def _true_inertia(self) -> Array:
        return np.asarray(self.estimate.minimal.values(self.real.parameters)[self._places])
