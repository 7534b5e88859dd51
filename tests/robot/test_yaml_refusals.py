"""Bad robot files: one sentence each, with the file, the field, what was found and what is allowed."""

from __future__ import annotations

import numpy as np
import pytest
from robot.one_sentence import sentence
from robot.robot_texts import SERVICER

from freefloat.errors import FileError
from freefloat.robot.yaml_read import read_yaml, robot_from_document

REFUSED = {
    # text in SERVICER: (what is put in its place, what is said)
    "mass_kg: 2.7": [
        ("mass_kg: -2.7", "line 15: bodies[0].mass_kg is -2.7; allowed: a number not less than 0"),
        ("mass_kg: .nan", "line 15: bodies[0].mass_kg is NaN; allowed: a finite number"),
        ("mass_kg: .inf", "line 15: bodies[0].mass_kg is Infinity; allowed: a finite number"),
        ("mass_kg: true", "line 15: bodies[0].mass_kg is true; allowed: a number"),
        ("mass_kg: two", "line 15: bodies[0].mass_kg is 'two'; allowed: a number"),
        ("mas_kg: 2.7", "line 15: bodies[0].mas_kg is not a field (did you mean mass_kg?); allowed: "),
        ("mass_g: 2700", "line 15: bodies[0].mass_g is not a field (did you mean mass_kg?); allowed: "),
        (
            "mass_kg: 1\n    mass_kg: 2",
            "line 16, column 5: bodies[0].mass_kg is given twice, first on line 15",
        ),
        (
            "mass_kg: !!python/name:os.getcwd",
            "line 15, column 14: the tag !!python/name:os.getcwd is not read",
        ),
        ("mass_kg: &m 2.7", "line 15, column 14: anchors (&) and aliases (*) are not read"),
        ("mass_kg: [2.7", "is not well-formed YAML at line 16, column "),
        (
            "mass_kg: 1e300",
            "line 10: body 'link1': its mass, centre of mass or inertia is not a finite number",
        ),
    ],
    "com_m: [0, 0, -0.06]": [
        ("com_m: [0, 0]", "line 16: bodies[0].com_m is [0, 0]; allowed: a list of 3 numbers"),
        ("com_m: [0, 0, .nan]", "line 16: bodies[0].com_m[2] is NaN; allowed: a finite number"),
        ("com_m: [0, no, 0]", "line 16: bodies[0].com_m[1] is 'no'; allowed: a number"),
        (
            "com_m: [0, 0, 0]\n    first_moment_kgm: [0, 0, 0]",
            "line 10: bodies[0] gives com_m and first_moment_kgm; allowed: one of com_m, first_moment_kgm",
        ),
    ],
    "xx: 0.0232": [
        ("ixx: 0.0232", "line 17: bodies[0].inertia_kgm2.ixx is not a field (did you mean xx?)"),
        ("about: middle", "bodies[0].inertia_kgm2.about is 'middle'; allowed: com or frame"),
        ("xy: 0", "line 17: bodies[0].inertia_kgm2.xx is missing; allowed: a number, in kg m^2"),
    ],
    "kind: revolute, position_deg": [
        (
            "kind: rotary, position_deg",
            "line 14: bodies[0].joint.kind is 'rotary'; allowed: revolute, continuous",
        ),
        (
            "kind: prismatic, position_deg",
            "line 14: bodies[0].joint.position_deg does not fit a prismatic joint; allowed: position_m",
        ),
        ("kind: continuous, position_deg", "bodies[0].joint.position_deg does not fit a continuous joint"),
        (
            "kind: fixed, position_deg",
            "bodies[0].joint.position_deg does not fit a fixed joint; allowed: no limits",
        ),
        (
            "position_deg",
            "line 14: bodies[0].joint.kind is missing; allowed: revolute, continuous, prismatic",
        ),
        (
            "kind: revolute, force_N: 3, position_deg",
            "line 14: bodies[0].joint.force_N does not fit a revolute joint; allowed: position_rad",
        ),
        (
            "kind: revolute, drive: {viscous_Nms_rad: 1, coulomb_N: 2}, position_deg",
            "line 14: bodies[0].joint.drive gives coulomb_N, which does not fit a revolute joint; allowed: coulomb_Nm, "
            "viscous_Nms_rad, offset_Nm, asymmetric_Nms_rad, stribeck_Nm, stribeck_rate_rad_s, rotor_kgm2, gear_ratio",
        ),
        (
            "kind: fixed, drive: {viscous_Nms_rad: 1}} #",
            "line 14: bodies[0].joint.drive gives viscous_Nms_rad, which does not fit a fixed joint; allowed: no drive",
        ),
        (
            "kind: revolute, drive: {coulomb_Nm: -1}, position_deg",
            "line 14: bodies[0].joint.drive.coulomb_Nm is -1; allowed: a number not less than 0",
        ),
        (
            "kind: revolute, drive: {gear_ratio: 0}, position_deg",
            "line 14: bodies[0].joint.drive.gear_ratio is 0.0; allowed: a number that is not zero",
        ),
        (
            "kind: revolute, drive: {rotor_kgm2: .inf}, position_deg",
            "line 14: bodies[0].joint.drive.rotor_kgm2 is Infinity; allowed: a finite number",
        ),
        (
            "kind: revolute, position_rad: [0, 1], position_deg",
            "line 14: bodies[0].joint gives position_rad and position_deg; allowed: one of",
        ),
        (
            "kind: revolute, passive: {stiffness_Nm_rad: -1}, position_deg",
            "line 14: bodies[0].joint.passive.stiffness_Nm_rad is -1; allowed: a number not less than 0",
        ),
        (
            "kind: revolute, passive: {stiffness_Nm_rad: 1, damping_Nms_rad: -0.1}, position_deg",
            "line 14: bodies[0].joint.passive.damping_Nms_rad is -0.1; allowed: a number not less than 0",
        ),
        (
            "kind: revolute, passive: {frequency_Hz: 0}, position_deg",
            "line 14: bodies[0].joint.passive.frequency_Hz is 0; allowed: a number greater than 0",
        ),
        (
            "kind: revolute, passive: {frequency_Hz: 1, stiffness_Nm_rad: 2}, position_deg",
            "line 14: bodies[0].joint.passive gives frequency_Hz and stiffness_Nm_rad; allowed: frequency_Hz and "
            "damping_ratio, or stiffness and damping",
        ),
        (
            "kind: revolute, passive: {frequency_Hz: 1e200}, position_deg",
            "passive: stiffness is inf; allowed: zero or more",
        ),
        (
            "kind: revolute, passive: {damping_ratio: 0.01}, position_deg",
            "line 14: bodies[0].joint.passive gives damping_ratio alone; allowed: frequency_Hz, or a",
        ),
        (
            "kind: revolute, passive: {}, position_deg",
            "line 14: bodies[0].joint.passive says nothing of a spring; allowed: frequency_Hz, or a stiffness",
        ),
        (
            "kind: revolute, passive: {stiffness_N_m: 3}, position_deg",
            "line 14: bodies[0].joint.passive gives stiffness_N_m, which does not fit a revolute joint; allowed: "
            "frequency_Hz, damping_ratio, stiffness_Nm_rad, damping_Nms_rad",
        ),
        (
            "kind: prismatic, passive: {stiffness_Nm_rad: 3}} #",
            "line 14: bodies[0].joint.passive gives stiffness_Nm_rad, which does not fit a prismatic joint; allowed: "
            "frequency_Hz, damping_ratio, stiffness_N_m, damping_Ns_m",
        ),
        (
            "kind: fixed, passive: {frequency_Hz: 1}} #",
            "line 14: bodies[0].joint.passive is given of a fixed joint; allowed: of a revolute, continuous or",
        ),
        (
            "kind: revolute, passive: {frequency_Hz: 1}, drive: {viscous_Nms_rad: 1}, position_deg",
            "line 14: bodies[0].joint gives drive and passive; allowed: one of drive, passive",
        ),
        (
            "kind: revolute, passive: {frequency_Hz: 1}, elastic: {frequency_Hz: 9}, position_deg",
            "line 14: bodies[0].joint gives passive and elastic; allowed: one of passive, elastic",
        ),
        (
            "kind: fixed, elastic: {stiffness_Nm_rad: 1e4}} #",
            "line 14: bodies[0].joint.elastic is given of a fixed joint; allowed: of a revolute, continuous or",
        ),
        (
            "kind: revolute, elastic: {stiffness_Nm_rad: 1e4, rotor_kg: 1}, position_deg",
            "line 14: bodies[0].joint.elastic gives rotor_kg, which does not fit a revolute joint; allowed: "
            "frequency_Hz, damping_ratio, stiffness_Nm_rad, damping_Nms_rad, rotor_kgm2",
        ),
        (
            "kind: revolute, drive: {rotor_kgm2: 1}, elastic: {stiffness_Nm_rad: 1e4, rotor_kgm2: 1}, position_deg",
            "line 10: joint 'j1': has a rotor in drive and in elastic; allowed: in one of them",
        ),
        (
            "kind: revolute, axis: [0, 0, 0], position_deg",
            "line 14: bodies[0].joint.axis is [0.0, 0.0, 0.0]; allowed: three numbers, not all zero",
        ),
    ],
    "position_deg: [-100, 100]": [
        (
            "position_deg: [9, -9]",
            "bodies[0].joint.position_deg is [9.0, -9.0]; allowed: the lower limit, then",
        ),
        (
            "position_deg: [.nan, 9]",
            "bodies[0].joint.position_deg is [NaN, 9.0]; allowed: the lower limit, then",
        ),
        ("position_deg: 100", "bodies[0].joint.position_deg is 100; allowed: a list of 2 numbers"),
    ],
    "rate_deg_s: 8": [
        ("rate_deg_s: 0", "bodies[0].joint.rate_deg_s is 0; allowed: a number greater than 0"),
        ("rate_deg_s: .nan", "bodies[0].joint.rate_deg_s is NaN; allowed: a number greater than 0"),
        ("rate_deg_s: false", "bodies[0].joint.rate_deg_s is false; allowed: a number"),
    ],
    "rpy_deg: [0, 0, 0]": [
        (
            "rpy_deg: [0, 0, 0], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
            "line 12: bodies[0].transform gives rotation and rpy_deg; allowed: one of rotation",
        ),
        (
            "rotation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]",
            "allowed: a rotation matrix (orthonormal rows, determinant 1)",
        ),
        (
            "rotation: [[1, 0, 0], [0, 1.00001, 0], [0, 0, 1]]",
            "line 12: bodies[0].transform.rotation is [[1.0, 0.0, 0.0], [0.0, 1.00001, 0.0]",
        ),
        ("rotation: [[1e200, 0, 0], [0, 1, 0], [0, 0, 1]]", "allowed: a rotation matrix"),
        (
            "rotation: [[1, 0, 0], [0, 1, 0]]",
            "transform.rotation is [[1, 0, 0], [0, 1, 0]]; allowed: a list of 3",
        ),
    ],
    "alpha_deg: 0": [
        (
            "alpha_deg: 0, alpha_rad: 0",
            "line 13: bodies[0].dh gives alpha_deg and alpha_rad; allowed: one of",
        ),
        ("alpha: 0", "line 13: bodies[0].dh.alpha is not a field (did you mean alpha_"),
    ],
    "capsule: {": [
        (
            "cylinder: {",
            "line 18: bodies[0].shape[0].cylinder is not a field; allowed: capsule, sphere, ellipsoid",
        ),
        (
            "sphere: {radius_m: 1}, capsule: {",
            "line 18: bodies[0].shape[0] gives capsule and sphere; allowed: one",
        ),
    ],
    "[{capsule: {from_m: [0, 0, 0], to_m: [0, 0, 0.2], radius_m: 0.06}}]": [
        ("[{}]", "line 18: bodies[0].shape[0] names no solid; allowed: one of capsule, sphere, ellipsoid"),
        (
            "[{sphere: {radius_m: 0}}]",
            "bodies[0].shape[0].sphere.radius_m is 0; allowed: a number greater than 0",
        ),
        (
            "[{ellipsoid: {semi_axes_m: [1, 2, -3]}}]",
            "ellipsoid.semi_axes_m[2] is -3; allowed: a number greater",
        ),
    ],
    "parent: link1": [
        (
            "parent: lonk1",
            "line 20: bodies[1].parent is 'lonk1' (did you mean link1?); allowed: base, link1, link2",
        ),
        ("parent: link2", "bodies: these bodies form a cycle and never reach the base: link2"),
    ],
    "parent: base": [("parent: link2", "these bodies form a cycle and never reach the base: link1, link2")],
    "name: link2": [("name: link1", "body 'link1': this name is given twice; names must differ")],
    "name: j2": [("name: j1", "joint 'j1': this name is given twice; names must differ")],
    "name: link1": [
        ("name: 7", "line 10: bodies[0].name is 7; allowed: text"),
        ("name: ''", "line 10: bodies[0].name is ''; allowed: text of at least 1 character"),
    ],
    "axis: [1, 0, 0]": [("axis: [0, 0, 0]", "line 8: base.wheels[0].axis is [0.0, 0.0, 0.0]; allowed: three numbers")],
    "spin_inertia_kgm2: 0.18": [
        ("spin_inertia_kgm2: 0", "base.wheels[0].spin_inertia_kgm2 is 0; allowed: a number greater than 0"),
        (
            "spin_inertia: 0.18",
            "base.wheels[0].spin_inertia is not a field (did you mean spin_inertia_kgm2?)",
        ),
    ],
    "kind: free": [("kind: floating", "line 4: base.kind is 'floating'; allowed: free, planar or fixed")],
    "body: base": [("body: bus", "points.tracker.body is 'bus'; allowed: base, link1, link2")],
    "robot: servicer": [
        ("separate: [load]", "line 1: robot is missing; allowed: a name for the robot"),
        ("robot: s\nseparate: [load]", "line 3: separate[0] is 'load'; allowed: base, link1, link2"),
        (
            "robot: s\ncolour: red",
            "line 3: colour is not a field; allowed: format, robot, base, bodies, appendages, tanks, points",
        ),
    ],
    "mass_kg: 1.5\n": [
        (
            "mass_kg: 0\n  - {name: t, parent: link2, joint: {name: s, kind: revolute, passive: {frequency_Hz: 1}}}\n",
            "line 24: bodies[2] gives frequency_Hz of joint 's', which carries no inertia about its axis; allowed: a "
            "stiffness, or bodies that have some",
        ),
    ],
    "points: {": [
        (
            "appendages: [{name: p, xyz_m: [1, 0, 0], axis: [0, 1, 0], mass_kg: 2, frequency_Hz: -1}]\npoints: {",
            "line 24: appendages[0].frequency_Hz is -1; allowed: a number greater than 0",
        ),
        (
            "appendages: [{name: p, xyz_m: [1, 0, 0], mass_kg: 2, frequency_Hz: 1}]\npoints: {",
            "line 24: appendages[0].axis is missing; allowed: of the hinge, three numbers in the parent's frame",
        ),
        (
            "appendages: [{name: p, xyz_m: [1, 0, 0], axis: [0, 1, 0], mass_kg: 2, frequency_Hz: 1}]\npoints: {",
            "line 24: appendages[0] gives frequency_Hz of joint 'p_hinge', which carries no inertia about its axis",
        ),
        (
            "tanks: [{name: t, parent: bus, xyz_m: [0, 0, 0], length_m: 0.3, mass_kg: 2, frequency_Hz: 1}]\npoints: {",
            "line 24: tanks[0].parent is 'bus'; allowed: base, link1, link2, t_swing, t",
        ),
        (
            "tanks: [{name: t, xyz_m: [0, 0, 0], length_m: 0, mass_kg: 2, frequency_Hz: 1}]\npoints: {",
            "line 24: tanks[0].length_m is 0; allowed: a number greater than 0",
        ),
        (
            "tanks: [{name: link1, xyz_m: [0, 0, 0], length_m: 1, mass_kg: 2, frequency_Hz: 1}]\npoints: {",
            "body 'link1': this name is given twice; names must differ",
        ),
    ],
    "freefloat/robot@1": [
        (
            "freefloat/robot@2",
            "line 1: format is 'freefloat/robot@2', a version that this freefloat does not read",
        ),
        ("freefloat/mission@1", "line 1: format is 'freefloat/mission@1', which is not a robot file"),
    ],
    "format: freefloat/robot@1\n": [("", "does not say what it is; allowed: a first line 'format: freefloat/robot@1'")],
}
CASES = [(found, put, said) for found, cases in REFUSED.items() for put, said in cases]


@pytest.mark.parametrize(("found", "put", "said"), CASES, ids=[put[:50] for _, put, _ in CASES])
def test_bad_input_is_one_sentence_with_file_field_and_what_is_allowed(read, tmp_path, found, put, said):
    assert found in SERVICER
    text = SERVICER.replace(found, put, 1)
    if put == "mass_kg: 1e300":
        text = text.replace("com_m: [0, 0, -0.06]", "com_m: [1e300, 0, 0]")
    told = sentence(read, text)
    assert told.startswith(str(tmp_path / "robot.yaml"))
    assert said in told


def test_a_document_inside_another_file_is_refused_in_its_name():
    document = {"format": "freefloat/robot@1", "robot": "r", "base": {"mass_kg": "heavy"}}
    said = sentence(robot_from_document, document, "n1.estimate.json")
    assert said == "n1.estimate.json: base.mass_kg is 'heavy'; allowed: a number"


def test_any_bytes_give_a_robot_or_one_sentence(tmp_path):
    """Characters of a good file replaced, removed, doubled: never another error, never two lines."""
    rng = np.random.default_rng(1)
    path = tmp_path / "robot.yaml"
    characters = "[]{}:,-#&*!|>'\"%@`\n\t 0.e\x00é"
    refusals = []
    for _ in range(300):
        text = list(SERVICER)
        for _ in range(rng.integers(1, 4)):
            at = rng.integers(len(text))
            text[at : at + rng.integers(3)] = [characters[rng.integers(len(characters))]] * rng.integers(3)
        path.write_text("".join(text))
        try:
            read_yaml(path)
        except FileError as error:
            refusals.append(str(error))
    assert len(refusals) > 100
    assert [said for said in refusals if "\n" in said or not said.startswith(f"{path}: ")] == []
