"""Sweeps agree with numbers computed from the published case, and vary what they say they vary."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from excitation.small_mission import small_mission

import freefloat as ff
from freefloat.errors import UnknownName
from freefloat.excitation.sweep import measure, stretched, with_mass, with_offset
from freefloat.mission import sweeping
from freefloat.mission.sweeping import InvalidSweep, sweep
from freefloat.models.model import NotApplicable
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.report.sweep_page import write_sweep_page, write_sweep_table
from freefloat.robot.parameters import com_of, inertia_about_com
from freefloat.studies.catalogue import study_robot
from freefloat.studies.printed import printed_motion
from freefloat.studies.spirolazzi.cluster_table import SIMPLE, cluster_table

# ---------------------------------------------------------------------- Spirolazzi, case study N1


def n1(robot):
    """The published motion, the load known, on a robot like the published one."""
    motion = printed_motion("spirolazzi_n1", robot)
    return measure(ff.Plan(robot, motion, goal="condition-number", known={"load": 0.0}, zero=SIMPLE), motion, {})


@pytest.mark.parametrize(
    ("body", "mass", "expected"),
    [
        *(("load", mass, k) for mass, k in zip((5, 10, 15, 25, 40, 60), (1333, 671, 459, 298, 213, 165), strict=True)),
        *(("base", mass, k) for mass, k in zip((100, 400, 1000, 2000), (195, 512, 1242, 2570), strict=True)),
    ],
)
def test_n1_condition_number_by_mass(body, mass, expected):
    found = n1(with_mass(study_robot("spirolazzi_n1"), body, mass)).condition_number
    assert found == pytest.approx(expected, abs=0.6)  # as they are known: without decimals


def test_n1_influence_of_each_cluster():
    rates = {each.name: np.degrees(each.rate_rad_s) for each in n1(study_robot("spirolazzi_n1")).influences}
    numbered = {entry["index"]: rates[name] for name, entry in cluster_table("spirolazzi_n1").entries.items()}
    large = {4: 0.387, 1: 0.342, 22: 0.226, 25: 0.204, 30: 0.184}
    assert [index for index, _ in sorted(numbered.items(), key=lambda item: -item[1])[:5]] == list(large)
    for index, rate in large.items():
        assert numbered[index] == pytest.approx(rate, abs=6e-4)
    for index, rate, rounding in ((8, 1.3e-3, 6e-5), (12, 1.1e-3, 6e-5), (16, 9e-4, 6e-5), (15, 9e-5, 6e-6)):
        assert numbered[index] == pytest.approx(rate, abs=rounding)
    assert min(numbered, key=numbered.get) == 7
    assert numbered[7] == pytest.approx(5e-5, abs=6e-6)


# ---------------------------------------------------------------------- what is varied


def test_a_mass_grows_with_its_inertia_or_without():
    robot = study_robot("servicer")
    before = robot.body("load").parameters
    for scales, factor in ((True, 2.0), (False, 1.0)):
        after = with_mass(robot, "load", 2.0 * before[0], scales).body("load").parameters
        assert after[0] == pytest.approx(2.0 * before[0])
        np.testing.assert_allclose(com_of(after), com_of(before), atol=1e-15)
        np.testing.assert_allclose(inertia_about_com(after), factor * inertia_about_com(before), rtol=1e-9, atol=1e-12)
    with pytest.raises(UnknownName):
        with_mass(robot, "boom", 1.0)


def test_an_offset_shifts_the_centre_of_mass_alone():
    robot, shift = study_robot("servicer"), np.array([0.1, -0.2, 0.3])
    before, after = robot.body("load").parameters, with_offset(robot, "load", shift).body("load").parameters
    np.testing.assert_allclose(com_of(after), com_of(before) + shift)
    np.testing.assert_allclose(inertia_about_com(after), inertia_about_com(before), atol=1e-12)


RNG = np.random.default_rng(1)
SHAPES = [
    ff.motion.Fourier(("a", "b"), RNG.normal(size=(4, 2)), 10.0, RNG.normal(size=(6, 2))),
    ff.motion.PlainFourier(("a", "b"), RNG.normal(size=(5, 2)), 10.0, 7.0),
    ff.motion.BSpline(("a", "b"), RNG.normal(size=(6, 2)), 10.0),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_a_stretched_motion_is_the_same_path(shape):
    share = np.linspace(0.0, 1.0, 57)
    slow = stretched(shape, 25.0).evaluate(25.0 * share)
    fast = shape.evaluate(10.0 * share)
    np.testing.assert_allclose(slow.position, fast.position, atol=1e-12)
    np.testing.assert_allclose(slow.rate, fast.rate / 2.5, atol=1e-12)


def test_some_motions_cannot_be_stretched():
    with pytest.raises(InvalidTrajectory, match="a cycloid motion is not stretched"):
        stretched(ff.motion.Cycloid(("a",), np.zeros((3, 1)), 1.0), 2.0)


# ---------------------------------------------------------------------- sweeps of a mission


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    return small_mission(tmp_path_factory.mktemp("sweep"))


@pytest.fixture(scope="module")
def motion(mission):
    return ff.motion.random_trajectory(mission.robot, 20.0, 3, harmonics=3, start=np.zeros(2))


def test_every_combination_is_measured_in_order(mission, motion):
    seen = []
    over = {"link2.mass_kg": [1.0, 2.0], "link2.offset_m.y": [0.0, 0.1, 0.2]}
    found = sweep(mission, over, motion, watch=seen.append)
    assert found.points == tuple(seen)
    np.testing.assert_array_equal(found.column("link2.mass_kg"), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    np.testing.assert_array_equal(found.column("link2.offset_m.y"), [0.0, 0.1, 0.2] * 2)
    assert found.condition_numbers.shape == found.accuracies.shape == (6,)
    by_hand = with_offset(with_mass(mission.robot, "link2", 2.0), "link2", np.array([0.0, 0.2, 0.0]))
    last = measure(replace(ff.plan_of(mission), robot=by_hand), motion, {})
    assert (found.points[-1].condition_number, found.points[-1].predictions) == (
        last.condition_number,
        last.predictions,
    )
    assert len(set(found.condition_numbers)) == 6


def test_the_mission_as_it_is_is_a_point_of_every_sweep(mission, motion):
    plan = replace(ff.plan_of(mission), shape=motion)
    accuracy, condition = plan.bound(motion).sd, plan.condition_number(motion)
    own = {
        "link2.mass_kg": 1.5,
        "base.offset_m.x": 0.0,
        "duration_s": 20.0,
        "rate_Hz": 7.5,
    }  # 150 intervals, as the plan has
    for key, value in own.items():
        (point,) = sweep(mission, {key: [value]}, motion).points
        np.testing.assert_allclose([each.sd for each in point.predictions], accuracy, rtol=1e-6)
        assert point.condition_number == pytest.approx(condition, rel=1e-6)


def test_a_faster_motion_shows_more_and_breaks_limits(mission, motion):
    fast, slow = sweep(mission, {"duration_s": [2.0, 40.0]}, motion).points
    assert fast.broken
    assert not slow.broken
    assert fast.influences[0].rate_rad_s == pytest.approx(20.0 * slow.influences[0].rate_rad_s)


def test_noise_is_a_density_so_a_rate_matters_only_where_it_misses_the_motion(mission, motion):
    tiny, slow, fast, faster = sweep(mission, {"rate_Hz": [0.1, 0.5, 10.0, 200.0]}, motion).points
    assert fast.typical_accuracy == pytest.approx(faster.typical_accuracy, rel=0.02)
    assert fast.condition_number == pytest.approx(faster.condition_number, rel=0.02)
    assert slow.typical_accuracy != pytest.approx(fast.typical_accuracy, rel=0.02)
    assert np.isnan(tiny.condition_number), "three samples are fewer rows than clusters"


def test_without_a_motion_one_is_designed_for_each_number_of_harmonics(mission):
    found = sweep(mission, {"harmonics": [1.0, 2.0]}, starts=1, workers=1)
    assert np.isfinite(found.accuracies).all()
    assert found.points[0].condition_number != found.points[1].condition_number
    assert not any(point.broken for point in found.points)


def interrupting(monkeypatch, harmonics):
    """Ctrl-C while the motion with so many harmonics is designed, of which the search keeps what it has."""
    found = sweeping.find_motion

    def find(mission, plan, *arguments, **named):
        motion = found(mission, plan, *arguments, **named)
        interrupted = plan.shape.coefficients.shape[0] == 2 * harmonics
        return replace(motion, how=replace(motion.how, interrupted=interrupted))

    monkeypatch.setattr(sweeping, "find_motion", find)


def test_an_interrupted_design_ends_a_sweep_with_the_points_so_far(mission, monkeypatch):
    interrupting(monkeypatch, 2)
    found = sweep(mission, {"harmonics": [1.0, 2.0, 3.0]}, starts=1, workers=1)
    assert found.interrupted
    np.testing.assert_array_equal(found.column("harmonics"), [1.0])


def test_a_sweep_that_is_interrupted_before_its_first_point_has_nothing_to_keep(mission, monkeypatch):
    interrupting(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt, match="interrupted while a motion was designed"):
        sweep(mission, {"harmonics": [1.0, 2.0]}, starts=1, workers=1)


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({}, "nothing is varied; allowed: BODY.mass_kg"),
        ({"colour": [1.0]}, "'colour' is not varied; allowed: BODY.mass_kg"),
        ({"harmonics": [1.0, 1.5]}, "harmonics is 1.5; allowed: a whole number"),
        ({"harmonics": [1.0, 101.0]}, "harmonics is 101.0; allowed: a number not greater than 100"),
        ({"duration_s": [2.0, -1.0]}, "duration_s is -1.0; allowed: a number greater than 0"),
        ({"rate_Hz": [10.0, 0.0]}, "rate_Hz is 0.0; allowed: a number greater than 0"),
        ({"link2.mass_kg": [1.0, 0.0]}, "mass of link2 is 0 kg; allowed: a positive number"),
        ({"link2.offset_m.x": [0.0, np.nan]}, "link2.offset_m.x is nan; allowed: a finite number"),
        ({"boom.mass_kg": [1.0]}, "no body named 'boom'"),
    ],
)
def test_what_cannot_be_varied_is_refused_before_the_work(mission, monkeypatch, over, words):
    monkeypatch.setattr(sweeping, "find_motion", None)  # not called, as it cannot be
    with pytest.raises((InvalidSweep, UnknownName, NotApplicable), match=words):
        sweep(mission, over)


def test_harmonics_are_not_varied_of_a_motion_that_is_given(mission, motion):
    with pytest.raises(InvalidSweep, match="harmonics are varied by designing anew"):
        sweep(mission, {"harmonics": [1.0]}, motion)


def test_pages_and_tables_hold_every_point(mission, motion, tmp_path):
    found = sweep(mission, {"link2.mass_kg": [1.0, 2.0], "link2.offset_m.y": [0.0, 0.1]}, motion)
    write_sweep_page(tmp_path / "s.html", found, "a title")
    write_sweep_table(tmp_path / "s.csv", found)
    page = (tmp_path / "s.html").read_text()
    assert "a title" in page
    assert "link2.offset_m.y = 0.1" in page
    rows = list(csv.DictReader((tmp_path / "s.csv").read_text().splitlines()))
    assert [float(row["condition_number"]) for row in rows] == found.condition_numbers.tolist()
    assert float(rows[3]["sd Ixx_base"]) == {each.name: each.sd for each in found.points[3].predictions}["Ixx_base"]
