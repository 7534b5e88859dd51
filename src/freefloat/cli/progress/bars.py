"""Bars that show how far the work is, where standard error is a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.progress import Progress, TaskID

from freefloat.cli.console import error_console
from freefloat.cli.progress.waiting import Waiting


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


class PatientBar(LiveBar):
    """A bar whose description is what is waited for; where it is not shown, that is said in lines."""

    task: TaskID
    waiting: Waiting

    def __enter__(self) -> Self:
        super().__enter__()
        self.waiting.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.waiting.__exit__(kind, error, trace)
        super().__exit__(kind, error, trace)

    def describe(self, words: str) -> None:
        """Show this beside the bar."""
        self.bar.update(self.task, description=words)


class WorkProgress(PatientBar):
    """A bar that is gone when the work is done; where there is no terminal, a line every few seconds.

    doing: the work, of so many parts. quiet: says nothing. json: says no lines.
    """

    def __init__(self, doing: str, total: int, quiet: bool, json: bool) -> None:
        console = error_console(quiet)
        self.bar = Progress(console=console, disable=not console.is_terminal, transient=True)
        self.task = self.bar.add_task("", total=total)
        self.waiting = Waiting(console, self.describe, quiet or json)
        self.waiting.begin(doing)

    def advance(self) -> None:
        """A part is done."""
        self.bar.advance(self.task)
