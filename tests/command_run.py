"""Commands of the command line, run in this process."""

from typer.testing import CliRunner

from freefloat.cli import app


def run(*arguments, code=0):
    """The result of a command, which must end with this exit code."""
    result = CliRunner().invoke(app, [str(each) for each in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result
