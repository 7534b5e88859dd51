"""Missions: read, checked, flown; and the commands around them."""

import json
import subprocess
import sys

import numpy as np
import pytest
import yaml

from freefloat.errors import FileError
from freefloat.experiment.tables import read_recording
from freefloat.mission import fly, load_mission, random_motion, simulate
from freefloat.motion.trajectory_file import load_trajectory
from freefloat.regressor.momentum import momentum
from freefloat.studies import study_path

SENSORS = {
    "joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 20},
    "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 20},
}


@pytest.fixture
def mission_file(tmp_path):
    def write(**changes):
        document = {
            "format": "freefloat/mission@1",
            "mission": "trial",
            "robot": str(study_path("servicer")),
            "known": {"load": {"relative_sd": 0.002}},
            "sensors": SENSORS,
            "excitation": {"duration_s": 10},
        } | changes
        path = tmp_path / "trial.yaml"
        path.write_text(yaml.safe_dump(document))
        return path

    return write


def run(*arguments, cwd):
    command = [sys.executable, "-m", "freefloat", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd)


def test_a_flight_at_zero_momentum_keeps_zero_momentum(mission_file):
    mission = load_mission(mission_file())
    flown = fly(mission, seed=3)
    size = np.abs(momentum(mission.robot, flown[:1])).max() + 1.0
    assert np.abs(momentum(mission.robot, flown)).max() < 1e-11 * size
    assert np.abs(flown.w).max() > 1e-4, "the base reacts"


def test_wheels_given_momentum_while_the_base_was_held_make_the_total(mission_file):
    mission = load_mission(mission_file(momentum={"wheels_Nms": {"wx": 2.0, "wz": -1.0}}))
    flown = fly(mission, seed=3)
    np.testing.assert_allclose(momentum(mission.robot, flown[:1])[0, 3:], [2.0, 0.0, -1.0], atol=1e-9)


def test_runs_share_the_flight_and_differ_in_noise_alone(mission_file):
    mission = load_mission(mission_file())
    truth = fly(mission, seed=1)
    one, two = (simulate(mission, seed=1, run=number, truth=truth) for number in (0, 1))
    again = simulate(mission, seed=1, run=1)
    assert np.abs(one["gyro"].values - two["gyro"].values).max() > 0.0
    np.testing.assert_array_equal(two["gyro"].values, again["gyro"].values)
    assert (two.origin.mission, two.origin.seed, two.origin.run) == ("trial", 1, 1)


def test_the_missions_own_trajectory_is_flown_from_a_file_or_written_out(mission_file, tmp_path):
    mission = load_mission(mission_file())
    motion = random_motion(mission, seed=5)
    motion.save(tmp_path / "motion.json")
    from_file = load_mission(mission_file(trajectory="motion.json"))
    written_out = load_mission(mission_file(trajectory=json.loads((tmp_path / "motion.json").read_text())))
    for other in (from_file, written_out):
        np.testing.assert_array_equal(fly(other).q, fly(mission, motion).q)
    assert load_trajectory(tmp_path / "motion.json").duration_s == 10.0


@pytest.mark.parametrize(
    ("changes", "mentions"),
    [
        ({"sensors": {"gyro": {"kind": "gyrometer", "rate_Hz": 10}}}, ["gyrometer", "sensors"]),
        ({"known": {"laod": {}}}, ["laod", "load"]),
        ({"momentum": {"wheels_Nms": {"w9": 1.0}}}, ["w9"]),
        ({"robot": "missing.yaml"}, ["missing.yaml"]),
        ({"trajectory": "missing.json"}, ["missing.json"]),
        ({"excitation": {"duration_s": -1}}, ["duration_s"]),
        ({"format": "freefloat/mission@9"}, ["mission@9", "freefloat/mission@1"]),
        ({"colour": "blue"}, ["colour"]),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(mission_file, changes, mentions):
    with pytest.raises(FileError) as caught:
        load_mission(mission_file(**changes))
    sentence = str(caught.value)
    assert "\n" not in sentence
    for mention in mentions:
        assert mention in sentence


def test_new_simulate_and_data_work_together(tmp_path):
    assert run("new", "first", cwd=tmp_path).returncode == 0
    refused = run("new", "first", cwd=tmp_path)
    assert (refused.returncode, "first.yaml" in refused.stderr) == (2, True)
    flown = run("simulate", "first.yaml", "--seed", "4", "-o", "flight.parquet", cwd=tmp_path)
    assert flown.returncode == 0, flown.stderr
    described = json.loads(run("data", "flight.parquet", "--plot", "page.html", "--json", cwd=tmp_path).stdout)
    rates = {channel["name"]: channel["rate_Hz"] for channel in described["channels"]}
    assert rates["gyro"] == pytest.approx(100.0)
    noise = described["channels"][0]["columns"][0]["noise"]
    assert noise == pytest.approx(2.5e-5, rel=0.15)
    page = (tmp_path / "page.html").read_text()
    assert "gyro_x_rad_s" in page
    assert 'src="http' not in page, "the page works offline"
    assert "gyro_x_rad_s" in run("data", "flight.parquet", cwd=tmp_path).stdout


def test_several_runs_go_to_a_folder(mission_file, tmp_path):
    mission = mission_file(excitation={"duration_s": 2})
    written = json.loads(run("simulate", mission, "--runs", "3", "-o", "flights", "--json", cwd=tmp_path).stdout)
    assert len(written["recordings"]) == 3
    runs = [read_recording(tmp_path / name).origin.run for name in written["recordings"]]
    assert runs == [0, 1, 2]
    refused = run("simulate", mission, "--runs", "3", "-o", "one.parquet", cwd=tmp_path)
    assert (refused.returncode, "folder" in refused.stderr) == (2, True)


def test_a_bag_without_a_mapping_is_told_what_it_needs(tmp_path):
    bag = tmp_path / "flight.mcap"
    bag.write_bytes(b"")
    refused = run("data", bag, cwd=tmp_path)
    assert (refused.returncode, "--mapping" in refused.stderr) == (2, True)
