"""`validate`: true estimates pass, wrong ones fail, and each mistake has its name."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import yaml
from excitation.small_mission import MISSION, small_mission
from validation.unseen_flights import estimated, noisier, renamed, scaled, shaken, swapped, with_gyro, without_body

from freefloat.errors import FileError
from freefloat.mission.flying import random_motion, simulate
from freefloat.mission.identifying import identify
from freefloat.mission.mission_file import load_mission
from freefloat.mission.validating import validate
from freefloat.report.validation_page import write_validation_page
from freefloat.robot.drive import Drive
from freefloat.studies.catalogue import study_path
from freefloat.validation.prediction import InvalidValidation
from freefloat.validation.validation_file import load_validation


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """A mission, its estimate, and a flight that the estimate has not seen."""
    mission, estimate = estimated(tmp_path_factory.mktemp("small"))
    return mission, estimate, simulate(mission, seed=5)


@pytest.fixture(scope="module")
def passed(flown):
    """The validation of the true estimate."""
    return validate(*flown)


def test_the_true_estimate_passes_and_says_how_well_it_predicts(passed):
    found = passed
    assert found.verdict == "pass", str(found)
    assert str(found).startswith((" PASS  base rate predicted to 0.9", " PASS  base rate predicted to 1."))
    part = found.of_signal("w")
    assert found.reasons[0].endswith(f"× gyro noise ({100.0 * part:.2g} % of its signal) on 20 s of unseen motion")
    measured, left = (np.square(values).sum(axis=1).mean() for values in _centred(found.readings[0]))
    assert part == pytest.approx(np.sqrt(left / measured), rel=1e-9)
    assert {each.component for each in found.channels} == {"x", "y", "z"}
    assert 0.9 < found.ratio("w") < 1.3
    assert not found.causes
    assert found.turned_away_rad < 1e-3
    assert found.momentum[0].residual.std(axis=0) == pytest.approx(found.momentum[0].noise, rel=0.3)


def _centred(reading):
    return reading.measured - reading.measured.mean(axis=0), reading.residual


def test_what_it_depends_on_is_in_order_and_windows_converge(passed):
    found = passed
    change = [each.change for each in found.sensitivities]
    assert change == sorted(change, reverse=True)
    assert found.sensitivities[0].change > 1e-3, "rad/s for a cluster off by its whole value"
    assert sum(each.share for each in found.sensitivities) > 0.0
    sd, place = found.windows.sd, found.windows.names.index("Izz_base")
    assert (np.diff(sd, axis=0) <= 1e-9 * sd[0]).all(), "more data, less uncertainty"
    assert sd[-1, place] < 0.3 * sd[0, place]
    assert abs(found.windows.shift[-1, place]) < 5.0 * sd[-1, place]


@pytest.mark.parametrize(("name", "factor"), [("Ixx_base", 1.1), ("Iyy_base", 0.9), ("Izz_base", 1.1)])
def test_a_cluster_that_is_off_is_named_with_its_size(flown, name, factor):
    mission, estimate, recording = flown
    found = validate(mission, scaled(estimate, name, factor), recording)
    assert found.verdict == "fail"
    cause = found.causes[0]
    assert (cause.kind, cause.name) == ("cluster", name), str(found)
    value = estimate.value(name)[0]
    assert cause.amount == pytest.approx((1.0 - factor) * value, abs=0.02 * value)
    assert re.search(f"(9.9|10) % too {'large' if factor > 1.0 else 'small'}", cause.what)


def test_swapped_axes_are_named(flown):
    mission, estimate, recording = flown
    found = validate(mission, swapped(estimate), recording)
    assert found.verdict == "fail"
    assert found.causes[0].what == "the estimate's base has its axes x and y swapped", str(found)


def test_a_body_that_is_missing_is_named(flown):
    mission, estimate, _ = flown
    bare = without_body(mission, "link2")
    found = validate(mission, estimate, simulate(bare, random_motion(mission, 5), seed=5))
    assert found.verdict == "fail"
    assert "as if link2 were not there" in found.causes[0].what, str(found)


def test_a_known_body_that_was_said_to_be_missing_is_left_out_of_the_prediction(flown):
    mission, estimate, _ = flown
    bare = simulate(without_body(mission, "link2"), random_motion(mission, 5), seed=5)
    found = validate(mission, estimate, {"bare": bare}, without={"bare": ["link2"]})
    assert found.verdict != "fail", str(found)
    assert found.ratio("w") < 1.5
    assert not any(check.fired for check in found.checks)


@pytest.mark.parametrize("names", [("bare",), ("bare", "whole")])
def test_a_body_that_was_there_although_it_was_said_to_be_missing_is_named(flown, names):
    mission, estimate, recording = flown
    flights = {"bare": recording, "whole": simulate(mission, seed=6)}
    found = validate(mission, estimate, {name: flights[name] for name in names}, without={"bare": ["link2"]})
    assert found.verdict == "fail"
    (cause,) = found.causes
    assert (cause.kind, cause.name) == ("presence", "link2 in bare"), str(found)
    assert cause.what == "it seems that link2 was there in bare, which was said to be without it"


@pytest.mark.parametrize("seed", range(3))
def test_noise_that_is_hardly_larger_than_said_is_not_worth_a_word(flown, seed):
    mission, estimate, recording = flown
    found = validate(mission, estimate, noisier(mission, recording, 1.15, seed=seed))
    assert found.verdict == "pass", str(found)


def test_a_noisy_sensor_is_doubtful_and_no_fault_of_the_estimate(flown):
    mission, estimate, recording = flown
    found = validate(mission, estimate, noisier(mission, recording, 3.0, seed=1))
    assert found.verdict == "doubtful"
    (cause,) = found.causes
    assert (cause.kind, cause.name) == ("noise", "w")
    assert cause.amount == pytest.approx(3.0, rel=0.1)
    assert cause.what.startswith("the gyro is 3")
    level = next(check for check in found.checks if check.name == "level")
    assert level.statistic == pytest.approx(3.0, rel=0.15)
    assert 1.25 <= level.limit < 1.3, "what is allowed, as it is said"
    assert f"({level.statistic:.3g} times the noise, limit {level.limit:.3g})" in found.reasons[1]


def test_an_oscillation_is_named_with_its_frequency(flown):
    mission, estimate, recording = flown
    found = validate(mission, estimate, shaken(mission, recording, 0.83, 4.0))
    assert found.verdict == "fail"
    (cause,) = found.causes
    assert cause.kind == "oscillation"
    assert cause.amount == pytest.approx(0.83, abs=0.01)
    assert "something swings that the robot file does not have" in cause.what
    assert "what is left is not white (3 of 3 columns)" in found.reasons[1]
    assert found.lines[0].frequency_Hz == pytest.approx(0.83, abs=0.01)


def test_swapped_axes_of_the_gyro_are_not_those_of_the_estimate(flown):
    mission, estimate, recording = flown
    found = validate(mission, estimate, with_gyro(recording, recording["gyro"].values[:, [1, 0, 2]]))
    assert found.verdict == "fail"
    assert found.causes[0].kind == "axes", str(found)
    assert "the gyro's axes x and y are swapped" in found.causes[0].what


def test_a_recording_that_was_used_is_no_proof(flown):
    mission, estimate, _ = flown
    found = validate(mission, estimate, simulate(mission, seed=1))
    assert found.verdict == "doubtful"
    assert "was used for the estimate: agreement is no proof" in found.reasons[-1]
    assert found.reasons[0].endswith("s of motion")


def test_too_little_motion_is_said(flown):
    mission, estimate, _ = flown
    motion = random_motion(mission, 7)
    slow = replace(motion, coefficients=1e-3 * motion.coefficients)
    found = validate(mission, estimate, simulate(mission, slow, seed=7))
    assert found.verdict == "doubtful"
    assert found.reasons[-1].startswith("too little motion to judge")


def test_several_recordings_are_judged_together(flown):
    mission, estimate, recording = flown
    found = validate(mission, estimate, {"a": recording, "b": simulate(mission, seed=6)})
    assert found.verdict == "pass", str(found)
    assert [each.flight for each in found.channels] == ["a"] * 3 + ["b"] * 3
    assert found.duration_s == pytest.approx(40.0, abs=0.5)


SENSORS = {
    "joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 20},
    "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "bias_deg_per_h": 0.1, "rate_Hz": 20},
}
OTHERS = {
    "star tracker": {"sensors": {**SENSORS, "star": {"kind": "star-tracker", "noise_arcsec": 10, "rate_Hz": 5}}},
    "torques": {"sensors": {**SENSORS, "torques": {"kind": "torque", "noise_Nm": 0.01, "rate_Hz": 20}}},
    "momentum": {
        "momentum": "unknown",
        "sensors": {**SENSORS, "wheels": {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 10}},
        "flight": {"start": {"rate_rad_s": [0.002, -0.001, 0.001]}},
    },
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_sensors_and_momenta(tmp_path, name):
    mission, estimate = estimated(tmp_path, **OTHERS[name])
    found = validate(mission, estimate, simulate(mission, seed=5))
    assert found.verdict == "pass", str(found)
    wanted = {"star tracker": {"w", "attitude"}, "torques": {"w", "torques"}}.get(name, {"w"})
    assert {each.channel for each in found.channels} == wanted
    wrong = validate(mission, scaled(estimate, "Izz_base", 1.1), simulate(mission, seed=5))
    assert (wrong.verdict, wrong.causes[0].name) == ("fail", "Izz_base"), str(wrong)


def test_torques_are_predicted_with_the_drives_of_the_robot(tmp_path):
    plain = small_mission(tmp_path, **OTHERS["torques"])
    drives = [Drive(viscous=0.8, offset=0.1, rotor=0.05), Drive(coulomb=0.2, viscous=0.3, rotor=0.02)]
    mission = replace(plain, robot=plain.robot.with_drives(drives))
    seen, unseen = simulate(mission, seed=1), simulate(mission, seed=5)
    found = validate(mission, identify(mission, seen), unseen)
    assert found.verdict == "pass", str(found)
    assert {each.channel for each in found.channels} == {"w", "torques"}
    assert validate(plain, identify(plain, seen), unseen).verdict == "fail"


@pytest.mark.parametrize("seed", [5, 6])
def test_slow_torque_sensors_count_each_reading_once(tmp_path, seed):
    """Interpolated rows would be the same reading twice, and errors of accelerations last."""
    torques = {"kind": "torque", "noise_Nm": 0.001, "rate_Hz": 10}
    mission, estimate = estimated(tmp_path, sensors={**SENSORS, "torques": torques})
    recording = simulate(mission, seed=seed)
    found = validate(mission, estimate, recording)
    assert found.verdict == "pass", str(found)
    (torque,) = {reading.t.size for reading in found.readings if reading.channel == "torques"}
    assert torque == recording["tau"].t.size


def test_torques_are_not_compared_where_encoders_alone_measured_the_joints(tmp_path):
    mission, estimate = estimated(tmp_path, **OTHERS["torques"])
    flown = simulate(mission, seed=5)
    recording = replace(flown, origin=replace(flown.origin, command=None, seed=None, kind="measured"))
    found = validate(mission, estimate, recording)
    assert found.verdict == "pass", str(found)
    assert {each.channel for each in found.channels} == {"w"}
    assert any("joint torques are not compared" in note for note in found.notes)


def test_estimates_by_linear_methods(tmp_path):
    gyro = SENSORS["gyro"] | {"angle_random_walk_deg_per_sqrt_h": 0.05}
    mission = small_mission(tmp_path, sensors={**SENSORS, "gyro": gyro})
    seen, unseen = simulate(mission, seed=1), simulate(mission, seed=51)
    fair, shrunk = (identify(mission, seen, name) for name in ("bias-compensated", "least-squares"))
    assert fair.model == shrunk.model == "angular-momentum"
    found = validate(mission, fair, unseen)
    assert found.verdict == "pass", str(found)
    assert found.ratio("w") < 1.5
    wrong = validate(mission, shrunk, unseen)
    assert wrong.verdict == "fail"
    assert wrong.reasons[-1].endswith("shrinks clusters where rates are noisy: identify by maximum-likelihood")
    assert not any("shrinks" in sentence for sentence in found.reasons)


STUDIES = {
    "gautier_khalil_arm_physical": ({"torques": {"kind": "torque", "noise_Nm": 0.01, "rate_Hz": 20}}, "mx_link2", {}),
    "planar_known_load": ({"gyro": SENSORS["gyro"]}, "Izz_base", {"load": {"relative_sd": 0.002}}),
}


@pytest.mark.parametrize("study", STUDIES)
def test_fixed_and_planar_bases(tmp_path, study):
    sensors, large, known = STUDIES[study]
    document = {**MISSION, "robot": str(study_path(study)), "known": known}
    document |= {"sensors": {"joints": SENSORS["joints"], **sensors}, "excitation": {"duration_s": 20}}
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(document))
    mission = load_mission(path)
    estimate, recording = identify(mission, simulate(mission, seed=1)), simulate(mission, seed=2)
    found = validate(mission, estimate, recording)
    assert found.verdict == "pass", str(found)
    wrong = validate(mission, scaled(estimate, large, 1.2), recording)
    assert (wrong.verdict, wrong.causes[0].name) == ("fail", large), str(wrong)


def test_a_validation_file_gives_back_what_was_saved(flown, tmp_path):
    mission, estimate, recording = flown
    found = validate(mission, scaled(estimate, "Ixx_base", 1.1), recording)
    path = tmp_path / "v.json"
    found.save(path)
    again = load_validation(path)
    again.save(tmp_path / "again.json")
    assert path.read_text() == (tmp_path / "again.json").read_text()
    assert str(again) == str(found)
    assert again.causes[0].name == "Ixx_base"
    np.testing.assert_array_equal(again.readings[0].measured, found.readings[0].measured)
    np.testing.assert_array_equal(again.windows.shift, found.windows.shift)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("verdict", "perhaps", "allowed: pass, doubtful or fail"),
        ("duration_s", "long", "duration_s"),
        ("surplus", 1, "is not a field"),
        ("windows", {"names": ["a"], "ends_s": [1.0], "shift": [[1.0, 2.0]], "sd": [[1.0]]}, "allowed: 1 of 1"),
    ],
)
def test_a_bad_validation_file_is_refused_in_one_sentence(passed, tmp_path, field, value, said):
    path = tmp_path / "v.json"
    passed.save(path)
    document = json.loads(path.read_text()) | {field: value}
    path.write_text(json.dumps(document))
    with pytest.raises(FileError) as error:
        load_validation(path)
    assert said in str(error.value)
    assert str(error.value).startswith(str(path))


def test_the_page_holds_verdict_reasons_and_every_channel(flown, tmp_path):
    mission, estimate, recording = flown
    path = tmp_path / "page.html"
    write_validation_page(path, validate(mission, estimate, shaken(mission, recording, 0.83, 4.0)), "small & more")
    text = path.read_text()
    assert "small &amp; more" in text
    assert "FAIL" in text
    assert "something swings" in text
    assert "momentum residual z" in text
    assert "growing windows" in text
    assert "<script src" not in text, "it works offline"


def test_plots_that_are_not_there_have_no_axes(passed, tmp_path):
    counts = []
    for shown in (6, 4):
        path = tmp_path / f"{shown}.html"
        write_validation_page(path, replace(passed, sensitivities=passed.sensitivities[:shown]), "small")
        counts.append(path.read_text().count('"visible":false'))
    assert counts[1] - counts[0] == 2 * 2


def test_what_cannot_be_compared_is_refused_in_one_sentence(flown, tmp_path):
    mission, estimate, recording = flown
    with pytest.raises(InvalidValidation, match="allowed: an estimate of the mission's robot"):
        validate(mission, renamed(estimate), recording)
    with pytest.raises(InvalidValidation, match="allowed: between 0 and 1"):
        validate(mission, estimate, recording, false_alarm=1.5)
    speeds = replace(estimate, model="base-velocity", minimal=replace(estimate.minimal, names=tuple(
        f"[{name}]/M" for name in estimate.minimal.names)))  # fmt: skip
    with pytest.raises(InvalidValidation, match="base-velocity on a free base predicts no motion by itself"):
        validate(mission, speeds, recording)
    blind = replace(estimate, covariance=np.full_like(estimate.covariance, np.nan))
    with pytest.raises(InvalidValidation, match="has no covariance"):
        validate(mission, blind, recording)
    hidden = identify(small_mission(tmp_path, known={}), recording)
    with pytest.raises(InvalidValidation, match="does not tell"):
        validate(mission, hidden, {"bare": recording}, without={"bare": ["link2"]})
