"""What a linear fit leaves over, measured by the sensors' noise and tested for whiteness."""

from __future__ import annotations

import numpy as np

from freefloat.estimate.equations import Equations
from freefloat.estimate.estimate import Residual
from freefloat.estimate.flight_stack import FlightStack, whitening
from freefloat.experiment.processing.whiteness import whiteness
from freefloat.robot.transform import Array

_FEWEST = 16  # samples of a test for whiteness
_ROUNDING = 1e-10  # of the largest term of a row


def misfit(equations: Equations, x: Array, unknowns: int) -> Residual:
    """Residual of the rows at x, of which `unknowns` were fitted."""
    squares, expected, white = 0.0, 0.0, list[bool]()
    by_channel: dict[str, float] = {}
    for stack in equations.stacks:
        rest = stack.matrix @ x - stack.right[..., 0]
        rounding = _ROUNDING * np.abs(stack.matrix * x).max(axis=(0, 2))
        if stack.noise_known:
            errors = stack.errors(x)
            root = whitening(errors)
            spread = root @ errors
            clean = np.einsum("kij,kj->ki", root, rest)
            squares, expected = squares + float((clean**2).sum()), expected + float((spread**2).sum())
            by_channel |= _by_channel(stack, rest, errors)
            white += _white(clean, np.abs(root).mean(axis=0) @ rounding, 1.0)
        else:
            white += _white(rest, rounding, None)
    freedom = expected - unknowns
    known = equations.noise_known and freedom > 0.0
    return Residual(
        ratio=float(np.sqrt(squares / freedom)) if known else float("nan"),
        white=all(white) if white else None,
        rows=equations.matrix.shape[0],
        unknowns=unknowns,
        by_channel=by_channel,
    )


def _by_channel(stack: FlightStack, rest: Array, errors: Array) -> dict[str, float]:
    """Root mean square of each row's residual over that of its expected error."""
    expected = np.sqrt((errors**2).sum(axis=2).mean(axis=0))
    found = np.sqrt((rest**2).mean(axis=0))
    number = stack.sources[0].number
    suffix = "" if number is None else f" flight {number}"
    pairs = zip(stack.labels, found, expected, strict=True)
    return {f"{label}{suffix}": float(size / sd) for label, size, sd in pairs if sd > 0.0}


def _white(rest: Array, rounding: Array, noise_sd: float | None) -> list[bool]:
    """Whether each column is white, shape (n, rows); nothing if there are too few samples to tell."""
    if rest.shape[0] < _FEWEST:
        return []
    columns = zip(rest.T, rounding, strict=True)
    return [whiteness(column, noise_sd, floor=float(floor)).white for column, floor in columns]
