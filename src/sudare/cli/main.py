"""``sudare``: parse, run, and turn every error into one clear line and exit status 2."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Container, Sequence
from importlib import import_module

from sudare._version import __version__
from sudare.cli.parsing import Parser
from sudare.errors import MissingExtraError, SudareError

COMMANDS = {
    "new": "write a survey file to begin with, a question of each wanted type",
    "check": "check a survey file before it is served",
    "preview": "show a survey file's page as respondents will see it; nothing is sent",
    "plan": "what k categories, n respondents and ε, or a survey file, will show",
    "compare": "mechanisms side by side: error, bytes, time, what one report gives away",
    "simulate": "randomise a column of a file, or make up respondents of a survey, and estimate",
    "perturb": "randomise a column of a file, or several, into a file of reports",
    "estimate": "estimate shares from files of reports",
    "tables": "estimate every cross-table of several randomised columns",
    "study": "run a source's experiments again, judge its claims, write a report",
    "attack": "what fake respondents gain: how far they move an estimate",
    "map": "what a map of places protects, where least, and weights that even it out",
    "release": "answer questions about a file of people with calibrated noise",
    "dummy": "made-up rows for a held data set's definition, to write a program against",
    "ledger": "show and set budgets, give out tokens, export and check the record",
    "serve": "run the collector for collections, and the query API for held data sets",
    "results": "show the operator what a collector's file holds, published or not",
    "publish": "make a draft public, frozen from then on",
    "open": "open a published collection now, or a closed one again",
    "close": "end a collection now",
    "extend": "move a collection's end, also after it",
    "delete": "delete a collection's reports, counts and invites for good",
    "load": "answer a survey of your own as n respondents, and measure the collector",
    "export": "write a collection's figures, counts, reports or a chart to a file",
    "invites": "make one-time codes for a collection, and see how many are used",
    "token": "make, list and revoke the tokens by which operators sign in",
    "sessions": "list and end the sessions of operators who have signed in",
    "audit": "show what operators did",
    "visibility": "say who sees a collection's results",
    "backup": "copy a collector's database into one file, while it runs or not",
    "restore": "put such a copy where a collector is to serve it",
    "completion": "print a script by which a shell completes commands and options",
    "demo": "collect 49,742 answers on this machine and show what can be learned",
}
"""What each command does; its module is loaded when it is asked for."""


def build_parser(wanted: Container[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser with every command; the options of the wanted ones alone."""
    parser = Parser(
        prog="sudare",
        description="Statistics about people without collecting people.",
        epilog="Start with: sudare demo",
    )
    parser.add_argument("--version", action="version", version=f"sudare {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=Parser
    )
    for name, what in COMMANDS.items():
        command = commands.add_parser(name, help=what)
        if name in wanted:
            module = import_module(f"sudare.cli.{name}")
            what, _, command.epilog = (module.__doc__ or "").strip().rpartition("\n\n")
            command.description = what
            command.set_defaults(run=getattr(module, "run", None))
            module.add_to(command)
    return parser


_APART = ("postgres", "spark", "tiles")
"""Extras that ``sudare[all]`` leaves out: heavy, or for one kind of machine."""


def _missing_library(error: ImportError) -> str:
    """Return what a command lacks and one line that brings it.

    A command needs several extras at once, and an error knows the one that it met first: a user
    who installed that one alone would meet the next.
    """
    if isinstance(error, MissingExtraError) and error.extra in _APART:
        return str(error)
    library = error.argument if isinstance(error, MissingExtraError) else error.name
    return f'{library} is needed and is not installed; pip install "sudare[all]"'


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"sudare: {message}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ε still gets its figures
    words = sys.argv[1:] if arguments is None else arguments
    asked = next((word for word in words if not word.startswith("-")), "")
    try:
        options = build_parser([asked]).parse_args(words)
        if getattr(options, "force", None) is False:
            import_module("sudare.cli.options").refuse_existing(options.out)
        options.run(options)
    except ImportError as error:
        ours = (error.name or "sudare").startswith("sudare")
        if ours and not isinstance(error, MissingExtraError):
            raise  # a fault of this package, no library that is missing
        print(f"sudare {asked}: {_missing_library(error)}", file=sys.stderr)
        return 2
    except SudareError as error:
        text = str(error)
        command = import_module(f"sudare.cli.{options.command}")
        for said, option in getattr(command, "REMEDIES", {}).items():  # its words for arguments
            text = text.replace(said, option)
        print(f"sudare {options.command}: {text}", file=sys.stderr)
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
