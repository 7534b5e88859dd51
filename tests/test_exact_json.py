"""JSON that gives back what was saved."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from freefloat.errors import FileError
from freefloat.exact_json import Extended, finite_or_none, plain, save_json
from freefloat.files import Section, load_yaml, validate


@dataclass
class Thing:
    name: str
    row: np.ndarray
    ends: tuple[float, float]


class Numbers(Section):
    numbers: list[Extended]


@pytest.mark.parametrize("number", [0.1, -0.0, 5e-324, 1e-5, 1.7976931348623157e308, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_every_number_comes_back(tmp_path, number, kind):
    save_json(tmp_path / "n.json", plain({"numbers": [kind(number)]}))
    (back,) = validate(Numbers, load_yaml(tmp_path / "n.json")).numbers
    assert back == number or (math.isnan(back) and math.isnan(number))
    assert math.copysign(1.0, back) == math.copysign(1.0, number)


def test_a_thing_is_plain_data():
    thing = Thing("a", np.array([[1.0, np.nan]]), (-math.inf, np.float32(2.0)))
    assert plain({"thing": thing}) == {"thing": {"name": "a", "row": [[1.0, "nan"]], "ends": ["-inf", 2.0]}}
    assert all(type(each) is not np.float32 for each in plain(thing)["ends"])


def test_lists_of_lists_and_of_mappings_have_a_line_for_each(tmp_path):
    save_json(tmp_path / "n.json", {"a": [[1, 2], [3]], "b": [{"x": 1}], "c": [1, 2], "d": []})
    lines = '{\n"a": [\n  [1, 2],\n  [3]\n],\n"b": [\n  {"x": 1}\n],\n"c": [1, 2],\n"d": []\n}\n'
    assert (tmp_path / "n.json").read_text() == lines


@pytest.mark.parametrize("value", [math.nan, [math.inf], object(), {"x": {1, 2}}])
def test_what_json_does_not_know_is_refused_and_nothing_written(tmp_path, value):
    with pytest.raises(FileError, match=r"n\.json.*cannot be written.*; allowed: text, finite numbers, lists, mapp"):
        save_json(tmp_path / "n.json", {"first": 1, "value": value})
    assert not list(tmp_path.iterdir())


def test_null_stands_for_what_is_not_finite():
    assert [finite_or_none(each) for each in (1.5, np.float64(2.0), math.inf, -math.inf, math.nan)] == [
        1.5,
        2.0,
        None,
        None,
        None,
    ]
