"""Clusters as text: what a person reads, and that a program reads the same back."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.models.closed_form_clusters import closed_form
from freefloat.models.formula import UnreadableFormula, clean_coefficients, formula, parse_formula
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.studies.catalogue import study_names, study_robot

NAMES = ("Ixx_link2", "Iyy_link2", "m_link3", "mx_load")
TREES = [random_robot(300 + seed, bodies=2 + seed % 6, base="free") for seed in range(30)]
STUDIES = [study_robot(name) for name in study_names()]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ([1, -1, 0.25, 0.3], "Ixx_link2 - Iyy_link2 + 1/4 m_link3 + 0.3 mx_load"),
        ([-1, 0, 0, 0], "-Ixx_link2"),
        ([0, 0, 0, -2], "-2 mx_load"),
        ([0, 12, 0, 1], "12 Iyy_link2 + mx_load"),
        ([1 / 3, -2 / 3, 0, 0], "1/3 Ixx_link2 - 2/3 Iyy_link2"),
        ([0, 0, 1.577662939625, 0], "1.577662939625 m_link3"),
        ([0, 0, 1e-7, -1.5e-12], "1e-07 m_link3 - 1.5e-12 mx_load"),
        ([0, 0, 0, 0], "0"),
    ],
)
def test_a_formula_is_what_a_person_would_write_and_reads_back(row, text):
    assert formula(np.array(row, float), NAMES) == text
    np.testing.assert_array_equal(parse_formula(text, NAMES), row)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("  +Ixx_link2   -0.5  mx_load ", [1, 0, 0, -0.5]),
        ("m_link3 + m_link3", [0, 0, 2, 0]),
        ("3 m_link3 - 7/4 m_link3", [0, 0, 1.25, 0]),
    ],
)
def test_what_a_person_types_is_read(text, row):
    np.testing.assert_array_equal(parse_formula(text, NAMES), row)


@pytest.mark.parametrize("text", ["Ixx_link9", "2", "Ixx_link2 + ", "Ixx_link2 * 2", "3 4 m_link3"])
def test_what_is_no_formula_over_the_names_is_refused_in_one_sentence(text):
    with pytest.raises(UnreadableFormula, match="cannot read") as caught:
        parse_formula(text, NAMES)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------------- clean numbers


def test_rounding_is_taken_off_simple_fractions_and_from_nothing_else():
    exact = np.array([[0.0, 1.0, -0.5, 1 / 3, -7 / 8, 5 / 6, 12.0]])
    noise = 1e-15 * np.array([[1, -1, 1, -1, 1, -1, 10]])
    cleaned = clean_coefficients(exact + noise)
    np.testing.assert_array_equal(cleaned, exact)
    others = np.array([[np.pi, 0.3, 1 / 9, 0.5 + 1e-7, 1e-7]])
    np.testing.assert_array_equal(clean_coefficients(others), others)


def test_no_coefficient_is_a_negative_zero():
    cleaned = clean_coefficients(np.array([[-1e-17, -0.0, 0.0]]))
    assert not np.signbit(cleaned).any()


# ---------------------------------------------------------------------- every printed cluster


def assert_every_formula_reads_back(minimal):
    """Exactly where the coefficient is a fraction, to 1e-12 of it where it is a real number."""
    assert len(minimal) > 0
    for row, text in zip(minimal.combine, minimal.formulas, strict=True):
        again = parse_formula(text, minimal.names)
        simple = np.any([np.round(row * d) / d == row for d in range(1, 65)], axis=0)
        np.testing.assert_array_equal(again[simple], row[simple])
        np.testing.assert_allclose(again, row, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("robot", [*STUDIES, *TREES], ids=lambda robot: robot.name)
def test_every_cluster_of_energy_torque_and_momentum_reads_back(robot):
    assert_every_formula_reads_back(closed_form(robot))
    assert_every_formula_reads_back(closed_form(replace(robot, base="planar", gravity=np.zeros(3))))


@pytest.mark.parametrize(
    "robot", [robot for robot in [*STUDIES, *TREES] if robot.base != "fixed"], ids=lambda robot: robot.name
)
def test_every_cluster_of_angular_momentum_and_base_velocity_reads_back(robot):
    assert_every_formula_reads_back(AngularMomentum(robot).minimal)
    assert_every_formula_reads_back(BaseVelocity(robot).minimal)


@pytest.mark.parametrize("name", ["left arm", "left-arm", "arm+1", "2nd arm"])
def test_whatever_a_body_is_called_its_clusters_read_back(name):
    phi = parameters_from_com(2.0, [0.1, 0.2, 0.3], np.eye(3))
    robot = Robot("named", (Body("base", parameters=phi), Body(name, "base", Joint("hinge"), parameters=phi)))
    assert_every_formula_reads_back(closed_form(robot))
    assert_every_formula_reads_back(AngularMomentum(robot).minimal)
