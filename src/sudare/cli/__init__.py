"""The command line: one small file a command."""

from sudare.cli.main import main

__all__ = ["main"]
