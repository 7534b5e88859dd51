import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import random_trees
from random_trees import BASES, FEWEST, MOST, ROBOTS, random_robot, random_samples, statistics, traits

from freefloat.robot.parameters import pseudo_inertia
from freefloat.robot.urdf_write import urdf_text

COUNT = len(ROBOTS)
SEEDS = range(40)


def share(trait):
    return sum(traits(ROBOTS)[trait]) / COUNT


def test_the_list_is_long_and_holds_2_to_20_bodies():
    sizes = [len(robot.bodies) for robot in ROBOTS]
    assert COUNT >= 60
    assert (min(sizes), max(sizes)) == (FEWEST, MOST) == (2, 20)
    assert len(set(sizes)) >= 15


@pytest.mark.parametrize("trait", ["branched", "prismatic joints"])
def test_at_least_a_third_of_the_list(trait):
    assert share(trait) >= 1 / 3


@pytest.mark.parametrize("trait", ["skew axes", "full inertia tensors"])
def test_all_of_the_list(trait):
    assert share(trait) == 1.0


@pytest.mark.parametrize("base", BASES)
def test_every_kind_of_base_comes_branched_and_not_and_sliding_and_not(base):
    found = traits([robot for robot in ROBOTS if robot.base == base])
    mixtures = set(zip(found["branched"], found["prismatic joints"], strict=True))
    assert len(mixtures) == 4
    for trait in ("gravity", "reaction wheels", "bodies on fixed joints", "separate bodies"):
        assert any(found[trait]), trait


def test_the_traits_tell_plain_robots_from_odd_ones():
    odd = ROBOTS[0]
    body, end = odd.bodies[0], odd.bodies[-1]
    straight = replace(end, joint=replace(end.joint, axis=np.array([0.0, 0.0, 1.0])))
    ball = replace(body, parameters=np.array([1.0, 0, 0, 0, 1.0, 0, 1.0, 0, 0, 1.0]))
    plain = replace(odd, bodies=(ball, replace(straight, parent="base")))
    found = traits([odd, plain])
    assert found["skew axes"] == [True, False]
    assert found["full inertia tensors"] == [True, False]
    assert found["branched"] == [True, False]


def test_a_fork_behind_a_fixed_joint_is_a_fork():
    robot = random_robot(0, bodies=4, branched=False, prismatic=False)
    base, hub, left, right = robot.bodies
    weld = replace(hub, joint=replace(hub.joint, kind="fixed"))
    forked = replace(robot, bodies=(base, weld, left, replace(right, parent="body1")))
    assert not random_trees.is_branched(robot)
    assert random_trees.is_branched(forked)
    assert random_trees.is_branched(forked.with_separate(["body1"]))


def test_the_program_prints_the_statistics():
    program = Path(random_trees.__file__)
    shown = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == statistics(ROBOTS).strip()
    assert f"{COUNT} robots" in shown


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_every_body_can_exist_and_the_base_has_room_for_its_wheels(robot):
    for body in robot.bodies:
        moments = np.linalg.eigvalsh(pseudo_inertia(body.parameters))
        assert moments[0] > 1e-6 * moments[-1], body.name
    urdf_text(robot)  # refuses a base too small for its wheels


def test_the_same_seed_gives_the_same_robot_and_the_same_motion():
    one, other = random_robot(3, wheels=2), random_robot(3, wheels=2)
    assert np.array_equal(one.parameters, other.parameters)
    assert np.array_equal(one.tree.arrays.geometry, other.tree.arrays.geometry)
    assert np.array_equal(random_samples(one, 4, 5).q, random_samples(other, 4, 5).q)
    assert not np.array_equal(random_samples(one, 4, 5).q, random_samples(one, 4, 6).q)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_generator_keeps_what_is_asked_of_it(seed):
    branched, prismatic, fixed_bodies = bool(seed & 1), bool(seed & 2), bool(seed & 4)
    wishes = {"branched": branched, "prismatic": prismatic, "fixed_bodies": fixed_bodies}
    robot = random_robot(seed, bodies=5 + seed % 16, base=BASES[seed % 3], wheels=seed % 3, **wishes)
    found = {trait: truths[0] for trait, truths in traits([robot]).items()}
    assert (len(robot.bodies), robot.base, len(robot.wheels)) == (5 + seed % 16, BASES[seed % 3], seed % 3)
    assert found["branched"] == branched
    assert found["prismatic joints"] == prismatic
    assert found["bodies on fixed joints"] == found["separate bodies"] == fixed_bodies
    lumped = len(robot.bodies) - len(robot.body_names)
    assert (lumped > 0) == fixed_bodies


def test_too_few_bodies_for_what_is_asked_are_refused():
    with pytest.raises(ValueError, match="too few"):
        random_robot(0, bodies=2, branched=True)


@pytest.mark.parametrize("base", BASES)
def test_samples_have_every_field_and_move_as_the_base_allows(base):
    robot = random_robot(1, base=base, gravity=True, wheels=2)
    samples = random_samples(robot, 20, 3)
    for name in set(samples.__dataclass_fields__) - {"others"}:
        assert np.isfinite(getattr(samples, name)).all(), name
    low, high = np.array([joint.position for joint in robot.joints]).T
    assert ((low <= samples.q) & (samples.q <= high)).all()
    assert (np.diff(samples.t) > 0).all()
    held = {"free": [], "planar": [2, 3, 4], "fixed": list(range(6))}[base]
    for twist in (np.hstack([samples.v, samples.w]), np.hstack([samples.dv, samples.dw])):
        assert np.flatnonzero(~twist.any(axis=0)).tolist() == held
    assert (samples.position[:, 2] == 0.0).all() == (base != "free")
    assert (samples.attitude[:, :2] == 0.0).all() == (base != "free")
    np.testing.assert_allclose(np.linalg.norm(samples.attitude, axis=1), 1.0, atol=1e-15)
