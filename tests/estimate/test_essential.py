"""Essential clusters: the others may be left out, those may not."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.driven_problems import driven_case

from freefloat.dynamics.torque import torque_regressor
from freefloat.estimate.essential import essential_clusters
from freefloat.estimate.estimated_drives import drive_columns
from freefloat.estimate.linear.least_squares import LeastSquares

TERMS = ("coulomb", "viscous")
SMALL = 1.01  # of what is left


def left_with(estimate, kept):
    """Root mean square of what these clusters leave, over what an estimate leaves of each joint's torque."""
    (flight,) = estimate.flights
    A, joints = torque_regressor(estimate.robot, flight.motion)[:, 6:][:, :, estimate.minimal.kept], []
    for joint, size in enumerate(estimate.torque_left):
        F = drive_columns(estimate, flight.motion, joint)
        beside = A[:, joint] - F @ np.linalg.lstsq(F, A[:, joint], rcond=None)[0]
        joints.append(beside / size)
    rows = np.concatenate(joints)
    explained = rows @ estimate.values
    with_few = rows[:, kept]
    missed = explained - with_few @ np.linalg.lstsq(with_few, explained, rcond=None)[0]
    return np.sqrt(1.0 + missed @ missed / len(rows))


@pytest.mark.parametrize("seed", [1, 2, 3, 5])
def test_torques_are_as_good_without_the_others_and_worse_without_one_more(seed):
    problem, _ = driven_case("torque", seed, TERMS, {"torques": 0.5}, TERMS, bodies=4, n=600)
    estimate = LeastSquares().estimate(problem)
    found = essential_clusters(estimate)
    assert found is not None
    kept = np.isin(estimate.names, found.names)
    assert 0 < kept.sum() < len(kept)
    assert left_with(estimate, kept) <= SMALL + 1e-9
    fewer = [np.where(np.arange(len(kept)) == place, False, kept) for place in np.flatnonzero(kept)]
    assert min(left_with(estimate, each) for each in fewer) > SMALL


def test_without_torques_nothing_is_said():
    problem, _ = driven_case("torque", 1, TERMS, {"torques": 0.5}, TERMS, bodies=4, n=200)
    estimate = LeastSquares().estimate(problem)
    assert essential_clusters(replace(estimate, residuals=())) is None
