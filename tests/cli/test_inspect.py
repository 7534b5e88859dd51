"""`freefloat inspect` shows what is in a robot file, and refuses bad input in one sentence."""

import json
import os
import stat
import subprocess
import sys
from types import SimpleNamespace

import pytest
from cli.calling import ended
from random_trees import random_robot

from freefloat.models.formula import parse_formula
from freefloat.studies.catalogue import study_path, study_robot

ARM = """
format: freefloat/robot@1
robot: arm
base:
  mass_kg: 100
  inertia_kgm2: {xx: 10, yy: 11, zz: 12}
  wheels: [{name: wx, axis: [1, 0, 0], spin_inertia_kgm2: 0.2, max_rate_rad_s: 500}]
bodies:
  - name: link1
    parent: base
    transform: {xyz_m: [0.5, 0, 0]}
    joint: {name: j1, kind: revolute, position_deg: [-90, 45], rate_deg_s: 8}
    mass_kg: 5
    com_m: [0.2, 0, 0]
    inertia_kgm2: {xx: 0.1, yy: 0.1, zz: 0.5}
  - name: slider
    parent: link1
    joint: {name: j2, kind: prismatic, axis: [1, 0, 0], position_m: [0, 0.3]}
    mass_kg: 2
    inertia_kgm2: {xx: 0.1, yy: 0.1, zz: 0.1}
points: {tip: {body: slider, xyz_m: [0.1, 0, 0]}}
"""


def run(*arguments):
    return SimpleNamespace(**dict(zip(("returncode", "stdout", "stderr"), ended(arguments), strict=True)))


@pytest.fixture
def arm(tmp_path):
    file = tmp_path / "arm.yaml"
    file.write_text(ARM)
    return file


def test_the_table_shows_tree_masses_limits_wheels_and_what_is_unphysical(arm):
    shown = run("inspect", arm)
    assert shown.returncode == 0, shown.stderr
    for expected in (
        "arm",
        "free base",
        "107 kg",
        "link1",
        "-90 … 45°",
        "8°/s",
        "0 … 0.3 m",
        "wx",
        "100",
        "tip",
    ):
        assert expected in shown.stdout, expected
    assert "body 'link1'" in shown.stdout, "0.1 + 0.1 < 0.5 breaks the triangle inequality"


def test_drives_are_shown_where_there_are_any(arm):
    assert "drive of" not in run("inspect", arm).stdout
    arm.write_text(ARM.replace("rate_deg_s: 8", "rate_deg_s: 8, drive: {viscous_Nms_rad: 1.5, gear_ratio: 100}"))
    assert "drive of j1: viscous_Nms_rad 1.5, gear_ratio 100" in run("inspect", arm).stdout
    said = json.loads(run("inspect", arm, "--json").stdout)["bodies"]
    drives = [body["joint"] and body["joint"]["drive"] for body in said]
    assert drives == [None, {"viscous_Nms_rad": 1.5, "gear_ratio": 100.0}, {}]


SWINGING = """
appendages:
  - {name: panel, xyz_m: [-1, 0, 0], axis: [0, 1, 0], mass_kg: 8, com_m: [-1, 0, 0], frequency_Hz: 0.3}
tanks: [{name: fuel, xyz_m: [0, 0, 0], length_m: 0.25, mass_kg: 20, frequency_Hz: 0.15, damping_ratio: 0.02}]
"""


def test_passive_joints_are_marked_and_their_modes_shown(arm):
    assert "modes" not in run("inspect", arm).stdout
    assert "modes" not in json.loads(run("inspect", arm, "--json").stdout)
    arm.write_text(ARM + SWINGING)
    shown = run("inspect", arm).stdout
    assert shown.count("revolute, passive") == 3
    assert "spring of panel_hinge: stiffness_Nm_rad 28.424, damping_Nms_rad 0" in shown
    assert "modes (driven joints locked at zero, the base afloat" in shown
    document = json.loads(run("inspect", arm, "--json").stdout)
    slosh, other, panel = document["modes"]
    assert 0.15 < slosh["frequency_Hz"] <= other["frequency_Hz"] < 0.2
    assert panel["frequency_Hz"] > 0.3
    assert set(panel["joints"]) == {"panel_hinge", "fuel_x", "fuel_y"}
    assert panel["joints"]["panel_hinge"] == 1
    assert abs(panel["base_turn"][1]) > 10 * abs(panel["base_turn"][0])
    assert panel["coupling_inertia_kgm2"] > 1
    assert document["bodies"][3]["joint"]["passive"] == {
        "stiffness_Nm_rad": pytest.approx(28.424, 1e-4),
        "damping_Nms_rad": 0,
    }


def test_a_passive_joint_that_nothing_brings_back_is_said(arm):
    loose = "{name: j2, kind: prismatic, passive: {stiffness_N_m: 0, damping_Ns_m: 1}, axis: [1, 0, 0]"
    arm.write_text(ARM.replace("{name: j2, kind: prismatic, axis: [1, 0, 0]", loose))
    assert "nothing brings back 1 of 1 motions of passive joints" in run("inspect", arm).stdout
    arm.write_text(
        arm.read_text()
        .replace("mass_kg: 100", "mass_kg: 0")
        .replace("{xx: 10, yy: 11, zz: 12}", "{xx: 0, yy: 0, zz: 0}")
    )
    shown = run("inspect", arm)
    assert (shown.returncode, shown.stderr) == (0, "")


def test_json_is_one_document_with_the_same_facts(arm):
    document = json.loads(run("inspect", arm, "--json").stdout)
    assert document["mass_kg"] == 107
    assert document["joints"] == ["j1", "j2"]
    assert document["centre_of_mass_m"][0] == pytest.approx((5 * 0.7 + 2 * 0.5) / 107)
    assert document["wheels"][0]["spin_inertia_kgm2"] == 0.2
    assert len(document["unphysical"]) == 1


BAD_ROBOTS = {
    "malformed.yaml": (ARM + "\n  - [", "line"),
    "malformed.urdf": ("<robot name='x'><link", "line"),
    "cycle.yaml": (ARM.replace("parent: base", "parent: slider"), "cycle"),
    "parent.yaml": (ARM.replace("parent: link1", "parent: nobody"), "nobody"),
    "twice.yaml": (ARM.replace("name: slider", "name: link1"), "link1"),
    "nan.yaml": (ARM.replace("mass_kg: 5", "mass_kg: .nan"), "mass_kg"),
    "negative.yaml": (ARM.replace("mass_kg: 5", "mass_kg: -5"), "mass_kg"),
    "bomb.urdf": (
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"><link name="l"/></robot>',
        "entit",
    ),
    "tag.yaml": ("!!python/object/apply:os.system ['true']\n", "tag"),
    "unknown_field.yaml": (ARM.replace("com_m: [0.2", "cog_m: [0.2"), "cog_m"),
    "version.yaml": (ARM.replace("robot@1", "robot@7"), "freefloat/robot@1"),
    "robot.par": ("(* RX90 *)", "allowed"),
    "mimic.urdf": (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
        '<child link="b"/><mimic joint="k"/></joint></robot>',
        "mimic",
    ),
}


def assert_one_sentence(result, *mentions):
    assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
    assert result.stdout == ""
    sentence = result.stderr.strip()
    assert "\n" not in sentence, sentence
    assert "Traceback" not in sentence
    for mention in mentions:
        assert mention in sentence, sentence


@pytest.mark.parametrize("name", BAD_ROBOTS)
def test_bad_files_get_one_sentence_and_exit_code_two(tmp_path, name):
    text, mention = BAD_ROBOTS[name]
    file = tmp_path / name
    file.write_text(text)
    assert_one_sentence(run("inspect", file), name, mention)


def test_a_directory_a_missing_a_fifo_and_an_oversized_file_get_one_sentence(tmp_path):
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    assert_one_sentence(run("inspect", folder), "folder.yaml", "directory")
    assert_one_sentence(run("inspect", tmp_path / "missing.yaml"), "missing.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    assert_one_sentence(run("inspect", tmp_path / "pipe.yaml"), "pipe.yaml")
    large = tmp_path / "large.yaml"
    with large.open("wb") as file:
        file.truncate(1 << 30)
    assert_one_sentence(run("inspect", large), "large.yaml", "at most")


def test_an_unreadable_file_gets_one_sentence(tmp_path):
    file = tmp_path / "locked.yaml"
    file.write_text(ARM)
    file.chmod(0)
    if os.access(file, os.R_OK):  # root reads everything: a path through a file cannot be read by anyone
        file.chmod(stat.S_IRUSR)
        file = file / "inside.yaml"
    assert_one_sentence(run("inspect", file), "locked.yaml")


def test_wrong_usage_exits_with_two_and_help_with_zero():
    assert run("inspect").returncode == 2
    assert run("no-such-verb").returncode == 2
    for verb in ("", "inspect", "schema"):
        assert run(*verb.split(), "--help").returncode == 0
    assert run("--version").stdout.startswith("freefloat ")


def test_an_output_that_cannot_be_encoded_gets_no_traceback(arm):
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "freefloat", "inspect", str(arm)]
    plain = subprocess.run(command, env=ascii_only, capture_output=True, text=True, check=False)
    assert (plain.returncode, "Traceback" in plain.stderr) == (0, False)


def test_options_of_models_without_a_model_are_refused(arm):
    assert run("inspect", arm, "--known", "link1").returncode == 2
    assert run("inspect", arm, "--clusters").returncode == 2


def test_a_urdf_is_told_how_its_base_moves(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text('<robot name="r"><link name="a"/></robot>')
    assert json.loads(run("inspect", file, "--base", "fixed", "--json").stdout)["base"] == "fixed"
    assert json.loads(run("inspect", file, "--json").stdout)["base"] == "free"


def test_a_urdf_nested_without_end_gets_one_sentence(tmp_path):
    file = tmp_path / "deep.urdf"
    file.write_text('<robot name="r">' + "<a>" * 50_000 + "</a>" * 50_000 + "</robot>")
    assert_one_sentence(run("inspect", file), "deep.urdf")


def test_a_fixed_base_is_told_that_its_torques_show_everything():
    words = " ".join(run("inspect", study_path("gautier_khalil_arm"), "--model", "torque").stdout.split())
    assert "a motion rich enough shows every cluster, scale included" in words


def test_acceleration_limits_are_shown_where_there_are_any(arm):
    assert "acceleration" not in run("inspect", arm).stdout
    arm.write_text(ARM.replace("rate_deg_s: 8", "rate_deg_s: 8, acceleration_deg_s2: 3"))
    assert "3°/s²" in run("inspect", arm).stdout


def test_the_schema_is_json_and_knows_the_fields():
    schema = json.loads(run("schema").stdout)
    assert "bodies" in schema["properties"]


SERVICER = str(study_path("servicer"))


def test_the_servicer_with_a_load_on_its_last_axis_is_told_on_what_the_scale_rests():
    shown = run("inspect", SERVICER, "--model", "angular-momentum", "--known", "load")
    assert shown.returncode == 0, shown.stderr
    words = " ".join(shown.stdout.split())
    assert "The whole scale rests on Izz_load = 0.4 kg m²" in words
    assert "cm off the axis it would fix the scale" in words


@pytest.mark.parametrize(
    ("study", "model", "count"),
    [
        ("naveen_dual_arm", "momentum", 52),
        ("gautier_khalil_arm", "energy", 15),
        ("gautier_khalil_arm", "torque", 15),
        ("christidi_servicer", "base-velocity", 9),
        ("christidi_servicer", "angular-momentum", 45),
    ],
)
def test_clusters_are_listed_with_formulas_that_parse_back(study, model, count):
    document = json.loads(run("inspect", study_path(study), "--model", model, "--json").stdout)
    clusters = document["clusters"]
    assert len(clusters) == count
    robot = study_robot(study)
    if model in ("momentum", "energy", "torque"):
        for cluster in clusters:
            row = parse_formula(cluster["formula"], robot.parameter_names)
            assert row @ robot.parameters == pytest.approx(cluster["value"], rel=1e-12, abs=1e-12)


def test_assumptions_reduce_the_clusters_and_bad_ones_get_one_sentence():
    assume = "*.products,link1.mx,link1.my,link2.my,link2.mz,link3.my,link3.mz,base.moments"
    study = study_path("christidi_servicer")
    shown = json.loads(run("inspect", study, "--model", "angular-momentum", "--assume-zero", assume, "--json").stdout)
    assert len(shown["clusters"]) == 19
    assert_one_sentence(run("inspect", study, "--model", "momentum", "--known", "lnk1"), "lnk1", "link1")
    assert_one_sentence(
        run("inspect", study_path("gautier_khalil_arm"), "--model", "momentum"), "fixed", "energy or torque"
    )
    assert run("inspect", study, "--model", "weight").returncode == 2


# ---------------------------------------------------------------------- many joints


def saved_chain(joints, folder):
    file = folder / "chain.yaml"
    random_robot(900 + joints, bodies=joints + 1, base="free", branched=False, prismatic=False).save(file)
    return file


def test_twenty_joints_are_counted_and_their_clusters_not_listed(tmp_path):
    chain = saved_chain(20, tmp_path)
    words = " ".join(run("inspect", chain, "--model", "angular-momentum").stdout.split())
    assert "angular-momentum: 946 clusters Clusters are functions of 150 unknowns: --clusters lists them" in words
    assert "show 149 of 150 directions. What is lost is the common scale" in words
    assert "*" not in words, "no product is shown"
    known = run("inspect", chain, "--model", "angular-momentum", "--known", "body20", "--json")
    document = json.loads(known.stdout)
    assert document["cluster_count"] == 946
    assert document.keys().isdisjoint({"clusters", "where", "known_clusters"})
    answer = document["identifiability"]
    assert (answer["rank"], answer["unknown_clusters"], answer["scale_lost"]) == (143, 143, False)
    assert sum(entry["share"] for entry in answer["scale_rests_on"]) == pytest.approx(1.0, abs=0.01)
    assert len(answer["clusters"]) == 143


def test_nine_joints_are_listed_when_asked(tmp_path):
    chain = saved_chain(9, tmp_path)
    unasked, asked = (
        json.loads(run("inspect", chain, "--model", "angular-momentum", "--json", *option).stdout)
        for option in ((), ("--clusters",))
    )
    assert "clusters" not in unasked
    assert unasked["cluster_count"] == asked["cluster_count"] == len(asked["clusters"]) == 231
    assert unasked["never_visible"] == asked["never_visible"]
    assert unasked["identifiability"] == asked["identifiability"]


def test_a_list_of_too_many_clusters_gets_one_sentence(tmp_path):
    refused = run("inspect", saved_chain(50, tmp_path), "--model", "angular-momentum", "--clusters")
    assert_one_sentence(refused, "tree 950", "5715 candidates", "allowed: up to 2500")


MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "freefloat", *sys.argv[1:]], capture_output=True, text=True, check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps({"peak": peak, "document": json.loads(done.stdout)}))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("joints", "clusters", "unknowns"), [(50, 5356, 360), (100, 20706, 710)])
def test_many_joints_take_less_than_two_gigabytes(tmp_path, joints, clusters, unknowns):
    arguments = ["inspect", str(saved_chain(joints, tmp_path)), "--model", "angular-momentum", "--json"]
    done = subprocess.run([sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    peak = found["peak"] * (1 if sys.platform == "darwin" else 1024)  # Linux counts in kilobytes
    assert peak < 2e9
    answer = found["document"]["identifiability"]
    assert found["document"]["cluster_count"] == clusters
    assert (answer["rank"], answer["unknown_clusters"], answer["scale_lost"]) == (unknowns - 1, unknowns, True)
