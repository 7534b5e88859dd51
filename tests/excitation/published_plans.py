"""The published experiments as plans: robots, sensors and limits of the publications."""

from dataclasses import replace
from functools import cache

import numpy as np

from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Nuisances, Problem
from freefloat.excitation.limits.attitude import BaseAttitude
from freefloat.excitation.limits.clearance import clearance_limits
from freefloat.excitation.limits.joint import JointPosition, JointRate, joint_limits
from freefloat.excitation.limits.wheels import WheelRate
from freefloat.excitation.plan import Plan
from freefloat.experiment.sensors import make_sensor
from freefloat.experiment.simulate import Start
from freefloat.motion.cycloid import Cycloid, direction_combinations
from freefloat.motion.fourier import Fourier
from freefloat.regressor.angular_momentum import AngularMomentum
from freefloat.regressor.momentum import momentum_matrix
from freefloat.regressor.states import base_reaction
from freefloat.robot.shapes import Ellipsoid, Sphere
from freefloat.studies import published, study_robot


def printed_motion(study):
    """The robot of a study and its printed Fourier motion."""
    robot, printed = study_robot(study), published(study)["trajectory"]
    tables = (printed["a_rad_s"], printed["b_rad_s"], printed["duration_s"])
    return robot, Fourier.from_harmonics(robot.joint_names, *tables)


# ---------------------------------------------------------------------- Spirolazzi

ALONG = {"link1": "mz", "link2": "my", "link3": "mz", "link4": "my", "link5": "mz", "link6": "my", "load": "mz"}
SIMPLE = (
    "*.products",
    *(f"{link}.{moment}" for link, kept in ALONG.items() for moment in ("mx", "my", "mz") if moment != kept),
)
BASE_SIZE_M, LOAD_RADIUS_M, CLEARANCE_M = (0.3, 0.5, 0.4), 0.2, 0.05  # OURS: the thesis prints no sizes


def with_solids(robot):
    """A base ellipsoid and a sphere about the load, as in section 3.5.1 of the thesis."""
    solids = {"base": Ellipsoid(np.zeros(3), np.array(BASE_SIZE_M)), "load": Sphere(np.zeros(3), LOAD_RADIUS_M)}
    bodies = tuple(replace(body, shapes=(solids[body.name],)) if body.name in solids else body for body in robot.bodies)
    return replace(robot, bodies=bodies)


def gyro_of(sd_rad_s, rate_Hz):
    """A gyro with this white noise per sample at this rate."""
    walk = float(np.degrees(sd_rad_s) / np.sqrt(rate_Hz) * 60.0)
    return make_sensor("gyro", {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": walk, "rate_Hz": rate_Hz})


def n1_plan(**changes):
    """Case study N1: white gyro noise as the published table implies, the load known, no prior, stated limits."""
    robot, motion = printed_motion("spirolazzi_n1")
    solid = with_solids(robot)
    limits = (*joint_limits(robot, motion.channels), *clearance_limits(solid, CLEARANCE_M, [("base", "load")]))
    settings = {
        "sensors": (gyro_of(1.04e-5, 3.0),),
        "limits": limits,
        "known": {"load": 0.0},
        "zero": SIMPLE,
        "prior": None,
        "nuisances": Nuisances.none(),
        "of_model": True,
    }
    return Plan(solid, motion, **(settings | changes))


SMALL_ROWS = (7, 8, 11, 12, 15, 16)  # of the published table


def big_clusters(plan, bound):
    """Standard deviations of the 24 clusters of the published table that are not small."""
    entries = published("spirolazzi_n1")["parameters"]["pi"]["entries"]
    names = [f"[I{axes}_base]" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")]
    links = ("link1", "link2", "link3", "link4", "link5", "link6", "load")
    names += [f"[I{axes}_{link}]" for link in links for axes in ("xx", "zz")]
    names += [f"[m{x}_base]*[my_{link}]/M" for link in ("link2", "link4", "link6") for x in ("y", "z", "x")]
    names += [f"[my_link{a}]*[my_link{b}]/M" for a, b in ((2, 4), (2, 6), (4, 6))]
    wanted = [
        names[each["index"] - 1]
        for each in entries
        if each["role"] == "identified" and each["table_row"] not in SMALL_ROWS
    ]
    model = AngularMomentum(plan.robot, tuple(plan.known), tuple(plan.zero))
    problem = plan.problem(plan.shape)
    underlying = model.underlying.minimal
    into = underlying.combine[:, problem.minimal.kept]  # clusters of the problem as underlying parameters
    J = model.jacobian(underlying.values(model.standard(None))) @ into
    covariance = J @ bound.covariance @ J.T
    leaders = list(model.minimal.leaders)
    return np.sqrt(np.diagonal(covariance))[[leaders.index(name) for name in wanted]]


def oossim_plan(**changes):
    """The air-bearing experiment, its limits of the base's attitude included."""
    robot, motion = printed_motion("spirolazzi_oossim")
    boxes = published("spirolazzi_oossim")["base_attitude_limits_deg"]
    attitude = [BaseAttitude(angle, *np.radians(box).tolist()) for angle, box in boxes.items()]
    limits = (*joint_limits(robot, motion.channels), *attitude)
    settings = {"limits": limits, "known": {"load": 0.0}, "zero": SIMPLE, "goal": "condition-number"}
    return Plan(robot, motion, **(settings | changes))


# ---------------------------------------------------------------------- Christidi-Loumpasefski, Papadopoulos

CHRISTIDI_ZERO = ("*.products", "link1.mx", "link1.my", "link2.my", "link2.mz", "link3.my", "link3.mz")


def christidi_plan():
    """Three joints, a base that turns, wheels at constant rates; limits are what the published motion reaches."""
    robot, motion = printed_motion("christidi_servicer")
    printed = published("christidi_servicer")
    extremes, initial = motion.extremes(), printed["initial"]
    limits = []
    for k, name in enumerate(motion.channels):
        rate = float(extremes.rate[k])
        limits += [
            JointPosition(name, float(extremes.lowest[k]), float(extremes.highest[k])),
            JointRate(name, -rate, rate),
        ]
    wheels = np.array(initial["wheel_momentum_Nms"])
    rate = np.array(initial["angular_rate_rad_s"])
    A = momentum_matrix(robot, np.zeros((1, 3)))[0]
    velocity = -np.linalg.solve(A[:3, :3], A[:3, 3:6] @ rate)
    momentum = (A[:, :6] @ np.append(velocity, rate))[3:] + wheels @ robot.wheel_axes
    attitude = np.array(initial["quaternion"])
    mounting = {"xyz_m": robot.point("joint1").xyz.tolist()}
    walk = {"kind": "velocity", "velocity_random_walk_m_s_per_sqrt_h": 0.001, "rate_Hz": 20, "mounting": mounting}
    sensors = (
        gyro_of(printed["noise"]["assumed"]["gyro_white_rad_s"], 20.0),
        make_sensor("velocity", walk),
        make_sensor("joints", {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 20}),
    )
    return Plan(
        robot,
        motion,
        sensors,
        limits,
        zero=CHRISTIDI_ZERO,
        prior=None,
        momentum="unknown",
        start=Start(attitude / np.linalg.norm(attitude), angular_momentum=momentum),
        wheel_rates=wheels / robot.wheel_inertias,
    )


# ---------------------------------------------------------------------- Naveen, Shah, Misra

NAVEEN_BOX_DEG = 180.0  # OURS: either way about the start; the article prints no position limits
NAVEEN_WEIGHTS = {"Ixx_link1": 50.0}  # phi 11, which the article knows worst (174 %)


@cache
def naveen_printed():
    """Channels, start, peak rates and noise of the article."""
    robot, printed = study_robot("naveen_dual_arm"), published("naveen_dual_arm")
    excitation = printed["excitation"]
    names = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    start = np.append(np.radians(excitation["joints"]["start_deg"]), np.zeros(3))
    ranges = np.append(np.radians(excitation["joints"]["range_deg"]), np.full(3, excitation["wheels"]["range_rad"]))
    motion = Cycloid.from_seeds(
        names, start, ranges, direction_combinations(9)[excitation["surrogate_intervals"]], excitation["interval_s"]
    )
    noise = printed["noise"]
    levels = {"v": noise["velocity_m_s"], "w": noise["angular_rate_rad_s"], "dq": noise["joint_rate_rad_s"]}
    return names, start, 2.0 * ranges / excitation["interval_s"], motion, levels


def naveen_plan(step_s, harmonics=6):
    """A Fourier motion of the same 67 s for the authors' offset guess: rates of Table 3, a box about the start."""
    names, start, rates, _, levels = naveen_printed()
    ends = np.zeros((6, len(names)))
    ends[[0, 3]] = start
    box, limits = np.radians(NAVEEN_BOX_DEG), []
    for name, middle, rate in zip(names[:6], start[:6], rates[:6], strict=True):
        limits += [JointPosition(name, middle - box, middle + box), JointRate(name, -rate, rate)]
    limits += [WheelRate(name, -rate, rate) for name, rate in zip(names[6:], rates[6:], strict=True)]
    velocity = {"kind": "velocity", "axes": "body", "noise_m_s": levels["v"], "rate_Hz": 1.0 / step_s}
    sensors = (gyro_of(levels["w"], 1.0 / step_s), make_sensor("velocity", velocity))
    shape = Fourier(names, np.zeros((2 * harmonics, len(names))), 67.0, ends)
    guess = study_robot("naveen_dual_arm_offset")
    settings = {"prior": None, "nuisances": Nuisances.none(), "weights": NAVEEN_WEIGHTS, "model": "momentum"}
    return Plan(guess, shape, sensors, limits, **settings)


def naveen_runs(motion, step_s, runs, prior=None):
    """Problems with the printed noise on a motion of the true robot."""
    truth, levels = study_robot("naveen_dual_arm"), naveen_printed()[4]
    exact = motion.samples(truth, np.arange(round(67.0 / step_s)) * step_s)
    v, w = base_reaction(truth, exact)
    exact = replace(exact, v=v, w=w)
    guess = study_robot("naveen_dual_arm_offset")
    for run in range(runs):
        rng = np.random.default_rng(run)
        noisy = {
            name: getattr(exact, name) + sd * rng.normal(size=getattr(exact, name).shape) for name, sd in levels.items()
        }
        flight = Flight(replace(exact, **noisy), levels)
        yield Problem(guess, (flight,), nuisances=Nuisances.none(), models=("momentum",), prior=prior)


def worst_errors(estimator, motion, step_s, runs):
    """The largest relative error of a cluster in each run, shape (runs,)."""
    truth = study_robot("naveen_dual_arm")
    estimates = [estimator.estimate(problem) for problem in naveen_runs(motion, step_s, runs)]
    return np.array([np.abs(each.values / each.minimal.values(truth.parameters) - 1.0).max() for each in estimates])
