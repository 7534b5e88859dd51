"""`freefloat design` and `sweep`: what is said, written and refused, and that an interrupt keeps what was found."""

import json
import re
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import yaml
from calling import ended
from command_run import run
from excitation.small_mission import MISSION, ROBOT, write_small_mission
from rich.console import Console

import freefloat as ff
from freefloat.cli import main
from freefloat.cli.ending import ExitCode
from freefloat.cli.progress.design import DesignProgress
from freefloat.cli.ranges import parse_range
from freefloat.cli.show.excitation import show_excitation
from freefloat.excitation.excitation import Prediction
from freefloat.excitation.finding import Standing
from freefloat.excitation.goals.names import GoalName
from freefloat.mission import sweeping
from freefloat.mission.sweeping import InvalidSweep
from freefloat.report.design_words import accuracy_words, condition_words, goal_words

QUICK = ("--starts", "1", "--workers", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mission, and a motion that was designed for it."""
    folder = tmp_path_factory.mktemp("design")
    mission = write_small_mission(folder)
    result = run("design", mission, "-o", folder / "first.json", *QUICK)
    (folder / "said.txt").write_text(result.stdout)
    (folder / "progress.txt").write_text(result.stderr)
    return folder


def test_a_design_is_written_and_said_in_a_few_lines(folder):
    said, found = (folder / "said.txt").read_text(), ff.load_excitation(folder / "first.json")
    assert found.feasible
    assert found.sheet.go
    assert found.origin["mission"] == "small"
    assert said.startswith("small  designed for accuracy · 20 s · within all limits\n")
    for words in ("base inertia ±", "median of", "best ", "worst ", "condition number  ", "nearest limits    "):
        assert words in said
    for words in (
        "base pointing",
        "closest           base and link2",
        "gravity gradient",
        "collisions        checked between all bodies that are no neighbours",
        "\nGO                ",
        "1 of 1 starts ended",
    ):
        assert words in said
    assert "  go " not in said, "limits are listed with --all only"
    assert said.endswith(f"wrote {folder / 'first.json'}\n")
    assert len(said.splitlines()) < 20


def test_where_there_is_no_terminal_progress_is_a_line_per_search(folder):
    lines = (folder / "progress.txt").read_text().splitlines()
    lines = [line for line in lines if "compiled, and kept" not in line]  # of a machine that does it for the first time
    assert len(lines) == 2, "the start, and its end shaken"
    for finished, line in enumerate(lines, start=1):
        assert line.startswith(f"{finished}/2 searches   base inertia ± ")
        assert "   cond " in line
        assert re.search(r"   within all limits(, joints by \d+\.\d°)?$", line)


def test_on_a_terminal_progress_is_a_bar_over_all_searches(folder, monkeypatch):
    screen = StringIO()
    monkeypatch.setattr(
        "freefloat.cli.progress.design.error_console",
        lambda _: Console(file=screen, force_terminal=True, width=200, highlight=False),
    )
    plan = ff.plan_of(ff.load_mission(folder / "small.yaml"))
    found = plan.variables.coordinates(ff.load_excitation(folder / "first.json").trajectory.coefficients)
    with DesignProgress(plan, quiet=False) as progress:
        progress.update(Standing(0, 5, np.inf, None, None))
        assert progress.bar.tasks[0].description == "0/5 searches   no motion within all limits yet"
        progress.update(Standing(3, 5, 1.0, None, found))
        (task,) = progress.bar.tasks
        assert (task.completed, task.total) == (3, 5)
    assert "━ 3/5 searches   base inertia ± " in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())


def test_intervals_are_designed_said_and_flown(tmp_path):
    shape = {"kind": "intervals", "interval_s": 2, "rule": "updated"}
    mission = write_small_mission(tmp_path, excitation={**MISSION["excitation"], "shape": shape, "duration_s": 60})
    result = run("design", mission, "-o", tmp_path / "intervals.json", *QUICK)
    assert result.stdout.startswith("small  designed for condition-number · ")
    assert "intervals after Naveen, Shah and Misra, updated rule" in result.stdout
    assert "1/1 searches   " in result.stderr
    assert "   within all limits" in result.stderr
    found = ff.load_excitation(tmp_path / "intervals.json")
    assert found.sheet.go
    run("simulate", mission, "--excitation", tmp_path / "intervals.json", "-o", tmp_path / "flight.parquet")
    flown = ff.load_recording(tmp_path / "flight.parquet")
    assert flown["q"].t[-1] == pytest.approx(found.trajectory.duration_s, abs=0.1)


def test_intervals_that_are_too_few_are_refused_in_one_sentence(tmp_path):
    shape = {"kind": "intervals", "interval_s": 5, "most": 1}
    mission = write_small_mission(tmp_path, excitation={"shape": shape, "duration_s": 30})
    code, _, said = ended(["design", mission, "-o", tmp_path / "none.json", "--quiet", *QUICK])
    assert code == ExitCode.BAD_INPUT
    assert said.startswith("freefloat: the number of intervals is 1, too few to have as many rows as the ")
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "none.json").exists()


def test_shakes_are_made_as_often_as_asked_for(folder):
    result = run("design", folder / "small.yaml", "-o", folder / "unshaken.json", "--shakes", "0", *QUICK)
    assert [line.split("   ")[0] for line in result.stderr.splitlines()] == ["1/1 searches"]
    shaken, unshaken = (ff.load_excitation(folder / name).how for name in ("first.json", "unshaken.json"))
    assert unshaken.iterations < shaken.iterations
    assert unshaken.values[0] >= shaken.values[0]


def test_the_designed_motion_is_flown_and_identified(folder):
    files = ("--excitation", folder / "first.json")
    run("simulate", folder / "small.yaml", *files, "-o", folder / "flight.parquet")
    run("identify", folder / "small.yaml", folder / "flight.parquet", "-o", folder / "e.json")  # which remembers it
    estimate, design = ff.load_estimate(folder / "e.json"), ff.load_excitation(folder / "first.json")
    assert any("projected on the command" in note for note in estimate.notes)
    predicted = {each.name: each.sd for each in design.predictions}
    ratio = [sd / predicted[name] for name, sd in zip(estimate.names, estimate.sd, strict=True)]
    np.testing.assert_allclose(ratio, 1.0, atol=0.1)


def test_python_users_give_the_design_itself(folder):
    mission, design = ff.load_mission(folder / "small.yaml"), ff.load_excitation(folder / "first.json")
    flown, same = ff.fly(mission, design), ff.fly(mission, design.trajectory)
    np.testing.assert_array_equal(flown.w, same.w)
    recording = ff.simulate(mission, design, seed=1)
    with_design = ff.identify(mission, recording, motion=design)
    np.testing.assert_array_equal(with_design.values, ff.identify(mission, recording, motion=design.trajectory).values)


def test_a_mission_names_an_excitation_file_as_its_motion(folder):
    path = write_small_mission(folder, "planned.yaml", trajectory="first.json")
    planned = ff.load_mission(path)
    assert planned.trajectory.document() == ff.load_excitation(folder / "first.json").trajectory.document()


def test_a_second_design_complements_the_first(folder):
    arguments = (*QUICK, "--earlier", folder / "first.json", "--json", "-o", folder / "second.json")
    document = json.loads(run("design", folder / "small.yaml", *arguments).stdout)
    assert document == json.loads((folder / "second.json").read_text())
    first = ff.load_excitation(folder / "first.json")
    before, after = ([each.sd for each in d.predictions] for d in (first, ff.load_excitation(folder / "second.json")))
    assert (np.array(after) < np.array(before)).all()


def test_another_goal_is_made_small(folder, monkeypatch):
    monkeypatch.chdir(folder)
    write_small_mission(folder, "tried.yaml")
    said = run("design", "tried.yaml", "--goal", "condition-number", "--all", *QUICK).stdout
    assert "designed for condition-number" in said
    limit = float(said.split("condition number at most ")[1].split()[0])
    assert "  go     position of j1: " in said
    found = ff.load_excitation(folder / "tried.excitation.json")  # after the file, not after the mission in it
    assert 0.5 * limit < found.condition_number < limit


def test_a_new_mission_lists_every_goal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("new", "trial")
    (line,) = [line for line in Path("trial.yaml").read_text().splitlines() if line.startswith("  goal: ")]
    assert line.split("# ")[1].split(" | ") == list(get_args(GoalName))


def test_an_interrupt_keeps_the_best_motion_so_far(folder, monkeypatch):
    update = DesignProgress.update

    def interrupted(self, standing):
        update(self, standing)
        if standing.y is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(DesignProgress, "update", interrupted)
    result = run("design", folder / "small.yaml", "-o", folder / "cut.json", *QUICK, code=ExitCode.INTERRUPTED)
    assert "interrupted: this is the best motion within all limits until then" in result.stderr
    assert "the best is from one that had not ended" in result.stdout
    found = ff.load_excitation(folder / "cut.json")
    assert found.how.interrupted
    assert found.feasible


def limited(**limits):
    return {"excitation": {**MISSION["excitation"], "limits": limits}}


BAD = {
    "no room": (limited(base_attitude_deg={"roll": [5, 10]}), (), "base roll is 0° at 0 s, which no coefficient"),
    "no sensors": ({"sensors": {}}, (), "the mission has no sensors; to design for accuracy needs at least one"),
    "ending": ({}, ("-o", "x.yaml"), "x.yaml: not a file that designed motions are written to; allowed: .json"),
    "folder": ({}, ("-o", "no/x.json"), "no/x.json: cannot be written: there is no such folder"),
    "earlier": ({}, ("--earlier", "nope.json"), "nope.json: cannot be read"),
    "commands": ({}, ("--earlier", "twice.csv"), "twice.csv: "),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_designed_gets_one_sentence_and_exit_code_two(tmp_path, monkeypatch, capsys, name):
    changes, arguments, words = BAD[name]
    mission = write_small_mission(tmp_path, **changes)
    monkeypatch.chdir(tmp_path)
    Path("twice.csv").write_text("t_s,q_j1_rad,q_j2_rad\n0,0,0\n0,0.1,0.1\n1,0.2,0.2\n", "utf-8")
    monkeypatch.setattr(sys, "argv", ["freefloat", "design", str(mission), *QUICK, *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert words in said.err
    assert said.err.count("\n") == 1
    assert not list(Path(tmp_path).glob("*.json"))


def bare(robot):
    """The robot file without shapes."""
    without = [
        {key: value for key, value in each.items() if key != "shape"} for each in (robot["base"], *robot["bodies"])
    ]
    return {**robot, "base": without[0], "bodies": without[1:]}


@pytest.mark.parametrize(
    "words",
    [["run", "small.yaml", "--excitation", "{design}", "-o", "x.run"], ["simulate", "small.yaml", "-o", "x.parquet"]],
    ids=["a design for another mission", "a flight on the desk"],
)
def test_a_clearance_that_cannot_be_checked_is_refused_wherever_something_flies(tmp_path, folder, words):
    write_small_mission(tmp_path)
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(bare(ROBOT)))
    before = sorted(tmp_path.rglob("*"))
    code, out, err = ended([word.format(design=folder / "first.json") for word in words], tmp_path)
    assert (code, out) == (2, "")
    assert "excitation.limits.clearance_m: a clearance of 0.01 m cannot be checked: base, link2" in err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("given", [None, "mission", "file"], ids=["designed", "the mission's", "a file's"])
@pytest.mark.parametrize("verb", ["design", "run", "sweep"])
def test_a_clearance_that_cannot_be_checked_is_refused_before_anything_is_written(tmp_path, folder, verb, given):
    motion = str(folder / "first.json")
    ff.excitation.load_motion(motion).save(tmp_path / "motion.json")
    write_small_mission(tmp_path, **({"trajectory": "motion.json"} if given == "mission" else {}))
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(bare(ROBOT)))
    before = sorted(tmp_path.rglob("*"))
    more = {"design": (), "run": ("-o", "all.run"), "sweep": ("--over", "link2.mass_kg=1:2:2", "-o", "s.csv")}[verb]
    if given == "file":
        more = (*more, *{"design": ("--earlier", "motion.json")}.get(verb, ("--trajectory", "motion.json")))
    code, out, err = ended([verb, "small.yaml", *more], tmp_path)
    assert (code, out) == (2, "")
    assert err == (
        "freefloat: small.yaml: excitation.limits.clearance_m: a clearance of 0.01 m cannot be checked: base, link2 "
        "have no shape; give each body a `shape` in the robot file (in a URDF a <collision> that is no mesh), name "
        "pairs of bodies that have one (clearance_pairs), or ask for no clearance (drop clearance_m)\n"
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_a_design_that_did_not_check_collisions_says_so_wherever_it_says_go(tmp_path):
    write_small_mission(tmp_path, **limited())
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(bare(ROBOT)))
    quick = (*QUICK, "--shakes", "0")
    code, said, _ = ended(["design", "small.yaml", "-o", "x.json", *quick], tmp_path)
    assert code == 0
    assert said.startswith("small  designed for accuracy · 20 s · within all limits, collisions not checked\n")
    assert "\ncollisions        not checked: no clearance between bodies is asked for" in said
    assert re.search(r"^GO, collisions not checked  \d+ limits kept$", said, re.MULTILINE)
    assert json.loads((tmp_path / "x.json").read_text())["collisions"]["extent"] == "none"
    assert "within all limits, collisions not checked" in repr(ff.load_excitation(tmp_path / "x.json"))
    code, said, _ = ended(["run", "small.yaml", "--excitation", "x.json", "-o", "all.run"], tmp_path)
    assert code == 0
    warning = "collisions of the motion are not checked: no clearance between bodies is asked for"
    assert f"\n ! {warning}" in said
    page = (tmp_path / "all.run" / "report.html").read_text()
    assert warning in page
    assert "GO, collisions not checked" in page
    assert 'within all limits, <span class="doubtful">collisions not checked</span>' in page


# ---------------------------------------------------------------------- sweep


def test_a_sweep_is_a_table_and_files(folder):
    files = ("-o", folder / "s.html", "-o", folder / "s.csv", "--excitation", folder / "first.json")
    said = run("sweep", folder / "small.yaml", "--over", "link2.mass_kg=0.5:4:3:log", *files).stdout
    heading, *rows = said.splitlines()[1:5]
    assert heading.split() == ["link2.mass_kg", "condition", "number", "median", "sd", "base", "inertia"]
    assert [float(row.split()[0]) for row in rows] == pytest.approx([0.5, 2.0**0.5, 4.0], rel=1e-4)
    assert "influence on the base's rate" in said
    assert said.endswith(f"wrote {folder / 's.html'}\nwrote {folder / 's.csv'}\n")
    assert len((folder / "s.csv").read_text().splitlines()) == 4


def test_a_sweep_as_json(folder):
    arguments = ("--over", "duration_s=10:40:2", "--excitation", folder / "first.json", "--json")
    document = json.loads(run("sweep", folder / "small.yaml", *arguments).stdout)
    assert [point["setting"]["duration_s"] for point in document["points"]] == [10.0, 40.0]
    assert document["points"][0]["broken"]


def test_an_interrupted_sweep_keeps_the_settings_that_are_finished(folder, monkeypatch):
    measured = sweeping.measure

    def interrupted(plan, motion, setting):
        if setting["link2.mass_kg"] > 2.0:
            raise KeyboardInterrupt
        return measured(plan, motion, setting)

    monkeypatch.setattr(sweeping, "measure", interrupted)
    files = ("--excitation", folder / "first.json", "-o", folder / "cut.csv", "--json")
    result = run("sweep", folder / "small.yaml", "--over", "link2.mass_kg=1:4:4", *files, code=ExitCode.INTERRUPTED)
    assert "interrupted: 2 of 4 settings were finished until then" in result.stderr
    document = json.loads(result.stdout)
    assert document["interrupted"]
    assert [point["setting"]["link2.mass_kg"] for point in document["points"]] == [1.0, 2.0]
    assert len((folder / "cut.csv").read_text().splitlines()) == 3


def test_a_key_is_varied_once(folder):
    twice = ("--over", "duration_s=10:40:2", "--over", "duration_s=1:4:3")
    with pytest.raises(InvalidSweep, match="duration_s is varied twice; allowed: every key once"):
        run("sweep", folder / "small.yaml", *twice)


def test_ranges_are_even_or_by_equal_factors():
    assert parse_range("load.mass_kg=5:60:3") == ("load.mass_kg", [5.0, 32.5, 60.0])
    key, values = parse_range("rate_Hz=1:100:3:log")
    assert (key, values) == ("rate_Hz", pytest.approx([1.0, 10.0, 100.0]))


@pytest.mark.parametrize("text", ["x", "x=1", "x=1:2", "=1:2:3", "x=1:2:0", "x=a:2:3", "x=-1:2:3:log", "x=1:2:3:lin"])
def test_a_range_that_says_nothing_is_refused(text):
    with pytest.raises(InvalidSweep, match="does not say what is varied"):
        parse_range(text)


# ---------------------------------------------------------------------- words


def test_accuracy_is_that_of_the_base_where_it_is_predicted():
    link, base = Prediction("m_link", 2.0, 0.1), Prediction("Iyy_bus", -4.0, 0.01)
    assert accuracy_words([link, base], "bus") == "base inertia ± 0.49 % (95 %)"
    assert accuracy_words([link], "bus") == "clusters ± 9.8 % (95 %)"
    assert accuracy_words([Prediction("m_link", 2.0, 9.0)], "bus") == "clusters more than ± 100 % (95 %)"
    assert accuracy_words([], "bus") == ""


def test_clusters_that_are_left_open_are_named(folder, capsys):
    design = ff.load_excitation(folder / "first.json")
    known, zero = Prediction("m_link", 2.0, 0.1), Prediction("mx_link", 0.0, 0.1)
    closed = [Prediction(f"open{k}", 1.0, np.inf) for k in range(8)]
    for predictions, words in (
        ([known, *closed[:2]], "worst m_link ± 9.8 % · 2 of 3 clusters are left open: open0, open1\n"),
        (
            closed,
            "predicted         8 of 8 clusters are left open: open0, open1, open2, open3, open4, open5 and 2 more\n",
        ),
        ([zero], "no cluster has a value to be relative to\n"),
    ):
        show_excitation(replace(design, predictions=tuple(predictions)), "small", "base", everything=True)
        assert words in capsys.readouterr().out


def test_worst_accuracy_is_in_units_of_the_cad_models_spread(folder):
    design = replace(ff.load_excitation(folder / "first.json"), goal="worst-accuracy", value=float(np.log(0.25)))
    assert goal_words(design) == "standard deviations 25 % of the CAD model's spread, the worst counting most"


def test_a_condition_number_that_is_rounding_is_not_shown_as_a_number():
    assert condition_words(416.2) == "cond 416.2"
    assert condition_words(3e15) == "cond infinite: rows lack rank"
    assert condition_words(float("nan")) == ""
