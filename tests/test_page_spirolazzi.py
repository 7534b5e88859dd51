"""The commands of a publication's page work one after the other, on a robot that is not the publication's."""

import re
import shlex
from pathlib import Path

import pytest
from cli.calling import ended

PAGE = Path(__file__).parent.parent / "docs" / "publications" / "spirolazzi.md"


@pytest.mark.slow
def test_all_commands_of_the_page_work_in_order(tmp_path):
    lines = re.findall(r"^\$ freefloat (.+)$", PAGE.read_text(), re.MULTILINE)
    assert len(lines) == 12
    for line in lines:
        code, said, err = ended(shlex.split(line), tmp_path)
        assert code == 0, (line, err)
        assert said, line
    assert (tmp_path / "grown.html").stat().st_size
