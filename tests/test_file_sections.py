"""Faults in what a file says: one sentence with line, field, what was found and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field, model_validator
from robot.one_sentence import sentence

from freefloat.files import Number, Positive, Section, Vector3, YamlDocument, check_format, shown, validate
from freefloat.plain_yaml import parse_yaml


def load(text):
    return parse_yaml("file.yaml", text)


class Arm(Section):
    name: str = Field(min_length=2, description="a name of two letters or more")
    mass_kg: Number = Field(0.0, ge=0.0, lt=100.0)
    length_m: Positive = 1.0
    tip_m: Vector3 = (0.0, 0.0, 0.0)
    tip_mm: Vector3 | None = None
    tip_in: Vector3 | None = None
    joints: int = 1
    stowed: bool = False
    kind: Literal["long", "short"] = "long"
    one_of = (("tip_mm", "tip_in"),)


class Ship(Section):
    arms: list[Arm] = Field(default_factory=list)
    spare: dict[str, Arm] = Field(default_factory=dict)


def arm(text):
    """A ship whose only arm, on line 3, is this."""
    return f"# ship\narms:\n  - {{name: left, {text}}}\n"


FAULTS = {
    "mass_kg: heavy": "arms[0].mass_kg is 'heavy'; allowed: a number",
    "mass_kg: true": "arms[0].mass_kg is true; allowed: a number",
    "mass_kg: [1]": "arms[0].mass_kg is [1]; allowed: a number",
    "mass_kg: ": "arms[0].mass_kg is empty; allowed: a number",
    "mass_kg: '-2'": "arms[0].mass_kg is '-2'; allowed: a number not less than 0",
    "mass_kg: -2": "arms[0].mass_kg is -2; allowed: a number not less than 0",
    "mass_kg: 100": "arms[0].mass_kg is 100; allowed: a number less than 100",
    "mass_kg: .inf": "arms[0].mass_kg is Infinity; allowed: a finite number",
    "mass_kg: .nan": "arms[0].mass_kg is NaN; allowed: a finite number",
    "mass_kg: 1e999": "arms[0].mass_kg is '1e999'; allowed: a finite number",
    "mass_kg: 'nan'": "arms[0].mass_kg is 'nan'; allowed: a number",
    "mass_kg: 'infinity'": "arms[0].mass_kg is 'infinity'; allowed: a number",
    "mass_kg: 12kg": "arms[0].mass_kg is '12kg'; allowed: a number",
    "length_m: 0": "arms[0].length_m is 0; allowed: a number greater than 0",
    "tip_m: [1, 2]": "arms[0].tip_m is [1, 2]; allowed: a list of 3 numbers",
    "tip_m: 5": "arms[0].tip_m is 5; allowed: a list of 3 numbers",
    "tip_m: [1, 2, false]": "arms[0].tip_m[2] is false; allowed: a number",
    "tip_mm: [1, 2, 3], tip_in: [1, 2, 3]": "arms[0] gives tip_mm and tip_in; allowed: one of tip_mm, tip_in",
    "joints: 1.5": "arms[0].joints is 1.5; allowed: a whole number",
    "stowed: maybe": "arms[0].stowed is 'maybe'; allowed: true or false",
    "kind: big": "arms[0].kind is 'big'; allowed: long or short",
    "mas_kg: 1": "arms[0].mas_kg is not a field (did you mean mass_kg?); allowed: name, mass_kg, length_m",
    "'a b': 1": "arms[0]['a b'] is not a field; allowed: name, mass_kg, ",
    "mass_kg: x, joints: y, kind: z": "arms[0].mass_kg is 'x'; allowed: a number (and 2 more)",
}


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_is_told_with_line_field_found_and_allowed(text):
    said = sentence(validate, Ship, load(arm(text)))
    assert f"file.yaml: line 3: {FAULTS[text]}" in said


def test_top_level_faults_are_told_too():
    assert "line 1: arms is 3; allowed: a list" in sentence(validate, Ship, load("arms: 3"))
    assert "line 1: spare is []; allowed: a mapping of names" in sentence(validate, Ship, load("spare: []"))
    said = sentence(validate, Ship, load("spare:\n  x: 3"))
    assert "line 2: spare.x is 3; allowed: a mapping of fields" in said
    said = sentence(validate, Ship, load("spare: {x: {nam: ab, name: ab}}"))
    assert "spare.x.nam is not a field (did you mean name?)" in said
    assert "arms is not a field" not in said


def test_a_missing_field_is_told_with_what_it_should_be():
    said = sentence(validate, Ship, load("arms:\n  - {name: left}\n  - {mass_kg: 2}\n"))
    assert "line 3: arms[1].name is missing; allowed: a name of two letters or more" in said


def test_a_misspelt_field_is_told_before_the_one_missing_for_it():
    assert "arms[0].nam is not a field (did you mean name?)" in sentence(validate, Ship, load("arms: [{nam: ab}]"))


def test_the_first_fault_in_the_file_is_told():
    text = "arms:\n  - kind: big\n    name: left\n    mass_kg: x\n"
    assert "line 2: arms[0].kind is 'big'" in sentence(validate, Ship, load(text))


def test_a_long_value_is_shortened_and_never_breaks_the_line():
    said = sentence(validate, Ship, load("arms: [{name: ab, kind: " + repr("x" * 5000) + "}]"))
    assert "arms[0].kind is 'xxxx" in said
    assert said.endswith("...; allowed: long or short")
    assert len(said.split("line 1: ")[1]) < 120
    said = sentence(validate, Ship, load('arms: [{name: ab, "a\\nb": "c\\nd"}]'))
    assert "arms[0]['a\\nb'] is not a field" in said


class Gyro(Section):
    kind: Literal["gyro"]
    drift: Positive = 1.0


class Camera(Section):
    kind: Literal["camera", "eye"]
    pixels: int = Field(description="a whole number")

    @model_validator(mode="after")
    def _even(self):
        if self.pixels % 2:
            raise ValueError("has an odd number of pixels; allowed: an even one")
        return self


class Suite(Section):
    sensors: dict[str, Annotated[Gyro | Camera, Field(discriminator="kind")]]
    spare: list[Gyro | Camera] = Field(default_factory=list)


ALTERNATIVES = {
    "{kind: gyro, drift: -1}": "sensors.a.drift is -1; allowed: a number greater than 0",
    "{kind: gyro, pixels: 2}": "sensors.a.pixels is not a field; allowed: kind, drift",
    "{kind: eye, pixel: 2}": "sensors.a.pixel is not a field (did you mean pixels?); allowed: kind, pixels",
    "{kind: eye}": "sensors.a.pixels is missing; allowed: a whole number",
    "{kind: eye, pixels: 3}": "sensors.a has an odd number of pixels; allowed: an even one",
    "{kind: nose}": "sensors.a.kind is 'nose'; allowed: gyro, camera, eye",
    "{drift: 1}": "sensors.a.kind is empty; allowed: a value",
    "7": "sensors.a is 7; allowed: a mapping of fields",
}


@pytest.mark.parametrize("text", ALTERNATIVES)
def test_of_several_kinds_of_section_the_one_meant_is_told_about(text):
    assert f"line 2: {ALTERNATIVES[text]}" in sentence(validate, Suite, load(f"sensors:\n  a: {text}\n"))


def test_sections_told_apart_by_trying_give_a_sentence_too():
    said = sentence(validate, Suite, load("sensors: {}\nspare: [{kind: gyro, drift: -1}]\n"))
    assert "line 2: spare[0].drift is -1; allowed: a number greater than 0" in said


def test_numbers_written_without_a_point_are_numbers():
    ship = validate(Ship, load("arms: [{name: ab, mass_kg: 1e-5, tip_m: [-1e3, '2.5', 1E+2]}]"))
    assert ship.arms[0].mass_kg == 1e-5
    assert ship.arms[0].tip_m == (-1000.0, 2.5, 100.0)


def test_a_fault_in_data_without_a_file_has_no_line():
    document = YamlDocument("estimate.json", {"arms": [{"name": "ab", "mass_kg": True}]})
    assert sentence(validate, Ship, document) == "estimate.json: arms[0].mass_kg is true; allowed: a number"


def test_an_overlong_whole_number_is_not_finite():
    document = YamlDocument("x.json", {"arms": [{"name": "ab", "mass_kg": 10**400}]})
    assert "allowed: a finite number" in sentence(validate, Ship, document)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\n", "does not say what it is; allowed: a first line 'format: freefloat/robot@1'"),
        ("a: 1\nformat: freefloat/robot@2\n", "line 2: format is 'freefloat/robot@2', a version that"),
        ("format: freefloat/mission@1\n", "is 'freefloat/mission@1', which is not a robot file"),
        ("format: urdf\n", "line 1: format is 'urdf', which is not a robot file; allowed: freefloat/robot@1"),
        ("format: [1]\n", "line 1: format is [1], which is not a robot file; allowed: freefloat/robot@1"),
    ],
)
def test_a_file_must_say_what_it_is(text, told):
    assert told in sentence(check_format, load(text), "robot")


def test_a_file_that_says_what_it_is_passes():
    check_format(load("format: freefloat/robot@1\n"), "robot")
    check_format(load("format: freefloat/mission@1\n"), "mission")


def test_found_values_are_shown_as_the_file_writes_them():
    values = [None, True, 1.5, "a\nb", [1, None, False], {"a": 1}, Path("x")]
    assert [shown(value) for value in values] == [
        "empty",
        "true",
        "1.5",
        "'a\\nb'",
        "[1, null, false]",
        '{"a": 1}',
        '"x"',
    ]
    assert len(shown("x" * 1000)) == 60
