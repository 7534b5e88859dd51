"""A recording as a flight: nothing is resampled, every sensor has its clock, curves share their knots."""

import numpy as np
import pytest
import yaml

from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.process import process
from freefloat.data.processing.processed import ProcessSettings
from freefloat.estimate.joint_curves import ProjectedCurves, SplineCurves
from freefloat.estimate.recorded_flight import on_finer_knots, recorded_flight
from freefloat.estimate.wheel_curves import MeasuredWheels
from freefloat.mission.flying import simulate
from freefloat.mission.identifying import problem
from freefloat.mission.mission_file import load_mission
from freefloat.studies.catalogue import study_path

SENSORS = {
    "joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 25},
    "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 40, "delay_s": 0.013},
    "tracker": {"kind": "star-tracker", "noise_arcsec": [5, 5, 5], "rate_Hz": 4},
    "wheels": {"kind": "tachometer", "noise_rad_s": 1e-3, "rate_Hz": 10},
}


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """A mission and a recording of it."""

    def made(**sensors):
        document = {
            "format": "freefloat/mission@1",
            "mission": "trial",
            "robot": str(study_path("servicer")),
            "known": {"load": {"relative_sd": 0.002}},
            "sensors": {name: SENSORS[name] | sensors.get(name, {}) for name in SENSORS},
            "excitation": {"duration_s": 12},
        }
        path = tmp_path_factory.mktemp("mission") / "trial.yaml"
        path.write_text(yaml.safe_dump(document))
        mission = load_mission(path)
        return mission, simulate(mission, seed=1)

    return made


def flight_of(mission, recording, settings=None):
    sensors = tuple(mission.sensors.values())
    processed = process(recording, mission.robot, sensors=sensors, settings=settings)
    return recorded_flight(recording, mission.robot, processed, sensors, settings)


def test_readings_are_where_and_what_they_were(flown):
    mission, recording = flown()
    for flight in (problem(mission, recording).flights[0], flight_of(mission, recording)):
        gyro, tracker = recording["gyro"], recording["attitude"]
        for data, channel in ((flight.own_instants["w"], gyro), (flight.own_instants["attitude"], tracker)):
            inside = np.isin(channel.t, data.t)
            np.testing.assert_array_equal(channel.t[inside], data.t)
            assert inside.sum() > 0.9 * channel.t.size
        rates = flight.own_instants["w"]
        np.testing.assert_allclose(rates.values, gyro.values[np.isin(gyro.t, rates.t)])


def test_every_sensor_has_its_clock_unless_they_share_one(flown):
    mission, recording = flown()
    flight = flight_of(mission, recording)
    assert {name: data.clock for name, data in flight.own_instants.items()} == {"w": "gyro", "attitude": "tracker"}
    assert flight.clock == "joints"
    assert flight.wheel_rates.clock == "wheels"
    bus = {"clock": "bus"}
    mission, recording = flown(gyro=bus, tracker=bus, wheels={"clock": "arm"}, joints={"clock": "arm"})
    flight = flight_of(mission, recording)
    assert {data.clock for data in flight.own_instants.values()} == {"bus"}
    assert flight.clock == flight.wheel_rates.clock == "arm"


def test_with_the_command_joints_are_projected_else_measured(flown):
    mission, recording = flown()
    assert isinstance(problem(mission, recording).flights[0].curves, ProjectedCurves)
    assert isinstance(flight_of(mission, recording).curves, SplineCurves)


def test_curves_of_joints_and_wheels_share_their_knots_also_finer_ones(flown):
    flight = flight_of(*flown())
    assert isinstance(flight.wheels, MeasuredWheels)
    readings, held = flight.curves.curves.readings.t.size, flight
    while held is not None:
        spline = held.curves.curves.spline
        assert held.wheels.curves.spline == spline
        assert spline.count < readings
        held, before = on_finer_knots(held), spline.spacing_s
        if held is not None:
            assert held.curves.curves.spline.spacing_s == pytest.approx(0.5 * before)


def test_curves_agree_with_what_was_read(flown):
    mission, recording = flown()
    flight = flight_of(mission, recording)
    joints, wheels = recording["q"], flight.wheels.curves
    assert flight.curves.curves.noise_sd == pytest.approx(np.full(7, 2.5e-5), rel=0.3)
    left = joints.values - flight.curves.curves.motion(joints.t).position
    assert np.sqrt((left**2).mean()) < 1.3 * 2.5e-5
    left = wheels.readings.values - wheels.motion(wheels.readings.t).position
    assert np.sqrt((left**2).mean()) < 1.3e-3


def test_filtered_joints_have_no_curves_so_that_samples_are_compared(flown):
    mission, recording = flown()
    flight = flight_of(mission, recording, ProcessSettings(joints=BandLimited(LowPass(2.0))))
    assert flight.own_instants is None
    assert flight.wheels is None
