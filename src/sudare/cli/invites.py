"""Make and export invites; without --number, say how many there are.

example: sudare invites survey.toml --database survey.sqlite3 --number 500 --url
https://survey.example --out codes.csv
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

from sudare.cli import console, options
from sudare.cli.recording import recorded
from sudare.collection import Collection
from sudare.collector.invites import InviteCounts
from sudare.collector.issuing import count_invites, issuing
from sudare.collector.previous_versions import load_survey, warning_of_earlier
from sudare.errors import DomainError, counted
from sudare.files.places import STANDARD
from sudare.files.replacing import creating, require_absent


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("collection", metavar="survey.toml", help="definition file")
    add("--database")
    add("--number", type=int, help="how many to make, up to 100000")
    add(
        "--out",
        force=False,
        help="CSV file of the codes, which must not exist yet; - for standard output",
    )
    add("--url", help="the collector's address, for a personal link a code")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Make invites, or count them."""
    collection = load_survey(arguments.collection, arguments.database)
    if told := warning_of_earlier(collection, arguments.database):
        console.warn("invites", told)
    if arguments.number is None:
        for option in ("out", "url"):
            if getattr(arguments, option) is not None:
                raise DomainError(f"--{option}", "needs --number", "say how many to make")
        _say(arguments, collection, count_invites(collection, arguments.database))
        return
    base = _base(arguments.url, collection)
    if arguments.out in (None, STANDARD):
        with _issuing(arguments, collection) as (codes, counts):
            rows = _rows(codes, base)
            if arguments.json:
                _say(arguments, collection, counts, codes=rows)
            else:
                _write(sys.stdout, rows)
            sys.stdout.flush()
        return
    out = Path(arguments.out)
    require_absent(out, "--out")
    written = False
    try:
        with _issuing(arguments, collection) as (codes, counts):
            with (
                creating(out, "--out") as part,
                part.open("w", encoding="utf-8", newline="") as file,
            ):
                _write(file, _rows(codes, base))
                file.flush()
                os.fsync(file.fileno())
            written = True
    except BaseException:
        if written:  # its codes were not issued after all
            out.unlink(missing_ok=True)
        raise
    _say(arguments, collection, counts, made=arguments.number, file=arguments.out)


@contextmanager
def _issuing(
    arguments: argparse.Namespace, collection: Collection
) -> Iterator[tuple[list[str], InviteCounts]]:
    database, number = arguments.database, arguments.number
    with (
        recorded(database, "invites", collection.name, number=number),
        issuing(collection, database, number) as issue,
    ):
        yield issue


def _base(url: str | None, collection: Collection) -> str | None:
    """Return what stands before the code in a personal link."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        plain = parts.scheme in ("http", "https") and not (parts.query or parts.fragment)
        host = parts.hostname if plain else None
    except ValueError:
        host = None
    if not host:
        raise DomainError("--url", "must be an http or https address", "as others reach it")
    return f"{url.rstrip('/')}/{collection.name}#"


def _rows(codes: Sequence[str], base: str | None) -> list[dict[str, str]]:
    if base is None:
        return [{"code": code} for code in codes]
    return [{"code": code, "link": base + code} for code in codes]


def _write(file: TextIO, rows: Sequence[dict[str, str]]) -> None:
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _say(
    arguments: argparse.Namespace, collection: Collection, counts: InviteCounts, **more: Any
) -> None:
    issued, spent = counts
    if arguments.json:
        console.print_json({"name": collection.name, "issued": issued, "spent": spent, **more})
        return
    screen = console.out()
    if more:
        screen.print(
            f"wrote {more['file']}: {counted(more['made'], 'code')}, for its owner's eyes alone"
        )
    screen.print(f"{collection.name}: {counted(issued, 'invite')} issued, {spent:,} spent")
