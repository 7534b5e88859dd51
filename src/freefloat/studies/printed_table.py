"""A printed table of true values beside those of our robot, with the printed digits as the measure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.arrays import Array
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check

_AT_MOST = 1.0 + 1e-9  # half digits: what ends in 5 is exactly one off


def half_a_digit(study: str, group: str) -> float:
    """Half a unit of the last digit that a table prints."""
    return float(0.5 * 10.0 ** -published(study)["parameters"][group]["printed_decimals"])


def table_checks(
    name: str, quantity: str, ours: Array, printed: Array, half_digit: float, note: str
) -> Iterator[Check]:
    """The largest relative deviation, and the largest one in half digits, of values of shape (n,)."""
    relative = np.abs(ours / printed - 1.0)
    worst = int(np.argmax(relative))
    yield Check(
        f"{name}.max_relative_deviation",
        f"largest deviation of a true {quantity}, relative",
        0.0,
        float(relative[worst]),
        tolerance=float(_AT_MOST * half_digit / abs(printed[worst])),
        note=f"{note}; tolerance: half a printed digit of the entry that deviates most",
    )
    yield Check(
        f"{name}.worst_rounding_units",
        f"largest deviation of a true {quantity}, in halves of its last digit",
        0.0,
        float((np.abs(ours - printed) / half_digit).max()),
        tolerance=_AT_MOST,
        note=f"{note}; tolerance: rounding",
    )
