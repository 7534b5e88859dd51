"""What the page says and how it is built: one meaning of white, limits by kind, causes, headings, tables, policy."""

import base64
import hashlib
import itertools
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from report.small_run import small_run

from freefloat.excitation.excitation import Margin
from freefloat.mission.reporting import story_of_run
from freefloat.report.figures import log_axis, power_words
from freefloat.report.run_page import run_page
from freefloat.report.section_accuracy import accuracy
from freefloat.report.section_prediction import prediction
from freefloat.report.section_residuals import residuals
from freefloat.report.section_trajectory import trajectory
from freefloat.report.solids import Surface, box, capsule, cylinder, ellipsoid, hull
from freefloat.validation.causes import Cause


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    return story_of_run(small_run(tmp_path_factory.mktemp("parts")))


@pytest.fixture(scope="module")
def page(story):
    return run_page(story)


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


def test_residuals_are_those_of_the_fit(story):
    """Known values at what the fit made of them: else residuals are larger, and coloured by the error of the load."""
    for channel, ratio in story.estimate.residual.by_channel.items():
        own = [each.residual / each.noise for each in story.residuals if each.channel == channel]
        assert np.sqrt(np.mean(np.concatenate(own) ** 2)) == pytest.approx(ratio, rel=2e-4)
    said = residuals(story)
    assert said["white"] == all(row["white"] for row in said["rows"])


def test_limits_are_told_by_kind(story):
    margins = (
        Margin("rate of j1", 1.3e-5, "rad/s", 9e-5, 4.0),
        Margin("rate of j2", 0.035, "rad/s", 0.25, 5.0),
        Margin("position of j1", -0.02, "rad", -0.01, 6.0),
        Margin("clearance of base and link2", 0.2, "m", 2.01, 7.0),
    )
    told = trajectory(replace(story, excitation=replace(story.excitation, margins=margins)))
    assert [(row["kind"], row["count"], row["at_bound"]) for row in told["kinds"]] == [
        ("position", 1, 1),
        ("rate", 2, 1),
        ("clearance", 1, 0),
    ]
    assert [row["left"] for row in told["limits"]] == ["broken by 1.1°", "at its bound", "2 °/s left", "0.2 m left"]
    assert [row["use"] for row in told["limits"]] == ["101 %", "100 %", "75 %", "0 %"]
    assert not told["go"]


def test_causes_are_named(story):
    assert prediction(replace(story, validation=None)) is None
    cause = Cause("body", "link2", "link2 is 12 % heavier than was said", 0.12, 0.01, 0.97)
    failed = replace(story.validation, verdict="fail", causes=(cause,))
    page = run_page(replace(story, validation=failed))
    assert "link2 is 12 % heavier than was said" in page
    assert "+0.12 ± 0.02" in page
    assert "97 %" in page
    assert 'class="verdict fail"' in page


def test_the_base_is_held_against_its_prediction(story):
    rows = accuracy(story)["base"]
    assert rows[0]["name"] == "m_base + …"
    assert len(rows) == sum(name.endswith("_base") for name in story.estimate.names)
    assert all(float(row["ratio"]) > 0.0 for row in rows)


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
