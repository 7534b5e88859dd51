"""Files that an earlier version wrote are read for good, and say what they said."""

from pathlib import Path

import numpy as np
import pytest

import freefloat as ff

FOLDERS = sorted(path for path in Path(__file__).parent.iterdir() if (path / "mission.yaml").is_file())


@pytest.fixture(params=FOLDERS, ids=lambda path: path.name)
def folder(request):
    return request.param


def test_there_are_files_of_every_version_since_they_are_kept():
    assert {path.name for path in FOLDERS} >= {"0.2.0"}


@pytest.mark.parametrize("name", ["robot.yaml", "robot.json", "robot.urdf"])
def test_robot(folder, name):
    robot = ff.load_robot(folder / name, base="free" if name.endswith("urdf") else None)
    assert robot.joint_names == ("j1", *(("wx_joint",) if name.endswith("urdf") else ())), (
        "a wheel is a joint in a URDF"
    )
    assert robot.mass == pytest.approx(22.0)


def test_mission(folder):
    mission = ff.load_mission(folder / "mission.yaml")
    assert (mission.name, sorted(mission.sensors)) == ("tiny", ["gyro", "joints"])
    assert mission.settings.known["link1.m"].relative_sd == 0.01
    assert mission.trajectory == ff.load_trajectory(folder / "trajectory.json", mission.robot)


def test_bag_mapping(folder):
    topics = ff.data.load_bag_mapping(folder / "mapping.yaml").topics
    assert topics["/joint_states"].joints == {"arm_1": "j1"}
    assert topics["/imu"].wanted == ("gyro",)


def test_trajectory(folder):
    trajectory = ff.load_trajectory(folder / "trajectory.json")
    assert isinstance(trajectory, ff.motion.Fourier)
    assert trajectory.coefficients.ravel().tolist() == [0.3, -0.2, 0.1, 0.2]


def test_excitation(folder):
    excitation = ff.load_excitation(folder / "excitation.json")
    assert (excitation.goal, excitation.feasible, excitation.how.seed) == ("accuracy", True, 1)
    assert excitation.trajectory.channels == ("j1",)
    assert excitation.sheet.go
    assert excitation.origin["mission"] == "tiny"


def test_recording(folder):
    exact, numbers = (ff.load_recording(folder / f"recording.{ending}") for ending in ("parquet", "csv"))
    assert (exact.origin.kind, exact.origin.seed, exact.origin.mission) == ("simulated", 1, "tiny")
    assert exact["q"].values.shape == (41, 1)
    assert exact["gyro"] == numbers["gyro"], "a CSV file keeps the numbers"


def test_estimate(folder):
    estimate = ff.load_estimate(folder / "estimate.json")
    assert (estimate.method, estimate.model) == ("maximum-likelihood", "momentum")
    assert estimate.robot == ff.load_mission(folder / "mission.yaml").robot
    assert estimate.covariance.shape == (len(estimate.names),) * 2
    assert np.isfinite(estimate.value("Izz_base")[0])


def test_validation(folder):
    validation = ff.load_validation(folder / "validation.json")
    assert validation.verdict in ("pass", "doubtful")
    assert validation.duration_s == 10.0
    assert 0.5 < validation.ratio("w") < 2.0


def test_run(folder):
    run = ff.load_run(folder / "run")
    assert run.manifest.finished
    assert run.flight["gyro"] == run.flights["flight.parquet"]["gyro"]
    assert run.estimate.method == "maximum-likelihood"
    assert run.validation is not None


def test_campaign(folder):
    campaign = ff.load_campaign(folder / "campaign")
    assert (campaign.runs, campaign.manifest.methods) == (2, ["least-squares"])
    assert campaign.summary().settings[0].methods[0].method == "least-squares"
