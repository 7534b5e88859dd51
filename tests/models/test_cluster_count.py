"""Clusters of angular momentum are counted without a list; lists, where they can be had, are the oracle."""

import pytest
from random_trees import random_robot

from freefloat.models.angular_momentum import MOST_CANDIDATES, AngularMomentum, TooManyClusters
from freefloat.studies.catalogue import study_robot


def revolute(joints, branched=False):
    return random_robot(900 + joints, bodies=joints + 1, base="free", branched=branched, prismatic=False)


def generic(joints):
    return (joints + 2) * (2 * joints + 3)


@pytest.mark.parametrize("branched", [False, True], ids=["chain", "branched"])
@pytest.mark.parametrize("joints", range(3, 9))
def test_the_count_is_the_length_of_the_list_and_the_generic_number(joints, branched):
    model = AngularMomentum(revolute(joints, branched))
    assert model.cluster_count == len(model.minimal) == generic(joints)


@pytest.mark.parametrize("branched", [False, True], ids=["chain", "branched"])
@pytest.mark.parametrize(("joints", "count"), [(20, 946), (50, 5356), (100, 20706)])
def test_long_robots_are_counted(joints, count, branched):
    assert AngularMomentum(revolute(joints, branched)).cluster_count == count == generic(joints)


@pytest.mark.parametrize("seed", range(8))
def test_sliding_joints_and_bodies_on_fixed_ones_are_counted(seed):
    for robot in (
        random_robot(seed, bodies=3 + seed % 4, base="free", prismatic=True),
        random_robot(seed, bodies=7, base="free", fixed_bodies=True),
    ):
        model = AngularMomentum(robot)
        assert model.cluster_count == len(model.minimal)


ZEROS = [
    ("*.products",),
    ("*.moments",),
    ("*.inertias",),
    ("*.products", "*.mz", "*.my"),
    ("body1.mx", "body2.my"),
    ("body1", "body2"),
]


@pytest.mark.parametrize("zero", ZEROS, ids=", ".join)
@pytest.mark.parametrize("seed", [20, 21, 22, 23])
def test_what_is_declared_zero_is_not_counted(seed, zero):
    model = AngularMomentum(random_robot(seed, bodies=5, base="free"), zero=zero)
    assert model.cluster_count == len(model.minimal)


@pytest.mark.parametrize("study", ["christidi_servicer", "spirolazzi_n1", "naveen_dual_arm"])
@pytest.mark.parametrize("zero", [(), ("*.products", "base.moments"), ("*.my",)], ids=["nothing", "products", "my"])
def test_published_robots_with_axes_parallel_or_crossing_are_counted(study, zero):
    model = AngularMomentum(study_robot(study), zero=zero)
    assert model.cluster_count == len(model.minimal)


@pytest.mark.parametrize("base", ["free", "planar"])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_visible_is_what_some_cluster_uses(seed, base):
    robot = random_robot(seed, bodies=5, base=base)
    for zero in ((), ("*.products", "body2.moments"), ("body1",)):
        model = AngularMomentum(robot, zero=zero)
        assert (model.visible_parameters() == model.used_parameters().any(axis=0)).all()


def test_a_list_that_is_too_long_is_refused_before_it_is_begun():
    shortest = next(joints for joints in range(20, 50) if too_long(joints))
    assert shortest == 32
    with pytest.raises(TooManyClusters, match=rf"2511 candidates; allowed: up to {MOST_CANDIDATES}$"):
        _ = AngularMomentum(revolute(shortest)).minimal


def too_long(joints):
    return AngularMomentum(revolute(joints)).candidate_count > MOST_CANDIDATES


def test_a_planar_robot_is_counted_by_its_list_or_not_at_all():
    short, long = (random_robot(3, bodies=bodies, base="planar", prismatic=False) for bodies in (4, 60))
    model = AngularMomentum(short)
    assert model.cluster_count == len(model.minimal)
    assert AngularMomentum(long).cluster_count is None
