"""From what a file holds to a sound channel: each fault is one sentence, or a repair that the user named.

    drop-nan          leave out samples with a number that is missing, not a number or infinite
    sort              put samples in the order of their time stamps
    drop-duplicates   of samples with the same time stamp keep the first
    drop-unknown      leave out columns of no known quantity
    drop-last         leave out a last row that is cut short

Nothing is repaired unasked, except that messages of a bag are sorted, for they arrive in any order. Whatever
is repaired is said in the recording's notes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.files import FilePath, did_you_mean, shown
from freefloat.sensors.channel import Channel

REPAIRS = ("drop-nan", "sort", "drop-duplicates", "drop-unknown", "drop-last")


def check_repairs(repairs: Iterable[str]) -> frozenset[str]:
    """The repairs asked for, or one sentence on the first that does not exist."""
    asked = (repairs,) if isinstance(repairs, str) else tuple(repairs)
    for name in asked:
        if name not in REPAIRS:
            raise FreefloatError(
                f"no repair is called {shown(name)}{did_you_mean(name, REPAIRS)}; allowed: {', '.join(REPAIRS)}"
            )
    return frozenset(asked)


@dataclass(frozen=True, slots=True, eq=False)
class RawChannel:
    """What a file holds for one channel, sound or not.

    t: shape (n,) [s]. values: shape (n, k) [SI]. rows: where each sample is in the file, from one, shape (n,).
    empty: where a value is not there at all, shape (n, k).
    row_word: what the file's own reader would call a row.
    """

    path: FilePath
    name: str
    columns: tuple[str, ...]
    components: tuple[str, ...]
    units: tuple[str, ...]
    t: Array
    values: Array
    rows: NDArray[np.int64]
    empty: NDArray[np.bool_]
    row_word: str = "row"

    def at(self, chosen: NDArray[np.intp]) -> RawChannel:
        """The chosen samples."""
        return replace(
            self,
            t=self.t[chosen],
            values=self.values[chosen],
            rows=self.rows[chosen],
            empty=self.empty[chosen],
        )

    def fault(self, problem: str) -> FileError:
        """The error to raise; `problem` names column and row."""
        return FileError(self.path, problem)

    def channel(self) -> Channel:
        """The channel, once there is nothing left to mend."""
        return Channel(self.name, self.t, self.values, self.components, self.units)


def mend(raw: RawChannel, repairs: frozenset[str]) -> tuple[Channel, tuple[str, ...]]:
    """The channel, and a sentence for every repair that was needed; a fault if one was not asked for."""
    notes: list[str] = []
    for repair, step in (("drop-nan", _complete), ("sort", _sorted), ("drop-duplicates", _distinct)):
        mended = step(raw, repair in repairs)
        if mended is not raw:
            notes.append(_note(repair, raw, mended))
        raw = mended
    if not raw.t.size:
        raise raw.fault(f"{raw.name} has no samples; allowed: at least one")
    return raw.channel(), tuple(notes)


def _note(repair: str, before: RawChannel, after: RawChannel) -> str:
    lost = before.t.size - after.t.size
    moved = lost or int((before.rows != after.rows).sum())
    did = "left out" if lost else "put in order"
    return f"{repair}: {before.name}: {did} {moved:,} of {before.t.size:,} samples"


def _complete(raw: RawChannel, repair: bool) -> RawChannel:
    bad = raw.empty | ~np.isfinite(raw.values)
    if not bad.any():
        return raw
    if repair:
        return raw.at(np.flatnonzero(~bad.any(axis=1)))
    row, column = np.argwhere(bad)[0].tolist()
    found = "empty where other components of the sample are not" if raw.empty[row, column] else "not finite"
    if np.isnan(raw.values[row, column]) and not raw.empty[row, column]:
        found = "NaN"
    place = f"column {raw.columns[column]!r}, {raw.row_word} {raw.rows[row]}"
    raise raw.fault(f"{place}: is {found}; allowed: a finite number, or the repair drop-nan")


def _sorted(raw: RawChannel, repair: bool) -> RawChannel:
    backwards = raw.t[1:] < raw.t[:-1]
    if not backwards.any():
        return raw
    if repair:
        return raw.at(np.argsort(raw.t, kind="stable"))
    raise _time_fault(raw, int(np.argmax(backwards)), "sort")


def _distinct(raw: RawChannel, repair: bool) -> RawChannel:
    same = raw.t[1:] == raw.t[:-1]
    if not same.any():
        return raw
    if repair:
        return raw.at(np.flatnonzero(np.concatenate([[True], ~same])))
    raise _time_fault(raw, int(np.argmax(same)), "drop-duplicates")


def _time_fault(raw: RawChannel, before: int, repair: str) -> FileError:
    here, there = raw.t[before + 1], raw.t[before]
    return raw.fault(
        f"column 't_s', {raw.row_word} {raw.rows[before + 1]}: a sample of {raw.name} at {here} s follows "
        f"one at {there} s; allowed: increasing time stamps, or the repair {repair}"
    )


def check_gaps(path: FilePath, channel: Channel, max_gap_s: float | None) -> tuple[str, ...]:
    """A sentence on the longest gap in a channel, if it has any; a fault if it exceeds `max_gap_s` [s]."""
    gaps = channel.gaps(max_gap_s)
    if not len(gaps):
        return ()
    start, end = gaps[int(np.argmax(gaps[:, 1] - gaps[:, 0]))].tolist()
    found = f"{channel.name} has no samples for {end - start:.6g} s, from {start:.9g} s to {end:.9g} s"
    if max_gap_s is not None:
        raise FileError(path, f"{found}; allowed: gaps of at most {max_gap_s:.6g} s")
    more = f" (the longest of {len(gaps)} gaps)" if len(gaps) > 1 else ""
    return (f"gap: {found}{more}",)
