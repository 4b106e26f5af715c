"""``sudare serve``: the collector with its survey and results pages."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from sudare.cli import console
from sudare.collection import Collection
from sudare.exact import decimal_text

_LOCAL = ("127.0.0.1", "::1", "localhost")
_TLS_HINT = (
    "sudare serve: browsers answer surveys over https or on this machine alone; put a TLS proxy "
    "in front, with its access log off"
)


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "serve",
        help="run the collector for one or more collections",
        description="Serve survey pages, store randomised reports, show live results.",
        epilog="example: sudare serve survey.toml --database survey.sqlite3",
    )
    parser.add_argument("collections", nargs="+", metavar="survey.toml", help="definition files")
    parser.add_argument(
        "--database", default="sudare.sqlite3", help="SQLite file (default: %(default)s)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8750, help="port (default: %(default)s)")
    parser.add_argument(
        "--json", action="store_true", help="print the addresses as JSON once, then serve"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from sudare.collector import serve
    from sudare.collector.earlier import warning_of_earlier

    collections = [Collection.load(path) for path in arguments.collections]

    if arguments.host not in _LOCAL:
        print(_TLS_HINT, file=sys.stderr)

    for collection in collections:
        if told := warning_of_earlier(collection, arguments.database):
            console.warn("serve", told)

    def ready(url: str) -> None:
        if arguments.json:
            console.print_json(addresses(url, collections))
        else:
            print_addresses(url, collections)

    serve(collections, arguments.database, arguments.host, arguments.port, on_ready=ready)
    return 0


def addresses(url: str, collections: list[Collection]) -> dict[str, Any]:
    """Return where the pages of each collection are."""
    return {
        "url": url,
        "collections": [
            {
                "name": c.name,
                "fingerprint": c.fingerprint,
                "survey": f"{url}/{c.name}",
                "results": f"{url}/{c.name}/results",
            }
            for c in collections
        ],
    }


def print_addresses(url: str, collections: list[Collection]) -> None:
    """Print where the pages of each collection are, and what a submission costs."""
    screen = console.out()
    for c in collections:
        spends = [f"ε of a submission: {decimal_text(c.epsilon)}"] if c.submission_epsilon else []
        spends += [
            f"ε of {question.id}: {decimal_text(question.epsilon)} per metre"
            for question in c.questions
            if question.per_metre
        ]
        screen.print(f"{c.name}   {', '.join(spends)}", style="bold")
        screen.print(f"  survey   {url}/{c.name}")
        screen.print(f"  results  {url}/{c.name}/results")
