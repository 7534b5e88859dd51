"""Flights: many runs with different trajectories against the momentum regressor of as many samples."""

from __future__ import annotations

import sys

import measure  # before numpy: it holds every library to one thread
import numpy as np
from measure import Row, shortest_times

from freefloat.dynamics import kernels
from freefloat.dynamics.samples import Samples
from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.simulation.batch import simulate_batch
from freefloat.simulation.simulate import Start
from freefloat.studies.catalogue import published, study_robot


def compare(quick: bool) -> list[Row]:
    """All comparisons."""
    few, many, rounds = (5, 20, 2) if quick else (250, 2500, 5)
    return [*different_runs(few, many, rounds)]


def different_runs(few: int, many: int, rounds: int) -> list[Row]:
    """Runs with different trajectories and momentum against `forward`; and that time is linear in runs."""
    robot, trajectories, starts, t = n1_runs(many)
    K = np.ones((t.size, 6, robot.parameters.size))
    first = simulate_batch(robot, trajectories[:1], t, starts[:1])[0]
    assert np.abs(first.w).max() > 0.0

    def regressors() -> None:
        for _ in range(many):
            forward(robot, first, K)

    calls = {
        "few": lambda: simulate_batch(robot, trajectories[:few], t, starts[:few]),
        "many": lambda: simulate_batch(robot, trajectories, t, starts),
        "forward": regressors,
    }
    times = shortest_times(calls, rounds)
    what, samples = f"N1, {t.size} samples, own trajectory and momentum in each run", many * t.size
    return [
        Row(
            f"{what}: {many:,} runs, kernels.forward once a sample",
            times["many"] / samples,
            times["forward"] / samples,
            "sample",
            10.0,
            False,
        ),
        Row(
            f"{what}: {many:,} runs, {few:,} runs",
            times["many"] / many,
            times["few"] / few,
            "run",
            1.25,
            False,
        ),
    ]


# ---------------------------------------------------------------------- robots and motion


def n1_runs(runs: int) -> tuple[Robot, list[Fourier], list[Start], np.ndarray]:
    """N1, and for each run a trajectory like the published one, a start that moves, and all instants."""
    rng, said = np.random.default_rng(1), published("spirolazzi_n1")["trajectory"]
    robot, duration = study_robot("spirolazzi_n1"), said["duration_s"]
    printed = Fourier.from_harmonics(robot.joint_names, said["a_rad_s"], said["b_rad_s"], duration)
    size = printed.coefficients.shape
    trajectories = [printed.with_coefficients(printed.coefficients * rng.uniform(0.5, 1.0, size)) for _ in range(runs)]
    starts = [Start(rng.normal(size=4), rng.normal(size=3), *rng.normal(0.0, 0.01, (2, 3))) for _ in range(runs)]
    return robot, trajectories, starts, np.linspace(0.0, duration, said["samples"])


def forward(robot: Robot, samples: Samples, K: np.ndarray) -> None:
    kernels.forward(robot.tree.arrays, samples.q, samples.dq, samples.v, samples.w, K)


if __name__ == "__main__":
    sys.exit(measure.run("simulation", __doc__, compare))
