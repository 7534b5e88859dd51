"""A bar that is there while something goes on."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.progress import Progress


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
