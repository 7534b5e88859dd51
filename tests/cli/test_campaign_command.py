"""`freefloat campaign`: what is said, written and refused, and how an interrupted one goes on."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from campaign.killing import parts
from campaign.tiny_mission import write_tiny_mission
from command_run import run

from freefloat.campaign.campaign import load_campaign
from freefloat.campaign.running import CampaignStanding
from freefloat.cli import app, main
from freefloat.cli.progress.campaign import CampaignProgress
from freefloat.errors import is_interrupt

BOTH = ("--methods", "least-squares,maximum-likelihood", "--workers", "1", "--chunk", "2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mission, and a campaign of it with its page."""
    folder = tmp_path_factory.mktemp("command")
    path = write_tiny_mission(folder)
    page = folder / "page.html"
    said = run("campaign", path, "--runs", 4, *BOTH, "-o", folder / "c", "--plot", page).stdout
    (folder / "said.txt").write_text(said)
    return folder


def test_a_campaign_is_said_in_tables(folder):
    said = (folder / "said.txt").read_text()
    assert said.startswith("tiny  4 runs · seed 0 · CAD model drawn anew for every run, as the mission's prior says\n")
    for words in ("method", "covered", "rms/bound", "best run", "least-squares", "maximum-likelihood", "CAD sd"):
        assert words in said
    assert "compared as angular-momentum clusters:" in said
    assert "the worst 12 of 1" in said
    assert f"wrote {folder / 'page.html'}" in said.replace("\n", "")
    assert (folder / "page.html").stat().st_size > 1_000_000
    assert load_campaign(folder / "c").runs == 4


def test_the_same_as_json_and_nothing_is_done_again(folder):
    before = parts(folder / "c")
    said = json.loads(run("campaign", folder / "tiny.yaml", "--runs", 4, *BOTH, "-o", folder / "c", "--json").stdout)
    assert parts(folder / "c") == before
    assert (said["runs"], said["cad"], said["interrupted"]) == (4, "drawn", False)
    (setting,) = said["settings"]
    for method in setting["methods"] + setting["compared"]:
        assert method["runs"] == 4
        assert sum(outcome["runs"] for outcome in method["outcomes"].values()) == 4
        assert sum(method["worst_in_runs"].values()) == 4
        assert 0.0 <= method["clusters"][0]["coverage"]["low"] <= method["clusters"][0]["coverage"]["high"] <= 1.0
        assert method["convergence"]["runs"] == [2, 3, 4]


def test_fewer_runs_than_there_are_is_said(folder):
    said = run("campaign", folder / "tiny.yaml", "--runs", 2, *BOTH, "-o", folder / "c", "--json")
    assert said.stderr == f"{folder / 'c'} holds 4 runs, more than the 2 asked for; the summary is of all\n"
    assert json.loads(said.stdout)["runs"] == 4


def test_help_is_without_pictures():
    for command in ("campaign", "sweep", *(each.name or each.callback.__name__ for each in app.registered_commands)):
        said = run(command.replace("_", "-"), "--help").stdout
        assert "Usage" in said
        assert all(ord(letter) < 0x1F000 for letter in said), command


def test_a_cluster_that_is_none_is_one_sentence_and_nothing_else(folder, tmp_path):
    command = [sys.executable, "-m", "freefloat", "campaign", folder / "tiny.yaml", "-o", tmp_path / "c", "--json"]
    ended = subprocess.run([*command, "--cluster", "garbage"], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "freefloat: 'garbage' is not an address of a cluster; allowed: tcp, tls, ws or wss://HOST:PORT\n"
    )


def test_sweeps_and_all_clusters(folder):
    arguments = ("--runs", 1, *BOTH, "--sweep", "link1.mass_kg=2:4:2", "-o", folder / "swept", "--all")
    said = run("campaign", folder / "tiny.yaml", *arguments).stdout
    assert "link1.mass_kg = 2\n" in said
    assert "link1.mass_kg = 4\n" in said
    assert "worst 12" not in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--methods", "guesswork"), "no method named 'guesswork'"),
        (("--sweep", "link1.mass_kg"), "does not say what is varied"),
        (("--plot", "page.pdf"), "not a file that pages are written to"),
        (("--seed", "3"), "seed 0, not 3"),
    ],
)
def test_bad_input_is_one_sentence(folder, capsys, monkeypatch, arguments, words):
    command = ["freefloat", "campaign", str(folder / "tiny.yaml"), "--runs", "4", *BOTH, "-o", str(folder / "c")]
    monkeypatch.setattr(sys, "argv", [*command, *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.startswith("freefloat: ")
    assert said.count("\n") == 1
    assert words in said


def test_an_interrupt_says_how_to_go_on(folder, tmp_path):
    there = tmp_path / "c"
    command = [sys.executable, "-W", "error", "-m", "freefloat", "campaign", folder / "tiny.yaml", "--runs", "400"]
    process = subprocess.Popen([*command, "--chunk", "1", "-o", there], stderr=subprocess.PIPE, start_new_session=True)
    while len(parts(there)) < 3:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: workers get it too
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    done = load_campaign(there).runs
    assert 3 <= done < 400
    first, *middle, last = said.decode().splitlines()
    assert first == "0 of 400 runs"
    assert all(" of 400 runs" in line for line in middle)
    assert last == f"interrupted: {done} of 400 runs are finished; the same command goes on from there"


def test_an_interrupt_while_it_prepares_is_a_sentence_too(folder, tmp_path):
    there = tmp_path / "c"
    command = [sys.executable, "-W", "error", "-m", "freefloat", "campaign", folder / "tiny.yaml", "--runs", "400"]
    process = subprocess.Popen([*command, "-o", there], stderr=subprocess.PIPE, start_new_session=True)
    while not (there / ".lock").exists():
        time.sleep(0.002)
    said, pressed = b"", 0
    while process.returncode is None:  # Python drops an interrupt that falls into a callback; people press again
        os.killpg(process.pid, signal.SIGINT)
        pressed += 1
        with contextlib.suppress(subprocess.TimeoutExpired):
            _, said = process.communicate(timeout=10)
    assert process.returncode == 130
    *_, last = said.decode().splitlines()
    if pressed == 1:
        assert last == "interrupted; what is finished is kept, and the same command goes on from there"
        assert not there.exists()
    else:  # by then it may have begun
        assert last.startswith("interrupted")


def test_an_interrupt_that_falls_into_compiled_code_is_one():
    interrupt, fault = SystemError("a result with an exception set"), SystemError("a fault")
    interrupt.__cause__ = KeyboardInterrupt()
    assert is_interrupt(interrupt)
    assert is_interrupt(KeyboardInterrupt())
    assert not is_interrupt(fault)


def test_progress_counts_what_is_new(monkeypatch):
    now = [10.0]
    monkeypatch.setattr("freefloat.cli.progress.campaign.time.monotonic", lambda: now[0])
    progress = CampaignProgress("x", quiet=True)
    progress.update(CampaignStanding(50, 100))
    assert progress.bar.tasks[0].fields["rate"] == ""
    now[0] += 5.0
    progress.update(CampaignStanding(60, 100))
    task = progress.bar.tasks[0]
    assert (task.completed, task.total, task.fields["rate"]) == (60, 100, "2 runs/s")
