"""The command line as it is called from a shell, in this process."""

import contextlib
import sys
from io import StringIO
from unittest import mock

from freefloat.cli import main


def ended(arguments, cwd="."):
    """Exit code, standard output and standard error of `freefloat ARGUMENTS` in a folder; neither is a terminal."""
    out, err, code = StringIO(), StringIO(), None
    with (
        mock.patch.object(sys, "argv", ["freefloat", *map(str, arguments)]),
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as left:
            code = left.code
    return code, out.getvalue(), err.getvalue()
