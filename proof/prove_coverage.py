"""Whether the intervals of the default estimator hold the truth, over flights of the mission of `freefloat new`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import chi2

import freefloat as ff
from freefloat.estimate.uncertain import HALF
from proof import proving


@dataclass(frozen=True)
class FlightShown:
    """What one flight shows.

    names: of the clusters. errors: estimate less truth, over the standard deviation, shape (c,).
    squared: the error as a whole, in units of the covariance; of c degrees of freedom if that is honest.
    drawn: how far the robot is from its CAD model, squared, in units of the prior's covariance, over its rank; one on
        average if robots are as the prior says.
    outcome: of the estimate. verdict: on a motion that the estimate has not seen. said: warnings of the one, then
        reasons of the other where it is not `pass`.
    """

    names: tuple[str, ...]
    errors: np.ndarray
    squared: float
    drawn: float
    outcome: str
    verdict: str
    said: tuple[str, ...] = ()


@cache
def mission() -> ff.Mission:
    """The mission that `freefloat new` writes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "freefloat", "new", "proof", "--quiet"]
        subprocess.run(command, cwd=folder, check=True)
        return ff.load_mission(Path(folder) / "proof.yaml")


def fly(seed: int) -> FlightShown:
    """Draw a robot, fly a random motion, identify, and predict another random motion of the same robot."""
    asked = mission()
    robot = ff.draw_robot(asked, seed=seed)
    seen, unseen = (
        ff.simulate(asked, ff.random_motion(asked, 2 * seed + run), seed=seed, run=run, robot=robot) for run in (0, 1)
    )
    estimate = ff.identify(asked, seen)
    validation = ff.validate(asked, estimate, unseen)
    off = estimate.values - estimate.minimal.values(robot.parameters)
    squared = float(off @ np.linalg.solve(estimate.covariance, off))
    drawn = distance_from_cad(asked, robot)
    said = (*estimate.warnings, *(() if validation.verdict == "pass" else validation.reasons))
    judged = estimate.outcome, validation.verdict, said
    return FlightShown(estimate.names, off / estimate.sd, squared, drawn, *judged)


def distance_from_cad(asked: ff.Mission, robot: ff.Robot) -> float:
    """Mean normalised square of what the prior speaks of: all bodies but those that are declared known."""
    known = asked.settings.known
    unknown = np.repeat([name not in known for name in robot.body_names], len(ff.robot.PARAMETER_NAMES))
    off = (robot.parameters - asked.robot.parameters)[unknown]
    covariance = ff.estimate.CadSpread().covariance(asked.robot)[np.ix_(unknown, unknown)]
    return float(off @ np.linalg.solve(covariance, off)) / off.size


def page(flights: Sequence[FlightShown]) -> str:
    """The tables, in Markdown."""
    count, names = len(flights), flights[0].names
    errors = np.array([flight.errors for flight in flights])
    squared = np.array([flight.squared for flight in flights])
    covered = np.abs(errors) <= HALF
    roots = proving.mean_interval(squared / len(names))
    drawn = proving.mean_interval(np.array([flight.drawn for flight in flights]))
    coverage = proving.mean_interval(covered.mean(axis=1))
    whole = int((squared <= chi2.ppf(0.95, len(names))).sum())
    good = sum(flight.outcome == "good" for flight in flights)
    passed = sum(flight.verdict == "pass" for flight in flights)
    lines = [
        "# Do intervals hold the truth?",
        "",
        f"{count} flights of the mission that `freefloat new` writes: a servicer with an arm of seven joints, encoders",
        "and a gyro, holding a load that is known to 0.2 %. In each the robot is drawn from the mission's own prior",
        "(`draw_robot`), flies a random motion of 60 s, is identified by the default method, which knows the CAD model",
        "alone, and is validated on another random motion. Robot, motions and noise follow from the seed.",
        "",
        "The flight is the unit of evidence: clusters of one flight are correlated. Intervals of means are found by",
        f"drawing flights again with replacement ({proving.RESAMPLED:,} times), those of shares are exact.",
        "",
        "| what | expected | found | 95 % interval |",
        "| --- | --- | --- | --- |",
        f"| part of a flight's {len(names)} intervals (95 %) that hold the truth, mean | 95 % | {percent(coverage)} |",
        f"| the same in the worst flight | | {100.0 * covered.mean(axis=1).min():.1f} % | |",
        f"| root of the mean normalised squared error, all clusters together | 1 | {root(roots)} |",
        f"| flights with the truth inside the joint 95 % ellipsoid | 95 % | {share(whole, count)} |",
        f"| flights whose estimate calls itself good | | {share(good, count)} |",
        f"| flights that PASS on unseen motion (false alarms: at most 1 %) | at least 99 % | {share(passed, count)} |",
        "",
        "Coverage is expected of robots that are as the prior says. These are not quite: a drawn body that could not",
        "exist is moved back towards the CAD model until it can. Where the data say little, that makes errors smaller",
        "than intervals promise.",
        "",
        "| what | expected | found | 95 % interval |",
        "| --- | --- | --- | --- |",
        f"| root of the mean normalised squared distance of robots from the CAD model | 1 | {root(drawn)} |",
        "",
        "## Flights that are not good, or do not pass",
        "",
        "Robot, sensors and what is known are as the mission says in all of these: a verdict other than PASS is a",
        "false alarm.",
        "",
        "| seed | intervals that hold | estimate | verdict | what was said |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {seed} | {held.sum()} of {held.size} | {flight.outcome} | {flight.verdict} | {'; '.join(flight.said)} |"
            for seed, (flight, held) in enumerate(zip(flights, covered, strict=True))
            if (flight.outcome, flight.verdict) != ("good", "pass")
        ),
        "",
        "## Cluster by cluster",
        "",
        "A cluster goes by its first parameter. *root*: of the mean square of error over standard deviation.",
        "",
        "| cluster | flights covered | root |",
        "| --- | --- | --- |",
        *(
            f"| `{name}` | {held} of {count} | {size:.2f} |"
            for name, held, size in zip(names, covered.sum(axis=0), np.sqrt((errors**2).mean(axis=0)), strict=True)
        ),
        "",
    ]
    return "\n".join(lines)


def percent(found: tuple[float, float, float]) -> str:
    """Two cells: a part of one, and its interval."""
    mean, low, high = (100.0 * value for value in found)
    return f"{mean:.1f} % | {low:.1f} to {high:.1f} %"


def root(found: tuple[float, float, float]) -> str:
    """Two cells: root of a mean of squares, and its interval."""
    mean, low, high = np.sqrt(found)
    return f"{mean:.3f} | {low:.3f} to {high:.3f}"


def share(count: int, flights: int) -> str:
    """Two cells: how many flights, and the interval of the share."""
    low, high = proving.share_interval(count, flights)
    return f"{count} of {flights} | {100.0 * low:.1f} to {100.0 * high:.1f} %"


if __name__ == "__main__":
    sys.exit(proving.run("coverage", __doc__ or "", fly, page))
