"""Runs the command line: `python -m afterturn`."""

from afterturn.cli import main

main()
