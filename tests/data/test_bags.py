"""ROS 2 bags and MCAP files become recordings, through a mapping of their topics."""

import sys

import numpy as np
import pytest
from data.bags_written import START_NS, imu, joint_state, mcap_in, odometry, pose, twist, write_bag
from data.recordings_made import assert_same_channels, said_by

from freefloat.data import bags
from freefloat.data.bag_mapping import BagMapping, load_bag_mapping
from freefloat.data.load import load_recording
from freefloat.errors import FileError

MILLISECOND = 10**6


def mapping(**topics):
    return BagMapping.model_validate(
        {
            "format": "freefloat/bag-mapping@1",
            "topics": {f"/{name}": section for name, section in topics.items()},
        }
    )


JOINTS_AND_IMU = mapping(
    joints={"kind": "joint-state", "joints": {"elbow": "j2", "shoulder": "j1"}, "reversed": ["j2"]},
    imu={"kind": "imu"},
)


def two_rates(late=()):
    """Joints every 10 ms, an IMU every 4 ms; these samples of the IMU swap places with the one before."""
    joints = [
        ("/joints", START_NS + 10 * k * MILLISECOND + 123, _joints(START_NS + 10 * k * MILLISECOND, k))
        for k in range(30)
    ]
    order = list(range(70))
    for k in late:
        order[k - 1], order[k] = order[k], order[k - 1]
    turning = [
        ("/imu", START_NS + 4 * place * MILLISECOND + 77, imu(START_NS + 4 * k * MILLISECOND + 5, [k, 0.5, -k]))
        for place, k in enumerate(order)
    ]
    return sorted(joints + turning, key=lambda each: each[1])


def _joints(stamp, k):
    return joint_state(stamp, ["shoulder", "gripper", "elbow"], [k, 9, 2 * k], [1, 9, 2], [0.1, 9, 0.2])


# ---------------------------------------------------------------------- reading


def check_two_rates(recording):
    assert list(recording.channels) == ["q", "dq", "tau", "gyro", "accelerometer"]
    joints, gyro = recording["q"], recording["gyro"]
    assert joints.columns == ("q_j2_rad", "q_j1_rad")
    np.testing.assert_allclose(joints.t, 0.010 * np.arange(30), atol=1e-15)
    np.testing.assert_array_equal(joints.values, np.outer(np.arange(30), [-2.0, 1.0]))
    np.testing.assert_array_equal(recording["tau"].values, [[-0.2, 0.1]] * 30)
    np.testing.assert_allclose(gyro.t, 0.004 * np.arange(70) + 5e-9, rtol=1e-15)
    np.testing.assert_array_equal(gyro.values[:, 0], np.arange(70))
    assert recording.start_ns == START_NS


@pytest.mark.parametrize(
    ("storage", "compression"),
    [
        *(("mcap", each) for each in (None, "storage", "message", "file")),
        *(("sqlite3", each) for each in (None, "message", "file")),
    ],
)
def test_a_bag_of_two_rates_is_read_however_it_is_stored(tmp_path, storage, compression):
    bag = write_bag(tmp_path / "bag", two_rates(), storage, compression)
    recording = load_recording(bag, JOINTS_AND_IMU)
    check_two_rates(recording)
    assert recording.notes == ("/imu: frame 'imu_link'",)
    assert recording.origin.kind == "recorded"
    assert recording.origin.file == "bag"


@pytest.mark.parametrize("compression", [None, "storage"])
def test_an_mcap_file_is_read_on_its_own(tmp_path, compression):
    file = mcap_in(write_bag(tmp_path / "bag", two_rates(), "mcap", compression))
    if compression:
        assert b"zstd" in file.read_bytes()
    recording = load_recording(file, JOINTS_AND_IMU)
    check_two_rates(recording)
    assert len(recording.origin.hashes[file.name]) == 64


def test_stamps_out_of_order_are_sorted_and_that_is_said(tmp_path):
    bag = write_bag(tmp_path / "bag", two_rates(late=(10, 20, 21)))
    recording = load_recording(bag, JOINTS_AND_IMU)
    check_two_rates(recording)
    assert "sort: gyro: put in order 5 of 70 samples" in recording.notes


def test_the_start_is_the_first_stamp_of_all_topics(tmp_path):
    messages = [
        ("/imu", START_NS, imu(START_NS + 7 * MILLISECOND, [1, 2, 3])),
        ("/joints", START_NS + 1, _joints(START_NS + 2 * MILLISECOND, 1)),
    ]
    recording = load_recording(write_bag(tmp_path / "bag", messages), JOINTS_AND_IMU)
    assert recording.start_ns == START_NS + 2 * MILLISECOND
    assert (recording["q"].t[0], recording["gyro"].t[0]) == (0.0, pytest.approx(0.005))


def test_every_kind_of_message_gives_its_quantities(tmp_path):
    turned, at = (0.5, 0.5, 0.5, 0.5), START_NS
    messages = [
        ("/imu", at, imu(at, [1, 2, 3], [4, 5, 6], turned)),
        ("/pose", at, pose(at, [7, 8, 9], turned)),
        ("/odom", at, odometry(at, [1, 1, 2], turned, [3, 5, 8], [13, 21, 34])),
        ("/twist", at, twist(at, [1, 0, 0], [0, 1, 0])),
        ("/outside", at, twist(at, [2, 0, 0], [0, 2, 0])),
    ]
    recording = load_recording(
        write_bag(tmp_path / "bag", messages),
        mapping(
            imu={"kind": "imu"},
            pose={"kind": "pose", "label": "mocap"},
            odom={"kind": "odometry", "label": "odometry", "note": "x forward"},
            twist={"kind": "twist", "take": ["body_velocity"]},
            outside={"kind": "twist", "axes": "inertial"},
        ),
    )
    assert {each.name: each.values[0].tolist() for each in recording} == {
        "gyro": [1, 2, 3],
        "accelerometer": [4, 5, 6],
        "attitude": list(turned),
        "position.mocap": [7, 8, 9],
        "attitude.mocap": list(turned),
        "position.odometry": [1, 1, 2],
        "attitude.odometry": list(turned),
        "body_velocity.odometry": [3, 5, 8],
        "gyro.odometry": [13, 21, 34],
        "body_velocity": [1, 0, 0],
        "velocity": [2, 0, 0],
    }
    assert "/odom: x forward" in recording.notes
    assert "/odom: frame 'world', 'base'" in recording.notes


def test_wheels_and_sliding_joints_come_out_of_joint_states(tmp_path):
    at = START_NS
    messages = [("/joints", at, joint_state(at, ["lift", "rw"], [0.5, 7.0], [0.1, 300.0], []))]
    section = {"kind": "joint-state", "joints": {"lift": "z"}, "wheels": {"rw": "wx"}, "slides": ["z"]}
    recording = load_recording(write_bag(tmp_path / "bag", messages), mapping(joints=section))
    assert [column for each in recording for column in each.columns] == ["q_z_m", "dq_z_m_s", "wheel_wx_rad_s"]
    assert recording["wheel"].values.tolist() == [[300.0]]


def test_without_a_mapping_of_joints_all_are_taken_by_their_names(tmp_path):
    messages = [("/joints", START_NS, _joints(START_NS, 3))]
    recording = load_recording(write_bag(tmp_path / "bag", messages), mapping(joints={"kind": "joint-state"}))
    assert recording["q"].components == ("shoulder", "gripper", "elbow")


def test_messages_about_other_joints_are_passed_over(tmp_path):
    gripper = [("/joints", START_NS + k * MILLISECOND + 1, joint_state(START_NS, ["gripper"], [1.0])) for k in range(4)]
    bag = write_bag(tmp_path / "bag", sorted(two_rates() + gripper, key=lambda each: each[1]))
    recording = load_recording(bag, JOINTS_AND_IMU)
    check_two_rates(recording)
    assert "/joints: 4 messages do not name all of elbow, shoulder and were passed over" in recording.notes


def test_what_is_nan_throughout_is_left_out_and_said(tmp_path):
    messages = [
        ("/joints", START_NS + k, joint_state(START_NS + k, ["a"], [float(k)], [1.0], [np.nan])) for k in range(3)
    ]
    recording = load_recording(write_bag(tmp_path / "bag", messages), mapping(joints={"kind": "joint-state"}))
    assert "tau" not in recording
    assert recording.notes == ("/joints: tau is never a number and was left out",)


def test_an_imu_that_does_not_know_its_attitude_gives_none(tmp_path):
    bag = write_bag(tmp_path / "bag", [("/imu", START_NS, imu(START_NS, [1, 2, 3]))])
    assert "attitude" not in load_recording(bag, mapping(imu={"kind": "imu"}))


def test_time_of_logging_can_stand_in_for_headers(tmp_path):
    messages = [("/imu", START_NS + k * MILLISECOND, imu(0, [k, 0, 0])) for k in range(3)]
    bag = write_bag(tmp_path / "bag", messages)
    assert "topic '/imu' has headers without time stamps; allowed: those, or `stamps: log`" in said_by(
        load_recording, bag, mapping(imu={"kind": "imu"})
    )
    recording = load_recording(bag, mapping(imu={"kind": "imu", "stamps": "log"}))
    np.testing.assert_allclose(recording["gyro"].t, [0.0, 1e-3, 2e-3])


def test_reading_twice_gives_the_same(tmp_path):
    bag = write_bag(tmp_path / "bag", two_rates())
    assert_same_channels(load_recording(bag, JOINTS_AND_IMU), load_recording(mcap_in(bag), JOINTS_AND_IMU))


# ---------------------------------------------------------------------- faults


def test_a_missing_topic_is_one_sentence(tmp_path):
    bag = write_bag(tmp_path / "bag", two_rates())
    said = said_by(load_recording, bag, mapping(imus={"kind": "imu"}))
    assert said == "has no topic '/imus' (did you mean /imu?); it has: '/imu', '/joints'"


def test_a_topic_of_another_type_is_one_sentence(tmp_path):
    bag = write_bag(tmp_path / "bag", two_rates())
    said = said_by(load_recording, bag, mapping(imu={"kind": "pose"}))
    assert said == "topic '/imu' is of type sensor_msgs/msg/Imu; the kind pose is geometry_msgs/msg/PoseStamped"


def test_joints_that_no_message_names_are_one_sentence(tmp_path):
    bag = write_bag(tmp_path / "bag", two_rates())
    said = said_by(load_recording, bag, mapping(joints={"kind": "joint-state", "joints": {"wrist": "j3"}}))
    assert "topic '/joints' holds nothing of what the mapping takes from it" in said
    assert "30 messages do not name all of wrist" in said


def test_two_topics_for_one_channel_need_a_label(tmp_path):
    messages = [(topic, START_NS, imu(START_NS, [1, 2, 3])) for topic in ("/a", "/b")]
    bag = write_bag(tmp_path / "bag", messages)
    said = said_by(load_recording, bag, mapping(a={"kind": "imu"}, b={"kind": "imu"}))
    assert said.startswith("the mapping takes gyro from '/a' and from '/b'; allowed: a label for one of them")
    labelled = load_recording(bag, mapping(a={"kind": "imu"}, b={"kind": "imu", "label": "b"}))
    assert "gyro.b" in labelled


def test_equal_stamps_and_nan_are_refused_or_repaired(tmp_path):
    stamps, turns = [0, 1, 1, 2], [0.0, 1.0, 5.0, np.nan]
    messages = [
        ("/imu", START_NS + k, imu(START_NS + stamp * MILLISECOND, [turn, 0, 0]))
        for k, (stamp, turn) in enumerate(zip(stamps, turns, strict=True))
    ]
    bag, wanted = write_bag(tmp_path / "bag", messages), mapping(imu={"kind": "imu", "take": ["gyro"]})
    assert "column 'gyro_x_rad_s', message of /imu 4: is NaN" in said_by(load_recording, bag, wanted)
    assert "message of /imu 3: a sample of gyro at 0.001 s follows one at 0.001 s" in said_by(
        load_recording, bag, wanted, repair=("drop-nan",)
    )
    mended = load_recording(bag, wanted, repair=("drop-nan", "drop-duplicates"))
    assert mended["gyro"].values[:, 0].tolist() == [0.0, 1.0]


def test_gaps_are_noted_or_refused(tmp_path):
    stamps = [0, 1, 2, 3, 50, 51]
    messages = [("/imu", START_NS + k * MILLISECOND, imu(START_NS + k * MILLISECOND, [1, 2, 3])) for k in stamps]
    bag, wanted = write_bag(tmp_path / "bag", messages), mapping(imu={"kind": "imu", "take": ["gyro"]})
    assert any("gyro has no samples for 0.047 s" in note for note in load_recording(bag, wanted).notes)
    assert "allowed: gaps of at most 0.01 s" in said_by(load_recording, bag, wanted, max_gap_s=0.01)


def test_a_file_cut_anywhere_is_one_sentence(tmp_path):
    whole = mcap_in(write_bag(tmp_path / "bag", two_rates(), "mcap", "storage")).read_bytes()
    cut = tmp_path / "cut.mcap"
    for length in range(0, len(whole), 211):
        cut.write_bytes(whole[:length])
        assert "cannot be read as a bag; it may be cut short or damaged" in said_by(load_recording, cut, JOINTS_AND_IMU)


def test_a_damaged_file_is_one_sentence_or_read_whole(tmp_path):
    whole = mcap_in(write_bag(tmp_path / "bag", two_rates(), "mcap", "storage")).read_bytes()
    rng, damaged, refused = np.random.default_rng(0), tmp_path / "damaged.mcap", 0
    for place in rng.integers(0, len(whole), 60):
        content = bytearray(whole)
        content[place] ^= 0x21
        damaged.write_bytes(bytes(content))
        try:
            load_recording(damaged, JOINTS_AND_IMU)
        except FileError:  # and nothing else
            refused += 1
    assert refused > 10


def test_what_is_no_bag_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "a.mcap").write_bytes(b"")
    assert "without metadata.yaml; allowed: the folder of a ROS 2 bag" in said_by(
        load_recording, tmp_path / "folder", JOINTS_AND_IMU
    )
    assert "is not a bag; allowed: a folder, or a file in .mcap or .db3" in said_by(
        load_recording, tmp_path / "a.txt", JOINTS_AND_IMU
    )
    assert "no such file" in said_by(load_recording, tmp_path / "none.mcap", JOINTS_AND_IMU)
    assert "cannot be read as a bag" in said_by(load_recording, tmp_path / "a.mcap", JOINTS_AND_IMU)
    (tmp_path / "folder" / "metadata.yaml").write_text("rosbag2_bagfile_information: 3")
    assert "cannot be read as a bag" in said_by(load_recording, tmp_path / "folder", JOINTS_AND_IMU)
    monkeypatch.setattr(bags, "LIMIT_BYTES", 10)
    bag = write_bag(tmp_path / "bag", two_rates())
    assert "allowed: at most 10 bytes" in said_by(load_recording, bag, JOINTS_AND_IMU)


def test_a_missing_library_is_one_sentence(tmp_path, monkeypatch):
    bag = write_bag(tmp_path / "bag", two_rates())
    monkeypatch.setitem(sys.modules, "rosbags.highlevel", None)
    assert "needs the package rosbags to be read (pip install rosbags)" in said_by(load_recording, bag, JOINTS_AND_IMU)


# ---------------------------------------------------------------------- the mapping file

MAPPING = """
format: freefloat/bag-mapping@1
topics:
  /joints: {kind: joint-state, joints: {elbow: j2, shoulder: j1}, reversed: [j2]}
  /imu:
    kind: imu
    take: [gyro]
"""


def test_a_mapping_file_is_read(tmp_path):
    (tmp_path / "map.yaml").write_text(MAPPING)
    loaded = load_bag_mapping(tmp_path / "map.yaml")
    recording = load_recording(write_bag(tmp_path / "bag", two_rates()), loaded)
    assert list(recording.channels) == ["q", "dq", "tau", "gyro"]


@pytest.mark.parametrize(
    ("found", "put", "said"),
    [
        ("bag-mapping@1", "bag-mapping@2", "line 2: format is 'freefloat/bag-mapping@2', a version"),
        (
            "kind: imu",
            "kind: imus",
            "topics[\"/imu\"].kind is 'imus'; allowed: joint-state, imu, odometry, pose or twist",
        ),
        ("take: [gyro]", "take: [q]", "takes 'q'; the kind imu gives: gyro, accelerometer, attitude"),
        ("take: [gyro]", "joints: {a: b}", "speaks of joints or wheels, which the kind imu does not hold"),
        ("take: [gyro]", "label: a_b", "is 'a_b'; allowed: letters, digits and hyphens"),
        ("take: [gyro]", "takes: [gyro]", "takes is not a field (did you mean take?)"),
        ("reversed: [j2]", "reversed: [elbow]", "turns or slides 'elbow', which is none of: j1, j2"),
    ],
)
def test_a_faulty_mapping_is_one_sentence(tmp_path, found, put, said):
    assert found in MAPPING
    (tmp_path / "map.yaml").write_text(MAPPING.replace(found, put))
    assert said in said_by(load_bag_mapping, tmp_path / "map.yaml").replace("'/imu'", '"/imu"')


def test_a_mapping_names_topics(tmp_path):
    (tmp_path / "map.yaml").write_text("format: freefloat/bag-mapping@1\ntopics: {}\n")
    assert "topics is {}; allowed: at least 1 entries" in said_by(load_bag_mapping, tmp_path / "map.yaml")
