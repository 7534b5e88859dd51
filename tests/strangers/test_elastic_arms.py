"""An arm whose gear gives way, flown by MuJoCo: its spring is found, and the robot's clusters are covered."""

import numpy as np
import pytest
from strangers import motion
from strangers.elastic_arms import carried_inertias, elastic
from strangers.flights import Spring, flown
from strangers.readings import REGULAR, recorded
from strangers.robots import INSPECTOR
from strangers.truth import NAMES, about_frame
from strangers.trying import HALF, read_mission, recording_of

import freefloat as ff


def test_a_joint_carries_what_is_beyond_it():
    load = INSPECTOR.bodies[-1]
    [carried] = carried_inertias(INSPECTOR, {load.joint: Spring(1.0, 0.0)})
    whole = about_frame(load.weighs.inertia, load.weighs.mass_kg, np.array(load.weighs.com))
    assert carried == pytest.approx(load.unit_axis @ whole @ load.unit_axis, rel=1e-6)


@pytest.mark.slow
def test_the_stiffness_of_a_gear_is_found():
    rng = np.random.Generator(np.random.PCG64([0, 78]))
    arm = elastic(INSPECTOR, 1, rng)
    moves = motion.drawn(arm.robot, rng)
    flight = flown(arm.robot, arm.true, moves, rng, step_s=0.004, duration_s=20.0, world=arm.world)
    recording = recording_of(recorded(arm.robot, arm.true, flight, REGULAR, rng))
    estimate = ff.identify(read_mission(*arm.documents), recording)
    [(joint, spring)] = arm.world.soft.items()
    found, sd = estimate.value(f"stiffness of {joint}_spring")
    assert abs(arm.said[joint].stiffness / spring.stiffness - 1.0) > 0.1
    assert sd < 0.01 * spring.stiffness
    assert found == pytest.approx(spring.stiffness, rel=0.03)
    assert any(note.startswith("cannot tell damping") for note in estimate.notes)
    numbers = {
        f"{name}_{body}": value for body, ten in arm.true.bodies.items() for name, value in zip(NAMES, ten, strict=True)
    }
    truth = estimate.minimal.combine @ np.array([numbers.get(name, 0.0) for name in estimate.minimal.names])
    assert (np.abs(estimate.values - truth) <= HALF * estimate.sd).mean() > 0.85
