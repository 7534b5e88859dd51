"""Run one published study again and keep its figures, with the version and the date, for the page on verification.

python docs/hooks/run_study.py christidi build/studies/christidi.json
"""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

import freefloat as ff
from freefloat.files import write_text


def main(name: str, target: str) -> None:
    """Write the figures of the study of this name to a JSON file."""
    (study,) = ff.reproduce([name])
    document = study.document() | {"version": ff.__version__, "date": date.today().isoformat()}
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
