"""What the page says and how it is built: one meaning of white, limits by kind, causes, headings, tables, policy."""

import base64
import copy
import hashlib
import itertools
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from excitation.small_mission import ROBOT, write_small_mission
from report.flights import identified, planar, sliding
from report.small_run import SENSORS, shared_run
from typer.testing import CliRunner

import freefloat as ff
from freefloat.cli import app
from freefloat.estimate.cause import Cause
from freefloat.estimate.estimated_clusters import cad_spread, spread_of
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.uncertain import HALF
from freefloat.excitation.collision_check import CollisionCheck
from freefloat.excitation.excitation import Prediction
from freefloat.excitation.margin import Margin
from freefloat.report.design_words import accuracy_words
from freefloat.report.figures import log_axis, power_words
from freefloat.report.robot_in_3d.body_uncertainty import centre_covariances
from freefloat.report.robot_in_3d.scene import scene_of
from freefloat.report.robot_in_3d.solids import Surface, box, capsule, cylinder, ellipsoid, hull, joined
from freefloat.report.run_page import run_page
from freefloat.report.sections.accuracy import accuracy, accuracy_figures
from freefloat.report.sections.clusters import clusters
from freefloat.report.sections.identifiable import identifiable, percent_of
from freefloat.report.sections.prediction import prediction
from freefloat.report.sections.residuals import residuals
from freefloat.report.sections.trajectory import trajectory
from freefloat.report.sections.verdict import headlines, verdict
from freefloat.robot.parameters import com_of


@pytest.fixture(scope="module")
def run():
    return shared_run()[0]


@pytest.fixture(scope="module")
def page(run):
    return run_page(run)


class Outline(HTMLParser):
    """Tags in order, with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def named(self, *names):
        return [(tag, attrs) for tag, attrs in self.tags if tag in names]


# ---------------------------------------------------------------------- what it says


def test_residuals_are_those_of_the_fit(run):
    """Known values at what the fit made of them: else residuals are larger, and coloured by the error of the load."""
    for channel, ratio in run.estimate.residual.by_channel.items():
        own = [each.residual / each.noise for each in run.estimate.residuals if each.channel == channel]
        assert np.sqrt(np.mean(np.concatenate(own) ** 2)) == pytest.approx(ratio, rel=2e-4)
    said = residuals(run)
    assert said["white"] == all(row["white"] for row in said["rows"])


def test_limits_are_told_by_kind(run):
    margins = (
        Margin("rate of j1", 1.3e-5, "rad/s", 9e-5, 4.0, "rate"),
        Margin("rate of j2", 0.035, "rad/s", 0.25, 5.0, "rate"),
        Margin("position of j1", -0.02, "rad", -0.01, 6.0, "position"),
        Margin("clearance of base and link2", 0.2, "m", 2.01, 7.0, "clearance"),
    )
    told = trajectory(replace(run, excitation=replace(run.excitation, margins=margins)))
    assert [(row["kind"], row["count"], row["at_bound"]) for row in told["kinds"]] == [
        ("position", 1, 1),
        ("rate", 2, 1),
        ("clearance", 1, 0),
    ]
    assert [row["left"] for row in told["limits"]] == ["broken by 1.1°", "at its bound", "2 °/s left", "0.2 m left"]
    assert [row["use"] for row in told["limits"]] == ["101 %", "100 %", "75 %", "0 %"]
    assert not told["go"]


def test_what_was_not_checked_of_collisions_is_said_with_the_motion_and_at_the_top(run):
    for check, doubt, words in (
        (CollisionCheck("all", (("base", "link2"),)), "", ""),
        (CollisionCheck("none"), "collisions not checked", "not checked: no clearance"),
        (CollisionCheck("named", (("base", "link2"),)), "collisions not all checked", "checked only between base and"),
        (CollisionCheck("shaped", (), ("hand",)), "collisions not all checked", "not checked for hand: no shape"),
        (CollisionCheck(), "collisions perhaps not checked", "not known to be checked"),
    ):
        checked = replace(run, excitation=replace(run.excitation, collisions=check))
        assert trajectory(checked)["doubt"] == doubt
        said = [each for each in verdict(checked)["warnings"] if "collisions" in each]
        assert [words in each for each in said] == [True] * bool(words)


def test_causes_are_named(run):
    assert prediction(replace(run, validation=None)) is None
    cause = Cause("body", "link2", "link2 is 12 % heavier than was said", 0.12, 0.01, 0.97)
    failed = replace(run.validation, verdict="fail", causes=(cause,))
    page = run_page(replace(run, validation=failed))
    assert "link2 is 12 % heavier than was said" in page
    assert "+0.12 ± 0.02" in page
    assert "97 %" in page
    assert 'class="verdict fail"' in page


def test_the_base_is_held_against_its_prediction(run):
    rows = accuracy(run)["base"]
    assert rows[0]["name"] == "m_base + …"
    assert len(rows) == sum(name.endswith("_base") for name in run.estimate.names)
    assert all(float(row["ratio"]) > 0.0 for row in rows)


# ---------------------------------------------------------------------- the mission's own prior

PRIORS = {"tight": {"mass": 0.02, "com": 0.03, "inertia": 0.04}, "wide": {"mass": 0.3, "com": 0.3, "inertia": 0.25}}


@pytest.fixture(scope="module", params=PRIORS)
def own(request, tmp_path_factory):
    """A run of a mission with a prior of its own, and that."""
    folder, prior = tmp_path_factory.mktemp("own"), PRIORS[request.param]
    mission = ff.load_mission(write_small_mission(folder, sensors=SENSORS, prior=prior))
    run = ff.run(mission, folder / "r", seed=3, fly="cad", motion=shared_run()[0].excitation)
    return run, CadSpread(**prior)


def test_the_spread_is_that_of_the_mission(own):
    run, prior = own
    again = ff.load_estimate(run.directory / "estimate.json")
    assert spread_of(again) == prior
    combine = again.minimal.combine
    assert np.allclose(cad_spread(again) ** 2, np.diagonal(combine @ prior.covariance(again.robot) @ combine.T))
    assert spread_of(replace(again, prior=None)) == CadSpread()


def test_every_part_of_the_page_measures_by_it(own):
    run, prior = own
    estimate = run.estimate
    spread = cad_spread(estimate, prior)
    shares = estimate.sd / spread
    shown = {cell.text for _, row in identifiable(run)["grid"].rows for cell in row if cell}
    assert shown == {percent_of(float(share)) for share in shares}
    drawn = np.sort(np.concatenate([unpacked(trace["y"]) for trace in accuracy_figures(run)[0].traces[1:]]))
    assert np.allclose(drawn, np.sort(100.0 * shares))
    rows = clusters(run)
    halves = [row["cad_half"] for row in (*rows["rows"], *rows["others"])]
    assert sorted(halves) == sorted(f"±{HALF * each:.2g}" for each in spread)


def unpacked(array):
    return np.frombuffer(base64.b64decode(array["bdata"]), "<f4")


def test_centres_of_mass_are_never_less_known_than_by_the_mission_s_prior(own):
    run, prior = own
    estimate = run.estimate
    found = centre_covariances(estimate, estimate.robot.parameters)
    whole = prior.covariance(estimate.robot)
    for body, phi in enumerate(estimate.robot.parameters.reshape(-1, 10)):
        block, slope = slice(10 * body, 10 * body + 4), np.column_stack([-com_of(phi), np.eye(3)]) / phi[0]
        before = slope @ whole[block, block] @ slope.T
        assert (np.linalg.eigvalsh(before - found[body]) > -1e-9 * np.trace(before)).all()
        if run.mission.robot.body_names[body] == "link1":
            assert np.trace(found[body]) > 0.05 * np.trace(before), "the data show sums only"


def test_the_shell_exports_what_a_run_does(own, tmp_path):
    run, _ = own
    robot, urdf = tmp_path / "again.yaml", tmp_path / "again.urdf"
    estimate = str(run.directory / "estimate.json")
    result = CliRunner().invoke(app, ["export", estimate, "--robot", str(robot), "-o", str(urdf)])
    assert result.exit_code == 0, result.output
    assert robot.read_bytes() == (run.directory / "identified.yaml").read_bytes()
    assert urdf.read_bytes() == (run.directory / "identified.urdf").read_bytes()


# ---------------------------------------------------------------------- the three numbers


@pytest.mark.parametrize("known", ["base", "link1"])
def test_where_joints_slide_the_total_mass_is_a_sum_of_clusters(tmp_path, known):
    """There the masses of links are clusters of their own, not part of the base's."""
    run = identified(tmp_path, sliding(), known={known: {"relative_sd": 0.002}})
    estimate = run.estimate
    masses = [place for place, name in enumerate(estimate.names) if name.startswith("m_")]
    assert {estimate.names[place] for place in masses} == {"m_base", "m_link1", "m_link2"} - {f"m_{known}"}
    assert {estimate.formulas[place] for place in masses} == {estimate.names[place] for place in masses}
    column = 10 * estimate.robot.body_names.index(known)
    value = estimate.values[masses].sum() + estimate.parameters[column]
    half = HALF * np.sqrt(estimate.covariance[np.ix_(masses, masses)].sum())
    number = headlines(run)[1]
    assert number.about == "total mass"
    assert number.value == f"±{100.0 * half / value:.2g} %"
    assert number.more.startswith(f"{value:.4g} kg, 95 % interval")
    heavier = run.robot.with_parameters(1.1 * run.robot.parameters)
    off = abs(value / heavier.mass - 1.0)
    assert f"off by {100.0 * off:.2g} %" in headlines(replace(run, truth=heavier))[1].more


def test_intervals_wider_than_their_value_are_said_in_words(run):
    estimate = replace(run.estimate, covariance=1e8 * run.estimate.covariance)
    said = verdict(replace(run, estimate=estimate))
    assert "is known to more than ±100 % (95 %)" in said["sentence"]
    assert [each.value for each in said["headlines"][:2]] == ["more than ±100 %"] * 2


def test_a_method_that_states_no_intervals_has_none_in_its_headlines(run):
    accuracy, mass, _ = headlines(replace(run, estimate=replace(run.estimate, no_interval="biased")))
    for each in (accuracy, mass):
        assert each.relative_half_width is None
        assert "±" not in each.value
        assert each.more == "the method states no intervals"


def test_a_verdict_without_an_orbit_is_one_in_free_space(run):
    """The sheet has the figure; a warning would contradict a verdict that knows what was flown."""
    sheet, warned = run.excitation.sheet, verdict(run)["warnings"]
    assert not [each for each in warned if "gravity" in each]
    for known, said in (
        ({}, True),
        ({"modelled": True}, False),
        ({"estimated": True}, False),
        ({"shift_sd": 0.3}, False),
    ):
        gradient = replace(sheet.gravity_gradient, **{"shift_sd": 40.0, "modelled": False, "estimated": False, **known})
        flown = replace(run, excitation=replace(run.excitation, sheet=replace(sheet, gravity_gradient=gradient)))
        found = verdict(flown)
        assert found["sentence"].endswith(", in free space.") == said
        assert found["warnings"] == warned


def test_base_inertia_is_measured_alike_before_and_after_the_flight(run):
    """Had the flight been as accurate as was predicted, the design's words and the page would show one number."""
    estimate = run.estimate
    alike = [Prediction(*each) for each in zip(estimate.names, estimate.values, estimate.sd, strict=True)]
    number = headlines(run)[0]
    assert accuracy_words(alike, "base") == f"base inertia {number.value.replace('±', '± ')} (95 %)"
    assert "root mean square of 3 moments" in number.more


def test_what_is_never_seen_is_named_and_what_is_known_is_not_among_it(tmp_path):
    run = identified(tmp_path, planar(), known={"link2": {"relative_sd": 0.002}})
    never = identifiable(run)["never"]
    assert {"mz_base", "Ixx_base", "Ixy_link1"} <= set(never)
    assert not any(name.endswith("link2") for name in never)
    assert f"Never seen, whatever the motion: {never[0]}, " in run_page(run)


def test_notes_are_not_folded_away(run):
    said = "the design was interrupted"
    page = run_page(replace(run, manifest=run.manifest.model_copy(update={"notes": (said,)})))
    assert re.search(rf"<h3>Notes</h3>\s*<ul[^>]*><li>{said}</li>", page)


# ---------------------------------------------------------------------- how it is built


def test_headings_are_in_order_and_landmarks_there(page):
    outline = Outline(page)
    levels = [int(tag[1]) for tag, _ in outline.named("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    for landmark in ("header", "nav", "main", "footer"):
        assert len(outline.named(landmark)) == 1
    ids = {attrs["id"] for _, attrs in outline.tags if "id" in attrs}
    for _, attrs in outline.named("section"):
        assert attrs["aria-labelledby"] in ids
    for _, attrs in outline.named("a"):
        assert attrs["href"].removeprefix("#") in ids


def test_cells_that_head_a_row_or_column_say_so(page):
    heads = Outline(page).named("th")
    assert len(heads) > 100
    assert all(attrs.get("scope") in ("row", "col") for _, attrs in heads)


def test_the_policy_allows_the_page_s_own_scripts_and_nothing_else(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in policy
    assert not re.search(r"https?:|\*", policy)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    hashes = {base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts}
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == hashes
    assert "'unsafe-inline'" not in re.search(r"script-src ([^;]+);", policy)[1]


def test_newlines_of_another_system_do_not_change_hashes(run, page, monkeypatch):
    """Browsers read every newline as one sign, and take hashes after that."""
    from jinja2 import PackageLoader

    own = PackageLoader.get_source

    def foreign(self, pages, name):
        text, *more = own(self, pages, name)
        return text.replace("\n", "\r\n"), *more

    monkeypatch.setattr(PackageLoader, "get_source", foreign)
    monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: "let a;\r\nlet b;\r")
    test_the_policy_allows_the_page_s_own_scripts_and_nothing_else(
        run_page(run).replace("\r\n", "\n").replace("\r", "\n")
    )


def test_dark_is_shown_without_scripts_too(page):
    style = re.search(r"<style>(.*?)</style>", page, re.S)[1]
    chosen = re.search(r':root\[data-theme="dark"\] \{(.*?)\}', style, re.S)[1]
    preferred = re.search(r"prefers-color-scheme: dark\) \{ :root:not\(\[data-theme\]\) \{(.*?)\}", style, re.S)[1]
    assert "--paper: #14171a" in chosen
    assert chosen == preferred


def test_nothing_outside_is_named(page):
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    own = page.replace(max(scripts, key=len), "")
    assert len(own) < len(page) / 2, "plotly is left out"
    assert not re.search(r"https?://", own)


# ---------------------------------------------------------------------- numbers and solids


def test_labels_of_a_logarithmic_axis_are_all_of_one_form():
    assert [power_words(value) for value in (0.001, 0.05, 1.0, 200.0)] == ["0.001", "0.05", "1", "200"]
    assert power_words(1e-7) == "10⁻⁷"
    assert power_words(2e6) == "2·10⁶"
    assert len(log_axis("", [1e-9, 1e9])["tickvals"]) < 9


def volume(surface: Surface) -> float:
    """By the divergence theorem: right only if every triangle is turned outward."""
    a, b, c = (surface.points[surface.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


SOLIDS = {
    "box": (box(np.ones(3), np.diag([1.0, 2.0, 3.0])), 48.0, 1e-12),
    "cylinder": (cylinder(np.ones(3), np.array([1.0, 2.0, 2.0]), 0.5, 1.5), np.pi * 0.25 * 3.0, 0.01),
    "ellipsoid": (ellipsoid(np.ones(3), np.diag([1.0, 2.0, 3.0])), 8.0 * np.pi, 0.02),
    "mirrored ellipsoid": (ellipsoid(np.ones(3), np.diag([1.0, -2.0, 3.0])), 8.0 * np.pi, 0.02),
    "capsule": (capsule(np.zeros(3), np.array([0.0, 3.0, 0.0]), 0.5), np.pi * (0.25 * 3.0 + 0.5 / 3.0), 0.02),
}
SOLIDS["hull"] = (
    hull([ellipsoid(np.zeros(3), np.eye(3)), ellipsoid(np.array([0.0, 0.0, 4.0]), np.eye(3))]),
    np.pi * (4.0 + 4.0 / 3.0),
    0.02,
)


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_face_outward(name):
    surface, expected, tolerance = SOLIDS[name]
    assert volume(surface) == pytest.approx(expected, rel=tolerance)
    assert np.allclose(np.linalg.norm(surface.normals, axis=1), 1.0)
    corners = surface.points[surface.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = np.einsum("ij,ij->i", across, surface.normals[surface.triangles].mean(axis=1))
    assert (facing > -1e-12).all()


def test_surfaces_with_more_points_than_two_bytes_number_are_cut_into_pieces():
    whole = joined([ellipsoid(np.array([3.0 * k, 0.0, 0.0]), np.eye(3)) for k in range(120)])
    assert len(whole.points) > 2**16
    pieces = whole.pieces(2**16)
    assert max(len(each.points) for each in pieces) <= 2**16
    assert sum(len(each.triangles) for each in pieces) == len(whole.triangles)
    assert sum(volume(each) for each in pieces) == pytest.approx(volume(whole))
    assert whole.pieces(10**6) == [whole]


def test_a_body_of_many_shapes_is_drawn_whole(tmp_path):
    robot = copy.deepcopy(ROBOT)
    robot["bodies"][1]["shape"] = [copy.deepcopy(robot["bodies"][1]["shape"][0]) for _ in range(100)]
    parts = [part for part in scene_of(identified(tmp_path, robot))["parts"] if part["name"] == "link2"]
    for part in parts:
        numbers = np.frombuffer(base64.b64decode(part["triangles"]["bdata"]), "<u2")
        assert numbers.max() == len(unpacked(part["points"])) // 3 - 1
    assert len([part for part in parts if part["group"] == "bodies"]) > 1
