"""Figures of studies: when one holds, and what a file says of it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from freefloat.studies.catalogue import UnknownStudy
from freefloat.studies.check import Check, Study
from freefloat.studies.reproducing import TITLES, reproduce


def check(published, ours, **settings):
    return Check("a.b", "something", published, ours, **settings)


@pytest.mark.parametrize(
    ("better", "ours", "holds"),
    [
        ("lower", 1.0, True),
        ("lower", 10.4, True),
        ("lower", 10.6, False),
        ("higher", 30.0, True),
        ("higher", 9.6, True),
        ("higher", 9.4, False),
        ("equal", 10.4, True),
        ("equal", 10.6, False),
        ("equal", 9.4, False),
    ],
)
def test_a_figure_may_be_better_and_a_little_worse(better, ours, holds):
    assert check(10.0, ours, better=better, tolerance=0.05).holds is holds
    mirrored = {"lower": "higher", "higher": "lower", "equal": "equal"}[better]
    assert check(-10.0, -ours, better=mirrored, tolerance=0.05).holds is holds


def test_the_tolerance_of_zero_is_absolute():
    assert check(0.0, 9e-4, better="lower", tolerance=1e-3).holds
    assert not check(0.0, 1.1e-3, better="lower", tolerance=1e-3).holds


def test_a_series_holds_if_every_figure_does():
    assert check((3.0, 2.0), (2.9, 1.9), better="lower").holds
    assert not check((3.0, 2.0), (2.9, 2.1), better="lower").holds
    assert not check((3.0, 2.0), (2.9,), better="lower").holds


@pytest.mark.parametrize("ours", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_never_holds(ours):
    for better in ("lower", "equal", "higher"):
        assert not check(1.0, ours, better=better, tolerance=10.0).holds
    assert check(1.0, ours).document()["ours"] is None
    assert check((1.0, 2.0), (1.0, ours)).document()["ours"] == [1.0, None]
    json.dumps(check((1.0, ours), (1.0, ours)).document(), allow_nan=False)


def test_a_study_holds_without_what_cannot_be_compared():
    good, bad = check(1.0, 1.0), check(1.0, 2.0)
    assert Study("s", "t", (good,), 1.0).holds
    assert not Study("s", "t", (good, bad), 1.0).holds
    study = Study("s", "t", (good, replace(bad, comparable=False)), 1.0)
    assert study.holds
    document = json.loads(json.dumps(study.document(), allow_nan=False))
    assert [each["holds"] for each in document["checks"]] == [True, False]


def test_an_unknown_study_is_named_before_any_work():
    with pytest.raises(UnknownStudy, match="naveen"):
        next(reproduce(["gautier", "navene"]))
    assert set(TITLES) == {"naveen", "gautier", "ayusawa", "christidi", "spirolazzi", "flexible"}


@pytest.mark.parametrize(
    ("better", "ours", "standing"),
    [
        ("lower", 9.4, "better"),
        ("lower", 9.6, "reproduced"),
        ("lower", 10.6, "not reproduced"),
        ("higher", 10.6, "better"),
        ("higher", 9.6, "reproduced"),
        ("equal", 9.6, "reproduced"),
        ("equal", 9.4, "not reproduced"),
    ],
)
def test_a_figure_is_reproduced_better_or_neither(better, ours, standing):
    found = check(10.0, ours, better=better, tolerance=0.05)
    assert found.standing == standing
    counts = Study("s", "t", (found, check(1.0, 1.0)), 1.0).counts
    assert sum(counts.values()) == 2
    assert counts[standing] == (2 if standing == "reproduced" else 1)
