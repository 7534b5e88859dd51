"""Formulas become MathML when the pages are built: browsers draw it without scripts or fonts from outside.

Pages write `$x$` in a line and `$$ ... $$` on lines of their own. Brackets grow only in fonts made for mathematics,
which not every machine has: STIX Two Math, which the package ziamath carries, goes with the site.
"""

from __future__ import annotations

import html
import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.DOTALL)


_FONT = "STIXTwoMath-Regular.ttf"  # as docs/site.css calls it


def on_page_content(content: str, **_: Any) -> str:
    """A page with its formulas drawn."""
    return _FORMULA.sub(_drawn, content)


def _drawn(match: re.Match[str]) -> str:
    block = match[1] == "div"
    drawn = convert(html.unescape(match[2]).strip(), display="block" if block else "inline")
    return f'<div class="formula">{drawn}</div>' if block else drawn


def on_post_build(config: Any, **_: Any) -> None:
    """The font beside the pages."""
    with as_file(files("ziamath") / "fonts" / _FONT) as font:
        shutil.copyfile(font, Path(config["site_dir"]) / "assets" / _FONT)
