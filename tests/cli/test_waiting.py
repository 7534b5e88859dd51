"""What verbs say while nothing comes a step further, as while numba compiles."""

import sys
import threading
import time

import pytest
from campaign.tiny_mission import write_tiny_mission
from cli.calling import ended
from numba.core.event import end_event, start_event

from freefloat.cli.console import error_console
from freefloat.cli.ending import ExitCode
from freefloat.cli.progress.fitting import FitProgress
from freefloat.cli.progress.waiting import Waiting

COMPILED = " (what is used for the first time is compiled, and kept)"
LONG_S = 60.0  # for a line that comes at once
WAITED_FOR = {  # by verb: what it calls, and what it is then said to be at
    "simulate tiny.yaml -o x.parquet": ("freefloat.mission.flying.fly", "flying tiny"),
    "identify tiny.yaml flight.parquet": ("freefloat.mission.identifying.identify", "identifying tiny"),
    "validate tiny.yaml e.json flight.parquet": ("freefloat.mission.validating.validate", "validating tiny"),
    "design tiny.yaml -o x.json": ("freefloat.mission.designing.design", "designing the motion"),
    "run tiny.yaml -o x.run": ("freefloat.runs.running.identify", "identifying"),
    "sweep tiny.yaml --over link1.mass_kg=1:2:2": ("freefloat.mission.sweeping.sweep", "sweeping tiny"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mission with a flight and an estimate."""
    place = tmp_path_factory.mktemp("waiting")
    write_tiny_mission(place)
    for words in ("simulate tiny.yaml -o flight.parquet", "identify tiny.yaml flight.parquet -o e.json"):
        assert ended((*words.split(), "--quiet"), place)[0] == 0
    return place


class Told:
    """What is said at times that a test sets."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(Waiting, "between_s", 10.0)
        self.now = 0.0
        self.waiting = Waiting(error_console(quiet=False), lambda _: None, silent=False, clock=lambda: self.now)

    def at(self, seconds):
        """The clock moves on, and is looked at."""
        self.now = seconds
        self.waiting.look()


def watching():
    return [thread for thread in threading.enumerate() if thread.name == "freefloat progress"]


def test_what_goes_on_is_said_again_with_how_long_it_does(monkeypatch, capsys):
    told = Told(monkeypatch)
    told.waiting.begin("first fit")
    for seconds in (9.0, 10.0, 19.0, 20.0):
        told.at(seconds)
    told.waiting.begin("intervals [3]")
    for seconds in (25.0, 29.0, 31.0):
        told.at(seconds)
    assert capsys.readouterr().err.splitlines() == ["first fit, 10 s", "first fit, 20 s", "intervals [3], 11 s"]


def test_a_line_that_something_else_says_lets_the_next_wait(monkeypatch, capsys):
    told = Told(monkeypatch)
    told.waiting.begin("searching")
    told.now = 9.0
    told.waiting.say("one found")
    for seconds in (10.0, 18.0, 19.0):
        told.at(seconds)
    assert capsys.readouterr().err.splitlines() == ["one found", "searching, 19 s"]


def test_compiling_is_said_only_while_that_is_what_takes_the_time(monkeypatch, capsys):
    told = Told(monkeypatch)
    told.waiting.begin("first fit")
    with told.waiting:
        told.now = 1.0
        start_event("numba:compile")
        start_event("numba:compile")  # what the one calls
        told.now = 5.0
        end_event("numba:compile")
        told.at(10.0)
        told.now = 12.0
        end_event("numba:compile")
        told.at(20.0)
    start_event("numba:compile")
    assert told.waiting.compiling.depth == 0, "nobody listens any more"
    assert capsys.readouterr().err.splitlines() == [f"first fit, 10 s{COMPILED}", "first fit, 20 s"]


def test_on_a_terminal_what_is_shown_is_replaced(monkeypatch):
    shown = []
    told = Told(monkeypatch)
    told.waiting.console, told.waiting.on_terminal = error_console(quiet=False), shown.append
    told.waiting.console._force_terminal = True
    told.waiting.begin("first [fit]")
    told.at(10.0)
    assert shown == ["first \\[fit]", "first \\[fit], 10 s"]


@pytest.mark.parametrize(("quiet", "json"), [(True, False), (False, True)])
def test_where_nothing_is_to_be_said_nobody_watches(monkeypatch, quiet, json):
    monkeypatch.setattr(Waiting, "between_s", 0.0)
    with FitProgress("identifying", quiet, json):
        assert not watching()


@pytest.mark.parametrize("words", WAITED_FOR)
def test_a_verb_that_waits_says_what_for_and_an_interrupt_ends_that(folder, monkeypatch, words):
    function, doing = WAITED_FOR[words]
    monkeypatch.setattr(Waiting, "between_s", 0.001)

    def until_it_is_said(*_, **__):
        end = time.monotonic() + LONG_S
        while f"{doing}, " not in sys.stderr.getvalue() and time.monotonic() < end:
            time.sleep(0.001)
        raise KeyboardInterrupt

    monkeypatch.setattr(function, until_it_is_said)
    code, out, err = ended(words.split(), folder)
    assert (code, out) == (ExitCode.INTERRUPTED, "")
    assert any(line.startswith(f"{doing}, ") for line in err.splitlines())
    assert not watching()
