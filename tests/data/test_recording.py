"""Channels and recordings are sound when they exist, and their names say what they hold."""

import math
from dataclasses import replace

import numpy as np
import pytest
from data.recordings_made import multi_rate

from freefloat.data.origin import Origin
from freefloat.data.recording import Recording
from freefloat.sensors.channel import Channel
from freefloat.sensors.quantities import QUANTITIES, InvalidRecording, column_name, parse_column, quantity_of


def channel(name="gyro", t=(0.0, 1.0, 2.0), values=None, components=("x", "y", "z"), units="rad_s"):
    values = np.zeros((len(t), len(components))) if values is None else values
    return Channel(name, np.array(t), np.array(values, float), components, units)


# ---------------------------------------------------------------------- channels


def test_a_channel_is_frozen_and_keeps_a_copy():
    values = np.ones((3, 3))
    made = channel(values=values)
    values[0, 0] = 5.0
    assert made.values[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        made.values[0, 0] = 2.0
    with pytest.raises(ValueError, match="read-only"):
        made.t[0] = 2.0


def test_one_component_may_be_given_as_a_plain_array():
    assert channel(components=("z",), values=[1.0, 2.0, 3.0]).values.tolist() == [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"name": "gyroscope"}, "no quantity is called 'gyroscope' (did you mean gyro?); allowed: q, dq"),
        ({"name": "gyro.a_b"}, "no quantity is called 'gyro.a_b'"),
        ({"components": ("x", "x", "z")}, "components are x, x, z; allowed: names that differ"),
        ({"components": ("x", "y", "w")}, "components are x, y, w; allowed: x, y, z"),
        (
            {"name": "attitude", "units": "", "components": ("x", "y", "z")},
            "components are x, y, z; allowed: all of x, y, z, w",
        ),
        ({"units": "deg_s"}, "units are deg_s, deg_s, deg_s; allowed: rad_s for each component"),
        ({"units": ("rad_s", "rad_s")}, "units are rad_s, rad_s; allowed: rad_s for each"),
        ({"values": np.zeros((2, 3))}, "values have shape (2, 3); allowed: (3, 3)"),
        ({"t": ()}, "there are no samples; allowed: at least one"),
        ({"t": (0.0, math.nan, 1.0)}, "the time of sample 2 is not a finite number"),
        ({"values": [[0, 0, 0], [0, 0, math.nan], [0, 0, 0]]}, "z of sample 2 is nan"),
        ({"values": [[0, math.inf, 0]] * 3}, "y of sample 1 is inf"),
        ({"t": (0.0, 2.0, 1.0)}, "sample 3 is at 1.0 s, after one at 2.0 s; allowed: increasing time"),
        ({"t": (0.0, 1.0, 1.0)}, "sample 3 is at 1.0 s, after one at 1.0 s; allowed: increasing time"),
    ],
)
def test_what_makes_no_channel_is_one_sentence(settings, sentence):
    with pytest.raises(InvalidRecording) as caught:
        channel(**settings)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_joints_may_turn_and_slide_in_one_channel():
    joints = channel("q", components=("j1", "lift"), units=("rad", "m"))
    assert joints.columns == ("q_j1_rad", "q_lift_m")


def test_components_are_found_by_name_in_any_order():
    joints = channel("q", values=[[1, 2, 3]] * 3, components=("a", "b", "c"), units="rad")
    assert joints.of(("c", "a")).tolist() == [[3.0, 1.0]] * 3
    with pytest.raises(InvalidRecording, match="there is no d; there are: a, b, c"):
        joints.of(("a", "d"))


def test_rate_and_gaps_are_those_of_the_time_stamps():
    t = np.r_[0:10, 30:40] / 100.0
    made = channel(t=t)
    assert made.rate_Hz == pytest.approx(100.0)
    np.testing.assert_allclose(made.gaps(), [[0.09, 0.30]])
    assert len(made.gaps(0.3)) == 0
    assert len(channel(t=(1.0,)).gaps()) == 0


def test_chosen_samples_keep_their_times():
    chosen = channel(values=np.arange(9).reshape(3, 3)).at_rows([0, 2])
    assert chosen.t.tolist() == [0.0, 2.0]
    assert chosen.values[1].tolist() == [6.0, 7.0, 8.0]


# ---------------------------------------------------------------------- recordings


def test_a_recording_knows_its_channels_by_name_and_quantity():
    recording = multi_rate()
    assert [each.name for each in recording.of_quantity("gyro")] == ["gyro", "gyro.aft"]
    assert recording["gyro.aft"].components == ("z",)
    assert recording.span_s == (0.0, pytest.approx(0.7))
    assert "q" in recording
    with pytest.raises(InvalidRecording, match=r"no channel 'tau'; there are: q, gyro, gyro\.aft, attitude"):
        recording["tau"]


def test_the_hash_is_of_the_channels_alone():
    recording, values = multi_rate(), np.array(multi_rate()["gyro"].values)
    again = Recording(list(recording)[::-1], Origin(file="elsewhere.csv"), notes=("another",))
    assert again.sha256 == recording.sha256
    values[3, 1] = np.nextafter(values[3, 1], np.inf)
    changed = replace(recording["gyro"], values=values), replace(recording["gyro.aft"], name="gyro.fore")
    assert recording.sha256 not in {recording.replaced(each).sha256 for each in changed}


def test_two_channels_need_two_names():
    with pytest.raises(InvalidRecording, match="channel 'gyro' is given twice; allowed: once, or with labels"):
        Recording([channel(), channel()])
    with pytest.raises(InvalidRecording, match="at least one channel"):
        Recording([])


def test_replacing_a_channel_leaves_the_rest():
    recording = multi_rate()
    changed = recording.replaced(channel(), note="smoothed")
    assert len(changed["gyro"]) == 3
    assert changed["q"] is recording["q"]
    assert changed.notes == ("a note", "smoothed")
    assert (changed.origin, len(recording["gyro"])) == (recording.origin, 20)


def test_what_an_origin_says_cannot_be_changed():
    origin = Origin(hashes={"robot": "ab"})
    with pytest.raises(TypeError):
        origin.hashes["robot"] = "cd"


# ---------------------------------------------------------------------- names


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("label", ["", ".aft", ".2"])
def test_every_column_that_is_written_is_read_as_it_was_meant(quantity, label):
    kind = QUANTITIES[quantity]
    names = kind.of if kind.of in ("xyz", "xyzw") else ["j1", "a_rad", "b_m_s", "c.d", "x y", "é", "rad", "gyro_x"]
    for component in names:
        for unit in kind.si_units:
            column = parse_column(column_name(quantity + label, component, unit))
            assert (column.channel, column.component) == (quantity + label, component)
            assert (column.unit, column.factor) == (unit, 1.0)
    assert quantity_of(quantity + label) == quantity


@pytest.mark.parametrize(
    ("name", "unit", "factor"),
    [
        ("q_j1_deg", "rad", math.pi / 180),
        ("dq_j1_deg_s", "rad_s", math.pi / 180),
        ("dq_j1_rpm", "rad_s", 2 * math.pi / 60),
        ("q_lift_mm", "m", 1e-3),
        ("gyro_x_deg_s", "rad_s", math.pi / 180),
        ("wheel_wx_rpm", "rad_s", 2 * math.pi / 60),
        ("accelerometer_z_g", "m_s2", 9.80665),
        ("tau_j1_mNm", "Nm", 1e-3),
    ],
)
def test_other_units_are_converted(name, unit, factor):
    column = parse_column(name)
    assert (column.unit, column.factor) == (unit, pytest.approx(factor, rel=1e-15))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "gyro_x",
            "column 'gyro_x' has a component or a unit that gyro cannot have; allowed: such as gyro_x_rad_s",
        ),
        ("gyro_x_rad", "that gyro cannot have"),
        ("gyro_w_rad_s", "that gyro cannot have"),
        ("q_j1", "allowed: such as q_<joint>_rad or q_<joint>_deg"),
        ("q_rad", "that q cannot have"),
        ("attitude_x_rad", "that attitude cannot have; allowed: such as attitude_x"),
        ("gyr_x_rad_s", "is of no known quantity (did you mean gyro_x_rad_s?)"),
        ("temperature_K", "column 'temperature_K' is of no known quantity"),
        ("", "column '' is of no known quantity"),
    ],
)
def test_a_column_that_says_nothing_is_one_sentence(name, sentence):
    with pytest.raises(InvalidRecording) as caught:
        parse_column(name)
    assert sentence in str(caught.value)
