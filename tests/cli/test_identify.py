"""`freefloat identify` and `export`: the whole path from a new mission to an identified robot."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from cli.calling import ended
from typer.testing import CliRunner

from freefloat.cli import app
from freefloat.estimate.estimate import load_estimate
from freefloat.estimate.estimate_parts import Budget
from freefloat.mission import identifying
from freefloat.report.words import residual_line, shortened, with_interval
from freefloat.robot.load import load_robot
from freefloat.robot.urdf_write import write_urdf
from freefloat.studies.catalogue import study_robot


def run(*arguments, cwd):
    return SimpleNamespace(**dict(zip(("returncode", "stdout", "stderr"), ended(arguments, cwd), strict=True)))


def done(*arguments, cwd):
    result = run(*arguments, cwd=cwd)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """new, simulate, identify, export, with nothing changed by hand."""
    folder = tmp_path_factory.mktemp("servicing")
    done("new", "trial", cwd=folder)
    done("simulate", "trial.yaml", "--seed", 1, "-o", "flight.parquet", cwd=folder)
    (folder / "table.txt").write_text(done("identify", "trial.yaml", "flight.parquet", "-o", "e.json", cwd=folder))
    files = ("-o", "identified.urdf", "--robot", "identified.yaml", "--mjcf", "identified.xml")
    files = (*files, "--controller", "identified.c")
    (folder / "export.txt").write_text(done("export", "e.json", *files, cwd=folder))
    (folder / "copy.parquet").write_bytes((folder / "flight.parquet").read_bytes())
    mission = yaml.safe_load((folder / "trial.yaml").read_text())
    mission["identify"] = {**(mission.get("identify") or {}), "without": {"before.parquet": ["load"]}}
    (folder / "elsewhere.yaml").write_text(yaml.safe_dump(mission))
    replace(load_estimate(folder / "e.json"), outcome="failed", warnings=("no end",)).save(folder / "failed.json")
    return folder


def test_the_template_is_identified_as_what_it_is(path):
    estimate = load_estimate(path / "e.json")
    assert estimate.outcome != "failed"
    assert estimate.residual.white
    assert estimate.residual.ratio == pytest.approx(1.0, abs=0.05)
    off = (estimate.values - estimate.cad) / estimate.sd  # the CAD model is what was flown
    assert np.abs(off).max() < 4.5
    assert np.sqrt((off**2).mean()) < 1.5
    large = estimate.minimal.leaders.index("Ixx_base")
    assert estimate.sd[large] < 0.01 * estimate.values[large]


def test_the_table_says_value_interval_what_it_is_made_of_and_the_prior(path):
    table = (path / "table.txt").read_text()
    heading, first = table.splitlines()[1:3]
    assert heading.split() == ["cluster", "value", "95", "%", "relative", "made", "of", "prior"]
    assert first.startswith("m_base + m_link1 + …")
    assert " kg " in first
    assert "±" in first
    assert first.endswith("213.3")
    inertia = next(line for line in table.splitlines() if line.startswith("Ixx_base"))
    assert "load" in inertia
    assert "geometry" in inertia
    assert re.search(r"× sensor noise \(0\.\d+ % of the signal\) · white", table)
    assert table.endswith("wrote e.json\n")


def test_what_is_estimated_beside_the_clusters_has_its_unit(path):
    units = {each.name: each.unit for each in load_estimate(path / "e.json").nuisances}
    assert units["known m_load"] == "kg"
    assert units["known Izz_load"] == "kg m²"
    assert units["clock drift of gyro"] == "s/s"
    assert units["zero of j1"] == "rad"
    assert [name for name, unit in units.items() if not unit] == []
    table = done("identify", "trial.yaml", "flight.parquet", "--all", cwd=path)
    assert next(line for line in table.splitlines() if line.startswith("known m_load")).split()[3] == "kg"


def test_a_mission_may_speak_of_recordings_that_are_not_given(path):
    """One mission file for a flight with and one without the load; that it does so is noted."""
    said = "the mission's identify.without is also about before.parquet, not given here"
    table = done("identify", "elsewhere.yaml", "flight.parquet", "--all", cwd=path)
    assert said in " ".join(table.split())


def test_the_exported_robots_have_the_identified_clusters(path):
    estimate = load_estimate(path / "e.json")
    robot = load_robot(path / "identified.yaml").with_separate(estimate.robot.separate)
    phi = np.array(robot.parameters)
    phi[-10:] = 0.0  # the load was known
    np.testing.assert_allclose(estimate.minimal.values(phi), estimate.values, atol=1e-6)
    from_urdf = load_robot(path / "identified.urdf")
    assert from_urdf.mass == pytest.approx(robot.mass, rel=1e-9)
    assert "_mass_matrix" in (path / "identified.h").read_text()
    said = (path / "export.txt").read_text()
    for name in ("identified.urdf", "identified.yaml", "identified.c", "identified.h"):
        assert f"wrote {name}" in said
    assert "the CAD model's" in said


def test_json_is_the_estimate_itself(path):
    shown = done("identify", "trial.yaml", "flight.parquet", "--method", "output-error", "--json", cwd=path)
    document = json.loads(shown)
    assert (document["format"], document["method"]) == ("freefloat/estimate@1", "output-error")
    files = json.loads(done("export", "e.json", "--robot", "again.json", "--json", cwd=path))
    assert files["files"] == ["again.json"]


@pytest.fixture(scope="module")
def from_urdf(tmp_path_factory):
    """A mission for a URDF of one's own, short."""
    folder = tmp_path_factory.mktemp("urdf")
    write_urdf(study_robot("spirolazzi_n1"), folder / "mine.urdf")
    done("new", "trial", "--urdf", "mine.urdf", cwd=folder)
    mission = (folder / "trial.yaml").read_text()
    (folder / "trial.yaml").write_text(mission.replace("duration_s: 60", "duration_s: 20").replace("100}", "20}"))
    done("simulate", "trial.yaml", "--seed", 1, "-o", "one.parquet", cwd=folder)
    done("simulate", "trial.yaml", "--seed", 2, "-o", "two.parquet", cwd=folder)
    return folder


def test_inertias_go_back_into_ones_own_urdf(from_urdf):
    table = done("identify", "trial.yaml", "one.parquet", "two.parquet", "-o", "e.json", "--all", cwd=from_urdf)
    assert "time offset of two.parquet" in table
    assert "one.parquet: q: projected on the command" in table
    assert load_estimate(from_urdf / "e.json").residual.ratio < 1.1
    done("export", "e.json", "--urdf", "mine.urdf", "-o", "identified.urdf", cwd=from_urdf)
    before, after = ((from_urdf / name).read_text() for name in ("mine.urdf", "identified.urdf"))
    assert before != after
    changed = [line for line in after.splitlines() if line not in before.splitlines()]
    assert all(any(tag in line for tag in ("<inertia", "<mass", "<origin")) for line in changed)


def test_a_recording_without_a_body_is_another_flight(from_urdf):
    arguments = ("identify", "trial.yaml", "one.parquet", "two.parquet", "--without", "two.parquet=load", "--json")
    result = run(*arguments, cwd=from_urdf)
    document = json.loads(result.stdout)
    assert (result.returncode, document["outcome"]) == (1, "failed")
    assert [each["without"] for each in document["origin"]["recordings"]] == [[], ["load"]]
    assert document["residual"]["ratio"] > 1.5, "the load was there: saying otherwise does not fit"


BAD = {
    "method": (("identify", "trial.yaml", "flight.parquet", "--method", "magic"), "no method named 'magic'"),
    "mission": (("identify", "nope.yaml", "flight.parquet"), "nope.yaml: cannot be read"),
    "recording": (("identify", "trial.yaml", "nope.parquet"), "nope.parquet: cannot be read"),
    "folder": (("identify", "trial.yaml", "flight.parquet", "-o", "no/e.json"), "no/e.json: cannot be written"),
    "without": (("identify", "trial.yaml", "flight.parquet", "--without", "x=load"), "no recording is called 'x'"),
    "no body": (("identify", "trial.yaml", "flight.parquet", "--without", "load"), "allowed: FILE=BODY"),
    "onto mission": (("identify", "trial.yaml", "flight.parquet", "-o", "./trial.yaml"), "is read by this command"),
    "onto recording": (("identify", "trial.yaml", "flight.parquet", "-o", "flight.parquet"), "is read by this command"),
    "ending": (("identify", "trial.yaml", "flight.parquet", "-o", "x.urdf"), "x.urdf: not a file that estimates"),
    "twice": (("identify", "trial.yaml", "flight.parquet", "./flight.parquet"), "flight.parquet: is given twice"),
    "copy": (("identify", "trial.yaml", "flight.parquet", "copy.parquet"), "'copy.parquet' is the same recording as"),
    "failed": (("export", "failed.json", "-o", "x.urdf"), "failed.json: the estimate failed"),
    "nothing": (("export", "e.json"), "nothing says what to write"),
    "template": (("export", "e.json", "--urdf", "identified.urdf"), "-o OUT.urdf"),
    "not an estimate": (("export", "trial.yaml", "-o", "x.urdf"), "which is not an estimate file"),
    "controller": (("export", "e.json", "--controller", "x.py"), "allowed: .c, .casadi"),
    "mjcf": (("export", "e.json", "--mjcf", "x.urdf"), "x.urdf: not a file that such exports are written to"),
    "other robot": (("export", "e.json", "--urdf", "trial.yaml", "-o", "x.urdf"), "trial.yaml: not well-formed XML"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence_and_exit_code_two(path, name):
    arguments, mention = BAD[name]
    result = run(*arguments, cwd=path)
    assert (result.returncode, result.stdout) == (2, "")
    assert mention in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (path / "x.urdf").exists()


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_a_failed_estimate_is_written_and_shown_with_exit_code_one(path, tmp_path, monkeypatch, json_too):
    failed = load_estimate(path / "failed.json")
    monkeypatch.setattr(identifying, "identify", lambda *_: failed)
    files = [str(path / "trial.yaml"), str(path / "flight.parquet"), "-o", str(tmp_path / "e.json")]
    result = CliRunner().invoke(app, ["identify", *files, *json_too])
    assert result.exit_code == 1
    assert "no end" in result.output
    assert load_estimate(tmp_path / "e.json").outcome == "failed"


def test_a_failed_estimate_is_exported_only_by_force_and_says_so(path):
    document = json.loads(done("export", "failed.json", "--robot", "forced.json", "--force", "--json", cwd=path))
    assert document["warnings"][:2] == ["the outcome of the estimate is 'failed'", "no end"]
    assert (path / "forced.json").exists()


def test_schemas_of_both_kinds_of_files(path):
    mission = json.loads(done("schema", "mission", cwd=path))
    assert "rate_Hz" in mission["$defs"]["IdentifySection"]["properties"]
    assert {"gyro_scale", "joint_scale"} <= set(mission["$defs"]["NuisancesSection"]["properties"])
    assert json.loads(done("schema", cwd=path))["title"] == "freefloat robot"


# ---------------------------------------------------------------------- words and numbers


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (43.2612, 0.0987, ("43.261", "±0.099")),
        (43.2612, 1.04, ("43.3", "±1.0")),
        (-0.00012345, 0.00001, ("-0.000123", "±0.000010")),
        (1234.6, 120.4, ("1235", "±120")),
        (-0.0004, 0.02, ("0.000", "±0.020")),
        (1e9, 2.5e7, ("1e+09", "±2.5e+07")),
        (1e-12, 1e-13, ("1e-12", "±1e-13")),
        (2.0, np.inf, ("2", "open")),
        (2.0, 0.0, ("2", "exact")),
    ],
)
def test_a_value_has_the_digits_that_its_interval_allows(value, half, shown):
    assert with_interval(value, half) == shown


def test_long_formulas_are_cut_after_two_terms():
    assert shortened("Ixx_link1 - Iyy_link1 + 0.16 m_link2") == "Ixx_link1 - Iyy_link1 + …"
    assert shortened("Ixx_link1 - Iyy_link1") == "Ixx_link1 - Iyy_link1"
    assert shortened("-mx_a + 0.5 m_b + m_c") == "-mx_a + 0.5 m_b + …"


def test_one_line_says_what_is_left_and_what_the_data_did_not_show(path):
    estimate = load_estimate(path / "e.json")
    c = len(estimate.values)
    silent = replace(
        estimate,
        residual=replace(estimate.residual, ratio=np.nan, white=None),
        residuals=(),
        covariance=np.zeros((c, c)),
        values=np.ones(c),
        held=(),
        budget=Budget(("noise",), np.ones((c, 1))),
    )
    assert residual_line(silent) == "residual: the sensors' noise is not known"
    unsure = replace(
        estimate,
        residual=replace(estimate.residual, ratio=1.2345, white=False),
        covariance=np.diag([4.0, *np.zeros(c - 1)]),
        values=np.ones(c),
        held=("total mass",),
        budget=Budget(("noise", "prior"), np.array([[0.3, 0.7], *([[0.8, 0.2]] * (c - 1))])),
    )
    assert residual_line(unsure) == (
        f"residual 1.23 × sensor noise ({100.0 * estimate.of_signal:.2g} % of the signal) "
        "· not white · 1 cluster not significant · held at the prior: total mass · "
        "* resting on the prior: m_base"
    )
    many = replace(unsure, held=tuple("abcd"), budget=Budget(("prior",), np.ones((c, 1))))
    assert residual_line(many).endswith(f"4 directions held at the prior · {c} clusters * resting on the prior")
