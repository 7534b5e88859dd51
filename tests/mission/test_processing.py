"""`identify.processing`: delays, filters and calibrations as a mission says them, and an IMU calibrated by a verb."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from cli.calling import ended
from excitation.small_mission import MISSION, write_small_mission

import freefloat as ff
from freefloat.data.processing.imu_model import Calibration
from freefloat.studies.spirolazzi.handled_imu import INITIAL_S, handled, printed_calibrations

SENSORS = {**MISSION["sensors"], "wheels": {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 10}}
COMMON = {"sensors": SENSORS, "excitation": {"duration_s": 20}}
LATE_S = 0.04


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("processing")


@pytest.fixture(scope="module")
def recording(folder):
    return ff.simulate(ff.load_mission(write_small_mission(folder, **COMMON)), seed=3)


def changed(recording, **channels):
    return replace(recording, channels={**recording.channels, **channels})


def identified(folder, recording, method, **processing):
    path = write_small_mission(folder, "p.yaml", identify={"processing": processing}, **COMMON)
    return ff.identify(ff.load_mission(path), recording, method)


def test_a_delay_that_is_advised_is_taken_off(folder, recording):
    gyro = recording["gyro"]
    late = changed(recording, gyro=replace(gyro, t=gyro.t + LATE_S))
    told = identified(folder, late, "least-squares")
    (said,) = [sentence for sentence in told.warnings if "delays_s" in sentence]
    advised = yaml.safe_load(said[said.index("identify: ") : said.index(" takes it off")])
    delay = advised["identify"]["processing"]["delays_s"]["gyro"]
    assert delay == pytest.approx(LATE_S, abs=1e-3)
    mended = identified(folder, late, "least-squares", delays_s={"gyro": LATE_S})
    assert not any("delays_s" in sentence for sentence in mended.warnings)
    on_time = identified(folder, recording, "least-squares")
    np.testing.assert_allclose(mended.values, on_time.values, atol=0.05 * np.nanmax(np.abs(on_time.values)))
    assert np.abs(told.values - on_time.values).max() > 3.0 * np.abs(mended.values - on_time.values).max()


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        ({"kind": "low-pass"}, "low-passed at"),
        ({"kind": "low-pass", "cutoff_Hz": 2}, "low-passed at 2 Hz"),
        ({"kind": "savitzky-golay", "window_s": 1}, "SavitzkyGolay(window_s=1.0, degree=4)"),
        ({"kind": "spline"}, "quintic spline through all samples"),
    ],
)
def test_a_mission_chooses_how_joints_are_filtered(folder, recording, joints, words):
    found = identified(folder, recording, "least-squares", joints=joints, gyro={"cutoff_Hz": 2})
    assert any(words in note for note in found.notes)
    assert any("gyro: low-passed at 2 Hz" in note for note in found.notes)


@pytest.mark.parametrize("order", [2, 5])
def test_the_order_of_a_filter_counts_also_where_the_spectrum_says_its_cut_off(folder, order):
    said = {"joints": {"kind": "low-pass", "order": order}, "gyro": {"order": order}}
    mission = ff.load_mission(write_small_mission(folder, "p.yaml", identify={"processing": said}, **COMMON))
    settings = mission.settings.identify.processing.settings(ff.data.ProcessSettings())
    assert settings.joints == settings.gyro == ff.data.LowPassBySpectrum(order)


def test_raw_readings_are_calibrated(folder, recording):
    _, gyro = printed_calibrations()
    raw = changed(recording, gyro=replace(recording["gyro"], values=gyro.undo(recording["gyro"].values)))
    said = {"misalignment_rad": gyro.angles, "scale": gyro.scale.tolist(), "bias": gyro.bias.tolist()}
    found = identified(folder, raw, "maximum-likelihood", calibrations={"gyro": said})
    plain = identified(folder, recording, "maximum-likelihood")
    assert (np.abs(found.values - plain.values) < 0.2 * plain.sd).all()


@pytest.mark.parametrize(
    ("processing", "words"),
    [
        ({"delays_s": {"gyr": 0.1}}, "delays_s names 'gyr'; allowed: channels of"),
        ({"calibrations": {"imu": {}}}, "calibrations names 'imu'; allowed: channels of"),
        ({"joints": {"kind": "kalman"}}, "identify.processing.joints"),
        ({"gyro": {"cutoff_Hz": -1}}, "identify.processing.gyro"),
        ({"calibrations": {"gyro": {"misalignment_rad": {"xx": 0.1}}}}, "misalignment_rad"),
    ],
)
def test_what_cannot_be_processed_so_gets_one_sentence(folder, recording, processing, words):
    recording.save(folder / "flight.parquet")
    write_small_mission(folder, "wrong.yaml", identify={"processing": processing}, **COMMON)
    code, said, err = ended(["identify", "wrong.yaml", "flight.parquet"], folder)
    assert (code, said, err.count("\n")) == (2, "", 1)
    assert words in err


def test_an_imu_is_calibrated_from_rests_by_the_verb(tmp_path):
    accelerometer, gyro = handled(25, 2)
    ff.Recording([accelerometer, gyro]).save(tmp_path / "imu.parquet")
    call = ["data", "imu.parquet", "--calibrate", "--rest-s", INITIAL_S]
    code, said, err = ended([*call, "--json"], tmp_path)
    assert code == 0, err
    lines = json.loads(said)["calibrations"]
    for name, truth in zip(("accelerometer", "gyro"), printed_calibrations(), strict=True):
        found = Calibration.from_angles(*(lines[name][key] for key in ("misalignment_rad", "scale", "bias")))
        np.testing.assert_allclose(found.matrix, truth.matrix, atol=3e-3)
    assert "misalignment rad" in ended(call, tmp_path)[1]
    write_small_mission(tmp_path, identify={"processing": {"calibrations": lines}})  # as it is printed
    assert set(ff.load_mission(tmp_path / "small.yaml").settings.identify.processing.calibrations) == set(lines)
    code, _, err = ended(["data", "imu.parquet", "--rest-s", INITIAL_S], tmp_path)
    assert code == 2
    assert "allowed: with --calibrate" in err
    code, _, err = ended(["data", "imu.parquet", "--calibrate", "--rest-s", 0.5], tmp_path)
    assert (code, err.count("\n")) == (2, 1)
