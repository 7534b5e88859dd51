"""Figures of Table 6 of Naveen, Shah and Misra beside ours: errors of the base's twist and of torques, predicted.

Their motion exists only as a figure, of which no number is printed. With the peak rates of Table 3 ours is milder:
least squares, which is their method, errs less than they print. So there is a second column, of a motion with which it
errs as they print. What can be claimed is how much less our default errs on the same motions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published
from freefloat.studies.check import Better, Check, Way
from freefloat.studies.naveen.experiment import STUDY
from freefloat.studies.naveen.prediction import MOTIONS, UnseenMotions, telling_motion

_KINDS = {  # in the table: name, words, unit
    "velocity_m_s": ("base_linear", "velocity of the base", "m/s"),
    "angular_rate_rad_s": ("base_angular", "angular rate of the base", "rad/s"),
    "torque_Nm": ("torque", "joint torque", "N m"),
}


def prediction_checks(truth: Robot, by_way: dict[Way, Array]) -> Iterator[Check]:
    """Errors of the predictions of estimates by either way, standard parameters of every run, (runs, parameters)."""
    unseen = UnseenMotions.drawn(truth)
    least_squares, default = unseen.rms(by_way["published"]), unseen.rms(by_way["default"])
    yield from _as_large_as_table_3(least_squares, default)
    yield from _by_a_telling_motion(truth, by_way)


def _by_a_telling_motion(truth: Robot, by_way: dict[Way, Array]) -> Iterator[Check]:
    """The second column."""
    printed = np.concatenate([published(STUDY)["results"]["prediction_rms"][kind] for kind in _KINDS])
    unseen = UnseenMotions(truth, (telling_motion(truth.joint_names),))
    low, high = np.degrees(unseen.swings)
    note = "coefficients exist only as a figure; cause: the motion. Ours, one of many of the same form, was chosen so "
    note += "that errors of least squares come out: 24 coefficients for 12 figures; joints swing "
    note += f"{low:.0f} to {high:.0f} deg either way"
    ways: tuple[tuple[str, Better, float, Way], ...] = (
        ("naveen.ols.prediction", "equal", 0.3, "published"),
        ("naveen.prediction", "lower", 0.0, "default"),
    )
    for prefix, better, tolerance, way in ways:
        yield Check(
            f"{prefix}.telling_motion.by_channel",
            "error of every predicted channel, a motion as Table 6 suggests: v, w, torques [SI]",
            tuple(printed.tolist()),
            tuple(unseen.rms(by_way[way]).tolist()),
            "",
            better,
            tolerance,
            way,
            comparable=False,
            note=note,
        )


def _as_large_as_table_3(least_squares: Array, default: Array) -> Iterator[Check]:
    """Root mean squares of prediction errors by either way, shape (12,) each: velocity, angular rate, torques."""
    printed = published(STUDY)["results"]["prediction_rms"]
    tables = [np.array(printed[kind]) for kind in _KINDS]
    milder = np.concatenate(tables) / least_squares
    note = f"coefficients exist only as a figure; ours: {MOTIONS} motions drawn, peak rates of Table 3, wheels still; "
    note += f"they are milder: errors of least squares are {milder.min():.1f} to {milder.max():.1f} times smaller here"
    ways: tuple[tuple[Array, str, Better, float, Way, str], ...] = (
        (least_squares, "naveen.ols.prediction", "equal", 0.3, "published", "; tolerance: as of the median error"),
        (default, "naveen.prediction", "lower", 0.0, "default", ""),
    )
    ends = np.cumsum([len(table) for table in tables])[:-1]
    for rms, prefix, better, tolerance, way, more in ways:
        for (name, words, unit), table, ours in zip(_KINDS.values(), tables, np.split(rms, ends), strict=True):
            yield Check(
                f"{prefix}.{name}_rms",
                f"error of the predicted {words}, worst component",
                float(table.max()),
                float(ours.max()),
                unit,
                better,
                tolerance,
                way,
                comparable=False,
                note=f"{note}{more}",
            )
        yield Check(
            f"{prefix}.by_channel",
            "error of every predicted channel: v, w, torques [SI]",
            tuple(np.concatenate(tables).tolist()),
            tuple(rms.tolist()),
            "",
            better,
            tolerance,
            way,
            comparable=False,
            note=f"{note}{more}",
        )
    for (name, words, _), ratios in zip(_KINDS.values(), np.split(least_squares / default, ends), strict=True):
        yield Check(
            f"naveen.prediction.least_squares_over_default.{name}",
            f"error of the predicted {words}: least squares over our default, least of the components",
            1.0,
            float(ratios.min()),
            better="higher",
            way="default",
            comparable=False,
            note="both on the same recordings and the same unseen motions, which are ours; one: no better",
        )
