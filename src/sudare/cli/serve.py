"""``sudare serve``: the collector with its survey and results pages."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sudare.cli import console
from sudare.collection import Collection
from sudare.collection.cautions import owner_cautions
from sudare.errors import DomainError
from sudare.exact import decimal_text

if TYPE_CHECKING:
    from sudare.release.api import Queries

_LOCAL = ("127.0.0.1", "::1", "localhost")
_TLS_HINT = (
    "sudare serve: browsers answer surveys over https or on this machine alone; put a TLS proxy "
    "in front, with its access log off"
)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Serve survey pages, store randomised reports, show results in steps; answer queries to "
        "held data sets with noise, paid from a ledger."
    )
    parser.epilog = (
        "example: sudare serve survey.toml --database survey.sqlite3; or "
        "sudare serve --dataset scores.toml --ledger ledger.db"
    )
    parser.add_argument("collections", nargs="*", metavar="survey.toml", help="definition files")
    parser.add_argument(
        "--dataset",
        action="append",
        default=[],
        metavar="scores.toml",
        help="definition of a held data set, asked under /datasets (repeat for several)",
    )
    parser.add_argument("--ledger", help="that pays for its answers: a file or postgresql:// URL")
    parser.add_argument(
        "--rate", type=int, default=60, help="queries a minute and token (default: %(default)s)"
    )
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
    if not collections and not arguments.dataset:
        raise DomainError("survey.toml", "or --dataset must be given", "say what to serve")
    if bool(arguments.dataset) != bool(arguments.ledger):
        raise DomainError("--ledger", "and --dataset go together", "its budgets pay the answers")
    if arguments.host not in _LOCAL:
        print(_TLS_HINT, file=sys.stderr)

    for collection in collections:
        console.warn_of(owner_cautions(collection), "serve", collection.name)
        if told := warning_of_earlier(collection, arguments.database):
            console.warn("serve", told)

    with contextlib.ExitStack() as stack:
        queries = None
        if arguments.dataset:
            queries = opened(arguments, stack)
        held = [] if queries is None else queries.names

        def ready(url: str) -> None:
            if arguments.json:
                console.print_json(addresses(url, collections, held))
            else:
                print_addresses(url, collections, held)

        serve(
            collections,
            arguments.database,
            arguments.host,
            arguments.port,
            on_ready=ready,
            queries=queries,
        )
    return 0


def opened(arguments: argparse.Namespace, stack: contextlib.ExitStack) -> Queries:
    """Open the ledger and read the data sets."""
    from sudare.cli.ledger import existing
    from sudare.release.api import Limit, Queries
    from sudare.release.definition import Definition

    limit = Limit(arguments.rate)
    definitions = [Definition.load(path) for path in arguments.dataset]
    ledger = stack.enter_context(existing(arguments.ledger))
    return Queries(definitions, ledger, limit=limit)


def addresses(url: str, collections: list[Collection], held: Sequence[str] = ()) -> dict[str, Any]:
    """Return where the pages of each collection are, and the held data sets."""
    return {
        "url": url,
        "datasets": [{"name": name, "queries": f"{url}/datasets/{name}/queries"} for name in held],
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


def print_addresses(url: str, collections: list[Collection], held: Sequence[str] = ()) -> None:
    """Print where the pages of each collection are, and what a submission costs."""
    screen = console.out()
    for name in held:
        screen.print(name, style="bold")
        screen.print(f"  queries  {url}/datasets/{name}/queries")
    if held:
        screen.print(f"  described at {url}/openapi.json; tokens: sudare ledger token --help")
    for c in collections:
        spends = [f"ε of a submission: {decimal_text(c.epsilon)}"] if c.submission_epsilon else []
        spends += [
            f"ε of {question.id}: {decimal_text(question.epsilon)} per {question.unit.distance}"
            for question in c.questions
            if question.unit.own_budget
        ]
        screen.print(f"{c.name}   {', '.join(spends)}", style="bold")
        screen.print(f"  survey   {url}/{c.name}")
        screen.print(f"  results  {url}/{c.name}/results")
