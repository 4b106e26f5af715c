"""Print a script by which a shell completes commands, options, their values and names of files.

example: sudare completion bash > ~/.local/share/bash-completion/completions/sudare
sudare completion zsh > ~/.zfunc/_sudare
sudare completion fish > ~/.config/fish/completions/sudare.fish
"""

from __future__ import annotations

import argparse
import sys

from sudare.cli import options
from sudare.errors import MissingExtraError


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    shells = ("bash", "zsh", "fish", "tcsh")
    add("shell", choices=shells, metavar="SHELL", help=f"one of {', '.join(shells)}")


def run(arguments: argparse.Namespace) -> None:
    """Print the script, made of the options that there are."""
    try:
        import shtab
    except ImportError:
        raise MissingExtraError("shtab", "cli", "to complete words") from None
    from sudare.cli.main import build_parser

    parser = build_parser()
    _complete_files(parser)
    sys.stdout.write(shtab.complete(parser, arguments.shell) + "\n")


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Let every value that is not one of a few be completed as the name of a file."""
    from shtab import FILE

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for own in action.choices.values():
                _complete_files(own)
        elif action.nargs != 0 and action.choices is None and action.type is None:
            action.complete = FILE  # type: ignore[attr-defined]
