"""A designed motion comes back from its file to the last bit, and a bad file is refused in one sentence."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from freefloat.errors import FileError
from freefloat.excitation.collision_check import CollisionCheck
from freefloat.excitation.excitation import Excitation, HowFound, Prediction
from freefloat.excitation.excitation_file import load_excitation, load_motion
from freefloat.excitation.margin import Margin
from freefloat.excitation.sheet import FlightSheet, GravityGradient, Nearest, Turned, WheelUse
from freefloat.motion.bspline import BSpline
from freefloat.motion.fourier import Fourier
from freefloat.studies.catalogue import study_robot

RNG = np.random.default_rng(3)
MARGINS = (
    Margin("rate of j1", 1e-5 / 3.0, "rad/s", 1e-7, 2.0 / 3.0, "rate"),
    Margin("base roll", -math.inf, "rad", -0.1, 0.0, "base roll"),
)
COLLISIONS = CollisionCheck("shaped", (("base", "link2"), ("link2", "hand")), ("panel",))
SHEET = FlightSheet(
    20.0,
    *(Turned(*sorted(RNG.normal(size=2).tolist())) for _ in range(3)),
    0.5,
    1.0,
    0.1,
    2.0,
    (WheelUse("wx", 0.1, 0.2, math.inf), WheelUse("wy", -0.1, 1e-9, 3.0)),
    Nearest("base", "link2", -0.01, 3.3),
    GravityGradient(1.1e-3, 1e-5, math.nan, True, False),
    MARGINS,
    COLLISIONS,
)


def excitation(trajectory=None, **changes):
    """One with everything that a file may hold, numbers that JSON does not know included."""
    rows = RNG.normal(size=(4, 2)) * 1e-5
    full = Excitation(
        trajectory or Fourier(("j1", "j2"), rows, 20.0),
        "accuracy",
        -1.0 / 3.0,
        math.inf,
        (Prediction("m_base", 1.0 / 7.0, math.inf), Prediction("mx_base", 0.0, 1e-300)),
        MARGINS,
        HowFound("a solver", 3, (1.0 / 3.0, math.nan), 0, 12, 0.1, True),
        1e-5,
        ("a warning",),
        {"mission": "ü", "hashes": {"mission": "1e5"}},
        SHEET,
        COLLISIONS,
    )
    return replace(full, **changes)


def same(one, other):
    """Equal, where not a number equals itself."""
    return repr(one) == repr(other)


@pytest.mark.parametrize("sheet", [SHEET, None])
def test_what_was_saved_comes_back_exactly(tmp_path, sheet):
    saved = excitation(sheet=sheet)
    saved.save(tmp_path / "x.json")
    loaded = load_excitation(tmp_path / "x.json")
    for name in (
        "goal",
        "value",
        "condition_number",
        "predictions",
        "margins",
        "how",
        "optimality",
        "sheet",
        "collisions",
    ):
        assert same(getattr(loaded, name), getattr(saved, name)), name
    assert (loaded.warnings, loaded.origin) == (saved.warnings, saved.origin)
    assert loaded.trajectory.document() == saved.trajectory.document()


def test_any_shape_of_motion_can_be_in_it_and_be_taken_out_of_it(tmp_path):
    spline = BSpline(("j1", "j7"), RNG.normal(size=(5, 2)), 20.0)
    excitation(spline).save(tmp_path / "x.json")
    spline.save(tmp_path / "t.json")
    spline.save(tmp_path / "t.yaml")
    for name in ("x.json", "t.json", "t.yaml"):
        found = load_motion(tmp_path / name, study_robot("servicer"))
        assert isinstance(found, BSpline)
        assert (found.coefficients == spline.coefficients).all()


def test_a_motion_for_another_robot_is_refused(tmp_path):
    excitation(Fourier(("elbow",), np.ones((2, 1)), 20.0)).save(tmp_path / "x.json")
    with pytest.raises(FileError, match=r"x\.json: .*elbow"):
        load_motion(tmp_path / "x.json", study_robot("servicer"))


def document(tmp_path):
    excitation().save(tmp_path / "good.json")
    return json.loads((tmp_path / "good.json").read_text())


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("format", "freefloat/estimate@1", "which is not an excitation file; allowed: freefloat/excitation@1"),
        ("format", "freefloat/excitation@2", "a version that this freefloat does not read"),
        ("value", "good", "value is 'good'; allowed: a number"),
        ("how", {"solver": "x"}, "how.seed is missing"),
        ("margins", [{"limit": "x", "slack": 1}], r"margins\[0\].unit is missing"),
        ("colour", 1, "colour is not a field"),
        ("trajectory", {"kind": "fourier"}, "does not say what it is"),
        ("collisions", {"extent": "most"}, "collisions.extent is 'most'; allowed: "),
        ("collisions", {"extent": "named", "pairs": [["base"]]}, r"collisions.pairs\[0\]"),
        ("sheet", {"duration_s": "inf"}, "sheet.duration_s is 'inf'; allowed: a "),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path, field, value, words):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({**document(tmp_path), field: value}))
    with pytest.raises(FileError, match=words) as caught:
        load_excitation(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_file_that_does_not_say_whether_collisions_were_checked_is_read_as_such(tmp_path):
    old = document(tmp_path)
    del old["collisions"]
    (tmp_path / "old.json").write_text(json.dumps(old))
    found = load_excitation(tmp_path / "old.json")
    assert found.collisions == found.sheet.collisions == CollisionCheck()
    assert replace(found.sheet, margins=(), nearest=None).verdict == "GO, collisions perhaps not checked"
    assert "\ncollisions        not known to be checked: " in found.sheet.as_text()
    assert "collisions perhaps not checked" in repr(found)


def test_a_file_that_does_not_say_kinds_of_limits_has_them_by_their_names(tmp_path):
    old = document(tmp_path)
    for margin in old["margins"]:
        del margin["kind"]
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert load_excitation(tmp_path / "old.json").margins == MARGINS


def test_what_cannot_be_written_leaves_the_old_file_as_it_was(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("old")
    with pytest.raises(FileError, match="cannot be written"):
        excitation(origin={"a": {1, 2}}).save(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["x.json"]
