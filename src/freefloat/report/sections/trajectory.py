"""The exciting motion: joints within their limits, the base's reaction or torques, the flight sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.dynamics.drive_torques import driven_dynamics
from freefloat.excitation.margin import Margin
from freefloat.excitation.sheet import in_words
from freefloat.mission.run_directory import Run
from freefloat.motion.limits import Limits, limits_of
from freefloat.report.figures import COLOURS, Figure, axis, level, line, style_of
from freefloat.report.shown_motion import shown_motion
from freefloat.robot.rotations import rotations

_AT_BOUND = 1e-3  # of a bound: what is left is less than any sensor sees


def trajectory(run: Run) -> dict[str, Any]:
    """The sheet line by line, and the limits by kind."""
    excitation, t = run.excitation, shown_motion(run).need("t", "a report")
    margins = sorted(excitation.margins, key=lambda each: each.share) if excitation else []
    return {
        "sheet": excitation.sheet.matters if excitation and excitation.sheet else (),
        "designed": excitation is not None,
        "go": excitation is not None and excitation.feasible,
        "doubt": excitation.collisions.doubt if excitation else "",
        "kinds": _kinds(margins),
        "limits": [_row(each) for each in margins],
        "duration": f"{float(t[-1] - t[0]):.4g} s",
        "warnings": excitation.warnings if excitation else (),
    }


def _kinds(margins: Sequence[Margin]) -> list[dict[str, Any]]:
    """One row for each kind of limit, of the tightest of its kind, and how many there are at their bounds."""
    rows = list[dict[str, Any]]()
    for kind in dict.fromkeys(each.kind for each in margins):
        own = [each for each in margins if each.kind == kind]
        at_bound = sum(each.share < _AT_BOUND for each in own)
        rows.append({**_row(own[0]), "kind": kind, "count": len(own), "at_bound": at_bound})
    return rows


def _row(margin: Margin) -> dict[str, Any]:
    use = max(100.0 * (1.0 - margin.share), 0.0)
    left = in_words(abs(margin.slack), margin.unit, 2)
    words = "at its bound" if margin.share < _AT_BOUND else f"{left} left"
    return {
        "limit": margin.limit,
        "use": f"{use:.0f} %" if use < 99.5 or use > 100.5 else "100 %",
        "left": words if margin.kept else f"broken by {left}",
        "at": f"{margin.at_s:.1f} s",
        "kept": margin.kept,
    }


def trajectory_figures(run: Run) -> list[Figure]:
    """Positions and rates of joints, in parts of their limits where all have one; what the base does, or torques."""
    t, position, rate, limits = _moved(run)
    bounded = np.isfinite(limits.lowest) & np.isfinite(limits.highest)
    low, high = np.where(bounded, limits.lowest, np.nan), np.where(bounded, limits.highest, np.nan)
    figures = [_joints("position", t, position, (2.0 * position - low - high) / (high - low), limits)]
    if rate is not None:
        figures.append(_joints("rate", t, rate, rate / np.where(np.isfinite(limits.rate), limits.rate, np.nan), limits))
    return [*figures, *(_torques(run) if run.robot.base == "fixed" else _base(run))]


def _moved(run: Run) -> tuple[Array, Array, Array | None, Limits]:
    """Time (n,), positions and rates (n, channels), limits; of the recorded joints where no design is known."""
    if run.excitation is not None:
        motion = run.excitation.trajectory
        t = np.linspace(0.0, motion.duration_s, 601)
        moved = motion.evaluate(t)
        return t, moved.position, moved.rate, limits_of(run.robot, motion.channels)
    samples, driven = shown_motion(run), run.robot.driven  # others were not recorded
    t, dq = np.asarray(samples.need("t", "a figure")), samples.dq
    rates = None if dq is None else dq[:, driven]
    return t, samples.q[:, driven], rates, limits_of(run.robot, run.robot.driven_names)


def _joints(what: str, t: Array, values: Array, share: Array, limits: Limits) -> Figure:
    """Channels in parts of their limits where all have one, else in degrees or metres."""
    limited = bool(np.isfinite(share).all())
    shown = 100.0 * share if limited else np.where(np.array(limits.units) == "rad", np.degrees(values), values)
    traces = [line(t, shown[:, index], channel, **style_of(index)) for index, channel in enumerate(limits.channels)]
    units = [words for unit, words in (("rad", "°"), ("m", "m")) if unit in limits.units]
    unit = " or ".join(f"{each}{'/s' if what == 'rate' else ''}" for each in units)
    layout: dict[str, Any] = {
        "xaxis": axis("t [s]"),
        "yaxis": axis(f"{what}, % of limit" if limited else f"{what} [{unit}]"),
        "hovermode": "x unified",
    }
    if limited:
        layout["shapes"] = [level(100.0), level(-100.0)]
    return Figure(f"joint-{what}s", f"Joint {what}s", "dashed: the limits" if limited else "", traces, layout, 300)


def _base(run: Run) -> list[Figure]:
    """What the base does: angles by which it is turned, and rates."""
    motion = shown_motion(run)
    t = np.asarray(motion.need("t", "a figure"))
    common, figures = {"xaxis": axis("t [s]"), "hovermode": "x unified"}, list[Figure]()
    planar = run.robot.base == "planar"
    if motion.attitude is not None:
        R = rotations(motion.attitude)
        angles = (
            ("roll", np.arctan2(R[:, 2, 1], R[:, 2, 2])),
            ("pitch", -np.arcsin(np.clip(R[:, 2, 0], -1.0, 1.0))),
            ("yaw", np.arctan2(R[:, 1, 0], R[:, 0, 0])),
        )
        traces = [
            line(t, np.degrees(np.unwrap(values)), name, COLOURS[index]) for index, (name, values) in enumerate(angles)
        ]
        layout = {**common, "yaxis": axis("yaw [°]" if planar else "attitude [°]")}
        figures.append(
            Figure("base-attitude", "Attitude of the base", "", traces[2:] if planar else traces, layout, 280)
        )
    if motion.w is not None:
        traces = [line(t, np.degrees(motion.w[:, index]), name, COLOURS[index]) for index, name in enumerate(AXES)]
        layout = {**common, "yaxis": axis("rate [°/s]")}
        figures.append(Figure("base-rate", "Rate of the base", "", traces[2:] if planar else traces, layout, 280))
    return figures


def _torques(run: Run) -> list[Figure]:
    """Of the joints of a robot on a fixed base: as measured, else what the CAD model needs for the motion."""
    motion, robot = shown_motion(run), run.robot
    t = np.asarray(motion.need("t", "a figure"))
    if motion.torques is not None:
        torques, note = motion.torques, ""
    elif motion.dq is not None and motion.ddq is not None:
        torques, note = driven_dynamics(robot, motion)[:, 6:], "by the CAD model"
    else:
        return []
    traces = [line(t, torques[:, index], name, **style_of(index)) for index, name in enumerate(robot.joint_names)]
    unit = "N m or N" if any(joint.kind == "prismatic" for joint in robot.joints) else "N m"
    layout = {"xaxis": axis("t [s]"), "yaxis": axis(f"torque [{unit}]"), "hovermode": "x unified"}
    return [Figure("joint-torques", "Joint torques", note, traces, layout, 280)]
