"""Nothing silent: every mistake is named, with advice, and healthy flights raise no alarm."""

import re
from dataclasses import replace

import numpy as np
import pytest
from estimate.problems import fly, with_noise
from random_trees import random_robot

from freefloat.dynamics.reaction import base_reaction
from freefloat.estimate.causes import diagnosis, rate_comparison
from freefloat.estimate.causes.fault_search import search_faults
from freefloat.estimate.causes.suspicions import suspicions
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.likelihood import everything
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.rotations import exponential
from freefloat.robot.transform import Transform
from freefloat.simulation.simulate import Start, simulate_motion
from freefloat.studies.catalogue import study_robot
from freefloat.studies.spirolazzi.n1 import N1

GYRO_RAD_S = 1e-5
DEGREES = 180.0 / np.pi
ROBOTS = ("tree", "n1")


def reacting(robot, samples, rng, momentum="zero"):
    """A flight in which the base reacts to the joints of these samples, its rates measured."""
    _, w = base_reaction(robot, samples)
    measured = replace(samples, w=w + GYRO_RAD_S * rng.normal(size=w.shape), v=None, attitude=None, position=None)
    return Flight(measured, {"w": GYRO_RAD_S}, momentum=momentum)


def tree(seed=3, n=151, bodies=4, **kind):
    """A random tree, the flight it made, and a CAD model as far off as the prior says."""
    robot = random_robot(seed, **{"base": "free", "wheels": 3, "bodies": bodies, "prismatic": False} | kind)
    samples, _ = fly(robot, seed, n, "zero")
    rng = np.random.default_rng([seed, 61])
    return robot, Problem(CadSpread().drawn(robot, rng), (reacting(robot, samples, rng),))


def n1(seed=3, every=3):
    """The same of the published arm and trajectory; its load is known."""
    robot, rng = study_robot("spirolazzi_n1"), np.random.default_rng([seed, 67])
    flight = N1(robot).flight(rng)
    flight = Flight(flight.samples[::every], flight.noise)
    return robot, Problem(CadSpread().drawn(robot, rng, ["load"]), (flight,), {"load": 0.0})


def flown(name, seed=3):
    return {"tree": tree, "n1": n1}[name](seed)[1]


def changed(problem, **arrays):
    """The problem with other samples in its flight."""
    (flight,) = problem.flights
    samples = replace(flight.samples, **arrays)
    return replace(problem, flights=(replace(flight, samples=samples, curves=None),))


def gyro(problem, matrix):
    """As if the gyro had shown this matrix times the base's rates."""
    return changed(problem, w=problem.flights[0].samples.w @ np.asarray(matrix, float).T)


def joints(problem, factors):
    """As if the encoders had shown the joints times these factors."""
    samples = problem.flights[0].samples
    return changed(problem, **{name: getattr(samples, name) * factors for name in ("q", "dq", "ddq")})


def backwards(problem, joint):
    factors = np.ones(len(problem.robot.joints))
    factors[joint] = -1.0
    return joints(problem, factors)


def noise_only(problem):
    w = np.array(problem.flights[0].samples.w)
    w[:, 2] = GYRO_RAD_S * np.random.default_rng(5).normal(size=len(w))
    return changed(problem, w=w)


def wheels(problem, factor):
    samples = problem.flights[0].samples
    return changed(
        problem, **{name: factor * getattr(samples, name) for name in ("wheel_rates", "wheel_accelerations")}
    )


# ---------------------------------------------------------------------- mistakes are named

TURNED, ABOUT_Z = exponential(np.array([[0.1, -0.2, 0.3], [0.0, 0.0, 0.35]]))


def swapped(problem):
    """The first and the last joint in each other's columns."""
    (flight,) = problem.flights
    order = [*range(len(problem.robot.joints))]
    order[0], order[-1] = order[-1], order[0]
    samples = replace(flight.samples, q=flight.samples.q[:, order], dq=flight.samples.dq[:, order], ddq=None)
    return replace(problem, flights=(replace(flight, samples=samples, curves=None),))


MISTAKES = {
    "gyro in degrees": (lambda p: gyro(p, DEGREES * np.eye(3)), "the gyro is recorded in degrees per second"),
    "gyro converted twice": (lambda p: gyro(p, np.eye(3) / DEGREES), "the gyro's rates were converted from degrees"),
    "axis flipped": (lambda p: gyro(p, np.diag([1, -1, 1])), "the gyro's y axis points the other way"),
    "two axes flipped": (lambda p: gyro(p, np.diag([-1, 1, -1])), "the gyro's axes x and z point the other way"),
    "axes swapped": (lambda p: gyro(p, np.eye(3)[[1, 0, 2]]), "the gyro's axes x and y are swapped"),
    "axes mixed up": (lambda p: gyro(p, [[0, -1, 0], [0, 0, 1], [1, 0, 0]]), "called its x, y, z is its -y, z, x"),
    "gyro turned": (lambda p: gyro(p, TURNED.T), "the gyro is mounted turned by 21"),
    "gyro turned about z": (lambda p: gyro(p, ABOUT_Z), "the gyro is mounted turned by 20"),
    "dead axis": (lambda p: gyro(p, np.diag([1, 1, 0])), "gyro z never changes: a dead or missing sensor"),
    "axis of noise": (noise_only, "gyro z shows nothing but noise"),
    "joints in degrees": (lambda p: joints(p, DEGREES), "the joints are recorded in degrees instead of radians"),
    "all in degrees": (lambda p: gyro(joints(p, DEGREES), DEGREES * np.eye(3)), "both the joints and the gyro"),
    "first joint": (lambda p: backwards(p, 0), "{first} moves the other way than the robot file says"),
    "two joints swapped": (swapped, "{first} and {last} are swapped in the recording"),
    "last joint": (lambda p: backwards(p, -1), "{last} moves the other way than the robot file says"),
}


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_and_the_estimate_called_failed(robot, mistake):
    inject, words = MISTAKES[mistake]
    problem = inject(flown(robot))
    names = problem.robot.joint_names
    estimate = MaximumLikelihood().estimate(problem)
    assert words.format(first=names[0], last=names[-1]) in estimate.warnings[0]
    assert estimate.outcome == "failed"
    assert len(estimate.warnings) == 1, estimate.warnings


@pytest.mark.parametrize("seed", [3, 5])
def test_mistaken_wheels_are_named(seed):
    problem = tree(seed)[1]
    per_minute = MaximumLikelihood().estimate(wheels(problem, 60.0 / (2.0 * np.pi)))
    assert "the wheels' rates are recorded in revolutions per minute" in per_minute.warnings[0]
    reversed_ = MaximumLikelihood().estimate(wheels(problem, -1.0))
    assert "the wheels turn the other way" in reversed_.warnings[0]
    assert per_minute.outcome == reversed_.outcome == "failed"


@pytest.mark.parametrize("seed", [3, 4])
def test_momentum_that_was_declared_zero_is_named(seed):
    robot, problem = tree(seed)
    samples, _ = fly(robot, seed, 151, "unknown")
    noisy = with_noise(samples, {"w": GYRO_RAD_S}, np.random.default_rng(seed))
    lied = replace(problem, flights=(Flight(noisy, {"w": GYRO_RAD_S}),))
    assert "the total angular momentum is not what was declared" in MaximumLikelihood().estimate(lied).warnings[0]
    told = MaximumLikelihood().estimate(
        replace(problem, flights=(Flight(noisy, {"w": GYRO_RAD_S}, momentum="unknown"),))
    )
    assert not any("it seems that" in sentence for sentence in told.warnings)


@pytest.mark.parametrize("size", [1.0, 30.0])
def test_with_unknown_momentum_mistakes_are_named_as_well(size):
    robot, problem = tree(4)
    names = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    start = Start(angular_momentum=size * np.array([0.8, -0.5, 0.3]))
    motion = random_trajectory(robot, 30.0, 4, harmonics=7, channels=names)
    samples = simulate_motion(robot, motion, np.linspace(0.0, 30.0, 301), start)
    noisy = with_noise(samples, {"w": GYRO_RAD_S}, np.random.default_rng(4))
    healthy = replace(problem, flights=(Flight(noisy, {"w": GYRO_RAD_S}, momentum="unknown"),))
    for mistake in ("gyro in degrees", "axis flipped", "axes swapped", "joints in degrees", "last joint"):
        inject, words = MISTAKES[mistake]
        (fault, found), *others = search_faults(inject(healthy)).faults
        assert words.format(last=robot.joint_names[-1]) in fault.what
        assert found.explained > 0.8
        assert not others


def test_what_the_data_cannot_tell_apart_is_named_together():
    """In a plane, a straight arm on one joint turns its base the other way just as a gyro that points the other way."""
    inertia = 0.3 * np.eye(3)
    base = Body("base", parameters=parameters_from_com(20.0, np.zeros(3), 5.0 * inertia))
    joint, placement = (
        Joint("elbow", "revolute", np.array([0.0, 0.0, 1.0])),
        Transform(np.eye(3), np.array([0.5, 0.0, 0.0])),
    )
    arm = Body("arm", "base", joint, placement, parameters_from_com(5.0, np.array([0.6, 0.0, 0.0]), inertia))
    robot = Robot("straight", (base, arm), base="planar")
    samples, _ = fly(robot, 2, 151, "zero")
    problem = Problem(robot, (reacting(robot, samples, np.random.default_rng(2)),))
    sentence = MaximumLikelihood().estimate(gyro(problem, np.diag([1, 1, -1]))).warnings[0]
    assert "the gyro's z axis points the other way" in sentence
    assert "elbow moves the other way" in sentence
    assert "the data do not tell which" in sentence


def test_of_a_long_flight_a_part_is_enough(monkeypatch):
    inject, words = MISTAKES["axis flipped"]
    problem = inject(tree(3, n=1201)[1])
    monkeypatch.setattr(rate_comparison, "_MOST", 200)
    ((fault, _),) = search_faults(problem).faults
    assert words in fault.what


@pytest.mark.parametrize("seed", range(6))
def test_a_wrong_robot_file_is_named_and_no_mistake_invented(seed):
    problem = tree(seed, bodies=5)[1]
    other = random_robot(100 + seed, base="free", wheels=3, bodies=5, prismatic=False)
    estimate = MaximumLikelihood().estimate(Problem(other, problem.flights))
    assert "the motion does not fit this robot" in estimate.warnings[0]
    assert "is it the right robot file?" in estimate.warnings[0]
    assert estimate.outcome == "failed"


def test_the_file_of_another_arm_is_named():
    problem = flown("n1")
    estimate = MaximumLikelihood().estimate(Problem(study_robot("spirolazzi_oossim"), problem.flights, {"load": 0.0}))
    assert "is it the right robot file?" in estimate.warnings[0]


@pytest.mark.parametrize(
    "mistake", ["gyro in degrees", "axis flipped", "axes swapped", "joints in degrees", "dead axis"]
)
def test_linear_estimators_name_mistakes_too(mistake):
    inject, words = MISTAKES[mistake]
    problem = replace(tree(3, bodies=3)[1], nuisances=Nuisances.none())
    healthy = LeastSquares().estimate(problem)
    assert not any(words in sentence for sentence in healthy.warnings)
    estimate = LeastSquares().estimate(inject(problem))
    assert words in estimate.warnings[0]
    assert estimate.outcome == "failed"
    unknown_noise = replace(problem, flights=(Flight(problem.flights[0].samples),))
    assert words in LeastSquares().estimate(inject(unknown_noise)).warnings[0]


# ---------------------------------------------------------------------- no false alarms


@pytest.mark.parametrize("seed", range(20))
def test_healthy_flights_of_random_trees_raise_no_warning(seed):
    estimate = MaximumLikelihood().estimate(tree(seed, bodies=5, prismatic=None)[1])
    assert estimate.warnings == ()
    assert estimate.outcome == "good"


@pytest.mark.parametrize("run", range(20))
def test_healthy_flights_of_the_published_arm_raise_no_warning(run):
    """Zeros, geometry, misalignment, lag, drift, bias and CAD model are drawn as far off as is assumed of them."""
    estimate = MaximumLikelihood().estimate(N1(study_robot("spirolazzi_n1")).everything_drawn(run, on_paper=False)[0])
    assert estimate.warnings == ()
    assert estimate.outcome == "good"


@pytest.mark.parametrize("robot", ROBOTS)
def test_on_a_healthy_flight_mistakes_are_not_even_looked_for(robot, monkeypatch):
    monkeypatch.setattr(diagnosis, "mistakes", lambda *_: pytest.fail("looked for mistakes"))
    assert MaximumLikelihood().estimate(flown(robot)).outcome == "good"


@pytest.mark.parametrize("robot", ROBOTS)
def test_noise_that_is_understated_is_no_mistake_of_another_kind(robot):
    problem = flown(robot)
    (flight,) = problem.flights
    estimate = MaximumLikelihood().estimate(replace(problem, flights=(replace(flight, noise={"w": 2e-6}),)))
    (cause,) = estimate.causes
    assert (cause.kind, cause.name) == ("noise", "gyro")
    assert cause.amount == pytest.approx(estimate.residual.ratio, rel=0.1)
    assert not any("robot file" in each for each in estimate.warnings)
    assert estimate.outcome == "doubtful"


# ---------------------------------------------------------------------- what the data do not show


def resting(name, joint):
    """A flight in which one joint really rests."""
    robot, problem = {"tree": tree, "n1": n1}[name]()
    samples = problem.flights[0].samples
    moves = np.ones(len(robot.joints))
    moves[joint] = 0.0
    q = np.where(moves > 0.0, samples.q, samples.q[:1])
    still = replace(samples, q=q, dq=samples.dq * moves, ddq=samples.ddq * moves)
    return replace(problem, flights=(reacting(robot, still, np.random.default_rng(9)),))


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_joint_that_never_moved_is_named_with_what_it_hides(robot):
    problem = resting(robot, 1)
    estimate = MaximumLikelihood().estimate(problem)
    joint, body = problem.robot.joint_names[1], problem.robot.body_names[2]
    (sentence,) = (each for each in estimate.warnings if f"{joint} never moved" in each)
    assert f"_{body}, " in sentence
    assert "stays at the CAD model" in sentence
    assert len(estimate.held) >= 7
    assert estimate.outcome == "doubtful"


def hardly_moving(name, share):
    """A flight in which the joints move by this share of what they did."""
    truth, problem = {"tree": tree, "n1": n1}[name]()
    samples = problem.flights[0].samples
    small = {array: share * getattr(samples, array) for array in ("q", "dq", "ddq")}
    flight = reacting(truth, replace(samples, **small), np.random.default_rng(8))
    return MaximumLikelihood().estimate(replace(problem, flights=(flight,)))


@pytest.mark.parametrize("robot", ROBOTS)
def test_what_a_motion_is_too_small_to_show_is_named(robot):
    estimate = hardly_moving(robot, 1e-6)
    (sentence,) = estimate.warnings
    assert "the data show only" in sentence
    assert len(estimate.held) > 0.5 * len(estimate.values)
    assert estimate.outcome == "doubtful"


def test_a_few_directions_that_rest_on_the_prior_are_named():
    estimate = hardly_moving("tree", 2e-3)
    (sentence,) = [said for said in (*estimate.warnings, *estimate.notes) if "do not show" in said]
    # among directions of which nothing is seen, rounding decides whether the total mass is one or part of several
    assert re.search(
        r"the data do not show (the total mass; )?a combination of .+; (a combination|the total)", sentence
    )
    assert 3 < len(estimate.held) < 0.5 * len(estimate.values)


def test_what_no_motion_shows_is_noted_as_such():
    """With one joint that turns among joints that slide, rates leave a direction open however the robot moves."""
    problem = tree(2, bodies=5, prismatic=None)[1]
    assert [joint.kind for joint in problem.robot.joints].count("prismatic") == 3
    estimate = MaximumLikelihood().estimate(problem)
    assert any("no motion shows" in note for note in estimate.notes)
    assert estimate.outcome == "good"


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_worse_the_sensor_the_more_is_held(robot):
    problem = flown(robot)
    (flight,) = problem.flights
    held, w = [], flight.samples.w
    for share in (1e-4, 1e-2, 1e-1):
        noise = share * float(w.std())
        noisy = replace(flight.samples, w=w + noise * np.random.default_rng(1).normal(size=w.shape))
        held.append(len(MaximumLikelihood().estimate(replace(problem, flights=(Flight(noisy, {"w": noise}),))).held))
    assert held == sorted(held)
    assert held[-1] > held[0] + 5


@pytest.mark.parametrize("seed", [3, 5])
def test_wheels_that_never_turned_leave_the_scale_to_the_cad_model(seed):
    robot, problem = tree(seed)
    samples = problem.flights[0].samples
    stopped = replace(samples, wheel_rates=0.0 * samples.wheel_rates, wheel_accelerations=0.0 * samples.wheel_rates)
    flight = reacting(robot, stopped, np.random.default_rng(seed))
    estimate = MaximumLikelihood().estimate(replace(problem, flights=(flight,)))
    (sentence,) = estimate.warnings
    assert "the wheels never turned" in sentence
    assert "spin them" in sentence
    assert "the common scale of all clusters" in estimate.held
    larger = problem.robot.with_parameters(1.1 * problem.robot.parameters)
    scaled = MaximumLikelihood().estimate(replace(problem, robot=larger, flights=(flight,)))
    np.testing.assert_allclose(scaled.values, 1.1 * estimate.values, atol=0.02 * np.abs(estimate.values).max())


@pytest.mark.parametrize("seed", [3, 5])
def test_wheels_that_never_turned_are_no_harm_where_something_is_known(seed):
    robot, problem = tree(seed)
    samples = problem.flights[0].samples
    stopped = replace(samples, wheel_rates=0.0 * samples.wheel_rates, wheel_accelerations=0.0 * samples.wheel_rates)
    flight, tip = reacting(robot, stopped, np.random.default_rng(seed)), robot.body_names[-1]
    cad = CadSpread().drawn(robot, np.random.default_rng(seed), [tip])
    estimate = MaximumLikelihood().estimate(Problem(cad, (flight,), {tip: 0.0}))
    assert estimate.warnings == ()
    assert any("the wheels never turned" in note for note in estimate.notes)


@pytest.mark.parametrize("seed", [3, 5])
def test_tachometers_that_show_nothing_are_suspected(seed):
    estimate = MaximumLikelihood().estimate(wheels(tree(seed)[1], 0.0))
    assert "did the wheels move after all?" in estimate.warnings[0]
    assert estimate.outcome == "failed"


@pytest.mark.parametrize("robot", ROBOTS)
def test_too_few_data_are_named_or_refused(robot):
    problem = flown(robot)
    (flight,) = problem.flights
    few = replace(problem, flights=(Flight(flight.samples[:6], flight.noise),))
    estimate = MaximumLikelihood().estimate(few)
    assert any(f"18 measured values for {len(problem.minimal)} clusters" in each for each in estimate.warnings)
    with pytest.raises(InvalidProblem, match="18 measured values cannot determine"):
        MaximumLikelihood().estimate(replace(few, prior=None))
    short = replace(problem, flights=(Flight(flight.samples[: len(problem.minimal) // 3 + 2], flight.noise),))
    assert any("the data" in each and "direction" in each for each in MaximumLikelihood().estimate(short).warnings)


def test_unusable_samples_are_refused():
    problem = flown("tree")
    (flight,) = problem.flights
    with pytest.raises(InvalidProblem, match="1 sample; allowed: two or more"):
        MaximumLikelihood().estimate(replace(problem, flights=(Flight(flight.samples[:1], flight.noise),)))
    w = np.array(flight.samples.w)
    w[17, 1] = np.nan
    with pytest.raises(InvalidProblem, match="w of sample 17 is not a finite number"):
        MaximumLikelihood().estimate(changed(problem, w=w))


# ---------------------------------------------------------------------- samples alone


def test_noise_of_tachometers_does_not_turn_wheels():
    problem = flown("tree")
    (flight,) = problem.flights
    noise = 0.01 * np.random.default_rng(1).normal(size=flight.samples.wheel_rates.shape)
    resting = Flight(replace(flight.samples, wheel_rates=noise), {"w": GYRO_RAD_S, "wheel_rates": 0.01})
    assert suspicions(replace(problem, flights=(resting,))).wheels_still
    assert not suspicions(problem).wheels_still


def test_a_sensor_that_repeats_itself_is_named():
    problem = flown("tree")
    w = np.array(problem.flights[0].samples.w)
    w[:, 0] = np.repeat(w[::4, 0], 4)[: len(w)]
    seen = suspicions(changed(problem, w=w))
    assert "gyro x in 75 % of the samples" in seen.repeated[0]
    assert "gyro y" not in seen.repeated[0]
    assert seen.dead == ()


@pytest.mark.parametrize("seed", [1, 2])
def test_positions_beyond_their_limits_as_degrees_would_be_are_named(seed):
    problem = tree(seed)[1]
    (limited, *_) = (joint.name for joint in problem.robot.joints if np.isfinite(joint.position).all())
    said = suspicions(joints(problem, DEGREES)).degrees
    assert "in degrees instead of radians" in said
    assert limited in said or len(problem.robot.joints) > 1
    assert suspicions(problem).degrees == ""
    assert suspicions(joints(problem, 1000.0)).degrees == ""


# ---------------------------------------------------------------------- what fits say


def test_noise_that_is_overstated_is_named():
    problem = flown("tree")
    (flight,) = problem.flights
    estimate = MaximumLikelihood().estimate(replace(problem, flights=(replace(flight, noise={"w": 3e-5}),)))
    (sentence,) = estimate.warnings
    assert "the residual is only 0.3" in sentence


@pytest.mark.parametrize("seed", range(2, 6))
def test_a_bias_that_walks_as_declared_is_no_surprise(seed):
    problem = flown("tree", seed)
    (flight,) = problem.flights
    white, steps = np.random.default_rng(seed).normal(size=(2, *flight.samples.w.shape))
    walked = flight.samples.w + 1e-4 * (white + np.cumsum(np.sqrt(np.gradient(flight.t))[:, None] * steps, axis=0))
    walking = Flight(replace(flight.samples, w=walked), {"w": 1e-4}, {"w": 1e-4})
    assert MaximumLikelihood().estimate(replace(problem, flights=(walking,))).warnings == ()


def test_a_late_gyro_is_noted_and_does_no_harm():
    robot, rng = study_robot("spirolazzi_n1"), np.random.default_rng(3)
    flight = N1(robot).flight(rng, late_s=0.043)
    estimate = MaximumLikelihood().estimate(Problem(CadSpread().drawn(robot, rng, ["load"]), (flight,), {"load": 0.0}))
    assert any("are late by 43" in note for note in estimate.notes)
    assert estimate.outcome == "good"


@pytest.mark.parametrize("joint", [1, 3])
def test_a_joint_zero_beyond_belief_is_named(joint):
    robot, rng = study_robot("spirolazzi_n1"), np.random.default_rng(3)
    zeros = np.where(np.arange(7) == joint, 0.02, 0.0)
    flight = N1(robot).flight(rng, zeros=zeros)
    estimate = MaximumLikelihood().estimate(Problem(CadSpread().drawn(robot, rng, ["load"]), (flight,), {"load": 0.0}))
    (sentence,) = estimate.warnings
    assert f"zero of j{joint + 1} is" in sentence
    assert estimate.outcome == "doubtful"


@pytest.mark.parametrize(("size", "said"), [(0.01, "reads 0.99 % too much"), (-0.01, "reads 1 % too little")])
def test_an_encoder_that_reads_in_proportion_to_the_joint_is_named(size, said):
    robot, problem = tree()
    factors = np.ones(len(robot.joints))
    factors[1] += size
    estimate = MaximumLikelihood().estimate(joints(problem, factors))
    (sentence,), (cause,) = estimate.warnings, estimate.causes
    assert (cause.kind, cause.name) == ("joint scale", robot.joint_names[1])
    assert f"the encoder of {robot.joint_names[1]} {said}" in sentence
    assert "`joint_scale` under nuisances" in sentence
    assert cause.amount == pytest.approx(1.0 / factors[1] - 1.0, rel=0.05)


def test_a_body_that_the_cad_model_has_wrong_is_named():
    robot, problem = tree(3)
    heavy = np.array(robot.parameters)
    heavy[-10:] /= 3.0
    estimate = MaximumLikelihood().estimate(replace(problem, robot=robot.with_parameters(heavy)))
    (sentence,) = estimate.warnings
    assert [(cause.kind, cause.name) for cause in estimate.causes] == [("mass", robot.body_names[-1])]
    assert f"correct {robot.body_names[-1]} in the robot file" in sentence


def test_of_a_long_flight_fewer_readings_are_looked_at_for_what_may_be_wrong(monkeypatch):
    likelihood = Likelihood(flown("tree"))
    point = likelihood.start()
    whole = everything.beside(likelihood, point)
    numbers = sum(part.values.size for part in whole.rows) * whole.point.size
    monkeypatch.setattr(everything, "_ROOM", numbers // 4 + 1)
    thinned = everything.beside(likelihood, point)
    for every, some in zip(whole.rows, thinned.rows, strict=True):
        for values, kept in ((every.values, some.values), (every.jacobian, some.jacobian)):
            assert len(kept) == len(values[::4])
            assert np.abs(kept - values[::4]).max() < 1e-2 * np.abs(values).max()
