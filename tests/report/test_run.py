"""A run in one directory, read back, reported: whole, repeatable, and refused where it is not one."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from excitation.small_mission import write_small_mission
from report.small_run import shared_run
from typer.testing import CliRunner

import freefloat as ff
from freefloat.cli import app
from freefloat.errors import FileError
from freefloat.estimate.estimate_parts import NothingKept
from freefloat.mission.run_manifest import RunManifest
from freefloat.report.figures import thinned
from freefloat.report.robot_in_3d.body_uncertainty import centre_covariances
from freefloat.report.robot_in_3d.scene import poses_of
from freefloat.report.robot_in_3d.solids import capsule
from freefloat.report.run_page import run_page
from freefloat.report.shown_motion import shown_motion
from freefloat.robot.parameters import com_of
from freefloat.runs.run_steps import STEPS

FILES = (
    "mission.yaml",
    "robot.yaml",
    "flown.yaml",
    "excitation.json",
    "flight.parquet",
    "estimate.json",
    "unseen.parquet",
    "validation.json",
    "identified.urdf",
    "identified.yaml",
    "run.json",
    "report.html",
)


@pytest.fixture(scope="module")
def made():
    return shared_run()


def test_the_directory_holds_everything_and_reads_back(made):
    run, told = made
    assert sorted(path.name for path in run.directory.iterdir()) == sorted(FILES)
    again = ff.load_run(run.directory)
    assert np.array_equal(again.estimate.values, run.estimate.values)
    assert np.array_equal(again.excitation.trajectory.coefficients, run.excitation.trajectory.coefficients)
    assert again.validation.verdict == run.validation.verdict == "pass"
    assert [step.name for step in again.steps] == list(STEPS)
    assert [each.step for each in told if each.seconds is not None] == list(STEPS)
    assert any(each.design is not None for each in told)
    ff.load_robot(run.directory / "identified.urdf")
    ff.load_robot(run.directory / "identified.yaml")


def test_a_run_is_what_its_steps_make(made):
    run, _ = made
    flown = ff.draw_robot(run.mission, seed=6)
    assert np.array_equal(flown.parameters, run.truth.parameters)
    assert not np.allclose(flown.parameters, run.mission.robot.parameters, rtol=1e-3)
    flight = ff.simulate(run.mission, run.excitation, seed=4, robot=flown)
    assert np.array_equal(flight["gyro"].values, run.flight["gyro"].values)
    unseen = ff.simulate(run.mission, seed=5, robot=flown)
    assert np.array_equal(unseen["gyro"].values, run.unseen["gyro"].values)


def test_what_is_no_run_is_left_alone(made, tmp_path):
    run, _ = made
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileError, match="holds files, and not those of a run"):
        ff.run(run.mission, tmp_path, starts=1)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(FileError, match="is a file"):
        ff.run(run.mission, tmp_path / "mine.txt", starts=1)
    with pytest.raises(FileError, match=r"holds no run\.json"):
        ff.load_run(tmp_path)


def test_changed_or_unfinished_runs_are_refused(made, tmp_path):
    run, _ = made
    for path in run.directory.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "robot.yaml").write_text((tmp_path / "robot.yaml").read_text() + "\n")
    with pytest.raises(FileError, match=r"robot\.yaml: is not what the run wrote or read"):
        ff.load_run(tmp_path)
    manifest = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**manifest, "finished": False}))
    with pytest.raises(FileError, match="not finished"):
        ff.load_run(tmp_path)


def test_a_mission_that_names_files_elsewhere_is_copied_with_them(made, tmp_path):
    run, _ = made
    (tmp_path / "a").mkdir()
    run.excitation.trajectory.save(tmp_path / "motion.json")
    path = write_small_mission(tmp_path, robot="robot.yaml", trajectory="motion.json")
    path = path.rename(tmp_path / "a" / "small.yaml")
    path.write_text(path.read_text().replace("robot.yaml", "../robot.yaml").replace("motion.json", "../motion.json"))
    from freefloat.mission.run_preparation import prepare_directory

    manifest = RunManifest(mission="small", robot="", versions={})
    prepare_directory(tmp_path / "b", ff.load_mission(path), manifest)
    copy = ff.load_mission(tmp_path / "b" / "mission.yaml")
    (tmp_path / "robot.yaml").rename(tmp_path / "other.yaml")
    path.write_text(path.read_text().replace("robot.yaml", "other.yaml"))
    prepare_directory(tmp_path / "b", ff.load_mission(path), manifest)
    assert sorted(each.name for each in (tmp_path / "b").iterdir()) == ["mission.yaml", "other.yaml", "run.json"]
    assert np.array_equal(copy.trajectory.coefficients, run.excitation.trajectory.coefficients)
    assert np.array_equal(copy.robot.parameters, run.mission.robot.parameters)


def test_the_page_is_whole_and_asks_for_nothing(made):
    run, _ = made
    page = run.report.read_text()
    assert len(page) < 8e6
    own = page[: page.index("plotly.js v")] + page[page.rindex("<script>") :]
    assert not re.search(r"(src|href)=\"(?!#|data:)", own)
    assert not re.search(r"https?://", own)
    for place in (
        "robot",
        "identifiable",
        "trajectory",
        "accuracy",
        "clusters",
        "residuals",
        "prediction",
        "provenance",
    ):
        assert f'id="{place}"' in own
    figures = json.loads(re.search(r'id="figures">(.*?)</script>', page, re.S)[1])
    for name in figures:
        assert f'class="plot" id="{name}"' in own, "every figure has a place"
    assert set(re.findall(r'class="plot" id="([^"]+)"', own)) == set(figures)
    used = set(re.findall(r'"(--[a-z0-9-]+)"', own))
    assert all(f"{name}:" in own for name in used), "every colour is in the style sheet"
    for text in (
        *run.manifest.hashes.values(),
        "freefloat run mission.yaml --starts 1 --seed 3 --shakes 0 -o again.run",
    ):
        assert text in own


def test_names_cannot_become_markup(made):
    run, _ = made
    evil = "</script><script>alert(1)</script>"
    mission = replace(run.mission, name=evil, robot=replace(run.robot, name=evil))
    page = run_page(replace(run, mission=mission))
    assert "alert(1)</script>" not in page


def test_write_report_needs_no_run(made, tmp_path):
    run, _ = made
    ff.write_report(tmp_path / "r.html", run.mission, run.flight, run.estimate, excitation=run.excitation)
    page = (tmp_path / "r.html").read_text()
    assert "it has not been tested on motion that it has not seen" in page


@pytest.mark.parametrize("method", ["maximum-likelihood", "kalman", "weighted", "output-error"])
def test_building_a_page_neither_processes_nor_fits(made, tmp_path, monkeypatch, method):
    """All that it shows is in the run: what could be computed again is not."""
    run, _ = made
    estimate = run.estimate if method == "maximum-likelihood" else ff.identify(run.mission, run.flight, method)
    estimate.save(tmp_path / "e.json")
    read = replace(run, estimate=ff.load_estimate(tmp_path / "e.json"))

    def never(*arguments, **named):
        raise AssertionError("a page is built from what there is")

    for place in (
        "mission.identifying.process",
        "mission.identifying.flights_of",
        "mission.validating.judged",
        "estimate.likelihood.levenberg_marquardt.levenberg_marquardt",
        "estimate.likelihood.staged_fit.levenberg_marquardt",
        "validation.fits.levenberg_marquardt",
        "estimate.likelihood.likelihood.Likelihood.__init__",
        "estimate.problem.Problem.__post_init__",
        "estimate.physical.physically_consistent.physical_robot",
        "simulation.simulate.simulate_motion",
        "models.advice.advise",
    ):
        monkeypatch.setattr(f"freefloat.{place}", never)
    page = run_page(read)
    figures = json.loads(re.search(r'id="figures">(.*?)</script>', page, re.S)[1])
    assert {"residual-0-time", "residual-0-spectrum", "unseen-0", "base-rate"} <= set(figures)


def test_an_estimate_of_the_first_release_has_no_page_and_that_is_said(made):
    run, _ = made
    old = replace(run, estimate=replace(run.estimate, flights=(), residuals=()))
    with pytest.raises(NothingKept, match="identified again from its recordings"):
        run_page(old)


def test_a_run_asks_for_advice_once(made, tmp_path, monkeypatch):
    run, _ = made
    asked = []
    monkeypatch.setattr("freefloat.mission.advising.advise", lambda *given: asked.append(given))
    assert CliRunner().invoke(app, ["report", str(run.directory), "-o", str(tmp_path / "r.html")]).exit_code == 0
    assert len(asked) == 1


def test_commands_end_in_the_three_numbers_and_the_path(made, tmp_path):
    run, _ = made
    page = tmp_path / "again.html"
    result = CliRunner().invoke(app, ["report", str(run.directory), "-o", str(page), "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["report"] == str(page)
    assert document["state"] == "pass"
    assert [each["about"] for each in document["numbers"]] == ["base inertia", "total mass", "prediction"]
    assert page.read_text() == run.report.read_text(), "the same run makes the same page"
    table = CliRunner().invoke(app, ["report", str(run.directory), "-o", str(page)]).stdout
    assert table.startswith(" PASS  The inertia of the base with the arm's mass at the shoulder is known to ±")


def test_a_failed_prediction_is_exit_code_1(made, tmp_path, monkeypatch):
    run, _ = made
    bad = replace(run, validation=replace(run.validation, verdict="fail"))
    monkeypatch.setattr("freefloat.mission.run_directory.load_run", lambda directory: bad)
    result = CliRunner().invoke(app, ["report", str(run.directory), "-o", str(tmp_path / "r.html")])
    assert result.exit_code == 1
    assert "Do not use this estimate" in result.stdout


# ---------------------------------------------------------------------- parts


def test_the_whole_stays_where_it_is_while_its_bodies_move(made):
    run, _ = made
    poses = poses_of(run.robot, shown_motion(run))
    bodies = run.truth.parameters.reshape(-1, 10)
    places = [poses.R[:, k] @ com_of(phi) + poses.p[:, k] for k, phi in enumerate(bodies)]
    centre = sum(phi[0] * place for phi, place in zip(bodies, places, strict=True)) / bodies[:, 0].sum()
    assert np.ptp(poses.p[:, 0], axis=0).max() > 1e-3
    # links are shown as the mission has them; those that flew sit some tenths of a millimetre elsewhere
    assert np.ptp(centre, axis=0).max() < 5e-4


def test_thinned_lines_keep_their_extremes():
    rng = np.random.default_rng(0)
    t, y = np.arange(100_000.0), rng.normal(size=100_000)
    x, z = thinned(t, y, 1000)
    assert len(x) <= 1002
    assert (np.diff(x) > 0.0).all()
    assert (z.min(), z.max()) == (y.min(), y.max())


def test_a_capsule_is_as_far_from_its_segment_as_its_radius():
    start, end = np.array([0.1, 0.0, 0.2]), np.array([0.4, -0.3, 0.9])
    surface = capsule(start, end, 0.05)
    along = (end - start) / np.linalg.norm(end - start)
    share = np.clip((surface.points - start) @ along, 0.0, np.linalg.norm(end - start))
    assert np.allclose(np.linalg.norm(surface.points - start - share[:, None] * along, axis=1), 0.05)


def test_centres_of_mass_are_never_less_known_than_by_cad_and_drawn_robots_agree(made):
    run, _ = made
    from freefloat.estimate.prior import CadSpread

    estimate = run.estimate
    found = centre_covariances(estimate, estimate.robot.parameters)
    slopes = [np.column_stack([-com_of(p), np.eye(3)]) / p[0] for p in estimate.robot.parameters.reshape(-1, 10)]
    whole = CadSpread().covariance(estimate.robot)
    for body, slope in enumerate(slopes):
        block = slice(10 * body, 10 * body + 4)
        before = slope @ whole[block, block] @ slope.T
        assert (np.linalg.eigvalsh(found[body]) > -1e-12).all()
        assert (np.linalg.eigvalsh(before - found[body]) > -1e-9 * np.trace(before)).all()


def test_arrays_in_the_page_are_what_they_were():
    from freefloat.report.figures import packed

    values = np.linspace(-1.0, 1.0, 7)
    text = packed(values)
    assert np.allclose(np.frombuffer(base64.b64decode(text["bdata"]), "<f4"), values)
