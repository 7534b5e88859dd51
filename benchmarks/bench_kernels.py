"""The momentum regressor: against Pinocchio, against the memory it fills, and against itself."""

from __future__ import annotations

import sys
from functools import partial

import measure  # before numpy: it holds every library to one thread
import numpy as np
from measure import Row, shortest_times

from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.samples import Samples
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform
from freefloat.robot.urdf_write import urdf_text

TRAJECTORY = 451  # samples of a usual excitation trajectory


def compare(quick: bool) -> list[Row]:
    """All comparisons."""
    rounds, many = (3, 2000) if quick else (25, 100_000)
    return [
        *against_pinocchio(rounds),
        against_filling(many, rounds),
        adjoint_against_forward(rounds),
        fifty_joints_against_seven(TRAJECTORY, rounds),
        fifty_joints_against_seven(many // 10, rounds),
    ]


def against_pinocchio(rounds: int) -> list[Row]:
    """Momentum regressor at 7 joints, batch call against a loop of Pinocchio's torque regressor."""
    try:
        import pinocchio as pin
    except ImportError:
        print("Pinocchio is not installed; its comparison is left out.")
        return []
    robot = arm(7)
    samples, K, K_pin = moving(robot, TRAJECTORY), output(robot, TRAJECTORY), output(robot, TRAJECTORY)
    model = pin.buildModelFromXML(urdf_text(robot), pin.JointModelFreeFlyer())
    model.gravity.linear = np.zeros(3)
    data, rest = model.createData(), np.zeros(model.nv)
    q = np.hstack([np.zeros((TRAJECTORY, 6)), np.ones((TRAJECTORY, 1)), samples.q])
    states = list(zip(q, np.hstack([samples.v, samples.w, samples.dq]), strict=True))

    def loop() -> None:
        for k, (position, velocity) in enumerate(states):
            K_pin[k] = pin.computeJointTorqueRegressor(model, data, position, rest, velocity)[:6]

    forward(robot, samples, K)
    loop()
    np.testing.assert_allclose(K, K_pin, atol=1e-12)
    times = shortest_times(
        {
            "kernel": lambda: forward(robot, samples, K),
            "public": lambda: momentum_regressor(robot, samples),
            "pinocchio": loop,
        },
        rounds,
    )
    kernel, public, theirs = (times[name] / TRAJECTORY for name in ("kernel", "public", "pinocchio"))
    what = f"momentum regressor, 7 joints, {TRAJECTORY} samples"
    return [
        Row(f"{what}: kernels.forward, loop over Pinocchio", kernel, theirs, "sample", 12.0, True),
        Row(f"{what}: momentum_regressor, loop over Pinocchio", public, theirs, "sample", 12.0, True),
    ]


def against_filling(n: int, rounds: int) -> Row:
    """Computing an array against setting it to zero."""
    robot = arm(7)
    samples, K = moving(robot, n), output(robot, n)
    times = shortest_times({"forward": lambda: forward(robot, samples, K), "fill": lambda: K.fill(0.0)}, rounds)
    what = f"momentum regressor, 7 joints, {n:,} samples: forward, K.fill(0)"
    return Row(what, times["forward"] / n, times["fill"] / n, "sample", 3.0, False)


def adjoint_against_forward(rounds: int) -> Row:
    """Regressor and exact gradient against the regressor alone."""
    robot = arm(7)
    samples, K = moving(robot, TRAJECTORY), output(robot, TRAJECTORY)
    Z = np.random.default_rng(1).normal(size=K.shape)
    gradients = [np.zeros_like(array) for array in (samples.q, samples.dq, samples.v, samples.w)]

    def both() -> None:
        forward(robot, samples, K)
        kernels.adjoint(robot.tree.arrays, *state(samples), Z, *gradients)

    times = shortest_times({"both": both, "forward": lambda: forward(robot, samples, K)}, rounds)
    what = f"gradients, 7 joints, {TRAJECTORY} samples: forward and adjoint, forward"
    return Row(what, times["both"] / TRAJECTORY, times["forward"] / TRAJECTORY, "sample", 4.0, False)


def fifty_joints_against_seven(n: int, rounds: int) -> Row:
    """Time per sample and joint: long robots should cost no more per joint than short ones."""
    calls = {}
    for joints in (7, 50):
        robot = arm(joints)
        calls[str(joints)] = partial(forward, robot, moving(robot, n), output(robot, n))
    times = shortest_times(calls, rounds)
    what = f"momentum regressor, {n:,} samples: 50 joints, 7 joints"
    return Row(what, times["50"] / (50 * n), times["7"] / (7 * n), "sample and joint", 1.5, False)


# ---------------------------------------------------------------------- robots and motion


def arm(joints: int) -> Robot:
    """A satellite with one arm; joints about z of odd frames, the kind Pinocchio is quickest with."""
    rng = np.random.default_rng(joints)
    bodies = [Body("bus", parameters=parameters_from_com(500.0, [0.1, 0.0, 0.2], 80.0 * np.eye(3)))]
    for index in range(joints):
        joint = Joint(f"joint{index}", position=(-3.0, 3.0), rate=1.0, torque=10.0)
        placement = Transform.from_rpy(rng.normal(size=3), rng.uniform(-3.0, 3.0, 3))
        phi = parameters_from_com(5.0, rng.normal(size=3), np.diag([0.3, 0.4, 0.5]))
        bodies.append(Body(f"link{index}", bodies[-1].name, joint, placement, phi))
    return Robot(f"arm with {joints} joints", tuple(bodies))


def moving(robot: Robot, n: int) -> Samples:
    """Random states of a robot with a free base."""
    rng, joints = np.random.default_rng(2), len(robot.joints)
    q, dq = rng.uniform(-3.0, 3.0, (n, joints)), rng.normal(size=(n, joints))
    return Samples(q=q, dq=dq, v=rng.normal(size=(n, 3)), w=rng.normal(size=(n, 3)))


def output(robot: Robot, n: int) -> np.ndarray:
    """An array for the regressor whose memory is already there."""
    return np.ones((n, 6, robot.parameters.size))


def state(samples: Samples) -> tuple[np.ndarray, ...]:
    return samples.q, samples.dq, samples.v, samples.w


def forward(robot: Robot, samples: Samples, K: np.ndarray) -> None:
    kernels.forward(robot.tree.arrays, *state(samples), K)


if __name__ == "__main__":
    sys.exit(measure.run("kernels", __doc__, compare))
