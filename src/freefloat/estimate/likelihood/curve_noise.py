"""What errors of the curves do to the readings of one flight, and how that is made white.

At a point of the unknowns and with the curves' coefficients of the moment, residuals r of the readings over their noise
are linear in how far the coefficients are from there, r = M (c - c_0) + noise. This holds M, and the filter that
makes r less its mean white (`curve_noise_kernels.py`); both stay as they are until the next place is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates
from freefloat.estimate.likelihood import curve_noise_kernels as kernels
from freefloat.estimate.likelihood.local_curves import LocalCurves
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.estimate.likelihood.reading_nodes import ReadingNodes
from freefloat.motion.even_splines import ORDER


@dataclass(frozen=True, slots=True, eq=False)
class SeenCurves:
    """What the readings of one array see of the curves: whitened derivatives by what changes at their instants.

    t: when, by the joints' clock, at the nodes, (n,) [s]. values: by positions, rates of joints, rates of wheels,
    accelerations of joints (where torques are read) and attitude, at the nodes, (n, axes, k). nodes: how they make
    rows.
    """

    name: str
    t: Array
    values: Array
    nodes: ReadingNodes


class CurveNoise:
    """Errors of curves in the rows of one flight.

    order: of the rows in time; None if they are in it. shift: M times the mean of c - c_0, in that order.
    """

    def __init__(self, whole: PredictedFlight, seen: list[SeenCurves]) -> None:
        local = whole.flight.local
        assert local is not None
        self.local = local
        placed = _Placed(whole, local)
        firsts = [placed.first(part) for part in seen]
        axes = [part.values.shape[1] for part in seen]
        times = np.concatenate([np.repeat(part.nodes.at_rows(part.t), k) for part, k in zip(seen, axes, strict=True)])
        first = np.concatenate([np.repeat(each, k) for each, k in zip(firsts, axes, strict=True)])
        self.order: NDArray[np.int64] | None = np.lexsort((times, first))
        A, node = np.zeros((times.size, 0)), np.zeros(times.size, np.int64)
        if whole.instants is not None:
            carried = whole.carried_columns - whole.columns.positions.start
            A = np.concatenate([part.nodes.rows(part.values[:, :, carried]).reshape(-1, carried.size) for part in seen])
            places = [part.nodes.at_rows(whole.instants.at[part.name]) for part in seen]
            node = np.concatenate([np.repeat(place, k) for place, k in zip(places, axes, strict=True)])
            self.order = np.argsort(node, kind="stable")
        self.order = _unless_sorted(self.order)
        order = slice(None) if self.order is None else self.order
        first = first[order]
        early = np.minimum.accumulate(first[::-1])[::-1]  # windows only go on, for all later rows
        placed.window += int((first - early).max(initial=0))
        Phi, C, begin = placed.steps(seen, firsts)
        window = placed.window
        parts = [placed.rows(part, window) for part in seen]
        H = np.ascontiguousarray((parts[0] if len(parts) == 1 else np.concatenate(parts))[order])
        first, early = (np.minimum(each, local.spline.count - window) for each in (first, early))
        _shift(H, (first - early) * local.coefficients.shape[1])
        self.count = times.size
        weights, sd = local.chain
        self.rows = kernels.CurveRows(
            np.ascontiguousarray(weights),
            np.ascontiguousarray(sd),
            window,
            early,
            H,
            np.ascontiguousarray(A[order]),
            node[order],
            Phi,
            C,
            begin,
        )
        states = window * local.coefficients.shape[1] + A.shape[1]
        self.gains, self.scales = np.empty((times.size, states)), np.empty(times.size)
        kernels.find_gains(self.rows, self.gains, self.scales)
        self.shift = self._by_curves(local.mean - local.coefficients)

    def _by_curves(self, coefficients: Array) -> Array:
        out = np.empty(self.count)
        kernels.by_curves(self.rows, np.ascontiguousarray(coefficients), out)
        return out

    def whitened(self, columns: Array, residual: bool) -> Array:
        """Columns (rows, k) made white, changed in place where that serves.

        residual: whether they are one, whose mean is taken off.
        """
        ordered = columns if self.order is None else columns[self.order]
        if residual:
            ordered -= self.shift[:, None]
        kernels.whiten(self.rows, ordered, self.gains, self.scales)
        return self._as_given(ordered)

    def _as_given(self, ordered: Array) -> Array:
        if self.order is None:
            return ordered
        found = np.empty_like(ordered)
        found[self.order] = ordered
        return found

    def weighted_twice(self, white: Array) -> Array:
        """The transposed inverse root of white columns, shape (rows, k): what each row's own noise does to them."""
        ordered = np.array(white) if self.order is None else white[self.order]
        kernels.whiten_back(self.rows, ordered, self.gains, self.scales)
        return self._as_given(ordered)

    def most_likely(self, white: Array) -> tuple[LocalCurves, float]:
        """The curves that a residual made white, shape (rows,), makes most likely, and how far readings move by that.

        The latter as root mean square in units of their noise.
        """
        twice = self.weighted_twice(white[:, None])[:, 0]
        ordered = np.ascontiguousarray(twice if self.order is None else twice[self.order])
        gradient = np.zeros_like(self.local.coefficients)
        kernels.by_curves_back(self.rows, ordered, gradient)
        moved = self.local.moved(gradient)
        change = self._by_curves(moved.coefficients - self.local.coefficients)
        return moved, float(np.sqrt((change**2).mean()))


def _shift(H: Array, by: NDArray[np.int64]) -> None:
    """Move entries of each row to the right, in place, so many places; what comes in is zero."""
    for places in np.unique(by[by > 0]).tolist():
        moved = np.flatnonzero(by == places)
        H[moved, places:], H[moved, :places] = H[moved, :-places], 0.0


def _unless_sorted(order: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """An order, None if it changes nothing: what is in order need not be copied."""
    return None if np.array_equal(order, np.arange(order.size)) else order


class _Placed:
    """Functions of the curves at instants: of the joints at those of their clock, of the wheels at those of theirs."""

    def __init__(self, whole: PredictedFlight, local: LocalCurves) -> None:
        self.whole, self.local, self.spline = whole, local, local.spline
        self.window = ORDER
        self.curves = local.joints + local.wheels

    def _functions(self, t: Array) -> list[tuple[slice, NDArray[np.int64], Array, Array, Array]]:
        """By curves, the first coefficient that counts at times t; values and two slopes of its six, (n, 6) each."""
        local, found = self.local, []
        parts = [(slice(0, local.joints), t)]
        if local.wheels:
            shown = self.whole.flight.wheel_time(self.whole.point, t)
            parts.append((slice(local.joints, self.curves), shown))
        for curves, times in parts:
            if curves.stop > curves.start:
                value, slope, second = self.spline.functions(times, 2)
                found.append((curves, value.first, value.values, slope.values, second.values))
        return found

    def first(self, seen: SeenCurves) -> NDArray[np.int64]:
        """First coefficient of any curve that counts in each row, (rows,); the window grows to hold the last."""
        return np.repeat(self._lowest(seen.t, seen.nodes), seen.nodes.rows_each)

    def _lowest(self, t: Array, nodes: ReadingNodes) -> NDArray[np.int64]:
        """The same for each stretch of nodes at times t."""
        firsts = np.stack([first for _, first, *_ in self._functions(t)])
        each = nodes.nodes_each
        lowest: NDArray[np.int64] = firsts.min(axis=0).reshape(-1, each).min(axis=1)
        highest = firsts.max(axis=0).reshape(-1, each).max(axis=1)
        self.window = max(self.window, int((highest - lowest).max(initial=0)) + ORDER)
        return lowest

    def rows(self, seen: SeenCurves, window: int) -> Array:
        """Derivatives of rows by the coefficients of a window, shape (n axes, window curves)."""
        columns, n = self.whole.columns, seen.t.size
        begin = columns.positions.start
        positions, rates, wheels, accelerations = (
            slice(place.start - begin, place.stop - begin)
            for place in (columns.positions, columns.rates, columns.wheels, columns.accelerations)
        )
        found = self._functions(seen.t)
        lowest = np.minimum(self._lowest(seen.t, seen.nodes), self.spline.count - window)
        nodes, axes = seen.nodes.nodes_each, seen.values.shape[1]
        mix = np.ones((1, 1, 1)) if seen.nodes.mix is None else seen.nodes.mix
        H = np.zeros((n // nodes, mix.shape[1], axes, window * self.curves))
        for curves, first, value, slope, second in found:
            joints = curves.start == 0 and self.local.joints > 0
            by_value = seen.values[:, :, positions if joints else wheels]
            by_slope = seen.values[:, :, rates] if joints else np.zeros_like(by_value)
            parts = [(by_value, by_slope, value, slope)]
            if joints and accelerations.stop > accelerations.start:
                by_second = seen.values[:, :, accelerations]
                parts.append((by_second, np.zeros_like(by_second), second, slope))
            for by_one, by_other, one, other in parts:
                kernels.add_rows(
                    np.ascontiguousarray(by_one).reshape(-1, nodes, axes, by_one.shape[2]),
                    np.ascontiguousarray(by_other).reshape(-1, nodes, axes, by_one.shape[2]),
                    first.reshape(-1, nodes),
                    one.reshape(-1, nodes, ORDER),
                    other.reshape(-1, nodes, ORDER),
                    lowest,
                    np.ascontiguousarray(mix),
                    curves.start,
                    self.curves,
                    H,
                )
        return H.reshape(-1, window * self.curves)

    def steps(self, seen: list[SeenCurves], firsts: list[NDArray[np.int64]]) -> tuple[Array, Array, NDArray[np.int64]]:
        """What curves do to what is carried on from one instant to the next: Phi, C and where windows begin.

        No window begins behind what a later row sees: a sensor that lags sees coefficients of before its instant.
        """
        whole = self.whole
        if whole.instants is None:
            return np.zeros((0, 3, 3)), np.zeros((0, 3, 0)), np.zeros(0, np.int64)
        t, m = whole.whole_motion.grid.t, whole.whole_motion.grid.t.size
        first, functions = np.empty((m, self.curves), np.int64), np.empty((3, m, ORDER, self.curves))
        for curves, at, *own in self._functions(t):
            first[:, curves] = at[:, None]
            for each, values in zip(functions, own, strict=True):
                each[:, :, curves] = values[:, :, None]
        n = whole.instants.t.size
        needed = np.full(n, self.spline.count)
        for part, lowest in zip(seen, firsts, strict=True):
            np.minimum.at(needed, part.nodes.at_rows(whole.instants.at[part.name]), lowest)
        last = np.minimum.accumulate(needed[::-1])[::-1][1:]
        low, high = first.min(axis=1), first.max(axis=1)
        ahead = np.maximum(np.maximum(high[:-2:2], high[1::2]), high[2::2])
        begins = np.minimum(low[:-2:2], last)
        self.window = max(self.window, int((ahead - begins).max(initial=0)) + ORDER)
        last = np.minimum(last, self.spline.count - self.window)
        F, by_curves = whole.carried, self._changes_by_curves(m)
        size = F.shape[1]
        Phi, C = np.empty((n - 1, size, size)), np.empty((n - 1, size, self.window * self.curves))
        begin = np.empty(n - 1, np.int64)
        kernels.turns_by_curves(t, F, first, *functions, *by_curves, self.window, last, Phi, C, begin)
        return Phi, C, begin

    def _changes_by_curves(self, m: int) -> tuple[Array, Array, Array]:
        """What values of curves and two slopes change in what is carried on, (m, carried, curves) each, or (0, ...)."""
        whole, local, columns = self.whole, self.local, self.whole.columns
        rates, size = whole.rates_at_instants, whole.carried.shape[1]
        joints, start = len(whole.flight.robot.joints), columns.positions.start
        by_value, by_slope = np.zeros((m, size, self.curves)), np.zeros((m, size, self.curves))
        by_second = np.zeros((0, size, self.curves))
        if local.joints:
            by_value[:, :3, : local.joints] = rates[:, :, :joints]
            by_slope[:, :3, : local.joints] = rates[:, :, joints : 2 * joints]
        if local.wheels:
            wheels = slice(columns.wheels.start - start, columns.wheels.stop - start)
            by_value[:, :3, local.joints :] = rates[:, :, wheels]
        if whole.pulled is not None:
            by_second = np.zeros((m, size, self.curves))
            own, scale = slice(size - whole.pulled.rate.shape[1], size), whole.whole_motion.scale
            if local.joints:  # which move so many times as far as their curves
                for each, pulled in zip((by_value, by_slope, by_second), whole.pulled.by_joints, strict=True):
                    each[:, own, : local.joints] = pulled * scale
            if local.wheels:
                by_rates = momentum_by_wheel_rates(whole.flight.robot, whole.flight.wheel_inertias(whole.point))
                for each, pulled in zip((by_value, by_slope), whole.pulled.by_spin, strict=True):
                    each[:, own, local.joints :] = pulled @ by_rates
        return by_value, by_slope, by_second
