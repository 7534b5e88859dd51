"""Physically consistent estimates: bodies that can exist, clusters that are kept, a warning where both cannot be."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import scipy.linalg
from estimate.estimates_made import estimate_of, smallest_eigenvalues, wrong_cad
from estimate.problems import make_case
from random_trees import ROBOTS, random_robot

from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.states import random_states
from freefloat.dynamics.torque import torque_regressor
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.errors import UnknownName
from freefloat.estimate.estimate_parts import Budget, Quantity, UsedFlight
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.physical.drives import drives_beside
from freefloat.estimate.physical.physically_consistent import PhysicallyConsistent, physical_robot
from freefloat.estimate.physical.pieces import with_physical_pieces
from freefloat.estimate.physical.pseudo_inertia_program import NotSolved
from freefloat.estimate.physical.regularisers import TradeOff
from freefloat.estimate.prior import CadSpread
from freefloat.models.model import NotApplicable
from freefloat.robot.drive import drive_name
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com, pseudo_inertia
from freefloat.robot.parts import Body, Joint
from freefloat.robot.physicality import check_physicality
from freefloat.robot.selection import select_parameters
from freefloat.robot.shapes import Ellipsoid
from freefloat.robot.transform import Transform
from freefloat.robot.urdf_write import urdf_text
from freefloat.studies.catalogue import study_robot

SMALL = [robot for robot in ROBOTS if 3 <= len(robot.bodies) <= 12][:16]
every_robot = pytest.mark.parametrize("robot", SMALL, ids=lambda robot: robot.name)


def shown(estimate):
    """Which of the standard parameters belong to a body that is part of some cluster."""
    return np.repeat(np.abs(estimate.minimal.combine).reshape(len(estimate.minimal), -1, 10).any(axis=(0, 2)), 10)


def distance(difference, robot, prior=None):
    """From the CAD model, squared, in units of its spread: difference (10 bodies,), one body independent of another."""
    covariance = (prior or CadSpread()).covariance(robot)
    return float(difference @ np.linalg.solve(covariance, difference))


# ---------------------------------------------------------------------- clusters that some physical robot has


@every_robot
def test_clusters_that_a_physical_robot_has_are_kept_and_every_body_can_exist(robot):
    estimate = estimate_of(robot, wrong_cad(robot, 1))
    found = physical_robot(estimate)
    assert np.abs((found.clusters - estimate.values) / estimate.sd).max() < 1e-6
    assert found.misfit == 0.0
    assert found.explains
    assert found.warnings == ()
    assert (smallest_eigenvalues(found.parameters[shown(estimate)]) > 0.0).all()
    np.testing.assert_allclose(
        found.robot.parameters, found.parameters, rtol=0, atol=1e-12 * abs(found.parameters).max()
    )


@every_robot
def test_of_all_such_robots_the_nearest_to_the_cad_model_is_taken(robot):
    cad = wrong_cad(robot, 2)
    estimate = estimate_of(robot, cad)
    found = physical_robot(estimate)
    away = np.where(shown(estimate), found.parameters - cad.parameters, 0.0)
    towards = np.where(shown(estimate), robot.parameters - found.parameters, 0.0)  # the truth has these clusters too
    inner = away @ np.linalg.solve(CadSpread().covariance(cad), towards)
    assert inner >= -1e-3 * distance(away, cad)  # spreads below a thousandth of a body's size count as that
    assert distance(away, cad) <= distance(np.where(shown(estimate), robot.parameters - cad.parameters, 0.0), cad)


def test_a_cad_model_that_has_the_clusters_comes_back():
    for robot in SMALL[:6]:
        found = physical_robot(estimate_of(robot))
        np.testing.assert_allclose(found.parameters, robot.parameters, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_what_was_declared_stays(seed):
    robot = random_robot(seed, bodies=6, base="free")
    zero, known = ("*.products",), ("body2", "base.m")
    phi = np.array(robot.parameters)
    phi[select_parameters(robot, zero)] = 0.0
    truth = robot.with_parameters(
        np.where(np.isin(np.arange(phi.size), select_parameters(robot, known)), robot.parameters, phi)
    )
    estimate = estimate_of(truth, wrong_cad(truth, seed, 0.3, known), seed=seed, known=known, zero=zero)
    found = physical_robot(estimate).parameters
    settled = select_parameters(robot, known)
    np.testing.assert_array_equal(found[settled], estimate.robot.parameters[settled])
    assert not found[np.setdiff1d(select_parameters(robot, zero), settled)].any()


def test_directions_that_the_data_do_not_show_are_the_cad_models():
    robot = random_robot(3, bodies=4, base="free")
    cad = wrong_cad(robot, 3, 0.3)
    estimate = estimate_of(robot, cad)
    unseen = np.zeros((1, len(estimate.values)))
    unseen[0, estimate.names.index("m_base")] = 1.0
    held = replace(estimate, unseen=unseen)
    mass = [physical_robot(each).parameters[::10].sum() for each in (estimate, held)]
    assert mass[0] == pytest.approx(robot.mass, rel=1e-9)
    assert mass[1] != pytest.approx(robot.mass, rel=1e-3)
    others = np.array(estimate.names) != "m_base"
    np.testing.assert_allclose(physical_robot(held).clusters[others], estimate.values[others], rtol=1e-7, atol=1e-9)


def bayesian_share(estimate):
    """Variance of each parameter after data of the estimate's covariance over that before, without limits."""
    before, combine = CadSpread().covariance(estimate.robot), estimate.minimal.combine
    gain = before @ combine.T @ np.linalg.inv(combine @ before @ combine.T + estimate.covariance)
    return np.diagonal(before - gain @ combine @ before) / np.diagonal(before)


def own_clusters(estimate):
    """Clusters that are a single parameter, and which it is."""
    single = np.flatnonzero((np.abs(estimate.minimal.combine) > 1e-9).sum(axis=1) == 1)
    return single, np.abs(estimate.minimal.combine[single]).argmax(axis=1)


def test_the_cad_model_is_trusted_as_when_the_estimate_was_made():
    robot = SMALL[0]
    estimate = estimate_of(robot, wrong_cad(robot, 3))
    prior = CadSpread(mass=0.3, com=0.02, inertia=0.2)
    own = physical_robot(replace(estimate, prior=prior)).parameters
    assert np.array_equal(own, physical_robot(estimate, prior).parameters)
    assert not np.allclose(own, physical_robot(estimate).parameters)


def test_a_covariance_that_is_none_is_refused():
    estimate = estimate_of(SMALL[0])
    with pytest.raises(NotSolved, match="negative variance"):
        physical_robot(replace(estimate, covariance=-estimate.covariance))


def test_what_is_the_priors_is_told():
    robot = random_robot(4, bodies=4, base="free")
    estimate = estimate_of(robot, known=("body1",))
    found = physical_robot(estimate)
    mostly = found.prior_share > 0.5
    assert 0 < mostly.sum() < 30
    assert found.from_prior == tuple(np.array(robot.parameter_names)[mostly])
    assert not any(name.endswith("_body1") for name in found.from_prior)
    assert found.notes[0].startswith(f"the data show {len(estimate.minimal)} sums of 30 parameters")
    assert found.notes[0].endswith(f"mostly: {', '.join(found.from_prior)}")


@pytest.mark.parametrize("relative", [1e-6, 1e-2, 1.0])
def test_the_priors_share_is_that_of_a_bayesian_without_limits(relative):
    estimate = estimate_of(random_robot(4, bodies=4, base="free"), relative=relative)
    np.testing.assert_allclose(physical_robot(estimate).prior_share, bayesian_share(estimate), rtol=0.01, atol=1e-3)


@pytest.mark.parametrize("relative", [1e-2, 0.1, 0.5])
def test_a_prior_that_the_estimate_used_is_not_counted_twice(relative):
    alone = estimate_of(random_robot(4, bodies=4, base="free"), relative=relative)
    S = alone.minimal.combine @ CadSpread().covariance(alone.robot) @ alone.minimal.combine.T
    both = np.linalg.inv(np.linalg.inv(alone.covariance) + np.linalg.inv(S))
    halves = Budget(("noise", "prior"), np.full((len(S), 2), 0.5))
    found = physical_robot(replace(alone, covariance=both, budget=halves))
    np.testing.assert_allclose(found.prior_share, bayesian_share(alone), rtol=0.01, atol=1e-3)
    stronger = int((scipy.linalg.eigvalsh(alone.covariance, S) < 1.0).sum())
    assert stronger > 1
    assert found.notes[0].startswith(f"the data show {stronger} sums of 40 parameters")


@pytest.mark.parametrize("gyro", [1e-3, 1e-2])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_priors_share_of_a_parameter_that_is_a_cluster_is_that_of_maximum_likelihood(seed, gyro):
    problem = make_case("momentum", seed, base="free", bodies=4, noise={}, declared={"w": gyro}).problem
    estimate = MaximumLikelihood().estimate(problem)
    single, parameter = own_clusters(estimate)
    share = physical_robot(estimate, problem.prior).prior_share[parameter]
    left = np.diagonal(estimate.covariance) / np.diagonal(problem.cad_covariance)
    np.testing.assert_allclose(share, left[single], rtol=0.01, atol=1e-4)
    told = estimate.budget.shares[single, estimate.budget.sources.index("prior")]
    assert single.size
    assert (share <= told + 1e-3).all()  # the budget also counts what the prior says by way of other clusters


def test_the_priors_share_is_near_the_budgets_where_data_say_little():
    problem = make_case("momentum", 2, base="free", bodies=4, noise={}, declared={"w": 1.0}).problem
    estimate = MaximumLikelihood().estimate(problem)
    single, parameter = own_clusters(estimate)
    told = estimate.budget.shares[single, estimate.budget.sources.index("prior")]
    assert told.min() > 0.9
    np.testing.assert_allclose(physical_robot(estimate).prior_share[parameter], told, rtol=0, atol=0.05)


def test_a_body_that_no_motion_shows_is_the_priors_and_stays():
    robot = random_robot(4, bodies=4, base="fixed")
    found = physical_robot(estimate_of(robot, wrong_cad(robot, 1, 0.1)))
    assert (found.prior_share[:10] == 1.0).all()
    np.testing.assert_array_equal(found.parameters[:10], wrong_cad(robot, 1, 0.1).parameters[:10])


def test_better_data_leave_less_to_the_prior():
    robot = random_robot(4, bodies=4, base="free")
    sharp = physical_robot(estimate_of(robot, relative=1e-6)).prior_share
    blunt = physical_robot(estimate_of(robot, relative=1e-1)).prior_share
    assert (blunt >= sharp - 1e-9).all()
    assert sharp.max() <= 1.0


# ---------------------------------------------------------------------- clusters that no physical robot has


@pytest.mark.parametrize(
    ("study", "bodies"), [("naveen_dual_arm", {"link4", "link5", "link6"}), ("gautier_khalil_arm", {"link3"})]
)
def test_published_truths_that_no_physical_robot_explains_are_told_with_their_bodies(study, bodies):
    found = physical_robot(estimate_of(study_robot(study)))
    [warning] = found.warnings
    assert not found.explains
    assert bodies <= set(found.at_limit)
    assert warning.startswith("no physical robot explains these data")
    assert all(body in warning for body in bodies)
    assert (smallest_eigenvalues(found.parameters)[-len(bodies) :] > 0.0).all()


@pytest.mark.parametrize(
    "study",
    ["naveen_dual_arm_physical", "gautier_khalil_arm_physical", "spirolazzi_n1", "servicer", "spirolazzi_oossim"],
)
def test_published_truths_that_exist_are_explained(study):
    estimate = estimate_of(study_robot(study))
    found = physical_robot(estimate)
    assert found.explains
    assert found.warnings == ()
    assert np.abs((found.clusters - estimate.values) / estimate.sd).max() < 1e-4


def test_a_published_sheet_is_told():
    found = physical_robot(estimate_of(study_robot("spirolazzi_oossim")))
    assert found.at_limit == ("link4",)
    assert any("link4" in note for note in found.notes)


@pytest.mark.parametrize("seed", range(8))
def test_no_physical_robot_has_a_smaller_misfit(seed):
    truth = random_robot(seed, bodies=4 + seed % 4)
    estimate = estimate_of(truth, wrong_cad(truth, seed, 0.5), relative=0.1, seed=seed)
    found = physical_robot(estimate)
    weight = np.linalg.inv(estimate.covariance)
    gap = found.clusters - estimate.values
    assert found.misfit == pytest.approx(np.sqrt(gap @ weight @ gap), rel=1e-3, abs=1e-3)
    for other in (truth, wrong_cad(truth, 5, 0.05), wrong_cad(truth, 6, 0.05)):
        if not check_physicality(other):
            slope = gap @ weight @ (estimate.minimal.values(other.parameters) - found.clusters)
            assert slope >= -1e-3 * (gap @ weight @ gap + 1.0)


@pytest.mark.parametrize("relative", [1e-12, 1e-7, 1e-1])
def test_impossible_clusters_are_judged_at_any_accuracy(relative):
    found = physical_robot(estimate_of(study_robot("gautier_khalil_arm"), relative=relative))
    assert found.explains == (relative > 1e-2)
    assert (smallest_eigenvalues(found.parameters)[1:] > 0.0).all()


def test_chance_does_not_raise_the_alarm():
    robot = study_robot("naveen_dual_arm_physical")
    found = [physical_robot(estimate_of(robot, relative=0.1, seed=seed)) for seed in range(8)]
    assert all(each.explains for each in found)
    assert any(each.misfit > 0.0 for each in found)
    assert any("no more than noise" in note for each in found for note in each.notes)


@pytest.mark.parametrize("study", ["naveen_dual_arm_physical", "spirolazzi_n1", "servicer"])
def test_consistency_costs_at_most_a_twentieth_of_the_residual(study):
    robot = study_robot(study)
    K = momentum_regressor(robot, random_states(robot, 200, seed=1)).reshape(1200, -1)
    noise = 0.3 * np.abs(K @ robot.parameters).max()
    estimate = estimate_of(robot)
    Y = K[:, estimate.minimal.kept]
    right = K @ robot.parameters + noise * np.random.default_rng(2).normal(size=1200)
    theta = np.linalg.lstsq(Y, right, rcond=None)[0]
    fitted = replace(estimate, values=theta, covariance=noise**2 * np.linalg.inv(Y.T @ Y))
    found = physical_robot(fitted)
    assert found.misfit > 1.0  # noise has made the fit impossible
    assert np.linalg.norm(Y @ found.clusters - right) <= 1.05 * np.linalg.norm(Y @ theta - right)


def test_declarations_that_no_body_can_meet_are_refused_in_one_sentence():
    robot = random_robot(1, bodies=4, base="free")
    with pytest.raises(NotSolved, match="no physical robot agrees with what was declared"):
        physical_robot(estimate_of(robot, seed=1, zero=("body2.m",)))


def test_clusters_about_the_centre_of_mass_are_refused():
    case = make_case("angular-momentum", 1)
    with pytest.raises(NotApplicable, match="angular-momentum has clusters that are not sums"):
        physical_robot(LeastSquares().estimate(case.problem))


# ---------------------------------------------------------------------- what else a body must fulfil


def test_a_body_stays_inside_its_ellipsoid():
    robot = random_robot(7, bodies=4, base="free", prismatic=False)
    estimate = estimate_of(robot, wrong_cad(robot, 7, 0.3), relative=0.05)
    free = physical_robot(estimate).parameters[20:30]
    centre, size = free[1:4] / free[0], 0.4 * np.sqrt(np.trace(pseudo_inertia(free)[:3, :3]) / free[0])
    bound = Ellipsoid(centre, np.array([size, 1.2 * size, 0.8 * size]))
    kept = physical_robot(estimate, trade_off=TradeOff(weight=0.0, inside={"body2": bound})).parameters[20:30]
    assert reach_beyond(free, bound) > 0.1
    assert reach_beyond(kept, bound) < 1e-6


def reach_beyond(phi, ellipsoid):
    """Mean of (x - c)^T S^-1 (x - c) - 1 over the body's mass: not positive for a body inside."""
    J = pseudo_inertia(phi) / phi[0]
    about = J[:3, :3] - np.outer(J[:3, 3], ellipsoid.centre) - np.outer(ellipsoid.centre, J[:3, 3])
    about += np.outer(ellipsoid.centre, ellipsoid.centre)
    return float(np.trace(np.diag(ellipsoid.semi_axes**-2) @ about)) - 1.0


def test_an_ellipsoid_of_a_body_that_is_not_there_is_refused():
    robot = random_robot(7, bodies=3, base="free")
    with pytest.raises(UnknownName, match="no moving body named 'wing'"):
        physical_robot(estimate_of(robot), trade_off=TradeOff(inside={"wing": Ellipsoid(np.zeros(3), np.ones(3))}))


def test_the_base_keeps_room_for_its_wheels():
    robot = random_robot(11, bodies=3, base="free", wheels=3)
    phi = np.array(robot.parameters)
    com = phi[1:4] / phi[0]
    flat = parameters_from_com(phi[0], com, 0.4 * robot.wheel_inertias.sum() * np.diag([1.0, 1.0, 1.9]))
    phi[:10] = flat
    estimate = estimate_of(robot.with_parameters(phi), robot, relative=0.05)
    found = physical_robot(estimate)
    assert check_physicality(found.robot) == ()
    assert "wheel" in urdf_text(found.robot)


def test_parts_of_a_piece_exist_even_if_the_piece_has_become_lighter_than_one_of_them():
    tank = parameters_from_com(60.0, [0.1, 0.2, 0.3], np.diag([3.0, 4.0, 5.0]))
    base = parameters_from_com(20.0, [0.0, 0.1, 0.0], np.diag([1.0, 1.5, 2.0]))
    place = Transform.from_rpy([0.5, -0.2, 0.1], [0.3, 0.2, 0.1])
    bodies = (Body("base", parameters=base), Body("tank", "base", Joint("fix", "fixed"), place, tank))
    robot = Robot("craft", (*bodies, Body("arm", "base", Joint("j"), place, base)))
    lighter = robot.parameters * np.r_[np.full(10, 0.5), np.full(10, 1.0)]  # 40 kg, and the tank alone had 60
    found = with_physical_pieces(robot, lighter)
    np.testing.assert_allclose(found.parameters, lighter, rtol=1e-12, atol=1e-12)
    assert all(smallest_eigenvalues(body.parameters)[0] > 0.0 for body in found.bodies)
    np.testing.assert_allclose(found.body("tank").parameters, 0.5 * tank, rtol=1e-12, atol=1e-12)
    stretched = robot.parameters + np.r_[0.0, 0.0, 0.0, 0.0, 30.0, 0.1, 60.0, 0.2, -0.3, 40.0, np.zeros(10)]
    assert with_physical_pieces(robot, stretched).body("tank").parameters is robot.body("tank").parameters


# ---------------------------------------------------------------------- as an estimator


@dataclass(frozen=True)
class Given(Estimator):
    """An estimator that has its answer already."""

    name: ClassVar[str] = "given"
    answer: object = None

    def estimate(self, problem):
        return self.answer


def test_the_estimator_projects_its_start_and_says_so():
    case = make_case("momentum", 2)
    start = estimate_of(study_robot("gautier_khalil_arm"))
    found = PhysicallyConsistent(Given(start)).estimate(case.problem)
    projected = physical_robot(start)
    assert found.method == "physically-consistent"
    assert found.origin["start"] == "by-hand"
    assert found.outcome == "doubtful"
    assert found.warnings == projected.warnings
    np.testing.assert_array_equal(found.values, projected.clusters)
    assert found.residual.ratio**2 == pytest.approx(1.0 + projected.misfit**2 / 1000)


def test_the_estimators_friction_is_that_beside_its_bodies():
    robot = random_robot(12, bodies=6, base="fixed", prismatic=False)
    motion = random_states(robot, 200, seed=4)
    joint = robot.joints[1].name
    friction = (Quantity(drive_name("viscous", joint), 0.5, 0.1, "N m s/rad"), Quantity("zero", 1.0, 0.1, "rad"))
    flights = (UsedFlight("one", (), TotalMomentum.of("zero"), motion),)
    start = replace(strained(robot), nuisances=friction, flights=flights)
    found = PhysicallyConsistent(Given(start)).estimate(make_case("torque", 5).problem)
    drive = drives_beside(start, physical_robot(start, make_case("torque", 5).problem.prior).parameters)[1]
    assert found.nuisances[0].value == pytest.approx(drive.viscous)
    assert found.nuisances[0].value != pytest.approx(0.5)
    assert found.nuisances[1] == friction[1]


@pytest.mark.parametrize("model", ["momentum", "torque"])
def test_exact_data_come_back_exactly(model):
    case = make_case(model, 5)
    found = PhysicallyConsistent().estimate(case.problem)
    spread = np.sqrt(np.diagonal(case.problem.cad_covariance))
    assert np.abs((found.values - case.truth()) / spread).max() < 1e-8
    assert found.outcome == "good"


# ---------------------------------------------------------------------- near the CAD model


def strained(robot, seed=3, sharp=1e-4):
    """An estimate a little wrong in what is sharply known, so that bodies that keep it are far from the CAD model."""
    estimate = estimate_of(robot, relative=sharp)
    rng = np.random.default_rng([seed, 47])
    spread = np.sqrt(np.diagonal(CadSpread().of_clusters(robot, estimate.minimal.combine)))
    return replace(estimate, values=estimate.values + 0.6 * spread * rng.normal(size=spread.size))


def masses(found):
    return found.parameters[::10]


@pytest.mark.parametrize("regulariser", ["euclidean", "entropic", "pull-back"])
def test_bodies_that_keep_wrong_clusters_are_far_and_the_balance_is_near(regulariser):
    robot = random_robot(12, bodies=6, base="fixed", prismatic=False)
    estimate = strained(robot)
    kept = physical_robot(estimate, trade_off=TradeOff(weight=0.0))
    near = physical_robot(estimate, trade_off=TradeOff(regulariser, weight=1e4, mass_factor=None))
    cad = np.abs(robot.parameters[::10])
    assert near.misfit > kept.misfit
    assert np.abs(np.log(masses(near) / cad))[1:].max() < np.abs(np.log(masses(kept) / cad))[1:].max()
    assert any("are moved by" in note for note in near.notes)
    assert (smallest_eigenvalues(near.parameters[shown(estimate)]) > 0.0).all()


def test_a_weight_between_gives_a_misfit_between():
    robot = random_robot(12, bodies=6, base="fixed", prismatic=False)
    weights = (0.0, 1.0, 1e2, 1e4)
    found = [
        physical_robot(strained(robot), trade_off=TradeOff(weight=each, mass_factor=None)).misfit for each in weights
    ]
    assert (np.diff(found) >= -1e-6).all()
    assert found[-1] > found[0]


def test_masses_are_within_their_factor_where_that_costs_no_more_than_chance():
    robot = random_robot(12, bodies=6, base="fixed", prismatic=False)
    estimate = strained(robot, sharp=0.05)
    ratio = [masses(physical_robot(estimate, trade_off=TradeOff(mass_factor=each))) for each in (None, 1.05)]
    free, bound = (each[1:] / robot.parameters[10::10] for each in ratio)
    assert np.abs(np.log(free)).max() > np.log(1.05)
    assert np.abs(np.log(bound)).max() < np.log(1.05) + 1e-6


def test_masses_that_the_data_show_are_no_ones_to_bound():
    robot = random_robot(5, bodies=4, base="free", prismatic=False)
    heavy = robot.with_parameters(robot.parameters * 4.0)
    found = physical_robot(estimate_of(heavy, robot, relative=1e-4))
    assert masses(found).sum() == pytest.approx(4.0 * masses(physical_robot(estimate_of(robot))).sum(), rel=1e-3)


def test_a_total_mass_that_is_known_is_kept_and_one_that_cannot_be_is_refused():
    robot = random_robot(12, bodies=6, base="fixed", prismatic=False)
    estimate, total = strained(robot, sharp=0.05), 1.1 * robot.mass
    found = physical_robot(estimate, trade_off=TradeOff(total_mass=total))
    assert masses(found).sum() == pytest.approx(total, rel=1e-6)
    with pytest.raises(NotSolved, match="the total mass is from 0 to 1e-06 kg"):
        physical_robot(estimate, trade_off=TradeOff(total_mass=(None, 1e-6)))


def test_each_body_is_said_with_its_mass_before_and_after_and_what_the_data_say():
    robot = random_robot(12, bodies=6, base="fixed", prismatic=False)
    found = physical_robot(strained(robot, sharp=0.05))
    assert [each.body for each in found.masses] == list(robot.body_names[1:])
    for each in found.masses:
        place = 10 * robot.body_names.index(each.body)
        assert each.before == robot.parameters[place]
        assert each.after == found.parameters[place]
        assert each.of_data == pytest.approx(1.0 - found.prior_share[place])
        assert each.sentence in found.notes
    assert found.masses[0].sentence.endswith("% the data's")


def test_friction_is_fitted_again_beside_bodies_that_were_moved():
    robot = random_robot(12, bodies=4, base="fixed", prismatic=False)
    motion = random_states(robot, 200, seed=4)
    estimate = estimate_of(robot)
    rng = np.random.default_rng(5)
    names = [drive_name(term, joint.name) for joint in robot.joints for term in ("coulomb", "viscous", "offset")]
    sizes = rng.uniform(0.5, 1.0, len(names))
    quantities = tuple(Quantity(name, size, 0.1, "N m") for name, size in zip(names, sizes, strict=True))
    estimate = replace(
        estimate, nuisances=quantities, flights=(UsedFlight("one", (), TotalMomentum.of("zero"), motion),)
    )
    same = drives_beside(estimate, robot.parameters)
    np.testing.assert_allclose(
        [getattr(each, term) for each in same for term in ("coulomb", "viscous", "offset")], sizes, rtol=1e-9
    )
    moved = robot.parameters * 1.3
    drives = drives_beside(estimate, moved)
    torque = torque_regressor(robot, motion)[:, 6:] @ (robot.parameters - moved)
    for place, (before, after) in enumerate(zip(same, drives, strict=True)):
        F = np.column_stack([np.sign(motion.dq[:, place]), motion.dq[:, place], np.ones(200)])
        left = torque[:, place] - F @ (
            np.array([after.coulomb, after.viscous, after.offset])
            - np.array([before.coulomb, before.viscous, before.offset])
        )
        slope = F.T @ left
        free = np.array([after.coulomb > 1e-9, after.viscous > 1e-9, True])
        assert np.abs(slope[free]).max() < 1e-6 * np.abs(torque).sum()
        assert (slope[~free] < 1e-6 * np.abs(torque).sum()).all()


def test_what_blocks_of_time_add_to_intervals_moves_no_body():
    """Each cluster is widened by itself: bodies moved by that would break sums that are known well."""
    robot = random_robot(12, bodies=3, base="fixed", prismatic=False)
    estimate, rng = estimate_of(robot), np.random.default_rng(6)
    wider = rng.uniform(1.0, 20.0, len(estimate.values))
    shares = np.column_stack([wider**-2.0, 1.0 - wider**-2.0])
    widened = replace(
        estimate, covariance=estimate.covariance * np.outer(wider, wider), budget=Budget(("noise", "model"), shares)
    )
    kept, same = physical_robot(estimate), physical_robot(widened)
    np.testing.assert_allclose(same.parameters, kept.parameters, rtol=1e-6, atol=1e-9)
    assert same.misfit == pytest.approx(kept.misfit, rel=1e-6, abs=1e-9)
