"""Whether intervals of free-flying matrices hold the truth, by the default estimate and by two steps."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import freefloat as ff
from benchmarks.commit import ROOT
from freefloat.estimate.uncertain import HALF, Uncertain
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))  # the generator of robots is that of the tests

from random_trees import many_armed, random_samples

METHODS = ("maximum-likelihood", "two-steps")
LEAST, MOST = 0.90, 0.99  # of pooled coverage, as promised
ROBOTS = tuple((seed, 1 + seed % 3, 3 + seed % 2) for seed in range(10))  # seed, arms, wheels
STATES = 3  # of each robot, at which matrices are compared

_SAYS = """
momentum: {{wheels_Nms: {{{wheels}}}}}
sensors:
  joints: {{kind: encoder, noise_rad: 2.5e-5, rate_Hz: 10}}
  gyro: {{kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, rate_Hz: 10}}
  speed: {{kind: velocity, axes: body, noise_m_s: 2.0e-4, rate_Hz: 10}}
  star: {{kind: star-tracker, noise_arcsec: 20, rate_Hz: 10}}
  wheels: {{kind: tachometer, noise_rad_s: 0.001, rate_Hz: 10}}
excitation: {{duration_s: 60, shape: {{harmonics: 5}}}}
identify: {{nuisances: {{joint_place_m: null, joint_axis_rad: null}}}}
"""


@dataclass(frozen=True)
class Shown:
    """What one method says of one flight: by quantity, entries that are held, that are stated, and their mean square.

    robot: its number. outcome: what the estimate calls itself.
    """

    method: str
    robot: int
    entries: dict[str, tuple[int, int, float]]
    outcome: str


@cache
def mission(number: int) -> ff.Mission:
    """The mission of a robot."""
    robot = many_armed(*ROBOTS[number])
    spins = ", ".join(f"{wheel.name}: {spin}" for wheel, spin in zip(robot.wheels, (2.0, -1.5, 1.0, 0.5), strict=False))
    with tempfile.TemporaryDirectory() as folder:
        robot.save(Path(folder) / "robot.yaml")
        path = Path(folder) / "mission.yaml"
        head = "format: freefloat/mission@1\nmission: matrices\nrobot: robot.yaml"
        path.write_text(f"{head}{_SAYS.format(wheels=spins)}", "utf-8")
        return ff.load_mission(path)


def fly(seed: int) -> tuple[Shown, ...]:
    """Draw the inertias of one of the robots, fly a random motion, and ask both methods for its matrices."""
    number = seed % len(ROBOTS)
    asked = mission(number)
    robot = ff.draw_robot(asked, seed=seed)
    recording = ff.simulate(asked, ff.random_motion(asked, seed), seed=seed, robot=robot)
    return tuple(shown(ff.identify(asked, recording, method), robot, number) for method in METHODS)


def shown(estimate: ff.Estimate, robot: ff.Robot, number: int) -> Shown:
    """How matrices of an estimate compare with those of the robot that flew."""
    truth = replace(estimate, values=estimate.minimal.values(robot.parameters))
    entries = dict[str, tuple[int, int, float]]()
    for (name, found), (_, true) in zip(matrices(estimate), matrices(truth), strict=True):
        stated = np.isfinite(found.sd) & (found.sd > 0.0)
        off = (found.value - true.value)[stated] / found.sd[stated]
        entries[name] = (int((np.abs(off) <= HALF).sum()), off.size, float((off**2).sum()))
    return Shown(estimate.method, number, entries, estimate.outcome)


def matrices(estimate: ff.Estimate) -> Iterator[tuple[str, Uncertain]]:
    """What is compared: each entry of the upper triangle of H+ once, and all of the others."""
    model, samples = ff.export.FreeFlyingModel(estimate), random_samples(estimate.robot, STATES, 1)
    H = model.mass_matrix(samples.q)
    yield "total mass M", model.total_mass()
    upper = np.triu_indices(H.value.shape[1] - 3)
    inner = (H.value[:, 3:, 3:][:, *upper], H.sd[:, 3:, 3:][:, *upper])
    yield "mass matrix, D, D_q and D_qq", replace(H, value=inner[0], sd=inner[1])
    yield "terms of the motion c+", model.bias(samples)
    yield "free-flying Jacobian of the tool", model.jacobian(samples.q, "tool")
    yield "free-floating Jacobian of the tool", model.floating_jacobian(samples.q, "tool")


def page(flights: Sequence[tuple[Shown, ...]]) -> str:
    """The tables, in Markdown."""
    lines = [
        "# Do intervals of free-flying matrices hold the truth?",
        "",
        f"{len(flights)} flights of {min(len(flights), len(ROBOTS))} robots, drawn with one to three arms of two",
        "or three joints and three or four wheels (`many_armed` of the tests). In each flight the robot is drawn from",
        "the prior (`draw_robot`) with exact geometry, and flies a random motion of 60 s with encoders, gyro, star",
        "tracker, tachometers and the velocity of a point of the base. The default method and `two-steps` estimate it",
        f"from the same recording. Matrices are those of `FreeFlyingModel` at {STATES} random states; entries that are",
        "the same for all robots (zeros, wheels) are left out. Truth are the same matrices at true parameters, which",
        "agree with Pinocchio to 1e-10 (`tests/export/test_free_flying_model.py`).",
        "",
        f"Promised: pooled coverage of 95 % intervals between {100 * LEAST:.0f} and {100 * MOST:.0f} %. Entries of one",
        "flight go together: the interval of the pooled coverage is found by drawing flights again with replacement.",
        "*root*: of the mean square of error over standard deviation.",
        "",
        "| method | quantity | entries | intervals that hold the truth (95 %) | 95 % interval | root |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method in METHODS:
        own = [each for flight in flights for each in flight if each.method == method]
        for quantity in own[0].entries:
            lines.append(f"| {method} | {quantity} | {cells([[each.entries[quantity]] for each in own])} |")
        lines.append(f"| {method} | **all** | {cells([list(each.entries.values()) for each in own])} |")
    lines += ["", "| method | robots | flights | estimate good | pooled coverage |", "| --- | --- | --- | --- | --- |"]
    for method in METHODS:
        for arms in (1, 2, 3):
            own = [each for flight in flights for each in flight if each.method == method]
            own = [each for each in own if ROBOTS[each.robot][1] == arms]
            good = sum(each.outcome == "good" for each in own)
            covered = f"{100.0 * pooled(own):.1f} %" if own else "none flown"
            lines.append(f"| {method} | {arms} arm{'s' if arms > 1 else ''} | {len(own)} | {good} | {covered} |")
    return "\n".join([*lines, ""])


def cells(by_flight: Sequence[Sequence[tuple[int, int, float]]]) -> str:
    """Entries, pooled coverage with its interval over flights, and root, of counts by flight and quantity."""
    held, stated, squared = np.array([np.sum(flight, axis=0) for flight in by_flight]).T
    rng = np.random.default_rng(0)
    drawn = rng.integers(held.size, size=(proving.RESAMPLED, held.size))
    low, high = np.quantile(held[drawn].sum(axis=1) / stated[drawn].sum(axis=1), [0.025, 0.975])
    total = stated.sum()
    root = np.sqrt(squared.sum() / total)
    return f"{total:.0f} | {100.0 * held.sum() / total:.1f} % | {100.0 * low:.1f} to {100.0 * high:.1f} % | {root:.2f}"


def pooled(flown: Sequence[Shown]) -> float:
    """Coverage of all entries together."""
    held, stated, _ = np.sum([count for each in flown for count in each.entries.values()], axis=0)
    return float(held / stated)


def broken(flights: Sequence[tuple[Shown, ...]]) -> list[str]:
    """Which promise does not hold."""
    said = []
    for method in METHODS:
        found = pooled([each for flight in flights for each in flight if each.method == method])
        if not LEAST <= found <= MOST:
            said.append(f"{method}: pooled coverage {100.0 * found:.1f} % is not within {LEAST:.0%} to {MOST:.0%}")
    return said


if __name__ == "__main__":
    sys.exit(proving.run("matrices", __doc__ or "", fly, page, flights=200, broken=broken))
