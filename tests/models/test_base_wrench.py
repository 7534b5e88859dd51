"""What the wrench under a base that stands shows: its clusters are what sampled rows have rank for, and no fewer."""

import numpy as np
import pytest
from random_trees import random_robot, random_samples, straightened

from freefloat.models.model import BaseWrench, NotApplicable, Torque

TREES = [random_robot(seed, bodies=4 + seed, base="fixed", gravity=seed % 2 == 0) for seed in range(6)]
ROBOTS = [*TREES, *(straightened(robot, seed) for seed, robot in enumerate(TREES))]


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_clusters_are_those_that_sampled_rows_show(robot):
    model = BaseWrench(robot)
    samples = random_samples(robot, 4 * len(robot.body_names) + 20)
    Y = model.standard_rows(samples).reshape(-1, robot.parameters.size)
    sizes = np.linalg.norm(Y, axis=0)
    Y = Y[:, sizes > 0.0] / sizes[sizes > 0.0]
    assert len(model.minimal) == np.linalg.matrix_rank(Y, tol=1e-9 * np.linalg.norm(Y, 2))
    whole = model.standard_rows(samples) @ robot.parameters
    assert np.allclose(model.rows(samples) @ model.values(), whole, atol=1e-9 * np.abs(whole).max())


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_it_shows_all_that_torques_do(robot):
    wrench, torque = BaseWrench(robot).minimal.combine, Torque(robot).minimal.combine
    rest = torque - torque @ np.linalg.pinv(wrench) @ wrench
    assert np.abs(rest).max(initial=0.0) < 1e-9 * np.abs(torque).max(initial=1.0)


def test_weight_shows_the_mass_of_the_base_that_torques_do_not():
    robot = random_robot(3, bodies=4, base="fixed", gravity=True)
    assert "m_base" in BaseWrench(robot).minimal.leaders
    assert "m_base" not in Torque(robot).minimal.leaders


def test_a_base_that_moves_has_no_such_rows():
    with pytest.raises(NotApplicable, match="a base that stands, and that of tree 1 is free"):
        BaseWrench(random_robot(1, base="free"))
