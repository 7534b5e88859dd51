"""What a verb is at, said every few seconds also where it does not come a step further.

What is used for the first time is compiled, half a minute of it, and the computation itself says nothing meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, ClassVar, Self

from numba.core.event import Listener, install_listener
from rich.console import Console
from rich.markup import escape

_MOSTLY = 0.5  # of the time
_COMPILED = " (what is used for the first time is compiled, and kept)"


class Waiting:
    """Says what is done within its `with` block whenever nothing was said for a while, and how long it has been so.

    on_terminal: shows a line in place of the last, where the console is one; elsewhere lines stay. silent: says
    nothing. clock: seconds from any time on.
    """

    between_s: ClassVar[float] = 6.0  # lines: with what was imported before, the first comes within ten seconds

    def __init__(
        self,
        console: Console,
        on_terminal: Callable[[str], None],
        silent: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.console, self.on_terminal, self.silent, self.clock = console, on_terminal, silent, clock
        self.doing, self.since, self.last, self.compiling = "", clock(), clock(), _Compiling(clock)
        self.over, self.open = threading.Event(), ExitStack()

    def __enter__(self) -> Self:
        if not self.silent:
            self.open.enter_context(install_listener("numba:compile", self.compiling))
            thread = threading.Thread(target=self._watch, name="freefloat progress", daemon=True)
            thread.start()
            self.open.callback(thread.join)
            self.open.callback(self.over.set)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.open.close()

    def begin(self, doing: str) -> None:
        """Something else is done from now on: on a terminal it is shown at once."""
        self.doing, self.since = doing, self.clock()
        if self.console.is_terminal:
            self.on_terminal(escape(doing))

    def say(self, line: str) -> None:
        """A line, so that the next can wait."""
        self.last = self.clock()
        self.compiling.seconds()  # is counted anew
        if self.console.is_terminal:
            self.on_terminal(escape(line))
        else:
            self.console.print(escape(line), soft_wrap=True)

    def look(self) -> None:
        """Say what is done if it is time to."""
        now, last, doing, since = self.clock(), self.last, self.doing, self.since
        if now - last < self.between_s:
            return
        lasts = f", {now - since:.0f} s" if now - since >= self.between_s else ""
        compiled = _COMPILED if self.compiling.seconds() > _MOSTLY * (now - last) else ""
        self.say(f"{doing}{lasts}{compiled}")

    def _watch(self) -> None:
        while not self.over.wait(max(self.between_s - (self.clock() - self.last), 0.0)):
            self.look()


class _Compiling(Listener):
    """Hears of functions that are compiled, which may have others compiled, and counts the time."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.depth, self.since, self.counted = clock, 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:
        """One begins."""
        if self.depth == 0:
            self.since = self.clock()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """One ends."""
        self.depth -= 1
        if self.depth == 0:
            self.counted += self.clock() - self.since

    def seconds(self) -> float:
        """Seconds that were spent with it since this was asked for last."""
        now = self.clock()
        found = self.counted + (now - self.since if self.depth else 0.0)
        self.since, self.counted = now, 0.0
        return found
