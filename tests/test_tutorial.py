"""Pages that are followed from their first line to their last: the tutorial, an arm on the ground, something swings."""

import pytest
from followed_page import follow, kinds_of_blocks, page, verbs_of
from shown_output import alike


def test_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    follow(page("tutorial.md"), "tutorial")


def test_an_arm_on_the_ground_is_identified_as_its_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    follow(page("arm.md"), "arm")


@pytest.mark.slow
def test_what_swings_is_found_as_its_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    follow(page("swings.md"), "swings")


def test_nothing_of_these_pages_is_left_out():
    """Every block is one of the kinds that are followed, and the steps that a reader must not miss are there."""
    tutorial, arm, swings = page("tutorial.md"), page("arm.md"), page("swings.md")
    assert kinds_of_blocks(swings) == {"console", "python", "yaml"}
    assert verbs_of(swings) >= {"inspect", "identify", "validate", "export"}
    assert kinds_of_blocks(tutorial) == {"console", "python", "xml"}
    assert verbs_of(tutorial) >= {
        "inspect", "new", "design", "draw", "simulate", "data", "identify", "validate", "export", "run"
    }  # fmt: skip
    assert kinds_of_blocks(arm) == {"console", "python", "xml", "yaml"}
    assert verbs_of(arm) >= {"new", "data", "identify", "validate", "change", "export"}


def test_output_that_differs_is_found():
    assert alike("a 1.02 b\n", "a 1.0 b")
    assert alike("first\nsecond 3\nthird\n", "first\n…\nthird")
    assert not alike("a 1.2 b\n", "a 1.0 b")
    assert not alike("a 1.0 c\n", "a 1.0 b")
    assert not alike("a b\nmore\n", "a b")
