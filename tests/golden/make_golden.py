"""Golden numbers: what a version of freefloat computes, to the last digit, for changes that must change no result.

    python tests/golden/make_golden.py                      # write the files beside this one, all of them
    python tests/golden/make_golden.py trial planar         # only these
    python tests/golden/make_golden.py --exact [names]      # compute again, print the worst deviation from the files

Names are those of the files: problems that are posed and solved by every method, `designs`, `draws` and `studies` (the
published figures, some minutes). Files say at which commit they were made; sources that differ from it make none.
Only public names (`import freefloat as ff`) and the command line are used, so that little is to be adapted when the
inside is rearranged; files that an older version made stay what is compared with.

Parts that say `rounding` are the same only where sums are rounded in the same way (`arithmetic`): drawn robots, and
clusters that the data leave open. Searches for a motion are left out, but for those of the studies: parameters that
differ by 1e-14 send a short search elsewhere (a D-optimality of 1.68 instead of 0.83 at the commit of the files).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # before numpy comes: sums in one order, whatever the number of processors
    for library in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(library, "1")

import numpy as np
import scipy.linalg  # noqa: F401  (its BLAS is to be seen among the libraries)
from threadpoolctl import threadpool_info

import freefloat as ff

HERE = Path(__file__).parent

LINEAR = (
    "least-squares",
    "weighted",
    "bias-compensated",
    "total-least-squares",
    "instrumental-variable",
    "recursive",
    "adaline",
    "hopfield-tank",
    "physically-consistent",
)
PREDICTING = ("maximum-likelihood", "output-error", "input-error", "kalman")
BOUND = "cramer-rao-bound"

# Ratios of computing times: never twice the same, so that only whether they hold is golden.
TIMES = frozenset({"ayusawa.gradient.speed_ratio"})


# ---------------------------------------------------------------------- the problems


@dataclass(frozen=True, eq=False)
class Posed:
    """A mission, what was recorded of it, and the methods that are tried."""

    mission: ff.Mission
    recordings: dict[str, ff.Recording]
    methods: tuple[str, ...]


def _trial(folder: Path) -> Posed:
    """The mission of `freefloat new`: angular momentum with a known load, seven joints."""
    subprocess.run([sys.executable, "-m", "freefloat", "new", "trial"], cwd=folder, check=True, capture_output=True)
    path = folder / "trial.yaml"
    text = path.read_text("utf-8")
    method = "  method: maximum-likelihood\n"
    if method not in text:
        raise RuntimeError("the trial mission does not end as it did: say anew where its identify section is")
    # At the gyro's own rate 153 clusters take minutes; the processing before has all samples still.
    path.write_text(text.replace(method, f"{method}  rate_Hz: 10\n"), "utf-8")
    mission = ff.load_mission(path)
    recording = ff.simulate(mission, seed=1, robot=_other(mission))
    return Posed(mission, {"flight": recording}, (*LINEAR, "maximum-likelihood", BOUND))


def _n1(folder: Path) -> Posed:
    """A published experiment with its printed motion and hard simplifications."""
    mission = ff.study_mission("n1")
    return Posed(mission, {"flight": ff.simulate(mission, seed=2)}, (*LINEAR, *PREDICTING, BOUND))


def _planar(folder: Path) -> Posed:
    """A base that floats on a table: linear and angular momentum, two flights."""
    mission = _mission(
        folder,
        "planar_known_load",
        """
known: {load: {relative_sd: 0.001}}
sensors:
  joints: {kind: encoder, noise_rad: 1.0e-4, rate_Hz: 20}
  gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.05, bias_deg_per_h: 5, rate_Hz: 20}
  camera: {kind: pose, position_noise_m: 2.0e-4, attitude_noise_deg: 0.02, rate_Hz: 20}
  speed: {kind: velocity, noise_m_s: 1.0e-3, rate_Hz: 20}
  torques: {kind: torque, noise_Nm: 0.001, rate_Hz: 20}
excitation: {duration_s: 40, shape: {harmonics: 3}}
""",
    )
    robot = _other(mission)
    flights = {name: ff.simulate(mission, seed=seed, robot=robot) for name, seed in (("one", 3), ("two", 4))}
    return Posed(mission, flights, (*LINEAR, *PREDICTING, BOUND))


def _wheels(folder: Path) -> Posed:
    """A spinning wheel for the scale, an unknown momentum, and rows of two models stacked."""
    mission = _mission(
        folder,
        "christidi_servicer",
        """
prior: none
momentum: unknown
assume_zero: ["link2.products", "link3.products"]
sensors:
  joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 10}
  gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.002, rate_Hz: 10}
  stars: {kind: star-tracker, noise_arcsec: [5, 5, 20], rate_Hz: 4}
  speed: {kind: velocity, axes: body, noise_m_s: 1.0e-4, rate_Hz: 10}
  place: {kind: pose, gives_attitude: false, position_noise_m: 1.0e-3, rate_Hz: 10}
  wheels: {kind: tachometer, noise_rad_s: 0.001, rate_Hz: 10}
trajectory:
  format: freefloat/trajectory@1
  kind: fourier
  channels: [j1, j2, j3, wx, wy, wz]
  duration_s: 60.0
  coefficients:
    - [0.9, -0.7, 0.8, 90.0, -60.0, 75.0]
    - [-0.3, 0.5, 0.4, -40.0, 80.0, 30.0]
    - [0.2, 0.4, -0.5, 20.0, 10.0, -50.0]
    - [0.1, -0.2, 0.3, 15.0, -25.0, 35.0]
flight:
  start: {rate_deg_s: [0.02, -0.03, 0.01], velocity_m_s: [0.001, 0.002, -0.001]}
identify: {models: [angular-momentum, base-velocity]}
""",
    )
    return Posed(mission, {"flight": ff.simulate(mission, seed=6)}, LINEAR)


def _arm(folder: Path, model: str) -> Posed:
    """An arm on the ground, with gravity: rows of torque or of energy."""
    mission = _mission(
        folder,
        "gautier_khalil_arm_physical",
        f"""
sensors:
  joints: {{kind: encoder, noise_rad: 2.5e-5, rate_Hz: 50}}
  torques: {{kind: torque, noise_Nm: 0.02, rate_Hz: 50}}
trajectory:
  format: freefloat/trajectory@1
  kind: fourier
  channels: [j1, j2, j3]
  duration_s: 10.0
  coefficients:
    - [1.1, -0.7, 0.9]
    - [-0.4, 0.6, 0.5]
    - [0.3, 0.5, -0.6]
    - [0.2, -0.3, 0.4]
    - [-0.1, 0.2, 0.3]
    - [0.2, 0.1, -0.2]
identify: {{models: [{model}]}}
""",
    )
    return Posed(mission, {"flight": ff.simulate(mission, seed=7, robot=_other(mission))}, LINEAR)


def _torque(folder: Path) -> Posed:
    return _arm(folder, "torque")


def _energy(folder: Path) -> Posed:
    return _arm(folder, "energy")


PROBLEMS: dict[str, Callable[[Path], Posed]] = {
    "trial": _trial,
    "n1": _n1,
    "planar": _planar,
    "wheels": _wheels,
    "torque": _torque,
    "energy": _energy,
}


def _mission(folder: Path, robot: str, said: str) -> ff.Mission:
    """A mission of a study's robot."""
    ff.study_robot(robot).save(folder / "robot.yaml")
    path = folder / "mission.yaml"
    path.write_text(f"format: freefloat/mission@1\nmission: golden\nrobot: robot.yaml\n{said}", "utf-8")
    return ff.load_mission(path)


def _other(mission: ff.Mission) -> ff.Robot:
    """A robot that is not quite the mission's: bodies heavier and lighter by a twentieth, but for what is known."""
    bodies = mission.robot.parameters.reshape(len(mission.robot.body_names), -1)
    factors = [1.0 if name == "load" else 1.05 - 0.1 * (k % 2) for k, name in enumerate(mission.robot.body_names)]
    return mission.robot.with_parameters((bodies.T * factors).T.ravel())


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@cache
def posed(name: str) -> Posed:
    """The problem of this name, flown once."""
    with _folder() as folder:
        return PROBLEMS[name](folder)


def solved(name: str, method: str) -> dict[str, Any]:
    """What a method makes of a problem: names, values, standard deviations and residual; or that it refuses."""
    given = posed(name)
    try:
        if method == BOUND:
            bound = ff.cramer_rao_bound(ff.problem(given.mission, given.recordings))
            return {"method": method, "names": list(bound.names), "values": _list(bound.values), "sd": _list(bound.sd)}
        found = ff.identify(given.mission, given.recordings, method)
    except ff.FreefloatError as error:
        return {"method": method, "refused": str(error)}
    return {
        "method": method,
        # Where clusters stay open, rounding decides how many: of them, and of their values, on this machine alone.
        "rounding": not all(map(math.isfinite, found.sd)),
        "outcome": found.outcome,
        "rows": found.residual.rows,
        "unknowns": found.residual.unknowns,
        "residual": _number(found.residual.ratio),
        "names": list(found.names),
        "values": _list(found.values),
        "sd": _list(found.sd),
        "nuisances": [quantity.name for quantity in found.nuisances],
        "nuisance_values": _list(quantity.value for quantity in found.nuisances),
        "nuisance_sd": _list(quantity.sd for quantity in found.nuisances),
    }


# ---------------------------------------------------------------------- designs


def forecast(name: str) -> dict[str, Any]:
    """What a plan says of a motion that it is given: predicted accuracy and condition number."""
    mission = posed(name).mission
    plan, motion = ff.plan_of(mission), mission.trajectory or ff.random_motion(mission, 3)
    predictions = plan.predictions(motion)
    return {
        "name": name,
        "condition_number": _number(plan.condition_number(motion)),
        "names": [prediction.name for prediction in predictions],
        "predicted_sd": _list(prediction.sd for prediction in predictions),
    }


# ---------------------------------------------------------------------- draws of sensors

_CARRIER = """
format: freefloat/robot@1
robot: carrier
base:
  kind: free
  mass_kg: 50
  com_m: [0.01, -0.02, 0.03]
  inertia_kgm2: {xx: 4, yy: 5, zz: 6, xy: 0.1, xz: -0.2, yz: 0.3}
  wheels:
    - {name: wx, axis: [1, 0, 0], spin_inertia_kgm2: 0.1}
    - {name: wy, axis: [0, 1, 0], spin_inertia_kgm2: 0.1}
bodies:
  - {name: link, parent: base, transform: {xyz_m: [0.3, 0, 0.1]}, mass_kg: 3, com_m: [0.2, 0.01, 0],
     inertia_kgm2: {xx: 0.01, yy: 0.05, zz: 0.05}, joint: {name: j1, kind: revolute}}
  - {name: slide, parent: link, transform: {xyz_m: [0.4, 0, 0]}, mass_kg: 2, com_m: [0, 0.02, 0.1],
     inertia_kgm2: {xx: 0.02, yy: 0.02, zz: 0.01}, joint: {name: lift, kind: prismatic}}
"""
_MOUNTED = "mounting: {xyz_m: [0.3, -0.2, 0.5], rpy_deg: [90, 20, -40]}"
SENSORS = {
    "encoder": "noise_rad: 1.0e-4, noise_m: 1.0e-3, zero_offset_sd_rad: 1.0e-3, bits: 20",
    "torque": "noise_Nm: 0.1, offset_sd_Nm: 0.2, range_Nm: 1.5",
    "tachometer": "noise_rad_s: 0.1, resolution_rad_s: 0.01",
    "gyro": "angle_random_walk_deg_per_sqrt_h: 0.1, bias_instability_deg_per_h: 1.0, "
    "rate_random_walk_deg_per_h_per_sqrt_h: 3.0, bias_sd_deg_per_h: 1.0, scale_sd_ppm: 100, "
    f"misalignment_sd_mrad: 1.0, {_MOUNTED}",
    "accelerometer": f"velocity_random_walk_m_s_per_sqrt_h: 0.1, bias_sd_ug: 50, range_g: 2, {_MOUNTED}",
    "star-tracker": f"noise_arcsec: [5, 5, 40], misalignment_sd_arcsec: 20, {_MOUNTED}",
    "pose": f"position_noise_m: 1.0e-3, attitude_noise_deg: 0.1, position_offset_sd_m: 0.01, {_MOUNTED}",
    "velocity": "noise_m_s: 1.0e-3, velocity_random_walk_m_s_per_sqrt_h: 0.01, accelerometer_bias_sd_ug: 10, "
    f"{_MOUNTED}",
    "velocity, body": f"axes: body, noise_m_s: 1.0e-3, accelerometer_bias_ug: 10, {_MOUNTED}",
}
_REST = "[0.0, 0.0, 0.0, 0.0]"
_MOVES = "[0.5, 0.1, 3.0, -4.0]"


def drawn(kind: str) -> list[dict[str, Any]]:
    """What a sensor of a kind records of a robot at rest, as hashes, and of one that moves, as numbers."""
    return [_recorded(kind, moves) for moves in (False, True)]


def _recorded(kind: str, moves: bool) -> dict[str, Any]:
    with _folder() as folder:
        (folder / "robot.yaml").write_text(_CARRIER, "utf-8")
        (folder / "mission.yaml").write_text(
            f"""
format: freefloat/mission@1
mission: golden
robot: robot.yaml
sensors:
  sensor: {{kind: {kind.partition(",")[0]}, rate_Hz: 37, dropouts: 0.1, {SENSORS[kind]}}}
trajectory:
  format: freefloat/trajectory@1
  kind: fourier
  channels: [j1, lift, wx, wy]
  duration_s: 4.0
  coefficients: [{_MOVES if moves else _REST}, {_REST}]
""",
            "utf-8",
        )
        recording = ff.simulate(ff.load_mission(folder / "mission.yaml"), seed=5, run=2)
    channels = sorted(recording.channels.items())
    if moves:  # sines and sums have rounding in them, but draws that differ would move the numbers by far more
        rows = {name: channel.values[[0, len(channel) // 2, -1]].ravel() for name, channel in channels}
        return {"kind": f"{kind}, moving", "values": _list(np.concatenate([*rows.values()]))}
    hashes = {name: hashlib.sha256(each.t.tobytes() + each.values.tobytes()).hexdigest() for name, each in channels}
    return {"kind": kind, "sha256": hashes}


def drawn_robot(name: str) -> dict[str, Any]:
    """Parameters of the robot that is drawn for a problem's mission."""
    robot = ff.draw_robot(posed(name).mission, seed=3)
    return {"name": f"robot for {name}", "rounding": True, "parameters": _list(robot.parameters)}


# ---------------------------------------------------------------------- published figures


def figures(studies: Collection[str] = ("all",)) -> list[dict[str, Any]]:
    """All figures of studies at the usual effort, as `freefloat reproduce` writes them."""
    with _folder() as folder:
        command = [sys.executable, "-m", "freefloat", "reproduce", *studies, "--quiet", "-o", "figures.json"]
        ended = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        if ended.returncode not in (0, 1):  # 1: a figure that can be compared does not hold, which is golden too
            raise RuntimeError(f"freefloat reproduce ended with {ended.returncode}: {ended.stderr}")
        document = json.loads((folder / "figures.json").read_text("utf-8"))
    return figures_in(document)


def figures_in(document: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The figures of the studies in a document of `freefloat reproduce`."""
    return [
        {"name": check["name"], "rounding": True, "holds": check["holds"], "ours": check["ours"]}
        for study in document
        for check in study["checks"]
    ]


# ---------------------------------------------------------------------- files, and what differs from them


def parts_of(name: str) -> list[dict[str, Any]]:
    """All that the file of this name holds, computed now."""
    if name in PROBLEMS:
        return [solved(name, method) for method in posed(name).methods]
    return {
        "designs": lambda: [forecast(name) for name in FORECAST],
        "draws": lambda: [*(each for kind in SENSORS for each in drawn(kind)), *map(drawn_robot, DRAWN)],
        "studies": figures,
    }[name]()


FORECAST = ("planar", "n1", "trial")
DRAWN = ("trial", "planar", "torque")
NAMES = (*PROBLEMS, "designs", "draws", "studies")


def path_of(name: str) -> Path:
    """The file of this name."""
    return HERE / f"{name}.json"


def golden(name: str) -> list[dict[str, Any]]:
    """What the file of this name holds."""
    return json.loads(path_of(name).read_text("utf-8"))["parts"]


def _write(name: str, parts: list[dict[str, Any]]) -> None:
    """A line a part; numbers as Python writes them, which gives back every bit."""
    made = {"commit": _commit(), "version": ff.__version__, "arithmetic": arithmetic()}
    head = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in made.items())
    lines = ",\n  ".join(json.dumps(part, allow_nan=False, ensure_ascii=False) for part in parts)
    path_of(name).write_text(f'{{\n{head}"parts": [\n  {lines}\n]\n}}\n', "utf-8")


def arithmetic() -> dict[str, Any]:
    """What decides how sums are rounded: the libraries, and the instructions that they choose on this processor."""
    libraries = {name: version(name) for name in ("numpy", "scipy", "numba", "llvmlite")}
    ours = (each for each in threadpool_info() if {"numpy", "scipy"} & set(re.split(r"\W", each["filepath"])))
    blas = sorted(f"{each['internal_api']} {each.get('architecture')} {each['version']}" for each in ours)
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return {**libraries, "blas": blas, "simd": [*simd["baseline"], *simd.get("found", [])]}


def made_with(name: str) -> dict[str, Any]:
    """The arithmetic of the file of this name."""
    return json.loads(path_of(name).read_text("utf-8"))["arithmetic"]


def _commit() -> str:
    """The commit that last changed the sources which are imported here."""
    sources = Path(ff.__file__).parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(sources), *arguments, "--", "."]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    if git("status", "--porcelain"):
        raise SystemExit("the sources differ from those of the commit; golden numbers are of a commit alone")
    return git("log", "-1", "--format=%h")


@dataclass(frozen=True)
class Pair:
    """A number that is golden, and what it is now.

    sd: its standard deviation, zero where it has none, infinite for clusters that the data leave open.
    """

    place: str
    golden: float
    now: float
    sd: float = 0.0

    @property
    def relative(self) -> float:
        """The difference over the golden number."""
        return self._over(abs(self.golden))

    @property
    def in_sd(self) -> float:
        """The difference over the standard deviation; over the golden number where there is none."""
        return self._over(self.sd if 0.0 < self.sd < math.inf else abs(self.golden))

    def _over(self, size: float) -> float:
        return 0.0 if self.now == self.golden else abs(self.now - self.golden) / size if size else math.inf


def compared(before: dict[str, Any], now: dict[str, Any]) -> tuple[list[Pair], list[str]]:
    """All numbers of a part in pairs, and sentences on all else that is not the same: names, counts, hashes.

    Why a method refuses may be said in other words.
    """
    title = " ".join(str(before[key]) for key in ("method", "goal", "kind", "name") if key in before)
    if set(before) != set(now):
        return [], [f"{title}: {', '.join(sorted(set(before) ^ set(now)))} only in one of them"]
    pairs, unlike = list[Pair](), list[str]()
    for key in before:
        if key == "refused" or (key == "ours" and before["name"] in TIMES):
            continue
        sds = before.get({"values": "sd", "nuisance_values": "nuisance_sd"}.get(key, ""), [])
        old, new = (each[key] if isinstance(each[key], list) else [each[key]] for each in (before, now))
        if len(old) != len(new):
            unlike.append(f"{title} {key}: {len(new)} instead of {len(old)}")
            continue
        for index, (a, b) in enumerate(zip(old, new, strict=True)):
            if isinstance(a, float) and isinstance(b, float):
                pairs.append(Pair(f"{title} {key}[{index}]", a, b, float(sds[index]) if sds else 0.0))
            elif a != b:
                unlike.append(f"{title} {key}[{index}]: {b} instead of {a}")
    return pairs, unlike


def _say_exactly(name: str, parts: list[dict[str, Any]]) -> bool:
    """Print how far a file's numbers moved; whether nothing but numbers did."""
    before = golden(name)
    found = [compared(*both) for both in zip(before, parts, strict=True)]
    pairs, unlike = [pair for some, _ in found for pair in some], [each for _, some in found for each in some]
    moved = sum(pair.now != pair.golden for pair in pairs)
    print(f"{name}: {len(pairs)} numbers, {moved} moved; {len(unlike)} other differences")
    if moved:
        for words, measure in (("value", Pair.relative), ("standard deviation", Pair.in_sd)):
            worst = max(pairs, key=measure.fget)
            print(f"  worst over the {words}: {measure.fget(worst):.2g}, {worst}")
    for sentence in unlike:
        print(f"  {sentence}")
    return not unlike


def main() -> int:
    """Write the files, or say how far what is computed now is from them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help=f"{', '.join(NAMES)}; all unless given")
    parser.add_argument("--exact", action="store_true", help="write nothing: print the worst deviation from the files")
    said = parser.parse_args()
    for name in said.names:
        if name not in NAMES:
            parser.error(f"no golden file is called {name!r}; there are: {', '.join(NAMES)}")
    same = True
    for name in said.names or NAMES:
        parts = parts_of(name)
        if said.exact:
            same &= _say_exactly(name, parts)
        else:
            _write(name, parts)
    return 0 if same else 1


def _number(value: float) -> float | str:
    """The number, or a text where JSON has none for it."""
    return float(value) if math.isfinite(value) else str(float(value))


def _list(values: Any) -> list[float | str]:
    return [_number(value) for value in values]


if __name__ == "__main__":
    sys.exit(main())
