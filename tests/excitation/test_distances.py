"""Distances against coal, against their own optimality, and against central differences of moving shapes."""

import numpy as np
import pytest
from excitation.coal_distances import coal_distance
from random_trees import random_unit

from freefloat.excitation.limits.distance_kernels import point_ellipsoid
from freefloat.excitation.limits.distances import distances
from freefloat.robot.shapes import Capsule, Ellipsoid, Sphere
from freefloat.robot.transform import rotation_about

PAIRS = [
    ("capsule", "capsule"),
    ("capsule", "sphere"),
    ("sphere", "sphere"),
    ("sphere", "ellipsoid"),
    ("capsule", "ellipsoid"),
    ("ellipsoid", "capsule"),
    ("ellipsoid", "ellipsoid"),
]
EXACT, ITERATED = 1e-14, 1e-8  # [m] coal has formulae for the first three pairs and iterates for the others
every_pair = pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
HERE = (np.eye(3)[None], np.zeros((1, 3)))


def random_rotation(rng):
    return rotation_about(random_unit(rng), rng.uniform(-np.pi, np.pi))


def random_shape(rng, kind):
    radius = rng.uniform(0.02, 0.2)
    if kind == "capsule":
        return Capsule(0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3), radius)
    if kind == "sphere":
        return Sphere(0.3 * rng.normal(size=3), radius)
    return Ellipsoid(0.3 * rng.normal(size=3), rng.uniform(0.05, 0.5, 3), random_rotation(rng))


def random_pose(rng):
    return random_rotation(rng)[None], 0.4 * rng.normal(size=(1, 3))


def random_pair(rng, kinds):
    """Arguments of `distances` for one instant."""
    return random_shape(rng, kinds[0]), *random_pose(rng), random_shape(rng, kinds[1]), *random_pose(rng)


def compared(kinds, count=1000):
    """Ours and coal's distance for many random pairs."""
    rng = np.random.default_rng([5, PAIRS.index(kinds)])
    found = np.empty((count, 2))
    for k in range(count):
        a, R_a, p_a, b, R_b, p_b = random_pair(rng, kinds)
        found[k] = distances(a, R_a, p_a, b, R_b, p_b).distance[0], coal_distance(a, R_a[0], p_a[0], b, R_b[0], p_b[0])
    return found


@every_pair
def test_a_thousand_random_pairs_have_the_distance_that_coal_finds(kinds):
    ours, theirs = compared(kinds).T
    apart = ours > 1e-6
    assert apart.sum() > 800
    assert (~apart).sum() > 10
    assert (theirs[~apart] < 2e-6).all()
    if "ellipsoid" in kinds:
        assert np.abs(ours - theirs)[apart].max() < ITERATED
    else:
        assert np.abs(ours - theirs).max() < EXACT


def gap_across(normal, shape, R, p, side):
    """Position along the normal of the plane that touches a shape from one side."""
    if isinstance(shape, Ellipsoid):
        middle, reach = R @ shape.centre + p, np.linalg.norm((R @ shape.rotation * shape.semi_axes).T @ normal)
        return normal @ middle + side * reach
    ends = (shape.start, shape.end) if isinstance(shape, Capsule) else (shape.centre,)
    return side * (max(side * (normal @ (R @ end + p)) for end in ends) + shape.radius)


@every_pair
def test_the_distance_is_the_gap_between_two_planes_across_the_normal_also_where_shapes_overlap(kinds):
    rng = np.random.default_rng(10)
    overlapping = 0
    for _ in range(300):
        a, R_a, p_a, b, R_b, p_b = random_pair(rng, kinds)
        found = distances(a, R_a, p_a, b, R_b, 0.2 * p_b)
        normal = found.normal[0]
        gap = gap_across(normal, b, R_b[0], 0.2 * p_b[0], -1.0) - gap_across(normal, a, R_a[0], p_a[0], 1.0)
        assert abs(found.distance[0] - gap) < 1e-12
        overlapping += gap < 0.0
    assert overlapping > 0


def implicit(shape, R, p, x):
    """Below one inside an ellipsoid; its gradient."""
    axes = R @ shape.rotation
    local = axes.T @ (x - R @ shape.centre - p)
    return ((local / shape.semi_axes) ** 2).sum(), axes @ (local / shape.semi_axes**2)


@every_pair
def test_the_normal_is_that_of_every_ellipsoid_surface_and_joins_the_points(kinds):
    rng = np.random.default_rng(6)
    for _ in range(200):
        a, R_a, p_a, b, R_b, p_b = random_pair(rng, kinds)
        found = distances(a, R_a, p_a, b, R_b, p_b)
        on_a, on_b, normal = found.on_a[0], found.on_b[0], found.normal[0]
        radii = sum(shape.radius for shape in (a, b) if not isinstance(shape, Ellipsoid))
        assert np.abs(on_a + (found.distance[0] + radii) * normal - on_b).max() < 1e-11
        for shape, R, p, x, outward in ((a, R_a, p_a, on_a, normal), (b, R_b, p_b, on_b, -normal)):
            if isinstance(shape, Ellipsoid):
                level, gradient = implicit(shape, R[0], p[0], x)
                assert abs(level - 1.0) < 1e-12
                assert np.abs(gradient / np.linalg.norm(gradient) - outward).max() < 1e-11


def moved(pose, turn, step, time):
    R, p = pose
    angle = np.linalg.norm(turn)
    return rotation_about(turn / angle, angle * time) @ R, p + step * time


@every_pair
def test_the_distance_changes_by_the_velocity_of_the_closest_points_along_the_normal(kinds):
    rng = np.random.default_rng(7)
    for index in range(200):
        a, R_a, p_a, b, R_b, p_b = random_pair(rng, kinds)
        p_b *= index % 2  # every second pair is near, and most of those overlap
        turn, step = rng.normal(size=3), rng.normal(size=3)
        found = distances(a, R_a, p_a, b, R_b, p_b)
        velocity = np.cross(turn, found.on_b[0] - p_b[0]) + step
        ahead, behind = (
            distances(a, R_a, p_a, b, *moved((R_b, p_b), turn, step, time)).distance[0] for time in (1e-6, -1e-6)
        )
        slope = found.normal[0] @ velocity
        assert abs((ahead - behind) / 2e-6 - slope) < 1e-6 * np.linalg.norm(velocity)


@pytest.mark.parametrize(
    "semi_axes", [(0.3, 0.3, 0.3), (0.1, 0.3, 0.5), (0.2, 0.2, 0.7), (0.5, 0.5, 0.01), (2, 1e-3, 1)]
)
def test_inside_an_ellipsoid_the_depth_is_the_radius_of_the_largest_ball(semi_axes):
    rng, e = np.random.default_rng(8), np.array(semi_axes, float)
    directions = np.array([random_unit(rng) for _ in range(500)])
    zeros = [np.array(pattern, float) for pattern in np.ndindex(2, 2, 2)]
    for index in range(80):
        x = 0.57 * e * rng.uniform(-1, 1, 3) * zeros[index % 8] * (1e-13 if index % 5 == 0 else 1.0)
        y, n = np.empty(3), np.empty(3)
        depth = -point_ellipsoid(x, e, y, n)
        assert depth > 0.0
        assert abs(((y / e) ** 2).sum() - 1.0) < 1e-12
        assert abs(np.linalg.norm(y - x) - depth) < 1e-13
        assert (((x + depth * directions) / e) ** 2).sum(axis=1).max() < 1.0 + 1e-12


@pytest.mark.parametrize("offset", [0.0, 1e-16, 1e-9, 0.2])
@pytest.mark.parametrize("turn", [0.0, 1e-16, 1e-9, 1e-6, 0.5])
@pytest.mark.parametrize("shift", [0.0, 0.3, 3.0])
def test_parallel_crossing_and_overlapping_segments_have_a_distance_and_a_normal(offset, turn, shift):
    a = Capsule(np.array([-1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 0.1)
    along = np.array([np.cos(turn), np.sin(turn), 0.0])
    middle = np.array([shift, 0.0, offset])
    b = Capsule(middle - along, middle + along, 0.1)
    found = distances(a, *HERE, b, *HERE)
    gap = max(shift - 2.0, 0.0) if turn < 1e-3 else None  # else checked against coal
    expected = (
        np.hypot(gap, offset) - 0.2
        if gap is not None
        else coal_distance(a, np.eye(3), [0, 0, 0], b, np.eye(3), [0, 0, 0])
    )
    assert abs(found.distance[0] - expected) < 1e-6 * (1.0 if turn else 1e-8)
    assert abs(np.linalg.norm(found.normal[0]) - 1.0) < 1e-14


def test_capsules_of_no_length_are_spheres():
    rng = np.random.default_rng(9)
    for kind in ("capsule", "sphere", "ellipsoid"):
        for _ in range(20):
            other, centre = random_shape(rng, kind), rng.normal(size=3)
            pose = random_pose(rng)
            point = distances(Capsule(centre, centre, 0.1), *HERE, other, *pose)
            ball = distances(Sphere(centre, 0.1), *HERE, other, *pose)
            assert abs(point.distance - ball.distance).max() < 1e-15
            assert np.abs(point.normal - ball.normal).max() < 1e-12


@every_pair
def test_shapes_about_the_same_point_overlap_and_have_a_normal(kinds):
    shapes = {
        "capsule": Capsule(np.zeros(3), np.zeros(3), 0.1),
        "sphere": Sphere(np.zeros(3), 0.1),
        "ellipsoid": Ellipsoid(np.zeros(3), np.array([0.1, 0.2, 0.3])),
    }
    found = distances(shapes[kinds[0]], *HERE, shapes[kinds[1]], *HERE)
    assert abs(found.distance[0] + 0.2) < 1e-14
    assert abs(np.linalg.norm(found.normal[0]) - 1.0) < 1e-14
