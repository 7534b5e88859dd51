"""The page's colours, from its style sheet: legible in light and in dark, and told apart by people who see fewer."""

import itertools
import re
from importlib.resources import files

import numpy as np
import pytest

SHEET, DARK = ((files("freefloat.report") / "templates" / name).read_text() for name in ("run.css", "dark.css"))
LIGHT = SHEET[SHEET.index(":root {") : SHEET.index("}")]
TEXT = ("--ink", "--muted", "--link", "--pass", "--doubtful", "--fail")
SERIES = tuple(f"--c{number}" for number in range(1, 9))
AA_TEXT, AA_GRAPHICS = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
# What people without one kind of cone see, in linear RGB: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes,
# "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15, 2009, severity 1.
MISSING = {
    "none": np.eye(3),
    "long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "medium": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


@pytest.fixture(params=["light", "dark"])
def colours(request):
    """Linear RGB of every property of a theme that is a plain colour."""
    found = re.findall(r"(--[a-z0-9-]+): (#[0-9a-f]{6});", {"light": LIGHT, "dark": DARK}[request.param])
    return {name: linear([int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)]) for name, text in found}


def test_both_themes_name_the_same_colours():
    light, dark = (set(re.findall(r"(--[a-z0-9-]+):", block)) for block in (LIGHT, DARK))
    assert light == dark
    used = set(re.findall(r"var\((--[a-z0-9-]+)", SHEET)) - {"--own", "--tint"}
    assert used <= light


def test_text_is_legible(colours):
    for name, ground in itertools.product(TEXT, ("--paper", "--card")):
        assert contrast(colours[name], colours[ground]) >= AA_TEXT, (name, ground)
    for state in ("--pass", "--doubtful", "--fail"):
        assert contrast(colours["--on-state"], colours[state]) >= AA_TEXT, state
    for label, ground in itertools.product(("--muted", "--axis-x", "--axis-y", "--axis-z"), ("--sky", "--floor")):
        limit = AA_TEXT if label == "--muted" else AA_GRAPHICS
        assert contrast(colours[label], colours[ground]) >= limit, (label, ground)


def test_text_on_tinted_cells_is_legible(colours):
    for series, most in (("--c1", 0.45), ("--c2", 0.40)):
        paint, paper = encoded(colours[series]), encoded(colours["--paper"])
        assert contrast(colours["--ink"], linear(most * paint + (1.0 - most) * paper)) >= AA_TEXT, series


def test_lines_stand_out(colours):
    for name, ground in itertools.product((*SERIES, "--limit", "--accent"), ("--paper", "--card")):
        assert contrast(colours[name], colours[ground]) >= AA_GRAPHICS, (name, ground)


@pytest.mark.parametrize("cone", MISSING)
def test_lines_are_told_apart_with_any_cone_missing(colours, cone):
    seen = {name: lab(np.clip(np.array(MISSING[cone]) @ colours[name], 0.0, 1.0)) for name in SERIES}
    for one, other in itertools.combinations(SERIES, 2):
        apart = float(np.linalg.norm(seen[one] - seen[other]))
        first = max(SERIES.index(one), SERIES.index(other)) < 3  # axes and kinds: most figures have these three only
        assert apart >= (20.0 if first else 8.0), (one, other)


def linear(encoded_rgb):
    """Linear RGB of sRGB, both from 0 to 1."""
    c = np.asarray(encoded_rgb, float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def encoded(rgb):
    """The inverse of `linear`."""
    return np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1.0 / 2.4) - 0.055)


def contrast(one, other):
    """Of two colours as WCAG has it, 1 to 21."""
    high, low = sorted((float(XYZ[1] @ one), float(XYZ[1] @ other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    """CIELAB, whose distances are about those that are seen: two are just told apart."""
    x, y, z = np.cbrt(np.maximum(XYZ @ rgb / XYZ.sum(axis=1), 0.008856))
    return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])
