"""`freefloat target`, `change` and `mass`: bodies that a robot gained, and its weight; recipes as methods."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from cli.calling import ended
from estimate.estimates_made import estimate_of
from excitation.small_mission import MISSION, ROBOT
from random_trees import random_robot

import freefloat as ff
from freefloat.robot.parameters import parameters_from_com

PULSE = ("mass", "--force-N", "10", "--duration-s", "2", "--velocity-change-m-s", "0.1")
HELD = parameters_from_com(3.0, [0.05, 0.02, 0.1], np.diag([0.03, 0.04, 0.02]))
GUESS = parameters_from_com(1.0, [0.0, 0.0, 0.02], 0.001 * np.eye(3))


def done(*arguments, cwd):
    code, said, err = ended(arguments, cwd)
    assert code == 0, err
    return said


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A robot that flies empty-handed, and then holds 3 kg of which its file has another idea, or none."""
    there = tmp_path_factory.mktemp("held")
    (there / "empty.yaml").write_text(yaml.safe_dump(ROBOT))
    empty = ff.load_robot(there / "empty.yaml")
    for name, phi in (("holding", HELD), ("guessed", GUESS)):
        load = ff.Body("target", empty.bodies[-1].name, ff.Joint("grip", "fixed"), parameters=phi)
        replace(empty, bodies=(*empty.bodies, load)).save(there / f"{name}.yaml")
    sensors = {**MISSION["sensors"], "wheels": {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 10}}
    for name in ("empty", "holding", "guessed"):
        mission = {**MISSION, "robot": f"{name}.yaml", "sensors": sensors, "excitation": {"duration_s": 20}}
        (there / f"m_{name}.yaml").write_text(yaml.safe_dump(mission))
    done("simulate", "m_empty.yaml", "--seed", 1, "-o", "before.parquet", cwd=there)
    done("simulate", "m_holding.yaml", "--seed", 2, "-o", "after.parquet", cwd=there)
    return there


def off(said, name):
    """Standard deviations from the truth."""
    found = {each["name"].split("_")[0]: each for each in json.loads(said)["quantities"]}
    truth = {"m": HELD[0], "mx": HELD[1], "Izz": HELD[9], "centre of mass z": 0.1}[name]
    return abs(found[name]["value"] - truth) / found[name]["sd"]


@pytest.mark.parametrize(
    "arguments", [("m_guessed.yaml", "after.parquet"), ("m_empty.yaml", "after.parquet", "--on", "link2")]
)
def test_a_target_is_weighed_whatever_its_file_guesses(folder, arguments):
    said = done("target", *arguments, "--json", cwd=folder)
    assert json.loads(said)["outcome"] == "good"
    assert max(off(said, name) for name in ("m", "mx", "Izz", "centre of mass z")) < 4.0
    mass = next(each for each in json.loads(said)["quantities"] if each["name"] == "m_target")
    assert mass["sd"] < 0.05 * mass["value"]


def test_the_table_of_a_target_and_its_estimate_file(folder):
    said = done("target", "m_guessed.yaml", "after.parquet", "-o", "target.json", cwd=folder)
    for words in ("target: what the arm holds", "m_target", "centre of mass x", "Izz about it", "wrote target.json"):
        assert words in said
    kept = ff.load_estimate(folder / "target.json")
    assert kept.prior.unknown[0].name == "target"


def test_what_was_gained_between_flights(folder):
    said = done(
        "change", "m_empty.yaml", "after.parquet", "--before", "before.parquet", "--on", "link2", "--json", cwd=folder
    )
    assert off(said, "m") < 4.0
    assert off(said, "Izz") < 4.0
    lost = done("change", "m_holding.yaml", "before.parquet", "--before", "after.parquet", "--on", "link2", cwd=folder)
    assert "what link2 gained" in lost
    assert next(line for line in lost.splitlines() if line.startswith("m_change")).split()[1].startswith("-")


def test_a_mission_may_say_that_a_body_is_unknown(folder):
    mission = yaml.safe_load((folder / "m_guessed.yaml").read_text())
    others = {name: {} for name in ("base", *(body["name"] for body in ROBOT["bodies"]))}
    mission |= {"known": others, "prior": {"unknown": {"target": {"mass_kg": 10, "size_m": 0.5}}}}
    (folder / "unknown.yaml").write_text(yaml.safe_dump(mission))
    estimate = ff.identify(ff.load_mission(folder / "unknown.yaml"), folder / "after.parquet")
    found = ff.estimate.found_body(estimate, "target")
    assert (np.abs(found.values - HELD) < 4.0 * found.sd).all()
    mission["prior"]["unknown"] = {"targte": {"mass_kg": 10}}
    (folder / "wrong.yaml").write_text(yaml.safe_dump(mission))
    code, _, err = ended(["simulate", "wrong.yaml"], folder)
    assert (code, err.count("\n")) == (2, 1)
    assert "targte" in err


def test_the_total_mass_of_an_estimate_and_of_a_pulse(folder):
    known = yaml.safe_load((folder / "m_empty.yaml").read_text()) | {"known": {"link2": {}}}
    (folder / "known.yaml").write_text(yaml.safe_dump(known))
    done("identify", "known.yaml", "before.parquet", "-o", "found.json", cwd=folder)
    found = json.loads(done("mass", "found.json", "--json", cwd=folder))
    truth = ff.load_robot(folder / "empty.yaml").mass
    assert abs(found["value"] - truth) < 4.0 * found["sd"]
    pulse = ("--force-N", "3,4,0", "--duration-s", 2, "--velocity-change-m-s", "0.3,0.4,0")
    assert done("mass", *pulse, cwd=folder).split()[:3] == ["total", "mass", "20"]


def test_the_mass_of_an_estimate_that_states_no_intervals_has_none(tmp_path):
    robot = random_robot(3, bodies=4, base="free")
    estimate_of(robot, no_interval="biased").save(tmp_path / "e.json")
    assert f"{robot.mass:.5g} kg, no interval" in done("mass", "e.json", cwd=tmp_path)
    assert json.loads(done("mass", "e.json", "--json", cwd=tmp_path))["sd"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mass",), "an estimate file, or a pulse"),
        (("mass", "--force-N", "1"), "a pulse needs"),
        (("mass", "--force-N", "a", "--duration-s", "1", "--velocity-change-m-s", "1"), "allowed: finite numbers"),
        ((*PULSE, "--force-sd-N", "-1"), "a standard deviation below zero"),
        ((*PULSE, "--velocity-sd-m-s", "nan"), "not finite"),
        (("mass", "--force-N", "1,2", "--duration-s", "1", "--velocity-change-m-s", "1,2"), "allowed: 1 or 3 of both"),
        ((*PULSE, "--ratio", "x"), "--ratio is of an estimate"),
        (("target", "m_empty.yaml", "after.parquet"), "'target'"),
        (("target", "m_guessed.yaml", "after.parquet", "--mass-kg", "inf"), "finite numbers above zero"),
        (("target", "m_guessed.yaml", "after.parquet", "--on", "link2"), "already"),
        (("target", "m_guessed.yaml", "after.parquet", "--mass-kg", "-1"), "above zero"),
        (("change", "m_empty.yaml", "after.parquet", "--before", "after.parquet", "--on", "link2"), "twice"),
        (("change", "m_empty.yaml", "after.parquet", "--before", "before.parquet", "--on", "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_weighed_gets_one_sentence(folder, arguments, words):
    code, said, err = ended(arguments, folder)
    assert (code, said, err.count("\n")) == (2, "", 1)
    assert words in err


def test_a_published_recipe_is_a_method_like_any_other(folder):
    shown = done("identify", "m_empty.yaml", "before.parquet", "--method", "base-only", "--json", cwd=folder)
    assert json.loads(shown)["method"] == "base-only"
    assert {cluster["name"].split("_")[1] for cluster in json.loads(shown)["clusters"]} == {"base"}
    code, _, err = ended(["identify", "m_empty.yaml", "before.parquet", "--method", "naveen-momentun"], folder)
    assert code == 2
    assert "did you mean naveen-momentum?" in err


def test_a_pulse_without_standard_deviations_has_no_interval(folder):
    assert done(*PULSE, cwd=folder) == "total mass 200 kg, without an interval: no standard deviation is given\n"


def test_a_target_that_a_cad_models_spread_doubts_is_found_by_the_verb(folder):
    """3 kg where the file guesses 1: the default prior is a tenth of a guess, which is no CAD model."""
    mission = ff.load_mission(folder / "m_guessed.yaml")
    problem = ff.problem(mission, folder / "after.parquet")
    robot = replace(problem.robot, separate=frozenset({"target"}))
    known = {name: 0.0 for name in robot.body_names if name != "target"}
    doubted = ff.estimate.MaximumLikelihood().estimate(replace(problem, robot=robot, known=known))
    assert doubted.outcome in ("doubtful", "failed")
    said = json.loads(done("target", "m_guessed.yaml", "after.parquet", "--json", cwd=folder))
    mass = next(each for each in said["quantities"] if each["name"] == "m_target")
    assert said["outcome"] == "good"
    assert abs(mass["value"] - HELD[0]) < 1.96 * mass["sd"] < 0.01 * HELD[0]
    before = ff.estimate.found_body(doubted, "target")
    assert before.sd[0] > 10.0 * mass["sd"]  # widened, so that it does not claim what it does not know
    assert abs(before.values[0] - HELD[0]) < 1.96 * before.sd[0]
