"""A robot with an appendage for what swings is the same robot while that is locked, and swings as was found."""

import numpy as np
import pytest

from freefloat.dynamics.modes import system_modes
from freefloat.errors import InvalidRobot
from freefloat.estimate.oscillator import Oscillator
from freefloat.mission.appending import with_appendages
from freefloat.robot.carried import carried_parameters
from freefloat.robot.load import load_robot
from freefloat.robot.parameters import can_exist, seen_from
from freefloat.studies.catalogue import study_robot

AXIS = (0.8, 0.6, 0.0)


def swing(inertia=4.0, axis=AXIS):
    return Oscillator(0.31, 0.012, 0.3, axis, inertia, 500.0, 400.0)


def locked(robot):
    """Parameters of the base with all appendages locked."""
    own = [body for body in robot.bodies if body.joint is not None and body.joint.passive is not None]
    return robot.bodies[0].parameters + sum(seen_from(body.placement, body.parameters) for body in own)


def test_locked_it_is_the_same_robot_and_the_file_says_so(tmp_path):
    given = study_robot("servicer")
    with_appendages(given, [swing(), swing(2.0, (0.0, 0.0, 1.0))]).save(tmp_path / "new.yaml")
    robot = load_robot(tmp_path / "new.yaml")
    np.testing.assert_allclose(locked(robot), given.bodies[0].parameters, rtol=1e-12, atol=1e-12)
    assert robot.mass == pytest.approx(given.mass, rel=1e-12)
    assert [robot.joint_names[k] for k in robot.passive] == ["appendage1_hinge", "appendage2_hinge"]
    assert all(can_exist(body.parameters) for body in robot.bodies)


def test_it_swings_as_was_found():
    """Frequency, damping ratio and coupling inertia on the floating base, whose inverse inertia makes `held_Hz`."""
    given = study_robot("servicer")
    robot = with_appendages(given, [swing()])
    [mode] = system_modes(robot)
    J = carried_parameters(robot, "appendage1_hinge")
    assert mode.coupling_inertia == pytest.approx(4.0, rel=1e-6)
    assert J[0] < 0.25 * given.bodies[0].parameters[0]
    # 0.31 Hz at 0.012 is what a base of some inertia makes of 0.3 Hz at 0.012 * 0.3 / 0.31
    assert mode.damping_ratio / mode.frequency_Hz == pytest.approx(0.012 / 0.31, rel=1e-6)
    assert mode.frequency_Hz > 0.3


def test_a_base_that_cannot_carry_so_much_is_refused_in_one_sentence():
    with pytest.raises(InvalidRobot, match=r"cannot carry 400 kg m\^2 on hinges, for what remains"):
        with_appendages(study_robot("servicer"), [swing(400.0)])
