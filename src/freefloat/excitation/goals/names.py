"""The goals by name; each is a class of its own file, and both bear its name: `DOptimal` of `d_optimal.py`."""

from __future__ import annotations

from typing import Literal

GoalName = Literal[
    "accuracy", "worst-accuracy", "condition-number", "frobenius", "d-optimal", "a-optimal", "e-optimal", "reveal"
]
