"""Laws of minimal parameters on any tree: how many there are, that two ways of finding them agree, and that
nothing is lost by using them. Right angles and almost right angles get robots of their own, because there
closed forms fail first."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from agreement import assert_agree, clear_rank
from random_trees import ROBOTS, random_joint, random_parameters, random_placement, random_robot, tilted
from scipy.linalg import subspace_angles

from freefloat.dynamics.energy import kinetic_energy_regressor
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.states import random_states
from freefloat.dynamics.torque import torque_regressor
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.models.closed_form_clusters import closed_form
from freefloat.models.model import Energy, Momentum, Torque, clusters_over
from freefloat.models.numerical import independent_columns, standard_preference
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint
from freefloat.robot.selection import select_parameters
from freefloat.robot.transform import Transform, rotation_about, turn_about

SAME_SPACE = 1e-7  # largest principal angle
EXACT = 1e-12
BY_NUMBERS = 1e-11  # what least squares leaves where clusters are found by it
FLOOR = 1e-3  # many entries vanish by law, up to rounding
NO_GRAVITY, DOWN, SLANTED = np.zeros(3), np.array([0.0, 0.0, -9.81]), np.array([1.0, 2.0, -9.0])

TREES = [
    replace(robot, base="free", gravity=NO_GRAVITY)
    for robot in [*ROBOTS, *(random_robot(seed, name=f"tree {seed}") for seed in range(100, 140))]
]
SMALL = [robot for robot in TREES if len(robot.joints) <= 8]

every_tree = pytest.mark.parametrize("robot", TREES, ids=lambda robot: robot.name)


def named(robot):
    return robot.name


def by_numbers(robot, rows):
    """Clusters of sampled rows (n, rows, 10 bodies)."""
    Y = rows.reshape(-1, robot.parameters.size)
    return independent_columns(Y, robot.parameter_names, standard_preference(len(robot.body_names)))


def states(robot, rows_per_state, seed=2, **choices):
    """Half as many rows again as there are parameters, and some more."""
    return random_states(robot, 10 + 3 * robot.parameters.size // (2 * rows_per_state), seed, **choices)


def assert_same_space(one, other, doubt=0.0):
    """doubt: how far the numbers themselves are from deciding."""
    assert len(one) == len(other)
    if len(one):
        largest = float(np.max(subspace_angles(one.combine.T, other.combine.T)))
        assert largest < max(SAME_SPACE, doubt), f"{len(one)} clusters, principal angle {largest:.2g}"


def assert_nothing_is_lost(minimal, rows, parameters):
    """Rows times clusters are rows times standard parameters: these, and each of them alone."""
    kept = minimal.reduce(rows)
    assert_agree(kept @ minimal.values(parameters), rows @ parameters, EXACT, FLOOR)
    terms = np.abs(kept).max(axis=(0, 1)) @ np.abs(minimal.combine)
    terms = np.maximum(terms, FLOOR * terms.max(initial=0.0))  # what a column is the sum of
    lost = np.abs(kept @ minimal.combine - rows).max(axis=(0, 1))
    assert (lost <= EXACT * terms).all(), f"{np.max(lost / terms):.2g} of a column is lost"


# ---------------------------------------------------------------------- free trees


@cache
def closed(robot):
    return closed_form(robot)


def test_there_are_at_least_a_hundred_trees_of_all_kinds():
    assert len(TREES) >= 100
    slides = [any(joint.kind == "prismatic" for joint in robot.joints) for robot in TREES]
    assert 30 < sum(slides) < 90
    assert {len(robot.joints) for robot in TREES} >= set(range(1, 20))


@every_tree
def test_a_free_tree_has_ten_and_seven_and_four(robot):
    sliding = sum(joint.kind == "prismatic" for joint in robot.joints)
    assert len(closed(robot)) == 10 + 7 * (len(robot.joints) - sliding) + 4 * sliding


@every_tree
def test_closed_form_and_numbers_span_the_same_space(robot):
    assert_same_space(closed(robot), by_numbers(robot, momentum_regressor(robot, states(robot, 6))))


@every_tree
def test_regressor_times_clusters_is_regressor_times_standard_parameters(robot):
    samples = states(robot, 30, seed=3)
    model = Momentum(robot)
    rows = model.standard_rows(samples)
    assert_agree(model.rows(samples) @ model.values(), rows @ robot.parameters, EXACT)
    assert_nothing_is_lost(closed(robot), rows, robot.parameters)


@every_tree
def test_momentum_torque_base_wrench_and_kinetic_energy_show_the_same(robot):
    torque = torque_regressor(robot, states(robot, 6 + len(robot.joints), seed=4))
    wrench = torque_regressor(robot, states(robot, 6, seed=5))[:, :6]
    for rows in (torque, wrench):
        assert_same_space(closed(robot), by_numbers(robot, rows))
    energy = kinetic_energy_regressor(robot, states(robot, 1, seed=6))
    assert_same_space(closed(robot), by_numbers(robot, energy))


@every_tree
def test_clusters_are_independent_and_led_by_their_kept_parameter(robot):
    minimal = closed(robot)
    np.testing.assert_array_equal(minimal.combine[:, minimal.kept], np.eye(len(minimal)))


@pytest.mark.parametrize("gravity", [DOWN, SLANTED], ids=["down", "slanted"])
def test_gravity_shows_nothing_new_of_a_free_robot(gravity):
    for robot in SMALL:
        heavy = replace(robot, gravity=gravity)
        assert_same_space(closed_form(heavy), closed(robot))
        rows = Torque(heavy).standard_rows(states(heavy, 8))
        assert_same_space(closed(robot), by_numbers(heavy, rows))


# ---------------------------------------------------------------------- fixed and planar bases


@pytest.mark.parametrize("gravity", [NO_GRAVITY, DOWN, SLANTED], ids=["no gravity", "gravity z", "slanted"])
@pytest.mark.parametrize("base", ["fixed", "planar"])
@pytest.mark.parametrize("robot", TREES[:66:3], ids=named)
def test_on_a_fixed_or_planar_base_the_closed_form_is_what_the_torques_show(robot, base, gravity):
    robot = replace(robot, base=base, gravity=gravity)
    rows = Torque(robot).standard_rows(states(robot, len(robot.joints)))
    minimal = closed_form(robot)
    assert_same_space(minimal, by_numbers(robot, rows))
    assert_nothing_is_lost(minimal, rows, robot.parameters)


def right_angled(seed, base=None):
    """A robot of right angles: parallel, crossing and coinciding axes, gravity along or across the first."""
    rng = np.random.default_rng([seed, 23])
    quarter = ((1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (-1.0, 0.0))
    slides, branched = rng.random() < 0.5, rng.random() < 0.3
    bodies = [Body("base", parameters=random_parameters(rng, 50.0, 0.8))]
    for index in range(1, int(rng.integers(2, 9))):
        R = turn_about(0, *quarter[rng.choice(4, p=[0.4, 0.25, 0.25, 0.1])])
        if rng.random() < 0.3:
            R = R @ turn_about(2, *quarter[rng.integers(4)])
        p = [rng.choice([0.0, 0.0, 0.5]), rng.choice([0.0, 0.0, 0.0, 0.2]), rng.choice([0.0, 0.0, 0.3])]
        axis = np.eye(3)[2 if rng.random() < 0.8 else rng.integers(3)]
        joint = Joint(f"j{index}", "prismatic" if slides and rng.random() < 0.4 else "revolute", axis)
        parent = bodies[int(rng.integers(index))] if branched else bodies[-1]
        phi = random_parameters(rng, 5.0, 0.4)
        bodies.append(Body(f"body{index}", parent.name, joint, Transform(R, p), phi))
    pulls = [NO_GRAVITY, DOWN, -9.81 * np.eye(3)[0], 9.81 * np.eye(3)[1], np.array([3.0, 0.0, -9.0])]
    gravity = pulls[rng.choice(5, p=[0.25, 0.35, 0.15, 0.15, 0.1])]
    chosen = str(rng.choice(["fixed", "fixed", "planar"]))
    return Robot(f"right angles {seed}", tuple(bodies), base=base or chosen, gravity=gravity)


RIGHT_ANGLED = [right_angled(seed) for seed in range(150)]


def test_the_right_angled_robots_are_degenerate_in_every_way():
    parallel = crossing = along_gravity = 0
    for robot in RIGHT_ANGLED:
        first, *others = robot.bodies[1:]
        z = first.placement.R @ first.joint.axis
        along_gravity += bool(robot.gravity.any() and not np.cross(z, robot.gravity).any())
        for body in others:
            before = robot.body(body.parent)
            if before.joint is not None:
                here = body.placement.R @ body.joint.axis
                parallel += not np.cross(here, before.joint.axis).any()
                crossing += np.cross(here, before.joint.axis).any() and not body.placement.p.any()
    assert min(parallel, crossing) > 60
    assert along_gravity > 30


@pytest.mark.parametrize("robot", RIGHT_ANGLED, ids=named)
def test_with_right_angles_the_closed_form_is_what_the_torques_show(robot):
    samples = states(robot, len(robot.joints))
    rows, minimal = Torque(robot).standard_rows(samples), closed_form(robot)
    assert_same_space(minimal, by_numbers(robot, rows))
    assert_nothing_is_lost(minimal, rows, robot.parameters)


def test_energy_shows_on_a_fixed_or_planar_base_what_the_torques_show():
    """Of energy only the changes count: its zero level is anybody's choice."""
    for robot in RIGHT_ANGLED[:30]:
        model = Energy(robot)
        samples = states(robot, 1, seed=6)
        rows = np.diff(model.standard_rows(samples), axis=0)
        assert_same_space(model.minimal, by_numbers(robot, rows))
        changes = np.diff(model.rows(samples), axis=0) @ model.values()
        assert_agree(changes, rows @ robot.parameters, EXACT)


# ---------------------------------------------------------------------- almost right angles


@pytest.mark.parametrize("angle", [0.1, 1e-2, 1e-3, 1e-4, 1e-6])
def test_axes_that_are_almost_right_lose_no_digits_on_a_free_base(angle):
    for seed in range(25):
        robot = tilted(right_angled(seed, base="free"), angle, seed)
        rows, minimal = Torque(robot).standard_rows(states(robot, 6)), closed_form(robot)
        assert_same_space(minimal, by_numbers(robot, rows))
        for few in np.array_split(rows, 4):  # among many a small row hides behind its largest value
            assert_nothing_is_lost(minimal, few, robot.parameters)


@pytest.mark.parametrize("base", ["fixed", "planar"])
@pytest.mark.parametrize("angle", [0.1, 0.03, 0.01])
def test_axes_that_are_almost_right_lose_no_digits_on_a_fixed_or_planar_base(angle, base):
    for seed in range(25):
        robot = tilted(right_angled(seed, base), angle, seed)
        rows = Torque(robot).standard_rows(states(robot, len(robot.joints)))
        minimal = closed_form(robot)
        shown = minimal.reduce(rows) @ minimal.values(robot.parameters)
        assert_agree(shown, rows @ robot.parameters, EXACT, FLOOR)
        # Numbers know directions to one over their gap, and what shows through the angle alone to one over that: tree
        # 17 on a fixed base, at 0.01 rad, has a gap of 3e8, all others 1e14.
        numbers = by_numbers(robot, rows)
        assert_same_space(minimal, numbers, 1.0 / (angle * numbers.gap))


def test_a_coefficient_close_to_a_fraction_is_not_made_one():
    """Turned by 3e-5 rad, a first moment counts 1 - 4.5e-10 in the parent's."""
    turn = Transform(rotation_about([1.0, 0.0, 0.0], 3e-5), [0.0, 0.0, 0.0])
    slider = Body("slider", "base", Joint("slide", "prismatic"), turn)
    robot = Robot("almost straight", (Body("base"), slider))
    rows = momentum_regressor(robot, states(robot, 6))
    assert_nothing_is_lost(closed_form(robot), rows, np.ones(20))


# ---------------------------------------------------------------------- restricted motion


def welded(robot, locked, q):
    """The robot with these joints fixed at their positions; their bodies keep parameters of their own."""
    position = dict(zip(robot.joint_names, q, strict=True))
    bodies, separate = [], set(robot.separate)
    for body in robot.bodies:
        if body.joint is not None and body.joint.name in locked:
            axis, value = body.joint.axis, position[body.joint.name]
            slides = body.joint.kind == "prismatic"
            moved = Transform(p=value * axis) if slides else Transform(R=rotation_about(axis, value))
            joint = Joint(body.joint.name, "fixed")
            bodies.append(replace(body, joint=joint, placement=body.placement @ moved))
            separate.add(body.name)
        else:
            bodies.append(body)
    return replace(robot, bodies=tuple(bodies), separate=frozenset(separate))


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_a_robot_with_locked_joints_shows_what_the_welded_one_has(base):
    for seed, tree in enumerate(robot for robot in SMALL if len(robot.joints) > 1):
        robot = replace(tree, base=base, gravity=SLANTED if seed % 2 else NO_GRAVITY)
        locked = robot.joint_names[seed % 2 :: 2]
        samples = states(robot, len(robot.joints) // 2, locked=locked)
        rigid = welded(robot, locked, samples.q[0])
        assert rigid.parameter_names == robot.parameter_names
        moving = [6 + index for index, name in enumerate(robot.joint_names) if name not in locked]
        base_rows = {"free": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "fixed": []}[base]
        rows = torque_regressor(robot, samples)[:, [*base_rows, *moving]]
        assert_same_space(closed_form(rigid), by_numbers(robot, rows))


# ---------------------------------------------------------------------- declared zero, declared known

DECLARED = [
    {"known": ("*.m",), "zero": ()},
    {"known": (), "zero": ("*.products",)},
    {"known": ("body1",), "zero": ("base.moments",)},
    {"known": ("body1",), "zero": ("*.products", "base.mz")},  # some are both: zero counts
]


@pytest.mark.parametrize("declared", DECLARED, ids=["masses", "products", "a body", "overlapping"])
@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_what_is_declared_zero_or_known_leaves_the_clusters_that_sampling_finds(base, declared):
    for tree in [*SMALL[::3], *RIGHT_ANGLED[:10]]:
        robot = replace(tree, base=base)
        model = Torque(robot, **declared)
        samples = states(robot, len(robot.joints), seed=7)
        rows = model.standard_rows(samples)
        unknown = np.setdiff1d(
            np.arange(robot.parameters.size),
            select_parameters(robot, [*declared["known"], *declared["zero"]]),
        )
        np.testing.assert_array_equal(model.unknown, unknown)
        masked = np.zeros_like(rows)
        masked[..., unknown] = rows[..., unknown]
        assert_same_space(model.minimal, by_numbers(robot, masked))
        order = standard_preference(len(robot.body_names))
        assert_same_space(clusters_over(model.structure, unknown, order), model.minimal)
        assert not model.minimal.combine[:, np.setdiff1d(np.arange(robot.parameters.size), unknown)].any()


@pytest.mark.parametrize("declared", DECLARED, ids=["masses", "products", "a body", "overlapping"])
def test_rows_times_clusters_and_what_is_known_make_up_the_whole(declared):
    for robot in [*SMALL[::2], *RIGHT_ANGLED[:12]]:
        model, samples = Torque(robot, **declared), states(robot, 20, seed=8)
        phi = np.array(robot.parameters)
        phi[select_parameters(robot, declared["zero"])] = 0.0
        whole = model.rows(samples) @ model.values() + model.offset(samples)
        assert_agree(whole, model.standard_rows(samples) @ phi, BY_NUMBERS, FLOOR)


def test_clusters_are_linear_in_the_parameters():
    for robot in SMALL[::3]:
        model = Momentum(robot, known=("body1",), zero=("*.products",))
        one, other = np.random.default_rng(9).normal(size=(2, robot.parameters.size))
        both = model.values(2.0 * one - 3.0 * other)
        apart = 2.0 * model.values(one) - 3.0 * model.values(other)
        np.testing.assert_allclose(both, apart, rtol=0, atol=1e-13 * np.abs(both).max())


# ---------------------------------------------------------------------- two arms of six joints


@cache
def dual_arm():
    rng = np.random.default_rng(31)
    bodies = [Body("base", parameters=random_parameters(rng, 150.0, 0.8))]
    for arm in ("left", "right"):
        parent = "base"
        for index in range(1, 7):
            name, joint = f"{arm}{index}", random_joint(rng, f"{arm}_joint{index}", "revolute")
            phi = random_parameters(rng, rng.uniform(1.0, 10.0), 0.4)
            bodies.append(Body(name, parent, joint, random_placement(rng), phi))
            parent = name
    return Robot("dual arm", tuple(bodies))


def at_zero_momentum(robot, samples):
    v, w = base_reaction(robot, samples)
    return replace(samples, v=v, w=w)


def test_the_momentum_of_a_dual_arm_shows_94_and_93_at_zero_momentum():
    robot, model = dual_arm(), Momentum(dual_arm())
    assert len(model.minimal) == 94
    samples = states(robot, 6)
    assert clear_rank(model.rows(samples).reshape(-1, 94)) == 94
    rows = model.rows(at_zero_momentum(robot, samples)).reshape(-1, 94)
    assert clear_rank(rows) == 93
    along_scale = rows * model.values()
    assert np.abs(along_scale.sum(axis=1)).max() < 1e-12 * np.abs(along_scale).max()  # this is lost


def test_the_angular_momentum_of_a_dual_arm_shows_94_and_93_at_zero_momentum():
    robot, model = dual_arm(), AngularMomentum(dual_arm())
    theta = model.underlying.minimal.values(robot.parameters)
    slopes = model.jacobian(theta)
    samples = states(robot, 3)
    anywhere = model.rows(samples).reshape(-1, len(model.minimal)) @ slopes
    assert clear_rank(anywhere) == theta.size == 94
    rows = model.rows(at_zero_momentum(robot, samples)).reshape(-1, len(model.minimal)) @ slopes
    assert clear_rank(rows) == 93
    along_scale = rows * theta
    assert np.abs(along_scale.sum(axis=1)).max() < 1e-12 * np.abs(along_scale).max()  # this is lost


def test_the_joint_torques_of_a_dual_arm_alone_show_84():
    robot = dual_arm()
    minimal = by_numbers(robot, torque_regressor(robot, states(robot, 12))[:, 6:])
    assert len(minimal) == 84
    assert set(minimal.never) >= {f"{name}_base" for name in ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz")}
