"""Friction by evidence: what is there is chosen, what is not there is not."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.driven_problems import driven_case

from freefloat.estimate.friction_choice import chosen_friction
from freefloat.robot.drive import DRIVE_TERMS

NOISE = {"torques": 0.02}


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize(
    "has",
    [
        (),
        ("viscous",),
        ("coulomb", "viscous"),
        ("coulomb", "viscous", "offset"),
        ("coulomb", "viscous", "offset", "stribeck"),
        ("coulomb", "viscous", "offset", "rotor"),
    ],
    ids="-".join,
)
def test_what_joints_have_is_chosen(has, seed):
    problem, _ = driven_case("torque", seed, DRIVE_TERMS, NOISE, has, bodies=4, n=1500)
    choice = chosen_friction(replace(problem, friction=()))
    assert choice.terms == has, choice.sentence
    found = {candidate.terms: candidate for candidate in choice.candidates}
    assert found[choice.terms].held_out <= found[()].held_out
    assert ("none:" in choice.sentence) == bool(has)


def test_terms_that_the_robot_has_already_need_not_be_found():
    problem, robot = driven_case("torque", 3, (), NOISE, ("coulomb", "viscous"), bodies=4, n=1500)
    choice = chosen_friction(problem)
    bare, *_ = choice.candidates
    assert bare.terms == ()
    assert bare.behind < 0.01
    assert choice.problem.robot.joints[0].drive == robot.joints[0].drive


def test_how_slow_a_joint_must_be_for_stribeck_is_searched():
    has = ("coulomb", "viscous", "offset", "stribeck")
    problem, robot = driven_case("torque", 1, DRIVE_TERMS, NOISE, has, bodies=4, n=1500)
    choice = chosen_friction(problem)
    true = np.array([joint.drive.stribeck_rate for joint in robot.joints])
    found = np.array([joint.drive.stribeck_rate for joint in choice.problem.robot.joints])
    assert (np.abs(np.log(found / true)) < 1.0).all(), (found, true)


def test_a_collision_that_nothing_explains_does_not_decide():
    problem, _ = driven_case("torque", 3, DRIVE_TERMS, NOISE, ("coulomb", "viscous"), bodies=4, n=1500)
    (flight,) = problem.flights
    torques = np.array(flight.samples.torques)
    torques[700:740] += 30.0
    struck = replace(flight, samples=replace(flight.samples, torques=torques))
    choice = chosen_friction(replace(problem, flights=(struck,)))
    assert {"coulomb", "viscous"} <= set(choice.terms)
