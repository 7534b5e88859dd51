"""A body without joints that tumbles while its flywheel spins up: its gyro and tachometer weigh it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import freefloat as ff

INERTIA = np.array([[7.4e-5, -1.1e-6, -5.0e-7], [-1.1e-6, 2.3e-5, 6.0e-6], [-5.0e-7, 6.0e-6, 9.1e-5]])
AXIS, SPIN = np.array([0.0, 0.0, -1.0]), 1.689e-6  # of the flywheel [kg m^2]
GYRO_SD, WHEEL_SD, RATE_HZ = 2e-3, 1.0, 1000.0
MISSION = f"""format: freefloat/mission@1
mission: thrown
robot: robot.yaml
momentum: unknown
prior: {{inertia: 0.5}}
sensors:
  gyro: {{kind: gyro, angle_random_walk_deg_per_sqrt_h: {np.degrees(GYRO_SD) * 60.0 / np.sqrt(RATE_HZ)}, rate_Hz: 1000}}
  wheel: {{kind: tachometer, noise_rad_s: {WHEEL_SD}, rate_Hz: 500}}
"""
ROBOT = """format: freefloat/robot@1
robot: thrown
base:
  kind: free
  mass_kg: 0.1
  com_m: [0, 0, 0]
  inertia_kgm2: {xx: 6.0e-5, yy: 3.0e-5, zz: 8.0e-5}
  wheels: [{name: fly, axis: [0, 0, -1], spin_inertia_kgm2: 1.689e-6}]
"""


def thrown(seed):
    """A recording, from Euler's equations with the wheel's momentum."""
    rng = np.random.default_rng(seed)

    def wheel(t):
        return 400.0 + 900.0 * t**2, 1800.0 * t

    def turning(t, w):
        rate, acceleration = wheel(t)
        momentum = INERTIA @ w + SPIN * rate * AXIS
        return np.linalg.solve(INERTIA, -np.cross(w, momentum) - SPIN * acceleration * AXIS)

    t, beats = np.arange(800) / RATE_HZ, np.arange(400) / 500.0
    found = solve_ivp(turning, (0.0, 0.8), [9.0, -4.0, 6.0], t_eval=t, rtol=1e-11, atol=1e-12)
    w = found.y.T + GYRO_SD * rng.normal(size=(t.size, 3))
    spun = wheel(beats)[0] + WHEEL_SD * rng.normal(size=beats.size)
    return ff.Recording([ff.Channel("gyro", t, w, "xyz", "rad_s"), ff.Channel("wheel", beats, spun, ("fly",), "rad_s")])


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    folder = tmp_path_factory.mktemp("thrown")
    (folder / "robot.yaml").write_text(ROBOT, encoding="utf-8")
    (folder / "mission.yaml").write_text(MISSION, encoding="utf-8")
    return ff.load_mission(folder / "mission.yaml")


def test_a_thrown_body_is_weighed_from_its_gyro_and_flywheel(mission):
    truth = {f"I{a}{b}_base": INERTIA["xyz".index(a), "xyz".index(b)] for a, b in ("xx", "xy", "yy", "xz", "yz", "zz")}
    squares = []
    for seed in range(3):
        estimate = ff.identify(mission, thrown(seed))
        assert estimate.outcome == "good", estimate.warnings
        assert estimate.residual.ratio == pytest.approx(1.0, abs=0.1)
        own = [estimate.names.index(name) for name in truth]
        errors = estimate.values[own] - np.array(list(truth.values()))
        assert (estimate.sd[own][[0, 2, 5]] < 0.01 * estimate.values[own][[0, 2, 5]]).all()
        squares.append(errors @ np.linalg.solve(estimate.covariance[np.ix_(own, own)], errors))
    assert sum(squares) < 42.3  # 18 degrees of freedom, once in a thousand


def test_a_recording_of_nothing_that_is_used_is_refused(mission):
    t = np.arange(20) / 10.0
    with pytest.raises(ff.FreefloatError, match="no channel holds 16 readings or more"):
        ff.identify(mission, ff.Recording([ff.Channel("tau", t[:3], t[:3], ("j",), "Nm")]))
