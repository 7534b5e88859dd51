"""The first commands of a publication's page work as they stand there: intervals are designed, and flown."""

import re
import shlex
from pathlib import Path

import pytest
from cli.calling import ended

import freefloat as ff

PAGE = (Path(__file__).parent.parent / "docs" / "publications" / "naveen.md").read_text()
OF_THE_PAGE = re.search(r"^```yaml\n(excitation:.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.slow
def test_intervals_are_designed_and_flown(tmp_path):
    assert ended(["new", "trial"], tmp_path)[0] == 0
    mission = tmp_path / "trial.yaml"
    said, replaced = re.subn(r"^excitation:\n(?: .*\n)+", OF_THE_PAGE, mission.read_text(), flags=re.MULTILINE)
    assert replaced == 1
    mission.write_text(said)
    design, simulate, *_ = re.findall(r"^\$ freefloat (.+)$", PAGE, re.MULTILINE)
    for line in (f"{design} --starts 1", simulate):
        code, out, err = ended(shlex.split(line), tmp_path)
        assert code == 0, (line, err)
        assert out, line
    flown = ff.load_excitation(tmp_path / "trial.excitation.json")
    assert flown.feasible
    assert len(ff.load_recording(tmp_path / "flight.parquet").channels) == 3
