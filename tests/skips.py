"""Reasons for which tests may be skipped; `conftest.py` lists those that are allowed."""

NO_BASILISK = "no Basilisk is installed: `make test-slow` sets it up in an environment of its own"
NO_BROWSER = "no Chromium is installed: the report is not looked at in a browser"
OTHER_ARITHMETIC = "golden numbers that rounding decides were made with other arithmetic"
