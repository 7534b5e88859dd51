"""`freefloat validate`: verdicts, exit codes, files, and one sentence for bad input."""

import json
import subprocess
import sys

import pytest
from excitation.small_mission import write_small_mission
from validation.unseen_flights import scaled

from freefloat.estimate.estimate_file import load_estimate
from freefloat.validation.validation_file import load_validation


def run(*arguments, cwd):
    command = [sys.executable, "-m", "freefloat", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=cwd)


def done(*arguments, cwd):
    result = run(*arguments, cwd=cwd)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("validated")
    write_small_mission(place)
    done("simulate", "small.yaml", "--seed", 1, "-o", "flight.parquet", cwd=place)
    done("simulate", "small.yaml", "--seed", 5, "-o", "other.parquet", cwd=place)
    done("identify", "small.yaml", "flight.parquet", "-o", "e.json", cwd=place)
    scaled(load_estimate(place / "e.json"), "Ixx_base", 1.1).save(place / "wrong.json")
    return place


def test_a_good_estimate_passes_with_a_table_a_file_and_a_page(folder):
    files = ("-o", "v.json", "--plot", "v.html")
    table = done("validate", "small.yaml", "e.json", "other.parquet", *files, cwd=folder)
    assert table.startswith(" PASS  base rate predicted to 1.")
    assert "on 20 s of unseen motion" in table.splitlines()[0]
    heading = next(line for line in table.splitlines() if line.startswith("channel"))
    assert heading.split() == ["channel", "rms", "largest", "noise", "ratio"]
    assert "most sensitive to: " in table
    assert table.endswith("wrote v.html\nwrote v.json\n")
    assert load_validation(folder / "v.json").verdict == "pass"
    assert "PASS" in (folder / "v.html").read_text()


def test_a_wrong_one_fails_with_exit_code_1_and_says_why(folder):
    result = run("validate", "small.yaml", "wrong.json", "other.parquet", cwd=folder)
    assert result.returncode == 1, result.stderr
    assert result.stdout.startswith(" FAIL  ")
    assert "Ixx_base is off" in result.stdout


def test_json_is_the_validation_itself(folder):
    result = run("validate", "small.yaml", "e.json", "flight.parquet", "--json", cwd=folder)
    document = json.loads(result.stdout)
    assert (document["format"], document["verdict"]) == ("freefloat/validation@1", "doubtful")
    assert result.returncode == 0, "doubtful is no failure"
    assert "was used for the estimate" in document["reasons"][-1]


BAD = {
    "estimate": (("small.yaml", "small.yaml", "other.parquet"), "which is not an estimate file"),
    "recording": (("small.yaml", "e.json", "nope.parquet"), "nope.parquet: cannot be read"),
    "twice": (("small.yaml", "e.json", "other.parquet", "./other.parquet"), "other.parquet: is given twice"),
    "rate": (("small.yaml", "e.json", "other.parquet", "--false-alarm", "2"), "allowed: between 0 and 1"),
    "without": (("small.yaml", "e.json", "other.parquet", "--without", "x=link2"), "no recording is called 'x'"),
    "over": (("small.yaml", "e.json", "other.parquet", "-o", "e.json"), "is read by this command"),
    "ending": (("small.yaml", "e.json", "other.parquet", "--plot", "v.png"), "v.png: not a file that validations"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, name):
    arguments, said = BAD[name]
    before = sorted(path.name for path in folder.iterdir())
    result = run("validate", *arguments, cwd=folder)
    assert result.returncode == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == before
