"""What a page shows of robots that swing: modes, springs, spectra, and passive joints that move as predicted."""

import base64
from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from cli.test_swinging_commands import PANEL
from excitation.small_mission import ROBOT
from report.flights import identified

import freefloat as ff
from freefloat.dynamics.modes import system_modes
from freefloat.report.robot_in_3d.scene import scene_of
from freefloat.report.run_page import run_page
from freefloat.report.sections.swings import swing_figures, swings
from freefloat.report.sections.trajectory import trajectory_figures

HINGE = "panel_hinge"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return identified(tmp_path_factory.mktemp("swings"), {**ROBOT, "appendages": [PANEL]})


@pytest.fixture(scope="module")
def flown(run):
    """What really happened at the instants that the estimate keeps."""
    truth = ff.fly(run.mission, seed=1)
    t = run.estimate.flights[0].motion.t
    places = np.searchsorted(truth.t, t - 1e-9)
    np.testing.assert_allclose(truth.t[places], t, atol=1e-9)
    return truth[places]


def unpacked(document):
    return np.frombuffer(base64.b64decode(document["bdata"]), f"<{document['dtype']}")


def test_an_estimate_keeps_how_passive_joints_swing_which_nobody_measured(run, flown, tmp_path):
    place = run.robot.joint_names.index(HINGE)
    (used,) = run.estimate.flights
    moved = np.abs(flown.q[:, place]).max()
    assert moved > 1e-3
    assert np.abs(used.motion.q[:, place] - flown.q[:, place]).max() < 0.02 * moved
    assert_agree(used.motion.dq[:, place, None], flown.dq[:, place, None], 0.05)
    run.estimate.save(tmp_path / "e.json")
    again = ff.load_estimate(tmp_path / "e.json")
    np.testing.assert_array_equal(again.flights[0].motion.q, used.motion.q)
    for one, other in zip(again.residuals, run.estimate.residuals, strict=True):
        assert (one.measured is None) == (other.measured is None)
        if one.measured is not None:
            np.testing.assert_array_equal(one.measured, other.measured)


def test_bodies_in_3d_move_as_joints_swing(run):
    """In the frame of the base, the panel has turned by what the estimate says of its hinge."""
    robot, scene = run.robot, scene_of(run)
    body = robot.body_names.index("panel")
    poses = unpacked(scene["poses"]).reshape(scene["frames"], scene["bodies"], 12)
    base, panel = (poses[:, place, :9].reshape(-1, 3, 3) for place in (0, body))
    within = np.einsum("nji,njk->nik", base, panel)
    turned = np.arccos(np.clip(0.5 * (np.einsum("nii->n", within) - 1.0), -1.0, 1.0))
    q = run.estimate.flights[0].motion.q[:, robot.joint_names.index(HINGE)]
    np.testing.assert_allclose(turned, np.abs(q), atol=1e-3)  # single precision
    assert np.ptp(turned) > 3e-3


def test_measured_and_predicted_rates_are_the_recording_s_and_the_flight_s(run):
    (left,) = (each for each in run.estimate.residuals if each.measured is not None)
    (gyro,) = run.flight.of_quantity("gyro")
    np.testing.assert_allclose(left.measured, gyro.of(gyro.components), atol=1e-15)
    truth = ff.fly(run.mission, seed=1)
    predicted = left.measured - left.residual
    w = np.column_stack([np.interp(left.t, truth.t, truth.w[:, axis]) for axis in range(3)])
    off = (predicted - w) - (predicted - w).mean(axis=0)  # but for the bias
    assert np.sqrt((off**2).mean()) < 0.3 * left.noise.mean()


def test_modes_and_springs_are_those_of_the_estimate(run):
    said = swings(run)
    found, true = said["modes"], system_modes(run.robot)
    assert len(found) == len(true) == 1
    assert found[0]["swings"] == HINGE
    assert float(found[0]["frequency"].removesuffix(" Hz")) == pytest.approx(true[0].frequency_Hz, rel=0.03)
    assert float(found[0]["by"]) == pytest.approx(np.linalg.norm(true[0].turn), rel=0.05)
    assert [each["name"] for each in said["springs"]] == [f"stiffness of {HINGE}", f"damping of {HINGE}"]
    (spring,) = run.robot.springs
    for each, value in zip(said["springs"], (spring.stiffness, spring.damping), strict=True):
        assert float(each["cad"]) == pytest.approx(value, rel=1e-4)
        assert abs(float(each["value"]) - value) < 2.0 * float(each["interval"].removeprefix("±"))
        assert each["truth"] == ""


def test_spectra_are_marked_at_the_modes(run):
    spectra, joints = swing_figures(run)
    assert [each["name"] for each in spectra.traces] == ["measured", "predicted", "left over"]
    (shape,) = spectra.layout["shapes"]
    assert f"{shape['x0']:.3g} Hz" == swings(run)["modes"][0]["frequency"]
    measured, _, left = (unpacked(each["y"]) for each in spectra.traces)
    assert measured.max() > 1e3 * np.median(left)
    assert np.median(left) == pytest.approx(1.0, abs=0.5)
    (line,) = joints.traces
    q = run.estimate.flights[0].motion.q[:, run.robot.joint_names.index(HINGE)]
    np.testing.assert_allclose(unpacked(line["y"]), np.degrees(q), atol=1e-5)


def test_motion_as_it_was_recorded_is_that_of_driven_joints(run):
    positions, rates, *_ = trajectory_figures(run)
    for figure in (positions, rates):
        assert [trace["name"] for trace in figure.traces] == list(run.robot.driven_names)


def test_the_page_has_a_section_only_where_something_swings(run, tmp_path):
    page = run_page(run)
    assert '<h2 id="h-swings">What swings</h2>' in page
    assert '<a href="#swings">' in page
    stiff = identified(tmp_path)
    assert swings(stiff) is None
    assert swing_figures(stiff) == []
    assert "h-swings" not in run_page(stiff)
    known = replace(run, truth=run.robot)
    assert [each["truth"] for each in swings(known)["springs"]] == [each["cad"] for each in swings(run)["springs"]]
