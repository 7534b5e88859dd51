"""Where things are said: results on standard output, remarks and progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console

PLAIN_WIDTH = 120  # where the output is not a terminal, its width must not depend on who asks


def console() -> Console:
    """Standard output, at least wide enough for our tables when it goes to a file or a pipe."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=PLAIN_WIDTH)


def error_console(quiet: bool) -> Console:
    """Standard error. quiet: says nothing.

    It is a terminal only if it is one: what the environment may claim (FORCE_COLOR) would fill logs with control
    characters.
    """
    return Console(stderr=True, highlight=False, force_terminal=sys.stderr.isatty(), quiet=quiet)


def print_result(json: bool, quiet: bool, document: Callable[[], Any], show: Callable[[], None]) -> None:
    """The result on standard output: one JSON document, or for people, or with `quiet` alone nothing."""
    if json:
        print_json(document())
    elif not quiet:
        show()


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(as_json(document))


def as_json(document: Any) -> str:
    """One JSON document, indented, with a last newline."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
