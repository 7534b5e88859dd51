"""An independent truth for what swings: MuJoCo flies robots with springs in their joints, and so do we.

MuJoCo has the robots from a text that this file writes of bodies, joints and springs; its own `stiffness` and `damping`
hold the passive joints, and its Runge-Kutta method of order four integrates, with steps so short that halving them
changes nothing that is compared. Motors give torques that are constant for a while and then turned round.
"""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from agreement import assert_agree
from simulation.swinging_robots import slow, swinging

from freefloat.dynamics.samples import Samples
from freefloat.robot.rotations import rotations
from freefloat.simulation.conditions import Start
from freefloat.simulation.controlled import simulate_torques
from freefloat.simulation.simulate import simulate_motion

HOLD = 0.25  # [s]
STATE = ("q", "dq", "v", "w", "attitude", "position")
MOVING = Start([0.3, -0.2, 0.5, 0.7], [2.0, -1.0, 0.5], [0.02, -0.03, 0.01], [0.03, 0.01, -0.02])


def mjcf(robot, step):
    """The robot for MuJoCo, its base free."""
    children = {body.name: [each for each in robot.bodies if each.parent == body.name] for body in robot.bodies}

    def numbers(values):
        return " ".join(repr(float(value)) for value in np.ravel(values))

    def weight(phi):
        mass, com = phi[0], phi[1:4] / phi[0]
        xx, xy, yy, xz, yz, zz = phi[4:]
        whole = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia = whole - mass * ((com @ com) * np.eye(3) - np.outer(com, com))
        six = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        return f'<inertial mass="{numbers(mass)}" pos="{numbers(com)}" fullinertia="{numbers(six)}"/>'

    def element(body):
        if body.joint is None:
            head = f'<body name="{body.name}"><freejoint/>'
        else:
            turn = np.zeros(4)
            mujoco.mju_mat2Quat(turn, body.placement.R.ravel())
            kind = "slide" if body.joint.kind == "prismatic" else "hinge"
            spring = body.joint.passive
            held = (
                ""
                if spring is None
                else f' stiffness="{numbers(spring.stiffness)}" damping="{numbers(spring.damping)}"'
            )
            joint = f'<joint name="{body.joint.name}" type="{kind}" axis="{numbers(body.joint.axis)}"{held}/>'
            place = f'pos="{numbers(body.placement.p)}" quat="{numbers(turn)}"'
            head = f'<body name="{body.name}" {place}>{joint if body.joint.moves else ""}'
        return head + weight(body.parameters) + "".join(map(element, children[body.name])) + "</body>"

    option = f'<option integrator="RK4" timestep="{step!r}" gravity="0 0 0"><flag constraint="disable"/></option>'
    compiler = '<compiler angle="radian" inertiafromgeom="false" autolimits="false"/>'
    return f"<mujoco>{compiler}{option}<worldbody>{element(robot.bodies[0])}</worldbody></mujoco>"


class Flown:
    """A robot in MuJoCo."""

    def __init__(self, robot, step):
        self.robot = robot
        self.model = mujoco.MjModel.from_xml_string(mjcf(robot, step))
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in robot.joint_names]
        self.places, self.dofs = [j.qposadr[0] for j in joints], [j.dofadr[0] for j in joints]

    def set(self, samples, k):
        """Take on the state of sample k."""
        data, (x, y, z, w) = self.data, samples.attitude[k]
        R_IB = rotations(samples.attitude[k : k + 1])[0]
        data.qpos[:7] = *samples.position[k], w, x, y, z
        data.qvel[:6] = *(R_IB @ samples.v[k]), *samples.w[k]
        data.qpos[self.places], data.qvel[self.dofs] = samples.q[k], samples.dq[k]

    def state(self):
        """The state, one sample."""
        place, rate = self.data.qpos.copy(), self.data.qvel.copy()
        attitude = place[None, [4, 5, 6, 3]]
        return Samples(
            q=place[None, self.places],
            dq=rate[None, self.dofs],
            v=rate[None, :3] @ rotations(attitude)[0],
            w=rate[None, 3:6],
            attitude=attitude,
            position=place[None, :3],
        )

    def fly(self, first, torques, steps):
        """States after each interval of so many steps, under these torques (n, joints), shape (n + 1, ...) each."""
        self.set(first, 0)
        states = [self.state()]
        for torque in torques:
            self.data.qfrc_applied[self.dofs] = torque
            mujoco.mj_step(self.model, self.data, steps)
            states.append(self.state())
        return {name: np.concatenate([getattr(state, name) for state in states]) for name in STATE}


def flown_by_both(seed, duration_s, step):
    """Ours and MuJoCo's flight of a random robot with three passive joints."""
    robot = swinging(seed, 3, 6)
    rng, t = np.random.default_rng(seed), np.linspace(0.0, duration_s, round(duration_s / HOLD) + 1)
    swing = 0.05 * rng.normal(size=(2, robot.passive.size))
    start, command = replace(MOVING, swing=swing), slow(robot, duration_s, seed, 0.0)
    first = simulate_motion(robot, command, t[:2], start)[:1]
    size, torques = rng.uniform(0.1, 0.3, robot.driven.size), np.zeros((t.size - 1, len(robot.joints)))
    torques[:, robot.driven] = size * np.array([1.0, -1.0, -1.0, 1.0])[np.arange(t.size - 1) % 4, None]
    ours = simulate_torques(robot, t, torques, first, step_s=2.5e-3)
    return robot, ours, Flown(robot, step).fly(first, torques, round(HOLD / step))


def largest_differences(ours, theirs):
    """Of every quantity, over its largest value."""
    return {name: np.abs(getattr(ours, name) - theirs[name]).max() / np.abs(theirs[name]).max() for name in STATE}


@pytest.mark.parametrize("seed", [12, 13])
def test_springs_swing_as_mujocos_do(seed):
    robot, ours, theirs = flown_by_both(seed, 5.0, 1e-3)
    found = largest_differences(ours, theirs)
    assert max(found.values()) < 1e-8, found
    assert np.ptp(ours.q, axis=0).min() > 0.01
    assert np.abs(ours.q[:, robot.driven] - ours.q[0, robot.driven]).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 13])
def test_springs_swing_for_a_minute_as_mujocos_do(seed):
    _, ours, theirs = flown_by_both(seed, 60.0, 5e-4)
    found = largest_differences(ours, theirs)
    assert max(found.values()) < 1e-8, found


@pytest.mark.parametrize("seed", [14, 15])
def test_prescribed_flights_need_no_forces_but_those_of_motors_and_of_mujocos_springs(seed):
    """MuJoCo's inverse dynamics, springs included, of a flight whose driven joints are prescribed."""
    robot = swinging(seed, 3, 7)
    t, swing = np.linspace(0.0, 10.0, 101), 0.05 * np.random.default_rng(seed).normal(size=(2, 3))
    ours = simulate_motion(robot, slow(robot, 10.0, seed), t, replace(MOVING, swing=swing))
    theirs, needed = Flown(robot, 1e-3), []
    for k, R_IB in enumerate(rotations(ours.attitude)):
        theirs.set(ours, k)
        theirs.data.qacc[:3] = R_IB @ (ours.dv[k] + np.cross(ours.w[k], ours.v[k]))
        theirs.data.qacc[3:6], theirs.data.qacc[theirs.dofs] = ours.dw[k], ours.ddq[k]
        mujoco.mj_inverse(theirs.model, theirs.data)
        needed.append(theirs.data.qfrc_inverse.copy())
    needed = np.array(needed)
    motors = needed[:, theirs.dofs]
    assert_agree(motors[:, robot.driven], ours.torques[:, robot.driven], 1e-9)
    size = np.abs(motors).max()
    assert np.abs(motors[:, robot.passive]).max() < 1e-10 * size
    assert np.abs(needed[:, :6]).max() < 1e-10 * size
