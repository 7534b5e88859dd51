"""Exported code of robots that swing: what integrates it gets the flights that are simulated here."""

import ctypes
import json
from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from estimate.estimates_made import estimate_of
from estimate.in_pinocchio import FullRobot
from export.test_floating_model import called, compiled_library, without_wheels
from random_trees import random_robot, random_samples
from scipy.integrate import solve_ivp
from scipy.signal import StateSpace, lsim
from simulation.swinging_robots import slow, swinging

from freefloat.errors import UnknownName
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.estimated_springs import spring_names
from freefloat.export.casadi_code import controller_casadi
from freefloat.export.export import export_small_motion
from freefloat.models.model import NotApplicable
from freefloat.motion.fourier import Fourier
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.load import load_robot
from freefloat.simulation.conditions import Start
from freefloat.simulation.controlled import simulate_torques
from freefloat.simulation.simulate import simulate_motion

SECONDS, TOLERANCE = 2.0, 1e-8
FUEL_AND_GEAR = """
format: freefloat/robot@1
robot: fuel and gear
base: {mass_kg: 130, inertia_kgm2: {xx: 12, yy: 14, zz: 13}}
bodies:
  - name: arm
    parent: base
    transform: {xyz_m: [0, 0, 0.5]}
    joint:
      {name: shoulder, kind: revolute, elastic: {stiffness_Nm_rad: 40, damping_Nms_rad: 0.5, rotor_kgm2: 0.4}}
    mass_kg: 5
    com_m: [0.4, 0, 0]
    inertia_kgm2: {xx: 0.01, yy: 0.2, zz: 0.2}
tanks:
  - {name: fuel, xyz_m: [0, 0, 0.2], length_m: 0.25, mass_kg: 20, frequency_Hz: 0.15, damping_ratio: 0.02}
"""
STATE = ("q", "dq", "v", "w")


class InC:
    """Compiled code, called with arrays."""

    def __init__(self, estimate, folder):
        self.library, self.name = compiled_library(estimate, folder)
        joints = len(estimate.robot.joints)
        self.joints = list((ctypes.c_char_p * joints).in_dll(self.library, f"{self.name}_joint_names"))
        self.passive = list((ctypes.c_int * joints).in_dll(self.library, f"{self.name}_passive"))
        getattr(self.library, f"{self.name}_springs").restype = None

    def __call__(self, what, size, *inputs):
        function = getattr(self.library, f"{self.name}_{what}")
        return called(function, (size,), *(np.asarray(each, float)[None] for each in inputs))[0]

    def swing(self, *inputs):
        return self("swing", 6 + len(self.joints), *inputs)

    def forward(self, *inputs):
        return self("forward", 6 + len(self.joints), *inputs)


class InCasadi:
    """CasADi functions, called with arrays."""

    def __init__(self, estimate):
        self.model = controller_casadi(estimate)

    def swing(self, *inputs):
        return self.model.swing(*inputs).full()[:, 0]

    def forward(self, *inputs):
        return self.model.forward(*inputs).full()[:, 0]


def made(language, robot, folder):
    return InC(estimate_of(robot), folder) if language == "C" else InCasadi(estimate_of(robot))


def integrated(accelerations, first, duration_s):
    """The last state of a flight, as `STATE` has it; accelerations: of (t, q, dq, twist)."""
    joints = first.q.shape[1]

    def slope(t, x):
        q, dq, twist = np.split(x, [joints, 2 * joints])
        rise = accelerations(t, q, dq, twist)
        return np.concatenate([dq, rise[6:], rise[:6]])

    begin = np.concatenate([getattr(first, name)[0] for name in STATE])
    end = solve_ivp(slope, (0.0, duration_s), begin, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    return np.split(end, [joints, 2 * joints, 2 * joints + 3])


def assert_ends(end, flown):
    for name, found in zip(STATE, end, strict=True):
        size = np.abs(getattr(flown, name)).max()
        assert np.abs(found - getattr(flown, name)[-1]).max() <= TOLERANCE * size, name


def begun(robot, seed):
    swing = 0.1 * np.random.default_rng(seed).normal(size=(2, robot.passive.size))
    return Start(rate=[0.05, -0.1, 0.08], velocity=[0.1, 0.0, -0.1], swing=swing)


@pytest.mark.parametrize(("language", "seed"), [("CasADi", 1), ("C", 2)])
def test_integrated_code_swings_as_the_simulated_flight_does(language, seed, tmp_path):
    """Driven joints prescribed, two or three passive ones anywhere in the tree."""
    robot = swinging(seed, 1 + seed, 7)
    motion, code = slow(robot, SECONDS, seed), made(language, robot, tmp_path)
    t = np.linspace(0.0, SECONDS, 13)
    flown = simulate_motion(robot, motion, t, begun(robot, seed), step_s=2e-3)
    none = np.zeros(6)

    def accelerations(t, q, dq, twist):
        return code.swing(q, dq, twist, none, motion.samples(robot, np.array([t])).ddq[0])

    assert_ends(integrated(accelerations, flown[:1], SECONDS), flown)


@pytest.mark.parametrize("language", ["C", "CasADi"])
def test_fuel_and_an_elastic_joint_swing_in_code_too(language, tmp_path):
    """Bodies without mass between joints, and a rotor on a motor's side."""
    (tmp_path / "robot.yaml").write_text(FUEL_AND_GEAR)
    robot = load_robot(tmp_path / "robot.yaml")
    motion, code = slow(robot, SECONDS, 1), made(language, robot, tmp_path)
    start = Start(swing=np.array([[0.02, 0.05, -0.03], [0.0, 0.01, 0.02]]))
    flown = simulate_motion(robot, motion, np.linspace(0.0, SECONDS, 13), start, step_s=2e-3)

    def accelerations(t, q, dq, twist):
        return code.swing(q, dq, twist, np.zeros(6), motion.samples(robot, np.array([t])).ddq[0])

    assert_ends(integrated(accelerations, flown[:1], SECONDS), flown)


@pytest.mark.parametrize("language", ["C", "CasADi"])
def test_integrated_code_moves_by_torques_as_the_simulated_flight_does(language, tmp_path):
    robot = swinging(5, 2, 6)
    code, torque = made(language, robot, tmp_path), np.zeros(len(robot.joints))
    torque[robot.driven] = np.random.default_rng(5).normal(size=robot.driven.size)
    t = np.linspace(0.0, SECONDS, 13)
    start = simulate_motion(robot, slow(robot, SECONDS, 5), t[:2], begun(robot, 5))
    flown = simulate_torques(robot, t, np.tile(torque, (12, 1)), start, step_s=2e-3)
    none = np.zeros(6)
    end = integrated(lambda _, *state: code.forward(*state, none, torque), flown[:1], SECONDS)
    assert_ends(end, flown)


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_code_accelerates_as_pinocchio_balances(base, tmp_path):
    """Accelerations of the code need just what is given, by the mass matrix and bias of Pinocchio."""
    robot = swinging(8, 2, 6, base=base)
    samples, full = without_wheels(random_samples(robot, 1, 3)), FullRobot(replace(robot, base="free"))
    rows, held = allowed_rows(robot), np.setdiff1d(np.arange(6), allowed_rows(robot))
    twist = np.zeros(6) if base == "fixed" else np.hstack([samples.v, samples.w])[0]
    samples = replace(samples, v=twist[None, :3], w=twist[None, 3:])
    rng = np.random.default_rng(2)
    wrench, torque, ddq = rng.normal(size=6), rng.normal(size=len(robot.joints)), rng.normal(size=len(robot.joints))
    H, c, sprung = full.mass_matrix(samples.q)[0], full.bias(samples)[0], np.zeros(len(robot.joints))
    for k in robot.passive:
        spring = robot.joints[k].passive
        sprung[k] = -spring.stiffness * samples.q[0, k] - spring.damping * samples.dq[0, k]
    given = np.concatenate([wrench, np.where(np.isin(np.arange(sprung.size), robot.passive), sprung, torque)])
    state = (samples.q[0], samples.dq[0], twist)
    for code in (made("C", robot, tmp_path), made("CasADi", robot, tmp_path)):
        forward, swing = code.forward(*state, wrench, torque), code.swing(*state, wrench, ddq)
        np.testing.assert_array_equal(swing[6 + robot.driven], ddq[robot.driven])
        assert not forward[held].any()
        assert not swing[held].any()
        for rise, solved in ((forward, np.r_[rows, 6 : 6 + ddq.size]), (swing, np.r_[rows, 6 + robot.passive])):
            assert_agree((H @ rise + c)[None, solved], given[None, solved], 1e-9, floor=1.0)


def test_code_says_which_joints_swing_and_has_the_springs_that_were_found(tmp_path):
    robot = swinging(3, 2, 5)
    found = [Quantity(name, 2.0 + k, 0.1, "SI") for k, name in enumerate(sum(spring_names(robot), ()))]
    estimate = estimate_of(robot, nuisances=tuple(found))
    code, model = InC(estimate, tmp_path), controller_casadi(estimate)
    assert tuple(name.decode() for name in code.joints) == model.joints == robot.joint_names
    assert np.flatnonzero(code.passive).tolist() == robot.passive.tolist()
    assert (model.driven, model.passive) == (robot.driven_names, robot.passive_names)
    q, dq = np.random.default_rng(1).normal(size=(2, len(robot.joints)))
    expected = np.zeros(q.size)
    first, second = robot.passive
    expected[[first, second]] = -2.0 * q[first] - 3.0 * dq[first], -4.0 * q[second] - 5.0 * dq[second]
    np.testing.assert_allclose(code("springs", q.size, q, dq), expected, atol=1e-15)
    np.testing.assert_allclose(model.springs(q, dq).full()[:, 0], expected, atol=1e-15)
    np.testing.assert_array_equal(model.both(q, dq, np.zeros(6))[2].full()[:, 0], model.springs(q, dq).full()[:, 0])


# ---------------------------------------------------------------------- small motion


def test_small_motion_is_a_file_that_scipy_reads(tmp_path):
    """From a millionth of a radian on, the state space of the file is the simulated flight."""
    robot = swinging(4, 2, 6)
    export_small_motion(estimate_of(robot), tmp_path / "modes.json")
    said = json.loads((tmp_path / "modes.json").read_text())
    space = StateSpace(*(said["state_space"][name] for name in "ABCD"))
    places = [said["coordinates"].index(name) for name in robot.passive_names]
    swing = 1e-6 * np.array([[1.0, -0.5], [0.3, 0.2]])
    t = np.linspace(0.0, SECONDS, 301)
    still = Fourier(robot.driven_names, np.zeros((2, robot.driven.size)), SECONDS)
    flown = simulate_motion(robot, still, t, Start(swing=swing), step_s=2e-3)
    n = len(said["coordinates"])
    first = np.zeros(2 * n)
    first[np.array(places)], first[n + np.array(places)] = swing
    first[n : n + 6] = np.hstack([flown.v, flown.w])[0]
    _, y, _ = lsim(space, np.zeros((t.size, n)), t, first)
    assert_agree(y[:, places], flown.q[:, robot.passive], 1e-5)
    turn = 2.0 * np.sign(flown.attitude[:, 3:]) * flown.attitude[:, :3]
    assert_agree(y[:, 3:6], turn, 1e-5)


def test_small_motion_about_a_posture_has_the_mass_matrix_of_pinocchio_and_the_springs(tmp_path):
    robot = swinging(6, 3, 7)
    (q,) = random_samples(robot, 1, 6).q
    at = dict(zip(robot.joint_names, q.tolist(), strict=True))
    export_small_motion(estimate_of(robot), tmp_path / "modes.json", at)
    said = json.loads((tmp_path / "modes.json").read_text())
    rows = np.r_[:6, 6 + robot.passive]
    M = FullRobot(robot).mass_matrix(q[None])[0][np.ix_(rows, rows)]
    assert_agree(np.array([said["M"]]), M[None], 1e-9, floor=1e-6)
    springs = [robot.joints[k].passive for k in robot.passive]
    assert np.diag(said["K"])[6:].tolist() == [each.stiffness for each in springs]
    assert np.diag(said["D"])[6:].tolist() == [each.damping for each in springs]
    assert said["q"] == at
    assert len(said["modes"]) == 3
    with pytest.raises(UnknownName, match="wing"):
        export_small_motion(estimate_of(robot), tmp_path / "modes.json", {"wing": 1.0})


def test_of_a_robot_that_is_stiff_nothing_is_written(tmp_path):
    with pytest.raises(NotApplicable, match="has no passive joints, so nothing swings; allowed: at least one"):
        export_small_motion(estimate_of(random_robot(3, bodies=3, base="free")), tmp_path / "modes.json")
    assert not list(tmp_path.iterdir())
