"""Clusters against what is printed about them: how many there are, under which names, and their values."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from agreement import assert_agree, clear_rank

from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.states import random_states
from freefloat.dynamics.torque import friction_columns, inverse_dynamics, torque_regressor
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity, total_mass
from freefloat.models.formula import parse_formula
from freefloat.models.model import Energy, Momentum, Torque
from freefloat.models.numerical import independent_columns, standard_preference
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PARAMETER_NAMES, com_of, inertia_about_com, seen_from
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform, cos_sin, turn_about
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.christidi.clusters import PI, ZERO, ServicerClusters

SHARED = Path(__file__).parents[3] / "shared" / "robots"
shared_robots = pytest.mark.skipif(not SHARED.is_dir(), reason="shared robots are not beside this repository")


def entries(study, group):
    return published(study)["parameters"][group]["entries"]


def half_a_digit(study, group):
    """Half a unit of the last printed digit."""
    return 0.5 * 10.0 ** -published(study)["parameters"][group]["printed_decimals"] + 1e-9


def by_name(model):
    """Value of each cluster under the name of the parameter that leads it."""
    return dict(zip(model.minimal.leaders, model.values(), strict=True))


# ---------------------------------------------------------------------- Naveen, Shah, Misra


def test_naveen_dual_arm_has_52_clusters_under_their_printed_names_and_values():
    values = by_name(Momentum(study_robot("naveen_dual_arm")))
    printed = entries("naveen_dual_arm", "minimal")
    assert len(values) == len(printed) == 52
    leaders = [entry["name"].split()[0] for entry in printed]  # `Ixx_link1 - Iyy_link1` is led by the first
    assert set(leaders) == set(values)
    legible = {lead: entry["true_value"] for lead, entry in zip(leaders, printed, strict=True)}
    legible = {lead: value for lead, value in legible.items() if value is not None}
    assert len(legible) == 50
    for lead, value in legible.items():
        assert values[lead] == pytest.approx(value, rel=3e-5), lead


def test_naveen_clusters_are_the_printed_forms():
    minimal = Momentum(study_robot("naveen_dual_arm")).minimal
    rows = dict(zip(minimal.leaders, minimal.combine, strict=True))
    for entry in entries("naveen_dual_arm", "minimal"):
        expected = parse_formula(entry["form"].replace("*", " "), minimal.names)
        np.testing.assert_allclose(rows[entry["name"].split()[0]], expected, rtol=0, atol=1e-14)


# ---------------------------------------------------------------------- Christidi-Loumpasefski, Papadopoulos


@pytest.mark.parametrize("study", ["christidi_servicer", "thesis_cs1_servicer"])
def test_the_servicer_with_three_joints_has_19_clusters_with_their_printed_values(study):
    clusters = ServicerClusters(study_robot(study))
    assert set(clusters.angular.minimal.leaders) == set(PI)
    for group in published(study)["parameters"]:
        if group == "phi":
            continue
        printed = entries(study, group)
        assert [entry["index"] for entry in printed] == list(range(1, 20))
        true = [entry["true_value"] for entry in printed]
        np.testing.assert_allclose(clusters.pi, true, rtol=0, atol=half_a_digit(study, group))


def test_christidi_servicer_has_5_clusters_of_velocity_with_their_printed_values():
    clusters, printed = ServicerClusters(study_robot("christidi_servicer")), entries("christidi_servicer", "phi")
    assert len(clusters.velocity.minimal) == 5
    true = [entry["true_value"] for entry in printed]
    np.testing.assert_allclose(clusters.phi, true, rtol=0, atol=half_a_digit("christidi_servicer", "phi"))


@pytest.mark.parametrize(("zero", "count"), [(ZERO, 19), (ZERO[1:], 28), ((), 45)])
def test_christidi_servicer_has_19_28_or_45_clusters_depending_on_what_is_taken_for_zero(zero, count):
    model = AngularMomentum(study_robot("christidi_servicer"), zero=zero)
    rows = model.candidate_rows(random_states(model.robot, 150, seed=3))
    assert len(model.minimal) == count
    assert clear_rank(rows.reshape(-1, rows.shape[-1])) == count


@pytest.mark.parametrize("study", ["christidi_servicer", "thesis_cs1_servicer"])
def test_the_servicer_is_weighed_by_its_19_and_5_clusters(study):
    robot = study_robot(study)
    angular, velocity = AngularMomentum(robot, zero=ZERO), BaseVelocity(robot, zero=ZERO)
    found = total_mass(angular, angular.values(), velocity, velocity.values())
    assert found == pytest.approx(robot.mass, rel=1e-12)


def test_the_planar_robot_with_two_joints_has_8_and_4_clusters_of_the_printed_forms():
    robot = study_robot("cepheus")
    zero = ("link1.my", "link2.my")  # centres of mass on the links
    angular, velocity = AngularMomentum(robot, zero=zero), BaseVelocity(robot, zero=zero)
    assert (len(angular.minimal), len(velocity.minimal)) == (8, 4)
    base, link1, link2 = robot.bodies
    r0 = link1.placement.p - com_of(base.parameters)
    l1, l2 = com_of(link1.parameters)[0], com_of(link2.parameters)[0]
    symbols = {"M": robot.mass, "r0x": r0[0], "r0y": r0[1], "l1": l1, "l2": l2, "r1": link2.placement.p[0] - l1}
    for index, body in enumerate(robot.bodies):
        symbols[f"m{index}"] = body.parameters[0]
        symbols[f"I{index}"] = inertia_about_com(body.parameters)[2, 2]
    ours, seen = by_name(angular), by_name(velocity)
    pi = {  # products with the opposite sign, as above
        1: -ours["[mx_base]*[mx_link1]/M"],
        2: -ours["[mx_base]*[mx_link2]/M"],
        3: -ours["[my_base]*[mx_link1]/M"],
        4: -ours["[my_base]*[mx_link2]/M"],
        5: ours["[Izz_base]"],
        6: -ours["[mx_link1]*[mx_link2]/M"],
        7: ours["[Izz_link1]"],
        8: ours["[Izz_link2]"],
    }
    joint1 = robot.point("joint1").xyz
    phi = {
        1: joint1[0] - seen["[mx_base]/M"],
        2: joint1[1] - seen["[my_base]/M"],
        3: seen["[mx_link1]/M"],
        4: seen["[mx_link2]/M"],
    }
    for found, group in ((pi, "pi"), (phi, "phi")):
        for entry in entries("cepheus", group):
            expected = eval(entry["form"], {"__builtins__": {}}, symbols)
            assert found[entry["index"]] == pytest.approx(expected, rel=1e-10), entry["form"]
    mass = total_mass(angular, angular.values(), velocity, velocity.values())
    assert mass == pytest.approx(published("cepheus")["thruster_test"]["weighed_mass_kg"], rel=1e-12)


# ---------------------------------------------------------------------- Spirolazzi

ALONG = {"link1": "mz", "link2": "my", "link3": "mz", "link4": "my", "link5": "mz", "link6": "my", "load": "mz"}
ONE_COORDINATE = tuple(
    f"{link}.{moment}" for link, kept in ALONG.items() for moment in ("mx", "my", "mz") if moment != kept
)
DIAGONAL = ("*.products", *ONE_COORDINATE)

# Clusters 1 to 20 are led by inertias: the base's six, then Ixx and Izz of each link. The rest, sums of
# mass times places along two directions, are the products; ours have the opposite sign.
APPENDIX = {
    **dict(enumerate((f"[I{axes}_base]" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")), start=1)),
    **dict(enumerate((f"[I{axes}_{link}]" for link in ALONG for axes in ("xx", "zz")), start=7)),
    **dict(
        enumerate(
            (f"[m{x}_base]*[my_{link}]/M" for link in ("link2", "link4", "link6") for x in ("y", "z", "x")),
            start=21,
        )
    ),
    **{30: "[my_link2]*[my_link4]/M", 31: "[my_link2]*[my_link6]/M", 32: "[my_link4]*[my_link6]/M"},
}


@pytest.mark.parametrize("study", ["spirolazzi_n1", "spirolazzi_oossim"])
def test_the_arm_with_seven_joints_has_32_clusters_with_their_printed_values(study):
    values = by_name(AngularMomentum(study_robot(study), zero=DIAGONAL))
    assert len(values) == 32
    assert set(values) == set(APPENDIX.values())
    printed = entries(study, "pi")
    assert [entry["index"] for entry in printed] == list(range(1, 33))
    for entry in printed:
        sign = -1.0 if entry["index"] > 20 else 1.0
        value = sign * values[APPENDIX[entry["index"]]]
        assert value == pytest.approx(entry["true_value"], rel=0, abs=2e-4), entry["index"]


@pytest.mark.parametrize("study", ["spirolazzi_n1", "spirolazzi_oossim"])
def test_what_the_load_makes_known_is_what_the_thesis_leaves_out_of_its_table(study):
    model = AngularMomentum(study_robot(study), known=("load",), zero=DIAGONAL)
    leaders = {model.minimal.leaders[index] for index in model.known_clusters()}
    left_out = [entry["index"] for entry in entries(study, "pi") if entry["role"] == "known load"]
    assert leaders == {APPENDIX[index] for index in left_out}


@pytest.fixture(scope="module")
def seven_joints():
    return AngularMomentum(study_robot("spirolazzi_n1"))


def slopes(model, samples):
    """Rows times the derivative of the clusters with the standard parameters (rows, 10 bodies)."""
    structure = model.underlying.minimal
    rows = model.rows(samples).reshape(-1, len(model.minimal))
    return rows @ model.jacobian(structure.values(model.robot.parameters)) @ structure.combine


def at_zero_momentum(robot, samples):
    v, w = base_reaction(robot, samples)
    return replace(samples, v=v, w=w)


def test_without_simplification_there_are_153_linear_clusters_of_59_unknowns(seven_joints):
    assert len(seven_joints.minimal) == 153
    samples = random_states(seven_joints.robot, 150, seed=3)
    assert clear_rank(seven_joints.rows(samples).reshape(-1, 153)) == 153
    assert clear_rank(slopes(seven_joints, samples)) == len(seven_joints.underlying.minimal) == 59


def test_at_zero_momentum_58_of_the_59_unknowns_show(seven_joints):
    samples = at_zero_momentum(seven_joints.robot, random_states(seven_joints.robot, 150, seed=3))
    rows = seven_joints.rows(samples)
    assert np.abs(rows @ seven_joints.values()).max() < 1e-12 * np.abs(rows * seven_joints.values()).max()
    assert clear_rank(slopes(seven_joints, samples)) == 58


def test_with_the_load_known_all_of_the_52_that_remain_show(seven_joints):
    robot = seven_joints.robot
    model = AngularMomentum(robot, known=("load",))
    samples = at_zero_momentum(robot, random_states(robot, 150, seed=3))
    assert clear_rank(slopes(seven_joints, samples)[:, model.unknown]) == 52
    assert len(Momentum(robot, known=("load",)).minimal) == 52


def test_planar_known_load_the_load_s_own_share_contains_the_unknown_total_mass():
    """Eq. 5.6: (I_L + M_L a_L^2 (1 - M_L / M_tot)) (dq_1 + dq_2 + dq_3 + w_0), known only where a_L is zero."""
    robot = study_robot("planar_known_load")
    zero = ("link1.my", "link2.my", "load.my")
    model = AngularMomentum(robot, known=("load",), zero=zero)
    load = robot.body("load").parameters
    share = inertia_about_com(load)[2, 2] + load[0] * com_of(load)[0] ** 2 * (1.0 - load[0] / robot.mass)
    assert by_name(model)["[Izz_load]"] == pytest.approx(share, rel=1e-13)
    column = model.minimal.leaders.index("[Izz_load]")
    samples = random_states(robot, 20)
    turning = samples.dq.sum(axis=1) + samples.w[:, 2]
    np.testing.assert_allclose(model.rows(samples)[:, 0, column], turning, rtol=0, atol=1e-14)
    assert model.known_clusters().size == 0
    gripped_at_its_centre = AngularMomentum(robot, known=("load",), zero=(*zero, "load.mx"))
    known = gripped_at_its_centre.known_clusters()
    assert [gripped_at_its_centre.minimal.leaders[index] for index in known] == ["[Izz_load]"]


# ---------------------------------------------------------------------- Gautier, Khalil


@pytest.mark.parametrize("model", [Energy, Torque])
def test_gautier_khalil_arm_has_the_15_base_parameters_by_name_and_value(model):
    arm = model(study_robot("gautier_khalil_arm"))
    values, printed = by_name(arm), entries("gautier_khalil_arm", "base")
    rounding = half_a_digit("gautier_khalil_arm", "base")
    assert len(values) == len(printed) == 15
    rows = dict(zip(arm.minimal.leaders, arm.minimal.combine, strict=True))
    for entry in printed:
        axes, kind, link = re.fullmatch(r"(XX|YY|ZZ|XY|XZ|YZ|M)(X|Y|Z)?R?(\d)", entry["name"]).groups()
        lead = f"m{kind.lower()}_link{link}" if axes == "M" else f"I{axes.lower()}_link{link}"
        assert values[lead] == pytest.approx(entry["true_value"], abs=rounding)
        form = parse_formula(entry["form"].replace("*", " "), arm.minimal.names)
        np.testing.assert_allclose(rows[lead], form, rtol=0, atol=1e-14)


@pytest.mark.parametrize("model", [Energy, Torque])
def test_gautier_khalil_arm_without_gravity_has_13(model):
    weightless = model(replace(study_robot("gautier_khalil_arm"), gravity=np.zeros(3)))
    assert len(weightless.minimal) == published("gautier_khalil_arm")["computed"]["rank_without_gravity"] == 13
    assert not {"mx_link2", "my_link2"} & set(weightless.minimal.leaders)


# ---------------------------------------------------------------------- OpenSYMORO: Staubli RX90

SYMORO = {"M": "m", "MX": "mx", "MY": "my", "MZ": "mz"} | {
    axes: f"I{axes.lower()}" for axes in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
}
LENGTHS = {"D3": 0.45, "RL4": 0.38}  # symbols there; any numbers will do


def rx90():
    """The arm of RX90.par: modified Denavit-Hartenberg, joint and frame `j` at the near end of link `j`."""
    text = (SHARED / "opensymoro_rx90" / "RX90.par").read_text()
    listed = dict(re.findall(r"^(\w+) = \{(.*)\}$", text, re.MULTILINE))
    column = {name: listed[name].split(",") for name in ("ant", "sigma", "d", "r", "alpha", "gamma", "b")}
    assert set(column["sigma"]) == set(column["gamma"]) == set(column["b"]) == {"0"}  # revolute, no branches
    bodies = [Body("base")]
    for index in range(6):
        alpha, d, r = (column[name][index] for name in ("alpha", "d", "r"))
        quarters = {"0": 0, "pi/2": 90, "-pi/2": -90}[alpha]
        R = turn_about(0, *cos_sin(quarters, "deg"))
        p = np.array([LENGTHS.get(d, 0.0), 0.0, 0.0]) + R @ [0.0, 0.0, LENGTHS.get(r, 0.0)]
        parent = bodies[int(column["ant"][index])].name
        bodies.append(Body(f"link{index + 1}", parent, Joint(f"j{index + 1}"), Transform(R, p)))
    assert "G = {0,0,G3}" in text
    return Robot("RX90", tuple(bodies), base="fixed", gravity=np.array([0.0, 0.0, 9.81]))


def rx90_groups(standard):
    """The grouped parameters of RX90_regp.txt for given standard ones, by their place in its table."""
    text = (SHARED / "opensymoro_rx90" / "RX90_regp.txt").read_text()
    equations, grouped = text.split("Equations:")[1].split("RX90 grouped inertia parameters")
    symbols = standard | LENGTHS | {f"th{joint}": 0.1 * joint for joint in range(1, 7)}
    symbols |= {"cos": np.cos, "sin": np.sin}
    for name, form in re.findall(r"^(\w+) = (.*)$", equations, re.MULTILINE):
        symbols[name] = eval(form, {"__builtins__": {}}, symbols)
    table = grouped.split("Dynamic inertia parameters")[1].split("*=*")[0].split("\n")
    head, rows = table[1].split(), [line.split() for line in table[2:] if line.strip()]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    places = ((kind, row[0], cell) for row in rows for kind, cell in zip(head[1:], row[1:], strict=True))
    return {(kind, link): symbols[cell] for kind, link, cell in places if cell != "0"}


@shared_robots
def test_rx90_has_the_40_grouped_parameters_of_opensymoro():
    robot = rx90()
    names = (*robot.parameter_names, *(f"IA{joint}" for joint in range(1, 7)))
    samples = random_states(robot, 60)
    rotors = friction_columns(samples)[:, 6:, 12:]
    Y = np.concatenate([torque_regressor(robot, samples)[:, 6:], rotors], axis=2)
    order = np.concatenate([standard_preference(7), 70 + np.arange(6)])
    minimal = independent_columns(Y.reshape(-1, 76), names, order)
    assert len(minimal) == 40
    assert len(Torque(robot).minimal) == 36

    rng = np.random.default_rng(1)
    symbol = {f"{kind}{link}": rng.normal() for kind in (*SYMORO, "IA") for link in range(1, 7)}
    ours = {f"{SYMORO[kind]}_link{link}": symbol[f"{kind}{link}"] for kind in SYMORO for link in range(1, 7)}
    ours |= {name: symbol[name] for name in names if name.startswith("IA")}
    values = dict(zip(minimal.leaders, minimal.values([ours.get(name, 0.0) for name in names]), strict=True))
    theirs = rx90_groups(symbol)
    named = {(kind, link): f"IA{link}" if kind == "IA" else f"{SYMORO[kind]}_link{link}" for kind, link in theirs}
    assert len(theirs) == 40
    assert set(named.values()) == set(values)
    for place, value in theirs.items():
        assert values[named[place]] == pytest.approx(value, rel=1e-12, abs=1e-13), place


# ---------------------------------------------------------------------- SymPyBotics: Puma 560

SYMPYBOTICS = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")


def puma_case(convention):
    expected = json.loads((SHARED / "sympybotics_puma560" / "puma560_expected.json").read_text())
    return expected[f"puma560_{convention}_dh"] | {"gravity": expected["gravity"]}


def puma(convention, case, parameters):
    """The arm in the standard convention (frame at the far end of its link) or the modified one (near end)."""
    given = np.reshape(case[parameters], (6, 10))[:, [SYMPYBOTICS.index(name) for name in PARAMETER_NAMES]]
    bodies, far_end = [Body("base")], Transform()
    for index, (alpha, a, d) in enumerate(case["dh"]):
        R = turn_about(0, *cos_sin(alpha, "rad"))
        if convention == "modified":
            placement, phi = Transform(R, [a, 0.0, 0.0] + R @ [0.0, 0.0, d]), given[index]
        else:
            placement, far_end = far_end, Transform(R, [a, 0.0, d])
            phi = seen_from(far_end, given[index])
        joint = Joint(f"j{index + 1}")
        bodies.append(Body(f"link{index + 1}", bodies[-1].name, joint, placement, phi))
    return Robot("puma560", tuple(bodies), base="fixed", gravity=np.array(case["gravity"]))


@shared_robots
@pytest.mark.parametrize(("parameters", "results"), [("dynparm_test", "pcorke"), ("dynparm_test2", "assrt2")])
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_puma_560_has_36_clusters_that_give_the_printed_torques(convention, parameters, results):
    case = puma_case(convention)
    robot = puma(convention, case, parameters)
    model = Torque(robot)
    assert len(model.minimal) == 36
    rows = model.standard_rows(random_states(robot, 60)).reshape(-1, 70)
    assert len(independent_columns(rows, robot.parameter_names, standard_preference(7))) == 36
    samples = Samples(q=[case["q_test"]], dq=[case["dq_test"]], ddq=[case["ddq_test"]])
    expected = np.reshape(case[f"tau_{results}"], (1, 6))
    np.testing.assert_allclose(inverse_dynamics(robot, samples)[:, 6:], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.rows(samples) @ model.values(), expected, rtol=0, atol=1e-12)
    held = replace(samples, dq=np.zeros((1, 6)), ddq=np.zeros((1, 6)))
    weight = np.reshape(case[f"g_{results}"], (1, 6))
    np.testing.assert_allclose(model.rows(held) @ model.values(), weight, rtol=0, atol=1e-12)


@shared_robots
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_puma_560_clusters_move_its_joints_as_the_printed_mass_matrix_says(convention):
    case = puma_case(convention)
    model = Torque(replace(puma(convention, case, "dynparm_test2"), gravity=np.zeros(3)))
    still = np.zeros((6, 6))
    samples = Samples(q=np.tile(case["q_test"], (6, 1)), dq=still, ddq=np.eye(6))
    assert_agree(model.rows(samples) @ model.values(), np.array(case["M_assrt2"]), 1e-12)
