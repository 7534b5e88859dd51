"""Which clusters a set of measurements reveals: counts, what is lost, on what the scale rests."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.dynamics.reaction import base_accelerations, base_reaction
from freefloat.dynamics.states import random_states
from freefloat.dynamics.torque import torque_regressor
from freefloat.models.advice import advise
from freefloat.models.identifiable import Measurement, identifiability
from freefloat.models.model import NotApplicable
from freefloat.robot.parameters import PER_BODY, parameters_from_com
from freefloat.robot.parts import Body, Joint, Wheel
from freefloat.robot.selection import select_parameters
from freefloat.studies.catalogue import study_robot

N1 = study_robot("spirolazzi_n1")


def dual_arm(seed=5):
    """Twelve revolute joints in two arms of six, generic geometry."""
    robot = random_robot(seed, bodies=13, base="free", prismatic=False)
    bodies = list(robot.bodies)
    for index in range(1, 13):
        parent = "base" if index in (1, 7) else f"body{index - 1}"
        bodies[index] = replace(bodies[index], parent=parent)
    return replace(robot, bodies=tuple(bodies))


def with_gripped_load(robot, carrier):
    phi = parameters_from_com(12.0, [0.05, 0.02, 0.2], np.diag([0.3, 0.35, 0.2]))
    load = Body("gripped", carrier, Joint("grip", "fixed"), parameters=phi)
    return replace(robot, bodies=(*robot.bodies, load), separate=frozenset({"gripped"}))


def without(robot, body):
    index = robot.body_names.index(body)
    phi = np.array(robot.parameters)
    phi[PER_BODY * index : PER_BODY * (index + 1)] = 0.0
    return robot.with_parameters(phi)


def test_a_dual_arm_with_momentum_measured_shows_94_and_at_zero_momentum_93_with_the_scale_lost():
    robot = dual_arm()
    seen = identifiability(robot, Measurement(velocity=True, momentum="known"))
    assert (seen.rank, seen.of, seen.scale_lost) == (94, 94, False)
    for velocity in (True, False):
        homogeneous = identifiability(robot, Measurement(velocity=velocity))
        assert (homogeneous.rank, homogeneous.of, homogeneous.scale_lost) == (93, 94, True)
        assert {cluster.status for cluster in homogeneous.clusters} == {"up to scale"}


def test_a_seven_joint_arm_shows_58_of_59_at_zero_momentum_and_all_52_with_the_load_known():
    alone = identifiability(N1)
    assert (alone.rank, alone.of, alone.scale_lost) == (58, 59, True)
    loaded = identifiability(N1, known=["load"])
    assert (loaded.rank, loaded.of, loaded.scale_lost) == (52, 52, False)


def test_a_known_load_on_an_unknown_link_fixes_nothing_in_one_run_and_everything_in_two():
    robot = with_gripped_load(N1, "load")
    one = identifiability(robot, known=["gripped"])
    assert (one.rank, one.of) == (58, 59)
    two = identifiability(robot, known=["gripped"], runs=[without(robot, "gripped")])
    assert (two.rank, two.of, two.scale_lost) == (59, 59, False)


def wheels(robot):
    return replace(robot, wheels=(Wheel("wz", np.array([0.0, 0.0, 1.0]), 0.01),))


def test_a_constant_wheel_with_unknown_momentum_loses_the_scale_in_the_plane_and_a_varying_one_restores_it():
    robot = wheels(random_robot(3, bodies=4, base="planar", prismatic=False))
    scale = {
        (momentum, turning): identifiability(robot, Measurement(momentum=momentum, wheels=turning)).scale_lost
        for momentum in ("zero", "unknown")
        for turning in ("still", "constant", "varying")
    }
    assert scale == {
        ("zero", "still"): True,
        ("zero", "constant"): False,
        ("zero", "varying"): False,
        ("unknown", "still"): True,
        ("unknown", "constant"): True,
        ("unknown", "varying"): False,
    }


def test_in_space_a_constant_wheel_keeps_the_scale_even_with_unknown_momentum():
    robot = wheels(random_robot(4, bodies=5, base="free", prismatic=False))
    kept = identifiability(robot, Measurement(momentum="unknown", wheels="constant"))
    assert (kept.rank, kept.scale_lost) == (kept.of, False)
    assert identifiability(robot, Measurement(momentum="unknown")).scale_lost


@pytest.mark.parametrize(
    "measurement",
    [
        Measurement(momentum="known"),
        Measurement(wheels="varying"),
        Measurement(wheels="constant", momentum="unknown"),
        Measurement(torque=True),
        Measurement(thruster=True),
    ],
)
@pytest.mark.parametrize("seed", [4, 11])
def test_the_shares_of_the_known_values_in_the_scale_sum_to_one(measurement, seed):
    robot = wheels(random_robot(seed, bodies=5, base="free", prismatic=seed == 11))
    answer = identifiability(robot, measurement)
    assert answer.rank == answer.of
    assert sum(share for _, share in answer.scale_rests_on) == pytest.approx(1.0, abs=1e-2)


def test_the_scale_follows_the_known_value_it_rests_on():
    """A load that is really 1 % heavier in Izz than assumed makes every estimated cluster 1 % too small."""
    (name, share), *_ = identifiability(N1, known=["load"]).scale_rests_on
    assert (name, share) == ("Izz_load", pytest.approx(1.0, abs=1e-6))


def test_structure_and_excitation_are_separate_answers():
    """A motion with one joint locked shows less than the structure allows."""
    robot = random_robot(9, bodies=5, base="free", prismatic=False)
    states = random_states(robot, 200, seed=3, locked=[robot.joint_names[0]])
    v, w = base_reaction(robot, states)
    this_motion = identifiability(robot, samples=replace(states, v=v, w=w))
    structure = identifiability(robot)
    assert structure.rank == structure.of - 1
    assert this_motion.rank < structure.rank


def test_parameters_of_no_cluster_are_named_as_never_visible():
    robot = replace(study_robot("cepheus"))
    never = identifiability(robot).never
    assert "mz_base" in never
    assert "Ixx_link1" in never
    assert "Izz_link1" not in never


def test_a_fixed_base_is_told_to_use_another_model():
    with pytest.raises(NotApplicable, match="torque or energy"):
        identifiability(study_robot("gautier_khalil_arm"))


def test_every_proposed_cure_gains_a_direction():
    advice = advise(study_robot("servicer"))
    cures = [sentence for sentence in advice.sentences if sentence.startswith("Cure")]
    assert any("wheels" in cure for cure in cures)
    assert any("thruster" in cure for cure in cures)
    assert any("torques" in cure for cure in cures)
    assert identifiability(study_robot("servicer"), Measurement(wheels="varying")).rank == advice.answer.of
    assert identifiability(study_robot("servicer"), Measurement(thruster=True)).rank == advice.answer.of
    assert identifiability(study_robot("servicer"), Measurement(torque=True)).rank == advice.answer.of


def test_two_flights_are_proposed_for_a_load_that_an_unknown_link_holds():
    advice = advise(with_gripped_load(N1, "load"), known=["gripped"])
    text = " ".join(advice.sentences)
    assert "common scale" in text
    assert "once with and once without gripped" in text
    assert "calibrate load" in text


def test_a_constant_wheel_is_told_to_vary():
    robot = wheels(random_robot(3, bodies=4, base="planar", prismatic=False))
    advice = advise(robot, Measurement(momentum="unknown", wheels="constant"))
    assert any("vary the wheels' rates" in sentence for sentence in advice.sentences)


def test_an_off_axis_load_is_proposed_only_where_the_load_sits_on_its_axis():
    centred = " ".join(advise(N1, known=["load"]).sentences)
    assert "whole scale rests on Izz_load = 0.4 kg m²" in centred
    assert "off the axis" in centred
    phi = np.array(N1.parameters)
    phi[-PER_BODY:] = parameters_from_com(25.0, [0.1, 0.0, 0.14], 0.4 * np.eye(3))
    assert "off the axis" not in " ".join(advise(N1.with_parameters(phi), known=["load"]).sentences)


# ---------------------------------------------------------------------- assumptions that are taken seriously


def zeroed(robot, selectors):
    phi = np.array(robot.parameters)
    phi[select_parameters(robot, selectors)] = 0.0
    return robot.with_parameters(phi)


def test_what_is_declared_zero_is_answered_as_for_a_robot_that_really_has_zeros():
    servicer = study_robot("servicer")
    declared = identifiability(servicer, zero=["*.products"])
    real = identifiability(zeroed(servicer, ["*.products"]), zero=["*.products"])
    assert (declared.rank, declared.of, declared.scale_lost) == (real.rank, real.of, True)
    assert [cluster.status for cluster in declared.clusters] == [cluster.status for cluster in real.clusters]


def test_a_known_load_that_is_declared_zero_fixes_nothing():
    assert identifiability(N1, known=["load"], zero=["load"]).scale_lost


def test_beside_a_lost_scale_only_what_is_really_mixed_counts_as_open():
    """Gyro alone on the planar robot: the scale is lost, and the masses mix with what hangs on them."""
    answer = identifiability(study_robot("cepheus"))
    assert (answer.rank, answer.of, answer.scale_lost) == (8, 10, True)
    assert "Izz_base" in {cluster.name for cluster in answer.with_status("up to scale")}
    assert "m_base" in {cluster.name for cluster in answer.with_status("open")}


def test_a_motion_that_shows_less_than_the_structure_is_told_what_it_does_not_excite():
    robot = random_robot(9, bodies=5, base="free", prismatic=False)
    states = random_states(robot, 200, seed=3, locked=[robot.joint_names[-1]])
    v, w = base_reaction(robot, states)
    here = identifiability(robot, samples=replace(states, v=v, w=w))
    assert here.with_status("not excited")
    assert not identifiability(robot).with_status("not excited")


def test_torques_are_tried_on_motions_that_can_happen():
    """In free flight a base with one joint shows what momentum and the one torque show, and no more."""
    robot = random_robot(2, bodies=2, base="free", prismatic=False)
    torque_alone = identifiability(robot, Measurement(rate=False, torque=True))
    states = random_states(robot, 300, seed=8)
    v, w = base_reaction(robot, states)
    states = replace(states, v=v, w=w)
    dv, dw = base_accelerations(robot, states)
    Y = torque_regressor(robot, replace(states, dv=dv, dw=dw))[:, 6:].reshape(-1, robot.parameters.size)
    assert torque_alone.rank == np.linalg.matrix_rank(Y / np.abs(Y).max(), tol=1e-9)


def test_a_known_load_on_a_fixed_joint_stays_apart_by_itself():
    robot = replace(with_gripped_load(N1, "load"), separate=frozenset())
    assert identifiability(robot, known=["gripped"]).rank == 58


def test_the_base_may_have_any_name():
    servicer = study_robot("servicer")
    bodies = tuple(
        replace(
            body,
            name="base_link" if body.parent is None else body.name,
            parent="base_link" if body.parent == "base" else body.parent,
        )
        for body in servicer.bodies
    )
    renamed = replace(servicer, bodies=bodies, points=())
    assert advise(renamed, known=["load"]).sentences == advise(servicer, known=["load"]).sentences


def test_nothing_left_to_identify_is_said():
    advice = advise(N1, known=["*.m", "*.moments", "*.inertias"])
    assert advice.answer.of == 0
    assert "Nothing is left to identify" in " ".join(advice.sentences)


def test_a_robot_without_mass_or_inertia_is_refused_in_one_sentence():
    weightless = N1.with_parameters(0.0 * N1.parameters)
    with pytest.raises(NotApplicable, match="no mass"):
        identifiability(weightless)
    point = replace(N1, bodies=(Body("base", parameters=[5.0, *[0.0] * 9]),), points=())
    with pytest.raises(NotApplicable, match="inertia is zero"):
        identifiability(point)


def test_weak_directions_are_those_of_what_hardly_moves_the_base():
    """A speck as last link: all that it shows by itself is weak, the weakest direction is made of it alone."""
    robot = random_robot(6, bodies=6, base="free", branched=False, prismatic=False)
    assert identifiability(robot).weak_directions == 0
    phi = np.array(robot.parameters)
    phi[-PER_BODY:] *= 1e-6
    answer = identifiability(robot.with_parameters(phi))
    assert answer.rank == answer.of - 1
    assert answer.weak_directions == 7
    assert {name.rpartition("_")[2] for name in answer.weakest} == {"body5"}


def test_what_structure_shows_does_not_depend_on_how_small_a_part_is():
    """A last link of a millionth: no motion shows it in practice, but nothing else can stand for it."""
    robot = random_robot(6, bodies=6, base="free", branched=False, prismatic=False)
    phi = np.array(robot.parameters)
    phi[-PER_BODY:] *= 1e-6
    assert identifiability(robot.with_parameters(phi)).rank == identifiability(robot).rank
