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
from freefloat.estimate.likelihood import curve_noise_kernels as kernels
from freefloat.estimate.likelihood.local_curves import LocalCurves
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.motion.even_splines import ORDER


@dataclass(frozen=True, slots=True, eq=False)
class SeenCurves:
    """What the readings of one array see of the curves: whitened derivatives by what changes at their instants.

    t: when, by the joints' clock, (n,) [s]. values: by positions, rates of joints, rates of wheels and attitude, (n,
    axes, k).
    """

    name: str
    t: Array
    values: Array


class CurveNoise:
    """Errors of curves in the rows of one flight.

    order: of the rows in time. shift: M times the mean of c - c_0, in that order.
    """

    def __init__(self, whole: PredictedFlight, seen: list[SeenCurves]) -> None:
        local = whole.flight.local
        assert local is not None
        self.local = local
        placed = _Placed(whole, local)
        steps = placed.steps()
        first = np.concatenate([placed.first(part.t) for part in seen])
        window = placed.window
        H = [placed.rows(part, window) for part in seen]
        axes = [part.values.shape[1] for part in seen]
        times = np.concatenate([np.repeat(part.t, k) for part, k in zip(seen, axes, strict=True)])
        counts = np.concatenate([np.full(part.t.size, k) for part, k in zip(seen, axes, strict=True)])
        self.order: NDArray[np.int64] = np.argsort(times, kind="stable")
        A, node = np.zeros((times.size, 0)), np.zeros(times.size, np.int64)
        if whole.instants is not None:
            A = np.concatenate([part.values[:, :, -3:].reshape(-1, 3) for part in seen])
            node = np.concatenate(
                [np.repeat(whole.instants.at[part.name], k) for part, k in zip(seen, axes, strict=True)]
            )
        weights, sd = (np.ascontiguousarray(each) for each in local.chain)
        self.rows = kernels.CurveRows(
            weights,
            sd,
            window,
            np.minimum(np.repeat(first, counts)[self.order], local.spline.count - window),
            np.ascontiguousarray(np.concatenate(H)[self.order]),
            np.ascontiguousarray(A[self.order]),
            node[self.order],
            *steps,
        )
        states = window * local.coefficients.shape[1] + A.shape[1]
        self.gains, self.scales = np.empty((times.size, states)), np.empty(times.size)
        kernels.find_gains(self.rows, self.gains, self.scales)
        self.shift = self._by_curves(local.mean - local.coefficients)

    def _by_curves(self, coefficients: Array) -> Array:
        out = np.empty(self.order.size)
        kernels.by_curves(self.rows, np.ascontiguousarray(coefficients), out)
        return out

    def whitened(self, columns: Array, residual: bool) -> Array:
        """Columns (rows, k) made white; residual: whether they are one, whose mean is taken off."""
        ordered = columns[self.order]
        if residual:
            ordered -= self.shift[:, None]
        kernels.whiten(self.rows, ordered, self.gains, self.scales)
        found = np.empty_like(ordered)
        found[self.order] = ordered
        return found

    def weighted_twice(self, white: Array) -> Array:
        """The transposed inverse root of white columns, shape (rows, k): what each row's own noise does to them."""
        ordered = white[self.order]
        kernels.whiten_back(self.rows, ordered, self.gains, self.scales)
        found = np.empty_like(ordered)
        found[self.order] = ordered
        return found

    def most_likely(self, white: Array) -> tuple[LocalCurves, float]:
        """The curves that a residual made white, shape (rows,), makes most likely, and how far readings move by that.

        The latter as root mean square in units of their noise.
        """
        ordered = np.ascontiguousarray(self.weighted_twice(white[:, None])[self.order, 0])
        gradient = np.zeros_like(self.local.coefficients)
        kernels.by_curves_back(self.rows, ordered, gradient)
        moved = self.local.moved(gradient)
        change = self._by_curves(moved.coefficients - self.local.coefficients)
        return moved, float(np.sqrt((change**2).mean()))


class _Placed:
    """Functions of the curves at instants: of the joints at those of their clock, of the wheels at those of theirs."""

    def __init__(self, whole: PredictedFlight, local: LocalCurves) -> None:
        self.whole, self.local, self.spline = whole, local, local.spline
        self.window = ORDER
        self.curves = local.joints + local.wheels

    def _functions(self, t: Array) -> list[tuple[slice, NDArray[np.int64], Array, Array]]:
        """By curves, the first coefficient that counts at times t, and values and slopes of its six, (n, 6) each."""
        local, found = self.local, []
        parts = [(slice(0, local.joints), t)]
        if local.wheels:
            shown = self.whole.flight.wheel_time(self.whole.point, t)
            parts.append((slice(local.joints, self.curves), shown))
        for curves, times in parts:
            if curves.stop > curves.start:
                value, slope = self.spline.functions(times, 1)
                found.append((curves, value.first, value.values, slope.values))
        return found

    def first(self, t: Array) -> NDArray[np.int64]:
        """First coefficient of any curve that counts at times t, (n,); the window grows to hold the last."""
        firsts = np.stack([first for _, first, _, _ in self._functions(t)])
        lowest: NDArray[np.int64] = firsts.min(axis=0)
        self.window = max(self.window, int((firsts.max(axis=0) - lowest).max(initial=0)) + ORDER)
        return lowest

    def rows(self, seen: SeenCurves, window: int) -> Array:
        """Derivatives of rows by the coefficients of a window, shape (n axes, window curves)."""
        columns, n = self.whole.columns, seen.t.size
        begin = columns.positions.start
        positions, rates, wheels = (
            slice(place.start - begin, place.stop - begin)
            for place in (columns.positions, columns.rates, columns.wheels)
        )
        found = self._functions(seen.t)
        lowest = np.minimum(np.min([first for _, first, _, _ in found], axis=0), self.spline.count - window)
        H = np.zeros((n, seen.values.shape[1], window, self.curves))
        each = np.arange(n)
        for curves, first, value, slope in found:
            joints = curves.start == 0 and self.local.joints > 0
            by_value = seen.values[:, :, positions if joints else wheels]
            for k in range(ORDER):
                part = by_value * value[:, None, k : k + 1]
                if joints:
                    part = part + seen.values[:, :, rates] * slope[:, None, k : k + 1]
                H[each, :, first - lowest + k, curves] += part
        return H.reshape(n * seen.values.shape[1], -1)

    def steps(self) -> tuple[Array, Array, NDArray[np.int64]]:
        """What curves do to the attitude from one instant to the next: Phi, C and where windows begin."""
        whole, local = self.whole, self.local
        if whole.instants is None:
            return np.zeros((0, 3, 3)), np.zeros((0, 3, 0)), np.zeros(0, np.int64)
        motion, columns = whole.whole_motion, whole.columns
        t, m = motion.grid.t, motion.grid.t.size
        first, values, slopes = np.empty((m, self.curves), np.int64), np.empty((m, 6, self.curves)), np.zeros(0)
        slopes = np.empty_like(values)
        for curves, at, value, slope in self._functions(t):
            first[:, curves], values[:, :, curves] = at[:, None], value[:, :, None]
            slopes[:, :, curves] = slope[:, :, None]
        low, high = first.min(axis=1), first.max(axis=1)
        ahead = np.maximum(np.maximum(high[:-2:2], high[1::2]), high[2::2])
        self.window = max(self.window, int((ahead - low[:-2:2]).max(initial=0)) + ORDER)
        rates = whole.rates_at_instants
        by_value, by_slope = np.zeros((m, 3, self.curves)), np.zeros((m, 3, self.curves))
        joints, start = len(whole.flight.robot.joints), columns.positions.start
        if local.joints:
            by_value[:, :, : local.joints] = rates[:, :, :joints]
            by_slope[:, :, : local.joints] = rates[:, :, joints : 2 * joints]
        if local.wheels:
            wheels = slice(columns.wheels.start - start, columns.wheels.stop - start)
            by_value[:, :, local.joints :] = rates[:, :, wheels]
        for part in whole.flight.readings:  # the window must hold what rows see, too
            self.first(t[2 * whole.instants.at[part]])
        n = whole.instants.t.size
        Phi, C = np.empty((n - 1, 3, 3)), np.empty((n - 1, 3, self.window * self.curves))
        begin = np.empty(n - 1, np.int64)
        kernels.turns_by_curves(
            t,
            np.ascontiguousarray(whole.by_attitude_rates),
            first,
            values,
            slopes,
            by_value,
            by_slope,
            self.window,
            self.spline.count - self.window,
            Phi,
            C,
            begin,
        )
        return Phi, C, begin
