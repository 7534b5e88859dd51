"""How robots swing: by hand, and against laws that any robot keeps."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot
from scipy.linalg import eig

from freefloat.dynamics.about_rest import small_motion
from freefloat.dynamics.modes import system_modes
from freefloat.errors import InvalidRobot, ShapeError
from freefloat.export.state_matrices import state_space
from freefloat.robot.spring import Spring
from freefloat.robot.yaml_read import robot_from_document

BUS = {"kind": "free", "mass_kg": 130, "inertia_kgm2": {"xx": 12, "yy": 14, "zz": 13}}
PANEL = {
    "name": "panel",
    "xyz_m": [0.6, 0, 0],
    "axis": [0, 1, 0],
    "mass_kg": 8,
    "com_m": [1.0, 0, 0],
    "inertia_kgm2": {"xx": 0.1, "yy": 2.0, "zz": 2.1},
    "frequency_Hz": 1.0,
    "damping_ratio": 0.01,
}
TANK = {"name": "fuel", "xyz_m": [0, 0, 0.2], "length_m": 0.25, "mass_kg": 20, "frequency_Hz": 0.15}
LINK = {
    "name": "link",
    "parent": "base",
    "mass_kg": 4,
    "com_m": [0.5, 0, 0],
    "inertia_kgm2": {"xx": 1, "yy": 1, "zz": 1},
}


def robot_of(base=BUS, **lists):
    return robot_from_document({"format": "freefloat/robot@1", "robot": "r", "base": base, **lists}, "r.yaml")


# ---------------------------------------------------------------------- by hand


def test_a_panel_swings_faster_on_a_base_that_floats():
    """Bus and panel in their plane: base centre at x = 0, hinge at d, panel's centre at d + c, all turning about y."""
    d, c, reduced, about_hinge = 0.6, 1.0, 130 * 8 / 138, 2.0 + 8.0
    whole = reduced * (d + c) ** 2 + 14 + 2.0  # inertia of turning both, about their centre of mass
    shared, own = reduced * c * (d + c) + 2.0, reduced * c * c + 2.0
    [mode] = system_modes(robot_of(appendages=[PANEL]))
    floating = np.sqrt(about_hinge / (own - shared**2 / whole))
    assert mode.frequency_Hz == pytest.approx(floating, rel=1e-12)
    assert mode.frequency_Hz > 1.1
    # stiffness and damping stay, so the ratio grows as the frequency
    assert mode.damping_ratio == pytest.approx(0.01 * floating, rel=1e-12)
    np.testing.assert_allclose(mode.turn, [0, -shared / whole, 0], atol=1e-15)
    np.testing.assert_allclose(mode.axis, [0, -1, 0])
    assert mode.coupling_inertia == pytest.approx(shared**2 / own, rel=1e-12)
    # momentum stays zero: 138 kg of base origin, and the panel's turns beyond it
    shift = 8 / 138 * (c + (d + c) * mode.turn[1])
    np.testing.assert_allclose(mode.shift, [0, 0, shift], atol=1e-15)
    np.testing.assert_allclose(mode.direction, [0, 0, 1], atol=1e-15)


def test_on_a_base_that_is_held_a_frequency_is_that_of_the_file():
    tank = {**TANK, "damping_ratio": 0.05}
    modes = system_modes(robot_of({**BUS, "kind": "fixed"}, appendages=[PANEL], tanks=[tank]))
    np.testing.assert_allclose([mode.frequency_Hz for mode in modes], [0.15, 0.15, 1.0], rtol=1e-12)
    np.testing.assert_allclose([mode.damping_ratio for mode in modes], [0.05, 0.05, 0.01], rtol=1e-12)
    assert not any(mode.turn.any() or mode.shift.any() or mode.coupling_inertia for mode in modes)


def test_a_pendulum_without_a_spring_swings_by_gravity():
    base = {**BUS, "kind": "fixed", "gravity_m_s2": [0, 0, -9.81]}
    hanging = robot_of(base, tanks=[TANK]).with_springs([Spring(0.0), Spring(0.0)])
    frequencies = [mode.frequency_Hz for mode in system_modes(hanging)]
    np.testing.assert_allclose(frequencies, np.sqrt(9.81 / 0.25) / (2 * np.pi), rtol=1e-12)
    assert not system_modes(replace(hanging, gravity=-hanging.gravity)), "what stands on its head does not swing"
    planar = replace(hanging, base="planar", gravity=np.array([3.0, 0.0, -9.81]))
    assert {mode.frequency_Hz > frequencies[0] for mode in system_modes(planar)} == {True}
    assert not system_modes(replace(hanging, base="free")), "all falls together"


def test_an_elastic_joint_swings_at_the_posture_asked_for():
    joint = {"name": "j", "kind": "revolute", "axis": [0, 0, 1], "elastic": {"frequency_Hz": 9.0}}
    tip = {"name": "tip", "parent": "link", "mass_kg": 2, "transform": {"xyz_m": [1, 0, 0]}, "com_m": [1, 0, 0]}
    bent = {"name": "bend", "kind": "revolute", "axis": [0, 0, 1]}
    robot = robot_of({**BUS, "kind": "fixed"}, bodies=[{**LINK, "joint": joint}, {**tip, "joint": bent}])
    assert robot.joint_names == ("j", "j_spring", "bend")
    [straight], [folded] = system_modes(robot), system_modes(robot, [0.4, 0.0, np.pi])
    assert straight.frequency_Hz == pytest.approx(9.0, rel=1e-12)
    carried = np.array([1 + 4 * 0.25 + 2 * 4, 1 + 4 * 0.25])
    assert folded.frequency_Hz == pytest.approx(9.0 * np.sqrt(carried[0] / carried[1]), rel=1e-12)


# ---------------------------------------------------------------------- of any robot

TREES = [
    pytest.param(random_robot(seed, bodies=7, base=base, passive=3, prismatic=seed % 2 == 0), id=f"{base} {seed}")
    for base in ("free", "planar")
    for seed in range(3)
]


@pytest.mark.parametrize("robot", TREES)
def test_a_floating_base_raises_frequencies_by_the_coupling(robot):
    """f^2 of a base that cannot turn is that of one that can, less the part that the coupling takes of its inertia."""
    model, modes = small_motion(robot), system_modes(robot)
    s, b = int((model.base_rows < 3).sum()), model.base_rows.size
    shifted = model.M - model.M[:, :s] @ np.linalg.solve(model.M[:s, :s], model.M[:s])
    J, L, P, K = shifted[s:b, s:b], shifted[s:b, b:], shifted[b:, b:], model.K[b:, b:]
    assert len(modes) == 3
    for mode in modes:
        u, momentum = mode.shape, L @ mode.shape
        taken = mode.coupling_inertia * (momentum @ np.linalg.solve(J, momentum)) / (momentum @ momentum)
        held = np.sqrt(u @ K @ u / (u @ P @ u)) / (2 * np.pi)
        assert held == pytest.approx(mode.frequency_Hz * np.sqrt(1 - taken), rel=1e-9)
        still = model.M[:b] @ np.concatenate([np.hstack([mode.shift, mode.turn])[model.base_rows], u])
        np.testing.assert_allclose(still, 0.0, atol=1e-9 * abs(model.M).max())


@pytest.mark.parametrize("robot", TREES)
def test_modes_are_poles_of_the_state_space(robot):
    space = state_space(small_motion(robot))
    n = len(space.coordinates)
    assert space.A.shape == (2 * n, 2 * n)
    poles = np.linalg.eigvals(space.A)
    upper = np.array(sorted(poles[poles.imag > 1e-3], key=abs))
    modes = system_modes(robot)
    swinging, damping = abs(upper) / (2 * np.pi), -upper.real / abs(upper)
    np.testing.assert_allclose(swinging, [mode.frequency_Hz for mode in modes], rtol=5e-3)  # damping squared
    np.testing.assert_allclose(damping, [mode.damping_ratio for mode in modes], rtol=0.1)
    assert (poles.real < 1e-4 * abs(poles).max()).all(), "springs and dampers only take energy"


def test_the_state_space_is_the_linear_model():
    model = small_motion(TREES[0].values[0])
    space, n = state_space(model), len(model.coordinates)
    s = 0.7j
    by_force = space.C @ np.linalg.solve(s * np.eye(2 * n) - space.A, space.B) + space.D
    np.testing.assert_allclose(np.linalg.inv(model.M * s**2 + model.D * s + model.K), by_force, atol=1e-12)
    assert len(space.matrices) == 4


def test_coordinates_are_named_by_what_they_are():
    robot = robot_of({**BUS, "kind": "planar"}, appendages=[PANEL])
    assert small_motion(robot).coordinates == ("shift_x", "shift_y", "turn_z", "panel_hinge")
    assert small_motion(robot).M.shape == (4, 4)


def test_modes_are_those_of_the_quadratic_eigenproblem():
    """The quadratic eigenproblem of M, D, K, base and all, for two panels damped alike."""
    robot = robot_of(appendages=[PANEL, {**PANEL, "name": "left", "xyz_m": [-0.6, 0, 0], "com_m": [-1.0, 0, 0]}])
    model = small_motion(robot)
    none, one = np.zeros_like(model.M), np.eye(model.M.shape[0])
    values = eig(np.block([[none, one], [-model.K, -model.D]]), np.block([[one, none], [none, model.M]]), right=False)
    swinging = np.sort(abs(values[values.imag > 1e-3])) / (2 * np.pi)
    modes = system_modes(robot)
    assert len(modes) == 2
    np.testing.assert_allclose([mode.frequency_Hz for mode in modes], swinging, rtol=1e-9)


# ---------------------------------------------------------------------- what cannot swing


def test_rigid_robots_have_no_modes():
    assert system_modes(random_robot(0, bodies=4)) == ()


def test_a_joint_without_stiffness_is_no_mode():
    robot = robot_of(appendages=[PANEL, {**PANEL, "name": "other", "axis": [0, 0, 1]}])
    assert len(system_modes(robot)) == 2
    assert len(system_modes(robot.with_springs([Spring(0.0, 1.0), Spring(5.0)]))) == 1


def test_what_carries_nothing_is_refused_in_one_sentence():
    light = {
        "name": "f",
        "parent": "base",
        "joint": {"name": "j", "kind": "revolute", "passive": {"stiffness_Nm_rad": 1}},
    }
    with pytest.raises(InvalidRobot, match=r"passive joints j: some motion .* nothing that has inertia; allowed: "):
        system_modes(robot_of(bodies=[light]))
    with pytest.raises(ShapeError, match=r"q must have shape \(1,\)"):
        small_motion(robot_of(bodies=[light]), [0.0, 0.0])
