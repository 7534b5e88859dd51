"""Laws of clusters on robots whose axes are almost, but not quite, along coordinate axes: tilted by 1e-12 to 0.3 rad.

No coefficient is large and none is rounding, whatever is known or declared zero, and nothing of the motion is lost.
Coefficients are compared without dimensions, lengths over `typical_length`. An axis tilted by less than `TILTED`, 1e-11
rad, is not tilted; above, whatever shows at least `SHOWS`, 1e-12, of what shows most, is a cluster.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot, random_samples, straightened, tilted

from freefloat.estimate.flight import Flight
from freefloat.estimate.problem_data import ProblemData
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.models.closed_form_clusters import TILTED, closed_form
from freefloat.models.leaders import LARGEST, SHOWS, led, typical_length, typical_sizes, well_led, without_dimensions
from freefloat.models.model import Energy, Momentum, Torque
from freefloat.models.numerical import standard_preference
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.selection import select_parameters

BOUND = 10.0  # of the law; LARGEST is what is aimed at
ROUNDING = 1e-14
UNCHANGED = 1e-10  # of the largest of a prediction
GENERIC = 1e-2  # from this angle on all that a tilt shows counts, even what goes with its fifth power

TREES = [
    straightened(replace(random_robot(500 + seed, bodies=4 + seed % 7, fixed_bodies=seed % 5 == 4), base="free"), seed)
    for seed in range(18)
]
ANGLES = 10.0 ** np.random.default_rng(37).uniform(-12.0, math.log10(0.3), len(TREES))
DECLARED = {
    "nothing": ((), ()),
    "last body": (("LAST",), ()),
    "two bodies": (("LAST", "body1"), ()),
    "masses": (("*.m",), ()),
    "products": ((), ("*.products",)),
    "some of each": (("LAST.m", "body1"), ("base.moments", "*.my")),
}

every_base = pytest.mark.parametrize("base", ["free", "planar", "fixed"])
whatever_is_declared = pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)


def declared_for(robot, declared):
    return tuple(tuple(each.replace("LAST", robot.body_names[-1]) for each in selectors) for selectors in declared)


def models(robot, declared):
    known, zero = declared_for(robot, declared)
    kinds = (Torque,) if robot.base == "fixed" else (Torque, Momentum)
    return [kind(robot, known, zero) for kind in kinds]


def assert_well_conditioned(minimal, sizes, what):
    coefficients = np.abs(without_dimensions(minimal.kept, minimal.combine, sizes))
    assert coefficients.max(initial=0.0) <= BOUND, f"{what}: {coefficients.max():.3g}"
    assert coefficients[coefficients > 0.0].min(initial=1.0) >= ROUNDING, what
    np.testing.assert_array_equal(minimal.combine[:, minimal.kept], np.eye(len(minimal)))


def assert_predicts_all(model, samples, what):
    """Clusters give all columns, and so the motion of this robot and of any other with this geometry."""
    rows, sizes = model.standard_rows(samples), typical_sizes(model.robot)
    columns = (rows * sizes)[..., model.unknown]
    again = (model.rows(samples) @ (model.minimal.combine * sizes))[..., model.unknown]
    assert np.abs(again - columns).max(initial=0.0) <= UNCHANGED * np.abs(rows * sizes).max(), what
    whole = rows @ model.standard(None)
    found = model.rows(samples) @ model.values() + model.offset(samples)
    assert np.abs(found - whole).max() <= UNCHANGED * np.abs(whole).max(), what


@every_base
@whatever_is_declared
def test_tilted_axes_make_no_large_coefficient_no_rounding_and_change_no_prediction(base, declared):
    for seed, (tree, angle) in enumerate(zip(TREES, ANGLES, strict=True)):
        robot = tilted(replace(tree, base=base), angle, seed)
        samples = random_samples(robot, 8, seed)
        for model in models(robot, declared):
            what = f"{type(model).__name__} of {robot.name}, tilted by {angle:.3g}"
            assert_well_conditioned(model.minimal, typical_sizes(robot), what)
            assert_predicts_all(model, samples, what)


@every_base
@whatever_is_declared
def test_an_axis_that_is_hardly_tilted_is_not_tilted(base, declared):
    for seed, tree in enumerate(TREES[::3]):
        straight = replace(tree, base=base)
        for model, aligned in zip(
            models(tilted(straight, 0.9 * TILTED, seed), declared), models(straight, declared), strict=True
        ):
            assert model.minimal.formulas == aligned.minimal.formulas


@every_base
@whatever_is_declared
def test_all_that_a_tilt_shows_counts_from_a_hundredth_on_and_never_less_than_without_it(base, declared):
    for seed, tree in enumerate(TREES[::3]):
        straight = replace(tree, base=base)
        counts = [
            [len(model.minimal) for model in models(tilted(straight, angle, seed) if angle else straight, declared)]
            for angle in (0.0, 1e-9, 1e-6, GENERIC, 0.05, 0.2)
        ]
        assert np.all(np.diff(counts, axis=0) >= 0), (straight.name, counts)
        assert counts[3] == counts[4] == counts[5], (straight.name, counts)


def test_on_a_free_base_a_tilt_shows_nothing_new():
    for seed, (tree, angle) in enumerate(zip(TREES, ANGLES, strict=True)):
        sliding = sum(joint.kind == "prismatic" for joint in tree.joints)
        expected = 10 + 7 * (len(tree.joints) - sliding) + 4 * sliding
        assert len(closed_form(tree)) == len(closed_form(tilted(tree, angle, seed))) == expected


def test_skew_axes_make_no_large_coefficient_either():
    for seed in range(12):
        robot = random_robot(700 + seed, base=("free", "planar", "fixed")[seed % 3])
        for declared in DECLARED.values():
            for model in models(robot, declared):
                assert_well_conditioned(model.minimal, typical_sizes(robot), f"{robot.name} {declared}")


def test_clusters_do_not_depend_on_the_unit_of_length():
    """A robot in millimetres, as long as the length stays a power of two apart."""
    for seed, (tree, angle) in enumerate(zip(TREES[::4], ANGLES[::4], strict=True)):
        robot = tilted(tree, angle, seed)
        unit = 2.0**-10
        bodies = tuple(
            replace(body, placement=replace(body.placement, p=unit * body.placement.p)) for body in robot.bodies
        )
        small = replace(robot, bodies=bodies)
        for model, other in zip(
            models(robot, DECLARED["two bodies"]), models(small, DECLARED["two bodies"]), strict=True
        ):
            assert model.minimal.leaders == other.minimal.leaders
            one = without_dimensions(model.minimal.kept, model.minimal.combine, typical_sizes(robot))
            two = without_dimensions(other.minimal.kept, other.minimal.combine, typical_sizes(small))
            np.testing.assert_allclose(two, one, rtol=0, atol=1e-12)


def test_energy_of_tilted_robots_on_a_fixed_base_with_gravity():
    for seed, (tree, angle) in enumerate(zip(TREES, ANGLES, strict=True)):
        robot = replace(tilted(tree, angle, seed), base="fixed", gravity=np.array([0.0, 0.0, -9.81]))
        assert_well_conditioned(Energy(robot).minimal, typical_sizes(robot), robot.name)


def test_flights_without_a_body_leave_well_conditioned_clusters():
    """Two flights, one without the last body: what each shows, stacked."""
    for seed, (tree, angle) in enumerate(zip(TREES, ANGLES, strict=True)):
        robot = tilted(tree, angle, seed)
        last, samples = robot.body_names[-1], random_samples(robot, 5, seed)
        problem = ProblemData(robot, (Flight(samples), Flight(samples, without=(last,))), known={"body1": 0.0})
        minimal, columns = problem.minimal, problem.unknown
        assert_well_conditioned(minimal, typical_sizes(problem.robot), robot.name)
        absent = select_parameters(problem.robot, (last,))
        rows = Momentum(problem.robot).standard_rows(samples).reshape(-1, problem.robot.parameters.size)
        without = rows.copy()
        without[:, absent] = 0.0
        both = np.vstack([rows, without]) * typical_sizes(problem.robot)
        again = both[:, minimal.kept] @ without_dimensions(minimal.kept, minimal.combine, typical_sizes(problem.robot))
        assert np.abs((again - both)[:, columns]).max() <= UNCHANGED * np.abs(both).max(), robot.name


@pytest.mark.parametrize("kind", [AngularMomentum, BaseVelocity])
def test_products_and_first_moments_over_the_mass_have_no_large_coefficients(kind):
    """On a free base, where their number does not depend on the tilt."""
    for seed in range(6):  # few joints: these models are cubic in their number
        tree = straightened(replace(random_robot(540 + seed, bodies=2 + seed % 3), base="free"), seed)
        robot = tilted(tree, ANGLES[seed], seed)
        minimal, length = kind(robot).minimal, typical_length(robot)
        powers = np.array([_power_of_length(name) for name in minimal.names])
        assert_well_conditioned(minimal, length**powers, f"{robot.name}, tilted by {ANGLES[seed]:.3g}")
        assert minimal.leaders[0] == kind(tree).minimal.leaders[0]


def _power_of_length(name):
    """`[Ixx_base]`, `[mx_body1]/M`, `[mx_base]*[m_body1]/M`."""
    return sum(2.0 if part.startswith("I") else float(not part.startswith("m_")) for part in name.split("[")[1:])


# ---------------------------------------------------------------------- leaders by themselves


def test_a_welcome_column_that_is_hardly_there_does_not_lead():
    leading, rows = led(np.array([[1e-4, 1.0, 0.5], [0.0, 0.0, 0.0]]), [0, 1, 2])
    assert leading.tolist() == [1]
    np.testing.assert_array_equal(rows, [[1e-4, 1.0, 0.5]])


def test_of_columns_about_as_large_the_welcome_one_leads():
    assert led(np.array([[0.6, 1.0, 0.5]]), [2, 0, 1])[0].tolist() == [2]
    assert well_led(np.array([1]), np.array([[2.6, 1.0, 2.9]]), [0, 1, 2])[0].tolist() == [0]


def test_rows_that_differ_by_less_than_shows_are_one():
    row = np.array([1.0, 0.5, 0.25])
    for difference, expected in ((0.5 * SHOWS, 1), (2.0 * SHOWS, 2)):
        assert len(led(np.vstack([row, row + np.array([0.0, 0.0, difference])]), [0, 1, 2])[0]) == expected


def test_exchanges_keep_the_span_and_end_with_no_coefficient_above_the_largest():
    rng = np.random.default_rng(41)
    for _ in range(50):
        coefficients = np.hstack([np.eye(6), 10.0 ** rng.uniform(-3, 4, (6, 9)) * rng.choice([-1.0, 1.0], (6, 9))])
        leading, rows = well_led(np.arange(6), coefficients, rng.permutation(15))
        assert np.abs(rows).max() <= LARGEST * (1.0 + 1e-8)
        np.testing.assert_array_equal(rows[:, leading], np.eye(6))
        np.testing.assert_allclose(
            coefficients[:, leading] @ rows, coefficients, rtol=0, atol=1e-9 * coefficients.max()
        )


def test_a_hundred_joints_take_seconds_and_are_well_conditioned():
    tree = straightened(random_robot(900, bodies=101, base="free", branched=False), 1)
    robot = tilted(tree, 0.01, 1)
    minimal = Momentum(robot, known=(robot.body_names[-1],)).minimal
    assert_well_conditioned(minimal, typical_sizes(robot), robot.name)
    assert len(minimal.names) == 101 * PER_BODY
    assert sorted(standard_preference(101)) == list(range(101 * PER_BODY))
