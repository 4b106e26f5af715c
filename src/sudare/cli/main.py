"""``sudare``: parse, run, and turn every error into one clear line and exit status 2."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from sudare._version import __version__
from sudare.cli import (
    attack,
    demo,
    estimate,
    invites,
    ledger,
    map,
    perturb,
    plan,
    release,
    serve,
    simulate,
    study,
    tables,
)
from sudare.errors import SudareError

COMMANDS = (
    plan,
    simulate,
    perturb,
    estimate,
    tables,
    study,
    attack,
    map,
    release,
    ledger,
    serve,
    invites,
    demo,
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command."""
    parser = _Parser(
        prog="sudare",
        description="Statistics about people without collecting people.",
        epilog="Start with: sudare demo",
    )
    parser.add_argument("--version", action="version", version=f"sudare {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Parser
    )
    for command in COMMANDS:
        command.add_to(commands)
    return parser


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"sudare: {message}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ε still gets its figures
    options = build_parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except SudareError as error:
        print(f"sudare {options.command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            sys.stderr.close()
            return 141
        where = f" {error.filename}" if error.filename else ""
        print(
            f"sudare {options.command}: cannot use{where}: {error.strerror or 'input or output'}",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
