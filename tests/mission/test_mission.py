"""Missions: read, checked, flown; and the commands around them."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import yaml

from freefloat import __version__
from freefloat.data.load import load_recording
from freefloat.data.origin import Origin
from freefloat.dynamics.momentum_rows import momentum
from freefloat.errors import FileError
from freefloat.estimate.estimate import load_estimate
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.physical.regularisers import TradeOff
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem_data import Nuisances
from freefloat.mission.flying import fly, random_motion, simulate
from freefloat.mission.identifying import estimator_of, identify, problem
from freefloat.mission.mission_file import InvalidMission, load_mission
from freefloat.mission.prior_knowledge import trade_off_of
from freefloat.motion.fourier import PlainFourier
from freefloat.motion.trajectory_file import load_trajectory
from freefloat.robot.rotations import rotations
from freefloat.studies.catalogue import study_path

SENSORS = {
    "joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 20},
    "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 20},
}


@pytest.fixture
def mission_file(tmp_path):
    def write(**changes):
        document = {
            "format": "freefloat/mission@1",
            "mission": "trial",
            "robot": str(study_path("servicer")),
            "known": {"load": {"relative_sd": 0.002}},
            "sensors": SENSORS,
            "excitation": {"duration_s": 10},
        } | changes
        path = tmp_path / "trial.yaml"
        path.write_text(yaml.safe_dump(document))
        return path

    return write


def run(*arguments, cwd):
    command = [sys.executable, "-m", "freefloat", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd)


def test_a_flight_at_zero_momentum_keeps_zero_momentum(mission_file):
    mission = load_mission(mission_file())
    flown = fly(mission, seed=3)
    size = np.abs(momentum(mission.robot, flown[:1])).max() + 1.0
    assert np.abs(momentum(mission.robot, flown)).max() < 1e-11 * size
    assert np.abs(flown.w).max() > 1e-4, "the base reacts"


def test_wheels_given_momentum_while_the_base_was_held_make_the_total(mission_file):
    mission = load_mission(mission_file(momentum={"wheels_Nms": {"wx": 2.0, "wz": -1.0}}))
    flown = fly(mission, seed=3)
    np.testing.assert_allclose(momentum(mission.robot, flown[:1])[0, 3:], [2.0, 0.0, -1.0], atol=1e-9)


def test_the_momentum_of_the_wheels_is_the_total_also_when_the_joints_start_moving(mission_file):
    joints = load_mission(mission_file()).robot.joint_names
    moving = PlainFourier.from_harmonics(joints, np.zeros(7), np.full((7, 1), 0.2), np.zeros((7, 1)), 10.0)
    mission = load_mission(mission_file(momentum={"wheels_Nms": {"wx": 5.0}}))
    flown = fly(mission, moving)
    assert np.abs(flown.dq[0]).min() > 0.1
    total = momentum(mission.robot, flown)
    np.testing.assert_allclose(total[0], [0.0, 0.0, 0.0, 5.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(total[:, 3:], axis=1), 5.0, atol=1e-9)


def test_sensors_between_the_steps_see_a_pulse_begin_and_end_when_it_does(mission_file):
    accelerometer = {"kind": "accelerometer", "rate_Hz": 1000}
    pulse = {"start_s": 0.505, "duration_s": 0.3, "force_N": [50.0, 0.0, 0.0]}
    changes = {"sensors": {"acc": accelerometer}, "excitation": {"duration_s": 1}}
    coarse = load_mission(mission_file(**changes, flight={"pulses": [pulse], "step_s": 0.01}))
    fine = load_mission(mission_file(**changes, flight={"pulses": [pulse], "step_s": 0.001}))
    seen, true = (simulate(mission, seed=2)["accelerometer"].values for mission in (coarse, fine))
    assert np.abs(true).max() > 0.1
    assert np.abs(seen - true).max() < 1e-4


def test_a_pulse_between_steps_loses_nothing_of_its_impulse(mission_file):
    pulse = {"start_s": 0.5031, "duration_s": 0.2, "force_N": [3.0, 0.0, 0.0]}
    mission = load_mission(mission_file(excitation={"duration_s": 1}, flight={"pulses": [pulse], "step_s": 0.05}))
    flown = fly(mission, seed=2)
    force = np.einsum("kij,kj->ki", rotations(flown.attitude), flown.base_wrench[:, :3])
    change = (np.diff(flown.t)[:, None] * (0.5 * (force[1:] + force[:-1]))).sum(axis=0)
    linear = np.einsum("kij,kj->ki", rotations(flown.attitude), momentum(mission.robot, flown)[:, :3])
    np.testing.assert_allclose(linear[-1] - linear[0], change, atol=1e-5)
    assert np.linalg.norm(linear[-1] - linear[0]) == pytest.approx(0.6, rel=1e-3)


def test_recordings_of_different_motions_know_it(mission_file):
    mission = load_mission(mission_file(excitation={"duration_s": 2}))
    one, other = (simulate(mission, random_motion(mission, seed), seed=1) for seed in (1, 2))
    assert one.origin.hashes["motion"] != other.origin.hashes["motion"]


def test_a_random_motion_moves_what_a_design_would(mission_file):
    excitation = {"duration_s": 5, "channels": ["j1", "wx"]}
    mission = load_mission(mission_file(excitation=excitation, flight={"wheel_rates_rad_s": {"wx": 90.0}}))
    wheel = mission.robot.wheel("wx")
    assert random_motion(mission, 1).channels == ("j1", "wx")
    rates = fly(mission, seed=1).wheel_rates[:, mission.robot.wheels.index(wheel)]
    assert 90.0 < np.abs(rates).max() < wheel.max_rate
    free = load_mission(mission_file(excitation=excitation, flight={"wheels": "free"}))
    with pytest.raises(InvalidMission, match=r"flight\.wheels is free, but a random motion drives wheels"):
        random_motion(free, 1)


def test_runs_share_the_flight_and_differ_in_noise_alone(mission_file):
    mission = load_mission(mission_file())
    truth = fly(mission, seed=1)
    one, two = (simulate(mission, seed=1, run=number, truth=truth) for number in (0, 1))
    again = simulate(mission, seed=1, run=1)
    assert np.abs(one["gyro"].values - two["gyro"].values).max() > 0.0
    np.testing.assert_array_equal(two["gyro"].values, again["gyro"].values)
    assert (two.origin.mission, two.origin.seed, two.origin.run) == ("trial", 1, 1)


def test_the_missions_own_trajectory_is_flown_from_a_file_or_written_out(mission_file, tmp_path):
    mission = load_mission(mission_file())
    motion = random_motion(mission, seed=5)
    motion.save(tmp_path / "motion.json")
    from_file = load_mission(mission_file(trajectory="motion.json"))
    written_out = load_mission(mission_file(trajectory=json.loads((tmp_path / "motion.json").read_text())))
    for other in (from_file, written_out):
        np.testing.assert_array_equal(fly(other).q, fly(mission, motion).q)
    assert load_trajectory(tmp_path / "motion.json").duration_s == 10.0


@pytest.mark.parametrize(
    ("changes", "mentions"),
    [
        ({"sensors": {"gyro": {"kind": "gyrometer", "rate_Hz": 10}}}, ["gyrometer", "sensors"]),
        ({"known": {"laod": {}}}, ["laod", "load"]),
        ({"momentum": {"wheels_Nms": {"w9": 1.0}}}, ["w9"]),
        ({"robot": "missing.yaml"}, ["missing.yaml"]),
        ({"trajectory": "missing.json"}, ["missing.json"]),
        ({"excitation": {"duration_s": -1}}, ["duration_s"]),
        ({"format": "freefloat/mission@9"}, ["mission@9", "freefloat/mission@1"]),
        ({"colour": "blue"}, ["colour"]),
        ({"flight": {"start": {"rate_deg_s": [0, 0, 1]}}}, ["momentum is zero"]),
        ({"flight": {"pulses": [{"start_s": 100, "duration_s": 1, "force_N": [1, 0, 0]}]}}, ["pulses[0]", "10 s"]),
        ({"flight": {"disturbance": {"nadir": [0, 0, 2]}}}, ["nadir"]),
        ({"momentum": {"wheels_Nms": {"wx": 5000.0}}}, ["wx", "rad/s"]),
        (
            {"identify": {"method": "maximum-liklihood"}},
            ["identify.method", "did you mean maximum-likelihood", "kalman"],
        ),
        ({"identify": {"models": ["momentun"]}}, ["identify.models[0]", "momentun", "base-velocity"]),
        ({"identify": {"rate_Hz": 0}}, ["identify.rate_Hz", "greater than 0"]),
        ({"identify": {"nuisances": {"gyro_bias_rad_s": -1.0}}}, ["identify.nuisances.gyro_bias_rad_s", "-1"]),
        ({"identify": {"nuisances": {"gyro_drift": 1.0}}}, ["gyro_drift"]),
        ({"identify": {"physical": {"mass_factor": 0.5}}}, ["identify.physical.mass_factor", "greater than 1"]),
        ({"identify": {"physical": {"regulariser": "manhattan"}}}, ["identify.physical.regulariser", "entropic"]),
        ({"identify": {"without": {"a.parquet": ["laod"]}}}, ["laod"]),
        ({"prior": {"mass": 0}}, ["prior.mass", "greater than 0"]),
        ({"prior": "perhaps"}, ["prior", "perhaps"]),
        ({"sensors": {"joints": {"kind": "encoder", "rate_Hz": 10, "joints": ["nope"]}}}, ["sensors.joints", "nope"]),
        (
            {
                "robot": str(study_path("gautier_khalil_arm")),
                "known": {},
                "flight": {"pulses": [{"start_s": 1, "duration_s": 1, "force_N": [1, 0, 0]}]},
            },
            ["fixed base"],
        ),
        (
            {
                "robot": str(study_path("gautier_khalil_arm")),
                "known": {},
                "sensors": {"w": {"kind": "tachometer", "rate_Hz": 1}},
            },
            ["sensors.w"],
        ),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(mission_file, changes, mentions):
    with pytest.raises(FileError) as caught:
        load_mission(mission_file(**changes))
    sentence = str(caught.value)
    assert "\n" not in sentence
    for mention in mentions:
        assert mention in sentence


def test_new_simulate_and_data_work_together(tmp_path):
    assert run("new", "first", cwd=tmp_path).returncode == 0
    refused = run("new", "first", cwd=tmp_path)
    assert (refused.returncode, "first.yaml" in refused.stderr) == (2, True)
    flown = run("simulate", "first.yaml", "--seed", "4", "-o", "flight.parquet", cwd=tmp_path)
    assert flown.returncode == 0, flown.stderr
    described = json.loads(run("data", "flight.parquet", "--plot", "page.html", "--json", cwd=tmp_path).stdout)
    rates = {channel["name"]: channel["rate_Hz"] for channel in described["channels"]}
    assert rates["gyro"] == pytest.approx(100.0)
    noise = described["channels"][0]["columns"][0]["noise"]
    assert noise == pytest.approx(2.5e-5, rel=0.15)
    page = (tmp_path / "page.html").read_text()
    assert "gyro_x_rad_s" in page
    assert 'src="http' not in page, "the page works offline"
    assert "gyro_x_rad_s" in run("data", "flight.parquet", cwd=tmp_path).stdout


def test_several_runs_go_to_a_folder(mission_file, tmp_path):
    mission = mission_file(excitation={"duration_s": 2})
    written = json.loads(run("simulate", mission, "--runs", "3", "-o", "flights", "--json", cwd=tmp_path).stdout)
    assert len(written["recordings"]) == 3
    runs = [load_recording(tmp_path / name).origin.run for name in written["recordings"]]
    assert runs == [0, 1, 2]
    for target, mention in (("one.parquet", "folder"), ("flights", "already")):
        refused = run("simulate", mission, "--runs", "3", "-o", target, cwd=tmp_path)
        assert (refused.returncode, mention in refused.stderr) == (2, True)
    assert not [path for path in tmp_path.iterdir() if ".part" in path.name]


@pytest.mark.parametrize("name", ["servicer", "1", "a: b"])
def test_a_new_mission_of_any_name_can_be_read(tmp_path, name):
    made = run("new", name, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    mission = load_mission(tmp_path / f"{name}.yaml")
    assert mission.name == name
    assert mission.robot.name == "servicer"


def test_a_new_mission_suits_its_robot(tmp_path):
    assert run("new", "arm", "--urdf", study_path("gautier_khalil_arm"), cwd=tmp_path).returncode == 0
    assert set(load_mission(tmp_path / "arm.yaml").sensors) == {"joints", "torques"}


def test_a_motion_beyond_the_limits_is_flown_with_a_warning(mission_file, tmp_path):
    mission = load_mission(mission_file())
    wild = random_motion(mission, seed=1)
    wild.with_coefficients(5.0 * wild.coefficients).save(tmp_path / "wild.json")
    flown = run("simulate", mission.path, "--trajectory", "wild.json", "-o", "w.parquet", cwd=tmp_path)
    assert flown.returncode == 0
    assert "beyond the limits" in flown.stderr


def test_a_bag_without_a_mapping_is_told_what_it_needs(tmp_path):
    bag = tmp_path / "flight.mcap"
    bag.write_bytes(b"")
    refused = run("data", bag, cwd=tmp_path)
    assert (refused.returncode, "--mapping" in refused.stderr) == (2, True)


def test_commands_in_the_wrong_unit_are_refused(mission_file, tmp_path):
    (tmp_path / "commands.csv").write_text("t_s,q_j1_m\n0,0\n1,0.1\n2,0\n3,0\n4,0\n5,0\n6,0\n")
    with pytest.raises(FileError, match=r"commands.csv: line 1: .q_j1_m., but the joint turns; allowed: rad or deg"):
        load_mission(mission_file(trajectory="commands.csv"))


# ---------------------------------------------------------------------- from recordings to parameters

STAR_TRACKER = {"kind": "star-tracker", "noise_arcsec": 5, "rate_Hz": 5}


def flown(mission_file, seed=1, **changes):
    mission = load_mission(mission_file(**changes))
    return mission, simulate(mission, seed=seed)


def test_a_problem_is_what_the_mission_declares(mission_file):
    mission, recording = flown(
        mission_file,
        assume_zero=["link1.mx"],
        prior={"mass": 0.2},
        identify={"nuisances": {"gyro_scale": 1e-3, "clock_drift": None}, "models": ["momentum"]},
    )
    posed = problem(mission, recording)
    assert dict(posed.known) == {"load": 0.002}
    assert posed.zero == ("link1.mx",)
    assert posed.prior == CadSpread(mass=0.2)
    assert posed.nuisances == replace(Nuisances(), gyro_scale=1e-3, clock_drift=None)
    assert posed.models == ("momentum",)
    bare = load_mission(mission_file(prior="none", identify={"nuisances": "none"}))
    assert (problem(bare, recording).prior, problem(bare, recording).nuisances) == (None, Nuisances.none())


def test_scales_of_encoders_are_estimated_where_the_mission_allows_for_them(mission_file):
    fine = {
        "joints": SENSORS["joints"] | {"noise_rad": 1e-6},
        "gyro": SENSORS["gyro"] | {"angle_random_walk_deg_per_sqrt_h": 3e-4},
    }
    asked = {"excitation": {"duration_s": 30}, "identify": {"nuisances": {"joint_scale": 1e-3}}}
    mission, recording = flown(mission_file, sensors=fine, **asked)
    factors = np.array([1.002, 1.0, 0.998, 1.0, 1.0, 1.0, 1.0])
    read = replace(recording["q"], values=factors * recording["q"].values)
    estimate = identify(mission, replace(recording, channels=(read, recording["gyro"])))
    found = {quantity.name: quantity for quantity in estimate.nuisances}
    scales = [found[f"scale of {joint}"] for joint in mission.robot.joint_names]
    assert all(abs(each.value - (1.0 / f - 1.0)) < 4.0 * each.sd for each, f in zip(scales, factors, strict=True))
    assert scales[0].value < -5.0 * scales[0].sd
    assert scales[2].value > 5.0 * scales[2].sd
    assert estimate.causes == ()


@pytest.mark.parametrize(
    ("momentum", "expected"),
    [
        ("zero", ("zero", [0.0, 0.0, 0.0])),
        ("unknown", ("unknown", [0.0, 0.0, 0.0])),
        ({"wheels_Nms": {"wx": 2.0, "wz": -1.0}}, ("known", [2.0, 0.0, -1.0])),
    ],
)
def test_momentum_is_zero_unknown_or_what_the_wheels_were_given(mission_file, momentum, expected):
    mission, recording = flown(mission_file, momentum=momentum)
    found = problem(mission, recording).flights[0].momentum
    assert (found.kind, found.vector.tolist()) == expected


def test_a_walking_gyro_walks_in_base_axes(mission_file):
    gyro = SENSORS["gyro"] | {
        "rate_random_walk_deg_per_h_per_sqrt_h": [3.0, 0.0, 0.0],
        "mounting": {"rpy_deg": [0, 0, 90]},
    }
    mission, recording = flown(mission_file, sensors=SENSORS | {"gyro": gyro})
    walk = problem(mission, recording).flights[0].walks["w"]
    np.testing.assert_allclose(walk, [0.0, np.radians(3.0) / 3600.0 / 60.0, 0.0], atol=1e-22)
    assert not problem(*flown(mission_file)).flights[0].walks


def test_what_was_measured_counts_once(mission_file):
    only_gyro = problem(*flown(mission_file)).flights[0]
    both = problem(*flown(mission_file, sensors=SENSORS | {"stars": STAR_TRACKER})).flights[0]
    without_gyro = {"joints": SENSORS["joints"], "stars": STAR_TRACKER | {"rate_Hz": 20}}
    only_stars = problem(*flown(mission_file, sensors=without_gyro)).flights[0]
    counted = [{"w", "attitude"} & set(flight.noise) for flight in (only_gyro, both, only_stars)]
    assert counted == [{"w"}, {"w", "attitude"}, {"attitude"}]
    assert all(flight.samples.attitude is not None for flight in (only_gyro, both, only_stars))


def test_linear_methods_get_the_rows_that_there_are_data_for(mission_file):
    pose = {"kind": "pose", "position_noise_m": 1e-3, "attitude_noise_deg": 0.01, "rate_Hz": 20}
    velocity = {"kind": "velocity", "axes": "body", "noise_m_s": 1e-4, "rate_Hz": 20}
    assert problem(*flown(mission_file)).models == ("angular-momentum",)
    assert problem(*flown(mission_file, sensors=SENSORS | {"v": velocity})).models == ("momentum",)
    drifting = {"momentum": "unknown", "sensors": SENSORS | {"v": velocity}}
    assert problem(*flown(mission_file, **drifting)).models == ("angular-momentum",)
    drifting["sensors"] = drifting["sensors"] | {"p": pose}
    assert problem(*flown(mission_file, **drifting)).models == ("momentum",)
    arm = {
        "robot": str(study_path("gautier_khalil_arm")),
        "known": {},
        "sensors": {"joints": SENSORS["joints"], "torques": {"kind": "torque", "noise_Nm": 0.01, "rate_Hz": 20}},
    }
    mission, recording = flown(mission_file, **arm)
    assert problem(mission, recording).models == ("torque",)
    assert identify(mission, recording).method == "maximum-likelihood"


def follows_the_command(posed):
    curves = posed.flights[0].joints
    return isinstance(curves, ProjectedCurves)


def test_the_command_is_known_where_the_recordings_motion_is_the_missions(mission_file, tmp_path):
    mission, recording = flown(mission_file)
    assert follows_the_command(problem(mission, recording)), "a random motion of the recording's own seed"
    other = random_motion(mission, seed=7)
    elsewhere = simulate(mission, other, seed=1)
    assert follows_the_command(problem(mission, elsewhere)), "a simulated recording remembers what was commanded"
    elsewhere.save(tmp_path / "elsewhere.parquet")
    assert follows_the_command(problem(mission, load_recording(tmp_path / "elsewhere.parquet")))
    elsewhere = replace(elsewhere, origin=replace(elsewhere.origin, command=None))
    assert not follows_the_command(problem(mission, elsewhere))
    assert follows_the_command(problem(mission, elsewhere, motion=other))
    other.save(tmp_path / "motion.json")
    given = load_mission(mission_file(trajectory="motion.json"))
    assert follows_the_command(problem(given, simulate(given, seed=3)))
    real = replace(simulate(given, seed=3), origin=Origin())
    assert follows_the_command(problem(given, real)), "a recording that does not say where it came from"


def test_wheels_that_nobody_recorded_turn_as_the_mission_says(mission_file):
    mission, recording = flown(mission_file, flight={"wheel_rates_rad_s": {"wy": 3.0}}, momentum="unknown")
    np.testing.assert_array_equal(problem(mission, recording).flights[0].samples.wheel_rates[[0, -1]], [[0, 3, 0]] * 2)
    estimate = identify(mission, recording)
    assert any("wx 0, wy 3, wz 0 rad/s" in sentence for sentence in estimate.warnings)
    assert estimate.outcome == "doubtful"


def test_identify_finds_the_robot_that_flew_and_says_where_it_looked(mission_file, tmp_path):
    mission, recording = flown(mission_file, excitation={"duration_s": 20}, flight={"wheel_rates_rad_s": {}})
    estimate = identify(mission, {"first": recording})
    assert np.abs((estimate.values - estimate.cad) / estimate.sd).max() < 4.5, "the CAD model is what was flown"
    assert estimate.residual.ratio == pytest.approx(1.0, abs=0.1)
    origin = estimate.origin
    assert origin["made_by"] == f"freefloat {__version__}"
    assert (origin["method"], origin["mission"]) == ("maximum-likelihood", "trial")
    assert origin["method_settings"] == {"huber": None, "seeks_swings": False}
    assert set(origin["hashes"]) == {"mission", "robot"}
    assert [(each["name"], each["seed"], each["kind"]) for each in origin["recordings"]] == [("first", 1, "simulated")]
    other = identify(mission, {"first": simulate(mission, seed=2)}, "least-squares")
    assert other.origin["recordings"][0]["sha256"] != origin["recordings"][0]["sha256"]
    assert (other.method, other.origin["method"]) == ("least-squares", "least-squares")
    assert any("add neither the prior nor nuisances" in note for note in other.notes)
    assert not any("neither the prior nor" in note for note in estimate.notes)
    estimate.save(tmp_path / "e.json")
    assert dict(load_estimate(tmp_path / "e.json").origin) == dict(origin)


def test_recordings_with_and_without_a_body_are_told_apart(mission_file):
    mission, recording = flown(mission_file, identify={"without": {"before": ["load"]}})
    both = {"before": recording, "after": simulate(mission, seed=2)}
    assert [flight.without for flight in problem(mission, both).flights] == [("load",), ()]
    swapped = problem(mission, both, without={"before": [], "after": ["load"]})
    assert [flight.without for flight in swapped.flights] == [(), ("load",)]
    plain = load_mission(mission_file())
    assert [flight.name for flight in problem(plain, list(both.values())).flights] == ["flight 1", "flight 2"]
    with pytest.raises(InvalidMission, match="no recording is called 'ater'; there are: before, after"):
        problem(mission, both, without={"ater": ["load"]})
    with pytest.raises(InvalidMission, match=r"identify\.without: no recording is called 'before'; there are: flight"):
        problem(mission, recording)


def test_the_same_recording_counts_once(mission_file):
    mission, recording = flown(mission_file)
    again = replace(recording, origin=Origin())
    with pytest.raises(InvalidMission, match="'flight 2' is the same recording as 'flight 1'"):
        problem(mission, [recording, again])
    with pytest.raises(InvalidMission, match="'b' is the same recording as 'a'"):
        identify(mission, {"a": recording, "b": recording})


def test_a_gyro_that_lags_is_estimated_or_said(mission_file):
    wheels = {"kind": "tachometer", "noise_rad_s": 1e-3, "rate_Hz": 10}
    late = SENSORS | {"gyro": SENSORS["gyro"] | {"delay_s": 0.1}, "wheels": wheels}
    mission, recording = flown(mission_file, sensors=late, excitation={"duration_s": 20})
    estimate = identify(mission, recording)
    offset, sd = estimate.value("time offset of gyro")
    assert abs(offset - 0.1) < 4.0 * sd < 0.02
    assert not any("delays_s" in sentence for sentence in estimate.warnings)
    told = identify(mission, recording, "least-squares")
    assert any("delays_s" in sentence for sentence in told.warnings)


def test_what_is_said_of_the_physical_robot_reaches_its_estimator(mission_file):
    said = {"regulariser": "entropic", "weight": 2.0, "mass_factor": None, "total_mass_kg": {"max": 400.0}}
    mission = load_mission(mission_file(identify={"method": "physically-consistent", "physical": said}))
    made = estimator_of(mission, None).trade_off
    assert (made.regulariser, made.weight, made.mass_factor, made.total_mass) == ("entropic", 2.0, None, (None, 400.0))
    assert not made.inside
    shapes = trade_off_of(load_mission(mission_file(identify={"physical": {"inside": "shapes"}})))
    named = {body.name for body in mission.robot.bodies if body.shapes}
    assert set(shapes.inside) == named & set(mission.robot.body_names)
    assert trade_off_of(load_mission(mission_file())) == TradeOff()
