"""The exciting motion: joints within their limits, the base's reaction, the flight sheet."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.excitation.flight_sheet import in_words
from freefloat.motion.limits import limits_of
from freefloat.regressor.samples import rotations
from freefloat.report.figures import COLOURS, Figure, axis, level, line
from freefloat.report.run_story import RunStory

_TIGHTEST = 10  # limits that are listed first


def trajectory(story: RunStory) -> dict[str, Any]:
    """The sheet line by line, and every limit with how much of it is used."""
    excitation = story.excitation
    sheet = excitation.sheet.as_text().splitlines() if excitation.sheet else []
    matters = [line.split("  ", 1) for line in sheet if not line.startswith("  ")]
    margins = sorted(excitation.margins, key=lambda each: each.share)
    rows = [
        {
            "limit": each.limit,
            "use": f"{100.0 * (1.0 - each.share):.1f} %",
            "width": float(np.clip(100.0 * (1.0 - each.share), 0.0, 100.0)),
            "left": in_words(each.slack, each.unit),
            "at": f"{each.at_s:.1f} s",
            "kept": each.kept,
        }
        for each in margins
    ]
    return {
        "sheet": [(name.strip(), rest.strip()) for name, rest in matters if rest],
        "go": excitation.feasible,
        "limits": rows[:_TIGHTEST],
        "more_limits": rows[_TIGHTEST:],
        "duration": f"{excitation.trajectory.duration_s:.4g} s",
        "warnings": excitation.warnings,
    }


def trajectory_figures(story: RunStory) -> list[Figure]:
    """Positions and rates in parts of their limits; attitude and rate of the base."""
    motion = story.excitation.trajectory
    t = np.linspace(0.0, motion.duration_s, 601)
    moved, limits = motion.evaluate(t), limits_of(story.robot, motion.channels)
    bounded = np.isfinite(limits.lowest) & np.isfinite(limits.highest)
    low, high = np.where(bounded, limits.lowest, np.nan), np.where(bounded, limits.highest, np.nan)
    rate = np.where(np.isfinite(limits.rate), limits.rate, np.nan)
    figures = [
        _joints(story, "joint-positions", t, (2.0 * moved.position - low - high) / (high - low), moved.position, ""),
        _joints(story, "joint-rates", t, moved.rate / rate, moved.rate, "/s"),
    ]
    return [each for each in figures if each is not None] + _base(story)


def _joints(story: RunStory, name: str, t: Any, share: Any, values: Any, per: str) -> Figure | None:
    """Channels in parts of their limits where all have one, else in degrees or metres."""
    motion = story.excitation.trajectory
    units = limits_of(story.robot, motion.channels).units
    limited = bool(np.isfinite(share).all())
    shown = 100.0 * share if limited else np.where(np.array(units) == "rad", np.degrees(values), values)
    traces = [
        line(t, shown[:, index], channel, COLOURS[index % len(COLOURS)])
        for index, channel in enumerate(motion.channels)
    ]
    what = "position" if not per else "rate"
    title = f"{what}, % of limit" if limited else f"{what} [{'°' if 'rad' in units else 'm'}{per}]"
    layout: dict[str, Any] = {"xaxis": axis("t [s]"), "yaxis": axis(title), "hovermode": "x unified"}
    if limited:
        layout["shapes"] = [level(100.0), level(-100.0)]
    return Figure(name, traces, layout, 300)


def _base(story: RunStory) -> list[Figure]:
    """What the base does: angles by which it is turned, and rates."""
    motion = story.motion
    if motion.attitude is None or motion.w is None or story.robot.base == "fixed":
        return []
    t, R = motion.need("t", "a figure"), rotations(motion.attitude)
    angles = (
        ("roll", np.arctan2(R[:, 2, 1], R[:, 2, 2])),
        ("pitch", -np.arcsin(np.clip(R[:, 2, 0], -1.0, 1.0))),
        ("yaw", np.arctan2(R[:, 1, 0], R[:, 0, 0])),
    )
    attitude = [
        line(t, np.degrees(np.unwrap(values)), name, COLOURS[index]) for index, (name, values) in enumerate(angles)
    ]
    rates = [line(t, np.degrees(motion.w[:, index]), name, COLOURS[index]) for index, name in enumerate("xyz")]
    common = {"xaxis": axis("t [s]"), "hovermode": "x unified"}
    return [
        Figure("base-attitude", attitude, {**common, "yaxis": axis("attitude [°]")}, 280),
        Figure("base-rate", rates, {**common, "yaxis": axis("rate [°/s]")}, 280),
    ]
