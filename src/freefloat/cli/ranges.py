"""What a sweep or a campaign varies: texts such as `load.mass_kg=5:60:8`; and lists of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.mission.sweeping import InvalidSweep


class InvalidNumbers(FreefloatError):
    """A text that is no list of numbers."""


def ranges_of(over: Sequence[str]) -> dict[str, list[float]]:
    """Values by name, each name once."""
    ranges = dict[str, list[float]]()
    for key, values in map(parse_range, over):
        if key in ranges:
            raise InvalidSweep(f"{key} is varied twice; allowed: every key once")
        ranges[key] = values
    return ranges


def parse_range(text: str) -> tuple[str, list[float]]:
    """Name and values of `key=FROM:TO:COUNT`, evenly spaced, or with `:log` by equal factors."""
    key, equals, span = text.partition("=")
    start, stop, count, *spacing = [*span.split(":"), "", "", ""][: max(3, span.count(":") + 1)]
    try:
        low, high, n = float(start), float(stop), int(count)
        logarithmic = spacing == ["log"]
        if not (key.strip() and equals and n > 0 and (logarithmic or not spacing)):
            raise ValueError
        if not (math.isfinite(low) and math.isfinite(high)) or (logarithmic and not (low > 0.0 and high > 0.0)):
            raise ValueError
    except ValueError:
        raise InvalidSweep(
            f"{text!r} does not say what is varied from where to where; allowed: key=FROM:TO:COUNT, or"
            " key=FROM:TO:COUNT:log from and to positive values"
        ) from None
    values = np.geomspace(low, high, n) if logarithmic else np.linspace(low, high, n)
    return key.strip(), values.tolist()


def numbers_of(option: str, text: str) -> list[float]:
    """Numbers with commas between them, as an option has them."""
    try:
        found = [float(part) for part in text.split(",")]
        if all(math.isfinite(each) for each in found):
            return found
    except ValueError:
        pass
    raise InvalidNumbers(f"{option} is {text!r}; allowed: finite numbers with commas between them")
