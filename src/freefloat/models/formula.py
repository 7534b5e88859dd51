"""Clusters as formulas: written so that a person reads them and a program reads them back.

A formula is a sum of terms `coefficient name`, the coefficient a whole number, a fraction, or a decimal
number to 15 digits; 1 is left out: `Ixx_link2 - Iyy_link2 + 1/4 m_link3 + 0.3 mx_load`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FreefloatError

SIMPLE_DENOMINATOR = 4  # up to here a fraction reads better than a decimal number
LARGEST_DENOMINATOR = 64
SHORT_DECIMAL = 8
_COEFFICIENT = re.compile(r"(\d+/\d+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s+")

_NEXT_TERM = re.compile(r"\s+[+-]")


class UnreadableFormula(FreefloatError):
    """A text that is not a formula over the given names."""


def clean_coefficients(matrix: Array, tolerance: float | Array = 2e-13) -> Array:
    """The matrix with every entry that is within `tolerance` of a simple fraction made that fraction.

    tolerance: of all entries, or of each, in the shape of the matrix.

    Denominators up to 8 only: among ever larger ones every number is close to some fraction.
    """
    cleaned = np.array(matrix, dtype=np.float64)
    for denominator in range(8, 0, -1):
        nearest = np.round(cleaned * denominator) / denominator
        near = np.abs(cleaned - nearest) <= tolerance
        cleaned[near] = nearest[near]
    return cleaned + 0.0  # no negative zeros


def formula(row: Array, names: Sequence[str]) -> str:
    """One cluster's coefficients as a formula over the names."""
    terms = [_term(float(row[column]), names[column]) for column in np.flatnonzero(row).tolist()]
    if not terms:
        return "0"
    text = " ".join(terms)
    return text[2:] if text.startswith("+ ") else "-" + text[2:]


def parse_formula(text: str, names: Sequence[str]) -> Array:
    """The coefficients of a formula, shape (len(names),), as they were written."""
    position = {name: column for column, name in enumerate(names)}
    longest_first = sorted(names, key=len, reverse=True)
    row, rest = np.zeros(len(names)), text.strip()
    if rest == "0":
        return row
    while rest:
        sign = "-" if rest.startswith("-") else "+"
        rest = rest.removeprefix(sign).lstrip()
        name, size, rest = _first_term(rest, longest_first, text)
        row[position[name]] += -size if sign == "-" else size
    return row


def _first_term(rest: str, longest_first: Sequence[str], text: str) -> tuple[str, float, str]:
    """Name and size of the term that the rest of a formula begins with, and what follows it.

    A body may be called anything, so a name is recognised as a whole, before a coefficient is looked for.
    """
    match = _COEFFICIENT.match(rest)
    tries = [(1.0, rest)]
    if match:
        written = match.group(1)
        size = float(Fraction(written)) if "/" in written else float(written)
        tries.append((size, rest[match.end() :]))
    for size, after in tries:
        for name in longest_first:
            behind = after[len(name) :]
            if after.startswith(name) and (not behind.strip() or _NEXT_TERM.match(behind)):
                return name, size, behind.strip()
    raise UnreadableFormula(f"cannot read {rest!r} in the formula {text!r}")


def _term(coefficient: float, name: str) -> str:
    sign, size = ("-" if coefficient < 0 else "+"), abs(coefficient)
    return f"{sign} {name}" if size == 1.0 else f"{sign} {_size(size)} {name}"


@lru_cache(maxsize=1 << 17)  # one robot's geometry gives the same numbers again and again
def _size(size: float) -> str:
    decimal = f"{size:.15g}"
    for largest in (SIMPLE_DENOMINATOR, LARGEST_DENOMINATOR):
        simple = Fraction(size).limit_denominator(largest)
        if float(simple) == size:
            return str(simple)
        if len(decimal) <= SHORT_DECIMAL:
            break
    return decimal
