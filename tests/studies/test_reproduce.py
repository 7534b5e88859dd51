"""All studies: every figure that is promised is there, and every figure follows from the robot."""

import json
from importlib import import_module

import numpy as np
import pytest
from typer.testing import CliRunner

from freefloat.cli import app, main
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com
from freefloat.studies.catalogue import study_robot
from freefloat.studies.reproducing import TITLES, reproduce

PROMISED = [
    "naveen.minimal.max_relative_deviation",
    "naveen.noiseless.max_relative_error",
    "naveen.pruning.intervals",
    "naveen.pruning.condition_number",
    "naveen.ols.median_relative_error",
    "naveen.default.median_relative_error",
    "naveen.default.max_relative_error",
    "naveen.prediction.base_linear_rms",
    "naveen.prediction.base_angular_rms",
    "naveen.prediction.torque_rms",
    "christidi.pi.max_relative_deviation",
    "christidi.phi.max_relative_deviation",
    "christidi.noiseless.max_relative_error",
    "christidi.condition_number",
    "christidi.pi.mean_relative_error",
    "christidi.phi.max_relative_error",
    "christidi.mass.relative_error",
    "christidi.thruster_mass",
    "christidi.planar.clusters",
    "spirolazzi.pi.max_deviation",
    "spirolazzi.case1.max_mean_relative_error",
    "spirolazzi.case2.max_mean_relative_error",
    "spirolazzi.n1.condition_number",
    "spirolazzi.oossim.condition_number",
    "spirolazzi.ols.spread_ratio",
    "spirolazzi.ols.big_rms",
    "spirolazzi.default.big_rms",
    "spirolazzi.default.over_cramer_rao",
    "spirolazzi.lag.recovered_ms",
    "spirolazzi.design.condition_number",
    "spirolazzi.design.accuracy_gain",
    "spirolazzi.validation.max_rate_error",
    "gautier.base_parameters",
    "gautier.condition_number.r15",
    "gautier.condition_number.r20",
    "gautier.condition_number.r30",
    "gautier.equilibrium.r30",
    "gautier.identification.relative_error",
    "ayusawa.gradient.relative_error",
    "ayusawa.gradient.speed_ratio",
    "ayusawa.sequential.condition_numbers",
    "ayusawa.random_selection.condition_number",
]
TIMINGS = {"ayusawa.gradient.speed_ratio"}
FIELDS = {"name", "published", "ours", "unit", "better", "tolerance", "comparable", "holds", "note"}


def heavier(name):
    """A study's robot with one per cent more mass in every body, its centres and inertias about them unchanged."""
    robot = study_robot(name)
    bodies = np.array(robot.parameters).reshape(-1, 10)
    for row in bodies:
        if row[0] > 0.0:
            row[:] = parameters_from_com(1.01 * row[0], com_of(row), inertia_about_com(row))
    return robot.with_parameters(bodies.ravel())


@pytest.fixture(scope="module", params=list(TITLES))
def study(request):
    (found,) = reproduce([request.param], "glance")
    return found


@pytest.mark.slow
def test_every_promised_figure_is_there_once(study):
    names = [check.name for check in study.checks]
    assert len(set(names)) == len(names)
    assert {name for name in PROMISED if name.startswith(study.study)} <= set(names)
    assert all(name.startswith(f"{study.study}.") for name in names)
    for check in study.checks:
        assert set(check.document()) >= FIELDS
    json.dumps(study.document(), allow_nan=False)


@pytest.mark.slow
def test_every_figure_follows_from_the_masses_of_the_robot(study):
    (other,) = reproduce([study.study], "glance", robots=heavier)
    free = import_module(f"freefloat.studies.{study.study}.study").FREE_OF_MASSES
    ours = {check.name: check.ours for check in other.checks}
    assert free <= set(ours)
    for check in study.checks:
        if check.name not in free:
            assert not np.array_equal(check.ours, ours[check.name]), check.name
        elif check.name not in TIMINGS:
            np.testing.assert_allclose(ours[check.name], check.ours, rtol=1e-5, err_msg=check.name)


def test_the_command_writes_what_it_shows(tmp_path, monkeypatch):
    from freefloat.studies import reproducing as module
    from freefloat.studies.check import Check, Study

    checks = (
        Check("x.a", "an angle", 2.0, 1.5, "rad", "lower", way="default", note="not printed"),
        Check("x.b", "an angle", 2.0, 2.1, "rad", "equal", 0.1),
        Check("x.c", "a count", 3.0, 4.0, comparable=False),
    )
    study = Study("x", "A title", checks, 1.0)
    monkeypatch.setattr(module, "reproduce", lambda *_, **__: iter([study]))
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
    from rich.console import Console

    from freefloat.cli.show import study as module
    from freefloat.studies.check import Check, Study

    quantity = "error of every predicted channel, torques included [SI]"
    theirs, ours = (tuple(scale * (1.2345e-4 + k * 1e-6) for k in range(12)) for scale in (1.0, 0.12345))
    checks = (
        Check("x.a", quantity, theirs, theirs, better="equal", tolerance=0.3, note="a"),
        Check("x.b", quantity, theirs, ours, better="equal", tolerance=0.3, way="default", note="b"),
        Check("x.c", "something else", 1.0, 2.0, "kg m²", "lower", comparable=False, note="c"),
    )
    monkeypatch.setattr(module, "console", lambda: Console(highlight=False, width=width))
    module.show_study(Study("x", "A title", checks, 1.0))
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
    from freefloat.cli.show.study import show_study
    from freefloat.studies.check import Check, Study

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
