"""What a long computation is at, for whoever listens.

    with listening(print):
        estimator.estimate(problem)        # fit · fit, 3.4 × noise · …

Nobody listens unless asked to, and saying something then costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array

Listener = Callable[[str], None]


@dataclass(slots=True)
class _Listening:
    """A listener, and the stage that it heard of last."""

    hear: Listener
    stage: str = ""


_heard_by: ContextVar[_Listening | None] = ContextVar("heard_by", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have a listener called with a few words whenever a computation inside comes a step further."""
    before = _heard_by.set(_Listening(listener))
    try:
        yield
    finally:
        _heard_by.reset(before)


def say(stage: str) -> None:
    """A stage begins."""
    heard = _heard_by.get()
    if heard is not None:
        heard.stage = stage
        heard.hear(stage)


def say_left(residual: Array) -> None:
    """A fit of the stage made a step, and leaves this weighted residual, (rows,)."""
    heard = _heard_by.get()
    if heard is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            level = float(np.sqrt((residual**2).mean()))
        heard.hear(f"{heard.stage}, {level:.3g} × noise" if heard.stage else f"{level:.3g} × noise")
