"""The flight sheet says what an independent simulation of the same motion shows."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from excitation.small_mission import small_mission

import freefloat as ff
from freefloat.excitation.flight_forecast import flight_sheet
from freefloat.excitation.margin import Margin
from freefloat.mission.designing import plan_of
from freefloat.robot.rotations import rotations

TURN = (0.1, -0.2, 0.3, math.sqrt(1.0 - 0.14))


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    """Starts turned, with a wheel that holds momentum, at a total of zero."""
    flight = {"start": {"attitude_xyzw": list(TURN)}, "wheel_rates_rad_s": {"wx": 5.0}}
    return small_mission(tmp_path_factory.mktemp("sheet"), flight=flight)


@pytest.fixture(scope="module")
def motion(mission):
    drawn = ff.motion.random_trajectory(
        mission.robot, 20.0, 5, harmonics=2, channels=("j1", "j2", "wx"), start=np.zeros(3)
    )
    return drawn.with_coefficients(drawn.coefficients * [1.0, 1.0, 0.02])


@pytest.fixture(scope="module")
def sheet(mission, motion):
    margins = (
        Margin("rate of j1", 0.1, "rad/s", 0.5, 1.0, "rate"),
        Margin("clearance of a and b", -0.02, "m", -0.2, 3.0, "clearance"),
    )
    return flight_sheet(plan_of(mission), motion, margins)


@pytest.fixture(scope="module")
def flown(mission, motion):
    return ff.fly(mission, motion)


def test_attitude_pointing_and_rate_are_those_of_the_simulated_flight(sheet, flown):
    R = rotations(flown.attitude)
    np.testing.assert_allclose(rotations(np.array(TURN)[None])[0], R[0], atol=1e-12)
    ranges = {
        "roll": np.unwrap(np.arctan2(R[:, 2, 1], R[:, 2, 2])),
        "pitch": -np.arcsin(R[:, 2, 0]),
        "yaw": np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])),
    }
    for name, values in ranges.items():
        turned = getattr(sheet, name)
        np.testing.assert_allclose([turned.lowest, turned.highest], [values.min(), values.max()], atol=2e-4)
    angle = np.arccos(np.clip((np.einsum("ij,nij->n", R[0], R) - 1.0) / 2.0, -1.0, 1.0))
    assert sheet.pointing_rad == pytest.approx(angle.max(), abs=2e-4)
    rate = np.linalg.norm(flown.w, axis=1)
    assert sheet.base_rate_rad_s == pytest.approx(rate.max(), rel=1e-3)
    assert sheet.base_rate_at_s == pytest.approx(flown.t[rate.argmax()], abs=0.1)


def test_wheels_hold_what_they_held_and_what_the_motion_adds(sheet, mission, flown):
    (wheel,) = sheet.wheels
    assert wheel.at_start == pytest.approx(0.002 * 5.0)
    assert wheel.allowed == pytest.approx(0.002 * 500.0)
    assert wheel.largest == pytest.approx(0.002 * np.abs(flown.wheel_rates).max(), rel=1e-4)
    assert wheel.largest > wheel.at_start


def test_the_closest_bodies_are_found_without_a_limit(tmp_path, motion):
    free = small_mission(tmp_path, excitation={"shape": {"harmonics": 2}, "duration_s": 20})
    sheet = flight_sheet(plan_of(free), motion)
    near, at = sheet.nearest, motion.samples(free.robot, np.array([sheet.nearest.at_s]))
    assert {near.a, near.b} == {"base", "link2"}
    j1, j2 = at.q[0]
    axis = np.array([math.cos(j1) * math.cos(j2), math.sin(j2), -math.sin(j1) * math.cos(j2)])
    elbow = np.array([0.3, 0.0, 0.0]) + 0.4 * np.array([math.cos(j1), 0.0, -math.sin(j1)])
    along = np.clip(-elbow @ axis, 0.0, 0.3)
    assert near.distance_m == pytest.approx(np.linalg.norm(elbow + along * axis) - 0.25 - 0.04, abs=1e-9)


def shift_per_torque(plan, motion):
    """What the estimate of an estimator that knows of the torque moves by if the torque is then given it as zero."""
    aware = replace(plan, nuisances=replace(plan.nuisances, external_torque_Nm=1.0)).bound(motion)
    names = [*aware.names, *aware.nuisance_names]
    torque = np.array(["external torque" in name for name in names])
    assert torque.sum() == 3
    known = replace(plan, nuisances=replace(plan.nuisances, external_torque_Nm=1e-12)).bound(motion)
    unaware = plan.bound(motion)
    np.testing.assert_allclose(known.sd, unaware.sd, rtol=1e-6)
    covariance = aware.full_covariance
    slopes = covariance[: len(aware.names), torque] @ np.linalg.inv(covariance[np.ix_(torque, torque)])
    return (np.linalg.norm(slopes, axis=1) / unaware.sd).max()


@pytest.mark.parametrize("orbital_rate", [2e-4, 0.002], ids=["too long", "too short"])
def test_a_torque_that_nobody_knows_of_biases_by_what_the_sheet_says(mission, motion, orbital_rate):
    """Against regression of the clusters on the torque, for this motion and for one of the duration allowed."""
    plan = replace(plan_of(mission), wheel_rates=None)
    gradient = flight_sheet(plan, motion, orbital_rate_rad_s=orbital_rate).gravity_gradient
    assert gradient.shift_sd == pytest.approx(gradient.torque_Nm * shift_per_torque(plan, motion), rel=1e-4)
    assert (gradient.allowed_s < 20.0) == (gradient.shift_sd > 1.0)
    slower = 20.0 / gradient.allowed_s
    ends = motion.ends * np.array([1.0, slower, slower**2] * 2)[:, None]
    in_time = replace(motion, coefficients=slower * motion.coefficients, duration_s=gradient.allowed_s, ends=ends)
    assert gradient.torque_Nm * shift_per_torque(plan, in_time) == pytest.approx(1.0, rel=5e-3)


def test_the_torque_is_that_of_the_gravity_gradient(mission, motion, sheet):
    still = replace(motion, coefficients=0.0 * motion.coefficients)
    gradient = flight_sheet(plan_of(mission), still, orbital_rate_rad_s=0.002).gravity_gradient
    A = ff.dynamics.momentum_matrix(mission.robot, np.zeros((1, 2)))[0]
    about_com = np.linalg.inv(np.linalg.inv(A[:6, :6])[3:, 3:])
    moments = np.linalg.eigvalsh(about_com)
    assert gradient.torque_Nm == pytest.approx(1.5 * 0.002**2 * (moments[-1] - moments[0]))
    assert not gradient.assumed
    assert sheet.gravity_gradient.assumed
    assert sheet.gravity_gradient.orbital_rate_rad_s == 0.0011


def test_go_and_no_go_by_limit_in_words(sheet):
    text = sheet.as_text()
    assert not sheet.go
    assert replace(sheet, margins=sheet.margins[:1]).go
    assert "NO-GO             1 of 2 limits broken" in text
    assert "  go     rate of j1: 5.73 °/s left at 1 s" in text
    assert "  no-go  clearance of a and b: broken by 0.02 m at 3 s" in text
    assert re.search(r"gravity gradient  up to \S+ N m \(orbital rate 0.0011 rad/s, assumed: low Earth orbit\)", text)
    assert "wheel wx" in text
    assert "closest           base and link2" in text


def test_text_and_page_say_the_same_matters(sheet):
    (wheel,) = sheet.wheels
    named = replace(sheet, wheels=(replace(wheel, name="the one of them that points forward"),))
    matters = dict(named.matters)
    assert matters["duration"] == "20 s"
    assert matters["wheel the one of them that points forward"].startswith("holds 0.01 at the start")
    assert list(matters)[-1] == named.verdict
    lines = named.as_text().splitlines()
    assert [line.split() for line in lines[: len(matters)]] == [f"{a} {b}".split() for a, b in named.matters]
    assert len(lines) == len(matters) + len(named.margins)


def test_a_go_says_what_was_not_checked(mission, motion, sheet, tmp_path):
    kept = replace(sheet, margins=sheet.margins[:1])
    assert kept.collisions.extent == "all"
    assert re.search(r"^GO                1 limits kept$", kept.as_text(), re.MULTILINE)
    assert "\ncollisions        checked between all bodies that are no neighbours\n" in kept.as_text()
    free = small_mission(tmp_path, excitation={"shape": {"harmonics": 2}, "duration_s": 20})
    unchecked = flight_sheet(plan_of(free), motion, kept.margins)
    assert unchecked.go
    assert "\nGO, collisions not checked  1 limits kept\n" in unchecked.as_text()
    assert "\ncollisions        not checked: no clearance between bodies is asked for" in unchecked.as_text()
    named = {"limits": {"clearance_m": 0.01, "clearance_pairs": [["base", "link1"]]}}
    some = flight_sheet(plan_of(small_mission(tmp_path, excitation=named)), motion, kept.margins)
    assert some.verdict == "GO, collisions not all checked"
    assert "\ncollisions        checked only between base and link1\n" in some.as_text()
    assert replace(unchecked, margins=sheet.margins).verdict == "NO-GO, collisions not checked"


def test_bodies_that_overlap_are_said_beside_the_go(sheet):
    inside = replace(sheet, margins=sheet.margins[:1], nearest=replace(sheet.nearest, distance_m=-0.05, at_s=3.0))
    assert inside.verdict == "GO, but base and link2 overlap"
    assert "\nclosest           base and link2 overlap by 0.050 m at 3 s\n" in inside.as_text()


def test_a_torque_that_is_estimated_along_or_too_small_to_matter_is_said_so(mission, motion):
    plan = plan_of(mission)
    along = replace(plan, nuisances=replace(plan.nuisances, external_torque_Nm=1e-3))
    ignorant, aware = (flight_sheet(each, motion, orbital_rate_rad_s=0.002) for each in (plan, along))
    assert aware.gravity_gradient.shift_sd == pytest.approx(ignorant.gravity_gradient.shift_sd)
    assert ignorant.gravity_gradient.shift_sd > 1.0
    assert "external_torque_Nm to have it estimated along" in ignorant.as_text()
    assert " s, but is estimated along" in aware.as_text()
    modelled = flight_sheet(plan, motion, orbital_rate_rad_s=0.002, modelled=True)
    assert modelled.gravity_gradient.shift_sd == pytest.approx(ignorant.gravity_gradient.shift_sd)
    assert " s, but is part of the model" in modelled.as_text()
    assert math.isfinite(modelled.gravity_gradient.wider)
    assert math.isnan(aware.gravity_gradient.wider)
    calm = flight_sheet(plan, motion, orbital_rate_rad_s=1e-6)
    assert calm.gravity_gradient.shift_sd < 1e-3
    assert math.isnan(calm.gravity_gradient.allowed_s)  # far beyond the durations that are looked at
    assert re.search(r"shifts a cluster by up to \S+ predicted standard deviations$", calm.as_text(), re.MULTILINE)
    quiet = flight_sheet(plan, motion, orbital_rate_rad_s=0.0).gravity_gradient
    assert (quiet.torque_Nm, quiet.shift_sd, quiet.allowed_s) == (0.0, 0.0, math.inf)


def test_the_sheet_of_an_orbit_says_what_other_torques_cost(mission, motion):
    plan = plan_of(mission)
    plan = replace(plan, orbit=ff.dynamics.Orbit(0.0011), nuisances=plan.nuisances.in_orbit)
    found = flight_sheet(plan, motion, orbital_rate_rad_s=0.0011, modelled=True)
    alone = replace(plan, nuisances=plan.nuisances.without_torques)
    wider = (plan.bound(motion).sd / alone.bound(motion).sd).max() - 1.0
    assert found.gravity_gradient.wider == pytest.approx(wider)
    assert 1e-4 < wider < 10.0
    assert f"part of the model; other torques widen an interval by up to {100.0 * wider:.2g} %" in found.as_text()


def test_a_base_that_does_not_float_has_no_gravity_gradient():
    robot = ff.study_robot("gautier_khalil_arm")
    motion = ff.motion.random_trajectory(robot, 5.0, 1, harmonics=2)
    found = flight_sheet(ff.Plan(robot, motion, goal="condition-number", model="torque"), motion)
    assert found.gravity_gradient is None
    assert (found.pointing_rad, found.base_rate_rad_s) == (0.0, 0.0)
