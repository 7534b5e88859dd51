"""Campaigns that are killed at any instant, and workers that are: nothing is lost, nothing done twice."""

import multiprocessing
import os
import signal
import threading
import time

import pytest
from campaign.killing import all_gone, killed_at_random, parts, random_moments, started
from campaign.tiny_mission import METHODS, write_tiny_mission

from freefloat.campaign import workers
from freefloat.campaign.campaign import load_campaign
from freefloat.campaign.manifest import InvalidCampaign
from freefloat.campaign.parts import held
from freefloat.campaign.running import run_campaign
from freefloat.errors import FileError

RUNS = 16


@pytest.fixture(scope="module")
def whole(mission, tmp_path_factory):
    directory = tmp_path_factory.mktemp("whole") / "campaign"
    return run_campaign(mission, RUNS, METHODS, directory=directory, chunk=2, workers=1)


def test_killed_three_times_at_random_it_equals_the_one_that_was_not(whole, tmp_path):
    path, there, rng = write_tiny_mission(tmp_path), tmp_path / "campaign", random_moments(0)
    for _ in range(3):
        before = parts(there)
        process = started(path, there, RUNS, 2, METHODS)
        children = killed_at_random(process, there, rng, 0.15)
        after = parts(there)
        assert process.returncode == -signal.SIGKILL
        assert len(children) == 2
        assert all_gone(children)
        assert len(after) > len(before)
        assert before.items() <= after.items()
    assert load_campaign(there).runs < RUNS
    assert started(path, there, RUNS, 2, METHODS).wait() == 0
    assert after.items() <= parts(there).items()
    assert load_campaign(there).table.equals(whole.table)


def test_killed_before_the_first_run_it_begins_anew(whole, tmp_path):
    path, there, rng = write_tiny_mission(tmp_path), tmp_path / "campaign", random_moments(1)
    for _ in range(2):
        process = started(path, there, RUNS, 2, METHODS)
        while not (there / ".lock").exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.2))
        process.kill()
        process.wait()
        assert not parts(there)
    (there / ".freefloat-0123.part").write_bytes(b"half of a manifest")
    assert started(path, there, RUNS, 2, METHODS).wait() == 0
    assert load_campaign(there).table.equals(whole.table)


def test_a_worker_that_is_killed_is_replaced(mission, whole, tmp_path):
    struck = []

    def strike(standing):
        if standing.finished == 4:
            struck.append(multiprocessing.active_children()[0].pid)  # no helper of Python's own
            os.kill(struck[0], signal.SIGKILL)

    settings = {"directory": tmp_path / "c", "chunk": 2, "workers": 2}
    made = run_campaign(mission, RUNS, METHODS, watch=strike, **settings)
    assert struck
    assert made.table.equals(whole.table)


def test_runs_that_kill_every_worker_end_it_with_a_sentence(mission, tmp_path, monkeypatch):
    here, true = os.getpid(), workers.chunk_rows

    def deadly(setting, first, stop):
        if first == 4 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return true(setting, first, stop)

    monkeypatch.setattr(workers, "chunk_rows", deadly)
    settings = {"directory": tmp_path / "c", "chunk": 2, "workers": 2}
    with pytest.raises(
        InvalidCampaign, match="3 workers ended over runs 4 to 5 of setting 0, the last with exit code -9"
    ):
        run_campaign(mission, RUNS, METHODS, **settings)
    assert parts(tmp_path / "c")
    assert not multiprocessing.active_children()


def test_a_mistake_of_the_program_is_not_hidden(mission, tmp_path, monkeypatch):
    def wrong(setting, first, stop):
        raise ZeroDivisionError("in a run")

    monkeypatch.setattr(workers, "chunk_rows", wrong)
    with pytest.raises(RuntimeError, match="ZeroDivisionError: in a run"):
        run_campaign(mission, 4, METHODS, directory=tmp_path / "c", chunk=2, workers=2)


def test_what_freefloat_refuses_in_a_worker_is_a_sentence_here(mission, tmp_path, monkeypatch):
    def wrong(setting, first, stop):
        raise FileError("robot.yaml", "is not for this")

    monkeypatch.setattr(workers, "chunk_rows", wrong)
    with pytest.raises(InvalidCampaign, match=r"^robot\.yaml: is not for this$"):
        run_campaign(mission, 4, METHODS, directory=tmp_path / "c", chunk=2, workers=2)


def test_a_lock_that_was_removed_meanwhile_is_no_lock(tmp_path, monkeypatch):
    there, true = tmp_path / "c", os.fstat

    def late(descriptor):
        """Whoever held the lock ends just now, and with it the directory."""
        monkeypatch.setattr(os, "fstat", true)
        (there / ".lock").unlink()
        there.rmdir()
        return true(descriptor)

    monkeypatch.setattr(os, "fstat", late)
    with held(there):
        assert [path.name for path in there.iterdir()] == [".lock"]
        monkeypatch.setattr("freefloat.campaign.parts._PATIENCE_S", 0.0)
        with pytest.raises(FileError, match="another campaign now"), held(there):
            pass
    assert not there.exists()
    there.mkdir()
    with held(there):
        pass
    assert list(there.iterdir()) == []  # and a directory that was there stays


def test_two_campaigns_do_not_write_to_one_directory(mission, tmp_path, monkeypatch):
    monkeypatch.setattr("freefloat.campaign.parts._PATIENCE_S", 0.2)
    settings = {"directory": tmp_path / "c", "chunk": 1, "workers": 1}
    held, ended = threading.Event(), threading.Event()

    def wait(standing):
        held.set()
        ended.wait(60)

    first = threading.Thread(target=lambda: run_campaign(mission, 2, METHODS, watch=wait, **settings))
    first.start()
    held.wait(60)
    try:
        with pytest.raises(FileError, match="is written to by another campaign now"):
            run_campaign(mission, 2, METHODS, **settings)
    finally:
        ended.set()
        first.join()
    assert run_campaign(mission, 2, METHODS, **settings).runs == 2
