"""`freefloat validate`: verdicts, exit codes, files, and one sentence for bad input."""

import contextlib
import json
import re
import subprocess
import sys

import pytest
from command_run import run
from excitation.small_mission import write_small_mission
from validation.unseen_flights import renamed, scaled

from freefloat.cli import main
from freefloat.estimate.estimate import load_estimate
from freefloat.validation.validation_file import load_validation


def done(*arguments, cwd):
    with contextlib.chdir(cwd):
        return run(*arguments).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("validated")
    write_small_mission(place)
    done("simulate", "small.yaml", "--seed", 1, "-o", "flight.parquet", cwd=place)
    done("simulate", "small.yaml", "--seed", 5, "-o", "other.parquet", cwd=place)
    done("identify", "small.yaml", "flight.parquet", "-o", "e.json", cwd=place)
    estimate = load_estimate(place / "e.json")
    scaled(estimate, "Ixx_base", 1.1).save(place / "wrong.json")
    renamed(estimate).save(place / "alien.json")
    return place


def test_a_good_estimate_passes_with_a_table_a_file_and_a_page(folder):
    files = ("-o", "v.json", "--plot", "v.html")
    table = done("validate", "small.yaml", "e.json", "other.parquet", *files, cwd=folder)
    assert table.startswith((" PASS  base rate predicted to 0.9", " PASS  base rate predicted to 1."))
    assert "on 20 s of unseen motion" in table.splitlines()[0]
    heading = next(line for line in table.splitlines() if line.startswith("channel"))
    assert heading.split() == ["channel", "rms", "largest", "noise", "ratio", "of", "signal"]
    assert "base rate x" in table
    assert "most sensitive to: " in table
    assert "Iyy_base + … " in table, "more than the base's own"
    assert re.search(r"most uncertain by: .*, \d(\.\d)?e-\d+ rad/s\n", table)
    assert table.endswith("wrote v.html\nwrote v.json\n")
    assert load_validation(folder / "v.json").verdict == "pass"
    assert "PASS" in (folder / "v.html").read_text()


def test_a_wrong_one_fails_with_exit_code_1_and_says_why(folder):
    command = [sys.executable, "-m", "freefloat", "validate", "small.yaml", "wrong.json", "other.parquet"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=folder)
    assert result.returncode == 1, result.stderr
    assert result.stdout.startswith(" FAIL  ")
    assert "Ixx_base + … is off" in result.stdout


def test_json_is_the_validation_itself_without_series(folder):
    document = json.loads(done("validate", "small.yaml", "e.json", "flight.parquet", "--json", cwd=folder))
    assert (document["format"], document["verdict"]) == ("freefloat/validation@1", "doubtful"), "and no failure"
    assert not {"readings", "momentum", "windows"} & set(document)
    assert {"reasons", "channels", "checks", "causes", "sensitivities"} <= set(document)
    assert "was used for the estimate" in document["reasons"][-1]


BAD = {
    "estimate": (("small.yaml", "small.yaml", "other.parquet"), "which is not an estimate file"),
    "recording": (("small.yaml", "e.json", "nope.parquet"), "nope.parquet: cannot be read"),
    "twice": (("small.yaml", "e.json", "other.parquet", "./other.parquet"), "other.parquet: is given twice"),
    "rate": (("small.yaml", "e.json", "other.parquet", "--false-alarm", "2"), "freefloat: --false-alarm is 2.0; "),
    "robot": (("small.yaml", "alien.json", "other.parquet"), "alien.json: the estimate is of small, whose bodies"),
    "without": (("small.yaml", "e.json", "other.parquet", "--without", "x=link2"), "no recording is called 'x'"),
    "over": (("small.yaml", "e.json", "other.parquet", "-o", "e.json"), "is read by this command"),
    "ending": (("small.yaml", "e.json", "other.parquet", "--plot", "v.png"), "v.png: not a file that validations"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, monkeypatch, capsys, name):
    arguments, said = BAD[name]
    before = sorted(path.name for path in folder.iterdir())
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["freefloat", "validate", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == before
