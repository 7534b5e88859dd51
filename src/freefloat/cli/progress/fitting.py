"""How far a fit is: a spinner on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from freefloat.cli.console import error_console
from freefloat.cli.progress.waiting import Waiting
from freefloat.estimate.progress import listening


class FitProgress:
    """Says on standard error what is being done within its `with` block.

    doing: what it is as a whole. quiet: says nothing. json: says no lines. clock: seconds from any time on.
    """

    def __init__(
        self, doing: str, quiet: bool, json: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.console, self.open = error_console(quiet), ExitStack()
        self.status = self.console.status("")
        self.waiting = Waiting(self.console, self.status.update, quiet or json, clock)
        self.begin(doing)

    def __enter__(self) -> Self:
        self.open.enter_context(listening(self.update))
        if self.console.is_terminal:
            self.open.enter_context(self.status)
        self.open.enter_context(self.waiting)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.open.close()

    def begin(self, doing: str) -> None:
        """Something else is done from now on."""
        self.doing = doing
        self.waiting.begin(doing)

    def update(self, words: str) -> None:
        """It came a step further."""
        self.waiting.begin(f"{self.doing}: {words}")
