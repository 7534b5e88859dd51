"""At which instants a sensor's readings are predicted, and how predictions there make rows of the likelihood.

Most readings are predicted each at its own instant. A sensor that integrates, or lags, shows a weighted mean over a few
instants before its stamp (`Measured.response`). Where readings are many, a stretch of them is nearly as good as a
polynomial of degree seven: with P the values at the stamps of the polynomials that are one at one of eight Chebyshev
nodes and zero at the others, readings y of a prediction x at the nodes have all they say of it in

    S (G^-1 P^T y - x),      S = G^1/2,      G = P^T P,

eight rows whose noise is as white as that of y, instead of dozens (J. P. Boyd, "Chebyshev and Fourier spectral methods"
2001). Stretches are half as long as those of which polynomials leave more than of short ones.

What is read by how fast it changes (`Reading.changes`) is predicted at such nodes always, each of them given twice: the
polynomials through the first are differentiated, those through the second are not. Of a stretch, as long as polynomials
may follow it, only the lowest degrees become rows: with C those at the nodes, C^T G C = E, they are C^T G. A rigid body
does nothing faster, but motors that shake it do, far beyond the sensor's noise. Where readings are too slow for a
stretch of them, each has a few nodes of its own about its instant.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.likelihood.reading_node_kernels import gather_polynomials
from freefloat.sensors.measured import Measured

Number = TypeVar("Number", np.float64, np.int64)

MANY = 20000  # readings, above which stretches of them become a few rows
_NODES = 8
_LOWEST = 3  # degrees of what is read by how fast it changes
_FEW, _ABOUT_S = 5, 0.02  # nodes about a reading of its own, an odd number; over how long
_SHORTEST, _LONGEST = 24, 1536  # readings in a stretch
_CHANCE = 3.0  # standard deviations of the power that is left: what short stretches leave, but for chance
_AT_ONCE = 1024  # stretches
_APART = 4.0  # median intervals between stamps: a stretch ends there


@dataclass(frozen=True, slots=True, eq=False)
class ReadingNodes:
    """Where readings are predicted.

    data: as if read there. t: of the rows, by the sensor's clock, (rows,) [s]. mix: rows by nodes of each stretch,
    (stretches, rows of one, nodes of one); None if each node is a row. standing: nodes of a stretch whose instants
    stand for its rows.
    """

    data: Measured
    t: Array
    mix: Array | None = None
    standing: tuple[int, ...] = (0,)

    def rows(self, values: Array) -> Array:
        """Values (nodes, axes, k) at the nodes as rows, (rows, axes, k)."""
        if self.mix is None:
            return values
        stretches, rows, nodes = self.mix.shape
        found = np.empty((stretches, rows, values.shape[1] * values.shape[2]))
        for start in range(0, stretches, _AT_ONCE):  # so that what is copied on the way takes little memory
            own = slice(start, start + _AT_ONCE)
            part = values[start * nodes : (start + _AT_ONCE) * nodes]
            np.matmul(self.mix[own], part.reshape(-1, nodes, found.shape[2]), out=found[own])
        return found.reshape(stretches * rows, *values.shape[1:])

    def at_rows(self, values: NDArray[Number]) -> NDArray[Number]:
        """Values (nodes, ...) at the instant that stands for each row: its own, or the middle one of a mean."""
        if self.mix is None:
            return values
        each = values.reshape(-1, self.nodes_each, *values.shape[1:])
        return each[:, list(self.standing)].reshape(-1, *values.shape[1:])

    @property
    def nodes_each(self) -> int:
        """Nodes of a stretch."""
        return 1 if self.mix is None else self.mix.shape[2]

    @property
    def rows_each(self) -> int:
        """Rows of a stretch."""
        return 1 if self.mix is None else self.mix.shape[1]


def nodes_of(data: Measured, longest_s: float, changes: bool = False) -> ReadingNodes:
    """Those of a sensor's readings; longest_s: stretch of very many that may become a few rows, zero for none.

    changes: whether it reads how fast something changes; longest_s is then how long a polynomial may follow that.
    """
    if changes:
        return _of_changes(data, longest_s)
    if len(data.response) > 1 or data.response[0][0] != 0.0:
        return _responding(data)
    if longest_s > 0.0 and data.t.size > MANY:
        return _gathered(data, longest_s)
    return ReadingNodes(data, data.t)


def means_of(data: Measured, together_s: float) -> ReadingNodes:
    """Each row the mean of readings that follow each other within so long, as many for all, but across no gap."""
    interval = np.diff(data.t)
    each = int(together_s / float(np.median(interval)))
    if each < 2:
        return ReadingNodes(data, data.t)
    ends = np.concatenate([[0], np.flatnonzero(interval > _APART * np.median(interval)) + 1, [data.t.size]])
    begin = np.concatenate([np.arange(a, b - each + 1, each) for a, b in itertools.pairwise(ends.tolist())])
    own = begin[:, None] + np.arange(each)
    t, values = data.t[own].mean(axis=1), data.values[own].mean(axis=1)
    return ReadingNodes(replace(data, t=t, values=values, sd=data.sd / np.sqrt(each)), t)


def _responding(data: Measured) -> ReadingNodes:
    delays, weights = (np.array(each) for each in zip(*data.response, strict=True))
    order = np.argsort(-delays)
    t = (data.t[:, None] - delays[order]).ravel()
    values = np.repeat(data.values, delays.size, axis=0)
    mix = np.broadcast_to(weights[order] / weights.sum(), (data.t.size, 1, delays.size))
    return ReadingNodes(replace(data, t=t, values=values), data.t, mix, (delays.size // 2,))


def _of_changes(data: Measured, longest_s: float) -> ReadingNodes:
    """Nodes of what is read by how fast it changes, each given twice."""
    length = int(min(_LONGEST, longest_s / float(np.median(np.diff(data.t)))))
    if len(data.response) > 1 or length < _SHORTEST or data.t.size < _SHORTEST:
        return _about_each(data, min(longest_s, _ABOUT_S))
    found, _ = _stretches(data, length)
    assert found.mix is not None
    stretches, _, nodes = found.mix.shape
    t, values = found.data.t.reshape(stretches, nodes), found.data.values.reshape(stretches, nodes, -1)
    unit = _unit_nodes(nodes)
    half = 0.5 * (t[:, -1] - t[:, 0]) / unit[-1]
    kept = found.mix.swapaxes(1, 2) @ np.linalg.qr(found.mix @ unit[:, None] ** np.arange(_LOWEST))[0]
    as_it_is = kept.swapaxes(1, 2)
    by_change = as_it_is @ _differentiation(unit) / half[:, None, None]
    standing = tuple(nodes + nodes * (2 * row + 1) // (2 * _LOWEST) for row in range(_LOWEST))
    shown = t[:, [node - nodes for node in standing]].ravel()
    mix = np.concatenate([by_change, as_it_is], axis=2)
    return ReadingNodes(_twice(data, t, np.zeros_like(values), values), shown, mix, standing)


def _about_each(data: Measured, width_s: float) -> ReadingNodes:
    """A few nodes about each instant that a reading is the mean of, none before the first or after the last of them."""
    delays, weights = (np.array(each) for each in zip(*data.response, strict=True))
    order, unit = np.argsort(-delays), _unit_nodes(_FEW)
    shown = data.t[:, None] - delays[order]
    half = 0.5 * min(width_s, float(shown[-1, -1] - shown[0, 0]))
    middle = np.clip(shown, shown[0, 0] + half, shown[-1, -1] - half)
    t = (middle[:, :, None] + half * unit).reshape(data.t.size, -1)
    mean = _polynomials(unit, (shown - middle) / half) * (weights[order] / weights.sum())[:, None]
    mix = np.stack([mean @ _differentiation(unit) / half, mean], axis=1).reshape(data.t.size, 1, -1)
    values = np.repeat(data.values[:, None], t.shape[1], axis=1)
    standing = (t.shape[1] + t.shape[1] // 2,)
    return ReadingNodes(_twice(data, t, np.zeros_like(values), values), data.t, mix, standing)


def _twice(data: Measured, t: Array, first: Array, second: Array) -> Measured:
    """Readings as if read at nodes (stretches, nodes), once to count by their change, then as they are."""
    by_change = np.broadcast_to(np.repeat([True, False], t.shape[1]), (len(t), 2 * t.shape[1])).ravel()
    values = np.concatenate([first, second], axis=1).reshape(by_change.size, -1)
    return replace(data, t=np.hstack([t, t]).ravel(), values=values, by_change=by_change)


def _unit_nodes(count: int) -> Array:
    """Chebyshev nodes between -1 and 1, shape (count,)."""
    return np.asarray(-np.cos(np.pi * (np.arange(count) + 0.5) / count))


def _polynomials(nodes: Array, x: Array) -> Array:
    """Values at x of the polynomials that are one at one of the nodes (n,) and zero at the others, (*x, n)."""
    apart = nodes[:, None] - nodes + np.eye(nodes.size)
    from_nodes = np.where(np.eye(nodes.size, dtype=bool), 1.0, x[..., None, None] - nodes)
    return np.asarray(from_nodes.prod(axis=-1) / apart.prod(axis=1))


def _differentiation(nodes: Array) -> Array:
    """Derivatives at nodes (n,) of the polynomial through values there, (n, n)."""
    apart = nodes[:, None] - nodes + np.eye(nodes.size)
    weights = 1.0 / apart.prod(axis=1)
    D = weights / weights[:, None] / apart
    np.fill_diagonal(D, 0.0)
    np.fill_diagonal(D, -D.sum(axis=1))
    return D


def _gathered(data: Measured, longest_s: float) -> ReadingNodes:
    """Stretches of readings as polynomials; readings as they are where even short ones are longer than allowed."""
    longest = int(min(_LONGEST, longest_s / float(np.median(np.diff(data.t)))))
    if longest < _SHORTEST:
        return ReadingNodes(data, data.t)
    shorter, least = _stretches(data, _SHORTEST)
    best, chance = shorter, _CHANCE * np.sqrt(2.0 / data.values.size)
    for length in (_SHORTEST * 2**k for k in range(1, int(np.log2(longest / _SHORTEST)) + 1)):
        found, left = _stretches(data, length)
        if left > (1.0 + chance) * least:
            return shorter
        shorter, best, least = best, found, min(least, left)
    return best


def _stretches(data: Measured, length: int) -> tuple[ReadingNodes, float]:
    """About so many readings to a stretch, and the mean square of what polynomials leave of them."""
    interval = np.diff(data.t)
    breaks = np.flatnonzero(interval > _APART * np.median(interval)) + 1
    ends = np.concatenate([[0], breaks, [data.t.size]])
    pieces = np.maximum(1, np.round(np.diff(ends) / length).astype(int))
    edges = [
        np.linspace(a, b, k + 1).round().astype(np.int64)[:-1]
        for a, b, k in zip(ends[:-1], ends[1:], pieces, strict=True)
    ]
    begin = np.append(np.concatenate(edges), data.t.size)
    first, last = data.t[begin[:-1]], data.t[begin[1:] - 1]
    half = np.maximum(0.5 * (last - first), 0.5 * float(np.median(interval)))
    unit = _unit_nodes(_NODES)
    t = 0.5 * (first + last)[:, None] + half[:, None] * unit
    gram, right = np.empty((half.size, _NODES, _NODES)), np.empty((half.size, _NODES, data.values.shape[1]))
    square = gather_polynomials(data.t, data.values, begin, t, gram, right)
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-9 * values[:, -1:]
    root = np.sqrt(np.where(kept, values, 0.0))
    inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    nodes = (vectors * inverse[:, None, :]) @ vectors.swapaxes(1, 2) @ right
    mix = (vectors * root[:, None, :]) @ vectors.swapaxes(1, 2)
    left = (square - float((nodes * right).sum())) / max(1, data.values.size - int(kept.sum()) * data.values.shape[1])
    at = replace(data, t=t.ravel(), values=nodes.reshape(-1, data.values.shape[1]))
    return ReadingNodes(at, t.ravel(), mix, tuple(range(_NODES))), left
