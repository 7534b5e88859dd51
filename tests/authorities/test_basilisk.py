"""An independent truth for what swings in orbit: Basilisk flies a hub with panels, slosh and wheels, and so do we.

Basilisk (`bsk`) has these as effectors on a hub, each with equations of its own, and the gravity gradient as a torque
on the whole. It pins numpy, so it has an environment of its own, which `make test-slow` sets up.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from skips import NO_BASILISK

from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint, Wheel
from freefloat.robot.spring import Spring
from freefloat.robot.transform import Transform
from freefloat.simulation.conditions import Disturbance, Start
from freefloat.simulation.simulate import simulate_motion

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-basilisk" / "bin" / "python"
DURATION_S, EVERY_S, STEP_S = 60.0, 0.5, 2.5e-3
AGREED = 1e-8  # over the largest of each quantity

HUB = {
    "mass": 120.0,
    "com": [0.02, -0.03, 0.05],
    "inertia": [[27.0, 0.3, -0.2], [0.3, 17.0, 0.2], [-0.2, 0.2, 23.0]],
    "attitude": [0.1, 0.2, -0.1, float(np.sqrt(0.94))],
    "rate": [0.02, -0.03, 0.015],
}
PANELS = [
    {
        "name": "left",
        "mass": 8.0,
        "d": 0.9,
        "stiffness": 30.0,
        "damping": 0.2,
        "inertia": [[0.5, 0.0, 0.0], [0.0, 2.2, 0.0], [0.0, 0.0, 2.6]],
        "place": [0.1, 0.6, 0.0],
        "axes": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        "swing": [0.05, 0.0],
    },
    {
        "name": "right",
        "mass": 7.0,
        "d": 1.1,
        "stiffness": 90.0,
        "damping": 0.5,
        "inertia": [[0.4, 0.0, 0.0], [0.0, 2.5, 0.0], [0.0, 0.0, 2.8]],
        "place": [0.1, -0.6, 0.1],
        "axes": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
        "swing": [-0.03, 0.02],
    },
]
SLOSH = [
    {
        "name": "fuel",
        "mass": 6.0,
        "stiffness": 12.0,
        "damping": 0.3,
        "place": [0.1, 0.05, -0.3],
        "axis": [0.6, 0.0, 0.8],
        "swing": [0.02, -0.01],
    }
]
WHEELS = [
    {"name": "wx", "spin": 0.18, "rate": 30.0, "axis": [1.0, 0.0, 0.0]},
    {"name": "wd", "spin": 0.12, "rate": -50.0, "axis": [0.0, 0.6, 0.8]},
]
IDLE = [{**WHEELS[0], "rate": 0.0}]  # nothing moves but what swings, and our command needs a name
LOW = {"mu": 3.986004418e14, "radius": 6878137.0, "nadir": [0.6, 0.0, 0.8], "normal": [0.0, 1.0, 0.0]}
CASES = {
    "panels": (PANELS, [], IDLE, None),
    "slosh": ([], SLOSH, IDLE, None),
    "wheels": ([], [], WHEELS, None),
    "gravity gradient": ([], [], IDLE, LOW),
    "all of it": (PANELS, SLOSH, WHEELS, LOW),
}


def asked_of(case):
    panels, slosh, wheels, orbit = CASES[case]
    times = {"duration": DURATION_S, "every": EVERY_S, "step": STEP_S}
    return {**HUB, **times, "panels": panels, "slosh": slosh, "wheels": wheels, "orbit": orbit}


def by_basilisk(asked):
    """Its states; the first 1e-9 s of a time is its clock's unit."""
    script = Path(__file__).with_name("basilisk_flight.py")
    command = [str(PYTHON), str(script)]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: np.array(values) for name, values in json.loads(done.stdout.splitlines()[-1]).items()}


def robot_of(asked):
    """The same of bodies on passive joints."""
    base = parameters_from_com(asked["mass"], asked["com"], np.array(asked["inertia"]))
    bodies = [Body("hub", parameters=base)]
    for each in asked["panels"]:
        joint = Joint(f"{each['name']} hinge", "revolute", np.array([0.0, 1.0, 0.0]), passive=spring_of(each))
        at = Transform(np.array(each["axes"]).T, np.array(each["place"]))
        own = parameters_from_com(each["mass"], [-each["d"], 0.0, 0.0], np.array(each["inertia"]))
        bodies.append(Body(each["name"], "hub", joint, at, own))
    for each in asked["slosh"]:
        joint = Joint(f"{each['name']} slide", "prismatic", np.array(each["axis"]), passive=spring_of(each))
        own = parameters_from_com(each["mass"], [0.0, 0.0, 0.0], np.zeros((3, 3)))
        bodies.append(Body(each["name"], "hub", joint, Transform(p=np.array(each["place"])), own))
    wheels = tuple(Wheel(each["name"], np.array(each["axis"]), each["spin"]) for each in asked["wheels"])
    return Robot("hub", tuple(bodies), "free", wheels=wheels)


def spring_of(held):
    return Spring(held["stiffness"], held["damping"])


def by_us(asked):
    """Attitude, rate and swing, at the same instants."""
    robot, t = robot_of(asked), np.linspace(0.0, DURATION_S, round(DURATION_S / STEP_S) + 1)
    names = tuple(wheel.name for wheel in robot.wheels)
    still = Fourier(names, np.zeros((4, len(names))), DURATION_S)
    swing = np.array([each["swing"] for each in (*asked["panels"], *asked["slosh"])]).reshape(-1, 2).T
    start = Start(HUB["attitude"], rate=HUB["rate"], swing=swing)
    pushed, orbit = Disturbance(), asked["orbit"]
    if orbit:
        rate = float(np.sqrt(orbit["mu"] / orbit["radius"] ** 3))
        pushed = Disturbance(orbital_rate_rad_s=rate, nadir=orbit["nadir"], orbit_normal=orbit["normal"])
    rates = np.array([wheel["rate"] for wheel in asked["wheels"]])
    flown = simulate_motion(robot, still, t, start, "free", rates, (), pushed, STEP_S)
    return flown[:: round(EVERY_S / STEP_S)]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_hub_and_what_hangs_on_it_move_for_a_minute_as_basilisks_do(case):
    if not PYTHON.exists():
        pytest.skip(NO_BASILISK)
    asked = asked_of(case)
    theirs, ours = by_basilisk(asked), by_us(asked)
    np.testing.assert_allclose(theirs["t"], ours.t, atol=2e-9)
    attitude = ours.attitude * np.sign(ours.attitude[:, 3:])
    mrp = attitude[:, :3] / (1.0 + attitude[:, 3:])
    off = {"attitude": np.abs(theirs["mrp"] - mrp).max() / np.abs(mrp).max()}
    off["rate"] = np.abs(theirs["rate"] - ours.w).max() / np.abs(ours.w).max()
    if theirs["swing"].size:
        off["swing"] = (np.abs(theirs["swing"] - ours.q).max(axis=0) / np.abs(ours.q).max(axis=0)).max()
    print(case, {name: f"{value:.1e}" for name, value in off.items()})
    assert max(off.values()) < AGREED, off


@pytest.mark.slow
def test_the_gravity_gradient_is_seen_by_far():
    if not PYTHON.exists():
        pytest.skip(NO_BASILISK)
    theirs, ours = by_basilisk(asked_of("gravity gradient")), by_us({**asked_of("gravity gradient"), "orbit": None})
    assert np.abs(theirs["rate"] - ours.w).max() > 1e3 * AGREED * np.abs(ours.w).max()
