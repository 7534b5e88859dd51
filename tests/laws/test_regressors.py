"""Laws that regressors keep on any tree: linearity, consistency with each other, and mechanics itself."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from random_trees import BASES, ROBOTS, random_robot, random_samples

from freefloat.dynamics import kernels
from freefloat.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from freefloat.dynamics.mass_centre import first_moment_regressor
from freefloat.dynamics.momentum_rows import momentum_adjoint, momentum_gram, momentum_matrix, momentum_regressor
from freefloat.dynamics.torque import inverse_dynamics, torque_regressor
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint
from freefloat.robot.rotations import rotations

ROUNDING = 1e-12
FLOOR = 1e-3  # many entries vanish by law, up to rounding
SAMPLES = 9
REGRESSORS = (
    momentum_regressor,
    kinetic_energy_regressor,
    potential_energy_regressor,
    torque_regressor,
    first_moment_regressor,
)

every_robot = pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
every_base = pytest.mark.parametrize("base", BASES)
WELDED = [robot for robot in ROBOTS if robot.separate]


def twist_of(samples):
    """(v, w, dq), shape (n, 6 + joints)."""
    return np.hstack([samples.v, samples.w, samples.dq])


def moving(samples, twist):
    """The same positions with these velocities (v, w, dq)."""
    return replace(samples, v=twist[:, :3], w=twist[:, 3:6], dq=twist[:, 6:])


def free(robot):
    return replace(robot, base="free", gravity=np.zeros(3), wheels=())


# ---------------------------------------------------------------------- linearity


@every_robot
def test_momentum_is_linear_in_velocity(robot):
    robot = free(robot)
    one, other = random_samples(robot, SAMPLES, 1), random_samples(robot, SAMPLES, 2)
    both = moving(one, 2.0 * twist_of(one) - 3.0 * twist_of(other))
    expected = 2.0 * momentum_regressor(robot, one)
    expected -= 3.0 * momentum_regressor(robot, moving(one, twist_of(other)))
    assert_agree(momentum_regressor(robot, both), expected, ROUNDING)


@every_robot
def test_inverse_dynamics_is_linear_in_acceleration_and_quadratic_in_velocity(robot):
    robot = free(robot)
    samples = random_samples(robot, SAMPLES, 3)
    zero = {name: np.zeros_like(getattr(samples, name)) for name in ("v", "w", "dq", "dv", "dw", "ddq")}
    rest = replace(samples, **{name: zero[name] for name in ("v", "w", "dq")})
    # dv are components in a turning frame, so the velocity part of a still (dv, dw, ddq) is quadratic
    coasting = replace(samples, **{name: zero[name] for name in ("dv", "dw", "ddq")})
    faster = moving(coasting, -2.0 * twist_of(samples))
    whole = torque_regressor(robot, rest) + torque_regressor(robot, coasting)
    assert_agree(torque_regressor(robot, samples), whole, ROUNDING, FLOOR)
    assert_agree(torque_regressor(robot, faster), 4.0 * torque_regressor(robot, coasting), ROUNDING, FLOOR)


@every_robot
def test_regressors_times_parameters_add_up_over_robots(robot):
    """Linear in the parameters: a sum of parameters has the sum of momenta, energies and torques."""
    robot = replace(robot, wheels=())
    samples = random_samples(robot, SAMPLES, 4)
    share = np.random.default_rng(4).uniform(0.2, 0.8, robot.parameters.size)
    parts = [robot.parameters * share, robot.parameters * (1.0 - share)]
    whole = inverse_dynamics(robot, samples)
    assert_agree(sum(torque_regressor(robot, samples) @ part for part in parts), whole, ROUNDING)
    A = momentum_matrix(robot, samples.q)
    assert_agree(sum(momentum_matrix(robot, samples.q, part) for part in parts), A, ROUNDING)


# ---------------------------------------------------------------------- consistency


@every_robot
def test_chosen_columns_are_columns_of_the_whole(robot):
    samples, rng = random_samples(robot, SAMPLES, 5), np.random.default_rng(5)
    columns = rng.permutation(robot.parameters.size)[: max(1, robot.parameters.size // 2)]
    K = momentum_regressor(robot, samples)
    assert_agree(momentum_regressor(robot, samples, columns), K[:, :, columns], 1e-15)


@pytest.mark.parametrize("weighting", ["none", "one for all", "one for each"])
@every_base
def test_the_gram_matrix_is_the_product(base, weighting):
    for robot in [robot for robot in ROBOTS if robot.base == base]:
        samples, rng = random_samples(robot, 21, 6), np.random.default_rng(6)
        half = rng.normal(size={"none": (0, 6, 6), "one for all": (1, 6, 6), "one for each": (21, 6, 6)}[weighting])
        weight = half @ half.transpose(0, 2, 1)
        W = np.eye(6)[None] if weighting == "none" else weight
        given = {"none": None, "one for all": weight.reshape(-1, 6)[:6], "one for each": weight}[weighting]
        columns = rng.permutation(robot.parameters.size)[: 1 + robot.parameters.size // 3]
        extra = rng.normal(size=(21, 6, 3))
        Y = np.concatenate([momentum_regressor(robot, samples, columns), extra], axis=2)
        expected = (Y.transpose(0, 2, 1) @ W @ Y).sum(axis=0)
        assert_symmetric_agree(momentum_gram(robot, samples, columns, extra, given), expected)
        K = momentum_regressor(robot, samples)
        expected = (K.transpose(0, 2, 1) @ W @ K).sum(axis=0)
        assert_symmetric_agree(momentum_gram(robot, samples, weight=given), expected)


def assert_symmetric_agree(ours, theirs):
    """Entry (i, j) to rounding of the sizes of columns i and j."""
    size = np.sqrt(np.diag(theirs))
    assert np.array_equal(ours, ours.T)
    allowed = 1e-13 * np.outer(size, size)
    assert (np.abs(ours - theirs) <= allowed).all(), np.max(np.abs(ours - theirs) / np.outer(size, size))


@every_robot
def test_the_locked_matrix_times_velocity_is_the_regressor_times_parameters(robot):
    samples = random_samples(robot, SAMPLES, 7)
    phi = np.random.default_rng(7).normal(size=robot.parameters.size)  # linear, so any numbers will do
    h = np.einsum("kij,kj->ki", momentum_matrix(robot, samples.q, phi), twist_of(samples))
    assert_agree(h, momentum_regressor(robot, samples) @ phi, ROUNDING)


@pytest.mark.parametrize("robot", WELDED, ids=lambda robot: robot.name)
def test_a_fixed_body_counts_the_same_lumped_or_separate(robot):
    robot = replace(robot, gravity=np.array([0.3, -1.0, 4.0]), wheels=())
    fixed = [body.name for body in robot.bodies if body.joint is not None and not body.joint.moves]
    samples = random_samples(robot, SAMPLES, 8)
    variants = [robot, robot.with_separate([]), robot.with_separate(fixed)]
    assert len({variant.parameters.size for variant in variants}) == 3
    for regressor in REGRESSORS:
        one, *others = (regressor(variant, samples) @ variant.parameters for variant in variants)
        for other in others:
            assert_agree(other, one, ROUNDING)
    one, *others = (momentum_matrix(variant, samples.q) for variant in variants)
    for other in others:
        assert_agree(other, one, ROUNDING)


@pytest.mark.parametrize("joints", [7, 12, 19])
def test_large_arrays_hold_what_small_ones_hold(joints):
    """Above a size the results go past the cache; they must not differ for it, wherever an array begins."""
    robot = random_robot(joints, bodies=joints + 1, base="free", prismatic=True)
    samples = random_samples(robot, 1501, 9)
    whole = momentum_regressor(robot, samples)
    assert whole.nbytes > kernels._STREAM_BYTES
    pieces = [momentum_regressor(robot, samples[k : k + 100]) for k in range(0, 1501, 100)]
    assert pieces[0].nbytes < kernels._STREAM_BYTES
    assert_agree(whole, np.concatenate(pieces), 1e-15)
    for first in range(4):
        room = np.full(whole.size + 8, np.pi)
        shifted = room[first : first + whole.size].reshape(whole.shape)
        kernels.forward(robot.tree.arrays, samples.q, samples.dq, samples.v, samples.w, shifted)
        assert_agree(shifted, whole, 1e-15)
        assert (room[:first] == np.pi).all()
        assert (room[first + whole.size :] == np.pi).all()


@pytest.mark.parametrize("count", [1, 7, 8, 9, 451])
@every_base
def test_any_number_of_samples_gives_the_rows_of_its_samples(count, base):
    robot = random_robot(count, bodies=10, base=base, gravity=True, prismatic=True, fixed_bodies=True)
    samples = random_samples(robot, count, 10)
    for regressor in (*REGRESSORS, lambda robot, samples: momentum_matrix(robot, samples.q)):
        alone = [regressor(robot, samples[[k]]) for k in range(count)]
        assert_agree(regressor(robot, samples), np.concatenate(alone), 1e-14)


# ---------------------------------------------------------------------- sines and cosines


@pytest.mark.parametrize("largest", [1.0, 10.0, 1e3, 1e5, 9.9e5, 1.1e6, 1e7, 1e15])
def test_sines_and_cosines_are_exact_at_any_angle(largest):
    """Through the rotation of one body about z, whose entries are the cosine and the sine."""
    hinge = Robot("hinge", (Body("base"), Body("door", "base", Joint("hinge"))))
    spread = np.random.default_rng(11).uniform(-largest, largest, 20_000)
    quarters = np.round(spread[:5000] / (np.pi / 2)) * (np.pi / 2)  # where one of the two all but vanishes
    q = np.concatenate([spread, quarters, np.nextafter(quarters, np.inf), [0.0, largest, -largest]])[:, None]
    rest = np.zeros((len(q), 3))
    R = kernels.sweep(hinge.tree.arrays, q, np.zeros_like(q), rest, rest)[0]
    np.testing.assert_allclose(R[:, 1, 0, 0], np.cos(q[:, 0]), rtol=0.0, atol=2.3e-16)
    np.testing.assert_allclose(R[:, 1, 1, 0], np.sin(q[:, 0]), rtol=0.0, atol=2.3e-16)


# ---------------------------------------------------------------------- mechanics


@every_robot
def test_the_rate_of_momentum_is_the_wrench(robot):
    """d/dt (p, h) = (f - w x p, n - w x h - v x p), base frame, about the moving origin; by the adjoint."""
    robot = free(robot)
    samples, rng = random_samples(robot, SAMPLES, 12), np.random.default_rng(12)
    phi = robot.parameters * rng.uniform(0.5, 2.0, robot.parameters.size)
    p, h = np.split(momentum_regressor(robot, samples) @ phi, 2, axis=1)
    turning = np.hstack([np.cross(samples.w, p), np.cross(samples.w, h) + np.cross(samples.v, p)])
    rate = np.empty((SAMPLES, 6))
    for row in range(6):
        Z = np.zeros((SAMPLES, 6, phi.size))
        Z[:, row] = phi
        gradients = momentum_adjoint(robot, samples, Z)
        rates = (samples.dq, samples.ddq, samples.dv, samples.dw)
        rate[:, row] = sum((g * x).sum(axis=1) for g, x in zip(gradients, rates, strict=True))
    assert_agree((torque_regressor(robot, samples) @ phi)[:, :6], rate + turning, ROUNDING)


@every_robot
def test_gravity_takes_the_weight_from_the_wrench(robot):
    heavy = replace(robot, gravity=np.array([2.0, -3.0, 5.0]), wheels=())
    light = replace(heavy, gravity=np.zeros(3))
    samples = random_samples(heavy, SAMPLES, 13)
    g = (rotations(samples.attitude).transpose(0, 2, 1)) @ heavy.gravity
    weight = np.hstack([heavy.mass * g, np.cross(first_moment_regressor(heavy, samples) @ heavy.parameters, g)])
    difference = inverse_dynamics(light, samples) - inverse_dynamics(heavy, samples)
    assert_agree(difference[:, :6], weight, ROUNDING)


@every_robot
def test_kinetic_energy_is_half_of_velocity_times_momentum(robot):
    """T = x^T A x / 2, with A x what an acceleration x needs at rest; its base rows are the momentum."""
    robot = free(robot)
    samples = random_samples(robot, SAMPLES, 14)
    x, zero = twist_of(samples), np.zeros_like(twist_of(samples))
    pushed = replace(moving(samples, zero), dv=x[:, :3], dw=x[:, 3:6], ddq=x[:, 6:])
    rows = torque_regressor(robot, pushed)
    half = 0.5 * np.einsum("ki,kij->kj", x, rows)
    assert_agree(kinetic_energy_regressor(robot, samples), half, ROUNDING)
    assert_agree(rows[:, :6], momentum_regressor(robot, samples), ROUNDING)
    locked = moving(samples, np.hstack([x[:, :6], zero[:, 6:]]))
    A_b = momentum_matrix(robot, samples.q)[:, :, :6]
    half = 0.5 * np.einsum("ki,kij,kj->k", x[:, :6], A_b, x[:, :6])
    assert_agree(kinetic_energy_regressor(robot, locked) @ robot.parameters, half, ROUNDING)


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot.base == "fixed"], ids=lambda robot: robot.name)
def test_the_rate_of_energy_is_the_power_of_the_joints(robot):
    """By differences of sixth order along the motion, on a fixed base with gravity."""
    robot = replace(robot, gravity=np.array([2.0, -3.0, 5.0]), wheels=())
    samples, step = random_samples(robot, SAMPLES, 15), 2e-3

    def energy(time):
        q = samples.q + time * samples.dq + 0.5 * time**2 * samples.ddq
        there = replace(samples, q=q, dq=samples.dq + time * samples.ddq)
        rows = kinetic_energy_regressor(robot, there) + potential_energy_regressor(robot, there)
        return rows @ robot.parameters

    weights = {1: 45.0 / 60.0, 2: -9.0 / 60.0, 3: 1.0 / 60.0}
    rate = sum(w * (energy(k * step) - energy(-k * step)) for k, w in weights.items()) / step
    power = (inverse_dynamics(robot, samples)[:, 6:] * samples.dq).sum(axis=1)
    assert_agree(power, rate, 1e-10)
