"""Bodies that can exist are passed over in silence; those that cannot are told with their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com, pseudo_inertia, seen_from
from freefloat.robot.parts import Body, Joint, Wheel
from freefloat.robot.physicality import Finding, check_physicality
from freefloat.robot.transform import Transform

SOLID = parameters_from_com(10.0, [0.1, -0.2, 0.3], np.diag([2.0, 3.0, 4.0]))
NOTHING = np.zeros(10)


def inertia_of_points(rng: np.random.Generator, points: int, mass: float = 3.0) -> np.ndarray:
    """The parameters of some point masses: a body that exists, of full extent from four points on."""
    phi = np.zeros(10)
    for part in rng.dirichlet(np.ones(points)) * mass:
        phi += seen_from(Transform(p=rng.normal(size=3)), [part, *np.zeros(9)])
    return phi


def arm(*links: tuple[str, str, np.ndarray], base=SOLID, **options) -> Robot:
    """A chain: (name, kind of joint, parameters) from the base up."""
    bodies = [Body("base", parameters=base)]
    for name, kind, phi in links:
        place = Transform.from_rpy([0.3, 0.1, -0.2], [0.5, -0.4, 0.9])
        bodies.append(Body(name, bodies[-1].name, Joint(f"to {name}", kind), place, phi))
    return Robot("arm", tuple(bodies), **options)


def faults(robot: Robot) -> list[tuple[str, str, bool]]:
    return [(finding.body, finding.fault, finding.lumped) for finding in check_physicality(robot)]


@pytest.mark.parametrize("seed", range(20))
def test_bodies_that_exist_are_passed_over_in_silence(seed):
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "fixed", "prismatic", "fixed"]
    links = [(f"link{n}", kind, inertia_of_points(rng, 5)) for n, kind in enumerate(kinds)]
    assert check_physicality(arm(*links)) == ()


@pytest.mark.parametrize("seed", range(60))
def test_something_is_found_exactly_where_the_pseudo_inertia_is_not_positive_definite(seed):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = turn @ np.diag(rng.uniform(-0.2, 2.0, 3)) @ turn.T
    phi = parameters_from_com(rng.uniform(0.5, 5.0), rng.normal(size=3), inertia)
    possible = np.linalg.eigvalsh(pseudo_inertia(phi))[0] > 0.0
    assert (check_physicality(arm(("link", "revolute", phi))) == ()) == possible


@pytest.mark.parametrize(
    ("principal", "fault", "words"),
    [
        ([-0.1, 2.0, 2.0], "inertia not positive", "-0.1, 2, 2 kg m^2; all must be positive"),
        (
            [1.0, 1.0, 2.5],
            "triangle inequality",
            "1, 1, 2.5 kg m^2; the largest exceeds the sum of the others by 0.5",
        ),
        ([1.0, 1.0, 2.0], "no extent", "1, 1, 2 kg m^2, those of a sheet, a rod or a point"),
        ([0.0, 2.0, 2.0], "no extent", "0, 2, 2 kg m^2, those of a sheet"),
        ([0.0, 0.0, 0.0], "no extent", "0, 0, 0 kg m^2, those of a sheet"),
    ],
)
def test_an_impossible_inertia_is_told_by_its_principal_values(principal, fault, words):
    phi = parameters_from_com(2.0, [0, 0, 0], np.diag(principal))
    [finding] = check_physicality(arm(("link", "revolute", phi)))
    assert (finding.body, finding.fault, finding.lumped) == ("link", fault, False)
    assert words in finding.sentence
    assert str(finding).startswith("body 'link': the principal inertias about its centre of mass are ")
    assert "\n" not in str(finding)


def test_inertia_about_the_frame_that_is_too_small_for_the_offset_is_found():
    phi = parameters_from_com(2.0, [1.0, 0.0, 0.0], np.zeros((3, 3)))
    phi[6] = phi[9] = 1.0  # less than m c^2 = 2 about y and z
    assert faults(arm(("link", "revolute", phi))) == [("link", "inertia not positive", False)]


def test_inertia_without_mass_is_found_on_fixed_bodies_too():
    phi = np.array([0, 0, 0, 0, 1.0, 0, 1.0, 0, 0, 1.5])
    for kind in ("revolute", "fixed"):
        [finding] = check_physicality(arm(("link", kind, phi)))
        assert (finding.body, finding.fault, finding.lumped) == ("link", "inertia without mass", False)
        assert finding.sentence == "its mass is zero, but Izz is 1.5 kg m^2"


def test_a_body_without_mass_may_be_fixed_but_not_move():
    assert faults(arm(("flange", "fixed", NOTHING))) == []
    assert faults(arm(("flange", "fixed", NOTHING), separate=frozenset({"flange"}))) == []
    for kind in ("revolute", "continuous", "prismatic"):
        assert faults(arm(("link", kind, NOTHING))) == [("link", "no mass", False)]
    assert faults(arm(("link", "revolute", NOTHING), ("tool", "fixed", NOTHING))) == [("link", "no mass", True)]


def test_a_frame_that_moves_something_heavy_is_a_body():
    assert faults(arm(("frame", "revolute", NOTHING), ("link", "fixed", SOLID))) == []


def test_only_a_base_that_moves_needs_mass():
    assert faults(arm(base=NOTHING)) == [("base", "no mass", False)]
    bodies = (Body("base"), Body("link", "base", Joint("j"), parameters=SOLID))
    assert check_physicality(Robot("arm", bodies, base="fixed")) == ()
    assert [finding.body for finding in check_physicality(Robot("arm", bodies, base="planar"))] == ["base"]


def test_the_same_complaint_is_not_made_of_the_whole():
    bad = parameters_from_com(50.0, [0, 0, 0], np.diag([1.0, 1.0, 900.0]))
    assert faults(arm(("plate", "fixed", bad))) == [("plate", "triangle inequality", False)]


def test_a_fault_of_the_whole_alone_is_told_as_such():
    # As carriers of corrections, bodies may be given that exist only together, or only apart.
    bad = parameters_from_com(1.0, [0, 0, 0], np.diag([1.0, 1.0, 2.5]))
    worse = parameters_from_com(1.0, [0, 0, 0], np.diag([-3.0, 1.0, 1.0]))
    robot = Robot(
        "sum",
        (
            Body("base", parameters=bad),
            Body("part", "base", Joint("fix", "fixed"), parameters=worse),
            Body("link", "base", Joint("j"), parameters=bad),
        ),
    )
    assert faults(robot) == [
        ("base", "triangle inequality", False),
        ("part", "inertia not positive", False),
        ("link", "triangle inequality", False),
    ]
    hidden = np.array([0, 0, 0, 0, -9.0, 0, 0, 0, 0, 0])
    robot = Robot("sum", (Body("base", parameters=SOLID), Body("p", "base", Joint("f", "fixed"), parameters=hidden)))
    assert faults(robot) == [("p", "inertia without mass", False), ("base", "inertia not positive", True)]
    assert "with what is fixed to it" in str(check_physicality(robot)[1])


def wheels(*inertias: float) -> tuple[Wheel, ...]:
    return tuple(Wheel(f"w{n}", np.eye(3)[n % 3], inertia) for n, inertia in enumerate(inertias))


def test_wheels_that_fit_are_passed_over_in_silence():
    sphere = parameters_from_com(100.0, [1.0, 2.0, 3.0], np.eye(3))  # second moments 0.5 in every direction
    for fitting in (wheels(0.99), wheels(0.49, 0.49, 0.49), wheels()):
        assert check_physicality(arm(base=sphere, wheels=fitting)) == ()


def test_wheels_that_need_more_than_the_base_has_are_found():
    sphere = parameters_from_com(100.0, [1.0, 2.0, 3.0], np.eye(3))
    for excessive in (wheels(1.01), wheels(0.51, 0.51, 0.51), wheels(0.2, 0.1, 0.95)):
        assert faults(arm(base=sphere, wheels=excessive)) == [("base", "wheels", False)]


def test_a_wheel_is_checked_along_the_direction_it_lacks_room_in():
    phi = parameters_from_com(10.0, [0, 0, 0], np.diag([2.0, 2.0, 3.0]))  # second moments 1.5, 1.5, 0.5
    assert check_physicality(arm(base=phi, wheels=(Wheel("w", [0, 0, 1], 2.9),))) == ()
    [finding] = check_physicality(arm(base=phi, wheels=(Wheel("w", [1, 0, 0], 1.1),)))
    assert "along [0, 0, 1] the second moment of its mass is 0.5 kg m^2, and its wheels need 0.55" in finding.sentence


def test_what_is_fixed_to_the_base_makes_room_for_its_wheels():
    small = parameters_from_com(1.0, [0, 0, 0], np.eye(3))
    robot = arm(("tank", "fixed", SOLID), base=small, wheels=wheels(1.5))
    assert check_physicality(robot) == ()
    robot = arm(("tank", "fixed", small), base=small, wheels=wheels(50.0))
    assert faults(robot) == [("base", "wheels", True)]


def test_wheels_of_an_impossible_or_fixed_base_are_not_told_again():
    bad = parameters_from_com(1.0, [0, 0, 0], np.diag([1.0, 1.0, 2.5]))
    assert faults(arm(base=bad, wheels=wheels(0.1))) == [("base", "triangle inequality", False)]
    assert faults(arm(base=NOTHING, wheels=wheels(0.1))) == [("base", "no mass", False)]
    small = Body("base", parameters=parameters_from_com(1.0, [0, 0, 0], np.eye(3)))
    assert faults(Robot("bench", (small,), wheels=wheels(50.0))) == [("base", "wheels", False)]
    assert faults(Robot("bench", (small,), base="fixed", wheels=wheels(50.0))) == []


def test_findings_do_not_change():
    finding = Finding("a", "no mass", False, "it moves")
    with pytest.raises(AttributeError):
        finding.body = "b"
