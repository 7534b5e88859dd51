"""Recordings come back from files as they were; files that are not sound get one sentence, or a repair."""

import io
import json
import math
import os

import numpy as np
import polars as pl
import pytest
from data.recordings_made import assert_same_channels, multi_rate, said_by

from freefloat.data import tables, tables_csv, tables_parquet
from freefloat.data.load import load_recording
from freefloat.data.recording import Recording
from freefloat.data.repair import REPAIRS
from freefloat.errors import FileError, FreefloatError
from freefloat.sensors.channel import Channel


@pytest.fixture
def file(tmp_path):
    """Writes a file of this name and content, and gives its path."""

    def write(content, name="flight.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def rows_of(recording, name="q"):
    return list(zip(recording[name].t.tolist(), recording[name].values.tolist(), strict=True))


# ---------------------------------------------------------------------- round trips


def test_parquet_keeps_everything_exactly(tmp_path):
    recording = multi_rate()
    recording.save(tmp_path / "flight.parquet")
    back = load_recording(tmp_path / "flight.parquet")
    assert_same_channels(back, recording)
    assert (back.origin, back.start_ns) == (recording.origin, recording.start_ns)
    assert back.notes[: len(recording.notes)] == recording.notes


def test_csv_keeps_the_numbers_exactly_and_says_where_it_came_from(tmp_path):
    recording = multi_rate()
    recording.save(tmp_path / "flight.csv")
    back = load_recording(tmp_path / "flight.csv")
    assert_same_channels(back, recording)
    assert (back.origin.kind, back.origin.file) == ("recorded", "flight.csv")
    assert len(back.origin.hashes["flight.csv"]) == 64


@pytest.mark.parametrize("name", ["flight.parquet", "flight.csv", "FLIGHT.CSV"])
def test_extreme_numbers_survive(tmp_path, name):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(500, 2)) * 10.0 ** rng.integers(-300, 300, size=(500, 2))
    values[0] = [5e-324, -1.7976931348623157e308]
    t = np.sort(rng.uniform(0.0, 1.7e9, 500))
    recording = Recording([Channel("q", t, values, ("j1", 'odd, "joint"'), "rad")])
    recording.save(tmp_path / name)
    assert_same_channels(load_recording(tmp_path / name), recording)


def test_two_round_trips_are_one(tmp_path):
    multi_rate().save(tmp_path / "a.parquet")
    once = load_recording(tmp_path / "a.parquet")
    once.save(tmp_path / "b.parquet")
    twice = load_recording(tmp_path / "b.parquet")
    assert_same_channels(twice, once)
    assert twice.notes == once.notes


def test_a_row_is_a_time_and_an_empty_cell_is_no_sample(tmp_path):
    multi_rate().save(tmp_path / "flight.csv")
    header, first, second, *_ = (tmp_path / "flight.csv").read_text().splitlines()
    assert header.startswith("t_s,q_j1_rad,q_arm_m_2_rad,q_lift_m,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,gyro.aft_z")
    assert first.split(",")[4:8] == [""] * 4
    assert second.split(",")[1:4] == [""] * 3


def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    target = tmp_path / "flight.parquet"
    multi_rate().save(target)
    before = target.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FileError):
        multi_rate(1).save(target)
    assert target.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["flight.parquet"]


# ---------------------------------------------------------------------- tables from elsewhere


def test_other_units_and_orders_are_understood(file):
    back = load_recording(file("gyro_z_deg_s,t_s,gyro_x_deg_s,gyro_y_deg_s,q_j_deg\n3,0.5,1,2,180\n"))
    np.testing.assert_allclose(back["gyro"].values, np.radians([[1.0, 2.0, 3.0]]))
    np.testing.assert_allclose(back["q"].values, [[math.pi]])


@pytest.mark.parametrize(
    "text",
    [
        "t_s,q_j_rad\r\n0,1\r\n1,2\r\n",
        "\ufefft_s,q_j_rad\n0,1\n1,2\n",
        '"t_s","q_j_rad"\n"0","1"\n"1","2"\n',
        " t_s , q_j_rad\n 0, 1.0 \n+1e0 ,2.\n",
        "t_s,q_j_rad\n0,1\n1,2\n\n\n",
        "t_s,gyro_x_rad_s,q_j_rad\n0,,1\n1, ,2\n2,5,\n",
    ],
    ids=["windows", "byte order mark", "quoted", "spaces", "blank end", "multi-rate"],
)
def test_csv_of_other_programs_is_read(file, text):
    assert rows_of(load_recording(file(text))) == [(0.0, [1.0]), (1.0, [2.0])]


def test_parquet_of_other_programs_is_read_by_its_column_names(file):
    frame = pl.DataFrame({"t_s": [0, 1], "q_j_deg": pl.Series([90.0, None], dtype=pl.Float32), "wheel_w_rpm": [0, 60]})
    target = io.BytesIO()
    frame.write_parquet(target)
    back = load_recording(file(target.getvalue(), "log.parquet"))
    assert rows_of(back) == [(0.0, [pytest.approx(math.pi / 2)])]
    np.testing.assert_allclose(back["wheel"].values, [[0.0], [2.0 * math.pi]])
    assert back.origin.file == "log.parquet"


# ---------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty; allowed: a table with a column t_s"),
        ("\n0,1\n", "its first line names no columns; allowed: such as t_s,q_<joint>_rad"),
        ("t_s,q_j_rad\n", "has column names but no rows; allowed: at least one"),
        ("q_j_rad,time\n1,0\n", "has no column t_s, the time in seconds; it has: 'q_j_rad', 'time'"),
        ("t_s\n0\n", "has no column beside t_s; allowed: such as q_<joint>_rad, gyro_x_rad_s"),
        ("t_s,attitude_x,attitude_y,attitude_w\n0,0,0,1\n", "has no column 'attitude_z'; allowed: all four"),
        ("t_s,gyro_x_rad\n0,1\n", "column 'gyro_x_rad' has a component or a unit that gyro cannot have"),
        ("t_s,speed\n0,1\n", "column 'speed' is of no known quantity"),
        ("t_s,q_j_rad,q_j_rad\n0,1,2\n", "column 'q_j_rad' is given twice; allowed: once"),
        ("t_s,q_j_rad,q_j_deg\n0,1,2\n", "columns 'q_j_rad' and 'q_j_deg' are the same quantity"),
        ("t_s,q_j_rad\n0,1\n1,abc\n", "column 'q_j_rad', row 2: is 'abc'; allowed: a number"),
        ("t_s,q_j_rad\n0,1\nlate,2\n", "column 't_s', row 2: is 'late'; allowed: a number"),
        (
            "t_s,q_j_rad\n0,1\n1,NaN\n",
            "column 'q_j_rad', row 2: is NaN; allowed: a finite number, or the repair",
        ),
        ("t_s,q_j_rad\n0,1\n1,1e999\n", "column 'q_j_rad', row 2: is not finite; allowed"),
        (
            "t_s,q_j_rad\n0,1\n,2\n",
            "column 't_s', row 2: is empty; allowed: a finite number, or the repair drop-nan",
        ),
        ("t_s,q_j_rad\n0,1\nnan,2\n", "column 't_s', row 2: is nan; allowed: a finite number"),
        (
            "t_s,gyro_x_rad_s,gyro_y_rad_s\n0,1,1\n1,2,\n",
            "column 'gyro_y_rad_s', row 2: is empty where other components of the sample are not",
        ),
        (
            "t_s,q_j_rad\n0,1\n2,1\n1,1\n",
            "column 't_s', row 3: a sample of q at 1.0 s follows one at 2.0 s; "
            "allowed: increasing time stamps, or the repair sort",
        ),
        ("t_s,q_j_rad\n0,1\n1,1\n1,2\n", "row 3: a sample of q at 1.0 s follows one at 1.0 s"),
        ("t_s,q_j_rad\n0,1\n1\n", "row 2 has 1 of 2 fields; allowed: as named; the file may be cut short"),
        ("t_s,q_j_rad\n0,1\n1,2", "row 2 does not end with a line end and may be cut short"),
        ("t_s,q_j_rad\n0\n1,2\n", "row 1 has 1 of 2 fields; allowed: as named"),
        ("t_s,q_j_rad\n0,1\n1,2,3\n", "row 2 has 3 of 2 fields; allowed: as named"),
        ("t_s,q_j_rad\n0,1\n\n1,2\n", "row 2 has 1 of 2 fields"),
        ("t_s;q_j_rad\n0;1\n", "its columns are separated by semicolons or tabs; allowed: commas"),
        ("t_s,q_j_rad\n0,\n", "q has no samples; allowed: at least one"),
        (b"t_s,q_j_rad\n0,\xff\xfe\n", "is not well-formed CSV text in UTF-8"),
        (b"\xff\xfet\x00_\x00s\x00\n", "its first line is not UTF-8 text"),
    ],
)
def test_a_faulty_table_is_one_sentence_with_column_and_row(file, text, said):
    assert said in said_by(load_recording, file(text))


@pytest.mark.parametrize(
    ("text", "repair", "rows", "note"),
    [
        ("0,1\n2,3\n1,2\n", "sort", [(0, 1), (1, 2), (2, 3)], "sort: q: put in order 2 of 3 samples"),
        ("0,1\n1,2\n1,3\n", "drop-duplicates", [(0, 1), (1, 2)], "drop-duplicates: q: left out 1 of 3 samples"),
        ("0,1\n1,nan\n2,3\n", "drop-nan", [(0, 1), (2, 3)], "drop-nan: q: left out 1 of 3 samples"),
        ("0,1\n,2\n2,3\n", "drop-nan", [(0, 1), (2, 3)], "drop-nan: left out 1 rows without a time"),
        (
            "0,1\n1,2\n2,",
            "drop-last",
            [(0, 1), (1, 2)],
            "drop-last: left out the last row, which was cut short",
        ),
        (
            "0,1\n1,2\n2\n",
            "drop-last",
            [(0, 1), (1, 2)],
            "drop-last: left out the last row, which was cut short",
        ),
    ],
)
def test_a_named_repair_mends_what_is_refused_otherwise(file, text, repair, rows, note):
    path = file(f"t_s,q_j_rad\n{text}")
    with pytest.raises(FileError):
        load_recording(path)
    for others in REPAIRS:
        if others != repair:
            with pytest.raises(FileError):
                load_recording(path, repair=(others,))
    mended = load_recording(path, repair=(repair,))
    assert rows_of(mended) == [(t, [q]) for t, q in rows]
    assert mended.notes == (note,)


def test_a_half_sample_is_dropped_whole(file):
    path = file("t_s,gyro_x_rad_s,gyro_y_rad_s\n0,1,1\n1,2,\n2,3,3\n")
    assert load_recording(path, repair="drop-nan")["gyro"].t.tolist() == [0.0, 2.0]


def test_unknown_columns_can_be_left_out(file):
    path = file("t_s,mode,q_j_rad\n0,5,1\n")
    assert "(or the repair drop-unknown)" in said_by(load_recording, path)
    assert load_recording(path, repair=("drop-unknown",)).notes == ("drop-unknown: left out 'mode'",)


def test_repairs_combine(file):
    path = file("t_s,mode,q_j_rad\n2,0,3\n1,0,nan\n0,0,1\n2,0,4\n5,0")
    mended = load_recording(path, repair=REPAIRS)
    assert rows_of(mended) == [(0.0, [1.0]), (2.0, [3.0])]
    assert len(mended.notes) == 5


def test_of_equal_time_stamps_the_first_in_the_file_is_kept(file):
    rng = np.random.default_rng(0)
    t = rng.integers(0, 20, 300)
    path = file("t_s,q_j_rad\n" + "".join(f"{stamp},{row}\n" for row, stamp in enumerate(t)))
    mended = load_recording(path, repair=("sort", "drop-duplicates"))
    assert rows_of(mended) == [(stamp, [np.flatnonzero(t == stamp)[0]]) for stamp in range(20)]


def test_sound_files_are_not_changed_by_repairs(tmp_path):
    multi_rate().save(tmp_path / "flight.csv")
    plain, mended = (load_recording(tmp_path / "flight.csv", repair=each) for each in ((), REPAIRS))
    assert_same_channels(plain, mended)
    assert plain.notes == mended.notes


def test_a_repair_that_does_not_exist_is_refused(file):
    with pytest.raises(FreefloatError, match=r"no repair is called 'sorted' \(did you mean sort\?\); allowed:"):
        load_recording(file("t_s,q_j_rad\n0,1\n"), repair=("sorted",))


def test_a_gap_is_noted_and_refused_where_that_is_asked(file):
    path = file("t_s,q_j_rad\n" + "".join(f"{t},1\n" for t in (0, 1, 2, 3, 10, 11, 18.5)))
    found = "q has no samples for 7.5 s, from 11 s to 18.5 s"
    assert load_recording(path).notes == (f"gap: {found} (the longest of 2 gaps)",)
    assert said_by(load_recording, path, max_gap_s=2.0) == f"{found}; allowed: gaps of at most 2 s"
    assert load_recording(path, max_gap_s=8.0).notes == ()


# ---------------------------------------------------------------------- damaged files


@pytest.mark.parametrize("name", ["flight.parquet", "flight.csv"])
def test_a_file_cut_anywhere_is_one_sentence(tmp_path, file, name):
    multi_rate().save(tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    header = whole.index(b"\n") if name.endswith("csv") else 0
    for length in range(0, len(whole), 97):
        if name.endswith("csv") and length > header and whole[length - 1 : length] == b"\n":
            continue  # cut between rows, which nobody can see
        said_by(load_recording, file(whole[:length], name))


def test_a_flipped_bit_in_parquet_data_is_noticed(tmp_path, file):
    multi_rate().save(tmp_path / "flight.parquet")
    whole = (tmp_path / "flight.parquet").read_bytes()
    data = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for place in np.random.default_rng(0).integers(4, data, 50):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        assert "is damaged: its data do not have the checksum" in said_by(
            load_recording, file(bytes(damaged), "flight.parquet")
        )


def with_metadata(about, columns=None):
    target = io.BytesIO()
    frame = pl.DataFrame(columns or {"t_s": [0.0], "q_j_rad": [1.0]})
    frame.write_parquet(target, metadata={"freefloat": about if isinstance(about, str) else json.dumps(about)})
    return target.getvalue()


SOUND = {"format": "freefloat/recording@1", "origin": {"kind": "simulated"}}


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ("{", "is not a whole Parquet file"),
        ("[]", "its metadata 'freefloat' are not a mapping"),
        ({}, "does not say what it is"),
        ({**SOUND, "format": "freefloat/recording@2"}, "a version that this freefloat does not read"),
        ({**SOUND, "format": "freefloat/robot@1"}, "is not a recording file"),
        ({**SOUND, "origin": {"kind": "guessed"}}, "origin.kind is 'guessed'; allowed: simulated or recorded"),
        ({**SOUND, "origin": {"kind": "simulated", "seed": -1}}, "origin.seed is -1"),
        ({**SOUND, "extra": 1}, "extra is not a field"),
        ({**SOUND, "units": {"q_j_rad": "m"}}, "column 'q_j_rad' is in 'm' by its metadata"),
        ({**SOUND, "units": {"q_k_rad": "rad"}}, "has no column 'q_k_rad', which its metadata describe"),
    ],
)
def test_metadata_that_do_not_fit_are_one_sentence(file, about, said):
    assert said in said_by(load_recording, file(with_metadata(about), "flight.parquet"))


def test_metadata_without_a_checksum_are_enough(file):
    assert load_recording(file(with_metadata(SOUND), "flight.parquet")).origin.kind == "simulated"


def test_text_in_a_parquet_column_is_one_sentence(file):
    content = with_metadata(SOUND, {"t_s": [0.0], "q_j_rad": ["one"]})
    assert said_by(load_recording, file(content, "a.parquet")) == "column 'q_j_rad' holds String; allowed: numbers"


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"hello, world" * 10])
def test_what_is_no_parquet_is_one_sentence(file, content):
    assert "is not a whole Parquet file" in said_by(load_recording, file(content, "a.parquet"))


# ---------------------------------------------------------------------- what is not a table at all


def test_other_things_are_refused(tmp_path, file):
    assert "is not a table; allowed: a .parquet or .csv file, or a bag" in said_by(load_recording, tmp_path)
    assert "is not a table" in said_by(load_recording, file(b"", "flight.mcap"))
    assert "ends in '.txt'; allowed: .parquet or .csv" in said_by(load_recording, file(b"", "flight.txt"))
    assert "ends in '.txt'" in said_by(multi_rate().save, tmp_path / "flight.txt")
    assert "no such file" in said_by(load_recording, tmp_path / "nothing.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "is a directory; allowed: a file" in said_by(load_recording, tmp_path / "folder.csv")
    assert "cannot be written" in said_by(multi_rate().save, tmp_path / "none" / "a.csv")


def test_there_are_limits(file, monkeypatch):
    monkeypatch.setattr(tables, "LIMIT_BYTES", 10)
    assert "allowed: at most 10 bytes" in said_by(load_recording, file("t_s,q_j_rad\n0,1\n"))
    monkeypatch.setattr(tables, "LIMIT_BYTES", 10**6)
    for module in (tables_csv, tables_parquet):
        monkeypatch.setattr(module, "LIMIT_CELLS", 3)
    assert "has more than 3 cells" in said_by(load_recording, file("t_s,q_j_rad\n0,1\n1,2\n"))
    content = with_metadata(SOUND, {"t_s": [0.0, 1.0], "q_j_rad": [1.0, 2.0]})
    assert "has 2 rows; allowed: at most 3 cells" in said_by(load_recording, file(content, "a.parquet"))
