"""What a linear fit leaves over, measured by the sensors' noise and tested for whiteness."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.data.processing.whiteness import whiteness
from freefloat.estimate.estimate_parts import TORQUES, ChannelResidual, Residual
from freefloat.estimate.linear.system import once
from freefloat.estimate.rows.equations import Equations, by_flight, by_model
from freefloat.estimate.rows.flight_stack import FlightStack, whitening

_FEWEST = 16  # samples of a test for whiteness
_ROUNDING = 1e-10  # of the largest term of a row


def misfit(equations: Equations, x: Array, unknowns: int) -> tuple[Residual, tuple[ChannelResidual, ...]]:
    """Residual of the rows at x, of which `unknowns` were fitted, as a whole and instant by instant.

    Whiteness is that of the part which no values of the unknowns explain: an estimate that is not the best, as of
    least squares, errs by more than the noise in good rows, but that is no fault of the model.
    """
    squares, expected = 0.0, 0.0
    by_channel: dict[str, float] = {}
    roots, left = [], list[ChannelResidual]()
    for stack in equations.stacks:
        rest = stack.matrix @ x - stack.right[..., 0]
        if not stack.noise_known:
            roots.append(np.eye(len(stack.labels)) * once(1.0 / stack.doubt)[..., None])
            left += _by_quantity(stack, -rest, np.full(len(stack.labels), np.nan))
            continue
        errors = stack.errors(x)
        roots.append(whitening(errors))
        squares += float(((roots[-1] @ rest[..., None]) ** 2).sum())
        expected += float(((roots[-1] @ errors) ** 2).sum())
        expected_sd = np.sqrt((stack.usual_errors(x) ** 2).sum(axis=2).mean(axis=0))
        by_channel |= _by_channel(stack, rest / stack.doubt, expected_sd)
        left += _by_quantity(stack, -rest, expected_sd)
    freedom = expected - unknowns
    known = equations.noise_known and freedom > 0.0
    whole = Residual(
        ratio=float(np.sqrt(squares / freedom)) if known else float("nan"),
        white=_white(equations, x, roots),
        rows=equations.matrix.shape[0],
        unknowns=unknowns,
        by_channel=by_channel,
    )
    return whole, tuple(left)


def _by_quantity(stack: FlightStack, left: Array, sd: Array) -> list[ChannelResidual]:
    """Right-hand side less matrix x, shape (n, rows), with the expected error of each row, quantity by quantity."""
    found, kinds = list[ChannelResidual](), stack.kinds
    for quantity, unit in dict.fromkeys((kind.quantity, kind.unit) for kind in kinds):
        places = [place for place, kind in enumerate(kinds) if (kind.quantity, kind.unit) == (quantity, unit)]
        names, own = tuple(kinds[place].component for place in places), left[:, places]
        signal = _signal(stack) if quantity == TORQUES else None
        name, t = stack.flight.name, stack.flight.t
        found.append(ChannelResidual(name, quantity, names, unit, t, own, sd[places], signal=signal))
    return found


def _signal(stack: FlightStack) -> Array:
    """How much each joint's torque varies, shape (joints,)."""
    return stack.flight.samples.need("torques", "their rows").std(axis=0)


def _by_channel(stack: FlightStack, rest: Array, expected: Array) -> dict[str, float]:
    """Root mean square of each row's residual over that of its expected error."""
    found = np.sqrt((rest**2).mean(axis=0))
    number = stack.sources[0].number
    suffix = "" if number is None else f" flight {number}"
    pairs = zip(stack.labels, found, expected, strict=True)
    return {f"{label}{suffix}": float(size / sd) for label, size, sd in pairs if sd > 0.0}


def _white(equations: Equations, x: Array, roots: list[Array]) -> bool | None:
    """Whether what no values of the unknowns explain is white in every row; None if there are too few samples."""
    stacks = equations.stacks
    G = by_model(stacks, [root @ stack.matrix for stack, root in zip(stacks, roots, strict=True)])
    b = by_model(stacks, [root @ stack.right[..., :1] for stack, root in zip(stacks, roots, strict=True)])[:, 0]
    size = np.linalg.norm(G, axis=0)
    Q = scipy.linalg.qr(G / np.where(size > 0.0, size, 1.0), mode="economic")[0]
    rest = G @ x - b
    rest = rest - Q @ (Q.T @ rest)
    floor = by_flight(stacks, _ROUNDING * np.abs(G * x).max(axis=1)[:, None])
    verdicts = list[bool]()
    for stack, part, least in zip(stacks, by_flight(stacks, rest[:, None]), floor, strict=True):
        if part.shape[0] >= _FEWEST:
            noise = 1.0 if stack.noise_known else None
            columns = zip(part[..., 0].T, least[..., 0].max(axis=0), strict=True)
            verdicts += [whiteness(column, noise, floor=float(level)).white for column, level in columns]
    return all(verdicts) if verdicts else None
