"""Flights that do not show everything, nothing but the data to go by: what is found is right, what is not is open."""

import numpy as np
import pytest
from strangers import truth
from strangers.documents import mission_document, robot_document
from strangers.hard_cases import HardCase, heavier, short_cut, short_cut_of_eleven_joints
from strangers.trying import HALF, read_mission, recording_of, true_values

import freefloat as ff
from freefloat.dynamics.torque import mass_matrix

pytestmark = pytest.mark.slow

COVERED = 0.9
SHOWN = 1.0 / 3.0  # least part of all directions that a short cut shows better than the CAD model does
# Less than of clusters: where other directions are a hundred times as wide as the CAD model's, a little curvature turns
# the narrow ones. Found of these flights: 0.88 and 0.97.
COVERED_DIRECTIONS = 0.8


def identified(case: HardCase):
    mission = read_mission(robot_document(case.said), mission_document(case.said, trusted=False))
    return mission, ff.identify(mission, recording_of(case.seen))


def inside(estimate, case):
    given = np.isfinite(estimate.sd)
    return float(
        (np.abs(estimate.values - true_values(estimate, case.truth))[given] < HALF * estimate.sd[given]).mean()
    )


def spread_of_cad(estimate, robot):
    """Covariance of an estimate's clusters by what is said of the CAD model and of what is known, shape (c, c)."""
    names, prior = list(estimate.minimal.names), robot.prior
    covariance = np.zeros((len(names), len(names)))
    for name, body in {"base": robot.base, **{each.name: each.weighs for each in robot.bodies}}.items():
        known = robot.known.get(name)
        spread = truth.spread_of(body, *((prior.mass, prior.com, prior.inertia) if known is None else (known,) * 3))
        places = [names.index(f"{parameter}_{name}") for parameter in truth.NAMES]
        covariance[np.ix_(places, places)] = spread @ spread.T
    return estimate.minimal.combine @ covariance @ estimate.minimal.combine.T


def shown_directions(estimate, case):
    """Part of all directions of the clusters that are better known than by the CAD model, and part of these that hold.

    Directions are those in which the estimate's errors are independent, and the CAD model's as large as each other.
    """
    root = np.linalg.cholesky(spread_of_cad(estimate, case.said))
    variances, directions = np.linalg.eigh(np.linalg.solve(root, np.linalg.solve(root, estimate.covariance).T))
    off = directions.T @ np.linalg.solve(root, estimate.values - true_values(estimate, case.truth))
    narrow = variances < 1.0
    return float(narrow.mean()), float((np.abs(off)[narrow] < HALF * np.sqrt(variances[narrow])).mean())


def test_a_robot_far_from_its_cad_model_is_found_whole():
    """Two arms, four wheels, momentum unknown, all but the load 22 % heavier than was thought."""
    case = heavier()
    mission, estimate = identified(case)
    assert estimate.outcome == "good", estimate.warnings
    assert inside(estimate, case) > COVERED
    assert ff.validate(mission, estimate, recording_of(case.unseen)).verdict == "pass"
    true = np.concatenate([case.truth.bodies[name] for name in estimate.robot.body_names])
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (5, len(estimate.robot.joints)))
    found, expected = ff.FloatingModel(estimate).mass_matrix(q), mass_matrix(estimate.robot.with_parameters(true), q)
    shown = np.isfinite(found.value)
    assert shown.all()
    # the wheels' mass is the base's: their spin alone is not in the matrix of either
    off = np.abs(found.value - expected) - HALF * found.sd
    assert float((off < 1e-9 * np.abs(expected).max()).mean()) > COVERED


@pytest.mark.parametrize("make", [short_cut, short_cut_of_eleven_joints])
def test_what_a_short_cut_does_not_show_is_open_and_what_it_shows_is_narrow_and_holds(make):
    """Nearly every cluster has a part that is not shown, and is wide: what is shown are sums of many."""
    cases = [make(seed) for seed in range(3)]
    estimates = [identified(case)[1] for case in cases]
    assert np.mean([inside(*each) for each in zip(estimates, cases, strict=True)]) >= COVERED
    shown, held = np.transpose([shown_directions(*each) for each in zip(estimates, cases, strict=True)])
    assert shown.min() >= SHOWN
    assert held.mean() >= COVERED_DIRECTIONS
