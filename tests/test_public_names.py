"""The public surface is explicit and documented; importing costs nothing."""

import subprocess
import sys
from pathlib import Path

import yaml

import freefloat

ROOT = Path(__file__).parent.parent


def test_every_public_name_exists_and_is_documented():
    for name in freefloat.__all__:
        thing = getattr(freefloat, name)
        if callable(thing):
            assert thing.__doc__, name


def test_importing_is_free_and_has_no_side_effects():
    code = "import sys, freefloat; assert 'numpy' not in sys.modules and 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_version_changelog_and_citation_agree():
    assert f"## {freefloat.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'version = "{freefloat.__version__}"' in (ROOT / "pyproject.toml").read_text()
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["version"]) == freefloat.__version__
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == "Apache-2.0"
