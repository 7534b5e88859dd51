"""Published methods find the truth in exact data, and show the effects they are known for."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from estimate.naveen_recordings import naveen_recordings
from estimate.problems import cad_of, fly, make_case
from random_trees import random_parameters, random_robot

from freefloat.dynamics.reaction import base_reaction
from freefloat.estimate.change import CHANGE, change_between
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.recipes import (
    atkeson_torque,
    ayusawa_base_rows,
    base_only,
    christidi_two_steps,
    gautier_khalil_energy,
    naveen_momentum,
    spirolazzi_known_load,
    target_only,
)
from freefloat.estimate.total_mass import mass_from_products, mass_from_pulse, mass_from_ratio, mass_of
from freefloat.models.angular_momentum import AngularMomentum, MassNotVisible
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.parameters import PARAMETER_NAMES, PER_BODY
from freefloat.robot.parts import Body, Joint
from freefloat.simulation.simulate import simulate_motion
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.christidi.clusters import ZERO
from freefloat.studies.christidi.servicer import Servicer
from freefloat.studies.spirolazzi.n1 import N1

NOTHING = Nuisances.none()


def posed(robot, *samples, noise=None, **fields):
    """Flights without noise but that which is declared; the CAD model is wrong by a few per cent."""
    flights = tuple(Flight(each, noise or {}, name=f"flight{k}") for k, each in enumerate(samples))
    return Problem(cad_of(robot, fields.get("known", {}), 0.05, 1), flights, nuisances=NOTHING, **fields)


def off(estimate, truth):
    """Largest error in units of that of the CAD model, which no estimator knows the truth by."""
    return np.abs(estimate.values - truth).max() / np.abs(estimate.cad - truth).max()


def true_values(estimate, robot):
    phi = np.array(robot.parameters)
    settled = [name.split(".")[0] for name in estimate.known]
    for body in settled:
        phi[PER_BODY * robot.body_names.index(body) + np.arange(PER_BODY)] = 0.0
    return estimate.minimal.values(phi)


# ---------------------------------------------------------------------- momentum


def test_naveen_all_52_parameters_of_the_published_robot_without_noise():
    robot = study_robot("naveen_dual_arm")
    found = naveen_momentum(posed(robot, naveen_recordings(0.1).exact))
    truth = true_values(found, robot)
    assert len(truth) == 52
    assert np.abs(found.values / truth - 1.0).max() < 1e-8


def test_naveen_without_wheels_the_scale_is_lost():
    turning = study_robot("naveen_dual_arm")
    still = replace(turning, wheels=())
    samples = replace(naveen_recordings(0.1).exact, wheel_rates=None, wheel_accelerations=None, v=None, w=None)
    v, w = base_reaction(still, samples)
    with_wheels = posed(turning, naveen_recordings(0.1).exact).equations(("momentum",))
    without = posed(still, replace(samples, v=v, w=w)).equations(("momentum",))
    assert (with_wheels.rank, without.rank) == (52, 51)


# ---------------------------------------------------------------------- two steps, and the mass

PUBLISHED_RATIO = "[mx_base]*[mx_link3]/M"  # pi 18 over phi 1 phi 3


@cache
def christidi_servicer():
    return Servicer(study_robot("christidi_servicer"))


def christidi_problem(noise, seed=1):
    robot, samples = christidi_servicer().robot, christidi_servicer().exact
    rng = np.random.default_rng([seed, 47])
    noisy = {name: getattr(samples, name) + sd * rng.normal(size=(len(samples), 3)) for name, sd in noise.items()}
    flight = Flight(replace(samples, **noisy), noise, momentum="unknown")
    return Problem(cad_of(robot, {}, 0.05, 1), (flight,), zero=ZERO, nuisances=NOTHING)


def test_christidi_the_published_servicer_without_noise():
    found = christidi_two_steps(christidi_problem({}))
    entries = published("christidi_servicer")["parameters"]
    assert len(found.estimate.values) == len(entries["pi"]["entries"]) + len(entries["phi"]["entries"])
    assert found.mass.value == pytest.approx(1110.0, rel=1e-10)
    assert found.mass_from_ratio(PUBLISHED_RATIO).value == pytest.approx(1110.0, rel=1e-10)


def test_christidi_the_mass_errs_as_it_says_and_all_products_beat_the_published_one():
    noise = {"w": 1e-5, "v": 1e-4}
    runs = [christidi_two_steps(christidi_problem(noise, seed)) for seed in range(12)]
    errors = np.array([(run.mass.value - 1110.0) / run.mass.sd for run in runs])
    assert 0.6 < np.sqrt((errors**2).mean()) < 1.5
    single = [run.mass_from_ratio(PUBLISHED_RATIO) for run in runs]
    ratio = np.array([(each.value - 1110.0) / each.sd for each in single])
    assert 0.6 < np.sqrt((ratio**2).mean()) < 1.5
    assert runs[0].mass.sd < 0.6 * single[0].sd


@pytest.mark.parametrize("seed", [1, 3, 8])
def test_two_steps_show_the_mass_of_any_tree(seed):
    case = make_case(("angular-momentum", "base-velocity"), seed, momentum="unknown", scale="wheels")
    assert christidi_two_steps(case.problem).mass.value == pytest.approx(case.robot.mass, rel=1e-8)


@pytest.mark.parametrize("mass", [mass_from_products, lambda found: mass_from_ratio(found, PUBLISHED_RATIO)])
def test_the_uncertainty_of_the_mass_is_that_of_all_clusters_it_is_made_of(mass):
    found = christidi_two_steps(christidi_problem({"w": 1e-5, "v": 1e-4})).estimate
    steps = 1e-5 * np.abs(found.values)
    slope = np.zeros(len(steps))
    for k, step in enumerate(steps):
        ends = [mass(replace(found, values=found.values + sign * step * np.eye(len(steps))[k])) for sign in (1.0, -1.0)]
        slope[k] = (ends[0].value - ends[1].value) / (2.0 * step)
    assert mass(found).sd == pytest.approx(np.sqrt(slope @ found.covariance @ slope), rel=1e-4)


def test_a_ratio_that_holds_no_mass_is_refused():
    with pytest.raises(MassNotVisible, match=r"Ixx_base.*there are: \[mx_base\]"):
        christidi_two_steps(christidi_problem({})).mass_from_ratio("Ixx_base")


def test_a_pulse_of_the_published_thruster_shows_the_weighed_mass():
    printed = mass_from_pulse(0.595, 0.5, 0.0219, velocity_sd_m_s=1e-4)
    assert printed.value == pytest.approx(13.584, abs=1e-3)
    assert abs(printed.value - 13.55) < printed.sd  # what was weighed
    along = mass_from_pulse([3.0, 4.0, 0.0], 2.0, [0.3, 0.4, 0.0], 0.1, 0.02, 0.01)
    assert along.value == pytest.approx(20.0)
    assert along.sd == pytest.approx(20.0 * np.sqrt(0.02**2 + 0.01**2 + 0.02**2))
    across = mass_from_pulse([3.0, 4.0, 0.0], 2.0, [0.3 - 0.04, 0.4 + 0.03, 0.7])
    assert across.value == pytest.approx(20.0)
    with pytest.raises(InvalidProblem, match="along its force"):
        mass_from_pulse(1.0, 1.0, -0.1)


# ---------------------------------------------------------------------- known loads


def test_spirolazzi_all_clusters_of_case_n1_without_noise():
    exact = N1(study_robot("spirolazzi_n1")).exact()
    wrong = cad_of(exact.robot, exact.known, 0.05, 1)
    found = spirolazzi_known_load(replace(exact, robot=wrong))
    np.testing.assert_allclose(found.values, exact.equations().cad, rtol=1e-8)


def test_a_scale_that_rests_on_nothing_is_refused():
    problem = N1(study_robot("spirolazzi_n1")).exact()
    with pytest.raises(InvalidProblem, match="declare the load"):
        spirolazzi_known_load(replace(problem, known={}))
    moving = replace(problem.flights[0], momentum="unknown")
    with pytest.raises(InvalidProblem, match="momentum is zero"):
        spirolazzi_known_load(replace(problem, flights=(moving,)))


def off_axis(robot, seed, known_sd=0.0):
    """Gyro alone at zero momentum, without wheels; the last body, centred off its joint's axis, is known."""
    load, (samples, _) = robot.body_names[-1], fly(robot, seed, 200, "zero")
    cad = cad_of(robot, {load: 0.0}, 0.05, seed)
    return Problem(cad, (Flight(replace(samples, v=None)),), known={load: known_sd}, nuisances=NOTHING)


OFF_AXIS = {
    "eq. 5.6": lambda: study_robot("planar_known_load"),
    "planar": lambda: random_robot(2, bodies=4, base="planar", prismatic=False, branched=False),
    "planar, branched": lambda: random_robot(5, bodies=4, base="planar", prismatic=False),
    "free": lambda: random_robot(3, bodies=3, base="free", prismatic=False, branched=False),
}


@pytest.mark.parametrize("name", OFF_AXIS)
def test_a_load_off_its_axis_fixes_the_scale_though_no_cluster_is_known(name):
    robot = OFF_AXIS[name]()
    problem = off_axis(robot, 2)
    model = AngularMomentum(problem.robot, tuple(problem.known))
    assert not model.known_clusters().size
    assert not problem.equations(("angular-momentum",)).right.any()  # linear clusters: any multiple is a solution
    found = spirolazzi_known_load(problem)
    assert off(found, true_values(found, robot)) < 1e-8
    assert mass_of(found).value == pytest.approx(robot.mass, rel=1e-8)


def test_an_uncertain_load_is_part_of_the_structured_budget():
    robot = study_robot("planar_known_load")
    found = spirolazzi_known_load(off_axis(robot, 1, known_sd=0.01))
    assert off(found, true_values(found, robot)) < 1e-8
    by_load = found.covariance[found.names.index("Izz_base")][found.names.index("Izz_base")] ** 0.5
    izz = found.values[found.names.index("Izz_base")]
    assert 0.003 * izz < by_load < 0.1 * izz  # the scale is the load's, known to a hundredth


def gripping(seed=3):
    """A robot without wheels whose unknown last link grips a known load, flown with the load and without it."""
    empty = random_robot(seed, bodies=8, base="free", branched=False, prismatic=False)
    load = Body("load", empty.body_names[-1], Joint("grip", "fixed"), parameters=random_load(seed))
    loaded = replace(empty, bodies=(*empty.bodies, load), separate=frozenset({"load"}))
    (with_it, _), (without, _) = fly(loaded, seed, 200, "zero"), fly(empty, seed + 1, 200, "zero")
    flights = (Flight(with_it, name="with"), Flight(without, without=("load",), name="without"))
    cad = cad_of(loaded, {"load": 0.0}, 0.05, 1)
    return loaded, Problem(cad, flights, known={"load": 0.0}, nuisances=NOTHING)


def random_load(seed):
    return random_parameters(np.random.default_rng([seed, 53]), 8.0, 0.3)


def test_a_gripped_load_fixes_the_scale_only_together_with_a_flight_without_it():
    robot, both = gripping()
    one = replace(both, flights=both.flights[:1])
    assert (one.equations(("momentum",)).rank, both.equations(("momentum",)).rank) == (58, 59)
    found = spirolazzi_known_load(both)
    assert off(found, true_values(found, robot)) < 1e-8


# ---------------------------------------------------------------------- torque and energy


@pytest.mark.parametrize("gravity", [True, False])
def test_gautier_khalil_the_published_arm_without_noise(gravity):
    robot = study_robot("gautier_khalil_arm")
    robot = robot if gravity else replace(robot, gravity=np.zeros(3))
    limited = replace(
        robot,
        bodies=tuple(
            replace(body, joint=replace(body.joint, position=(-0.8, 0.8), rate=0.9, acceleration=1.5))
            if body.joint
            else body
            for body in robot.bodies
        ),
    )
    motion = random_trajectory(limited, 30.0, 5, harmonics=8)
    samples = simulate_motion(limited, motion, np.linspace(0.0, 30.0, 6001))
    found = gautier_khalil_energy(posed(limited, samples))
    assert len(found.values) == (15 if gravity else 13)
    assert off(found, true_values(found, limited)) < 1e-6  # the work is an integral over samples


@pytest.mark.parametrize("seed", [2, 5, 6])
def test_atkeson_torques_show_any_tree(seed):
    case = make_case("torque", seed)
    found = atkeson_torque(case.problem)
    assert off(found, case.truth(case.problem.equations())) < 1e-8


@pytest.mark.parametrize("seed", [2, 5])
def test_ayusawa_the_rows_of_the_base_alone_show_as_much_as_all(seed):
    case = make_case("torque", seed, base="free")
    found, whole = ayusawa_base_rows(case.problem), case.problem.equations(("torque",))
    assert off(found, case.truth(whole)) < 1e-8
    assert found.residual.rows == 6 * len(case.exact[0])
    assert found.residual.rows < whole.matrix.shape[0]


# ---------------------------------------------------------------------- all known but one


def mistaken(robot, body, seed):
    """A CAD model that is wrong in one body alone."""
    others = {name: 0.0 for name in robot.body_names if name != body}
    return cad_of(robot, others, 0.1, seed)


@pytest.mark.parametrize("seed", [3, 4, 9])
def test_base_and_target_are_found_where_all_else_is_known(seed):
    robot = random_robot(seed, bodies=6, base="free")
    samples, _ = fly(robot, seed, 150, "zero")
    flight = Flight(replace(samples, v=None), {"w": 1e-6})
    for body in (robot.body_names[0], robot.body_names[-1]):
        problem = Problem(mistaken(robot, body, seed), (flight,), prior=None, nuisances=NOTHING)
        found = base_only(problem) if body == robot.body_names[0] else target_only(problem, body)
        assert len(found.values) == PER_BODY
        place = robot.body_names.index(body)
        truth = robot.parameters[PER_BODY * place : PER_BODY * (place + 1)]
        assert off(found, truth) < 1e-6


def test_an_uncertain_arm_is_part_of_the_bases_budget():
    robot = random_robot(4, bodies=4, base="free")
    samples, _ = fly(robot, 4, 150, "zero")
    problem = Problem(robot, (Flight(replace(samples, v=None), {"w": 1e-5}),), prior=None, nuisances=NOTHING)
    sure, unsure = base_only(problem), base_only(problem, relative_sd=0.01)
    assert (unsure.sd > sure.sd).all()
    assert set(robot.body_names[1:]) <= set(unsure.budget.sources)


# ---------------------------------------------------------------------- before and after


def captured(seed, on):
    """Flights before and after a body gained something, and what it gained."""
    robot = random_robot(seed, bodies=5, base="free", wheels=3, prismatic=False)
    gained = random_load(seed)
    body = robot.body_names[on]
    after = replace(robot, bodies=(*robot.bodies, Body("target", body, Joint("grip", "fixed"), parameters=gained)))
    (first, _), (second, _) = fly(robot, seed, 200, "zero"), fly(after, seed + 1, 200, "zero")
    flights = tuple(
        Flight(replace(samples, v=None), {"w": 1e-6}, name=name)
        for name, samples in (("before", first), ("after", second))
    )
    return Problem(cad_of(robot, {}, 0.05, 1), flights, prior=None, nuisances=NOTHING), body, gained


@pytest.mark.parametrize(("seed", "on"), [(1, -1), (4, 0), (7, 2)])
def test_what_a_body_gained_is_found_in_full_with_its_uncertainty(seed, on):
    problem, body, gained = captured(seed, on)
    change = change_between(problem, body, ["before"], mass_kg=10.0, size_m=0.3)
    assert change.names == tuple(f"{name}_{CHANGE}" for name in PARAMETER_NAMES)
    np.testing.assert_allclose(change.values, gained, atol=1e-6 * np.abs(gained).max())
    assert np.isfinite(change.sd).all()
    np.testing.assert_allclose(change.sd**2, np.diagonal(change.covariance))


def test_a_soft_prior_of_the_rest_does_not_pull_the_change():
    problem, body, gained = captured(1, -1)
    change = change_between(replace(problem, prior=CadSpread()), body, ["before"], mass_kg=10.0, size_m=0.3)
    assert (np.abs(change.values - gained) < 0.1 * change.sd).all()
    lost = change_between(replace(problem, prior=CadSpread()), body, ["after"], mass_kg=10.0, size_m=0.3)
    assert (np.abs(lost.values + gained) < 0.1 * lost.sd).all()  # the other way round in time


def test_the_flights_before_a_change_must_be_some_but_not_all():
    problem, body, _ = captured(1, -1)
    for before in ([], ["before", "after"], ["nobody"]):
        with pytest.raises(InvalidProblem, match="allowed: some, but not all, of after, before"):
            change_between(problem, body, before, 10.0, 0.3)
