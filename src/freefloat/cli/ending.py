"""How a command ends: its exit code, and one sentence on standard error where it could not do what was asked."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Sequence
from enum import IntEnum
from io import TextIOWrapper
from typing import Any

import typer
from typer.core import TyperGroup

from freefloat.errors import BadResult, FreefloatError, WrongFormat, is_interrupt

_USAGE: type[Exception] = typer.BadParameter.__mro__[1]  # what typer raises for every wrong usage
_GOES_TO = {  # by the kind of a file: the verbs that take it
    "robot": "inspect, or new --urdf",
    "URDF": "inspect, or new --urdf",
    "mission": "design, simulate, identify or run",
    "trajectory": "simulate --trajectory",
    "excitation": "simulate --excitation",
    "recording": "data, identify or validate",
    "estimate": "validate or export",
    "run": "report, which takes its directory",
    "campaign": "campaign -o, which takes its directory",
}


class ExitCode(IntEnum):
    """What a command tells whoever started it."""

    DONE = 0
    BAD_RESULT = 1  # an estimate or validation that fails, a published figure that does not hold
    BAD_INPUT = 2  # also a file that cannot be read or written
    FAULT = 70  # of freefloat itself; as in sysexits.h
    INTERRUPTED = 130  # as shells say it of a command that SIGINT ended


class Verbs(TyperGroup):
    """The verbs, of which an interrupt ends any with one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb that was asked for."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            said = str(error) if isinstance(error, KeyboardInterrupt) else ""
            typer.echo(f"freefloat: {said or 'interrupted'}", err=True)
            raise typer.Exit(ExitCode.INTERRUPTED) from None


def run_to_its_end(app: typer.Typer, arguments: Sequence[str]) -> int:
    """Run the command line; the exit code. Whatever goes wrong is one sentence, unless `--traceback` is first."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a sign gets another, not a traceback
            stream.reconfigure(errors="replace")
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # they speak to programmers
    try:
        code = app(list(arguments), prog_name="freefloat", standalone_mode=False)
        sys.stdout.flush()  # here, where it can still be said that it failed
    except BrokenPipeError:
        return _end_without_output()
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # typer takes it for a failure
            return _end_without_output()
        raise
    except Exception as error:
        if "--traceback" in arguments[:1]:
            raise
        code, sentence = _code_and_sentence(error)
        if isinstance(error, OSError) and error.filename is None:
            _drop_output()  # else Python tries again at its end, and says so in its own way
        typer.echo(f"freefloat: {' '.join(sentence.splitlines())}", err=True)
    return int(code or ExitCode.DONE)


def _end_without_output() -> ExitCode:
    """Whoever reads the output, such as `head`, wants no more of it."""
    _drop_output()
    return ExitCode.DONE


def _drop_output() -> None:
    """What is still in the buffer goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _code_and_sentence(error: Exception) -> tuple[ExitCode, str]:
    """The exit code and the sentence for what went wrong."""
    if isinstance(error, WrongFormat) and error.found in _GOES_TO:
        return ExitCode.BAD_INPUT, f"{error}; this file is for freefloat {_GOES_TO[error.found]}"
    if isinstance(error, FreefloatError):
        return ExitCode.BAD_RESULT if isinstance(error, BadResult) else ExitCode.BAD_INPUT, str(error)
    if isinstance(error, _USAGE):
        return ExitCode.BAD_INPUT, _usage(error)
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        return ExitCode.BAD_INPUT, f"{error.filename or 'standard output'}: cannot be read or written: {reason}"
    if isinstance(error, MemoryError):
        return ExitCode.BAD_INPUT, "there is not enough memory for this; allowed: less data or fewer --workers"
    return ExitCode.FAULT, (
        f"this is a fault of freefloat, not of your files: {type(error).__name__}: {error}; "
        "please report it with the output of `freefloat --traceback ...`, the same command"
    )


def _usage(error: Any) -> str:
    """Wrong usage in our words, and where the right one is told."""
    message = " ".join(error.format_message().split()).rstrip(".")
    for theirs, ours in (
        (r"Value error, ", ""),
        (r"Input should be ", "allowed: "),
        (r"a valid integer, unable to parse string as an integer", "a whole number"),
        (r"^(No such option: --(?:quiet|json))$", r"\1 before the verb; allowed: after it"),
        (r"\. Did you mean (.+)\?$", r" (did you mean \1?)"),
        (r"\(Possible options: (.+)\)$", r"(did you mean \1?)"),
    ):
        message = re.sub(theirs, ours, message)
    said = message[:1].lower() + message[1:]
    return f"{said}; see `{error.ctx.command_path if error.ctx else 'freefloat'} --help`"
