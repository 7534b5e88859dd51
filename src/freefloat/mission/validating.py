"""From a mission, an estimate and recordings that it has not seen to a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from freefloat import __version__
from freefloat.data.processing.processed import Processed, ProcessSettings
from freefloat.data.recording import Recording
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_drives import estimated_drives, torque_over_true
from freefloat.estimate.estimated_springs import estimated_springs
from freefloat.estimate.flight import Flight
from freefloat.estimate.methods import default_method
from freefloat.estimate.problem import Problem
from freefloat.estimate.structured.as_standard import BOTH, standard_estimate
from freefloat.excitation.excitation import Excitation
from freefloat.mission.identifying import (
    Recordings,
    absent_bodies,
    flights_of,
    method_of,
    named_recordings,
    settings_for,
)
from freefloat.mission.mission_file import Mission
from freefloat.mission.posing import with_noise_left
from freefloat.mission.prior_knowledge import nuisances_of
from freefloat.models.names import ModelName
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.validation.base_motion import BaseMotionPrediction
from freefloat.validation.joint_torques import left_aside
from freefloat.validation.judge import headline, judged
from freefloat.validation.linear_rows import LinearPrediction
from freefloat.validation.prediction import InvalidValidation, Predictor, UnfitEstimate
from freefloat.validation.validation import Validation


def validate(
    mission: Mission,
    estimate: Estimate,
    recordings: Recordings,
    motion: Trajectory | Excitation | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
    settings: ProcessSettings | None = None,
    false_alarm: float = 0.01,
) -> Validation:
    """Whether an estimate of the mission's robot predicts recordings, and if not, why.

    recordings: one, several, or several by name; others than the estimate was made from. motion: the commanded
        motion, as for `identify`. without: by name of a recording, bodies that were not there.
    false_alarm: probability with which the true robot is not passed, at most.
    """
    if not 0.0 < false_alarm < 1.0:
        raise InvalidValidation(f"the false-alarm rate is {false_alarm}; allowed: between 0 and 1")
    estimate = standard_estimate(estimate) if estimate.model == BOTH else estimate
    named = named_recordings(recordings)
    absent = absent_bodies(mission, recordings, without)
    prediction, problem, processed = _posed(mission, estimate, named, absent, motion, settings)
    found = judged(prediction, problem, estimate, false_alarm)
    several = len(processed) > 1
    notes = tuple(
        f"{f'{flight.name}: ' if several else ''}{sentence}"
        for flight, done in processed
        for sentence in (*done.warnings, *done.gaps)
    )
    found = replace(found, notes=(*notes, *left_aside(problem)), origin=_origin(mission, estimate, named))
    return _no_proof(found, estimate, named, prediction.noise_is_left)


def _posed(
    mission: Mission,
    estimate: Estimate,
    named: Mapping[str, Recording],
    absent: Mapping[str, Sequence[str]],
    motion: Trajectory | Excitation | None = None,
    settings: ProcessSettings | None = None,
) -> tuple[Predictor, Problem, list[tuple[Flight, Processed]]]:
    """What predicts the recordings, the problem they pose, and each as a flight with what processing said of it."""
    robot = _robot(mission, estimate)
    method = str(estimate.origin.get("method", method_of(mission)))
    if robot.base == "fixed":  # what is compared are rows, by whatever method the estimate was made
        method = default_method(robot.base, of_rows=True)
    processed = flights_of(mission, named, motion, absent, settings or settings_for(mission, method))
    flights, left = with_noise_left([_with_gains(flight, estimate) for flight, _ in processed], estimate)
    return *_prediction(mission, robot, estimate, flights, left), processed


def _with_gains(flight: Flight, estimate: Estimate) -> Flight:
    """The flight with torques as the gains that the estimate found make them."""
    torques, over = flight.samples.torques, torque_over_true(estimate)
    if torques is None or not (over != 1.0).any():
        return flight
    return replace(flight, samples=replace(flight.samples, torques=torques / over))


def _robot(mission: Mission, estimate: Estimate) -> Robot:
    """The mission's robot with the values that the estimate took as known, and what it found of drives and springs."""
    refuse_other_robot(mission, estimate)
    robot = mission.robot.with_separate(estimate.robot.separate).with_drives(estimated_drives(estimate))
    robot = robot.with_springs(estimated_springs(estimate))
    if np.array_equal(robot.parameters, estimate.robot.parameters):
        return robot
    return robot.with_parameters(estimate.robot.parameters)


def refuse_other_robot(mission: Mission, estimate: Estimate) -> None:
    """Refuse an estimate of another robot than the mission's."""
    robot = mission.robot.with_separate(estimate.robot.separate)
    same = (robot.base, robot.joint_names, robot.parameter_names)
    if same != (estimate.robot.base, estimate.robot.joint_names, estimate.robot.parameter_names):
        raise UnfitEstimate(
            f"the estimate is of {estimate.robot.name}, whose bodies or joints are not those of {mission.robot.name}; "
            "allowed: an estimate of the mission's robot"
        )


def _prediction(
    mission: Mission, robot: Robot, estimate: Estimate, flights: tuple[Flight, ...], noise_is_left: bool
) -> tuple[Predictor, Problem]:
    """What predicts the flights, and the problem they pose. noise_is_left: as of a Predictor."""
    if not np.isfinite(estimate.covariance).all():
        raise UnfitEstimate("the estimate has no covariance; allowed: one made with sensors whose noise is known")
    if estimate.is_standard and robot.base != "fixed":
        whole = Problem(robot, flights, prior=None, nuisances=nuisances_of(mission))
        if whole.robot.parameter_names != robot.parameter_names:
            raise UnfitEstimate(
                "a recording is without a body that the estimate does not tell apart from what carries it; allowed: "
                "recordings with it, or an estimate for which it was known"
            )
        return BaseMotionPrediction(whole, estimate), whole
    of: ModelName = "base-wrench" if "base-wrench" in estimate.model else "torque"  # which shows all that torques do
    asked = Problem(robot, flights, estimate.known, estimate.zero, nuisances=nuisances_of(mission), models=(of,))
    if estimate.is_standard and of in estimate.model:
        return LinearPrediction(asked, estimate, of, noise_is_left), asked
    if estimate.model == "angular-momentum":
        asked = replace(asked, models=("angular-momentum",))
        return LinearPrediction(asked, estimate, "angular-momentum"), asked
    raise UnfitEstimate(
        f"an estimate of {estimate.model} on a {robot.base} base predicts no motion by itself; allowed: momentum, "
        "angular-momentum, or torque or base-wrench on a fixed base"
    )


def _no_proof(
    found: Validation, estimate: Estimate, recordings: Mapping[str, Recording], noise_is_left: bool
) -> Validation:
    """The same with what weakens it said: recordings that were seen before, an estimate that failed."""
    entries: Any = estimate.origin.get("recordings", ())
    seen = {str(entry.get("sha256")) for entry in entries if isinstance(entry, Mapping)}
    used = [name for name, recording in recordings.items() if recording.sha256 in seen]
    said = [f"{', '.join(used)} was used for the estimate: agreement is no proof"] if used else []
    failed = estimate.outcome == "failed"
    why = "" if estimate.causes else f": {'; '.join(estimate.warnings[:1])}"  # causes have been said
    said += [f"the estimate calls itself failed{why}"] if failed else []
    if not said:
        return found
    first = headline(found.channels, found.duration_s, bool(used), noise_is_left)
    verdict = "fail" if failed else "doubtful" if found.verdict == "pass" else found.verdict
    return replace(found, verdict=verdict, reasons=(first, *found.reasons[1:], *said))


def _origin(mission: Mission, estimate: Estimate, recordings: Mapping[str, Recording]) -> dict[str, Any]:
    return {
        "made_by": f"freefloat {__version__}",
        "mission": mission.name,
        "robot": mission.robot.name,
        "hashes": dict(mission.hashes),
        "method": estimate.method,
        "recordings": [{"name": name, "sha256": each.sha256} for name, each in recordings.items()],
    }
