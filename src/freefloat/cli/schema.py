"""`freefloat schema`: what files that people write by hand may say."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from freefloat.cli.options import AsJson


class FileChoice(StrEnum):
    """Files that people write by hand."""

    robot = "robot"
    mission = "mission"


def schema(
    kind: Annotated[FileChoice, typer.Argument(help="Which files are meant.")] = FileChoice.robot,
    json: AsJson = False,
) -> None:
    """Print the JSON schema of robot or mission files, for editors that check while you type.

    Out: one JSON document, with --json and without.
    """
    from freefloat.cli.console import print_json
    from freefloat.mission.sections import mission_schema
    from freefloat.robot.yaml_read import json_schema

    print_json(json_schema() if kind == FileChoice.robot else mission_schema())
