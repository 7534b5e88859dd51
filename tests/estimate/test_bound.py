"""The Cramér-Rao bound: its derivatives against differences and by another path, cases solved by hand, laws."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.bound_oracle.flight import information
from estimate.readings_by_hand import Hand
from random_trees import random_robot
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from freefloat.data.processing.process import process
from freefloat.data.processing.projection import project
from freefloat.dynamics.mass_centre import centre_of_mass
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError
from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.planned import planned_flight, planned_problem
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.recorded_flight import recorded_flight
from freefloat.estimate.unknowns import unknowns_of
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint
from freefloat.robot.rotations import rotations
from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.truth import Truth
from freefloat.simulation.recorded import record
from freefloat.simulation.simulate import Start, simulate_motion
from freefloat.studies.catalogue import study_robot
from freefloat.studies.printed import printed_motion

CAD = CadSpread()
EVERYTHING = Nuisances(external_torque_Nm=1e-3, gyro_scale=1e-3, joint_scale=1e-3)
FINE = 201  # samples: attitudes go from one to the next with an error of order four
ALL_SENSORS = {"w": 1e-5, "v": 1e-4, "attitude": 2e-4, "position": 1e-3}


def flown(seed, base="free", *, bodies=4, wheels=0, spun=False, n=21, duration=8.0, momentum=None, velocity=None):
    """(robot, samples, trajectory) of a smooth motion of a random tree; spun: whether wheels change their rates."""
    robot = random_robot(seed, bodies=bodies, base=base, wheels=wheels, prismatic=True, branched=True)
    spinning = tuple(wheel.name for wheel in robot.wheels) if spun else ()
    trajectory = random_trajectory(robot, duration, seed, harmonics=2, channels=(*robot.joint_names, *spinning))
    # Wheels at full speed would turn all too fast for the samples.
    size = np.array([0.03 if name in spinning else 1.0 for name in trajectory.channels])
    trajectory = trajectory.with_coefficients(size * trajectory.coefficients)
    turn = Rotation.from_rotvec([0.0, 0.0, 0.7] if base == "planar" else [0.3, -0.5, 0.7]).as_quat()
    h = np.zeros(3) if momentum is None else np.array(momentum)
    start = Start(attitude=turn, position=[1.0, 2.0, 0.0], angular_momentum=h, velocity=velocity)
    rates = np.full(wheels, 2.0) if wheels else None
    return (
        robot,
        simulate_motion(robot, trajectory, np.linspace(0.0, duration, n), start, wheel_rates=rates),
        trajectory,
    )


def curves_of(robot, trajectory, sd=1e-4):
    t = np.linspace(0.0, trajectory.duration_s, 200)
    return ProjectedCurves(project(trajectory, t, trajectory.samples(robot, t).q, robot.joint_names, noise_sd=sd))


def small_problem(seed, base="free", noise=None, *, prior=CAD, nuisances=EVERYTHING, known=None, **motion):
    robot, samples, trajectory = flown(seed, base, **motion)
    flight = Flight(samples, noise or {"w": 1e-5}, curves=curves_of(robot, trajectory))
    return Problem(robot, (flight,), known or {}, prior=prior, nuisances=nuisances)


def refit(problem, **changes):
    """The problem with its first flight changed."""
    return replace(problem, flights=(replace(problem.flights[0], **changes), *problem.flights[1:]))


# ---------------------------------------------------------------------- derivatives against differences


def everything_moving():
    robot, samples, trajectory = flown(3, wheels=2, momentum=[6.0, -4.0, 3.0], velocity=[0.05, 0.02, -0.03], n=FINE)
    walks = {"w": [1e-5, 0.0, 2e-5]}
    flight = Flight(samples, ALL_SENSORS, walks, "unknown", curves_of(robot, trajectory))
    return Problem(robot, (flight,), {"body3": 0.01}, nuisances=EVERYTHING)


def planar_table():
    drift = {"momentum": [0.0, 0.0, 3.0], "velocity": [0.05, 0.02, 0.0]}
    robot, samples, trajectory = flown(4, "planar", wheels=1, n=FINE, **drift)
    flight = Flight(samples, ALL_SENSORS, {"w": 1e-5}, "unknown", curves_of(robot, trajectory))
    return Problem(robot, (flight,), {"body3.m": 0.01}, nuisances=EVERYTHING)


def wandering_velocity():
    robot, samples, _ = flown(5, velocity=[0.05, 0.02, -0.03], n=FINE)
    return Problem(robot, (Flight(samples, {"w": 1e-5, "v": 2e-5}, {"v": 3e-5}),))


def with_and_without_a_load():
    robot, samples, trajectory = flown(6, momentum=[2.0, 3.0, -1.0], n=FINE)
    first = Flight(samples, {"w": 1e-5}, {}, [2.0, 3.0, -1.0], curves_of(robot, trajectory), name="with")
    second = Flight(samples, {"attitude": 1e-4}, {}, "unknown", without=("body3",), name="without")
    return Problem(robot, (first, second), {"body3": 0.02}, nuisances=Nuisances(joint_zero_m=None))


def clocks_apart():
    """A clock of its own for every sensor, wheels that change their rates among them, and a known momentum."""
    momentum = [6.0, -4.0, 3.0]
    robot, samples, trajectory = flown(12, wheels=2, spun=True, momentum=momentum, n=FINE)
    clocks = {"w": "gyro", "v": "speed", "attitude": "stars", "position": "camera", "wheel_rates": "tachometers"}
    flight = Flight(samples, ALL_SENSORS, {}, momentum, curves_of(robot, trajectory), clocks=clocks)
    return Problem(robot, (flight,), {"body3": 0.01}, nuisances=EVERYTHING)


def clocks_shared():
    """A pose of one clock, a velocity by that of the joints, wheels by that of the gyro; two flights."""
    robot, samples, trajectory = flown(13, wheels=1, spun=True, momentum=[1.0, -2.0, 0.5], n=2 * FINE - 1)
    clocks = {"w": "gyro", "v": "joints", "attitude": "camera", "position": "camera", "wheel_rates": "gyro"}
    first = Flight(samples, ALL_SENSORS, {}, "unknown", curves_of(robot, trajectory), clocks=clocks)
    second = replace(first, noise={"attitude": 1e-4}, momentum=[1.0, -2.0, 0.5], name="second")
    return Problem(robot, (first, second), nuisances=replace(EVERYTHING, external_torque_Nm=None))


CASES = (everything_moving, planar_table, wandering_velocity, with_and_without_a_load, clocks_apart, clocks_shared)


def point_of(problem, bound):
    return np.concatenate([bound.values, [quantity.value for quantity in bound.nuisances]])


def information_by_differences(problem, bound):
    """Information of the data by central differences of readings, whitened by covariances written out."""
    unknowns, point = unknowns_of(problem), point_of(problem, bound)
    sizes = np.sqrt(np.diagonal(bound.information))
    steps = 0.03 / np.maximum(sizes, 100.0)  # a small part of the standard deviation of each unknown
    total = np.zeros_like(bound.information)
    for number, flight in enumerate(problem.flights):
        hand = Hand(problem, number, unknowns)
        R_0 = rotations(flight.samples.attitude[:1])[0] if "attitude" in flight.noise else np.eye(3)
        near = [point + sign * step * e for e, step in zip(np.eye(point.size), steps, strict=True) for sign in (1, -1)]
        runs = hand.readings([point, *near], R_0)
        columns = [whitened(flight, hand.axes, runs[0], *pair) for pair in zip(runs[1::2], runs[2::2], strict=True)]
        J = np.stack(columns, axis=1) / (2.0 * steps)
        total += J.T @ J
    return total


def whitened(flight, axes, middle, ahead, behind):
    """Differences of all readings of a flight, over their noise."""
    rows = []
    for name, sd in flight.noise.items():
        if name not in ("w", "v", "attitude", "position"):
            continue
        chosen = axes["turning" if name in ("w", "attitude") else "sliding"]
        if name == "attitude":
            change = Rotation.from_matrix(behind[name].swapaxes(1, 2) @ ahead[name]).as_rotvec()
        else:
            change = ahead[name] - behind[name]
        if name == "v" and "v" in flight.walks:
            rows.append(without_walk(flight, middle["turned"], change))
        else:
            rows.append((change / sd)[:, chosen].ravel())
    return np.concatenate(rows)


def without_walk(flight, R, change):
    """Velocities with white noise and a walk that began anywhere, whitened by their whole covariance."""
    n, walk = len(change), flight.walks["v"]
    since = flight.t - flight.t[0]
    white = block_diag(*(R_k @ np.diag(flight.noise["v"] ** 2) @ R_k.T for R_k in R))
    covariance = white + np.kron(np.minimum.outer(since, since), np.diag(walk**2))
    differences = np.kron(np.diff(np.eye(n), axis=0), np.eye(3))  # what a constant in inertial axes leaves
    root = np.linalg.cholesky(differences @ covariance @ differences.T)
    return np.linalg.solve(root, differences @ (R @ change[..., None]).ravel())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_information_is_that_of_differences_of_the_readings(case):
    problem = case()
    bound = cramer_rao_bound(problem)
    expected = information_by_differences(problem, bound)
    size = np.maximum(np.sqrt(np.diagonal(expected)), 1.0)  # less information than this is none: differences of zeros
    assert (np.abs(bound.information - expected) / np.outer(size, size)).max() < 1e-6


def sampled_joints():
    """A tracked point away from the origin, joints and wheels known sample by sample only."""
    robot, samples, _ = flown(7, wheels=2, momentum=[1.0, -2.0, 0.5], n=FINE)
    noise = {"w": 1e-5, "v": 1e-4, "q": 1e-4, "dq": 1e-4, "wheel_rates": 1e-2}
    arm = np.array([0.3, -0.2, 0.5])
    return Problem(robot, (Flight(samples, noise, momentum=[1.0, -2.0, 0.5], velocity_point=arm),))


def velocity_alone():
    robot, samples, _ = flown(8, velocity=[0.05, 0.02, -0.03], n=FINE)
    return Problem(robot, (Flight(samples, {"v": 1e-4}),))


@pytest.mark.parametrize("case", [*CASES, sampled_joints, velocity_alone], ids=lambda case: case.__name__)
def test_the_information_of_the_likelihood_is_that_of_another_derivation(case):
    assert_as_derived_otherwise(case())


def assert_as_derived_otherwise(problem):
    bound = cramer_rao_bound(problem)
    expected, point = information(problem, problem.cad)
    np.testing.assert_allclose(point_of(problem, bound), point, atol=1e-6)
    size = np.maximum(np.sqrt(np.diagonal(expected)), 1.0)
    assert (np.abs(bound.information - expected) / np.outer(size, size)).max() < 1e-7


# ---------------------------------------------------------------------- solved by hand

I_BASE, I_LINK, SIGMA = 5.0, 2.0, 1e-4


def turntable(known=None, zero=None, prior=None, nuisances=None, n=40, **flight):
    """A link that turns about the centre of a planar base: (I_base + I_link) w + I_link dq = H."""
    about_z = {"parameters": np.array([10.0, 0, 0, 0, 1.0, 0, 1.0, 0, 0, I_BASE])}
    link = np.array([4.0, 0, 0, 0, 1.0, 0, 1.0, 0, 0, I_LINK])
    robot = Robot("table", (Body("base", **about_z), Body("link", "base", Joint("j"), parameters=link)), base="planar")
    t = np.linspace(0.0, 5.0, n)
    q, dq, ddq = np.sin(t)[:, None], np.cos(t)[:, None], -np.sin(t)[:, None]
    turn = -I_LINK / (I_BASE + I_LINK) * (np.sin(t) - np.sin(t[0]))
    w = np.zeros((t.size, 3))
    w[:, 2:] = -I_LINK / (I_BASE + I_LINK) * dq
    attitude = Rotation.from_rotvec(np.outer(turn, [0.0, 0.0, 1.0])).as_quat()
    given = {"noise": {"w": SIGMA}} | flight
    flights = Flight(Samples(q, dq, ddq, w=w, attitude=attitude, t=t), **given)
    known = {"link": 0.0, "base.m": 0.0} if known is None else known
    zero = ("base.moments", "base.products", "base.Ixx", "base.Iyy") if zero is None else zero
    return Problem(robot, (flights,), known, zero, prior, nuisances or Nuisances.none())


T = np.linspace(0.0, 5.0, 40)
D = I_LINK / (I_BASE + I_LINK) ** 2 * np.cos(T)  # of w by I_base


def only_sd(problem):
    bound = cramer_rao_bound(problem)
    assert bound.names == ("Izz_base",)
    return float(bound.sd[0])


def test_a_turntable_with_a_known_link():
    assert only_sd(turntable()) == pytest.approx(SIGMA / np.sqrt(D @ D), rel=1e-12)
    assert cramer_rao_bound(turntable()).relative[0] == pytest.approx(SIGMA / np.sqrt(D @ D) / I_BASE, rel=1e-12)


def test_what_is_not_known_of_the_link_adds_to_the_variance():
    noise, link = SIGMA**2 / (D @ D), 0.01 * I_BASE  # dI_base / I_base = dI_link / I_link at equal motion
    found = only_sd(turntable(known={"link.Izz": 0.01, "link": 0.0, "base.m": 0.0}))
    assert found == pytest.approx(np.sqrt(noise + link**2), rel=1e-10)


def test_a_prior_is_one_more_measurement():
    problem = turntable(prior=CadSpread())
    prior = problem.cad_covariance[0, 0]
    assert only_sd(problem) == pytest.approx((D @ D / SIGMA**2 + 1.0 / prior) ** -0.5, rel=1e-12)


def test_a_gyro_bias_or_an_unknown_momentum_takes_the_mean_away():
    expected = SIGMA / np.sqrt(D @ D - D.sum() ** 2 / D.size)
    bias = replace(Nuisances.none(), gyro_bias_rad_s=1e4)
    assert only_sd(turntable(nuisances=bias)) == pytest.approx(expected, rel=1e-9)
    assert only_sd(turntable(momentum="unknown")) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", ["time_offset_s", "clock_drift"])
def test_an_uncertain_clock_is_one_more_column(kind):
    sd = 1e-4
    column = -I_LINK / (I_BASE + I_LINK) * np.sin(T) * (1.0 if kind == "time_offset_s" else T - 2.5)
    left = D @ D - (D @ column) ** 2 / (column @ column + (SIGMA / sd) ** 2)
    assert only_sd(turntable(nuisances=replace(Nuisances.none(), **{kind: sd}))) == pytest.approx(
        SIGMA / np.sqrt(left), rel=1e-9
    )


def test_noise_of_sampled_joint_rates_adds_to_that_of_the_gyro():
    noise = {"w": SIGMA, "q": 0.1, "dq": 3e-4}  # the position of a round link does not matter
    expected = np.hypot(SIGMA, I_LINK / (I_BASE + I_LINK) * 3e-4) / np.sqrt(D @ D)
    assert only_sd(turntable(noise=noise)) == pytest.approx(expected, rel=1e-12)


def test_attitude_counts_from_an_unknown_first_one():
    column = I_LINK / (I_BASE + I_LINK) ** 2 * np.sin(np.linspace(0.0, 5.0, 160))
    expected = SIGMA / np.sqrt(column @ column - column.sum() ** 2 / column.size)
    assert only_sd(turntable(noise={"attitude": SIGMA}, n=160)) == pytest.approx(expected, rel=1e-8)


def test_with_nothing_known_only_the_ratio_of_inertias_shows():
    problem = turntable(known={"base.m": 0.0, "link.m": 0.0}, zero=("*.moments", "*.products", "*.Ixx", "*.Iyy"))
    bound = cramer_rao_bound(problem)
    assert bound.unseen.shape == (1, 2)
    assert np.isinf(bound.sd).all()
    base, link = problem.cad  # w = -link / (base + link) dq
    gradient = np.array([-link, base]) / (base + link) ** 2
    assert gradient @ bound.covariance @ gradient == pytest.approx(SIGMA**2 / (np.cos(T) @ np.cos(T)), rel=1e-9)


def test_a_gyro_bias_that_walks_by_nothing_is_constant_and_by_much_leaves_only_jumps():
    nuisances = replace(Nuisances.none(), gyro_bias_rad_s=1e-4)
    still = only_sd(turntable(nuisances=nuisances))
    hardly, much = (only_sd(turntable(nuisances=nuisances, walks={"w": walk})) for walk in (1e-12, 1e6))
    assert hardly == pytest.approx(still, rel=1e-6)
    knots = np.linspace(0.0, 5.0, 17)
    hats = np.stack([np.interp(T, knots, e) for e in np.eye(17)[1:]], axis=1)
    left = D - hats @ np.linalg.lstsq(hats, D, rcond=None)[0]
    first = np.maximum(0.0, 1.0 - T / knots[1])  # what the walk cannot follow of the constant bias
    apart = left @ left - (left @ first) ** 2 / (first @ first) if first.any() else left @ left
    assert much >= SIGMA / np.sqrt(left @ left) * (1.0 - 1e-6)
    assert much <= SIGMA / np.sqrt(apart) * (1.0 + 1e-6)


# ---------------------------------------------------------------------- laws


def assert_no_worse(better, worse):
    """Every direction's variance in the first is at most that in the second."""
    size = np.sqrt(np.diagonal(worse.covariance))
    gain = (worse.covariance - better.covariance) / np.outer(size, size)
    assert np.linalg.eigvalsh(gain).min() > -1e-9
    assert (better.sd < worse.sd * (1.0 - 1e-6)).any()


@pytest.mark.parametrize("seed", range(4))
def test_more_samples_better_or_more_sensors_and_more_flights_help(seed):
    problem = small_problem(seed, n=41)
    bound, flight = cramer_rao_bound(problem), problem.flights[0]
    assert_no_worse(bound, cramer_rao_bound(refit(problem, samples=flight.samples[::2])))
    assert_no_worse(cramer_rao_bound(refit(problem, noise={"w": 0.5e-5})), bound)
    for name in ("v", "attitude", "position"):
        assert_no_worse(cramer_rao_bound(refit(problem, noise={"w": 1e-5, name: 1e-4})), bound)
    _, samples, trajectory = flown(seed, n=31, duration=6.0)
    more = Flight(samples, {"w": 1e-5}, curves=curves_of(problem.robot, trajectory), name="more")
    assert_no_worse(cramer_rao_bound(replace(problem, flights=(flight, more))), bound)


@pytest.mark.parametrize("seed", range(4))
def test_knowing_more_helps(seed):
    problem = small_problem(seed, wheels=2, known={"body1": 0.01})
    bound = cramer_rao_bound(problem)
    assert_no_worse(cramer_rao_bound(replace(problem, known={"body1": 0.0})), bound)
    assert_no_worse(cramer_rao_bound(replace(problem, nuisances=Nuisances())), bound)
    assert_no_worse(cramer_rao_bound(replace(problem, prior=CadSpread(0.05, 0.05, 0.05))), bound)
    assert_no_worse(bound, cramer_rao_bound(refit(problem, momentum="unknown")))
    exact = replace(problem.flights[0].joints, projection=problem.flights[0].joints.projection)
    worse = curves_of(problem.robot, exact.projection.command, 1e-2)
    assert_no_worse(bound, cramer_rao_bound(refit(problem, curves=worse)))


@pytest.mark.parametrize("base", ["free", "planar"])
def test_standard_deviations_grow_with_the_noise_where_nothing_else_is_known(base):
    alone = {"prior": None, "nuisances": Nuisances.none(), "known": {"body3": 0.0}}
    problem = small_problem(8, base, ALL_SENSORS, n=61, **alone)
    problem = refit(problem, momentum="unknown", curves=None)
    bound = cramer_rao_bound(problem)
    louder = cramer_rao_bound(refit(problem, noise={name: 3.0 * sd for name, sd in ALL_SENSORS.items()}))
    assert not bound.open.any()
    np.testing.assert_allclose(louder.sd, 3.0 * bound.sd, rtol=1e-6)


def test_when_and_where_a_flight_took_place_does_not_matter():
    robot, samples, _ = flown(7, momentum=[3.0, 2.0, 1.0], velocity=[0.1, 0.0, 0.2])
    turn = Rotation.from_rotvec([0.5, 1.0, -0.4])
    elsewhere = replace(
        samples,
        t=samples.t + 1000.0,
        attitude=(turn * Rotation.from_quat(samples.attitude)).as_quat(),
        position=samples.position @ turn.as_matrix().T + np.array([5.0, 6.0, 7.0]),
    )
    here, there = (
        cramer_rao_bound(Problem(robot, (Flight(each, ALL_SENSORS, {"w": 1e-5}, "unknown"),), nuisances=EVERYTHING))
        for each in (samples, elsewhere)
    )
    np.testing.assert_allclose(there.covariance, here.covariance, rtol=1e-7, atol=1e-7 * np.abs(here.covariance).max())


@pytest.mark.parametrize("seed", range(3))
def test_without_wheels_momentum_or_anything_known_the_scale_is_what_does_not_show(seed):
    settings = {"prior": None, "nuisances": Nuisances.none(), "n": 81}
    problem = small_problem(seed, noise={"w": 1e-5, "v": 1e-4}, **settings)
    bound = cramer_rao_bound(problem)
    scale = problem.cad / np.sqrt(np.diagonal(problem.cad_covariance))
    assert len(bound.unseen) == 1
    assert abs(bound.unseen[0] @ scale) == pytest.approx(np.linalg.norm(scale), rel=1e-6)
    with_wheels = small_problem(seed, noise={"w": 1e-5, "v": 1e-4}, wheels=3, **settings)
    assert len(cramer_rao_bound(with_wheels).unseen) == 0


def test_a_walk_of_nothing_leaves_white_velocities():
    problem = small_problem(9, noise={"w": 1e-5, "v": 1e-4}, nuisances=replace(EVERYTHING, velocity_bias_m_s2=None))
    white, walking = cramer_rao_bound(problem), cramer_rao_bound(refit(problem, walks={"v": 1e-12}))
    np.testing.assert_allclose(walking.sd, white.sd, rtol=1e-6)
    assert np.isinf([each.sd for each in walking.nuisances if each.name.startswith("velocity of the centre")]).all()


def test_an_unknown_momentum_is_taken_from_the_samples_unless_given():
    robot, samples, _ = flown(10, momentum=[3.0, -2.0, 1.0], wheels=2, velocity=[0.2, 0.1, -0.1])
    problem = Problem(robot, (Flight(samples, ALL_SENSORS, {}, "unknown"),))
    bound = cramer_rao_bound(problem)
    values = {quantity.name: quantity.value for quantity in bound.nuisances}
    np.testing.assert_allclose([values[f"momentum {axis}"] for axis in "xyz"], [3.0, -2.0, 1.0], atol=1e-2)
    given = {f"momentum {axis}": value for axis, value in zip("xyz", (3.0, -2.0, 1.0), strict=True)}
    still = cramer_rao_bound(problem, nuisances=dict.fromkeys(given, 0.0))
    told = cramer_rao_bound(problem, nuisances=given)
    assert np.abs(told.sd / bound.sd - 1.0).max() < 0.01
    assert np.abs(still.sd / bound.sd - 1.0).max() > 0.01


def test_an_unknown_velocity_is_taken_from_the_samples():
    robot, samples, _ = flown(10, velocity=[0.2, 0.1, -0.1])
    bound = cramer_rao_bound(Problem(robot, (Flight(samples, ALL_SENSORS),)))
    values = {quantity.name: quantity.value for quantity in bound.nuisances}
    path = samples.position + np.einsum("kij,kj->ki", rotations(samples.attitude), centre_of_mass(robot, samples))
    expected = (path[-1] - path[0]) / samples.t[-1]
    np.testing.assert_allclose([values[f"velocity of the centre {axis}"] for axis in "xyz"], expected, rtol=1e-4)


@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: case.__name__)
def test_the_full_covariance_is_the_inverse_of_data_and_priors(case):
    problem = case()
    bound = cramer_rao_bound(problem)
    information = bound.information + unknowns_of(problem).information
    size = np.sqrt(np.diagonal(bound.full_covariance))
    product = information @ bound.full_covariance
    np.testing.assert_allclose(product * size[:, None] / size, np.eye(size.size), atol=1e-5)
    np.testing.assert_allclose([quantity.sd for quantity in bound.nuisances], size[len(bound.names) :])


def test_the_bound_is_that_of_the_true_clusters():
    problem = turntable()
    found = cramer_rao_bound(problem, theta=[2.0 * I_BASE])
    slope = I_LINK / (2.0 * I_BASE + I_LINK) ** 2 * np.cos(T)
    assert found.sd[0] == pytest.approx(SIGMA / np.sqrt(slope @ slope), rel=1e-12)


# ---------------------------------------------------------------------- plans


def gyro(rate_Hz=3.0, sd=1.04e-5, **more):
    walk = float(np.degrees(sd / np.sqrt(rate_Hz)) * 60.0)
    return make_sensor("gyro", {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": walk, "rate_Hz": rate_Hz} | more)


def encoder(sd=2.5e-5):
    return make_sensor("joints", {"kind": "encoder", "noise_rad": sd, "noise_m": sd, "rate_Hz": 100.0})


ON_ONE_AXIS = tuple(f"link{k}.{axis}" for k in range(1, 7) for axis in ("mx", "my" if k in (1, 3, 5) else "mz"))


@pytest.mark.parametrize(("zero", "clusters", "percent"), [((), 52, 0.23), (("*.products", *ON_ONE_AXIS), 24, 0.081)])
def test_published_flight_n1_can_find_the_inertia_as_well_as_found_before(zero, clusters, percent):
    """Standard deviation of the inertia about x with all joints at zero, gyro noise and bias alone."""
    robot = study_robot("spirolazzi_n1")
    nuisances = replace(Nuisances.none(), gyro_bias_rad_s=1e3)
    problem = planned_problem(
        robot, printed_motion("spirolazzi_n1", robot), [gyro()], None, {"load": 0.0}, zero, None, nuisances=nuisances
    )
    bound = cramer_rao_bound(problem)
    assert (len(bound.names), len(bound.unseen)) == (clusters, 0)
    slope = np.stack([inertia_xx(problem, theta, direction) for theta, direction in along_each(problem.cad)])
    sd = np.sqrt(slope @ bound.covariance @ slope)
    assert 100.0 * sd / inertia_xx(problem, problem.cad) == pytest.approx(percent, rel=0.02)


def along_each(theta):
    return [(theta, direction) for direction in np.eye(theta.size)]


def inertia_xx(problem, theta, direction=None):
    """Inertia about x through the centre of mass, or its derivative along a direction."""
    q = np.zeros((1, len(problem.robot.joints)))
    A = momentum_matrix(problem.robot, q, problem.standard(theta))[0]
    s, mass = A[[3, 4], [2, 0]], A[0, 0]  # first moments along y and z
    if direction is None:
        return A[3, 3] - s @ s / mass
    dA = momentum_matrix(problem.robot, q, problem.standard(theta + direction) - problem.standard(theta))[0]
    return dA[3, 3] - 2.0 * s @ dA[[3, 4], [2, 0]] / mass + s @ s / mass**2 * dA[0, 0]


def test_a_plan_has_the_noise_of_its_sensors_in_base_axes():
    robot, _, trajectory = flown(11)
    settings = {"kind": "star-tracker", "noise_arcsec": [5.0, 5.0, 40.0], "rate_Hz": 2.0, "dropouts": 0.5}
    stars = make_sensor("stars", settings | {"mounting": {"rpy_deg": [0.0, 90.0, 0.0]}})
    walk = {"rate_random_walk_deg_per_h_per_sqrt_h": 1.0}
    flight = planned_flight(robot, trajectory, {"g": gyro(10.0, 1e-5, **walk), "s": stars}, momentum="unknown")
    arcsec = np.pi / 180.0 / 3600.0
    np.testing.assert_allclose(flight.noise["w"], 1e-5)
    np.testing.assert_allclose(flight.noise["attitude"], arcsec * np.array([40.0, 5.0, 5.0]) * np.sqrt(10.0 / 1.0))
    np.testing.assert_allclose(flight.walks["w"], np.radians(1.0) / 3600.0 / 60.0)
    assert flight.samples.v is None
    assert flight.samples.position is None
    assert flight.t.size == 81


def test_a_plan_has_the_walk_of_an_integrated_acceleration():
    robot, _, trajectory = flown(11)
    walk = {"velocity_random_walk_m_s_per_sqrt_h": [0.3, 0.0, 0.0], "noise_m_s": [1e-3, 0.0, 0.0]}
    sensor = make_sensor("imu", {"kind": "velocity", "axes": "body", "rate_Hz": 10.0} | walk)
    flight = planned_flight(robot, trajectory, [sensor], 40.0)
    np.testing.assert_allclose(flight.walks["v"], 0.3 / 60.0 / np.sqrt(3.0))
    np.testing.assert_allclose(flight.noise["v"], [2e-3, 0.0, 0.0])
    assert cramer_rao_bound(Problem(robot, (flight,))).sd.max() < np.inf


def test_how_finely_a_plan_is_sampled_hardly_matters():
    robot, _, trajectory = flown(11, wheels=2)
    sensors = [gyro(20.0), encoder()]
    coarse, fine = (cramer_rao_bound(planned_problem(robot, trajectory, sensors, rate)) for rate in (20.0, 60.0))
    np.testing.assert_allclose(coarse.sd, fine.sd, rtol=0.02)


def test_a_plan_knows_what_its_encoders_cost():
    robot, _, trajectory = flown(12, wheels=2)
    sds = [
        cramer_rao_bound(planned_problem(robot, trajectory, [gyro(20.0, 1e-6), *encoders])).sd
        for encoders in ([], [encoder(1e-7)], [encoder(1e-3)])
    ]
    np.testing.assert_allclose(sds[1], sds[0], rtol=1e-4)
    assert (sds[2] > 1.05 * sds[0]).any()


def base_sensors(slow_Hz, **clock):
    """Gyro, star tracker and pose, each by its own clock unless they share one, and encoders."""
    stars = {"kind": "star-tracker", "noise_arcsec": 10.0, "rate_Hz": slow_Hz} | clock
    camera = {"kind": "pose", "gives_attitude": False, "position_noise_m": 1e-4, "rate_Hz": slow_Hz} | clock
    return [gyro(20.0, 1e-5, **clock), encoder(1e-5), make_sensor("stars", stars), make_sensor("camera", camera)]


def clocks_among(problem):
    labels = (label for part in unknowns_of(problem).parts for label in part.labels)
    return [label.removeprefix("time offset") for label in labels if label.startswith("time offset")]


def test_a_plan_has_the_clocks_of_its_sensors():
    robot, _, trajectory = flown(11, wheels=2)
    wheels = make_sensor("wheels", {"kind": "tachometer", "rate_Hz": 10.0})
    some = make_sensor("wheels", {"kind": "tachometer", "rate_Hz": 10.0, "wheels": [robot.wheels[0].name]})

    def clocks(sensors):
        return clocks_among(planned_problem(robot, trajectory, sensors))

    assert clocks([gyro()]) == clocks([gyro(), encoder()]) == clocks([gyro(), encoder(), some]) == [""]
    assert clocks(base_sensors(5.0)) == [" of gyro", " of stars", " of camera"]
    assert clocks([*base_sensors(5.0), wheels]) == [" of gyro", " of stars", " of camera", " of wheels"]
    assert clocks(base_sensors(5.0, clock="bus")) == [""]
    assert clocks(base_sensors(5.0, clock="joints")) == []


def recorded_bound(robot, trajectory, sensors, command):
    """Of the readings of a simulated recording, at their own instants."""
    t = np.linspace(0.0, trajectory.duration_s, 4001)
    recording = record(sensors, Truth.of(robot, simulate_motion(robot, trajectory, t)), seed=1)
    flight = recorded_flight(recording, robot, process(recording, robot, command, sensors=sensors), sensors)
    assert flight.own_instants is not None
    return cramer_rao_bound(Problem(robot, (flight,), {"body3": 0.01}))


# Noise of readings moves the point of the derivatives, and standard deviations by 1e-6. A sensor of 5 Hz has 201
# readings in 40 s, a plan counts 200: 1/400 of a standard deviation at most. Splines bend more freely than the
# command's own functions, which costs 0.1 % here.
@pytest.mark.parametrize(
    ("slow_Hz", "commanded", "less", "more"),
    [(20.0, True, 1e-5, 1e-5), (5.0, True, 2.5e-3, 1e-5), (20.0, False, 1e-5, 2e-3)],
)
def test_a_plan_is_as_accurate_as_the_recording_of_it(slow_Hz, commanded, less, more):
    robot, _, trajectory = flown(16, duration=40.0)
    sensors = base_sensors(slow_Hz)
    problem = planned_problem(robot, trajectory, sensors, known={"body3": 0.01})
    recorded = recorded_bound(robot, trajectory, sensors, trajectory if commanded else None)
    ratio = recorded.sd / cramer_rao_bound(problem).sd
    assert 1.0 - less < ratio.min()
    assert ratio.max() < 1.0 + more
    if slow_Hz == 20.0 and commanded:  # clocks that are one would be too good by more than all this
        assert (cramer_rao_bound(refit(problem, clocks={})).sd / recorded.sd).min() < 0.992


def test_a_plan_knows_what_the_clock_of_tachometers_costs():
    """Their noise is not planned for: there is hardly any."""
    robot, _, trajectory = flown(16, wheels=2, spun=True, duration=40.0)
    wheels = make_sensor("wheels", {"kind": "tachometer", "rate_Hz": 20.0, "noise_rad_s": 1e-5})
    with_clock, without = (
        cramer_rao_bound(planned_problem(robot, trajectory, sensors, known={"body3": 0.01})).sd
        for sensors in ([*base_sensors(20.0), wheels], base_sensors(20.0))
    )
    recorded = recorded_bound(robot, trajectory, [*base_sensors(20.0), wheels], trajectory).sd
    np.testing.assert_allclose(recorded, with_clock, rtol=2e-4)
    assert (without / with_clock).min() < 0.9


# ---------------------------------------------------------------------- the estimator


def planned_for_the_estimator(name):
    robot, _, trajectory = flown(13, "planar" if name == "planar" else "free", wheels=2)
    stars = make_sensor("stars", {"kind": "star-tracker", "noise_arcsec": 10.0, "rate_Hz": 5.0})
    track = make_sensor("track", {"kind": "velocity", "noise_m_s": 1e-4, "rate_Hz": 20.0})
    pose = {"kind": "pose", "position_noise_m": 1e-3, "attitude_noise_deg": 0.01, "rate_Hz": 20.0}
    more = {"momentum": [stars], "pose": [make_sensor("pose", pose)], "velocity": [stars, track]}.get(name, [])
    h = [0.0, 0.0, 1.0] if name == "planar" else [1.0, -0.5, 0.8]
    moving = (
        {"momentum": "unknown", "start": Start(angular_momentum=h)} if name not in ("rates", "sampled joints") else {}
    )
    sensors = [gyro(20.0, rate_random_walk_deg_per_h_per_sqrt_h=0.1), encoder(1e-4), *more]
    problem = planned_problem(robot, trajectory, sensors, known={"body3": 0.01}, **moving)
    return refit(problem, curves=None) if name == "sampled joints" else problem


@pytest.mark.parametrize("name", ["rates", "sampled joints", "momentum", "pose", "velocity", "planar"])
def test_the_estimator_reaches_the_bound(name):
    problem = planned_for_the_estimator(name)
    assert_as_derived_otherwise(problem)
    estimate, bound = MaximumLikelihood().estimate(problem), cramer_rao_bound(problem)
    size = np.sqrt(np.diagonal(bound.covariance))
    assert (np.abs(estimate.covariance - bound.covariance) / np.outer(size, size)).max() < 1e-6


# ---------------------------------------------------------------------- refusals


def test_what_cannot_be_answered_is_refused_in_a_sentence():
    robot, samples, _ = flown(14)
    fixed = replace(robot, base="fixed")
    problem = Problem(robot, (Flight(samples, {"w": 1e-5}),))
    refusals = [
        (lambda: cramer_rao_bound(Problem(fixed, (Flight(samples, {"w": 1e-5}),))), "fixed base"),
        (lambda: cramer_rao_bound(Problem(robot, (Flight(samples),))), "no measured base motion"),
        (lambda: cramer_rao_bound(Problem(robot, (Flight(samples, {"w": 0.0}),))), "noise of w is zero"),
        (lambda: cramer_rao_bound(problem, theta=[1.0]), "theta must have shape"),
        (lambda: cramer_rao_bound(problem, nuisances={"nonsense": 1.0}), "no nuisance is called 'nonsense'"),
        (lambda: planned_problem(robot, random_trajectory(robot, 5.0, 1), [encoder()]), "no sensor measures"),
        (
            lambda: cramer_rao_bound(refit(problem, noise={"v": 0.0}, walks={"v": [1.0, 0.0, 1.0]})),
            "noise of v is zero",
        ),
    ]
    for attempt, sentence in refusals:
        with pytest.raises(FreefloatError, match=sentence):
            attempt()
