"""Rows of torque and energy with columns of friction: what they are, their way back, and missions that ask for them."""

import numpy as np
import pytest
from excitation.points_mission import limited, points_mission
from excitation.test_rows import a_motion, assert_same_gradient, central_differences
from random_trees import random_robot

from freefloat.dynamics.drive_torques import drive_torques
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.limits.joint import joint_limits
from freefloat.excitation.plan import Plan
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.excitation.rows.friction import with_friction
from freefloat.excitation.rows.torque import TorqueDesignRows
from freefloat.mission.designing import plan_of
from freefloat.models.model import Energy, Torque
from freefloat.motion.fourier import Fourier
from freefloat.robot.drive import FRICTION_TERMS, Drive

USUAL = ("coulomb", "viscous", "offset")
KINDS = {
    "torque": lambda robot: TorqueDesignRows(Torque(robot)),
    "energy": lambda robot: EnergyDesignRows(Energy(robot)),
}


def rubbing_arm(seed, joints=4, **kinds):
    """A random tree on the ground whose joints have every term of friction."""
    robot = random_robot(seed, bodies=1 + joints, base="fixed", gravity=True, **kinds)
    rng = np.random.default_rng(seed)
    drives = [Drive(*rng.uniform(0.1, 1.0, 5), stribeck_rate=rng.uniform(0.05, 0.2)) for _ in robot.joints]
    return robot.with_drives(drives)


def samples_of(robot, trajectory, instants):
    return Conditions(robot).samples(trajectory.channels, trajectory.evaluate(np.linspace(0.0, 20.0, instants)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moving", ["all joints", "some"])
def test_columns_of_friction_are_pulled_back_to_the_coefficients(kind, moving):
    robot = rubbing_arm(3, prismatic=True, branched=True)
    trajectory, linear = a_motion(robot)
    joints = robot.joint_names if moving == "all joints" else robot.joint_names[1:3]
    rows = with_friction(KINDS[kind](robot), FRICTION_TERMS, joints)
    filled = lambda at: rows.fill(Conditions(robot).samples(trajectory.channels, linear.motion(at)))  # noqa: E731
    whole = filled(trajectory.coefficients)
    assert whole.matrix.shape[1] == len(rows.names) == len(rows.rows.names) + len(FRICTION_TERMS) * len(joints)
    Z = np.random.default_rng(1).normal(size=whole.matrix.shape)
    slope = whole.pull_back(Z).by_coefficients(robot, trajectory.channels, linear)
    value = lambda at: float((Z * filled(at).matrix).sum())  # noqa: E731
    assert_same_gradient(slope, central_differences(value, trajectory.coefficients))


def test_rows_of_torque_give_what_the_motors_do():
    robot = rubbing_arm(4, prismatic=True, branched=True)
    samples = samples_of(robot, a_motion(robot)[0], 30)
    rows = with_friction(KINDS["torque"](robot), FRICTION_TERMS, robot.joint_names)
    given = (rows.fill(samples).matrix @ rows.values).reshape(30, -1)
    smooth = [0.3 * joint.drive.stribeck_rate for joint in robot.joints]
    motors = inverse_dynamics(robot, samples)[:, 6:] + drive_torques(robot, samples, smooth)
    np.testing.assert_allclose(given, motors, rtol=1e-9, atol=1e-9 * np.abs(motors).max())


def test_rows_of_energy_hold_the_work_of_friction():
    """Of Coulomb friction by the way that a joint went, of an offset by where it went to."""
    robot = rubbing_arm(5)
    robot = robot.with_drives([Drive(stribeck_rate=1e-5)] * len(robot.joints))  # where signs are nearly steps
    trajectory = a_motion(robot)[0]
    samples = samples_of(robot, trajectory, 20001)
    rows = with_friction(KINDS["energy"](robot), ("offset", "coulomb"), robot.joint_names)
    work = rows.fill(samples).matrix[:, len(rows.rows.names) :].sum(axis=0).reshape(2, -1)
    np.testing.assert_allclose(work[0], np.abs(np.diff(samples.q, axis=0)).sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(work[1], samples.q[-1] - samples.q[0], atol=1e-5)


def test_a_motion_designed_with_friction_tells_it_from_bodies_better():
    robot = limited(rubbing_arm(6, joints=2, prismatic=False))
    ends = np.zeros((6, 2))
    shape = Fourier(robot.joint_names, np.zeros((4, 2)), 10.0, ends)
    found = {}
    for friction in ((), USUAL):
        plan = Plan(
            robot,
            shape,
            (),
            joint_limits(robot, robot.joint_names),
            goal="d-optimal",
            model="torque",
            friction=friction,
        )
        found[friction] = find_excitation(plan, starts=2, seed=0, workers=1).trajectory
    with_it = plan.on_matrix()
    without, designed = (with_it.value(found[each].coefficients)[0] for each in ((), USUAL))
    assert designed < without


def test_missions_on_the_ground_are_designed_with_their_friction(tmp_path):
    """The usual terms where data are to choose, rotors never, nothing for points, rows of wrenches, and in space."""

    def names(friction, robot=None, models=("torque",), **excitation):
        section = {"shape": {"kind": "fourier", "harmonics": 3}, "duration_s": 10.0, "goal": "condition-number"}
        said = {"identify": {"friction": friction, "models": list(models)}, "excitation": {**section, **excitation}}
        return plan_of(points_mission(tmp_path, robot, **said)).rows().names

    bodies = names([])
    asked = ["Coulomb friction of", "viscous friction of", "offset of the torque of"]
    rubs = lambda found: list(dict.fromkeys(name.rsplit(" ", 1)[0] for name in found if " " in name))  # noqa: E731
    assert rubs(bodies) == []
    assert rubs(names("auto")) == rubs(names("auto", models=("energy",))) == asked
    assert rubs(names(["viscous", "rotor", "stribeck"])) == ["viscous friction of", "Stribeck friction of"]
    assert len(names("auto", channels=["joint1"])) == len(bodies) + len(USUAL)
    for other in ({"shape": {"kind": "points"}, "models": ("energy",)}, {"models": ("base-wrench",)}):
        assert rubs(names("auto", **other)) == []
    flying = limited(random_robot(5, bodies=3, base="free", prismatic=False))
    assert rubs(names("auto", flying)) == []
