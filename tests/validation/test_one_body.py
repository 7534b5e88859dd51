"""A body without joints: what it is about its centre of mass is confirmed, though nothing shows its mass."""

import numpy as np
import pytest
import yaml

import freefloat as ff
from freefloat.robot.parameters import parameters_from_com
from freefloat.validation.extent import _by_mass_centre_inertia

ROBOT = {
    "format": "freefloat/robot@1",
    "robot": "satellite",
    "base": {
        "kind": "free",
        "mass_kg": 50,
        "com_m": [0.02, -0.01, 0.03],
        "inertia_kgm2": {"xx": 4.0, "yy": 5.0, "zz": 3.0, "xy": 0.1},
        "wheels": [
            {"name": f"w{axis}", "axis": unit.tolist(), "spin_inertia_kgm2": 1e-3, "max_rate_rad_s": 600}
            for axis, unit in zip("xyz", np.eye(3), strict=True)
        ],
    },
}
MISSION = {
    "format": "freefloat/mission@1",
    "mission": "satellite",
    "robot": "robot.yaml",
    "sensors": {
        "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 20},
        "wheels": {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 20},
    },
    "excitation": {"duration_s": 20},
}


@pytest.fixture
def mission(tmp_path, request):
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(ROBOT))
    (tmp_path / "mission.yaml").write_text(yaml.safe_dump({**MISSION, **request.param}))
    return ff.load_mission(tmp_path / "mission.yaml")


UNSHOWN = pytest.mark.parametrize(
    "mission",
    [{"prior": "none"}, {"prior": "none", "known": {"base.m": {}}}, {"prior": "cad"}],
    indirect=True,
    ids=["nothing known", "mass known", "cad"],
)


@UNSHOWN
def test_inertia_about_the_centre_is_enough_to_pass(mission):
    robot = ff.draw_robot(mission, seed=5)
    estimate = ff.identify(mission, ff.simulate(mission, seed=1, robot=robot))
    assert ff.validate(mission, estimate, ff.simulate(mission, seed=2, robot=robot)).verdict == "pass"
    other = np.array(robot.parameters)
    other[4] *= 1.01
    wrong = ff.validate(mission, estimate, ff.simulate(mission, seed=2, robot=robot.with_parameters(other)))
    assert wrong.verdict == "fail"


@pytest.mark.parametrize("mission", [{"prior": "none"}], indirect=True)
def test_a_flight_that_shows_little_of_it_is_not_enough(mission):
    estimate = ff.identify(mission, ff.simulate(mission, seed=1))
    motion = ff.motion.random_trajectory(mission.robot, 20.0, 2, fill=1e-4)
    found = ff.validate(mission, estimate, ff.simulate(mission, motion, seed=2))
    assert found.verdict == "doubtful"
    assert "Ixx about the centre of mass" in found.reasons[-1]


def test_parameters_by_mass_centre_and_inertia_are_exact():
    rng = np.random.default_rng(1)
    m, c, root, moved = 3.0, rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    inertia, change = root @ root.T, moved + moved.T
    by = _by_mass_centre_inertia(parameters_from_com(m, c, inertia))
    step, h = (0.3, rng.normal(size=3)), 1e-6
    ahead, behind = (parameters_from_com(m + s * step[0], c + s * step[1], inertia + s * change) for s in (h, -h))
    entries = change[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    expected = by @ np.concatenate([[step[0]], step[1], entries])
    np.testing.assert_allclose((ahead - behind) / (2.0 * h), expected, rtol=1e-7)
