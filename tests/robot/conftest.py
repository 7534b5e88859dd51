"""What the tests of robots share."""

import pytest

from freefloat.robot.model import Robot
from freefloat.robot.yaml_read import read_yaml


@pytest.fixture
def read(tmp_path):
    """Reads the text of a robot file."""

    def read_text(text: str) -> Robot:
        path = tmp_path / "robot.yaml"
        path.write_text(text)
        return read_yaml(path)

    return read_text
