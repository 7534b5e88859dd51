"""The model given back from clusters alone is that of the full robot, and says how sure it is."""

import ctypes
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from estimate.estimates_made import estimate_of
from estimate.in_pinocchio import FullRobot
from random_trees import ROBOTS, random_robot, random_samples

from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.torque import inverse_dynamics, mass_matrix
from freefloat.errors import UnknownName
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Residual
from freefloat.estimate.estimated_clusters import cad_spread
from freefloat.estimate.uncertain import Judge
from freefloat.export.c_code import controller_c
from freefloat.export.casadi_code import controller_casadi
from freefloat.export.controller_code import identifier, undetermined
from freefloat.export.floating_angular_model import FloatingAngularModel
from freefloat.export.floating_model import FloatingModel
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import NotApplicable
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Point

TOLERANCE = 1e-9
SAMPLES = 4
FREE = [replace(robot, base="free", gravity=np.zeros(3)) for robot in ROBOTS if len(robot.bodies) <= 13][:14]
every_robot = pytest.mark.parametrize("robot", FREE, ids=lambda robot: robot.name)


def without_wheels(samples):
    return replace(samples, wheel_rates=np.zeros_like(samples.wheel_rates))


def reacting(H):
    """[-A_b^-1 A_q; E], shape (n, 6 + joints, joints)."""
    reaction = -np.linalg.solve(H[:, :6, :6], H[:, :6, 6:])
    return np.concatenate([reaction, np.broadcast_to(np.eye(H.shape[1] - 6), H[:, 6:, 6:].shape)], axis=1)


# ---------------------------------------------------------------------- values


@every_robot
def test_system_matrices_from_clusters_are_those_of_the_full_robot_in_pinocchio(robot):
    samples = without_wheels(random_samples(robot, SAMPLES, 1))
    model, full = FloatingModel(estimate_of(robot)), FullRobot(robot)
    assert_agree(model.mass_matrix(samples.q).value, full.mass_matrix(samples.q), TOLERANCE, floor=1e-6)
    assert_agree(model.bias(samples).value, full.bias(samples), TOLERANCE, floor=1e-6)


@every_robot
def test_free_floating_matrices_from_clusters_are_those_of_the_full_robot_in_pinocchio(robot):
    q = random_samples(robot, SAMPLES, 2).q
    model, full = FloatingModel(estimate_of(robot)), FullRobot(robot)
    H, T = full.mass_matrix(q), reacting(full.mass_matrix(q))
    reduced = np.einsum("kia,kij,kjb->kab", T, H, T)
    assert_agree(model.reduced_inertia(q).value, reduced, TOLERANCE, floor=1e-6)
    assert_agree(model.reaction_jacobian(q).value, T[:, :6], TOLERANCE, floor=1e-6)
    assert_agree(model.generalised_jacobian(q, "tool").value, full.jacobian(q, "tool") @ T, TOLERANCE, floor=1e-6)


@pytest.mark.parametrize("base", ["free", "planar"])
@pytest.mark.parametrize("seed", range(4))
def test_the_base_reacts_as_that_of_the_full_robot(seed, base):
    robot = random_robot(seed, bodies=5, base=base, wheels=2, fixed_bodies=seed == 3)
    samples = random_samples(robot, SAMPLES, seed)
    v, w = base_reaction(robot, samples)
    assert_agree(
        FloatingModel(estimate_of(robot)).base_reaction(samples).value, np.hstack([v, w]), TOLERANCE, floor=1e-6
    )


def test_the_bias_holds_weight_and_wheels():
    robot = random_robot(5, bodies=4, base="free", gravity=True, wheels=2)
    samples = random_samples(robot, SAMPLES, 1)
    rest = {name: np.zeros_like(getattr(samples, name)) for name in ("dv", "dw", "ddq", "wheel_accelerations")}
    truth = inverse_dynamics(robot, replace(samples, **rest))
    assert_agree(FloatingModel(estimate_of(robot)).bias(samples).value, truth, TOLERANCE)


def test_known_bodies_are_part_of_the_model():
    robot = random_robot(6, bodies=5, base="free")
    q = random_samples(robot, SAMPLES, 1).q
    found = FloatingModel(estimate_of(robot, known=("body2", "body4.m"))).mass_matrix(q)
    assert_agree(found.value, mass_matrix(robot, q), TOLERANCE, floor=1e-6)


def test_a_point_may_be_given_in_a_body_that_is_lumped_into_another():
    robot = random_robot(8, bodies=7, base="free", fixed_bodies=True)
    lumped = next(body.name for body in robot.bodies if body.name not in robot.body_names)
    carrier, placement = robot.tree.carried[lumped]
    xyz, q = np.array([0.1, 0.2, 0.3]), random_samples(robot, SAMPLES, 1).q
    model = FloatingModel(estimate_of(robot))
    moved = Point("there", robot.body_names[carrier], placement.p + placement.R @ xyz)
    first, second = (model.generalised_jacobian(q, point).value for point in (Point("here", lumped, xyz), moved))
    np.testing.assert_allclose(first, second, atol=1e-12)
    for unknown in ("nowhere", Point("here", "wing", xyz)):
        with pytest.raises(UnknownName, match=r"no (point|body) named"):
            model.generalised_jacobian(q, unknown)


# ---------------------------------------------------------------------- uncertainty


def quantities(model, samples):
    """Everything a model gives, by name."""
    return {
        "mass matrix": model.mass_matrix(samples.q),
        "bias": model.bias(samples),
        "reduced inertia": model.reduced_inertia(samples.q),
        "base reaction": model.base_reaction(samples),
        "reaction Jacobian": model.reaction_jacobian(samples.q),
        "generalised Jacobian": model.generalised_jacobian(samples.q, "tool"),
    }


def differences(make, estimate, scale=1e-5):
    """Central differences of every quantity by the clusters: (..., clusters) each."""
    columns = {}
    for cluster, size in enumerate(np.abs(estimate.values)):
        ends = []
        for sign in (1.0, -1.0):
            values = np.array(estimate.values)
            values[cluster] += sign * scale * size
            ends.append(make(replace(estimate, values=values)))
        for name in ends[0]:
            column = (ends[0][name].value - ends[1][name].value) / (2.0 * scale * size)
            columns.setdefault(name, []).append(column)
    return {name: np.stack(each, -1) for name, each in columns.items()}


def correlated(estimate, seed=0):
    """The estimate with clusters that are not independent."""
    rng, sd = np.random.default_rng(seed), estimate.sd
    root = rng.normal(size=(sd.size, sd.size)) / np.sqrt(sd.size)
    return replace(estimate, covariance=np.outer(sd, sd) * (root @ root.T))


def assert_follows(found, slopes, estimate):
    """Standard deviations, where a value is given, follow from derivatives by the clusters and their covariance."""
    for name, quantity in found.items():
        expected = np.sqrt(np.einsum("...i,ij,...j->...", slopes[name], estimate.covariance, slopes[name]))
        determined = ~np.isnan(quantity.value)
        np.testing.assert_allclose(
            quantity.sd[determined],
            expected[determined],
            rtol=1e-5,
            atol=1e-8 * quantity.sd[determined].max(),
            err_msg=name,
        )


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_standard_deviations_follow_from_the_derivatives_by_the_clusters(base):
    robot = random_robot(9, bodies=4, base=base, wheels=0 if base == "fixed" else 1, prismatic=True)
    samples = random_samples(robot, 2, 3)
    estimate = correlated(estimate_of(robot))
    found = quantities(FloatingModel(estimate), samples)
    slopes = differences(lambda each: quantities(FloatingModel(each), samples), estimate)
    assert_follows(found, slopes, estimate)


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("seed", range(3))
def test_exactly_what_robots_with_the_same_clusters_share_is_given(seed, base):
    robot = random_robot(seed, bodies=4, base=base, prismatic=False)
    estimate, rng = estimate_of(robot), np.random.default_rng(seed)
    q = random_samples(robot, 2, 1).q
    null = np.linalg.svd(estimate.minimal.combine)[2][len(estimate.minimal) :]
    others = [robot.with_parameters(robot.parameters + 0.01 * rng.normal(size=len(null)) @ null) for _ in range(3)]
    truth = mass_matrix(robot, q)
    shared = np.all([np.abs(mass_matrix(other, q) - truth) < 1e-9 * np.abs(truth).max() for other in others], axis=0)
    found = FloatingModel(estimate).mass_matrix(q)
    np.testing.assert_array_equal(~np.isnan(found.value), shared)
    np.testing.assert_array_equal(np.isfinite(found.sd), shared)
    assert shared.all() == (base == "free")
    assert (undetermined(estimate) == "") == (base == "free")


def test_what_an_unseen_direction_touches_is_not_given():
    robot = random_robot(10, bodies=4, base="free")
    estimate = estimate_of(robot)
    unseen = np.zeros((1, len(estimate.values)))
    unseen[0, estimate.names.index("m_base")] = 1.0
    found = FloatingModel(replace(estimate, unseen=unseen)).mass_matrix(random_samples(robot, 2, 1).q)
    np.testing.assert_array_equal(np.isinf(found.sd[0, :3, :3]), np.eye(3, dtype=bool))
    assert np.isfinite(found.sd[:, 6:, 6:]).all()


def test_the_motion_of_the_base_is_known_even_where_the_common_scale_is_not():
    robot = random_robot(10, bodies=4, base="free")
    estimate, samples = estimate_of(robot), random_samples(robot, 3, 1)
    scale = estimate.values / cad_spread(estimate)
    model = FloatingModel(replace(estimate, unseen=scale[None] / np.linalg.norm(scale)))
    v, w = base_reaction(robot, samples)
    assert_agree(model.base_reaction(samples).value, np.hstack([v, w]), TOLERANCE)
    assert np.isnan(np.diagonal(model.mass_matrix(samples.q).value, axis1=1, axis2=2)).all()


def test_rounding_where_a_derivative_vanishes_by_law_does_not_count_as_unknown():
    minimal = MinimalParameters(("a", "b"), np.array([0]), np.array([[1.0, 0.0]]))  # b is in no cluster
    judge = Judge(minimal, np.array([[0.1]]), np.ones(2), np.zeros((1, 0)))
    found = judge.judged(np.ones(3), np.array([[1.0, 0.0], [0.0, 1e-17], [1.0, 1e-6]]))
    np.testing.assert_array_equal(found.value, [1.0, 1.0, np.nan])
    np.testing.assert_array_equal(found.sd, [0.1, 0.0, np.inf])


def test_clusters_about_the_centre_of_mass_are_refused_by_what_needs_standard_parameters():
    estimate = angular_estimate(random_robot(1, bodies=3, base="free"))
    for make in (FloatingModel, controller_c, controller_casadi):
        with pytest.raises(NotApplicable, match="not sums of standard parameters"):
            make(estimate)


# ---------------------------------------------------------------------- code


def compiled_library(estimate, folder, name=None):
    """An estimate's C code, compiled, and what its names begin with."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.fail("no C compiler is installed: cc, gcc and clang were looked for")
    code = controller_c(estimate, name)
    (folder / f"{code.name}.h").write_text(code.header)
    (folder / f"{code.name}.c").write_text(code.source)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC"]
    target = folder / f"{code.name}.so"
    subprocess.run([compiler, *flags, folder / f"{code.name}.c", "-o", target, "-lm"], check=True)
    return ctypes.CDLL(str(target)), code.name


def compiled(estimate, folder, name=None):
    """The functions of an estimate's C code: mass matrix, bias, generalised Jacobian, friction."""
    library, name = compiled_library(estimate, folder, name)
    mass, bias = getattr(library, f"{name}_mass_matrix"), getattr(library, f"{name}_bias")
    friction = getattr(library, f"{name}_friction")
    mass.restype = bias.restype = friction.restype = None
    return mass, bias, getattr(library, f"{name}_generalised_jacobian"), friction


def called(function, shape, *inputs):
    """What a C function writes to its last argument, for every sample."""
    found = np.full((len(inputs[0]), *shape), np.nan)
    for k, target in enumerate(found):
        rows = [np.ascontiguousarray(each[k]) if isinstance(each, np.ndarray) else each for each in inputs]
        pointers = [each.ctypes.data_as(ctypes.c_void_p) if isinstance(each, np.ndarray) else each for each in rows]
        assert not function(*pointers, target.ctypes.data_as(ctypes.c_void_p))
    return found


@every_robot
def test_compiled_code_is_the_full_robot_in_pinocchio(robot, tmp_path):
    mass, bias, jacobian, _ = compiled(estimate_of(robot), tmp_path)
    samples, full, size = without_wheels(random_samples(robot, SAMPLES, 3)), FullRobot(robot), 6 + len(robot.joints)
    twist = np.hstack([samples.v, samples.w])
    assert_agree(called(mass, (size, size), samples.q), full.mass_matrix(samples.q), TOLERANCE, floor=1e-6)
    assert_agree(called(bias, (size,), samples.q, samples.dq, twist), full.bias(samples), TOLERANCE, floor=1e-6)
    place = robot.point("tool")
    xyz = np.broadcast_to(place.xyz, (SAMPLES, 3))
    found = called(jacobian, (6, size - 6), samples.q, robot.body_names.index(place.body), xyz)
    T = reacting(full.mass_matrix(samples.q))
    assert_agree(found, full.jacobian(samples.q, "tool") @ T, TOLERANCE, floor=1e-6)


@pytest.mark.parametrize("base", ["planar", "fixed"])
def test_compiled_code_of_other_bases_is_what_clusters_give(base, tmp_path):
    robot = random_robot(12, bodies=5, base=base, gravity=base == "fixed")
    estimate, samples = estimate_of(robot), random_samples(robot, SAMPLES, 3)
    (mass, bias, jacobian, _), model = compiled(estimate, tmp_path), FloatingModel(estimate)
    size, twist = 6 + len(robot.joints), np.hstack([samples.v, samples.w])
    expected = model.mass_matrix(samples.q).value
    determined = ~np.isnan(expected)
    np.testing.assert_allclose(called(mass, (size, size), samples.q)[determined], expected[determined], atol=1e-9)
    joint_rows = slice(6, None)
    found = called(bias, (size,), samples.q, samples.dq, twist)
    np.testing.assert_allclose(found[:, joint_rows], model.bias(samples).value[:, joint_rows], atol=1e-9)
    place = robot.point("tool")
    xyz = np.broadcast_to(place.xyz, (SAMPLES, 3))
    found = called(jacobian, (6, size - 6), samples.q, robot.body_names.index(place.body), xyz)
    np.testing.assert_allclose(found, model.generalised_jacobian(samples.q, "tool").value, atol=1e-9)


def test_a_body_that_is_not_there_is_told_by_the_code(tmp_path):
    robot = random_robot(13, bodies=3, base="free")
    function = compiled(estimate_of(robot), tmp_path)[2]
    J, q = np.zeros((6, 2)), np.zeros(2)
    pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (q, np.zeros(3), J)]
    assert [function(pointers[0], body, *pointers[1:]) for body in (-1, 0, 2, 3)] == [1, 0, 0, 1]


@every_robot
def test_casadi_functions_are_the_full_robot_in_pinocchio(robot):
    samples, full = without_wheels(random_samples(robot, 2, 4)), FullRobot(robot)
    model = controller_casadi(estimate_of(robot))
    mass = np.array([model.mass_matrix(q).full() for q in samples.q])
    twist = np.hstack([samples.v, samples.w])
    states = list(zip(samples.q, samples.dq, twist, strict=True))
    bias = np.array([model.bias(*state).full()[:, 0] for state in states])
    both = [model.both(*state) for state in states]
    assert_agree(mass, full.mass_matrix(samples.q), TOLERANCE, floor=1e-6)
    assert_agree(bias, full.bias(samples), TOLERANCE, floor=1e-6)
    np.testing.assert_array_equal(np.array([H.full() for H, _ in both]), mass)
    np.testing.assert_array_equal(np.array([c.full()[:, 0] for _, c in both]), bias)


def test_code_says_where_it_came_from_whatever_things_are_called(tmp_path):
    robot = random_robot(14, bodies=3, base="free", wheels=1, name="3 arms */ int main(void){}/* \\")
    estimate = replace(estimate_of(robot), warnings=("look at link 2",))
    compiled(estimate, tmp_path)
    code = controller_c(estimate)
    header = code.header
    assert code.name == identifier(robot.name) == "robot_3_arms_int_main_void"
    assert "method by-hand, model momentum" in header
    assert "Warning: look at link 2." in header
    assert "Wheels are at rest" in header
    assert all(f"{leader} " in header for leader in estimate.names)
    assert f"+- {estimate.sd[0]:.1e}" in header
    assert identifier("***") == "robot"


def test_a_robot_without_joints_is_refused():
    body = random_robot(1, bodies=2, base="free").bodies[0]
    alone = Robot("rock", (Body("rock", parameters=body.parameters),))
    with pytest.raises(NotApplicable, match="rock has no joints"):
        controller_c(estimate_of(alone))


# ---------------------------------------------------------------------- from angular momentum alone


def angular_estimate(robot, known=(), zero=()):
    """Clusters about the centre of mass, those made of known parameters alone left out."""
    model = AngularMomentum(robot, tuple(known), tuple(zero))
    asked = np.delete(np.arange(len(model.minimal)), model.known_clusters())
    minimal = MinimalParameters(model.minimal.names, model.minimal.kept[asked], model.minimal.combine[asked])
    values = model.values()[asked]
    covariance = np.diag((1e-3 * (np.abs(values) + 0.01 * np.abs(values).max())) ** 2)
    residual = Residual(1.0, None, 100, values.size)
    known = dict.fromkeys(known, 0.0)
    return Estimate("by-hand", "angular-momentum", robot, known, zero, minimal, values, covariance, values, residual)


def turning(model, samples):
    """Everything that angular momentum gives, by name."""
    return {
        "matrix": model.matrix(samples.q),
        "reduced inertia": model.reduced_inertia(samples.q),
        "base rate": model.base_rate(samples),
        "angular Jacobian": model.angular_jacobian(samples.q, "body2"),
    }


@pytest.mark.parametrize("seed", range(6))
def test_angular_momentum_alone_gives_how_the_full_robot_turns(seed):
    robot = random_robot(seed, bodies=3 + seed % 2, base="free", wheels=2)
    samples = random_samples(robot, 3, seed)
    model = FloatingAngularModel(angular_estimate(robot))
    full = FloatingModel(estimate_of(robot))
    assert_agree(model.reduced_inertia(samples.q).value, full.reduced_inertia(samples.q).value, TOLERANCE, floor=1e-6)
    assert_agree(model.base_rate(samples).value, full.base_reaction(samples).value[:, 3:], TOLERANCE, floor=1e-6)
    jacobian = full.generalised_jacobian(samples.q, Point("origin", "body2", np.zeros(3))).value[:, 3:]
    assert_agree(model.angular_jacobian(samples.q, "body2").value, jacobian, TOLERANCE, floor=1e-6)
    H = full.mass_matrix(samples.q).value
    about_com = H[:, 3:, 3:] - np.swapaxes(H[:, :3, 3:], 1, 2) @ H[:, :3, 3:] / robot.mass
    assert_agree(model.matrix(samples.q).value, about_com, TOLERANCE, floor=1e-6)


def test_clusters_that_are_known_take_part():
    robot = random_robot(1, bodies=3, base="free", prismatic=False)
    phi = np.array(robot.parameters)
    phi[21:24] = 0.0  # first moments of the last body, so that its inertias are clusters of their own
    robot, samples = robot.with_parameters(phi), random_samples(robot, 3, 1)
    estimate = angular_estimate(robot, ("body2",), ("body2.moments",))
    assert len(estimate.values) < len(angular_estimate(robot, (), ("body2.moments",)).values)
    found = FloatingAngularModel(estimate).reduced_inertia(samples.q).value
    assert_agree(found, FloatingModel(estimate_of(robot)).reduced_inertia(samples.q).value, TOLERANCE, floor=1e-6)


def test_a_planar_robot_turns_in_its_plane_only():
    robot = random_robot(4, bodies=4, base="planar")
    samples = random_samples(robot, 3, 1)
    model, full = FloatingAngularModel(angular_estimate(robot)), FloatingModel(estimate_of(robot))
    assert_agree(model.base_rate(samples).value, full.base_reaction(samples).value[:, 5:], TOLERANCE, floor=1e-6)
    jacobian = full.generalised_jacobian(samples.q, Point("origin", "body2", np.zeros(3))).value[:, 3:]
    assert_agree(model.angular_jacobian(samples.q, "body2").value, jacobian, TOLERANCE, floor=1e-6)
    assert np.isnan(model.reduced_inertia(samples.q).value).any()


@pytest.mark.parametrize("base", ["free", "planar"])
def test_standard_deviations_of_turning_follow_from_the_derivatives_by_the_clusters(base):
    robot = random_robot(2, bodies=3, base=base, wheels=1)
    samples = random_samples(robot, 2, 3)
    estimate = correlated(angular_estimate(robot))
    found = turning(FloatingAngularModel(estimate), samples)
    slopes = differences(lambda each: turning(FloatingAngularModel(each), samples), estimate)
    assert_follows(found, slopes, estimate)


def test_clusters_of_standard_parameters_are_refused_by_what_needs_those_about_the_centre_of_mass():
    robot = random_robot(1, bodies=3, base="free")
    with pytest.raises(NotApplicable, match="clusters about the centre of mass"):
        FloatingAngularModel(estimate_of(robot))
    with pytest.raises(UnknownName, match="no body named 'wing'"):
        FloatingAngularModel(angular_estimate(robot)).angular_jacobian(np.zeros((1, 2)), "wing")
