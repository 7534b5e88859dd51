"""Trajectory files and command files: what is wrong is said in one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from motion.motion_shapes import SHAPES

from freefloat.errors import FileError
from freefloat.motion.command_file import read_commands
from freefloat.motion.trajectory_file import load_trajectory, trajectory_from_document


def sentence(action, path):
    """What the FileError says; it is one line that names the file first."""
    with pytest.raises(FileError) as caught:
        action(path)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(f"{path}: ")
    return said.removeprefix(f"{path}: ")


def refusal(document):
    """What the FileError says, or None where the document makes a trajectory; no other error is let pass."""
    try:
        trajectory_from_document(document, "a file")
    except FileError as error:
        return str(error)
    return None


# ---------------------------------------------------------------------- trajectory files

FOURIER = """\
format: freefloat/trajectory@1
kind: fourier
channels: [j1, j2]
duration_s: 20
coefficients:
- [0.1, 0.2]
- [1e-3, -0.2]
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="motion.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_file_may_be_written_by_hand(written):
    trajectory = load_trajectory(written(FOURIER))
    np.testing.assert_array_equal(trajectory.coefficients, [[0.1, 0.2], [1e-3, -0.2]])
    assert (trajectory.kind, trajectory.duration_s, trajectory.channels) == ("fourier", 20.0, ("j1", "j2"))
    plain = FOURIER.replace("fourier", "plain-fourier") + "- [0, 0]\n"
    assert load_trajectory(written(plain)).period_s == 20.0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format: freefloat/trajectory@1\n", "", "does not say what it is"),
        ("trajectory@1", "trajectory@2", "line 1: format is 'freefloat/trajectory@2', a version"),
        ("trajectory@1", "robot@1", "which is not a trajectory file"),
        (
            "kind: fourier",
            "kind: furier",
            "line 2: kind is 'furier' (did you mean fourier?); allowed: fourier,",
        ),
        ("kind: fourier\n", "", "kind is empty; allowed: fourier"),
        ("kind: fourier", "kind: [1]", "line 2: kind is [1]; allowed"),
        ("duration_s: 20\n", "", "duration_s is missing; allowed: a number greater than zero"),
        ("duration_s: 20", "duration_s: -3", "line 4: duration_s is -3; allowed: a number greater than 0"),
        ("duration_s: 20", "duration: 20", "line 4: duration is not a field (did you mean duration_s?)"),
        ("[0.1, 0.2]", "[0.1, oops]", "line 6: coefficients[0][1] is 'oops'; allowed: a number"),
        ("[0.1, 0.2]", "[0.1, .nan]", "allowed: a finite number"),
        ("[0.1, 0.2]", "[0.1]", "coefficients must be numbers, in rows of equal length"),
        ("- [0.1, 0.2]\n", "", "coefficients must be as many sines as cosines, found 1 rows"),
        ("[j1, j2]", "[j1]", "coefficients must have shape (k, 1), found (2, 2)"),
        ("[j1, j2]", "[j1, j1]", "channels are j1, j1; allowed: names that differ"),
        ("[j1, j2]", "j1", "line 3: channels is 'j1'; allowed: a list"),
        ("duration_s: 20", "duration_s: 20\nends: [[1, 2]]", "ends must have shape (6, 2), found (1, 2)"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(written, old, new, said):
    assert said in sentence(load_trajectory, written(FOURIER.replace(old, new)))


def test_a_file_that_is_none_is_said(tmp_path, written):
    assert "cannot be read" in sentence(load_trajectory, tmp_path / "none.json")
    assert sentence(load_trajectory, written("")) == "is empty; allowed: a mapping of fields"
    whole = json.dumps(SHAPES["sampled rates"].document())
    assert "well-formed" in sentence(load_trajectory, written(whole[: len(whole) // 2]))


@pytest.mark.parametrize("name", SHAPES)
def test_a_field_left_out_is_named_or_has_a_default(name):
    document = SHAPES[name].document()
    for field in document:
        without = {key: value for key, value in document.items() if key != field}
        said = refusal(without)
        assert said is None or said.startswith("a file: ")


@pytest.mark.parametrize("name", SHAPES)
def test_no_wrong_value_gets_past_the_sentence(name):
    document = SHAPES[name].document()
    for field in document:
        for value in (None, -1, 0, "x", [], [[]], [["a"]], [[1.0]], {"a": 1}, 1e400, True):
            assert "\n" not in (refusal(document | {field: value}) or "")


def test_a_fault_in_a_part_is_placed():
    document = json.loads(json.dumps(SHAPES["combined"].document()))
    document["parts"][1]["degree"] = "four"
    with pytest.raises(FileError, match=r"parts\[1\].degree is 'four'; allowed: a whole number"):
        trajectory_from_document(document, "a file")
    document["parts"][1]["kind"] = "spiral"
    with pytest.raises(FileError, match=r"parts\[1\].kind is 'spiral'; allowed"):
        trajectory_from_document(document, "a file")
    with pytest.raises(FileError, match="parts are none"):
        trajectory_from_document(document | {"parts": []}, "a file")


# ---------------------------------------------------------------------- command files

HEADER = "t_s,q_j1_rad,q_slide_m"


def table(header, rows=9, columns=3, start=2.0):
    t = start + 0.1 * np.arange(rows)
    values = np.sin(np.outer(t, np.arange(1, columns)))
    lines = [",".join(repr(float(entry)) for entry in (a, *b)) for a, b in zip(t, values, strict=True)]
    return "\n".join([header, *lines]) + "\n", t, values


def test_commands_are_read_by_their_columns_names(written):
    text, t, values = table(HEADER)
    motion = read_commands(written(text, "command.csv"))
    assert motion.channels == ("j1", "slide")
    np.testing.assert_allclose(motion.t, t - 2.0, atol=1e-15)
    np.testing.assert_array_equal(motion.coefficients, values)


def test_degrees_and_rates_are_read_in_any_order(written):
    text, t, values = table("t_s,dq_b_deg_s,q_a_m,q_b_deg,dq_a_m_s", columns=5)
    motion = read_commands(written(text, "command.csv"))
    assert (motion.given, motion.channels) == ("position-and-rate", ("a", "b"))
    expected = [values[:, 1], np.radians(values[:, 2]), values[:, 3], np.radians(values[:, 0])]
    found = motion.evaluate(t - t[0])
    np.testing.assert_allclose(np.vstack([found.position.T, found.rate.T]), expected, atol=1e-11)


def test_wheels_are_read_beside_joints(written):
    text, t, values = table("t_s,wheel_wx_rad_s,q_j1_rad,wheel_wy_deg_s", columns=4)
    motion = load_trajectory(written(text, "command.csv"))
    assert motion.channels == ("j1", "wx", "wy")
    found = motion.evaluate(t - t[0])
    np.testing.assert_allclose(found.position[:, 0], values[:, 1], atol=1e-11)
    np.testing.assert_allclose(found.rate[:, 1:], values[:, [0, 2]] * [1.0, np.pi / 180], atol=1e-11)
    alone = read_commands(written(table("t_s,wheel_wx_rad_s,wheel_wy_rad_s")[0], "wheels.csv"))
    assert (alone.given, alone.channels) == ("rate", ("wx", "wy"))
    assert read_commands(written(table("t_s,dq_j1_rad_s", columns=2)[0], "rates.csv")).given == "rate"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: column '' is not read"),
        (HEADER, "has no samples; allowed: one line of numbers for each"),
        (table("t_s,q_j1,q_slide_m")[0], "line 1: column 'q_j1' is not read; allowed: t_s, q_<joint>_rad"),
        (table("t_s,dq_j1_rad,q_slide_m")[0], "line 1: column 'dq_j1_rad' is not read"),
        (table("q_j2_m,q_j1_rad,q_slide_m")[0], "line 1: not one t_s and one or more that move"),
        (table("t_s,t_s,q_slide_m")[0], "line 1: not one t_s and one or more that move"),
        (table("t_s,q_j1_rad,q_j1_deg")[0], "line 1: q_j1 is given twice; allowed: once"),
        (
            table("t_s,q_j1_rad,dq_j2_rad_s")[0],
            "line 1: only q or only dq of j1, j2; allowed: all joints the same",
        ),
        (table("t_s,q_wx_rad,wheel_wx_rad_s")[0], "channels are wx, wx; allowed: names that differ"),
        (table(HEADER, columns=4)[0], "line 2: holds 4 entries; allowed: 3, one for each column"),
        (table(HEADER)[0] + "9.9,0.1\n", "line 11: holds 2 entries; allowed: 3"),
        (table(HEADER)[0] + "9.9,0.1,high\n", "line 11: q_slide_m is 'high'; allowed: a number"),
        (table(HEADER)[0] + "9.9,0.1,nan\n", "positions holds a number that is not finite"),
        (table(HEADER)[0] + "2.0,0.1,0.2\n", "t does not increase after 0.8 s; allowed: increasing times"),
        (table(HEADER, rows=3)[0], "t must have shape (n,) with n at least 6, found (3,)"),
    ],
)
def test_what_is_wrong_with_a_command_file_is_said(written, text, said):
    assert said in sentence(read_commands, written(text, "command.csv"))


def test_bytes_that_are_no_text_are_said(tmp_path):
    path = tmp_path / "command.csv"
    path.write_bytes(b"t_s,\xff\n")
    assert "is not UTF-8 text (byte 4)" in sentence(read_commands, path)
