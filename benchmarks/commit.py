"""Which state of the package a figure holds for."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "src"


def measured_commit(root: Path = ROOT, also: tuple[str, ...] = ()) -> str:
    """Short name of the last commit that changed the package; `unknown` outside a repository.

    A `+` follows if the package, or one of the paths `also` that measure it, differs from what is committed. Commits
    that leave the package alone do not change what is measured, so they do not count.
    """
    named = _git(root, "log", "-1", "--abbrev=7", "--format=%h", "--", PACKAGE)
    if not named:
        return "unknown"
    return named + ("+" if _git(root, "status", "--porcelain", "--", PACKAGE, *also) else "")


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # git is not installed
        return ""
    return done.stdout.strip()
