"""`freefloat reproduce`: tables, figures in a file, and what is refused."""

import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from freefloat.cli import app, main
from freefloat.cli.show.study import show_study
from freefloat.studies import reproducing
from freefloat.studies.check import Check, Study


def test_the_command_writes_what_it_shows(tmp_path, monkeypatch):
    checks = (
        Check("x.a", "an angle", 2.0, 1.5, "rad", "lower", way="default", note="not printed"),
        Check("x.b", "an angle", 2.0, 2.1, "rad", "equal", 0.1),
        Check("x.c", "a count", 3.0, 4.0, comparable=False),
    )
    study = Study("x", "A title", checks, 1.0)
    monkeypatch.setattr(reproducing, "reproduce", lambda *_, **__: iter([study]))
    path = tmp_path / "figures.json"
    result = CliRunner().invoke(app, ["reproduce", "naveen", "-o", str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    for words in ("A title", "an angle [rad]", "≤", "±10 %", "2.1", "1.5", "not printed", "2 of 2 figures hold"):
        assert words in result.output
    written = json.loads(path.read_text())
    assert written == [study.document()]
    printed = CliRunner().invoke(app, ["reproduce", "all", "--json"], catch_exceptions=False)
    assert json.loads(printed.stdout) == [study.document()]


@pytest.mark.parametrize("width", [120, 80])
def test_long_series_leave_room_for_words_and_verdicts(width, monkeypatch, capsys):
    quantity = "error of every predicted channel, torques included [SI]"
    theirs, ours = (tuple(scale * (1.2345e-4 + k * 1e-6) for k in range(12)) for scale in (1.0, 0.12345))
    checks = (
        Check("x.a", quantity, theirs, theirs, better="equal", tolerance=0.3, note="a"),
        Check("x.b", quantity, theirs, ours, better="equal", tolerance=0.3, way="default", note="b"),
        Check("x.c", "something else", 1.0, 2.0, "kg m²", "lower", comparable=False, note="c"),
    )
    monkeypatch.setattr("freefloat.cli.show.study.console", lambda: Console(highlight=False, width=width))
    show_study(Study("x", "A title", checks, 1.0))
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= width
    words = " ".join(" ".join(lines).split())
    for word in (*quantity.split(), "0.000123,", "…", "yes", "no", "(no)", "±30 %", "≤", "1 of 2 figures hold"):
        assert word in words
    assert "0.000126" not in words  # the fourth of a series
    assert words.count("holds") == 2
    if width < 100:
        assert quantity in lines


def test_nothing_is_counted_where_nothing_can_be_compared(capsys):
    show_study(Study("x", "A title", (Check("x.a", "something", 1.0, 1.0, comparable=False),), 1.0))
    shown = capsys.readouterr().out
    assert "(yes)" in shown
    assert "figures hold" not in shown


def test_the_command_refuses_a_study_that_is_none(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["freefloat", "reproduce", "navene"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "did you mean naveen" in capsys.readouterr().err
