"""Joints that are filtered colour the residual, and the estimate says what cures it; splines do not."""

from dataclasses import replace

import numpy as np
import pytest

import freefloat as ff
from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.filtering import LowPass

MISSION = """
format: freefloat/mission@1
mission: table
robot: table.yaml
known: {load: {relative_sd: 0.002}}
sensors:
  joints: {kind: encoder, noise_rad: 1.0e-4, rate_Hz: 50}
  gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.005, rate_Hz: 50}
excitation: {duration_s: 30}
"""


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """A mission, a flight as a lab records it, which does not say what was commanded, and the command."""
    folder = tmp_path_factory.mktemp("table")
    ff.study_robot("planar_known_load").save(folder / "table.yaml")
    (folder / "mission.yaml").write_text(MISSION)
    mission = ff.load_mission(folder / "mission.yaml")
    command = ff.random_motion(mission, seed=5)
    return mission, replace(ff.simulate(mission, command, seed=1), origin=ff.data.Origin()), command


def test_a_residual_that_a_filter_coloured_asks_for_the_command(flown):
    mission, recording, _ = flown
    estimate = ff.identify(mission, recording, settings=ff.data.ProcessSettings(joints=BandLimited(LowPass(1.4))))
    assert estimate.residual.white is False
    assert any(warning.endswith("give the commanded motion, if it is known") for warning in estimate.warnings)


@pytest.mark.parametrize("known", [True, False])
def test_with_the_command_or_splines_there_is_nothing_to_say(flown, known):
    mission, recording, command = flown
    estimate = ff.identify(mission, recording, motion=command if known else None)
    assert estimate.residual.white is True
    assert estimate.outcome == "good"


def test_without_the_command_intervals_hold_the_truth(flown):
    mission, _, _ = flown
    errors = []
    for seed in range(8):
        robot = ff.draw_robot(mission, seed)
        recording = ff.simulate(mission, ff.random_motion(mission, seed=100 + seed), seed=seed, robot=robot)
        estimate = ff.identify(mission, replace(recording, origin=ff.data.Origin()))
        assert estimate.outcome == "good"
        errors.append((estimate.values - estimate.minimal.values(robot.parameters)) / estimate.sd)
    assert 0.75 < np.sqrt(np.mean(np.square(errors))) < 1.25


def test_a_gap_that_splines_bridge_does_no_harm(flown):
    mission, recording, command = flown
    q = recording["q"]
    holed = q.at_rows(np.flatnonzero((q.t < 10.0) | (q.t > 10.5)))
    estimate = ff.identify(mission, ff.Recording([holed if each.name == "q" else each for each in recording]))
    assert estimate.residual.white is True
    whole = ff.identify(mission, recording, motion=command)
    assert np.abs((estimate.values - whole.values) / estimate.sd).max() < 3.0
