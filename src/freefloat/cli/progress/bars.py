"""Bars that show how far the work is, where standard error is a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.progress import Progress

from freefloat.cli.console import error_console


def work_bar(quiet: bool) -> Progress:
    """A bar that is gone when the work is done; none where there is no terminal."""
    console = error_console(quiet)
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
