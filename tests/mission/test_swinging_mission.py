"""Missions of robots with passive joints: they fly, nothing measures what swings, and what claims to is refused."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from simulation.swinging_robots import with_passive

from freefloat.cli.recordings import RecordingInputs
from freefloat.data.processing.process import process
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.recording import Recording
from freefloat.errors import FileError, FreefloatError
from freefloat.mission.designing import shape_of
from freefloat.mission.flying import fly, random_motion, simulate
from freefloat.mission.identifying import shows
from freefloat.mission.mission_file import _cannot_swing, load_mission
from freefloat.motion.limits import NotDriven
from freefloat.sensors.channel import Channel
from freefloat.studies.catalogue import study_path

SENSORS = {
    "joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 20},
    "rates": {"kind": "joint-rate", "noise_rad_s": 1e-4, "rate_Hz": 20},
    "torques": {"kind": "torque", "noise_Nm": 1e-3, "rate_Hz": 20},
    "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 20},
}


@pytest.fixture
def mission(tmp_path):
    """A mission of the servicer whose second joint is passive."""

    def made(**flight):
        document = {
            "format": "freefloat/mission@1",
            "mission": "swinging",
            "robot": str(study_path("servicer")),
            "sensors": SENSORS,
            "excitation": {"duration_s": 10},
        }
        path = tmp_path / "swinging.yaml"
        path.write_text(yaml.safe_dump(document))
        loaded = load_mission(path)
        settings = loaded.settings
        section = settings.flight.model_copy(update=flight)
        robot = with_passive(loaded.robot, loaded.robot.joint_names[1:2], 0.7)
        return replace(loaded, robot=robot, settings=settings.model_copy(update={"flight": section}))

    return made


def test_a_mission_flies_and_records_driven_joints_only(mission):
    swinging = mission()
    robot = swinging.robot
    (hinge,) = robot.passive
    motion, flown, recording = random_motion(swinging, 1), fly(swinging, seed=1), simulate(swinging, seed=1)
    assert motion.channels == swinging.channels == robot.driven_names == tuple(np.delete(robot.joint_names, hinge))
    assert np.ptp(flown.q[:, hinge]) > 1e-4
    for name in ("q", "dq", "tau"):
        assert recording[name].components == robot.driven_names
    exact = simulate(swinging, seed=1, truth=flown, noise=False)["q"]
    moved = motion.samples(robot, exact.t).q[:, robot.driven]
    np.testing.assert_allclose(exact.values, moved, atol=1e-8)
    assert shows(recording, motion, swinging)


def test_springs_may_swing_at_first(mission):
    still = mission()
    name = still.robot.joint_names[still.robot.passive[0]]
    start = still.settings.flight.start
    (hinge,) = still.robot.passive
    begun = mission(start=start.model_copy(update={"swing": {name: 0.02}, "swing_rates": {name: -0.1}}))
    flown = fly(begun, seed=1)
    assert (flown.q[0, hinge], flown.dq[0, hinge]) == (0.02, -0.1)
    assert not fly(still, seed=1).q[0, hinge]


def test_what_does_not_swing_so_is_refused(mission):
    swinging = mission(wheels="hold-attitude")
    robot, flight = swinging.robot, swinging.settings.flight
    name = robot.joint_names[robot.passive[0]]
    assert list(_cannot_swing(flight, robot)) == [
        f"flight.wheels is hold-attitude, but {name} is passive and swings; allowed: held, free"
    ]
    begun = flight.model_copy(
        update={"wheels": "held", "start": flight.start.model_copy(update={"swing": {"boom": 1}})}
    )
    assert list(_cannot_swing(begun, robot)) == [f"flight.start lets 'boom' swing; allowed: passive joints, {name}"]
    chosen = swinging.settings.excitation.model_copy(update={"channels": [name]})
    with pytest.raises(NotDriven, match=f"joint '{name}' is passive, nobody drives it; allowed: "):
        shape_of(replace(swinging, settings=swinging.settings.model_copy(update={"excitation": chosen})))


def test_sensors_have_no_passive_joints(mission):
    swinging = mission()
    name = swinging.robot.joint_names[swinging.robot.passive[0]]
    encoder = swinging.sensors["joints"].model_copy(update={"joints": [name]})
    with pytest.raises(FreefloatError, match=f"no joint named '{name}'"):
        simulate(replace(swinging, sensors={"joints": encoder}), seed=1)


@pytest.mark.parametrize("quantity", ["q", "dq", "tau"])
def test_a_recording_that_claims_to_measure_a_passive_joint_is_refused(mission, tmp_path, quantity):
    swinging = mission()
    robot, recording = swinging.robot, simulate(swinging, seed=1)
    hinge, channel = robot.joint_names[robot.passive[0]], recording[quantity]
    values, names = np.insert(channel.values, 1, 0.0, axis=1), tuple(np.insert(channel.components, 1, hinge).tolist())
    wider = Channel(channel.name, channel.t, values, names, (*channel.units, channel.units[0]))
    claims = Recording({**recording.channels, quantity: wider}, recording.origin)
    said = f"channel {quantity} claims to measure '{hinge}', which is a passive joint of {robot.name}; allowed: driven"
    with pytest.raises(CannotProcess, match=said):
        process(claims, robot)
    path = tmp_path / "flight.parquet"
    claims.save(path)
    with pytest.raises(FileError, match=said):
        RecordingInputs(swinging.path, (path,), None, (), None, ()).read(robot)
    recording.save(path)
    assert RecordingInputs(swinging.path, (path,), None, (), None, ()).read(robot)
