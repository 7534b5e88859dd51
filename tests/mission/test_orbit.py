"""Missions in orbit: one description for flights, estimates and the sheet; how many intervals hold the truth."""

import numpy as np
import pytest
from cli.calling import ended
from excitation.small_mission import MISSION, SMALL_SENSORS, small_mission, write_small_mission

import freefloat as ff
from freefloat.dynamics.orbit import earth_orbit_rate
from freefloat.estimate.uncertain import HALF
from freefloat.mission.flying import _disturbance, fly, random_motion, simulate
from freefloat.mission.identifying import flights_of, identify, named_recordings, settings_for
from freefloat.robot.rotations import rotations

TILTED = {"attitude_xyzw": [0.3, -0.2, 0.1, 0.9]}
AT_500_KM = {"altitude_km": 500, "inclination_deg": 97, "nadir": [0.6, 0.0, 0.8], "orbit_normal": [0.0, 1.0, 0.0]}


def test_an_orbit_is_flown_and_reckoned_with_in_base_axes_of_the_first_instant(tmp_path):
    mission = small_mission(tmp_path, orbit=AT_500_KM, flight={"start": TILTED}, sensors=SMALL_SENSORS)
    R0 = rotations(np.array([TILTED["attitude_xyzw"]]))[0]
    pushed, orbit = _disturbance(mission), mission.orbit
    assert pushed.orbital_rate_rad_s == orbit.rate_rad_s == earth_orbit_rate(500e3)
    np.testing.assert_allclose(R0.T @ pushed.nadir, [0.6, 0.0, 0.8], atol=1e-15)
    np.testing.assert_allclose(R0.T @ pushed.orbit_normal, [0.0, 1.0, 0.0], atol=1e-15)
    truth = fly(mission, seed=1)
    recording, settings = (
        simulate(mission, seed=1, truth=truth, noise=False),
        settings_for(mission, "maximum-likelihood"),
    )
    ((whole, _),) = flights_of(mission, named_recordings(recording), None, {}, settings)
    assert whole.orbit == orbit
    late = small_mission(
        tmp_path, orbit=AT_500_KM, flight={"start": TILTED}, sensors=SMALL_SENSORS, identify={"window": [12, 20]}
    )
    ((part, _),) = flights_of(late, named_recordings(recording), None, {}, settings)
    R = rotations(truth.attitude)[int(np.searchsorted(truth.t, float(part.t[0]) - 1e-9))]
    np.testing.assert_allclose(part.orbit.nadir, R.T @ R0 @ orbit.nadir_at(part.t[:1])[0], atol=1e-4)
    assert np.linalg.norm(part.orbit.nadir - orbit.nadir) > 0.01
    assert part.momentum.is_unknown


def test_positions_are_those_of_what_coasts_near_another_on_the_orbit(tmp_path):
    """Some metres from it, to a tenth of a millimetre; an estimator that is not told of the orbit finds more left."""
    camera = {"kind": "pose", "position_noise_m": 1e-4, "attitude_noise_deg": 0.01, "rate_Hz": 5}
    sensors = {**MISSION["sensors"], "camera": camera}
    start = {**TILTED, "position_m": [8.0, -5.0, 3.0], "velocity_m_s": [0.02, -0.01, 0.03]}
    told = small_mission(tmp_path, orbit=AT_500_KM, flight={"start": start}, sensors=sensors, momentum="unknown")
    R0 = rotations(np.array([TILTED["attitude_xyzw"]]))[0]
    nadir, normal = R0 @ [0.6, 0.0, 0.8], R0 @ [0.0, 1.0, 0.0]
    secret = {"orbital_rate_rad_s": told.orbit.rate_rad_s, "nadir": nadir.tolist(), "orbit_normal": normal.tolist()}
    flight = {"start": start, "disturbance": secret}
    untold = small_mission(tmp_path, flight=flight, sensors=sensors, momentum="unknown")
    recordings = [simulate(mission, random_motion(mission, 3), seed=3) for mission in (told, untold)]
    np.testing.assert_allclose(*(each["position"].values for each in recordings), atol=1e-12)
    left = [identify(each, recordings[0]).residual.by_channel["position"] for each in (told, untold)]
    assert left[0] < 1.15
    assert left[1] > 1.5


def test_what_is_no_orbit_is_said_in_one_sentence(tmp_path):
    wrong = (
        ({"altitude_km": 500, "orbital_rate_rad_s": 1e-3}, {}, "altitude_km and orbital_rate_rad_s; allowed: one of"),
        ({"inclination_deg": 97}, {}, "orbit gives no size of the orbit; allowed: altitude_km or orbital_rate_rad_s"),
        ({"altitude_km": 500_000_000}, {}, "orbit.altitude_km"),
        ({"altitude_km": 500, "nadir": [0, 1, 0]}, {}, "allowed: unit vectors at a right angle"),
        ({"altitude_km": 500}, {"orbital_rate_rad_s": 0.002}, "flight.disturbance.orbital_rate_rad_s is not that of"),
        ({"altitude_km": 500}, {"nadir": [1, 0, 0]}, "flight.disturbance.nadir is not that of `orbit`; allowed: one"),
    )
    for orbit, disturbance, sentence in wrong:
        write_small_mission(tmp_path, orbit=orbit, flight={"disturbance": disturbance})
        code, _, said = ended(["simulate", "small.yaml", "-o", "flight.parquet"], tmp_path)
        assert code == 2
        assert sentence in said.replace("\n", " ")
    assert not (tmp_path / "flight.parquet").exists()
    same = {"orbital_rate_rad_s": 1e-3, "nadir": [0, 0, 1]}
    assert small_mission(tmp_path, orbit={"orbital_rate_rad_s": 1e-3}, flight={"disturbance": same}).orbit is not None


def test_a_base_that_is_held_is_in_no_orbit(tmp_path):
    robot = ff.study_robot("gautier_khalil_arm")
    robot.save(tmp_path / "arm.yaml")
    (tmp_path / "arm_mission.yaml").write_text(
        "format: freefloat/mission@1\nmission: arm\nrobot: arm.yaml\norbit: {altitude_km: 500}\n"
    )
    code, _, said = ended(["simulate", "arm_mission.yaml", "-o", "flight.parquet"], tmp_path)
    assert code == 2
    assert "allowed: a robot whose base is free" in said.replace("\n", " ")


def test_methods_of_rows_say_that_they_leave_the_orbit_out(tmp_path):
    mission = small_mission(tmp_path, orbit=AT_500_KM, sensors=SMALL_SENSORS)
    recording = simulate(mission, seed=1)
    notes = identify(mission, recording, "weighted").notes
    assert "weighted leaves out the gravity gradient of the orbit; maximum-likelihood reckons with it" in notes


@pytest.mark.slow
def test_intervals_hold_the_truth_at_500_km_beside_a_torque_that_stays(tmp_path):
    """20 flights of 60 s, seeds 0 to 19, each of another robot, with 1e-4 N m constant in inertial axes."""
    mission = small_mission(
        tmp_path,
        orbit=AT_500_KM,
        sensors=SMALL_SENSORS,
        momentum="unknown",
        excitation={"shape": {"harmonics": 3}, "duration_s": 60},
        flight={"disturbance": {"torque_Nm": [6e-5, -6e-5, 5e-5]}},
        identify={"nuisances": {"base_torque_Nm": None, "torque_walk_Nm_per_sqrt_s": None}},  # as it is
    )
    held, squares = [], []
    for seed in range(20):
        robot = ff.draw_robot(mission, seed)
        estimate = identify(mission, simulate(mission, random_motion(mission, seed), seed, robot=robot))
        off = (estimate.values - estimate.minimal.values(robot.parameters)) / estimate.sd
        held.append((np.abs(off) < HALF).mean())
        squares.append((off**2).mean())
    spread = np.std(held) / np.sqrt(len(held))
    print(f"coverage {np.mean(held):.3f} +- {spread:.3f}, errors over intervals {np.sqrt(np.mean(squares)):.2f}")
    assert abs(np.mean(held) - 0.95) < max(2.5 * spread, 0.02)
