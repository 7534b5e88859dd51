"""What `identify` and `validate` say while they work."""

import numpy as np

from freefloat.cli.progress.fitting import FitProgress
from freefloat.cli.progress.waiting import Waiting
from freefloat.estimate.progress import listening, say, say_left


def test_a_listener_hears_stages_and_what_is_left_and_nobody_else_does():
    heard = []
    say("before")
    with listening(heard.append):
        say("first fit")
        say_left(np.full(4, 3.4))
    say("after")
    assert heard == ["first fit", "first fit, 3.4 × noise"]


def said_at(capsys, seconds, quiet):
    """Lines on standard error of a fit that makes a step at each of these times, and is looked at there."""
    now = [0.0]
    with FitProgress("identifying tug", quiet, clock=lambda: now[0]) as progress:
        for second in seconds:
            now[0] = second
            say(f"at {second} [s]")
            progress.waiting.look()
    return capsys.readouterr().err.splitlines()


def test_where_there_is_no_terminal_a_line_is_said_every_few_seconds_at_most(capsys, monkeypatch):
    monkeypatch.setattr(Waiting, "between_s", 10.0)
    said = said_at(capsys, (1, 9, 10, 11, 19, 21, 45), quiet=False)
    assert said == [f"identifying tug: at {second} [s]" for second in (10, 21, 45)]


def test_quiet_says_nothing(capsys, monkeypatch):
    monkeypatch.setattr(Waiting, "between_s", 10.0)
    assert said_at(capsys, (1, 20, 40), quiet=True) == []
