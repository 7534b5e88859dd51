"""Every limit: its Jacobian against central differences, its sign on motions made to keep or break it."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from excitation.coal_distances import coal_distance
from excitation.small_mission import ROBOT, small_mission, write_small_mission
from excitation.small_plans import small_plan, small_robot
from random_trees import random_robot
from test_distances import random_shape

import freefloat as ff
from freefloat.dynamics.torque import mass_matrix
from freefloat.errors import FileError, FreefloatError
from freefloat.excitation import planned_swing
from freefloat.excitation.limits.attitude import BaseAttitude, BaseCone
from freefloat.excitation.limits.base_rate import BaseRate
from freefloat.excitation.limits.centre_of_mass import CentreOfMassBox, CentreOfMassDisc
from freefloat.excitation.limits.clearance import Clearance, clearance_limits, collision_check
from freefloat.excitation.limits.joint import JointAcceleration, JointPosition, JointRate, joint_limits
from freefloat.excitation.limits.swing import Deflection, SwingLimit, VibrationLeft
from freefloat.excitation.limits.wheels import TotalWheelMomentum, WheelMomentum, WheelRate, wheel_limits
from freefloat.excitation.planned_motion import Conditions, PlannedMotion
from freefloat.excitation.planned_swing import with_frequencies
from freefloat.excitation.solver.local_search import random_starts
from freefloat.mission.designing import plan_of
from freefloat.mission.limits import mission_limits
from freefloat.mission.mission_file import InvalidMission
from freefloat.models.model import NotApplicable
from freefloat.motion.fourier import Fourier
from freefloat.motion.random_motion import random_trajectory
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.robot.locked import locked
from freefloat.robot.model import Robot
from freefloat.robot.shapes import Sphere
from freefloat.robot.transform import rotation_from_rpy, rpy_from_rotation
from freefloat.simulation.simulate import Start, simulate_motion
from freefloat.studies.catalogue import study_robot

TOLERANCE, STEP = 1e-6, 1e-6
TURNED = rotation_from_rpy([0.3, -0.4, 2.0])


def with_shapes(robot, seed=0):
    """Every body gets two shapes of random kinds."""
    rng = np.random.default_rng([seed, 17])
    kinds = ("capsule", "sphere", "ellipsoid")
    bodies = [
        replace(body, shapes=tuple(random_shape(rng, rng.choice(kinds)) for _ in range(2))) for body in robot.bodies
    ]
    return replace(robot, bodies=tuple(bodies))


def planned(robot, seed=0, momentum=(0.0, 0.0, 0.0), instants=25, wheel_rates=None):
    """A random motion of all joints and wheels."""
    channels = [*robot.joint_names, *(wheel.name for wheel in robot.wheels)]
    trajectory = random_trajectory(robot, 20.0, seed, harmonics=2, channels=channels)
    conditions = Conditions(robot, np.array(momentum), TURNED, wheel_rates)
    return PlannedMotion.of(conditions, trajectory, np.linspace(0.0, 20.0, instants))


def moved(motion, direction, step):
    return replace(motion, coefficients=motion.coefficients + step * direction)


# ---------------------------------------------------------------------- derivatives


def every_limit(robot):
    """One of each kind at least."""
    joint, wheel, last = robot.joint_names[0], robot.wheels[0].name, robot.bodies[-1].name
    return [
        JointPosition(joint, -1.0, 2.0),
        JointPosition(joint, -np.inf, 2.0),
        JointRate(joint, -0.3, 0.3),
        JointAcceleration(joint, -0.5, 0.5),
        JointRate(wheel, -30.0, 30.0),
        WheelRate(wheel, -400.0, 400.0),
        WheelMomentum(wheel, -4.0, 3.0),
        TotalWheelMomentum(5.0),
        BaseRate(0.1),
        BaseAttitude("roll", -1.0, 1.0),
        BaseAttitude("pitch", -1.0, 1.5),
        BaseAttitude("yaw", 1.0, 4.0),
        BaseCone([1.0, 2.0, 3.0], [0.0, 1.0, 1.0], 0.5),
        CentreOfMassDisc(0.2, (0.05, -0.1)),
        CentreOfMassBox("z", -0.1, 0.2),
        Clearance(robot.bodies[0].name, last, 0.05),
        Clearance(last, robot.bodies[1].name, 0.05),
    ]


def robot_of(case):
    seed, base = case
    robot = random_robot(
        seed, bodies=7, base=base, wheels=2, prismatic=seed % 2 == 0, branched=seed < 3, fixed_bodies=seed > 1
    )
    return with_shapes(robot, seed)


CASES = [(0, "free"), (1, "free"), (2, "free"), (3, "planar"), (4, "fixed")]
LIMITS = range(len(every_limit(robot_of(CASES[0]))))
MOMENTA = {"free": (4.0, -3.0, 5.0), "planar": (0.0, 0.0, 4.0), "fixed": (0.0, 0.0, 0.0)}
ROBOTS = {case: robot_of(case) for case in CASES}


@pytest.mark.parametrize("spinning", [False, True], ids=["at rest", "spinning"])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("which", LIMITS, ids=[type(limit).__name__ for limit in every_limit(ROBOTS[CASES[0]])])
def test_the_jacobian_is_the_derivative_of_the_margins(which, case, spinning):
    robot = ROBOTS[case]
    limit = every_limit(robot)[which]
    motion = planned(robot, 3, MOMENTA[case[1]] if spinning else (0.0, 0.0, 0.0), wheel_rates=np.array([20.0, -10.0]))
    direction = np.random.default_rng(which).normal(size=motion.coefficients.shape) * np.abs(motion.coefficients)
    ahead, behind = moved(motion, direction, STEP), moved(motion, direction, -STEP)
    expected = (limit.margins(ahead) - limit.margins(behind)) / (2.0 * STEP)
    found = limit.jacobian(motion, np.arange(expected.size)) @ direction.ravel()
    assert expected.size >= motion.t.size
    assert np.abs(found - expected).max() <= TOLERANCE * max(np.abs(expected).max(), 1e-2)


@pytest.mark.parametrize("which", LIMITS)
def test_chosen_rows_are_rows_of_the_whole_and_have_their_instants(which):
    robot = ROBOTS[CASES[2]]
    limit, motion = every_limit(robot)[which], planned(robot, 4, MOMENTA["free"])
    count = limit.margins(motion).size
    assert limit.instants(motion).size == count
    rows = np.random.default_rng(0).permutation(count)[:9]
    whole = limit.jacobian(motion, np.arange(count))
    assert np.abs(limit.jacobian(motion, rows) - whole[rows]).max() <= 1e-12 * np.abs(whole).max()
    assert (limit.instants(motion).reshape(-1, motion.t.size) == motion.t).all()


@pytest.mark.parametrize("which", LIMITS)
def test_a_limit_called_linear_has_the_same_jacobian_for_every_motion(which):
    robot = ROBOTS[CASES[0]]
    limit, one, other = every_limit(robot)[which], planned(robot, 4), planned(robot, 5)
    rows = np.arange(limit.margins(one).size)
    same = np.allclose(limit.jacobian(one, rows), limit.jacobian(other, rows), rtol=1e-12, atol=1e-14)
    assert same == limit.linear


def swinging(seed, base):
    """A robot with two passive joints, as it is and with other springs; and a motion of its other joints and wheels."""
    robot = random_robot(seed, bodies=5, base=base, wheels=2, prismatic=seed % 2 == 1, passive=2)
    robots = (robot, with_frequencies(robot, 1.2))
    momentum = 0.05 * seed * np.array(MOMENTA[base])
    motion = planned(locked(robot), 3, momentum, 12, np.array([20.0, -10.0]))
    gentle = motion.whole.with_coefficients(0.2 * motion.coefficients)
    return robots, PlannedMotion.of(motion.conditions, gentle, motion.t)


@pytest.mark.parametrize("case", [(0, "free"), (1, "free"), (2, "planar"), (3, "fixed")], ids=str)
@pytest.mark.parametrize("kind", [Deflection, VibrationLeft])
def test_the_jacobian_of_what_swings_is_the_derivative_of_its_margins(kind, case, monkeypatch):
    """On short steps, for where attitude counts its change is followed by another rule; solved to the last digit."""
    monkeypatch.setattr(planned_swing, "_PER_SWING", 12.0)
    monkeypatch.setattr(planned_swing, "_AGREED", 1e-13)
    robots, motion = swinging(*case)
    for joint in robots[0].passive_names:
        limit = kind(robots, joint, 0.5 * kind(robots, joint, 1.0).largest(motion))
        direction = np.random.default_rng(case[0]).normal(size=motion.coefficients.shape) * np.abs(motion.coefficients)
        ahead, behind = moved(motion, direction, STEP), moved(motion, direction, -STEP)
        expected = (limit.margins(ahead) - limit.margins(behind)) / (2.0 * STEP)
        found = limit.jacobian(motion, np.arange(expected.size))
        assert expected.size == limit.instants(motion).size == len(robots) * (12 if kind is Deflection else 1)
        size = (np.abs(found) @ np.abs(direction.ravel())).max()
        assert np.abs(found @ direction.ravel() - expected).max() <= TOLERANCE * size
        rows = np.arange(expected.size)[::-2]
        assert np.abs(limit.jacobian(motion, rows) - found[rows]).max() <= 1e-12 * np.abs(found).max()
        assert limit.slack(motion) == pytest.approx(-limit.highest)


# ---------------------------------------------------------------------- what margins mean


@pytest.mark.parametrize("seed", [0, 1])
def test_what_swings_is_what_a_flight_of_the_robot_does(seed):
    """Integrated step by step, by the law of torque-level flights."""
    (robot, _), motion = swinging(seed, "free")
    start = Start(angular_momentum=motion.conditions.momentum)
    t = np.linspace(0.0, 20.0, 801)
    flown = simulate_motion(robot, motion.whole, t, start, wheel_rates=motion.conditions.wheel_rates)
    finely = PlannedMotion.of(motion.conditions, motion.whole, t)
    for joint, place in zip(robot.passive_names, robot.passive, strict=True):
        q, dq = flown.q[:, place], flown.dq[:, place]
        assert Deflection((robot,), joint, 1.0).largest(finely) == pytest.approx(np.abs(q).max(), rel=1e-3)
        spring = robot.joint(joint).passive
        amplitude = np.hypot(q[-1], dq[-1] * np.sqrt(felt_inertia(robot, joint) / spring.stiffness))
        assert VibrationLeft((robot,), joint, 1.0).largest(finely) == pytest.approx(
            amplitude, abs=1e-3 * np.abs(q).max()
        )


def felt_inertia(robot, joint):
    """Twice the energy of a passive joint at rate one, the base afloat at zero momentum, all joints at zero."""
    H, motion = mass_matrix(robot, np.zeros((1, len(robot.joints))))[0], np.zeros(6 + len(robot.joints))
    motion[6 + robot.joint_names.index(joint)] = 1.0
    motion[:6] = -np.linalg.solve(H[:6, :6], H[:6] @ motion)
    return motion @ H @ motion


def test_a_swing_without_bounds_breaks_its_limits():
    (robot, _), motion = swinging(0, "free")
    wild = moved(motion, np.ones_like(motion.coefficients), 1e4)
    limits = [kind((robot,), robot.passive_names[0], 0.1) for kind in (Deflection, VibrationLeft)]
    assert all((limit.margins(wild) <= -100.0).all() for limit in limits)


def test_missions_limit_what_swings_for_frequencies_that_are_known_roughly(tmp_path):
    def limits(**asked):
        path = write_small_mission(tmp_path, excitation={"limits": asked})
        panel = {
            "name": "panel",
            "xyz_m": [0, 0.3, 0],
            "axis": [1, 0, 0],
            "mass_kg": 2,
            "com_m": [0, 0.5, 0],
            "frequency_Hz": 0.5,
        }
        robot = {**ROBOT, "appendages": [{**panel, "inertia_kgm2": {"xx": 0.2, "yy": 0.05, "zz": 0.2}}]}
        (tmp_path / "robot.yaml").write_text(yaml.safe_dump(robot))
        mission = ff.load_mission(path)
        return [each for each in mission_limits(mission, mission.channels) if isinstance(each, SwingLimit)]

    deflection, left = limits(deflection_deg=2, vibration_left_deg={"panel_hinge": 0.1})
    assert (deflection.name, left.name) == ("deflection of panel_hinge", "vibration left of panel_hinge")
    assert deflection.highest == pytest.approx(np.radians(2.0))
    stiffness = [robot.springs[0].stiffness for robot in left.robots]
    assert np.allclose(np.array(stiffness) / stiffness[0], [1.0, 0.64, 1.44])
    assert len(limits(deflection_deg=2, frequency_known_to=0)[0].robots) == 1
    for asked, words in (
        ({"deflection_m": 0.1}, "excitation.limits.deflection_m is given, but no passive joint of small slides"),
        ({"deflection_deg": {"j1": 1}}, "deflection_deg names 'j1', which is no passive joint that turns"),
        ({"deflection_deg": -1}, "deflection_deg"),
        ({"frequency_known_to": 1.5}, "frequency_known_to"),
    ):
        with pytest.raises(FreefloatError, match=words):
            limits(**asked)


def test_margins_of_joints_are_their_distances_from_both_bounds():
    motion = planned(ROBOTS[CASES[0]], 6)
    name = motion.channels[1]
    position, rate = motion.motion.position[:, 1], motion.motion.rate[:, 1]
    limit = JointPosition(name, position.min() - 0.1, position.max() + 0.2)
    both = limit.margins(motion).reshape(2, -1).min(axis=1) * limit.size
    assert np.allclose(both, [0.2, 0.1], rtol=1e-12)
    fastest = np.abs(rate).max()
    assert JointRate(name, -0.9 * fastest, 0.9 * fastest).slack(motion) == pytest.approx(-0.1 * fastest)
    assert JointRate(name, -1.1 * fastest, 1.1 * fastest).slack(motion) == pytest.approx(0.1 * fastest)


@pytest.mark.parametrize("angle", [0, 1, 2], ids=["roll", "pitch", "yaw"])
def test_base_angles_are_those_of_the_attitude(angle):
    motion = planned(ROBOTS[CASES[1]], 6, MOMENTA["free"])
    name = ("roll", "pitch", "yaw")[angle]
    expected = np.array([rpy_from_rotation(R)[angle] for R in motion.attitude])
    found = BaseAttitude(name, -1.0, 1.0).values(motion)
    assert np.abs(found - expected).max() < 1e-12
    shifted = BaseAttitude(name, np.pi - 0.5, np.pi + 0.5).values(motion)
    assert np.abs(np.sin(0.5 * (shifted - expected))).max() < 1e-12
    if name != "pitch":
        assert (np.abs(shifted - np.pi) <= np.pi).all()


def test_a_cone_and_a_ball_are_kept_just_when_the_largest_angle_and_length_allow():
    motion = planned(ROBOTS[CASES[1]], 6, MOMENTA["free"])
    axis, about = np.array([0.0, 0.6, 0.8]), TURNED[:, 0]
    widest = np.arccos(motion.attitude @ axis @ about).max()
    fastest = np.linalg.norm(motion.reaction.x[:, 3:], axis=1).max()
    for limit_of, largest in ((lambda x: BaseCone(axis, about, x), widest), (BaseRate, fastest)):
        for factor in (0.99, 1.01):
            limit = limit_of(factor * largest)
            assert limit.slack(motion) == pytest.approx((factor - 1.0) * largest, rel=1e-6)
            assert (limit.margins(motion).min() >= 0.0) == (factor > 1.0)
            assert limit.margins(motion).min() == pytest.approx(limit.slack(motion) / limit.size, rel=0.05)


def test_wheels_count_from_what_they_turned_at_before():
    robot = ROBOTS[CASES[0]]
    wheel, start = robot.wheels[0], 0.5 * robot.wheels[0].max_rate
    moving, still = planned(robot, 6, wheel_rates=np.array([start, 0.0])), planned(robot, 6)
    shift = WheelRate(wheel.name, -1e4, 1e4).values(moving) - WheelRate(wheel.name, -1e4, 1e4).values(still)
    assert np.allclose(shift, start, rtol=1e-12)
    momentum = WheelMomentum(wheel.name, -1.0, 1.0).values(moving)
    assert np.allclose(momentum, wheel.spin_inertia * moving.samples.wheel_rates[:, 0], rtol=1e-14)
    total = sum(w.spin_inertia * np.outer(moving.samples.wheel_rates[:, k], w.axis) for k, w in enumerate(robot.wheels))
    longest = np.linalg.norm(total, axis=1).max()
    assert TotalWheelMomentum(longest).slack(moving) == pytest.approx(0.0, abs=1e-12 * longest)


def test_all_wheels_have_the_limits_that_they_are_given():
    robot = ROBOTS[CASES[0]]
    one, two = (wheel.name for wheel in robot.wheels)
    names = [limit.name for limit in wheel_limits(robot, {two: 2.0})]
    assert names == [f"rate of {one}", f"rate of {two}", f"momentum of {two}"]


@pytest.mark.parametrize(
    ("excitation", "words"),
    [
        ({"channels": []}, "excitation.channels is empty; allowed: at least one joint or wheel"),
        ({"limits": {"clearance_pairs": [["base", "link2"]]}}, "has clearance_pairs but no clearance_m"),
        ({"limits": {"clearance_m": 0.1, "clearance_pairs": []}}, "clearance of 0.1 m cannot be checked: no pair of"),
    ],
    ids=["channels", "pairs", "no pair"],
)
def test_a_mission_that_asks_for_no_motion_or_for_no_distance_is_refused(tmp_path, excitation, words):
    with pytest.raises(FreefloatError, match=words) as refused:
        plan_of(small_mission(tmp_path, excitation=excitation))
    assert isinstance(refused.value, InvalidMission | FileError)


def test_starts_break_no_limit_by_much_where_rest_keeps_all():
    robot = small_robot()
    shape = Fourier(robot.joint_names, np.zeros((4, 2)), 30.0)
    tight = BaseAttitude("roll", -0.002, 0.002)
    wide, narrow = (
        small_plan(robot=robot, shape=shape, limits=[*joint_limits(robot, shape.channels), *more]).task()
        for more in ((), (tight,))
    )
    far, near = random_starts(wide, 4, 0), random_starts(narrow, 4, 0)
    assert min(narrow.margins(y).min() for y in far) < -1.0
    for one, other in zip(far, near, strict=True):
        assert narrow.margins(other).min() > -0.5
        assert np.allclose(other * 2.0 ** round(np.log2(np.linalg.norm(one) / np.linalg.norm(other))), one, rtol=1e-12)
        assert narrow.margins(other).min() > -0.5 >= narrow.margins(2.0 * other).min() or np.array_equal(one, other)


def test_joint_limits_are_all_that_the_robot_has():
    robot = ROBOTS[CASES[0]]
    limits = joint_limits(robot, [*robot.joint_names, robot.wheels[0].name])
    bounded = [joint for joint in robot.joints if np.isfinite(joint.position).any()]
    assert len(limits) == len(bounded) + 2 * len(robot.joints)
    assert all(limit.slack(planned(robot, 6)) >= 0.0 for limit in limits)  # random motions stay within limits


def test_the_centre_of_mass_of_a_robot_at_rest_is_in_its_place():
    robot = ROBOTS[CASES[4]]
    trajectory = Fourier(robot.joint_names, np.zeros((2, len(robot.joints))), 1.0)
    motion = PlannedMotion(
        Conditions(robot), trajectory.channels, trajectory.linear_map([0.0, 1.0]), trajectory.coefficients
    )
    x, y, z = robot.centre_of_mass()
    assert CentreOfMassDisc(0.1, (x, y + 0.03)).slack(motion) == pytest.approx(0.07, rel=1e-9)
    assert CentreOfMassBox("z", z - 0.1, z + 0.02).slack(motion) == pytest.approx(0.02, rel=1e-9)


# ---------------------------------------------------------------------- clearance


def coal_clearance(robot, motion, a, b):
    """Smallest distance of two bodies at every instant, shape (n,)."""
    R, p, _ = motion.poses
    found = []
    for k in range(motion.t.size):
        poses = []
        for name in (a, b):
            carrier, placement = robot.tree.carried[name]
            poses.append((R[k, carrier] @ placement.R, p[k, carrier] + R[k, carrier] @ placement.p))
        shapes = [(one, two) for one in robot.body(a).shapes for two in robot.body(b).shapes]
        found.append(min(coal_distance(one, *poses[0], two, *poses[1]) for one, two in shapes))
    return np.array(found)


@pytest.mark.parametrize("source", ["servicer", "spirolazzi_n1", "random"])
def test_clearances_along_a_motion_are_those_that_coal_finds(source):
    robot = ROBOTS[CASES[2]] if source == "random" else study_robot(source)
    robot = with_shapes(robot) if source == "spirolazzi_n1" else robot
    motion = planned(robot, 2)
    limits = clearance_limits(robot, 0.05)
    assert len(limits) > 3
    for limit in limits:
        ours = (limit.margins(motion) * limit.size + limit.least_m).reshape(-1, motion.t.size).min(axis=0)
        theirs = coal_clearance(robot, motion, limit.a, limit.b)
        apart = ours > 1e-6
        assert np.abs(ours - theirs)[apart].max(initial=0.0) < 1e-8
        assert (theirs[~apart] < 2e-6).all()


def chain_with_a_bracket() -> Robot:
    """Base, a bracket fixed to it, three links in a row, a tool fixed to the last; each body a ball."""
    robot = random_robot(1, bodies=6, base="free", prismatic=False, branched=False)
    bodies = []
    for index, body in enumerate(robot.bodies):
        joint = replace(body.joint, kind="fixed") if index in (1, 5) else body.joint
        bodies.append(replace(body, joint=joint, shapes=(Sphere(np.zeros(3), 0.1),)))
    return replace(robot, bodies=tuple(bodies))


@pytest.mark.parametrize("separate", [(), ("body1", "body5")], ids=["lumped", "separate"])
def test_all_bodies_that_are_no_neighbours_are_kept_apart_unless_pairs_are_named(separate):
    robot = chain_with_a_bracket().with_separate(separate)
    pairs = {(limit.a, limit.b) for limit in clearance_limits(robot, 0.1)}
    pieces = {"base": 0, "body1": 0, "body2": 1, "body3": 2, "body4": 3, "body5": 3}
    names = list(pieces)
    expected = {(a, b) for a in names for b in names if names.index(a) < names.index(b) and pieces[b] - pieces[a] > 1}
    assert pairs == expected
    named = clearance_limits(robot, 0.1, [("body2", "body5"), ("base", "body2")])
    assert [limit.name for limit in named] == ["clearance of body2 and body5", "clearance of base and body2"]


def test_pairs_without_shapes_or_without_a_joint_between_are_refused():
    robot = chain_with_a_bracket()
    with pytest.raises(NotApplicable, match="no joint moves between base and body1"):
        clearance_limits(robot, 0.1, [("base", "body1")])
    bare = replace(robot, bodies=(replace(robot.bodies[0], shapes=()), *robot.bodies[1:]))
    with pytest.raises(NotApplicable, match="base has no shapes"):
        clearance_limits(bare, 0.1, [("base", "body3")])


def without_shapes(robot, *names, mass=True):
    """The robot with bodies that have no shapes and, where said so, no mass."""
    return replace(
        robot,
        bodies=tuple(
            replace(body, shapes=(), parameters=body.parameters if mass else np.zeros(10))
            if body.name in names
            else body
            for body in robot.bodies
        ),
    )


@pytest.mark.parametrize("separate", [(), ("body1", "body5")], ids=["lumped", "separate"])
@pytest.mark.parametrize(
    "bare", [("base",), ("body3",), ("body1",), ("body5",), ("base", "body2"), ("base", "body1", "body4")]
)
def test_bodies_with_mass_that_have_no_shape_are_named_where_clearance_is_asked_for(separate, bare):
    robot = without_shapes(chain_with_a_bracket().with_separate(separate), *bare)
    have = "has" if len(bare) == 1 else "have"
    words = f"^a clearance of 0.05 m cannot be checked: {', '.join(bare)} {have} no shape; give each body a `shape` "
    with pytest.raises(NotApplicable, match=words) as caught:
        clearance_limits(robot, 0.05)
    assert str(caught.value).endswith("or ask for no clearance (drop clearance_m)")
    assert "\n" not in str(caught.value)


def test_a_link_that_has_only_neighbours_needs_no_shape():
    robot = chain_with_a_bracket()
    short = replace(robot, bodies=robot.bodies[:4], points=())  # base, bracket, two links
    assert {(each.a, each.b) for each in clearance_limits(without_shapes(short, "body2"), 0.1)} == {
        ("base", "body3"),
        ("body1", "body3"),
    }
    with pytest.raises(NotApplicable, match="no two bodies have more than one joint between them"):
        clearance_limits(replace(robot, bodies=robot.bodies[:3], points=()), 0.1)


def test_frames_are_left_out_of_clearance_but_never_silently():
    """A body with neither mass nor shape; a base is there even so, unless something with a shape is fixed to it."""
    robot = chain_with_a_bracket()
    frame = without_shapes(robot, "body5", mass=False)
    limits = clearance_limits(frame, 0.1)
    assert not any("body5" in (each.a, each.b) for each in limits)
    found = collision_check(frame, limits)
    assert (found.extent, found.without_shape) == ("shaped", ("body5",))
    assert found.beside("GO") == "GO, collisions not all checked"
    assert found.in_words == "not checked for body5: no shape"
    assert clearance_limits(without_shapes(robot, "base", mass=False), 0.1)
    with pytest.raises(NotApplicable, match="cannot be checked: base has no shape"):
        clearance_limits(without_shapes(robot, "base", "body1", mass=False), 0.1)


def test_what_limits_check_of_collisions_is_what_they_keep_apart():
    robot = chain_with_a_bracket()
    every = clearance_limits(robot, 0.1)
    whole = collision_check(robot, [*joint_limits(robot, robot.joint_names), *every])
    assert (whole.extent, whole.doubt, whole.beside("GO")) == ("all", "", "GO")
    assert whole.pairs == tuple((each.a, each.b) for each in every)
    turned = [Clearance(each.b, each.a, 0.1) for each in every]
    assert collision_check(robot, turned).extent == "all"
    fewer = collision_check(robot, every[1:])
    assert (fewer.extent, fewer.doubt) == ("named", "collisions not all checked")
    named = collision_check(robot, clearance_limits(robot, 0.1, [("body2", "body5")]))
    assert named.in_words == "checked only between body2 and body5"
    nothing = collision_check(robot, joint_limits(robot, robot.joint_names))
    assert (nothing.extent, nothing.beside("GO")) == ("none", "GO, collisions not checked")
    bare = without_shapes(robot, "body2")
    assert collision_check(bare, [Clearance("body2", "body5", 0.1)]) == nothing, "a limit that has nothing to look at"
    left = collision_check(bare, clearance_limits(bare, 0.1, [(a, b) for a, b in whole.pairs if "body2" not in (a, b)]))
    assert (left.extent, left.without_shape) == ("shaped", ("body2",))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BaseRate(0.0), "the largest base rate is 0; allowed: a number greater than zero"),
        (lambda: BaseAttitude("tilt", -1.0, 1.0), "allowed: roll, pitch, yaw"),
        (lambda: BaseCone([0, 0, 0], [0, 0, 1], 0.1), "axis of base cone"),
        (lambda: BaseCone([0, 0, 1], [0, 0, 1], 4.0), "half angle of base cone is 4 rad"),
        (lambda: CentreOfMassBox("w", 0.0, 1.0), "allowed: x, y, z"),
        (
            lambda: JointRate("nobody", 0.0, 1.0).margins(planned(ROBOTS[CASES[0]])),
            "nobody is limited but does not move",
        ),
    ],
)
def test_what_makes_no_limit_is_refused_in_words(make, words):
    with pytest.raises(InvalidTrajectory, match=words):
        make()
