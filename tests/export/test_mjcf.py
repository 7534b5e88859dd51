"""Robots written as MJCF, in MuJoCo: the same inertia, the same inverse dynamics, the same driven flight."""

from dataclasses import replace
from xml.etree.ElementTree import fromstring

import mujoco
import numpy as np
import pytest
from agreement import assert_agree
from estimate.estimates_made import estimate_of
from geared import driven
from random_trees import random_robot, random_samples

from freefloat.dynamics.drive_torques import drive_loads, driven_dynamics
from freefloat.dynamics.torque import mass_matrix
from freefloat.errors import FileError, InvalidRobot
from freefloat.export.export import export_mjcf
from freefloat.export.mjcf import mjcf_text
from freefloat.robot.drive import Drive
from freefloat.robot.yaml_read import robot_from_document
from freefloat.simulation.controlled import simulate_torques

TREES = [
    pytest.param(random_robot(seed, bodies=9, base=base, gravity=base == "fixed", fixed_bodies=True, wheels=2), id=base)
    for seed, base in enumerate(("free", "planar", "fixed"))
]
LEVEL = [0.0, 0.0, 0.0, 1.0]


class InMuJoCo:
    """A robot that MuJoCo has from its MJCF, at the origin of the world, with our joints in our order."""

    def __init__(self, robot):
        self.robot, self.model = robot, mujoco.MjModel.from_xml_string(mjcf_text(robot))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in robot.joint_names]
        wheels = [self.model.joint(f"{wheel.name}_joint") for wheel in robot.wheels]
        self.rows = {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[robot.base]
        self.q = [joint.qposadr[0] for joint in joints]
        self.dq = [joint.dofadr[0] for joint in joints]
        self.wheels = [wheel.dofadr[0] for wheel in wheels]
        self.base = list(range(len(self.rows)))

    def set(self, samples, k):
        """Take on sample k, its base level at the origin."""
        moved = samples.dv[k] + np.cross(samples.w[k], samples.v[k])
        for rates, values, base, wheels in (
            (self.data.qvel, samples.dq[k], np.hstack([samples.v[k], samples.w[k]]), samples.wheel_rates[k]),
            (self.data.qacc, samples.ddq[k], np.hstack([moved, samples.dw[k]]), samples.wheel_accelerations[k]),
        ):
            rates[self.dq], rates[self.base], rates[self.wheels] = values, base[self.rows], wheels
        self.data.qpos[self.q] = samples.q[k]


@pytest.mark.parametrize("tree", TREES)
def test_mujoco_finds_the_same_inertia(tree):
    robot = driven(tree, 1, geared=False)
    theirs, samples = InMuJoCo(robot), random_samples(robot, 4, 1)
    order, found = [*theirs.base, *theirs.dq], []
    for k in range(4):
        theirs.set(samples, k)
        mujoco.mj_forward(theirs.model, theirs.data)
        H = np.zeros((theirs.model.nv, theirs.model.nv))
        mujoco.mj_fullM(theirs.model, theirs.data, H)
        found.append(H[np.ix_(order, order)])
    ours = mass_matrix(robot, samples.q)
    index = np.arange(6, ours.shape[1])
    ours[:, index, index] += [joint.drive.rotor for joint in robot.joints]
    rows = [*theirs.rows, *index]
    assert_agree(ours[:, rows][:, :, rows], np.array(found), 1e-10, floor=1e-3)


def test_mujoco_finds_the_same_inertia_and_springs_of_what_swings():
    """Panel, tank and elastic joint; bodies that only stand between joints are none in MuJoCo, and points no points."""
    joint = {"name": "j", "kind": "revolute", "axis": [0, 1, 0], "elastic": {"frequency_Hz": 5, "rotor_kgm2": 0.3}}
    tilted = {"xyz_m": [0.1, 0.2, 0.3], "rpy_deg": [10, 20, 30]}
    arm = {"name": "arm", "parent": "base", "transform": tilted, "joint": joint, "mass_kg": 4, "com_m": [0.3, 0, 0]}
    panel = {"name": "panel", "parent": "arm", "xyz_m": [1, 0, 0], "axis": [0, 1, 1], "mass_kg": 2, "com_m": [0, 0, 1]}
    tank = {"name": "fuel", "xyz_m": [0, 0, 0.2], "axis": [1, 2, 3], "length_m": 0.3, "mass_kg": 20}
    swings = {"frequency_Hz": 0.5, "damping_ratio": 0.02}
    robot = robot_from_document(
        {
            "format": "freefloat/robot@1",
            "robot": "swinging",
            "base": {"mass_kg": 100, "inertia_kgm2": {"xx": 10, "yy": 11, "zz": 12}},
            "bodies": [arm],
            "appendages": [panel | swings],
            "tanks": [tank | swings],
        },
        "r.yaml",
    )
    theirs, samples = InMuJoCo(robot), random_samples(robot, 3, 5)
    assert theirs.model.nbody == 1 + 4
    order, found = [*theirs.base, *theirs.dq], []
    springs = [(joint.passive.stiffness, joint.passive.damping) if joint.passive else (0, 0) for joint in robot.joints]
    stiffness, damping = np.array(springs).T
    for k in range(3):
        theirs.set(samples, k)
        mujoco.mj_forward(theirs.model, theirs.data)
        H = np.zeros((theirs.model.nv, theirs.model.nv))
        mujoco.mj_fullM(theirs.model, theirs.data, H)
        found.append(H[np.ix_(order, order)])
        pushed = -stiffness * samples.q[k] - damping * samples.dq[k]
        np.testing.assert_allclose(theirs.data.qfrc_passive[theirs.dq], pushed, rtol=1e-12)
    ours = mass_matrix(robot, samples.q)
    ours[:, 6, 6] += 0.3
    assert_agree(ours, np.array(found), 1e-10, floor=1e-3)
    assert np.linalg.eigvalsh(ours).min() > 1e-3, "with a rotor, an elastic joint moves something on either side"


@pytest.mark.parametrize("tree", TREES)
def test_mujoco_finds_the_same_torques(tree):
    drives = [Drive(viscous=joint.drive.viscous, rotor=joint.drive.rotor) for joint in driven(tree, 2).joints]
    robot = tree.with_drives(drives)
    theirs, samples = InMuJoCo(robot), replace(random_samples(robot, 4, 2), attitude=np.tile(LEVEL, (4, 1)))
    found = []
    for k in range(4):
        theirs.set(samples, k)
        mujoco.mj_inverse(theirs.model, theirs.data)
        found.append(theirs.data.qfrc_inverse[[*theirs.base, *theirs.dq]])
    rows = [*theirs.rows, *range(6, 6 + len(robot.joints))]
    assert_agree(driven_dynamics(robot, samples)[:, rows], np.array(found), 1e-10, floor=1e-3)


def test_a_driven_flight_is_mujocos():
    robot = driven(random_robot(4, bodies=5, base="free"), 4, geared=False)
    theirs, joints = InMuJoCo(robot), len(robot.joints)
    first = replace(random_samples(robot, 1, 4), attitude=np.array([LEVEL]), position=np.zeros((1, 3)))
    t, step = np.linspace(0.0, 0.2, 5), 1e-4
    torques = 3.0 * np.random.default_rng(4).normal(size=(4, joints))
    ours = simulate_torques(robot, t, torques, first, step_s=step)
    theirs.model.opt.integrator, theirs.model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step
    theirs.set(first, 0)
    rest = robot.with_drives([replace(joint.drive, viscous=0.0, rotor=0.0) for joint in robot.joints])

    def rub(model, data):  # friction that MuJoCo has no law for
        moving = type(first)(data.qpos[theirs.q][None], dq=data.qvel[theirs.dq][None])
        data.qfrc_applied[theirs.dq] = asked - drive_loads(rest, moving, smooth=0.01)[0, 6:]

    mujoco.set_mjcb_control(rub)
    try:
        for interval in range(4):
            asked = torques[interval]
            for _ in range(500):
                mujoco.mj_step(theirs.model, theirs.data)
    finally:
        mujoco.set_mjcb_control(None)
    np.testing.assert_allclose(theirs.data.qpos[theirs.q], ours.q[-1], atol=1e-7)
    np.testing.assert_allclose(theirs.data.qvel[theirs.dq], ours.dq[-1], atol=1e-6)
    assert np.abs(ours.q[-1] - ours.q[0]).max() > 1e-2


def test_attributes_hold_what_mujoco_has_words_for():
    robot = random_robot(5, bodies=3, base="fixed").with_drives([Drive(1.5, 2.5, rotor=0.5), Drive()])
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    first, second = (model.joint(name).dofadr[0] for name in robot.joint_names)
    for dof, expected in ((first, (1.5, 2.5, 0.5)), (second, (0.0, 0.0, 0.0))):
        assert (model.dof_frictionloss[dof], model.dof_damping[dof], model.dof_armature[dof]) == expected
    ranged = [joint for joint in robot.joints if np.isfinite(joint.position).all()]
    for joint in ranged:
        np.testing.assert_array_equal(model.joint(joint.name).range, joint.position)
    assert model.jnt_limited.sum() == len(ranged) == 1


@pytest.mark.parametrize("base", ["world", '<base & "co"/>'])
def test_any_name_is_written_safely(base):
    robot = random_robot(6, bodies=3, base="free", wheels=1)
    names = {body.name: f'<{body.name} & "co"/>' for body in robot.bodies[1:]} | {"base": base}
    bodies = (replace(body, name=names[body.name], parent=names.get(body.parent)) for body in robot.bodies)
    odd = replace(robot, name="<!--", points=(), bodies=tuple(bodies))
    text = mjcf_text(odd)
    model = mujoco.MjModel.from_xml_string(text)
    assert fromstring(text).get("model") == "<!--"
    assert model.nbody == 5
    for body in odd.bodies[1:]:
        assert model.body(body.name).mass[0] == body.parameters[0]


def test_first_moments_without_mass_are_refused():
    robot = random_robot(7, bodies=2)
    hollow = replace(robot.bodies[1], parameters=[0.0, 1.0, *np.zeros(8)])
    with pytest.raises(InvalidRobot, match="first moments but no mass, which MJCF cannot say"):
        mjcf_text(replace(robot, bodies=(robot.bodies[0], hollow)))


def test_an_estimate_is_written_and_what_is_left_out_is_said(tmp_path):
    robot = random_robot(8, bodies=3, base="free")
    first, second = robot.joint_names
    drives = [Drive(1.0, 2.0, offset=0.5, rotor=0.25, gear_ratio=50.0), Drive(stribeck=0.1)]
    said = export_mjcf(estimate_of(robot.with_drives(drives)), tmp_path / "robot.xml")
    assert said.notes[-2:] == (
        f"MJCF has no word for offset of the torque of {first}; Stribeck friction of {second}, which is left out",
        "MJCF has no word for what the spin of rotors does to bodies that turn, which is left out",
    )
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    assert model.dof_armature[model.joint(first).dofadr[0]] == 0.25
    with pytest.raises(FileError, match=r"not a file that MJCF is written to; allowed: .xml, .mjcf"):
        export_mjcf(estimate_of(robot), tmp_path / "robot.yaml")
