"""Whether the intervals of linear methods hold the truth, method by method and model by model."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import freefloat as ff
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.estimate.uncertain import HALF
from freefloat.models.model import NotApplicable
from proof import proving

CONFIDENCE = 0.99

METHODS = (
    "least-squares",
    "weighted",
    "bias-compensated",
    "total-least-squares",
    "instrumental-variable",
    "recursive",
    "adaline",
    "hopfield-tank",
)

_FLOATING = """
momentum: {wheels_Nms: {wx: 2.0, wy: -1.5, wz: 1.0}}
sensors:
  joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 10}
  gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, rate_Hz: 10}
  speed: {kind: velocity, axes: body, noise_m_s: 2.0e-4, rate_Hz: 10}
  place: {kind: pose, position_noise_m: 1.0e-3, attitude_noise_deg: 0.01, rate_Hz: 10}
  wheels: {kind: tachometer, noise_rad_s: 0.001, rate_Hz: 10}
"""
_ARM = """
sensors:
  joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 50}
  torques: {kind: torque, noise_Nm: 0.02, rate_Hz: 50}
"""


@dataclass(frozen=True)
class Setting:
    """Where a model is tried: a robot of the studies, what its mission says, how long it moves [s]."""

    robot: str
    says: str
    duration_s: float


_FLIGHT = Setting("christidi_servicer", _FLOATING, 60.0)
_ON_THE_GROUND = Setting("gautier_khalil_arm_physical", _ARM, 10.0)
SETTINGS = {
    "angular-momentum": _FLIGHT,
    "base-velocity": _FLIGHT,
    "momentum": _FLIGHT,
    "energy": _ON_THE_GROUND,
    "torque": _ON_THE_GROUND,
}


@dataclass(frozen=True)
class Shown:
    """What a method says of one flight.

    held: part of the 95 % intervals that hold the truth; NaN where it states none. squared: mean of squared errors over
    variances.
    """

    held: float
    squared: float


@cache
def mission(model: str) -> ff.Mission:
    """The mission in which a model is tried."""
    setting = SETTINGS[model]
    with tempfile.TemporaryDirectory() as folder:
        ff.study_robot(setting.robot).save(Path(folder) / "robot.yaml")
        path = Path(folder) / "mission.yaml"
        path.write_text(
            f"format: freefloat/mission@1\nmission: linear\nrobot: robot.yaml\n{setting.says}"
            f"excitation: {{duration_s: {setting.duration_s:g}, shape: {{harmonics: 5}}}}\n"
            f"identify: {{models: [{model}], nuisances: {{joint_place_m: null, joint_axis_rad: null}}}}\n",
            "utf-8",
        )
        return ff.load_mission(path)


def fly(seed: int) -> dict[tuple[str, str], Shown]:
    """Draw a robot, fly a random motion, and ask every method on every model that it takes."""
    with one_blas_thread():  # matrices are small: several threads take ten times as long on a busy machine
        return _flown(seed)


def _flown(seed: int) -> dict[tuple[str, str], Shown]:
    found = dict[tuple[str, str], Shown]()
    for model in SETTINGS:
        asked = mission(model)
        robot = ff.draw_robot(asked, seed=seed)
        recording = ff.simulate(asked, ff.random_motion(asked, seed), seed=seed, robot=robot)
        problem = ff.problem(asked, recording)
        for method in METHODS:
            try:
                estimate = ff.estimate.make_estimator(method).estimate(problem)
            except NotApplicable:
                continue
            found[model, method] = shown(estimate, robot)
    return found


def shown(estimate: ff.Estimate, robot: ff.Robot) -> Shown:
    """How an estimate compares with the robot that flew."""
    off = (estimate.values - truth(estimate, robot)) / estimate.sd
    stated = np.isfinite(off)
    if not stated.any():
        return Shown(np.nan, np.nan)
    off = off[stated]
    return Shown(float((np.abs(off) <= HALF).mean()), float((off**2).mean()))


def truth(estimate: ff.Estimate, robot: ff.Robot) -> np.ndarray:
    """The clusters that an estimate should have found."""
    if estimate.model == "angular-momentum":
        model = ff.models.AngularMomentum(robot)
        return np.delete(model.values(), model.known_clusters())
    if estimate.model == "base-velocity":
        return ff.models.BaseVelocity(robot).values()
    return estimate.minimal.values(robot.parameters)


def page(flights: Sequence[dict[tuple[str, str], Shown]]) -> str:
    """The table, in Markdown."""
    lines = [
        "# Do intervals of linear methods hold the truth?",
        "",
        f"{len(flights)} flights for each model. Rows of momentum are those of a servicer with an arm of three joints",
        "and spinning wheels, which flies 60 s with encoders, gyro, tachometers, and a pose and velocity of the base;",
        "rows of energy and torque those of an arm on the ground that moves for 10 s with encoders and torque sensors.",
        "Robots are drawn from the prior (`draw_robot`) with exact geometry, which linear methods do not estimate",
        "along; motions are random, joints follow their command.",
        "",
        "A method whose expected bias (noise in the rows' own columns) is more than half a standard deviation states",
        "no interval, flight by flight. The flight is the unit of evidence: the interval of the mean is found by",
        f"drawing flights again with replacement ({proving.RESAMPLED:,} times). *root*: of the mean square of error",
        "over standard deviation. Methods that a model refuses are left out.",
        "",
        "| model | method | flights with intervals | intervals that hold the truth (95 %) | 99 % interval | root |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for model, method in flights[0]:
        shown = [flight[model, method] for flight in flights]
        stated = [each for each in shown if np.isfinite(each.held)]
        lines.append(f"| {model} | {method} | {len(stated)} of {len(shown)} | {covered(stated)} |")
    return "\n".join([*lines, ""])


def covered(stated: Sequence[Shown]) -> str:
    """Three cells: coverage, its interval over flights, and the root of the mean normalised square."""
    if len(stated) < proving.LEAST_FLIGHTS:
        return "no interval | | "
    mean, low, high = proving.mean_interval(np.array([each.held for each in stated]), CONFIDENCE)
    root = float(np.sqrt(np.mean([each.squared for each in stated])))
    return f"{100.0 * mean:.1f} % | {100.0 * low:.1f} to {100.0 * high:.1f} % | {root:.2f}"


if __name__ == "__main__":
    sys.exit(proving.run("linear", __doc__ or "", fly, page))
