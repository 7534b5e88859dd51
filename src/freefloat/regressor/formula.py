"""Clusters as formulas: written so that a person reads them and a program reads them back.

A formula is a sum of terms `coefficient name`, the coefficient a whole number, a fraction, or a decimal
number to 15 digits; 1 is left out: `Ixx_link2 - Iyy_link2 + 1/4 m_link3 + 0.3 mx_load`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.robot.transform import Array

SIMPLE_DENOMINATOR = 4  # up to here a fraction reads better than a decimal number
LARGEST_DENOMINATOR = 64
SHORT_DECIMAL = 8
_TERM = re.compile(r"\s*([+-]?)\s*(?:(\d+/\d+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s+)?([^\s+-]\S*)")


class UnreadableFormula(FreefloatError):
    """A text that is not a formula over the given names."""


def clean_coefficients(matrix: Array, tolerance: float = 2e-13) -> Array:
    """The matrix with every entry that is within `tolerance` of a simple fraction made that fraction.

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
    row, rest = np.zeros(len(names)), text.strip()
    if rest == "0":
        return row
    while rest:
        match = _TERM.match(rest)
        if match is None or match.group(3) not in position:
            raise UnreadableFormula(f"cannot read {rest!r} in the formula {text!r}")
        sign, size, name = match.groups()
        value = 1.0 if size is None else float(Fraction(size)) if "/" in size else float(size)
        row[position[name]] += -value if sign == "-" else value
        rest = rest[match.end() :].strip()
    return row


def _term(coefficient: float, name: str) -> str:
    sign, size = ("-" if coefficient < 0 else "+"), abs(coefficient)
    return f"{sign} {name}" if size == 1.0 else f"{sign} {_size(size)} {name}"


def _size(size: float) -> str:
    decimal = f"{size:.15g}"
    for largest in (SIMPLE_DENOMINATOR, LARGEST_DENOMINATOR):
        simple = Fraction(size).limit_denominator(largest)
        if float(simple) == size:
            return str(simple)
        if len(decimal) <= SHORT_DECIMAL:
            break
    return decimal
