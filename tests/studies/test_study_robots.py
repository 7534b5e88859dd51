"""The study robots are the published ones, as far as the published numbers can tell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError
from freefloat.models.formula import parse_formula
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com
from freefloat.robot.physicality import check_physicality
from freefloat.robot.transform import rotation_about
from freefloat.robot.yaml_read import robot_from_document
from freefloat.robot.yaml_write import robot_document
from freefloat.studies.catalogue import published, published_names, study_names, study_path, study_robot

# base, joints, wheels, total mass [kg]
MAKE = {
    "cepheus": ("planar", 2, 1, 13.55),
    "christidi_servicer": ("free", 3, 3, 1110.0),
    "gautier_khalil_arm": ("fixed", 3, 0, 26.0),
    "gautier_khalil_arm_physical": ("fixed", 3, 0, 20.3463),
    "naveen_dual_arm": ("free", 6, 3, 2265.0),
    "naveen_dual_arm_offset": ("free", 6, 3, 1695.0),
    "naveen_dual_arm_physical": ("free", 6, 3, 2265.0),
    "planar_known_load": ("planar", 3, 0, 75.0),
    "servicer": ("free", 7, 3, 238.3),
    "spirolazzi_n1": ("free", 7, 0, 238.3323),
    "spirolazzi_oossim": ("free", 7, 0, 238.3323),
    "standing_two_arms": ("fixed", 14, 0, 54.78),
    "thesis_cs1_servicer": ("free", 3, 0, 2110.0),
}
NOT_PHYSICAL = {
    "gautier_khalil_arm": {"link1", "link2", "link3"},
    "naveen_dual_arm": {"link1", "link2", "link3", "link4", "link5", "link6"},
    "naveen_dual_arm_offset": {"link1", "link2", "link4", "link5", "link6"},
    "spirolazzi_oossim": {"link4"},  # on the very border: 0.0049 + 0.0284 = 0.0333
}

# ---------------------------------------------------------------------- mechanics, written out


def states(robot, q, dq, w):
    """Rotation, origin, angular velocity, velocity of every body, in the base frame; the base origin rests."""
    found = {robot.bodies[0].name: (np.eye(3), np.zeros(3), np.asarray(w, float), np.zeros(3))}
    for coordinate, body in enumerate(robot.bodies[1:]):
        R, p, omega, u = found[body.parent]
        arm = R @ body.placement.p
        turned = R @ body.placement.R @ rotation_about(body.joint.axis, q[coordinate])
        spin = turned @ body.joint.axis * dq[coordinate]
        found[body.name] = (turned, p + arm, omega + spin, u + np.cross(omega, arm))
    return found


def centres(robot, q, dq, w):
    """Mass, centre of mass and its velocity of every body, in the base frame."""
    found = states(robot, q, dq, w)
    for body in robot.bodies:
        R, p, omega, u = found[body.name]
        arm = R @ com_of(body.parameters)
        yield body.parameters[0], p + arm, u + np.cross(omega, arm)


def momentum_about_com(robot, q, dq, w):
    """Angular momentum about the centre of mass, in the base frame, wheels at rest."""
    moving = list(centres(robot, q, dq, w))
    middle = sum(mass * c for mass, c, _ in moving) / robot.mass
    drift = sum(mass * u for mass, _, u in moving) / robot.mass
    momentum = sum(mass * np.cross(c - middle, u - drift) for mass, c, u in moving)
    found = states(robot, q, dq, w)
    for body in robot.bodies:
        R, _, omega, _ = found[body.name]
        momentum = momentum + R @ inertia_about_com(body.parameters) @ R.T @ omega
    return momentum


def rotation_from_quaternion(quaternion):
    x, y, z, w = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def motion_of(trajectory, t):
    """Positions and rates, each (instants, joints), of a truncated Fourier series with a quintic."""
    t, end = np.asarray(t, float), trajectory["duration_s"]
    a, b = np.array(trajectory["a_rad_s"]), np.array(trajectory["b_rad_s"])
    lw = 2 * np.pi / end * np.arange(1, a.shape[1] + 1)

    def series(at):
        phase = np.multiply.outer(at, lw)
        q = np.sin(phase) @ (a / lw).T - np.cos(phase) @ (b / lw).T
        dq = np.cos(phase) @ a.T + np.sin(phase) @ b.T
        ddq = -np.sin(phase) @ (a * lw).T + np.cos(phase) @ (b * lw).T
        return q, dq, ddq

    powers = np.polynomial.polynomial.polyvander(np.array([0.0, 1.0]), 5)
    derivative = np.diag(np.arange(1.0, 6.0), 1)  # of the powers of s = t / end
    rows = [powers, powers @ derivative / end, powers @ derivative @ derivative / end**2]
    c = np.linalg.solve(np.vstack(rows), -np.vstack(series(np.array([0.0, end]))))
    at = np.polynomial.polynomial.polyvander(t / end, 5)
    q, dq, _ = series(t)
    return q + at @ c, dq + at @ (derivative / end) @ c


# ---------------------------------------------------------------------- forms, evaluated


def evaluate(form, symbols):
    return eval(form, {"__builtins__": {}}, symbols)


def values_of(entries, symbols):
    """Of closed forms, written as Python expressions."""
    return np.array([evaluate(entry["form"], symbols) for entry in entries])


def sums_of(entries, symbols):
    """Of clusters, written as formulas of the project."""
    names = list(symbols)
    rows = [parse_formula(entry["form"], names) for entry in entries]
    return np.array(rows) @ np.array(list(symbols.values()))


def standard_symbols(robot):
    """`Ixx_link1` and so on, inertias about the body frames."""
    return dict(zip(robot.parameter_names, robot.parameters, strict=True))


def arm_symbols(robot):
    """Masses, inertias about the centres of mass, distances along the arm, as Christidi et al. call them."""
    bodies = robot.bodies
    symbols = {"M": robot.mass}
    for index, body in enumerate(bodies):
        J = inertia_about_com(body.parameters)
        symbols[f"m{index}"], symbols[f"I{index}"] = body.parameters[0], J[2, 2]
        symbols |= {f"I{index}{x}{x}": J[axis, axis] for axis, x in enumerate("xyz")}
    r0 = bodies[1].placement.p - com_of(bodies[0].parameters)
    symbols |= {f"r0{x}": r0[axis] for axis, x in enumerate("xyz")}
    for index in range(1, len(bodies)):
        symbols[f"l{index}"] = com_of(bodies[index].parameters).sum()  # one coordinate only is not zero
        if index + 1 < len(bodies):
            symbols[f"r{index}"] = bodies[index + 1].placement.p.sum() - symbols[f"l{index}"]
    return symbols


def christidi_symbols(robot):
    symbols, given = arm_symbols(robot), published("christidi_servicer")["symbols"]
    return symbols | {name: evaluate(given[name], symbols) for name in ("g", "k2", "k3")}


def spirolazzi_symbols(robot):
    """J about the centres of mass; G by fitting the centres of mass to the six directions at random poses."""
    rng = np.random.default_rng(0)
    directions, places = [], []
    for q in rng.uniform(-2.0, 2.0, (8, 7)):
        poses = states(robot, q, np.zeros(7), np.zeros(3))
        y_axes = [poses[name][0][:, 1] for name in ("link2", "link4", "link6")]
        directions.append(np.column_stack([np.eye(3), *y_axes]))
        places.append(np.array([c for _, c, _ in centres(robot, q, np.zeros(7), np.zeros(3))]).T)
    p, _, rank, _ = np.linalg.lstsq(np.vstack(directions), np.vstack(places), rcond=None)
    assert rank == 6
    np.testing.assert_allclose(np.vstack(directions) @ p, np.vstack(places), atol=1e-14)
    masses = np.array([body.parameters[0] for body in robot.bodies])
    spread = p - (p @ masses / masses.sum())[:, None]
    G = spread * masses @ spread.T
    symbols = {f"G_{d}{e}": G[i, j] for i, d in enumerate("xyzABC") for j, e in enumerate("xyzABC")}
    for body in robot.bodies:
        J = inertia_about_com(body.parameters)
        symbols |= {f"J{x}{x}_{body.name}": J[axis, axis] for axis, x in enumerate("xyz")}
    return symbols


def printed(group):
    """True values as printed, and half a unit of their last digit."""
    values = [math.nan if entry["true_value"] is None else entry["true_value"] for entry in group["entries"]]
    return np.array(values), 0.5 * 10.0 ** -group["printed_decimals"] + 1e-9


# ---------------------------------------------------------------------- all of them


def test_every_study_is_listed_here():
    assert study_names() == tuple(sorted(MAKE))


@pytest.mark.parametrize("name", MAKE)
def test_a_study_robot_is_what_it_should_be(name):
    robot = study_robot(name)
    assert robot.name == name
    assert (robot.base, len(robot.joints), len(robot.wheels)) == MAKE[name][:3]
    assert robot.mass == pytest.approx(MAKE[name][3], rel=1e-12)


@pytest.mark.parametrize("name", MAKE)
def test_axes_meet_at_exactly_right_angles(name):
    for body in study_robot(name).bodies:
        assert set(body.placement.R.ravel()) <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("name", MAKE)
def test_writing_a_study_robot_and_reading_it_back_changes_nothing(name):
    robot = study_robot(name)
    again = robot_from_document(robot_document(robot), "again.yaml")
    assert robot_document(again) == robot_document(robot)
    np.testing.assert_array_equal(again.parameters, robot.parameters)
    for before, after in zip(robot.bodies, again.bodies, strict=True):
        np.testing.assert_array_equal(after.placement.R, before.placement.R)
        np.testing.assert_array_equal(after.placement.p, before.placement.p)


@pytest.mark.parametrize("name", MAKE)
def test_only_the_bodies_that_cannot_exist_are_reported(name):
    findings = check_physicality(study_robot(name))
    assert {finding.body for finding in findings} == NOT_PHYSICAL.get(name, set())


def test_an_unknown_study_is_refused_with_the_names_there_are():
    for look_up in (study_path, study_robot, published):
        with pytest.raises(FreefloatError, match=r"no study named 'cepheos' \(did you mean cepheus\?\)") as caught:
            look_up("cepheos")
        assert str(caught.value).endswith(", thesis_cs1_servicer")
        assert "\n" not in str(caught.value)
    with pytest.raises(FreefloatError, match="no study named"):
        study_path("../studies/servicer")


# ---------------------------------------------------------------------- published numbers as data


def leaves(data, where=()):
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*where, key))
    elif isinstance(data, list):
        for value in data:
            yield from leaves(value, where)
    else:
        yield where, data


@pytest.mark.parametrize("name", published_names())
def test_published_numbers_are_numbers_and_name_their_source(name):
    data = published(name)
    assert data["study"] == name
    assert set(data["source"]) == {"authors", "title", "published_in", "year"}
    for where, value in leaves(data):
        if isinstance(value, str):  # YAML reads 1e-5, without a point, as text
            assert not value.strip().lstrip("+-.").isdigit(), where
            with pytest.raises(ValueError, match="could not convert"):
                float(value)
    for group in data["parameters"].values():
        assert group["table"].startswith("Table")
        assert [entry["index"] for entry in group["entries"]] == list(range(1, len(group["entries"]) + 1))


# ---------------------------------------------------------------------- Naveen, Shah, Misra


def test_naveen_link_parameters_by_hand():
    symbols = standard_symbols(study_robot("naveen_dual_arm"))
    by_hand = {
        "m_link1": 50.0,
        "mx_link1": 50 * 0.6,
        "Ixx_link1": 3.1 + 50 * (0.05**2 + 0.07**2),
        "Izz_link1": 20.51 + 50 * (0.6**2 + 0.05**2),
        "Ixy_link1": 1.9 - 50 * 0.6 * 0.05,
        "my_link2": -40 * 0.04,
        "Ixz_link3": 10.23 - 30 * 0.7 * 0.3,
        "Iyz_link6": 8.52 - 60 * 0.5 * 0.35,
        "Iyy_base": 1200 + 2000 * (0.2**2 + 0.4**2),
        "Ixy_base": 35.52 - 2000 * 0.2 * 0.3,
    }
    for name, value in by_hand.items():
        assert symbols[name] == pytest.approx(value, rel=1e-12), name


def test_naveen_true_robot_has_the_minimal_parameters_of_table_4():
    group = published("naveen_dual_arm")["parameters"]["minimal"]
    values = sums_of(group["entries"], standard_symbols(study_robot("naveen_dual_arm")))
    expected, rounding = printed(group)
    illegible = np.isnan(expected)
    assert (np.flatnonzero(illegible) + 1).tolist() == [41, 42]
    np.testing.assert_allclose(values[~illegible], expected[~illegible], rtol=0, atol=rounding)
    np.testing.assert_allclose(values[illegible], [2.1125, 1.4625], rtol=1e-12)


def test_naveen_table_2_as_printed_contradicts_table_4():
    robot = study_robot("naveen_dual_arm")
    inertia = inertia_about_com(robot.body("link2").parameters)
    phi = robot.parameters.copy()
    phi[20:30] = parameters_from_com(40.0, [0.4, -0.45, -0.05], inertia)
    group = published("naveen_dual_arm")["parameters"]["minimal"]
    values = sums_of(group["entries"], standard_symbols(robot.with_parameters(phi)))
    expected, rounding = printed(group)
    assert (np.flatnonzero(abs(values - expected) > rounding) + 1).tolist() == [18, 19, 20, 21, 24]


def test_naveen_physical_robot_keeps_masses_and_centres_and_raises_small_second_moments():
    truth, physical = study_robot("naveen_dual_arm"), study_robot("naveen_dual_arm_physical")
    for given, made in zip(truth.bodies, physical.bodies, strict=True):
        np.testing.assert_array_equal(made.parameters[:4], given.parameters[:4])
        J = inertia_about_com(given.parameters)
        moments, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
        sigma = axes * np.maximum(moments, 0.02 * moments.max()) @ axes.T
        np.testing.assert_allclose(
            inertia_about_com(made.parameters), np.trace(sigma) * np.eye(3) - sigma, rtol=0, atol=1.5e-3
        )


def test_naveen_excitation_and_wheels_agree():
    excitation, robot = published("naveen_dual_arm")["excitation"], study_robot("naveen_dual_arm")
    kept = excitation["surrogate_intervals"]
    assert len(set(kept)) == excitation["intervals_kept"] == 67
    assert 0 <= min(kept) < max(kept) < excitation["combinations"] == 2**8
    channels = [excitation["order"]["always_forwards"], *excitation["order"]["most_significant_bit_first"]]
    assert channels == [*robot.joint_names, *(wheel.name for wheel in robot.wheels)]
    peak_rate = 2 * excitation["wheels"]["range_rad"] / excitation["interval_s"]
    momenta = robot.wheel_inertias * peak_rate
    np.testing.assert_allclose(momenta, excitation["wheels"]["peak_momentum_Nms"], atol=5e-5)


def test_naveen_table_5_follows_from_table_4():
    data = published("naveen_dual_arm")
    entries = [entry for entry in data["parameters"]["minimal"]["entries"] if entry["true_value"] is not None]
    for case in ("case1", "case2", "case3"):
        errors = [abs(entry[case] / entry["true_value"] - 1) for entry in entries]
        assert 100 * max(errors) == pytest.approx(data["results"][case]["max_error_pct"], abs=0.02)
        errors += [math.inf, math.inf]  # the two illegible ones
        assert 100 * np.median(errors) == pytest.approx(data["results"][case]["median_error_pct"], abs=0.02)


# ---------------------------------------------------------------------- Christidi-Loumpasefski, Papadopoulos


@pytest.mark.parametrize("kind", ["pi", "phi"])
def test_christidi_servicer_has_the_values_of_table_4(kind):
    group = published("christidi_servicer")["parameters"][kind]
    values = values_of(group["entries"], christidi_symbols(study_robot("christidi_servicer")))
    expected, rounding = printed(group)
    assert len(expected) == {"pi": 19, "phi": 5}[kind]
    np.testing.assert_allclose(values, expected, rtol=0, atol=rounding)


def test_christidi_joint_position_as_printed_misses_twelve_values():
    robot = study_robot("christidi_servicer")
    symbols = arm_symbols(robot) | {"r0x": -1.06, "r0y": -1.06, "r0z": 0.67}
    data = published("christidi_servicer")
    symbols |= {name: evaluate(data["symbols"][name], symbols) for name in ("g", "k2", "k3")}
    expected, rounding = printed(data["parameters"]["pi"])
    misses = abs(values_of(data["parameters"]["pi"]["entries"], symbols) - expected) > rounding
    assert (np.flatnonzero(~misses) + 1).tolist() == [7, 8, 9, 10, 11, 12, 19]


def test_thesis_servicer_has_the_values_of_table_4_2():
    forms = published("christidi_servicer")["parameters"]["pi"]["entries"]
    values = values_of(forms, christidi_symbols(study_robot("thesis_cs1_servicer")))
    for group in published("thesis_cs1_servicer")["parameters"].values():
        expected, rounding = printed(group)
        np.testing.assert_allclose(values, expected, rtol=0, atol=rounding)


def test_christidi_momentum_is_conserved_along_the_simulated_motion():
    robot, computed = study_robot("christidi_servicer"), published("christidi_servicer")["computed"]
    wheels = np.array(published("christidi_servicer")["initial"]["wheel_momentum_Nms"]) @ robot.wheel_axes
    for q, dq, w, quaternion in zip(
        *(computed[key] for key in ("q_rad", "dq_rad_s", "angular_rate_rad_s", "quaternion")), strict=True
    ):
        momentum = rotation_from_quaternion(quaternion) @ (momentum_about_com(robot, q, dq, w) + wheels)
        np.testing.assert_allclose(momentum, computed["momentum_Nms"], rtol=1e-9)


def test_christidi_trajectory_passes_the_simulated_positions():
    data = published("christidi_servicer")
    q, dq = motion_of(data["trajectory"], data["computed"]["t_s"])
    np.testing.assert_allclose(q, data["computed"]["q_rad"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(dq, data["computed"]["dq_rad_s"], rtol=0, atol=1e-10)


def test_christidi_points_are_where_the_arm_is():
    robot = study_robot("christidi_servicer")
    np.testing.assert_array_equal(robot.point("joint1").xyz, robot.body("link1").placement.p)
    R, p, *_ = states(robot, np.zeros(3), np.zeros(3), np.zeros(3))["link3"]
    tip = p + R @ robot.point("end_effector").xyz - robot.point("joint1").xyz
    np.testing.assert_allclose(tip, [4.0, 0.0, 0.5], atol=1e-12)
    np.testing.assert_array_equal(R[:, 2], [0.0, -1.0, 0.0])  # joints 2 and 3: a right angle about +x from joint 1


# ---------------------------------------------------------------------- Cepheus


def test_cepheus_momentum_is_what_the_planar_forms_say():
    robot, data = study_robot("cepheus"), published("cepheus")
    pi = values_of(data["parameters"]["pi"]["entries"], arm_symbols(robot))
    rng = np.random.default_rng(1)
    for q1, q2, dq1, dq2, w0 in rng.uniform(-2.0, 2.0, (5, 5)):
        state = {"q1": q1, "q2": q2, "w0": w0, "w1": w0 + dq1, "w2": w0 + dq1 + dq2}
        state |= {"cos": np.cos, "sin": np.sin}
        row = [evaluate(form, state) for form in data["regressor"]]
        momentum = momentum_about_com(robot, [q1, q2], [dq1, dq2], [0.0, 0.0, w0])
        np.testing.assert_allclose(momentum, [0.0, 0.0, pi @ row], rtol=1e-12, atol=1e-15)


def test_cepheus_is_near_what_was_identified_and_keeps_its_limits():
    robot, data = study_robot("cepheus"), published("cepheus")
    symbols = arm_symbols(robot)
    pi, phi = data["parameters"]["pi"]["entries"], data["parameters"]["phi"]["entries"]
    for entry in (pi[4], phi[0], phi[1]):
        assert evaluate(entry["form"], symbols) == pytest.approx(entry["estimate"], rel=0.01)
    q, dq = motion_of(data["trajectory"], np.linspace(0.0, 20.0, 2001))
    for joint, position, rate in zip(robot.joints, q.T, dq.T, strict=True):
        assert joint.position[0] < position.min() < position.max() < joint.position[1]
        assert abs(rate).max() < joint.rate


def test_cepheus_wheel_and_thrusters():
    robot, data = study_robot("cepheus"), published("cepheus")
    momentum = robot.wheel_inertias[0] * data["wheel"]["rate_rad_s"]
    assert momentum == pytest.approx(-0.3349, abs=1e-12)
    test = data["thruster_test"]
    change = test["velocity_y_after_m_s"] - test["velocity_y_before_m_s"]
    assert test["force_N"][1] * test["duration_s"] / change == pytest.approx(13.584, abs=1e-3)
    assert robot.mass == pytest.approx(test["weighed_mass_kg"], rel=1e-12)


# ---------------------------------------------------------------------- Spirolazzi


@pytest.mark.parametrize(
    ("name", "beyond_rounding"),
    [  # the tables of inputs are themselves rounded to four decimals
        ("spirolazzi_n1", {1: 2e-4, 4: 2e-4, 7: 1.1e-4, 12: 1.1e-4, 13: 6e-5, 14: 6e-5}),
        ("spirolazzi_oossim", {12: 1.1e-4, 13: 7e-5}),
    ],
)
def test_spirolazzi_robots_have_the_clusters_of_their_tables(name, beyond_rounding):
    group = published(name)["parameters"]["pi"]
    values = sums_of(group["entries"], spirolazzi_symbols(study_robot(name)))
    expected, rounding = printed(group)
    assert len(expected) == 32
    allowed = np.array([beyond_rounding.get(entry["index"], rounding) for entry in group["entries"]])
    assert (abs(values - expected) <= allowed).all(), values - expected
    beyond = abs(values - expected) > rounding
    assert (np.flatnonzero(beyond) + 1).tolist() == sorted(beyond_rounding)


@pytest.mark.parametrize("name", ["spirolazzi_n1", "spirolazzi_oossim"])
def test_spirolazzi_clusters_are_numbered_as_in_the_appendix(name):
    entries = published(name)["parameters"]["pi"]["entries"]
    assert [entry["index"] for entry in entries if entry["role"] == "known load"] == [19, 20]
    rows = [entry["table_row"] for entry in entries if entry["role"] == "identified"]
    assert rows == list(range(1, 31))


@pytest.mark.parametrize("name", ["spirolazzi_n1", "spirolazzi_oossim"])
def test_spirolazzi_momentum_is_what_the_directions_say(name):
    robot = study_robot(name)
    symbols = spirolazzi_symbols(robot)
    rng = np.random.default_rng(2)
    q, dq, w = rng.normal(size=7), rng.normal(size=7), rng.normal(size=3)
    found = states(robot, q, dq, w)
    momentum = np.zeros(3)
    for body in robot.bodies:
        R, _, omega, _ = found[body.name]
        momentum += R @ inertia_about_com(body.parameters) @ R.T @ omega
    direction = dict(zip("xyz", np.eye(3), strict=True))
    change = {axis: np.cross(w, e) for axis, e in direction.items()}
    for letter, link in zip("ABC", ("link2", "link4", "link6"), strict=True):
        R, _, omega, _ = found[link]
        direction[letter], change[letter] = R[:, 1], np.cross(omega, R[:, 1])
    for d, e in direction.items():
        for other, rate in change.items():
            momentum += symbols[f"G_{d}{other}"] * np.cross(e, rate)
    np.testing.assert_allclose(momentum, momentum_about_com(robot, q, dq, w), rtol=1e-11)


@pytest.mark.parametrize("name", ["spirolazzi_n1", "spirolazzi_oossim"])
def test_spirolazzi_arm_stands_along_z_and_bends_as_modified_dh_says(name):
    robot = study_robot(name)
    np.testing.assert_array_equal(com_of(robot.body("base").parameters), np.zeros(3))
    joint1 = robot.point("joint1").xyz
    np.testing.assert_array_equal(joint1, [0.15, 0.1, 0.5])
    rest = np.zeros(7), np.zeros(3)
    _, p, *_ = states(robot, np.zeros(7), *rest)["load"]
    np.testing.assert_allclose(p - joint1, [0.0, 0.0, 0.20 + 0.40 + 0.39 + 0.28], atol=1e-12)
    for joint, bent in ((2, [-1.07, 0.0, 0.2]), (4, [0.67, 0.0, 0.6]), (6, [-0.28, 0.0, 0.99])):
        q = np.zeros(7)
        q[joint - 1] = np.pi / 2
        _, p, *_ = states(robot, q, *rest)["load"]
        np.testing.assert_allclose(p - joint1, bent, atol=1e-12)


def test_spirolazzi_trajectories_leave_the_limits_as_noted():
    excess = {  # of positions beyond the limits [deg], per joint; negative where they are kept
        "spirolazzi_n1": [-0.07, 1.80, 0.30, 2.24, -1.61, 5.49, 3.52],
        "spirolazzi_oossim": [1.89, 12.31, 7.26, 10.26, 1.91, 3.16, 1.41],
    }
    for name, expected in excess.items():
        robot, trajectory = study_robot(name), published(name)["trajectory"]
        t = np.arange(trajectory["samples"]) / trajectory["rate_Hz"]
        assert t[-1] == trajectory["duration_s"]
        q, _ = motion_of(trajectory, np.linspace(0.0, 150.0, 15001))
        limits = np.array([joint.position[1] for joint in robot.joints])
        np.testing.assert_allclose(np.degrees(abs(q).max(axis=0) - limits), expected, atol=0.011)


def test_the_loads_of_n1_and_of_the_experiment_sit_at_different_distances_from_the_wrist():
    for name, distance in (("spirolazzi_n1", 0.14), ("spirolazzi_oossim", 0.28)):
        robot = study_robot(name)
        found = states(robot, np.zeros(7), np.zeros(7), np.zeros(3))
        R, p, *_ = found["load"]
        wrist = found["link6"][1]
        centre = p + R @ com_of(robot.body("load").parameters)
        np.testing.assert_allclose(centre - wrist, [0.0, 0.0, distance], atol=1e-12)


def test_planar_known_load_obeys_equation_5_6():
    robot = study_robot("planar_known_load")
    load = robot.body("load").parameters
    mass, distance = load[0], com_of(load)[0]
    # turning the load alone, its own share of the momentum is what remains of the mean over its angle
    turns = [
        momentum_about_com(robot, [0.4, -0.9, angle], [0.0, 0.0, 1.0], np.zeros(3))[2]
        for angle in np.linspace(0.0, 2 * np.pi, 12, endpoint=False)
    ]
    share = inertia_about_com(load)[2, 2] + mass * distance**2 * (1 - mass / robot.mass)
    assert np.mean(turns) == pytest.approx(share, rel=1e-12)


# ---------------------------------------------------------------------- Gautier, Khalil


def test_gautier_khalil_arm_has_the_base_parameters_of_table_6():
    group = published("gautier_khalil_arm")["parameters"]["base"]
    expected, _ = printed(group)
    values = sums_of(group["entries"], standard_symbols(study_robot("gautier_khalil_arm")))
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    variant = sums_of(group["entries"], standard_symbols(study_robot("gautier_khalil_arm_physical")))
    computed = published("gautier_khalil_arm")["computed"]
    np.testing.assert_allclose(variant, computed["physical_variant"], rtol=1e-5)
    assert np.linalg.norm(variant - expected) / np.linalg.norm(expected) == pytest.approx(0.0546, abs=5e-5)


def energy_differences(robot, positions, rates):
    """Rows of the energy model between successive points, all standard columns."""
    samples = Samples(q=positions, dq=rates)
    energy = kinetic_energy_regressor(robot, samples) + potential_energy_regressor(robot, samples)
    return np.diff(energy.reshape(len(samples), -1), axis=0)


def test_gautier_khalil_forms_say_all_that_the_energy_shows():
    robot, data = study_robot("gautier_khalil_arm"), published("gautier_khalil_arm")
    rng = np.random.default_rng(3)
    W = energy_differences(robot, rng.uniform(-1.5, 1.5, (200, 3)), rng.uniform(-1.0, 1.0, (200, 3)))
    assert np.linalg.matrix_rank(W, rtol=1e-10) == data["computed"]["rank_with_gravity"]
    names = robot.parameter_names
    forms = [parse_formula(entry["form"], names) for entry in data["parameters"]["base"]["entries"]]
    leading = [names.index(entry["form"].split()[0]) for entry in data["parameters"]["base"]["entries"]]
    np.testing.assert_allclose(W[:, leading] @ np.array(forms), W, atol=1e-12)


def test_gautier_khalil_points_have_the_condition_number_noted():
    robot, data = study_robot("gautier_khalil_arm"), published("gautier_khalil_arm")
    points = np.array(data["computed"]["points"])
    positions = np.column_stack([np.full(len(points), 0.7), points[:, :2]])  # joint 1 has no effect
    W = energy_differences(robot, positions, points[:, 2:])
    names = robot.parameter_names
    leading = [names.index(entry["form"].split()[0]) for entry in data["parameters"]["base"]["entries"]]
    condition_number = np.linalg.cond(W[:, leading])
    assert condition_number == pytest.approx(data["computed"]["condition_number"], rel=1e-3)


# ---------------------------------------------------------------------- the servicer to try things on


def test_the_servicer_has_what_a_mission_needs():
    robot = study_robot("servicer")
    assert robot.body_names == ("base", *(f"link{index}" for index in range(1, 7)), "load")
    assert robot.point("tracker").body == "base"
    assert all(body.shapes for body in robot.bodies)
    assert all(np.isfinite([*joint.position, joint.rate]).all() for joint in robot.joints)
    assert all(math.isfinite(wheel.max_rate) for wheel in robot.wheels)


@pytest.mark.parametrize(
    ("name", "centre", "half"),
    [("base", [0, 0, 0], [0.3, 0.5, 0.4]), ("load", [0, 0, -0.1], [0.155, 0.155, 0.1])],
)
def test_the_servicer_boxes_lie_within_their_capsules(name, centre, half):
    capsules = study_robot("servicer").body(name).shapes
    for signs in np.ndindex(3, 3, 3):  # corners, middles of edges and faces
        point = np.array(centre) + (np.array(signs) - 1) * half
        depths = []
        for capsule in capsules:
            along = capsule.end - capsule.start
            share = np.clip((point - capsule.start) @ along / (along @ along), 0.0, 1.0)
            depths.append(capsule.radius - np.linalg.norm(point - capsule.start - share * along))
        assert max(depths) >= 0.0
