"""Without the command, joints are filtered: the estimate says what that does to its residual, and what cures it."""

from dataclasses import replace

import pytest

import freefloat as ff

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
    ff.save_robot(ff.study_robot("planar_known_load"), folder / "table.yaml")
    (folder / "mission.yaml").write_text(MISSION)
    mission = ff.load_mission(folder / "mission.yaml")
    command = ff.random_motion(mission, seed=5)
    return mission, replace(ff.simulate(mission, command, seed=1), origin=ff.Origin()), command


def test_a_residual_that_a_filter_coloured_asks_for_the_command(flown):
    mission, recording, _ = flown
    estimate = ff.identify(mission, recording)
    assert estimate.residual.white is False
    assert any(warning.endswith("give the commanded motion, if it is known") for warning in estimate.warnings)


def test_with_the_command_there_is_nothing_to_say(flown):
    mission, recording, command = flown
    estimate = ff.identify(mission, recording, trajectory=command)
    assert estimate.residual.white is True
    assert estimate.outcome == "good"
