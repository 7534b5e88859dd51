"""What an error says, required to be one sentence."""

from __future__ import annotations

import pytest

from freefloat.errors import FileError


def sentence(action, *arguments):
    """What the FileError says that this must raise; it is one line that names the file first."""
    with pytest.raises(FileError) as caught:
        action(*arguments)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(f"{caught.value.path}: ")
    return said
