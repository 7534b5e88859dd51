"""Robots written as URDF, in MuJoCo and Pinocchio: they load, and have the momentum that they have here.

MuJoCo welds the root of a URDF to the world; `load_in_mujoco` gives it a free joint.
"""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from agreement import assert_agree
from authorities.pinocchio_model import InPinocchio
from random_trees import ROBOTS, random_samples
from robot.urdf_loaders import load_in_mujoco, load_in_pinocchio

from freefloat.dynamics.energy import kinetic_energy_regressor, wheel_energy_regressor
from freefloat.dynamics.momentum_rows import momentum
from freefloat.robot.rotations import rotations
from freefloat.robot.urdf_write import urdf_text

TOLERANCE = 1e-10
SAMPLES = 5

# How the base moves is not in a URDF, so all are given a free one.
FREE = [replace(robot, base="free", gravity=np.zeros(3)) for robot in ROBOTS]
every_robot = pytest.mark.parametrize("robot", FREE, ids=lambda robot: robot.name)


class InMuJoCo:
    """What MuJoCo says about samples of a robot that it has from its URDF."""

    def __init__(self, robot):
        self.model = load_in_mujoco(urdf_text(robot))
        assert self.model is not None, "MuJoCo refuses the file"
        self.data = mujoco.MjData(self.model)
        self.joints, self.wheels = robot.joint_names, [f"{wheel.name}_joint" for wheel in robot.wheels]

    def set(self, samples, k):
        """Take on the state of sample k."""
        data, R_IB = self.data, rotations(samples.attitude[k : k + 1])[0]
        x, y, z, w = samples.attitude[k]
        data.qpos[:7] = *samples.position[k], w, x, y, z
        data.qvel[:6] = *(R_IB @ samples.v[k]), *samples.w[k]  # turning in the body, moving in the world
        for name, position, rate in zip(self.joints, samples.q[k], samples.dq[k], strict=True):
            data.joint(name).qpos[0], data.joint(name).qvel[0] = position, rate
        for name, rate in zip(self.wheels, samples.wheel_rates[k], strict=True):
            data.joint(name).qpos[0], data.joint(name).qvel[0] = 0.3 + k, rate
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        mujoco.mj_comVel(self.model, data)
        mujoco.mj_subtreeVel(self.model, data)

    def momentum(self, samples):
        """Linear, then angular about the base origin, base frame, shape (n, 6)."""
        found = np.empty((len(samples), 6))
        for k, R_IB in enumerate(rotations(samples.attitude)):
            self.set(samples, k)
            linear = self.model.body_subtreemass[1] * self.data.subtree_linvel[1]
            arm = self.data.subtree_com[1] - samples.position[k]
            found[k, :3] = R_IB.T @ linear
            found[k, 3:] = R_IB.T @ (self.data.subtree_angmom[1] + np.cross(arm, linear))
        return found


@every_robot
def test_a_written_tree_has_the_same_momentum_in_mujoco(robot):
    samples = random_samples(robot, SAMPLES, 1)
    assert_agree(momentum(robot, samples), InMuJoCo(robot).momentum(samples), TOLERANCE)


@every_robot
def test_a_written_tree_has_the_same_momentum_in_pinocchio(robot):
    samples = random_samples(robot, SAMPLES, 2)
    theirs = InPinocchio(robot, load_in_pinocchio(urdf_text(robot)))
    wheels = [f"{wheel.name}_joint" for wheel in robot.wheels]
    assert_agree(momentum(robot, samples), theirs.momentum(samples, wheels), TOLERANCE)


@every_robot
def test_a_written_tree_has_the_same_energy_in_pinocchio(robot):
    samples = random_samples(robot, SAMPLES, 3)
    theirs = InPinocchio(robot, load_in_pinocchio(urdf_text(robot)))
    wheels = [f"{wheel.name}_joint" for wheel in robot.wheels]
    ours = kinetic_energy_regressor(robot, samples) @ robot.parameters
    ours += wheel_energy_regressor(robot, samples) @ robot.wheel_inertias
    assert_agree(ours, theirs.kinetic_energy(samples, wheels), TOLERANCE)
