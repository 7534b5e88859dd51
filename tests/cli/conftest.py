"""What tests of the command line share."""

import pytest

from freefloat.cli.progress.waiting import Waiting


@pytest.fixture(autouse=True)
def never_long(monkeypatch):
    """A machine that is slow makes no verb say more than it would elsewhere."""
    monkeypatch.setattr(Waiting, "between_s", 1e6)
