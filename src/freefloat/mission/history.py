"""An estimate as it comes about: from the first part of a flight and then more of it, or from a window that moves.

After the convergence over a growing window of M. Spirolazzi, "Free-floating robot inertial parameter identification
towards in orbit servicing", 2022, Figure 4.8. Parts are those of the seconds that count (`identify.window`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.data.recording import Recording
from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.uncertain import HALF
from freefloat.exact_json import finite_or_none
from freefloat.excitation.excitation import Excitation
from freefloat.frozen import Content
from freefloat.mission.drawing import mission_flown_with
from freefloat.mission.identifying import Recordings, identify, named_recordings, seconds_that_count
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.models.names import cluster_unit
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot

_NEARLY_ZERO = 1e-3  # of the largest value of a kind


@dataclass(frozen=True, slots=True, eq=False)
class History(Content):
    """Estimates from parts of one recording.

    names: of the clusters. spans_s: from when to when each part goes, shape (k, 2) [s].
    values, sd: shape (k, c) [SI], NaN where a part was too short for an estimate. outcomes: of each; why not, else.
    truth: the clusters of the robot that flew, if it is known, shape (c,) [SI].
    """

    names: tuple[str, ...]
    spans_s: Array
    values: Array
    sd: Array
    outcomes: tuple[str, ...]
    truth: Array | None = None

    @property
    def errors(self) -> Array:
        """Of each part's values over the true ones, shape (k, c); NaN if these are not known.

        Over a thousandth of the largest true value of its kind where one is smaller: a cluster that is nearly zero
        has no percent. Where all of a kind are zero, in SI units.
        """
        if self.truth is None:
            return np.full(self.values.shape, np.nan)
        kinds = [cluster_unit(name) for name in self.names]
        largest = {kind: max(abs(self.truth[k]) for k, each in enumerate(kinds) if each == kind) for kind in kinds}
        size = np.maximum(np.abs(self.truth), [_NEARLY_ZERO * largest[kind] for kind in kinds])
        return np.asarray(np.abs(self.values - self.truth) / np.where(size > 0.0, size, 1.0))

    @property
    def away(self) -> Array:
        """Largest distance of each part's values from the last ones, over the part's own standard deviations, (k,)."""
        known = np.where(np.isfinite(self.sd) & (self.sd > 0.0), self.sd, np.nan)
        distance = np.abs(self.values - self.values[-1]) / known
        return np.array([np.nan if np.isnan(row).all() else float(np.nanmax(row)) for row in distance])

    @property
    def relative(self) -> Array:
        """Median over clusters of each part's 95 % interval, half of it, over the last values, shape (k,)."""
        size = np.where(self.values[-1] != 0.0, np.abs(self.values[-1]), np.nan)
        share = HALF * self.sd / size
        return np.array([np.nan if np.isnan(row).all() else float(np.nanmedian(row)) for row in share])

    def document(self) -> dict[str, Any]:
        """As plain data."""
        parts = zip(self.spans_s.tolist(), self.outcomes, self.values.tolist(), self.sd.tolist(), strict=True)
        listed = [
            {
                "from_s": start,
                "to_s": end,
                "outcome": outcome,
                "values": [finite_or_none(each) for each in values],
                "sd": [finite_or_none(each) for each in sd],
            }
            for (start, end), outcome, values, sd in parts
        ]
        said: dict[str, Any] = {"clusters": list(self.names), "parts": listed}
        return said if self.truth is None else {**said, "truth": self.truth.tolist()}


def identify_history(
    mission: Mission,
    recordings: Recordings,
    parts: int = 10,
    span_s: float | None = None,
    method: str | Estimator | None = None,
    motion: Trajectory | Excitation | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
    watch: Callable[[int], None] | None = None,
    truth: Robot | None = None,
) -> History:
    """Estimates from a recording's first part, its first two, and so on to all `parts` of it.

    span_s: length of a window that moves instead, in as many steps. method, motion, without: as for `identify`.
    watch: called before each estimate with its number. truth: the robot that flew, if it is known.
    """
    named = named_recordings(recordings)
    spans = history_spans(mission, named, parts, span_s)
    found = list[Estimate | str]()
    for number, (start, end) in enumerate(spans.tolist()):
        if watch is not None:
            watch(number)
        found.append(_estimate(mission, named, start, end, method, motion, without))
    whole = [each for each in found if isinstance(each, Estimate)]
    if not whole:
        raise InvalidMission(f"there is no estimate from {spans[-1, 0]:g} to {spans[-1, 1]:g} s: {found[-1]}")
    blank = np.full(len(whole[0].names), np.nan)
    return History(
        whole[0].names,
        spans,
        np.array([blank if isinstance(each, str) else each.values for each in found]),
        np.array([blank if isinstance(each, str) else each.sd for each in found]),
        tuple(each if isinstance(each, str) else each.outcome for each in found),
        None if truth is None else identify(mission_flown_with(mission, truth), named, method, motion, without).cad,
    )


def history_spans(
    mission: Mission, recordings: Mapping[str, Recording], parts: int, span_s: float | None = None
) -> Array:
    """From which to which second each part of a history is, shape (parts, 2) [s]; what cannot be had is refused."""
    if len(recordings) != 1:
        raise InvalidMission(f"a history is of one recording; found {len(recordings)}")
    if parts < 2:
        raise InvalidMission(f"a history has {parts} parts; allowed: at least 2")
    first, last = seconds_that_count(mission, next(iter(recordings.values())))
    if span_s is None:
        return np.column_stack([np.full(parts, first), first + (last - first) * np.arange(1, parts + 1) / parts])
    if not 0.0 < span_s < last - first:
        raise InvalidMission(f"a window of {span_s:g} s is to move over {last - first:g} s; allowed: less, above zero")
    starts = np.linspace(first, last - span_s, parts)
    return np.column_stack([starts, starts + span_s])


def _estimate(
    mission: Mission,
    recordings: Mapping[str, Recording],
    start: float,
    end: float,
    method: str | Estimator | None,
    motion: Trajectory | Excitation | None,
    without: Mapping[str, Sequence[str]] | None,
) -> Estimate | str:
    """Of a part, or why there is none: it may be too short for its unknowns."""
    said = mission.settings.identify.model_copy(update={"window": (start, end)})
    part = replace(mission, settings=mission.settings.model_copy(update={"identify": said}))
    try:
        return identify(part, recordings, method, motion, without)
    except FreefloatError as error:
        return str(error)
