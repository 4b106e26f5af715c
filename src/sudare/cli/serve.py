"""``sudare serve``: the collector with its survey and results pages."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from typing import Any

from sudare.cli import console
from sudare.collection import Collection
from sudare.collection.cautions import owner_cautions
from sudare.collection.upload import API
from sudare.collector.settings import Settings, help_of, kind_of, known, read_text, read_texts
from sudare.errors import DomainError
from sudare.exact import decimal_text

_SINGULAR = {
    "datasets": "dataset",
    "webhooks": "webhook",
    "webhooks_at": "webhook-at",
    "oidc_scopes": "oidc-scope",
    "oidc_rights": "oidc-right",
}
OPTIONS = {
    name: f"--{_SINGULAR.get(name, name).replace('_', '-')}"
    for name in known()
    if name != "surveys" and not kind_of(name).secret
}
"""The option of each setting."""

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
        "example: sudare serve survey.toml --database survey.sqlite3\n"
        "sudare serve --dataset scores.toml --ledger ledger.db"
    )
    parser.add_argument("surveys", nargs="*", metavar="survey.toml", help=help_of("surveys"))
    parser.add_argument("--settings", metavar="FILE", help="settings as TOML; $SUDARE_SETTINGS")
    for name, option in OPTIONS.items():
        several = kind_of(name).several
        parser.add_argument(
            option,
            dest=name,
            action="append" if several else "store",
            metavar=option.lstrip("-").upper(),
            help=help_of(name) + ("; repeat for several" if several else ""),
        )
    parser.add_argument(
        "--json", action="store_true", help="print the addresses as JSON once, then serve"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from sudare.collector import serve
    from sudare.collector.databases import await_start
    from sudare.collector.datasets import held_queries
    from sudare.collector.previous_versions import load_survey, warning_of_earlier

    settings = gathered(arguments)
    await_start(settings.database, settings.ledger)
    collections = [load_survey(path, settings.database) for path in settings.surveys]
    if not (collections or settings.datasets or may_be_uploaded(settings)):
        raise DomainError(
            "survey.toml",
            "or --dataset must be given",
            "say what to serve, or make a token for an operator who uploads it: sudare token new",
        )
    if settings.host not in _LOCAL:
        print(_TLS_HINT, file=sys.stderr)

    for collection in collections:
        console.warn_of(owner_cautions(collection), "serve", collection.name)
        if told := warning_of_earlier(collection, settings.database):
            console.warn("serve", told)

    with contextlib.ExitStack() as stack:
        queries = held_queries(settings, stack)
        held = [] if queries is None else queries.names

        def ready(url: str) -> None:
            operators = f"{url}/operator" if may_be_uploaded(settings) else None
            if arguments.json:
                console.print_json({**addresses(url, collections, held), "operators": operators})
            else:
                print_addresses(url, collections, held)
                if operators:
                    console.out().print(f"operators sign in at {operators}")
            sys.stdout.flush()  # which may be a file or a pipe: it runs for long from here on

        serve(
            collections,
            settings.database,
            settings.host,
            settings.port,
            on_ready=ready,
            queries=queries,
            settings=settings,
        )
    return 0


def may_be_uploaded(settings: Settings) -> bool:
    """Tell whether there are operators who may upload what is served."""
    from sudare.collector.operator_api.opening import begun

    return settings.operators and (
        bool(settings.oidc_issuer) or begun(settings.database) is not None
    )


def gathered(arguments: argparse.Namespace) -> Settings:
    """Return what options, variables and the file say together."""
    given: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        said = getattr(arguments, name)
        if said is not None:
            read = read_texts if kind_of(name).several else read_text
            given[name] = read(name, said, option)
    surveys = tuple(arguments.surveys) or None
    return Settings.gather(file=arguments.settings, surveys=surveys, **given)


def addresses(url: str, collections: list[Collection], held: Sequence[str] = ()) -> dict[str, Any]:
    """Return where the pages of each collection are, and the held data sets."""
    return {
        "url": url,
        "datasets": [
            {"name": name, "queries": f"{url}{API}/datasets/{name}/queries"} for name in held
        ],
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
        screen.print(f"  queries  {url}{API}/datasets/{name}/queries")
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
