"""Motions that were flown before a design: recordings keep the names by which a mission speaks of them."""

import numpy as np
import pytest
from cli.calling import ended
from excitation.small_mission import MISSION, write_small_mission

import freefloat as ff
from freefloat.errors import FileError
from freefloat.mission.earlier import load_flown, motion_flown
from freefloat.mission.mission_file import InvalidMission

STARTS = {"j1": 0.4, "j2": -0.3}
RATES = {**MISSION["sensors"], "joints": {"kind": "joint-rate", "noise_rad_s": 1e-6, "rate_Hz": 20}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rates alone, from a start that is not zero: as a table with other channels, and of joints alone."""
    there = tmp_path_factory.mktemp("earlier")
    t = np.linspace(0.0, 10.0, 201)
    rate = np.column_stack([0.1 * np.sin(t), 0.2 * np.sin(2.0 * t)])
    lines = [f"{a!r},{b!r},{c!r}" for a, b, c in np.column_stack([t, rate]).tolist()]
    (there / "rates.csv").write_text("\n".join(["t_s,dq_j1_rad_s,dq_j2_rad_s", *lines, ""]))
    gyro = [f"{line},0,0,0" for line in lines]
    (there / "flight.csv").write_text(
        "\n".join(["t_s,dq_j1_rad_s,dq_j2_rad_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s", *gyro, ""])
    )
    return there


def mission_of(folder, **identify):
    return ff.load_mission(write_small_mission(folder, sensors=RATES, identify=identify))


@pytest.mark.parametrize("name", ["flight.csv", "rates.csv"])
def test_an_earlier_recording_starts_where_the_mission_says_that_it_did(folder, name):
    mission = mission_of(folder, start_positions={name: STARTS})
    for flown in (load_flown(mission, folder / name), motion_flown(mission, ff.load_recording(folder / name))):
        begins = flown.samples(mission.robot, [0.0]).q[0]
        np.testing.assert_allclose(begins, list(STARTS.values()), atol=1e-4)


def test_joints_and_wheels_alone_are_commands_where_the_mission_says_nothing_else(folder):
    mission = mission_of(folder)
    np.testing.assert_array_equal(load_flown(mission, folder / "rates.csv").samples(mission.robot, [0.0]).q, 0.0)


def test_a_recording_without_a_body_is_no_motion_of_the_whole_robot(folder):
    mission = mission_of(folder, without={"flight.csv": ["link2"]})
    with pytest.raises(FileError, match=r"flight\.csv: .* was made without link2, as identify\.without"):
        load_flown(mission, folder / "flight.csv")
    with pytest.raises(InvalidMission, match="allowed before a design: recordings with all its bodies"):
        ff.plan_of(mission, earlier=[ff.load_recording(folder / "flight.csv")])


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("t_s,q_j1_rad,q_j2_rad", "0,fast,0", "line 2: q_j1_rad is 'fast'; allowed: a number"),
        ("t_s,q_j1_m,q_j2_rad", "0,0,0", "line 1: 'q_j1_m', but the joint turns; allowed: rad or deg"),
        ("t_s,q_j1_rad,dq_j2_rad", "0,0,0", "line 1: column 'dq_j2_rad' is not read; allowed: t_s, q_<joint>"),
        ("t_s,q_j1_rad,q_j3_rad", "0,0,0", "j3"),
    ],
)
def test_commands_that_are_wrong_get_their_own_sentence(folder, first, second, words):
    write_small_mission(folder)
    (folder / "bad.csv").write_text("\n".join([first, second, *(f"{t},0,0" for t in range(1, 9)), ""]))
    code, said, err = ended(["design", "small.yaml", "--earlier", "bad.csv", "-o", "x.json"], folder)
    assert (code, said, err.count("\n")) == (2, "", 1)
    assert err.startswith("freefloat: bad.csv: ")
    assert words in err
    assert "gyro" not in err, "it is no recording"
