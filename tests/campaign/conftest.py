"""What the tests of campaigns share."""

import pytest
from campaign.tiny_mission import tiny_mission


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    return tiny_mission(tmp_path_factory.mktemp("mission"))
