"""What a user may get wrong, verb by verb: one sentence that helps, exit code 2, nothing written."""

import json

import pytest
import yaml
from campaign.tiny_mission import write_tiny_mission
from cli.calling import ended
from excitation.small_mission import write_small_mission
from typer.testing import CliRunner

from freefloat.cli import app

MOTION = {
    "format": "freefloat/trajectory@1",
    "kind": "fourier",
    "channels": ["elbow"],
    "duration_s": 10.0,
    "coefficients": [[0.3], [-0.2]],
}

# (what is typed, what the sentence must say)
WRONG = [
    # no verb, no such option
    ("identfy tiny.yaml", "no such command 'identfy' (did you mean 'identify'?); see `freefloat --help`"),
    ("--verison", "no such option: --verison (did you mean --version?)"),
    ("identify --metod weighted", "no such option: --metod (did you mean --method?); see `freefloat identify --help`"),
    ("simulate", "missing argument 'mission'; see `freefloat simulate --help`"),
    ("identify tiny.yaml", "missing argument 'recordings'"),
    ("campaign tiny.yaml", "missing option '-o' / '--output'"),
    ("sweep tiny.yaml", "missing option '--over'"),
    ("front tiny.yaml", "excitation.shape.kind is fourier; allowed: points"),
    ("perturb tiny.yaml --levels 0.1,much", "much"),
    ("target tiny.yaml flight.parquet", "target"),
    ("change tiny.yaml flight.parquet --on link1", "missing option '--before'"),
    ("mass", "estimate"),
    ("simulate tiny.yaml --seed -1", "invalid value for '--seed': allowed: greater than or equal to 0"),
    ("simulate tiny.yaml --seed one", "invalid value for '--seed': allowed: a whole number; see `freefloat simulate"),
    ("--quiet run tiny.yaml", "no such option: --quiet before the verb; allowed: after it; see `freefloat --help`"),
    ("simulate tiny.yaml --traceback", "no such option: --traceback (did you mean --trajectory?); see `f"),
    ("design tiny.yaml --goal acuracy", "invalid value for '--goal': 'acuracy' is not one of 'accuracy'"),
    ("schema recording", "'recording' is not one of 'robot', 'mission'"),
    # new
    ("new tiny", "tiny.yaml: is there already; choose another name or remove it first"),
    ("new nowhere/trial", "nowhere/trial.yaml: cannot be written: there is no such folder"),
    ("new trial --urdf nothing.urdf", "nothing.urdf: cannot be read: no such file or directory"),
    (
        "new trial --urdf tiny.yaml",
        "which is not a robot file; allowed: freefloat/robot@1; this file is for freefloat des",
    ),
    ("new trial --base fixed", "--base is for a URDF, and none is given; allowed: --urdf with it"),
    ("new trial --urdf robot.yaml --base fixed", "robot.yaml: a robot file says itself how its base moves"),
    # inspect
    ("inspect nothing.yaml", "nothing.yaml: cannot be read: no such file or directory"),
    ("inspect tiny.yaml/inside.yaml", "tiny.yaml/inside.yaml: cannot be read: not a directory"),  # so for root too
    ("inspect folder.yaml", "folder.yaml: is a directory; allowed: a file"),
    ("inspect empty.yaml", "empty.yaml: is empty"),
    ("inspect binary.yaml", "binary.yaml: is not UTF-8 text (byte 0); allowed: UTF-8"),
    ("inspect flight.parquet", "flight.parquet: not a robot file freefloat reads; allowed: .yaml, .yml, .json, .urdf"),
    (
        "inspect table.yaml",
        "table.yaml: is a Parquet table, as recordings are; allowed: YAML or JSON; this file is for",
    ),
    ("inspect urdf.yaml", "urdf.yaml: is XML, as URDFs are; allowed: YAML or JSON"),
    ("inspect tiny.yaml", "this file is for freefloat design, simulate, identify or run"),
    ("inspect e.json", "this file is for freefloat validate or export"),
    (
        "inspect robot.yaml --model momentum --known lnik1",
        "no body or parameter named 'lnik1'; this robot has: base, link1, BODY.PARAMETER with m mx my mz Ixx",
    ),
    ("inspect robot.yaml --known link1", "--known, --assume-zero, --momentum, --wheels and --clusters go with --model"),
    # draw
    (
        "draw robot.yaml",
        "which is not a mission file; allowed: freefloat/mission@1; this file is for freefloat inspect",
    ),
    ("draw tiny.yaml -o nowhere/r.yaml", "nowhere/r.yaml: cannot be written: there is no such folder"),
    ("draw tiny.yaml -o robot.yaml", "robot.yaml: is read by this command, and would be overwritten"),
    (
        "draw tiny.yaml -o flown.txt",
        "flown.txt: not a file that drawn robots are written to; allowed: .yaml, .yml, .json",
    ),
    # design
    ("design nothing.yaml", "nothing.yaml: cannot be read: no such file or directory"),
    ("design e.json", "which is not a mission file; allowed: freefloat/mission@1; this file is for freefloat validate"),
    (
        "design flight.parquet",
        "flight.parquet: is a Parquet table, as recordings are; allowed: YAML or JSON; this file is",
    ),
    ("design lost.yaml", "elsewhere.yaml: cannot be read: no such file or directory"),
    ("design typo.yaml", "typo.yaml: line 4: excitation.goal is 'acuracy'; allowed: accuracy"),
    ("design tiny.yaml -o motion.yaml", "motion.yaml: not a file that designed motions are written to; allowed: .json"),
    (
        "design tiny.yaml --earlier other.json",
        "other.json: no moving joint or wheel named 'elbow'; this robot has: j1, wx",
    ),
    # sweep
    (
        "sweep tiny.yaml --over mass",
        "'mass' does not say what is varied from where to where; allowed: key=FROM:TO:COUNT",
    ),
    ("sweep tiny.yaml --over colour=1:2:3", "'colour' is not varied; allowed: BODY.mass_kg"),
    ("sweep tiny.yaml --over lnik1.mass_kg=1:2:3", "lnik1"),
    ("sweep tiny.yaml --over duration_s=1:2:100000", "the sweep has 100,000 points; allowed: at most 10,000"),
    (
        "sweep tiny.yaml --over duration_s=1:2:3 -o s.png",
        "s.png: not a file that sweeps are written to; allowed: .html",
    ),
    # simulate
    ("simulate robot.yaml", "this file is for freefloat inspect"),
    (
        "simulate tiny.yaml --trajectory tiny.yaml",
        "allowed: freefloat/trajectory@1, freefloat/excitation@1 (.json), or",
    ),
    ("simulate tiny.yaml --excitation e.json", "e.json: line 2: format is 'freefloat/estimate@1'"),
    (
        "simulate tiny.yaml --excitation other.json",
        "other.json: no moving joint or wheel named 'elbow'; this robot has: j1, wx",
    ),
    (
        "simulate tiny.yaml --robot other/robot.yaml",
        "robot 'small' has the bodies base, link1, link2; allowed: those of",
    ),
    (
        "simulate tiny.yaml -o flight.json",
        "flight.json: not a file that recordings are written to; allowed: .parquet, .csv",
    ),
    ("simulate tiny.yaml -o nowhere/f.parquet", "nowhere/f.parquet: cannot be written: there is no such folder"),
    ("simulate tiny.yaml --robot robot.csv -o robot.csv", "robot.csv: not a robot file freefloat reads"),
    (
        "simulate tiny.yaml --runs 2 -o f.parquet",
        "f.parquet: is one file, and there are 2 runs; allowed: the name of a f",
    ),
    ("simulate tiny.yaml --runs 2 -o folder", "folder: is there already; choose another folder or remove it first"),
    # data
    ("data nothing.parquet", "nothing.parquet: cannot be read: no such file or directory"),
    ("data empty.csv", "empty.csv: is empty; allowed: a table with a column t_s"),
    ("data binary.parquet", "binary.parquet: is not a whole Parquet file: it is cut short, damaged or of another kind"),
    (
        "data tiny.yaml",
        "tiny.yaml: is of the kind mission, not a recording; allowed: .parquet, .csv or a ROS 2 bag; this file is for",
    ),
    ("data tiny.txt", "tiny.txt: ends in '.txt'; allowed: .parquet or .csv"),
    ("data made.run", "made.run: is the directory of a run; allowed: a recording in it, such as made.run/flight.parqu"),
    ("data folder", "folder: a bag needs a mapping file that says which topic is what; give it as --mapping"),
    ("data flight.parquet --repair magic", "magic"),
    ("data flight.parquet --plot flight.parquet", "flight.parquet: is read by this command, and would be overwritten"),
    ("data flight.parquet --plot page.pdf", "page.pdf: not a file that pages are written to; allowed: .html"),
    # identify
    ("identify flight.parquet tiny.yaml", "flight.parquet: is a Parquet table"),
    ("identify tiny.yaml e.json", "e.json: is of the kind estimate, not a recording; allowed: .parquet, .csv or a ROS"),
    ("identify tiny.yaml misspelt.csv", "misspelt.csv: holds the joints j11 (is j11 meant for j1?); allowed: those of"),
    ("identify tiny.yaml other.parquet", "other.parquet: holds the joints j1, j2; allowed: those of tiny, j1"),
    (
        "identify other/small.yaml flight.parquet",
        "flight.parquet: holds the joints j1; allowed: those of small, j1, j2",
    ),
    (
        "identify tiny.yaml flight.parquet flight.parquet",
        "flight.parquet: is given twice; allowed: each recording once",
    ),
    ("identify tiny.yaml flight.parquet --method wieghted", "no method named 'wieghted' (did you mean weighted?)"),
    ("identify tiny.yaml flight.parquet -o e.yaml", "e.yaml: not a file that estimates are written to; allowed: .json"),
    ("identify tiny.yaml flight.parquet -o tiny.yaml", "tiny.yaml: is read by this command, and would be overwritten"),
    ("identify tiny.yaml flight.parquet --without link1", "link1: does not say which body which recording was without"),
    ("identify unknown.yaml flight.parquet", "unknown.yaml: "),
    # validate
    (
        "validate tiny.yaml flight.parquet flight.parquet",
        "flight.parquet: is a recording, not an estimate; the order is MISSION ESTIMATE RECORDINGS",
    ),
    ("validate tiny.yaml robot.yaml flight.parquet", "which is not an estimate file; allowed: freefloat/estimate@1"),
    ("validate tiny.yaml e.json other.parquet", "other.parquet: holds the joints j1, j2; allowed: those of tiny"),
    ("validate other/small.yaml e.json other.parquet", "e.json: the estimate is of tiny"),
    # export
    ("export tiny.yaml", "which is not an estimate file; allowed: freefloat/estimate@1; this file is for"),
    ("export e.json", "e.json: nothing says what to write; allowed: -o OUT.urdf, --robot OUT.yaml, --mjcf OUT.xml, "),
    ("export e.json --mjcf x.urdf", "x.urdf: not a file that such exports are written to; allowed: .xml, .mjcf"),
    ("export e.json --urdf arm.urdf", "arm.urdf: is a template, and nothing says where the new URDF goes"),
    ("export tiny.yaml -o x.urdf", "which is not an estimate file; allowed: freefloat/estimate@1; this file is for"),
    ("export e.json -o x.txt", "x.txt: not a file that such exports are written to; allowed: .urdf, .xml"),
    ("export e.json --robot e.json", "e.json: is read by this command, and would be overwritten"),
    ("export e.json --controller nowhere/x.c", "nowhere/x.c: cannot be written: there is no such folder"),
    ("export e.json --controller x.py", "x.py: not a file that such exports are written to; allowed: .c, .casadi"),
    # run and report
    ("run robot.yaml", "which is not a mission file; allowed: freefloat/mission@1"),
    ("run tiny.yaml -o folder", "folder: "),
    ("report folder", "folder: holds no "),
    ("report tiny.yaml", "tiny.yaml: is not a directory; allowed: one that `freefloat run` made"),
    # campaign
    ("campaign tiny.yaml -o tiny.yaml", "tiny.yaml: "),
    ("campaign tiny.yaml -o c --methods guesswork", "no method named 'guesswork'"),
    ("campaign tiny.yaml -o c --sweep link1.mass_kg", "does not say what is varied"),
    ("campaign tiny.yaml -o c --runs 0", "invalid value for '--runs'"),
    # files that a mission names are read by every verb that takes it
    ("draw named.yaml -o robot.json", "robot.json: is read by this command, and would be overwritten"),
    ("design named.yaml -o robot.json", "robot.json: is read by this command, and would be overwritten"),
    ("design named.yaml -o ./folder/../robot.json", "robot.json: is read by this command, and would be overwritten"),
    (
        "sweep named.yaml --over duration_s=1:2:3 -o command.csv",
        "command.csv: is read by this command, and would be overwritten",
    ),
    ("simulate named.yaml -o command.csv", "command.csv: is read by this command, and would be overwritten"),
    ("identify named.yaml flight.parquet -o robot.json", "robot.json: is read by this command, and would be overw"),
    ("validate named.yaml e.json flight.parquet -o robot.json", "robot.json: is read by this command, and would be"),
    # reproduce
    ("reproduce navene", "no study named 'navene' (did you mean naveen?)"),
    ("reproduce naveen -o figures.txt", "figures.txt: not a file that figures are written to; allowed: .json"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mission with a flight and an estimate, those of another robot, and files that are none of them."""
    place = tmp_path_factory.mktemp("wrong")
    (place / "other").mkdir()
    tiny, small = write_tiny_mission(place), write_small_mission(place / "other")
    (place / "folder").mkdir()
    (place / "folder" / "notes.txt").write_text("mine")
    (place / "folder.yaml").mkdir()
    (place / "made.run").mkdir()
    (place / "made.run" / "run.json").write_text("{}")
    for arguments in (
        ("simulate", tiny, "--seed", 1, "-o", place / "flight.parquet"),
        ("simulate", small, "--seed", 1, "-o", place / "other.parquet"),
        ("identify", tiny, place / "flight.parquet", "-o", place / "e.json"),
    ):
        result = CliRunner().invoke(app, [str(each) for each in (*arguments, "--quiet")], catch_exceptions=False)
        assert (result.exit_code, result.output) == (0, "")
    (place / "table.yaml").write_bytes((place / "flight.parquet").read_bytes())
    for name in ("urdf.yaml", "arm.urdf"):
        (place / name).write_text('<?xml version="1.0"?><robot name="r"><link name="a"/></robot>')
    for name in ("empty.yaml", "empty.csv"):
        (place / name).write_text("")
    for name in ("binary.yaml", "binary.parquet"):
        (place / name).write_bytes(b"\xff\xfe\x00" * 50)
    (place / "other.json").write_text(json.dumps(MOTION))
    mission = yaml.safe_load(tiny.read_text())
    (place / "lost.yaml").write_text(yaml.safe_dump({**mission, "robot": "elsewhere.yaml"}))
    (place / "unknown.yaml").write_text(yaml.safe_dump({**mission, "known": {"lnik1": {}}}))
    (place / "robot.json").write_text(json.dumps(yaml.safe_load((place / "robot.yaml").read_text())))
    (place / "command.csv").write_text("t_s,q_j1_rad,dq_j1_rad_s\n0,0,0.1\n5,0.5,0.1\n10,1,0.1\n")
    (place / "misspelt.csv").write_text("t_s,q_j11_rad\n0,0\n1,0.1\n2,0.3\n")
    named = {**mission, "robot": "robot.json", "trajectory": "command.csv"}
    (place / "named.yaml").write_text(yaml.safe_dump(named))
    head = "format: freefloat/mission@1\nmission: m\nrobot: robot.yaml\nexcitation: {goal: acuracy}\n"
    (place / "typo.yaml").write_text(head)
    return place


def everything_in(place):
    return {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("typed", "words"), WRONG, ids=[typed for typed, _ in WRONG])
def test_one_sentence_helps_and_nothing_is_written(folder, typed, words):
    before = everything_in(folder)
    code, out, err = ended(typed.split(), folder)
    assert words in err
    assert (code, out) == (2, "")
    assert err.startswith("freefloat: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1, err
    for sign in ("Traceback", "╭", "│", "\x1b", "  ", "Error:"):
        assert sign not in err
    assert everything_in(folder) == before


def test_every_verb_has_wrong_ways():
    verbs = {each.callback.__name__ for each in app.registered_commands}
    assert verbs <= {typed.split()[0] for typed, _ in WRONG}
