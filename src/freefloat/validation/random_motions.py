"""What an estimate predicts of many random motions: how surely, and, where the true robot is known, how well.

After the validation of M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit
servicing", 2022, section 5.3.2: sines with random amplitudes, the largest error of the base's rate in each, and the
mean of that over all motions. Momentum is zero and wheels are at rest. How uncertain the rates are follows from the
estimate's covariance by the derivatives of `dynamics/reaction.py`; what data left open has the CAD model's spread.
Where joints sit and point is as the estimate has it; its uncertainty is added as if it were independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.dynamics.reaction import Reaction, geometry_slopes, momentum_slopes, six_rows, solve_base
from freefloat.dynamics.samples import Samples
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_clusters import cad_spread, total_covariance
from freefloat.estimate.structured.as_standard import BOTH, standard_estimate
from freefloat.estimate.uncertain import HALF
from freefloat.estimate.unknowns import GEOMETRY_WORDS
from freefloat.exact_json import finite_or_none
from freefloat.frozen import Content
from freefloat.motion.sine_motions import RandomSines
from freefloat.robot.geometry import PER_JOINT, tilting, with_geometry
from freefloat.robot.model import Robot
from freefloat.validation.prediction import InvalidValidation, UnfitEstimate


@dataclass(frozen=True, slots=True, eq=False)
class RandomMotions(Content):
    """Rates of the base in random motions, base axes [rad/s], each array of shape (motions, 3).

    largest_rate: predicted. largest_sd: largest standard deviation of a predicted rate; NaN of an estimate that states
        no intervals.
    largest_error: against the true robot; within: share of all rates whose error is within 95 %. None without it.
    """

    duration_s: float
    largest_rate: Array
    largest_sd: Array
    largest_error: Array | None = None
    within: float | None = None

    def summary(self) -> dict[str, object]:
        """Means over motions, and extremes, by axis, as plain data [rad/s]."""
        listed = [("rate", self.largest_rate), ("sd", self.largest_sd)]
        if self.largest_error is not None:
            listed.append(("error", self.largest_error))
        axes = {
            axis: {
                f"{how}_of_largest_{name}_rad_s": finite_or_none(float(by(values[:, place])))
                for name, values in listed
                for how, by in (("mean", np.mean), ("largest", np.max))
            }
            for place, axis in enumerate(AXES)
        }
        return {"motions": len(self.largest_rate), "duration_s": self.duration_s, "within": self.within, "axes": axes}


def predict_random_motions(
    estimate: Estimate,
    motions: int = 1000,
    seed: int = 0,
    truth: Robot | None = None,
    duration_s: float = 60.0,
    rate_Hz: float = 10.0,
) -> RandomMotions:
    """Predict random sines within the limits of the joints, passive ones at rest.

    truth: the robot that really flies, if it is known.
    """
    estimate = standard_estimate(estimate) if estimate.model == BOTH else estimate
    robot = estimate.robot
    if not estimate.is_standard or robot.base == "fixed" or not np.isfinite(estimate.covariance).all():
        raise UnfitEstimate("random motions need an estimate of momentum, of a base that moves, with a covariance")
    if truth is not None and truth.joint_names != robot.joint_names:
        allowed = f"those of {robot.name}, {', '.join(robot.joint_names)}"
        raise InvalidValidation(f"{truth.name} has the joints {', '.join(truth.joint_names)}; allowed: {allowed}")
    if motions < 1 or not robot.joints:
        raise InvalidValidation(f"{motions} motions of {len(robot.joints)} joints; allowed: at least one of each")
    covariance = total_covariance(estimate, cad_spread(estimate))
    geometry = _geometry(estimate)
    rates, sds, errors, inside = list[Array](), list[Array](), list[Array](), 0
    for samples, count in RandomSines.drawn(robot, motions, duration_s, rate_Hz, seed).pieces():
        w, sd = _predicted(estimate, samples, covariance, *geometry)
        sd = np.full_like(sd, np.nan) if estimate.no_interval else sd
        rates.append(_largest(w, count))
        sds.append(_largest(sd, count))
        if truth is not None:
            true, _ = _reaction(truth, samples, truth.parameters)
            error = w - true[:, 3:]
            errors.append(_largest(error, count))
            inside += int((np.abs(error) <= HALF * sd).sum())
    found = RandomMotions(duration_s, np.vstack(rates), np.vstack(sds))
    if truth is None:
        return found
    every = len(samples) // count * motions * 3
    within = None if estimate.no_interval else inside / every
    return RandomMotions(duration_s, found.largest_rate, found.largest_sd, np.vstack(errors), within)


def _largest(values: Array, motions: int) -> Array:
    """Of each motion, (motions n, 3) -> (motions, 3)."""
    return np.asarray(np.abs(values).reshape(motions, -1, 3).max(axis=1))


def _reaction(robot: Robot, samples: Samples, phi: Array) -> tuple[Array, Reaction]:
    """The base's twist, (n, 6), and what it follows from."""
    dq = samples.need("dq", "random motions")
    still = np.zeros((len(samples), 3))  # wheels
    reaction = Reaction.of(robot, samples.q, dq, still, phi).checked()
    return six_rows(reaction.rest, reaction.allowed), reaction


def _predicted(
    estimate: Estimate, samples: Samples, covariance: Array, off: Array, off_sd: Array
) -> tuple[Array, Array]:
    """Rates and their standard deviations, each (n, 3) [rad/s]. off, off_sd: as of `_geometry`."""
    phi, kept = estimate.parameters, estimate.minimal.kept
    robot, tilts = with_geometry(estimate.robot, off), tilting(estimate.robot, off)
    twist, reaction = _reaction(robot, samples, phi)
    moving = (samples.q, samples.need("dq", "random motions"), twist[:, :3], twist[:, 3:])
    slopes = momentum_slopes(robot, phi, reaction.A, *moving, kept, np.ones(kept.size, dtype=bool))[..., : kept.size]
    by_geometry, _ = geometry_slopes(robot, tilts, phi, *moving)
    columns = np.concatenate([slopes, by_geometry * off_sd.ravel()], axis=2)
    J = six_rows(solve_base(reaction.A, columns, reaction.allowed), reaction.allowed)[:, 3:]
    by_clusters = J[..., : kept.size]
    variance = np.einsum("nik,nik->ni", by_clusters @ covariance, by_clusters)
    variance += (J[..., kept.size :] ** 2).sum(axis=2)
    return twist[:, 3:], np.sqrt(np.maximum(variance, 0.0))


def _geometry(estimate: Estimate) -> tuple[Array, Array]:
    """By how much joints are off, and how uncertain that is, each (joints, 5) [m, rad]; zero where not estimated."""
    found = {each.name: (each.value, each.sd) for each in estimate.nuisances}
    named = [[words.format(joint) for words in GEOMETRY_WORDS] for joint in estimate.robot.joint_names]
    both = np.array([[found.get(name, (0.0, 0.0)) for name in row] for row in named]).reshape(-1, PER_JOINT, 2)
    return both[..., 0], np.where(np.isfinite(both[..., 1]), both[..., 1], 0.0)
