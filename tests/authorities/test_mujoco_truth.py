"""An independent truth: MuJoCo flies our robots, driven by torques, and everything here agrees with the flight.

MuJoCo has the robots from their URDF, with a free base, no gravity and wheels that turn freely; it integrates by
its own Runge-Kutta method of order four, with steps of STEP and of half of that. What its answer changes by when
the step is halved is sixteen times what is still missing afterwards, less that itself: its error is a fifteenth of
the change. That is the accuracy to which its finer flight can be compared; the tests allow a tenth of the change,
and ROUNDING of the largest value. Momentum that is not conserved is an integration error as well, and must fall
sixteen times. Torques do not depend on how well states were integrated, as long as accelerations belong to them.
"""

import mujoco
import numpy as np
import pytest
from agreement import assert_agree
from random_trees import random_robot
from robot.urdf_loaders import load_in_mujoco
from simulation.weighed import slope

from freefloat.dynamics.momentum_rows import momentum
from freefloat.dynamics.reaction import joint_inertia
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.robot.rotations import rotations
from freefloat.robot.urdf_write import urdf_text
from freefloat.simulation.controlled import simulate_torques
from freefloat.studies.catalogue import study_robot

STEP, DURATION = 8e-3, 2.0
HOLD = 0.2  # the torques are constant over this [s]
SAMPLE = 0.04
ROUNDING = 1e-12
STATE = ("q", "dq", "v", "w", "attitude", "position", "wheel_rates")

ROBOTS = [
    study_robot("spirolazzi_n1"),
    study_robot("christidi_servicer"),
    random_robot(31, bodies=7, base="free", branched=True, prismatic=True, wheels=2),
    random_robot(32, bodies=11, base="free", branched=True, prismatic=True, wheels=3, fixed_bodies=True),
]
every_robot = pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)


class Flight:
    """A robot flying in MuJoCo."""

    def __init__(self, robot, step):
        self.robot, self.step = robot, step
        self.model = load_in_mujoco(urdf_text(robot))
        self.model.opt.timestep, self.model.opt.gravity[:] = step, 0.0
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # joints go beyond their limits
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in robot.joint_names]
        self.places, self.dofs = [j.qposadr[0] for j in joints], [j.dofadr[0] for j in joints]
        self.wheels = [self.model.joint(f"{wheel.name}_joint").dofadr[0] for wheel in robot.wheels]

    def begin(self):
        """Anywhere, in any attitude, everything moving."""
        rng, joints = np.random.default_rng(3), len(self.dofs)
        turn = rng.normal(size=4)
        self.data.qpos[:7] = *rng.normal(size=3), *turn / np.linalg.norm(turn)
        self.data.qvel[:6] = 0.5 * rng.normal(size=6)
        self.data.qpos[self.places] = rng.uniform(-0.5, 0.5, joints)
        self.data.qvel[self.dofs] = rng.uniform(-0.6, 0.6, joints)
        self.data.qvel[self.wheels] = rng.uniform(-50.0, 50.0, len(self.wheels))

    def torques(self):
        """Shape (DURATION / HOLD, joints): what gives each joint alone half a rad/s^2 either way."""
        rng, count = np.random.default_rng(4), round(DURATION / HOLD)
        felt = np.diagonal(joint_inertia(self.robot, self.data.qpos[None, self.places])[0])
        return 0.5 * felt * rng.choice([-1.0, 1.0], (count, len(self.dofs)))

    def fly(self):
        """Every step of the flight, as samples."""
        self.begin()
        torques, steps, hold = self.torques(), round(DURATION / self.step), round(HOLD / self.step)
        given = torques[np.minimum(np.arange(steps + 1) // hold, len(torques) - 1)]
        rows = []
        for torque in given:
            self.data.qfrc_applied[self.dofs] = torque
            mujoco.mj_forward(self.model, self.data)
            rows.append([self.data.qpos.copy(), self.data.qvel.copy(), self.data.qacc.copy()])
            mujoco.mj_step(self.model, self.data)
        return self._samples(*(np.array(each) for each in zip(*rows, strict=True)), given)

    def _samples(self, place, rate, rise, torques):
        attitude = place[:, [4, 5, 6, 3]]
        to_base, w = rotations(attitude).transpose(0, 2, 1), rate[:, 3:6]
        v = np.einsum("kij,kj->ki", to_base, rate[:, :3])  # MuJoCo moves the origin in world axes
        return Samples(
            t=self.step * np.arange(len(place)),
            q=place[:, self.places],
            dq=rate[:, self.dofs],
            ddq=rise[:, self.dofs],
            v=v,
            w=w,
            dv=np.einsum("kij,kj->ki", to_base, rise[:, :3]) - np.cross(w, v),
            dw=rise[:, 3:6],
            attitude=attitude,
            position=place[:, :3],
            wheel_rates=rate[:, self.wheels],
            wheel_accelerations=rise[:, self.wheels],
            torques=torques,
        )


@pytest.fixture(scope="module")
def flights():
    """By name of the robot: its flight with whole and with half steps."""
    return {robot.name: [Flight(robot, step).fly() for step in (STEP, STEP / 2)] for robot in ROBOTS}


def inertial_momentum(robot, samples):
    """By our regressor, about the inertial origin, inertial axes, shape (n, 6)."""
    h, R_IB = momentum(robot, samples), rotations(samples.attitude)
    linear, angular = (np.einsum("kij,kj->ki", R_IB, part) for part in (h[:, :3], h[:, 3:]))
    return np.hstack([linear, angular + np.cross(samples.position, linear)])


def sampled(flight):
    return flight[:: round(SAMPLE / flight.t[1])]


def test_the_robots_really_move(flights):
    for coarse, fine in flights.values():
        assert np.ptp(fine.dq, axis=0).min() > 0.1
        assert np.abs(fine.q - fine.q[0]).max() > 0.5
        assert np.abs(fine.w).max() > 0.1
        assert np.abs(fine.torques).max() > 0.1
        assert (coarse.t[-1], fine.t[-1]) == (DURATION, DURATION)


@every_robot
def test_our_momentum_of_its_states_is_constant_as_far_as_it_integrates(robot, flights):
    drifts = []
    for flight in flights[robot.name]:
        found = inertial_momentum(robot, flight)
        size = np.abs(found).reshape(-1, 2, 3).max(axis=(0, 2))
        drifts.append(np.abs(found - found[0]).reshape(-1, 2, 3).max(axis=(0, 2)) / size)
    coarse, fine = drifts
    assert (coarse < 1e-6).all(), drifts
    assert (fine < coarse / 12.0 + ROUNDING).all(), drifts


@every_robot
def test_our_inverse_dynamics_of_its_accelerations_are_its_torques(robot, flights):
    for flight in flights[robot.name]:
        needed = inverse_dynamics(robot, flight)
        size = np.abs(flight.torques).max()
        assert np.abs(needed[:, 6:] - flight.torques).max() < 1e-10 * size
        assert np.abs(needed[:, :6]).max() < 1e-10 * size  # nothing pushes the base


@every_robot
def test_our_inverse_dynamics_of_its_states_alone_are_its_torques(robot, flights):
    """Accelerations from the rates it recorded, while the torques are constant: its steps of order four show."""
    errors = []
    for flight in flights[robot.name]:
        hold, worst = round(HOLD / flight.t[1]), 0.0
        for first in range(0, len(flight) - 1, hold):
            part = flight[first : first + hold + 1]
            rises = {"ddq": part.dq, "dv": part.v, "dw": part.w, "wheel_accelerations": part.wheel_rates}
            inner = part[4:-4]
            state = {name: getattr(inner, name) for name in ("q", "dq", "v", "w", "attitude", "wheel_rates")}
            moving = Samples(**state, **{name: slope(values, flight.t[1]) for name, values in rises.items()})
            needed = inverse_dynamics(robot, moving)
            worst = max(worst, np.abs(needed[:, 6:] - inner.torques[:1]).max(), np.abs(needed[:, :6]).max())
        errors.append(worst / np.abs(flight.torques).max())
    assert errors[0] < 1e-3, errors
    assert errors[1] < errors[0] / 12.0 + 1e-9, errors  # 1e-9: differences of rates over a step


@every_robot
def test_our_torque_level_flight_follows_the_same_motion(robot, flights):
    coarse, fine = (sampled(flight) for flight in flights[robot.name])
    ours = simulate_torques(robot, fine.t, fine.torques[:-1], fine, "free", step_s=STEP / 4)
    for name in STATE:
        mine, theirs, rough = (np.asarray(getattr(flight, name)) for flight in (ours, fine, coarse))
        if not theirs.size:
            continue
        change, error = np.abs(rough - theirs).max(), np.abs(mine - theirs).max()
        assert error < 0.1 * change + ROUNDING * np.abs(theirs).max(), (name, error, change)


@every_robot
def test_our_accelerations_on_the_way_are_its_own(robot, flights):
    fine = sampled(flights[robot.name][1])
    ours = simulate_torques(robot, fine.t, fine.torques[:-1], fine, "free", step_s=STEP / 4)
    for name in ("ddq", "dv", "dw"):
        assert_agree(getattr(ours, name), getattr(fine, name), 1e-5, floor=1e-2)
