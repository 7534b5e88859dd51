"""Every sensor says what is true, with the errors that it was given and no others, always the same way."""

import hashlib
import math
import multiprocessing

import numpy as np
import pytest
from data.recordings_made import said_by
from scipy.spatial.transform import Rotation
from sensors.sensor_motions import LAYOUT, cone, flight, still, truth

from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError, ShapeError, UnknownName
from freefloat.files import Section, validate
from freefloat.plain_yaml import parse_yaml
from freefloat.robot.rotations import rotations
from freefloat.sensors.accelerometer import Accelerometer
from freefloat.sensors.encoder import Encoder
from freefloat.sensors.gyro import Gyro
from freefloat.sensors.joint_rate_sensor import JointRateSensor
from freefloat.sensors.kinds import Sensors, make_sensor
from freefloat.sensors.pose_sensor import PoseSensor
from freefloat.sensors.star_tracker import StarTracker
from freefloat.sensors.tachometer import Tachometer
from freefloat.sensors.torque_sensor import TorqueSensor
from freefloat.sensors.truth import Truth
from freefloat.sensors.velocity_sensor import VelocitySensor
from freefloat.simulation.recorded import record

T = np.linspace(0.0, 4.0, 401)
MOVING = truth(T)
MOUNTED = {"xyz_m": [0.3, -0.2, 0.5], "rpy_deg": [90, 20, -40]}
ARM = np.array([0.3, -0.2, 0.5])
TURNED = Rotation.from_euler("ZYX", [-40, 20, 90], degrees=True).as_matrix()
MICRO_G = 9.80665e-6

EVERY_KIND = [
    {"kind": "encoder", "noise_rad": 1e-4, "noise_m": 1e-3, "zero_offset_sd_rad": 1e-3, "bits": 20},
    {"kind": "joint-rate", "noise_rad_s": 1e-3, "noise_m_s": 1e-4, "bias_sd_rad_s": 1e-2, "resolution_m_s": 1e-5},
    {"kind": "torque", "noise_Nm": 0.1, "offset_sd_Nm": 0.2, "range_Nm": 1.5},
    {"kind": "tachometer", "noise_rad_s": 0.1, "resolution_rad_s": 0.01},
    {
        "kind": "gyro",
        "angle_random_walk_deg_per_sqrt_h": 0.1,
        "bias_instability_deg_per_h": 1.0,
        "rate_random_walk_deg_per_h_per_sqrt_h": 3.0,
        "bias_sd_deg_per_h": 1.0,
        "scale_sd_ppm": 100,
        "misalignment_sd_mrad": 1.0,
    },
    {"kind": "accelerometer", "velocity_random_walk_m_s_per_sqrt_h": 0.1, "bias_sd_ug": 50, "range_g": 2},
    {"kind": "star-tracker", "noise_arcsec": [5, 5, 40], "misalignment_sd_arcsec": 20},
    {"kind": "pose", "position_noise_m": 1e-3, "attitude_noise_deg": 0.1, "position_offset_sd_m": 0.01},
    {"kind": "velocity", "velocity_random_walk_m_s_per_sqrt_h": 0.01, "accelerometer_bias_sd_ug": 10},
    {
        "kind": "velocity",
        "axes": "body",
        "velocity_random_walk_m_s_per_sqrt_h": 0.01,
        "accelerometer_bias_ug": 10,
    },
    {"kind": "wrench", "noise_N": 0.5, "noise_Nm": [0.1, 0.1, 0.2], "offset_sd_N": 1.0, "resolution_Nm": 1e-3},
]


def made(settings, **more):
    mounted = (
        {} if settings["kind"] in ("encoder", "joint-rate", "torque", "tachometer", "wrench") else {"mounting": MOUNTED}
    )
    return make_sensor("sensor", {"rate_Hz": 37.0, "dropouts": 0.1, **mounted, **settings, **more})


def perfect(kind, **settings):
    """What a sensor without errors says, by channel."""
    channels = make_sensor("sensor", {"kind": kind, "rate_Hz": 73.0, **settings}).measure(MOVING, 0)
    return {channel.name: channel for channel in channels}


# ---------------------------------------------------------------------- without errors: the truth


def test_joint_and_wheel_sensors_read_their_axes():
    (q,) = perfect("encoder").values()
    (dq,) = perfect("joint-rate").values()
    (tau,) = perfect("torque").values()
    (wheel,) = perfect("tachometer", wheels=["wy"]).values()
    np.testing.assert_allclose(q.values, flight(q.t).q, atol=1e-8)
    np.testing.assert_allclose(dq.values, flight(q.t).dq, atol=1e-7)
    np.testing.assert_allclose(tau.values, flight(q.t).torques, atol=1e-3)
    np.testing.assert_allclose(wheel.values, flight(q.t).wheel_rates[:, 1:], atol=1e-9)
    assert (*q.columns, *dq.columns, *tau.columns, *wheel.columns) == (
        "q_j1_rad", "q_lift_m", "dq_j1_rad_s", "dq_lift_m_s", "tau_j1_Nm", "tau_lift_N", "wheel_wy_rad_s",
    )  # fmt: skip


def test_joints_are_chosen_by_name():
    (q,) = perfect("encoder", joints=["lift"]).values()
    assert q.columns == ("q_lift_m",)
    with pytest.raises(UnknownName, match="no joint named 'j9'; this robot has: j1, lift"):
        perfect("encoder", joints=["j9"])
    with pytest.raises(UnknownName, match="no joint named 'j9'"):
        perfect("encoder", noise_rad={"j9": 1.0})
    with pytest.raises(UnknownName, match="no wheel named 'wz'"):
        perfect("tachometer", wheels=["wz"])


def test_a_gyro_reads_in_its_own_axes():
    gyro = perfect("gyro", mounting=MOUNTED)["gyro"]
    np.testing.assert_allclose(gyro.values @ TURNED.T, flight(gyro.t).w, atol=1e-8)


def test_an_accelerometer_feels_where_it_sits():
    """Against the second derivative of its position, by a difference quotient of the test's own motion."""
    found = perfect("accelerometer", mounting=MOUNTED)["accelerometer"]
    gravity = np.array([0.0, 0.0, -9.81])
    heavy = Truth(MOVING.samples, LAYOUT, gravity)
    (weighed,) = make_sensor("a", {"kind": "accelerometer", "rate_Hz": 73.0, "mounting": MOUNTED}).measure(heavy, 0)

    def where(t):
        return flight(t).position + rotations(cone(t)[0]) @ ARM

    step = 1e-4
    acceleration = (where(found.t + step) - 2 * where(found.t) + where(found.t - step)) / step**2
    axes = rotations(cone(found.t)[0]) @ TURNED
    np.testing.assert_allclose(found.values, np.einsum("nji,nj->ni", axes, acceleration), atol=2e-6)
    felt = np.einsum("nji,nj->ni", axes, acceleration - gravity)
    np.testing.assert_allclose(weighed.values, felt, atol=2e-6)


def test_pose_and_star_tracker_give_position_and_attitude_of_their_frame():
    pose, tracker = perfect("pose", mounting=MOUNTED), perfect("star-tracker", mounting=MOUNTED)
    at = flight(pose["position"].t)
    R = rotations(at.attitude)
    np.testing.assert_allclose(pose["position"].values, at.position + R @ ARM, atol=1e-7)
    for channel in (pose["attitude"], tracker["attitude"]):
        np.testing.assert_allclose(rotations(channel.values), R @ TURNED, atol=1e-7)
    assert list(perfect("pose", gives_attitude=False)) == ["position"]


def test_velocity_is_that_of_its_point_in_either_axes():
    inertial = perfect("velocity", mounting=MOUNTED)["velocity"]
    body = perfect("velocity", mounting=MOUNTED, axes="body")["body_velocity"]
    at = flight(inertial.t)
    v = at.v + np.cross(at.w, ARM)
    np.testing.assert_allclose(body.values @ TURNED.T, v, atol=1e-6)
    np.testing.assert_allclose(inertial.values, np.einsum("nij,nj->ni", rotations(at.attitude), v), atol=1e-6)


# ---------------------------------------------------------------------- errors of joint sensors

QUIET = still(2000.0)
RUNS = 500


def spread_of(settings, runs=RUNS, motion=QUIET):
    (readings,) = make_sensor("s", {"rate_Hz": 0.05, **settings}).measure_batch(motion, 3, range(runs))
    return readings.values


def close(values, expected):
    """A standard deviation, as near as chance allows."""
    assert np.std(values) == pytest.approx(expected, rel=4.0 / math.sqrt(2 * np.size(values)))


def test_encoder_noise_is_per_joint_and_in_its_unit():
    values = spread_of({"kind": "encoder", "noise_rad": {"j1": 2.5e-5}, "noise_m": 1e-3})
    close(values[..., 0], 2.5e-5)
    close(values[..., 1], 1e-3)


def test_zero_offsets_are_fixed_or_drawn_once_per_run():
    values = spread_of({"kind": "encoder", "zero_offset_rad": 0.01, "zero_offset_sd_rad": 1e-3, "zero_offset_m": -2})
    assert (values == values[:, :1]).all()
    close(values[:, 0, 0], 1e-3)
    assert values[:, 0, 0].mean() == pytest.approx(0.01, abs=4e-3 / math.sqrt(RUNS))
    assert (values[..., 1] == -2.0).all()


def test_joint_rates_have_noise_and_a_bias():
    values = spread_of({"kind": "joint-rate", "noise_rad_s": 2e-3, "noise_m_s": 1e-4})
    close(values[..., 0], 2e-3)
    close(values[..., 1], 1e-4)
    values = spread_of({"kind": "joint-rate", "bias_rad_s": 0.01, "bias_sd_rad_s": 1e-3, "bias_m_s": {"lift": -2}})
    assert (values == values[:, :1]).all()
    close(values[:, 0, 0], 1e-3)
    assert values[:, 0, 0].mean() == pytest.approx(0.01, abs=4e-3 / math.sqrt(RUNS))
    assert (values[..., 1] == -2.0).all()


def test_torque_and_wheel_noise():
    values = spread_of({"kind": "torque", "noise_Nm": 0.1, "noise_N": 3.0, "offset_sd_N": 0.0})
    close(values[..., 0], 0.1)
    close(values[..., 1], 3.0)
    close(spread_of({"kind": "tachometer", "noise_rad_s": 0.2}), 0.2)


def test_counts_are_whole_and_add_a_twelfth_of_their_square():
    step = 2.0 * math.pi / 2**12
    encoder = make_sensor("e", {"kind": "encoder", "bits": 12, "joints": ["j1"], "rate_Hz": 100.0})
    (q,) = encoder.measure(MOVING, 0)
    counts = q.values / step
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    error = q.values - flight(q.t).q[:, :1]
    assert abs(error).max() <= 0.5 * step * (1 + 1e-6)
    (output,) = encoder.outputs(LAYOUT)
    assert output.sample_sd == pytest.approx([step / math.sqrt(12)])
    assert error.std() == pytest.approx(output.sample_sd[0], rel=0.05)


def test_only_the_joint_with_a_resolution_is_rounded():
    (q,) = perfect("encoder", resolution_rad={"j1": 0.25}).values()
    assert set(np.unique(q.values[:, 0])) <= set(np.arange(-4, 5) * 0.25)
    np.testing.assert_allclose(q.values[:, 1], flight(q.t).q[:, 1], atol=1e-8)


def test_saturation_cuts_at_the_range():
    (tau,) = perfect("torque", range_Nm=1.5).values()
    true = flight(tau.t).torques
    assert abs(true[:, 0]).max() > 1.9
    np.testing.assert_allclose(tau.values[:, 0], np.clip(true[:, 0], -1.5, 1.5), atol=1e-3)
    np.testing.assert_allclose(tau.values[:, 1], true[:, 1], atol=1e-4)
    limit = math.radians(20.0)
    assert abs(flight(T).w).max() > limit
    assert abs(perfect("gyro", range_deg_s=20.0)["gyro"].values).max() == limit
    assert abs(perfect("joint-rate", range_rad_s=1.0)["dq"].values[:, 0]).max() == 1.0
    assert abs(perfect("tachometer", range_rad_s=120.0)["wheel"].values).max() == 120.0
    assert abs(perfect("velocity", range_m_s=0.5)["velocity"].values).max() == 0.5


# ---------------------------------------------------------------------- errors of mounted sensors


def test_scale_and_misalignment_are_those_given():
    w = perfect("gyro")["gyro"].values
    scaled = perfect("gyro", scale_ppm=[1000, 0, -500])["gyro"].values
    np.testing.assert_allclose(scaled, w * [1.001, 1.0, 0.9995], rtol=1e-12)
    turn = np.array([3.0, -2.0, 1.0])  # mrad: small enough for first order
    turned = perfect("gyro", misalignment_mrad=turn.tolist())["gyro"].values
    np.testing.assert_allclose(turned, w @ Rotation.from_rotvec(1e-3 * turn).as_matrix(), atol=2e-5)
    np.testing.assert_allclose(turned - w, -np.cross(1e-3 * turn, w), atol=1e-15)
    skew = perfect("gyro", nonorthogonality_mrad=[1, 2, 3])["gyro"].values
    expected = w + 1e-3 * np.stack([w[:, 1] + 2 * w[:, 2], 3 * w[:, 2], 0 * w[:, 0]], axis=1)
    np.testing.assert_allclose(skew, expected, atol=1e-15)


def test_scale_and_misalignment_are_drawn_once_per_run():
    t = np.array([0.0, 1000.0])
    steady = Samples(q=np.zeros((2, 0)), w=np.tile([1.0, 0.0, 0.0], (2, 1)), t=t)
    settings = {"kind": "gyro", "scale_sd_ppm": 300, "misalignment_sd_mrad": 2.0}
    values = spread_of(settings, runs=4000, motion=Truth(steady))
    np.testing.assert_allclose(values, values[:, :1].repeat(values.shape[1], axis=1), rtol=1e-12)
    close(values[:, 0, 0], 300e-6)
    close(values[:, 0, 1], 2e-3)
    close(values[:, 0, 2], 2e-3)


def test_a_star_tracker_has_noise_about_its_own_axes():
    arcsec = math.radians(1 / 3600)
    tracker = make_sensor("st", {"kind": "star-tracker", "noise_arcsec": [5, 6, 40], "rate_Hz": 9, "mounting": MOUNTED})
    (readings,) = tracker.measure_batch(MOVING, 1, range(RUNS))
    true = Rotation.from_matrix(rotations(flight(readings.t).attitude) @ TURNED)
    seen = Rotation.from_quat(readings.values.reshape(-1, 4))
    error = (Rotation.concatenate([true] * RUNS).inv() * seen).as_rotvec() / arcsec
    assert readings.output.sample_sd / arcsec == pytest.approx([5, 6, 40])
    for axis, expected in enumerate([5, 6, 40]):
        close(error[:, axis], expected)
    np.testing.assert_allclose(np.linalg.norm(readings.values, axis=2), 1.0, rtol=1e-14)


def test_a_misaligned_star_tracker_is_turned_by_as_much_in_its_own_axes():
    tracker = make_sensor(
        "st", {"kind": "star-tracker", "misalignment_arcsec": [360, 0, -720], "rate_Hz": 9, "mounting": MOUNTED}
    )
    (channel,) = tracker.measure(MOVING, 1)
    true = Rotation.from_matrix(rotations(flight(channel.t).attitude) @ TURNED)
    error = (true.inv() * Rotation.from_quat(channel.values)).as_rotvec(degrees=True)
    np.testing.assert_allclose(error, [[0.1, 0.0, -0.2]] * len(channel), atol=1e-5)


def test_pose_noise_is_that_of_position_and_attitude():
    pose = make_sensor("p", {"kind": "pose", "position_noise_m": [1, 2, 3], "attitude_noise_deg": 0.1, "rate_Hz": 0.05})
    position, attitude = pose.measure_batch(QUIET, 1, range(RUNS))
    for axis in range(3):
        close(position.values[..., axis], axis + 1)
        close(2.0 * np.degrees(attitude.values[..., axis]), 0.1)


def test_tracked_velocity_has_white_noise():
    close(spread_of({"kind": "velocity", "noise_m_s": 0.02}), 0.02)


def test_an_accelerometers_bias_is_integrated_in_turning_axes():
    """Closed form: a base that turns about z at a constant rate, its sensor turned by 90 degrees about z."""
    rate, t = 0.2, np.linspace(0.0, 30.0, 301)
    angle = rate * t
    zeros = np.zeros_like(t)
    samples = Samples(
        q=np.zeros((t.size, 0)),
        w=np.tile([0.0, 0.0, rate], (t.size, 1)),
        dw=np.zeros((t.size, 3)),
        v=np.zeros((t.size, 3)),
        attitude=np.stack([zeros, zeros, np.sin(angle / 2), np.cos(angle / 2)], axis=1),
        t=t,
    )
    settings = {"kind": "velocity", "rate_Hz": 10, "accelerometer_bias_ug": [10, 0, 5]}
    settings["mounting"] = {"rpy_deg": [0, 0, 90]}
    (found,) = make_sensor("v", settings).measure(Truth(samples), 0)
    a = rate * found.t
    expected = MICRO_G * np.stack([10 * (np.cos(a) - 1) / rate, 10 * np.sin(a) / rate, 5 * found.t], axis=1)
    np.testing.assert_allclose(found.values, expected, atol=1e-10)
    (body,) = make_sensor("v", {**settings, "axes": "body"}).measure(Truth(samples), 0)
    back = Rotation.from_rotvec(np.outer(a + math.pi / 2, [0.0, 0.0, 1.0])).inv().apply(expected)
    np.testing.assert_allclose(body.values, back, atol=1e-10)


def test_an_accelerometers_bias_may_be_drawn():
    values = spread_of({"kind": "velocity", "accelerometer_bias_sd_ug": 10}, runs=4000)
    close(values[:, -1] / 2000.0, 10 * MICRO_G)
    sensor = VelocitySensor(rate_Hz=1, accelerometer_bias_ug=3, accelerometer_bias_sd_ug=10)
    np.testing.assert_allclose(sensor.accelerometer_bias[0], 3 * MICRO_G)
    np.testing.assert_allclose(sensor.accelerometer_bias[1], 10 * MICRO_G)


# ---------------------------------------------------------------------- time


def test_a_delay_shows_what_was():
    (late,) = make_sensor("g", {"kind": "gyro", "rate_Hz": 50, "delay_s": 0.043}).measure(MOVING, 0)
    np.testing.assert_allclose(late.values, flight(late.t - 0.043).w, atol=1e-8)
    assert (late.t[0], late.t[-1]) == (pytest.approx(0.06), pytest.approx(4.04))


def test_a_fast_clock_stamps_late():
    (fast,) = make_sensor("g", {"kind": "gyro", "rate_Hz": 50, "clock_drift_ppm": 20_000}).measure(MOVING, 0)
    np.testing.assert_allclose(np.diff(fast.t), 0.02, rtol=1e-9)
    np.testing.assert_allclose(fast.values, flight(fast.t / 1.02).w, atol=1e-8)
    assert len(fast) == 205  # 4 s by the true clock are 4.08 s by this one


@pytest.mark.parametrize("rate", [3.0, 7.0, 100.0, 73.0])
def test_samples_cover_the_motion_from_its_first_to_its_last_instant(rate):
    (q,) = make_sensor("e", {"kind": "encoder", "rate_Hz": rate}).measure(still(150.0), 0)
    assert len(q) == 150 * rate + 1
    assert (q.t[0], q.t[-1]) == (0.0, pytest.approx(150.0, rel=1e-15))


def test_a_motion_need_not_start_at_zero():
    t = T + 1000.0
    (gyro,) = make_sensor("g", {"kind": "gyro", "rate_Hz": 10}).measure(truth(t), 0)
    assert gyro.t[0] == 1000.0
    np.testing.assert_allclose(gyro.values, flight(gyro.t).w, atol=1e-8)


def test_dropouts_lose_the_promised_part_of_the_samples():
    tracker = make_sensor("st", {"kind": "pose", "rate_Hz": 10, "dropouts": 0.2})
    position, attitude = tracker.measure_batch(still(100.0), 4, range(50))
    lost = 1.0 - position.kept.mean()
    assert lost == pytest.approx(0.2, abs=4 * math.sqrt(0.2 * 0.8 / position.kept.size))
    assert np.array_equal(position.kept, attitude.kept)
    channel = position.channel(7)
    assert np.array_equal(channel.t, position.t[position.kept[7]])
    runs = [np.flatnonzero(~row).tobytes() for row in position.kept]
    assert len(set(runs)) == 50


def test_no_sample_at_all_is_one_sentence():
    with pytest.raises(FreefloatError, match="sensor 'g' takes no sample between 0 s and 4 s"):
        make_sensor("g", {"kind": "gyro", "rate_Hz": 0.1, "delay_s": 5.0}).measure(MOVING, 0)
    with pytest.raises(FreefloatError, match="sensor 'g' takes 4,000,000,000 samples between 0 s and 4 s"):
        make_sensor("g", {"kind": "gyro", "rate_Hz": 1e9}).measure(MOVING, 0)
    with pytest.raises(FreefloatError, match="gyro: all 5 samples of this run were lost"):
        make_sensor("g", {"kind": "gyro", "rate_Hz": 1.0, "dropouts": 1 - 1e-12}).measure(MOVING, 0)


# ---------------------------------------------------------------------- always the same way


@pytest.mark.parametrize("settings", EVERY_KIND, ids=lambda each: each["kind"])
def test_runs_are_the_same_measured_singly_or_together(settings):
    sensor = made(settings)
    together = sensor.measure_batch(MOVING, 5, range(6))
    for run in (0, 3, 5):
        for readings, channel in zip(together, sensor.measure(MOVING, 5, run), strict=True):
            batch = readings.channel(run)
            assert np.array_equal(batch.t, channel.t)
            assert np.array_equal(batch.values, channel.values)
    assert not np.array_equal(together[0].values[0], together[0].values[1])


@pytest.mark.parametrize("settings", EVERY_KIND, ids=lambda each: each["kind"])
def test_runs_may_each_have_a_motion_of_their_own(settings):
    sensor, other = made(settings), Truth(still(4.0).samples, LAYOUT)
    mixed = sensor.measure_batch([MOVING, other, MOVING], 5, [2, 4, 9])
    for index, (motion, run) in enumerate([(MOVING, 2), (other, 4), (MOVING, 9)]):
        for readings, channel in zip(mixed, sensor.measure(motion, 5, run), strict=True):
            assert np.array_equal(readings.channel(index).values, channel.values)


def test_as_many_motions_as_runs_over_one_span():
    sensor = made(EVERY_KIND[4])
    for motions in ([MOVING, MOVING], [MOVING, MOVING, still(3.0)]):
        with pytest.raises(ShapeError, match="3 runs need one motion, or as many over the same span of time"):
            sensor.measure_batch(motions, 5, range(3))


def _digests(runs):
    found = []
    for run in runs:
        for settings in EVERY_KIND:
            for channel in made(settings).measure(MOVING, 5, run):
                found.append(hashlib.sha256(channel.t.tobytes() + channel.values.tobytes()).hexdigest())
    return found


def test_one_process_and_four_measure_the_same():
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        parts = pool.map(_digests, [[0, 1], [2], [3], [4, 5]])
    assert [each for part in parts for each in part] == _digests(range(6))


def test_sensors_of_different_names_err_differently():
    one, other = (
        make_sensor(name, {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 1, "rate_Hz": 10}).measure(QUIET, 0)[0]
        for name in ("fore", "aft")
    )
    correlation = np.corrcoef(one.values.ravel(), other.values.ravel())[0, 1]
    assert abs(correlation) < 4.0 / math.sqrt(one.values.size)


# ---------------------------------------------------------------------- in a mission


def test_a_recording_has_all_channels_and_says_where_they_came_from():
    sensors = [
        make_sensor("joints", {"kind": "encoder", "rate_Hz": 100}),
        make_sensor("gyro", {"kind": "gyro", "rate_Hz": 30}),
        make_sensor("spare", {"kind": "gyro", "rate_Hz": 30, "label": "spare"}),
    ]
    recording = record(sensors, MOVING, seed=3, run=2)
    assert list(recording.channels) == ["q", "gyro", "gyro.spare"]
    assert (recording.origin.kind, recording.origin.seed, recording.origin.run) == ("simulated", 3, 2)
    assert [round(each.rate_Hz) for each in recording] == [100, 30, 30]


def test_what_data_sheets_call_things_is_what_types_call_them():
    for kind, sensor in {
        "encoder": Encoder,
        "joint-rate": JointRateSensor,
        "torque": TorqueSensor,
        "tachometer": Tachometer,
        "gyro": Gyro,
        "accelerometer": Accelerometer,
        "star-tracker": StarTracker,
        "pose": PoseSensor,
        "velocity": VelocitySensor,
    }.items():
        assert type(make_sensor("s", {"kind": kind, "rate_Hz": 1})) is sensor


class Mission(Section):
    sensors: Sensors


MISSION = """
sensors:
  joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 100, joints: [j1]}
  gyro:   {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_deg_per_h: 0.1, rate_Hz: 100}
  spare:  {kind: gyro, rate_Hz: 10, label: aft}
  mocap:  {kind: pose, rate_Hz: 10, gives_attitude: false}
  tracker: {kind: star-tracker, rate_Hz: 1}
"""


def test_the_sensors_of_a_mission_file_are_named_by_their_keys():
    sensors = validate(Mission, parse_yaml("mission.yaml", MISSION)).sensors
    assert [sensor.name for sensor in sensors.values()] == list(sensors)
    outputs = [output for sensor in sensors.values() for output in sensor.outputs(LAYOUT)]
    assert [output.channel for output in outputs] == ["q", "gyro", "gyro.aft", "position", "attitude"]
    assert outputs[0].noise.white_sd.tolist() == [2.5e-5]
    assert outputs[1].noise.bias == pytest.approx([math.radians(0.1 / 3600)] * 3)


@pytest.mark.parametrize(
    ("found", "put", "channel"),
    [(", label: aft", "", "gyro"), (", gives_attitude: false", "", "attitude")],
)
def test_two_sensors_for_one_channel_need_a_label(found, put, channel):
    document = parse_yaml("mission.yaml", MISSION.replace(found, put))
    said = said_by(validate, Mission, document)
    assert f"both give {channel}; allowed: a label for one of them" in said
    assert said.startswith("line 2: sensors lets ")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "sensors.s.kind is empty; allowed: a value"),
        ({"kind": "gyroscope", "rate_Hz": 1}, "sensors.s.kind is 'gyroscope'; allowed: encoder, gyro"),
        ({"kind": "gyro"}, "sensors.s.rate_Hz is missing; allowed: samples per second"),
        ({"kind": "gyro", "rate_Hz": 0}, "sensors.s.rate_Hz is 0; allowed: a number greater than 0"),
        (
            {"kind": "gyro", "rate_Hz": 1, "bias_deg_h": 1},
            "sensors.s.bias_deg_h is not a field (did you mean bias_deg_per_h?)",
        ),
        ({"kind": "gyro", "rate_Hz": 1, "bias_deg_per_h": [1, 2]}, "is [1, 2]; allowed: a list of 3 numbers"),
        ({"kind": "gyro", "rate_Hz": 1, "bias_sd_deg_per_h": -1}, "is -1; allowed: a number not less than 0"),
        ({"kind": "gyro", "rate_Hz": 1, "density": "two-sided"}, "allowed: double-sided or single-sided"),
        ({"kind": "gyro", "rate_Hz": 1, "dropouts": 1.0}, "is 1.0; allowed: a number less than 1"),
        ({"kind": "gyro", "rate_Hz": 1, "label": "a_b"}, "is 'a_b'; allowed: letters, digits and hyphens"),
        ({"kind": "gyro", "rate_Hz": 1, "name": "t"}, "calls the sensor 's' also 't'; allowed: one name"),
        (
            {"kind": "encoder", "rate_Hz": 1, "noise_rad": {"j1": -1}},
            "noise_rad.j1 is -1; allowed: a number not less",
        ),
        ({"kind": "encoder", "rate_Hz": 1, "bits": 9, "resolution_rad": 1}, "gives bits and resolution_rad"),
        (
            {"kind": "pose", "rate_Hz": 1, "mounting": {"rpy": [0, 0, 0]}},
            "sensors.s.mounting.rpy is not a field",
        ),
    ],
)
def test_what_is_no_sensor_is_one_sentence(settings, said):
    assert said in said_by(make_sensor, "s", settings)
