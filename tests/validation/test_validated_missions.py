"""Realistic missions, many runs: the true estimate passes, and mistakes are told apart and named."""

import pytest
import yaml
from excitation.small_mission import small_mission
from scipy.stats import binom, chi2, kstest
from validation.unseen_flights import noisier, redrawn, scaled, shaken, swapped, without_body

from freefloat.mission.flying import random_motion, simulate
from freefloat.mission.identifying import identify
from freefloat.mission.mission_file import load_mission
from freefloat.mission.validating import validate
from freefloat.studies.catalogue import study_path

RUNS = 100
MISSIONS = {"servicer": ("servicer", 60, 20), "N1": ("spirolazzi_n1", 150, 3)}
LARGE = ("Ixx_base", "Iyy_base", "Izz_base")


@pytest.fixture(params=MISSIONS)
def mission(request, tmp_path):
    study, duration_s, rate_Hz = MISSIONS[request.param]
    gyro = {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "bias_deg_per_h": 0.1, "rate_Hz": rate_Hz}
    document = {
        "format": "freefloat/mission@1",
        "mission": request.param,
        "robot": str(study_path(study)),
        "known": {"load": {"relative_sd": 0.002}},
        "sensors": {"joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": rate_Hz}, "gyro": gyro},
        "excitation": {"duration_s": duration_s},
    }
    path = tmp_path / "mission.yaml"
    path.write_text(yaml.safe_dump(document))
    return load_mission(path)


@pytest.mark.slow
def test_the_true_estimate_passes(mission):
    passed, said = 0, list[str]()
    for run in range(RUNS):
        assumed = redrawn(mission, run)
        estimate = identify(assumed, simulate(mission, seed=2 * run))
        found = validate(assumed, estimate, simulate(mission, seed=2 * run + 1))
        passed += found.verdict == "pass"
        said += [] if found.verdict == "pass" else [f"{run}: {found}"]
    assert passed >= 96, "\n".join(said)


@pytest.mark.slow
def test_true_estimates_raise_no_more_false_alarms_than_was_asked_for(tmp_path):
    mission, fired = small_mission(tmp_path), 0
    for run in range(RUNS):
        assumed = redrawn(mission, run)
        estimate = identify(assumed, simulate(mission, seed=2 * run))
        found = validate(assumed, estimate, simulate(mission, seed=2 * run + 1), false_alarm=0.2)
        fired += any(check.fired for check in found.checks)
    assert fired <= binom.isf(1e-3, RUNS, 0.2)
    assert fired > 2, "the tests are not asleep either"


@pytest.mark.slow
def test_probabilities_of_the_parameters_test_are_uniform_where_nothing_is_counted_twice(tmp_path):
    mission, found = small_mission(tmp_path, known={}, identify={"nuisances": "none"}), list[float]()
    for run in range(60):
        assumed = redrawn(mission, run)
        estimate = identify(assumed, simulate(mission, seed=2 * run))
        check = validate(assumed, estimate, simulate(mission, seed=2 * run + 1)).checks[0]
        (count,) = (int(word) for word in check.meaning.split() if word.isdigit())
        found.append(float(chi2.sf(check.statistic, count)))
    assert kstest(found, "uniform").pvalue > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("run", range(3))
def test_mistakes_are_told_apart_and_named(mission, run):
    estimate, motion = identify(mission, simulate(mission, seed=2 * run)), random_motion(mission, 2 * run + 1)
    seed, large = 2 * run + 1, LARGE[run]
    recording = simulate(mission, motion, seed=seed)
    bare = simulate(without_body(mission, "load"), motion, seed=seed)
    off = validate(mission, scaled(estimate, large, 0.9 if run % 2 else 1.1), recording)
    assert (off.verdict, off.causes[0].kind, off.causes[0].name) == ("fail", "cluster", large), str(off)
    turned = validate(mission, swapped(estimate), recording)
    assert (turned.verdict, turned.causes[0].name) == ("fail", "base x y"), str(turned)
    missing = validate(mission, estimate, bare)
    assert (missing.verdict, missing.causes[0].name) == ("fail", "-load"), str(missing)
    noisy = validate(mission, estimate, noisier(mission, recording, 3.0, seed))
    assert (noisy.verdict, noisy.causes[0].kind) == ("doubtful", "noise"), str(noisy)
    assert noisy.causes[0].amount == pytest.approx(3.0, rel=0.1)
    panel = validate(mission, estimate, shaken(mission, recording, 0.3, 3.0))
    assert (panel.verdict, panel.causes[0].kind) == ("fail", "oscillation"), str(panel)
    assert panel.causes[0].amount == pytest.approx(0.3, abs=0.003)
