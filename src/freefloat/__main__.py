"""`python -m freefloat` is the command line."""

from freefloat.command_line import main

main()
