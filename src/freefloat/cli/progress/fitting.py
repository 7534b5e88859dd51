"""How far a fit is: a spinner on a terminal, a plain line every ten seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from rich.markup import escape

from freefloat.cli.console import error_console
from freefloat.estimate.progress import listening

_BETWEEN_S = 10.0  # plain lines, which stay


class FitProgress:
    """Says on standard error what is being done within its `with` block. quiet: says nothing.

    doing: what it is as a whole. clock: seconds from any time on.
    """

    def __init__(self, doing: str, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.console, self.clock, self.doing = error_console(quiet), clock, doing
        self.last, self.open = clock(), ExitStack()
        self.status = self.console.status(escape(doing))

    def __enter__(self) -> Self:
        self.open.enter_context(listening(self.update))
        if self.console.is_terminal:
            self.open.enter_context(self.status)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.open.close()

    def begin(self, doing: str) -> None:
        """Something else is done from now on."""
        self.doing = doing
        self._show(doing)

    def update(self, words: str) -> None:
        """It came a step further."""
        self._show(f"{self.doing}: {words}")

    def _show(self, line: str) -> None:
        if self.console.is_terminal:
            self.status.update(escape(line))
        elif self.clock() - self.last >= _BETWEEN_S:
            self.last = self.clock()
            self.console.print(escape(line), soft_wrap=True)
