"""What every test run needs: a compile cache that cannot be stale, and no silent skips."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from skips import NO_BASILISK, NO_BROWSER, OTHER_ARITHMETIC  # noqa: E402  (beside this file)

# Numba does not see a change in a compiled function that another file calls. A cache named after the
# text of all sources with compiled functions, and of what they take constants from, is fresh whenever any of
# them changes, and warm when none did.
_TEXTS = [file.read_bytes() for file in sorted((ROOT / "src").rglob("*.py"))]
_COMPILED = [text for text in _TEXTS if b"numba" in text or b"class TreeArrays" in text]
_KEY = hashlib.sha256(b"\0".join(_COMPILED)).hexdigest()[:16]
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".numba_cache" / _KEY)
for _library in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_library, "1")

# The only reasons for which a test may be skipped; each says what is missing. Where a browser is required, it may not
# be missing.
ALLOWED_SKIPS = (
    NO_BASILISK,
    OTHER_ARITHMETIC,
    "shared robots are not beside this repository",
    *(() if os.environ.get("FREEFLOAT_BROWSER") == "required" else (NO_BROWSER,)),
)

_unlisted: list[str] = []


def pytest_runtest_logreport(report):
    """Every report comes by here, also those of tests that run in other processes."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(allowed in reason for allowed in ALLOWED_SKIPS):
            _unlisted.append(f"{report.nodeid}: {reason}")


def pytest_sessionfinish(session, exitstatus):
    if _unlisted:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    for line in _unlisted:
        terminalreporter.write_line(f"FAILED: a skip that is not on the list of allowed reasons: {line}", red=True)


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """The mission that `freefloat new trial` writes, in a folder of its own."""
    from freefloat.cli.new import write_new_mission
    from freefloat.mission.mission_file import load_mission

    monkeypatch.chdir(tmp_path)
    write_new_mission("trial", None)
    return load_mission("trial.yaml")
