"""What is said while something goes on: on standard error, live where that is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress


def aside(quiet: bool) -> Console:
    """Standard error. quiet: says nothing.

    It is a terminal only if it is one: what the environment may claim (FORCE_COLOR) would fill logs with control
    characters.
    """
    return Console(stderr=True, highlight=False, force_terminal=sys.stderr.isatty(), quiet=quiet)


def work_bar(quiet: bool) -> Progress:
    """A bar that is gone when the work is done; none where there is no terminal."""
    console = aside(quiet)
    return Progress(console=console, disable=not console.is_terminal, transient=True)


class LiveBar:
    """Shows its bar within a `with` block."""

    bar: Progress

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()
