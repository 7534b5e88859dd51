"""Which standard parameters a selector means."""

import pytest

from freefloat.errors import UnknownName
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint
from freefloat.robot.selection import select_parameters

ROBOT = Robot(
    "three",
    (Body("base"), Body("link1", "base", Joint("j1")), Body("tool.v2", "link1", Joint("j2"))),
)


def selected(*selectors):
    return [ROBOT.parameter_names[column] for column in select_parameters(ROBOT, selectors)]


def test_a_body_means_all_ten_of_its_parameters():
    assert selected("link1") == list(ROBOT.parameter_names[10:20])


def test_one_parameter_of_one_body():
    assert selected("link1.my") == ["my_link1"]


def test_a_star_means_every_body():
    assert selected("*.m") == ["m_base", "m_link1", "m_tool.v2"]


def test_groups_of_parameters():
    assert selected("base.products") == ["Ixy_base", "Ixz_base", "Iyz_base"]
    assert selected("base.moments") == ["mx_base", "my_base", "mz_base"]
    assert selected("base.inertias") == [f"I{axes}_base" for axes in ("xx", "xy", "yy", "xz", "yz", "zz")]


def test_a_name_with_a_dot_is_a_name():
    assert selected("tool.v2") == list(ROBOT.parameter_names[20:])
    assert selected("tool.v2.mx") == ["mx_tool.v2"]


def test_selections_add_up_without_repetition_in_the_order_of_the_parameters():
    assert selected("link1.moments", "link1.my", "base.m") == ["m_base", "mx_link1", "my_link1", "mz_link1"]
    assert selected() == []


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("link7", "no body or parameter named 'link7'"),
        ("link1.mass", "no body or parameter named 'link1.mass'"),
        ("link7.mx", "no body named 'link7'"),
        ("mx", "no body named ''"),
        ("*", "no body or parameter named '*'"),
        ("", "no body or parameter named ''"),
    ],
)
def test_what_the_robot_does_not_have_is_refused_with_the_names_it_has(selector, said):
    with pytest.raises(UnknownName) as caught:
        selected(selector)
    sentence = str(caught.value)
    assert sentence.startswith(f"{said}; this robot has: base, link1, tool.v2")
    assert "\n" not in sentence
