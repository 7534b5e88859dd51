"""`python -m freefloat` is the command line."""

from freefloat.cli import main

main()
