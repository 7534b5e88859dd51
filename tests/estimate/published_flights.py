"""Published experiments as the tests of estimators fly them: exact motion at zero momentum, noise as printed."""

from dataclasses import replace
from functools import cache

import numpy as np

from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Nuisances, Problem
from freefloat.motion.cycloid import Cycloid, direction_combinations
from freefloat.motion.fourier import Fourier
from freefloat.regressor.states import base_reaction
from freefloat.studies import published, study_robot

# ---------------------------------------------------------------------- Naveen, Shah, Misra


@cache
def naveen_samples(step_s):
    """67 intervals of one second, directions as in our surrogate of the unprinted choice; exact."""
    robot, printed = study_robot("naveen_dual_arm"), published("naveen_dual_arm")["excitation"]
    names = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    start = np.append(np.radians(printed["joints"]["start_deg"]), np.zeros(3))
    ranges = np.append(np.radians(printed["joints"]["range_deg"]), np.full(3, printed["wheels"]["range_rad"]))
    directions = direction_combinations(len(names))[printed["surrogate_intervals"]]
    motion = Cycloid.from_seeds(names, start, ranges, directions, printed["interval_s"])
    return _reacting(robot, motion.samples(robot, np.arange(round(67.0 / step_s)) * step_s))


def naveen_problem(run, step_s):
    """One run with the printed noise per sample; the CAD model is the authors' first guess."""
    printed = published("naveen_dual_arm")["noise"]
    noise = {"v": printed["velocity_m_s"], "w": printed["angular_rate_rad_s"], "dq": printed["joint_rate_rad_s"]}
    exact, rng = naveen_samples(step_s), np.random.default_rng(run)
    noisy = {name: values + sd * rng.normal(size=values.shape) for name, sd, values in _levels(exact, noise)}
    flight = Flight(replace(exact, **noisy), noise)
    guess = study_robot("naveen_dual_arm_offset")
    return Problem(guess, (flight,), nuisances=Nuisances.none(), models=("momentum",))


def naveen_errors(estimate):
    """Relative errors of the 52 clusters."""
    truth = estimate.minimal.values(study_robot("naveen_dual_arm").parameters)
    return np.abs(estimate.values / truth - 1.0)


# ---------------------------------------------------------------------- Spirolazzi, case study N1

ALONG = {"link1": "mz", "link2": "my", "link3": "mz", "link4": "my", "link5": "mz", "link6": "my", "load": "mz"}
SIMPLE = (
    "*.products",
    *(f"{link}.{moment}" for link, kept in ALONG.items() for moment in ("mx", "my", "mz") if moment != kept),
)


@cache
def n1_samples():
    """451 samples at 3 Hz; exact."""
    robot, printed = study_robot("spirolazzi_n1"), published("spirolazzi_n1")["trajectory"]
    motion = Fourier.from_harmonics(robot.joint_names, printed["a_rad_s"], printed["b_rad_s"], printed["duration_s"])
    return _reacting(robot, motion.samples(robot, np.arange(printed["samples"]) / printed["rate_Hz"]))


def n1_problem(run):
    """One run with the noise that the published table implies: held over samples, plus a constant bias."""
    inferred = published("spirolazzi_n1")["noise"]["inferred"]
    sd, held = inferred["gyro_white_rad_s_from_mean_errors"], inferred["gyro_hold_samples"]
    exact, rng = n1_samples(), np.random.default_rng(run)
    draws = rng.normal(size=(-(-len(exact) // held), 3))
    bias = np.radians(inferred["gyro_bias_deg_per_h"]) / 3600.0
    noisy = replace(exact, w=exact.w + sd * np.repeat(draws, held, axis=0)[: len(exact)] + bias, v=None)
    robot = study_robot("spirolazzi_n1")
    flight = Flight(noisy, {"w": sd})
    nothing = Nuisances.none()
    return Problem(robot, (flight,), {"load": 0.0}, SIMPLE, nuisances=nothing, models=("angular-momentum",))


def n1_leaders():
    """Name of the cluster that each row of the published table is, and its printed entry."""
    names = [f"[I{axes}_base]" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")]
    names += [f"[I{axes}_{link}]" for link in ALONG for axes in ("xx", "zz")]
    names += [f"[m{x}_base]*[my_{link}]/M" for link in ("link2", "link4", "link6") for x in ("y", "z", "x")]
    names += [f"[my_link{a}]*[my_link{b}]/M" for a, b in ((2, 4), (2, 6), (4, 6))]
    entries = published("spirolazzi_n1")["parameters"]["pi"]["entries"]
    return {names[entry["index"] - 1]: entry for entry in entries if entry["role"] == "identified"}


# ---------------------------------------------------------------------- both


def _reacting(robot, samples):
    v, w = base_reaction(robot, samples)
    return replace(samples, v=v, w=w)


def _levels(samples, noise):
    return [(name, sd, getattr(samples, name)) for name, sd in noise.items()]
