"""The data of ``sudare release``: a file with options, or a definition that says it all."""

from __future__ import annotations

import argparse
import contextlib
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sudare.cli import console, options
from sudare.cli.engine import reached, session_of
from sudare.cli.ledger import existing
from sudare.cli.options import entropy
from sudare.cli.release_types import tell_what_counts, types_asked, warn_of_guesses
from sudare.errors import DomainError, TypeGuessWarning
from sudare.exact import rational_from_text as number

if TYPE_CHECKING:
    from sudare.ledger import Cost, Ledger
    from sudare.release import Dataset

_SEEDED = "noise from a seed protects nobody: who knows the seed can take it away"
_OWN = (
    "bounds",
    "grid",
    "type",
    "neighbours",
    "unit",
    "missing",
    "outside",
    "name",
    "open",
    "keys",
    "table",
)
_TIME = re.compile(r"\d-\d\d-|\d:\d")
_SUCH = {
    "--bounds": "score=0,100",
    "--grid": "height=0.5",
    "--type": "age=whole",
    "--unit": "person=3",
    "--table": "people:id=people.csv",
}


def open_dataset(arguments: argparse.Namespace, cost: Cost, stack: contextlib.ExitStack) -> Dataset:
    """Return the data set that the arguments name; its ledger is closed with the stack.

    What is no question is refused first: a large table takes a minute to open.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TypeGuessWarning)
        db = _opened(arguments, cost, stack)
    warn_of_guesses(db, arguments)
    return db


def _opened(arguments: argparse.Namespace, cost: Cost, stack: contextlib.ExitStack) -> Dataset:
    from sudare.release import Ask

    for ask in arguments.ask or ():
        Ask.parse(ask)
    if arguments.sql is not None:
        from sudare.release.sql import parsed

        parsed(arguments.sql)
    if arguments.seed is not None:
        console.warn("release", _SEEDED)
    if arguments.ledger is None and (arguments.account or arguments.open or arguments.reuse):
        raise DomainError("--ledger", "is needed for --account, --open and --reuse")
    if arguments.file.endswith(".toml"):
        if arguments.engine != "embedded":
            raise DomainError("--engine", "is for files of rows", "name the folder with options")
        for option in _OWN:
            if getattr(arguments, option):
                raise DomainError(f"--{option}", "stands in the definition", "leave it out")
        if arguments.ledger is None:
            raise DomainError("--ledger", "is needed: the definition has a budget", "name a file")
        where = arguments.ledger
        if arguments.dry_run and "://" not in where and not Path(where).exists():
            console.warn("release", f"{where} does not exist yet: told as of a new ledger")
            where = f"{stack.enter_context(TemporaryDirectory())}/ledger.db"
        return open_definition(arguments, stack.enter_context(existing(where, new=True)))
    ledger = None
    if arguments.ledger is not None:
        ledger = stack.enter_context(existing(arguments.ledger, new=bool(arguments.open)))
    return read(arguments, cost, ledger, stack)


def _class_for(arguments: argparse.Namespace) -> type[Dataset]:
    """Return what the data are opened as: a dry run is the same whatever the cells hold."""
    from sudare.release.dataset import Dataset, Description

    return Description if arguments.dry_run else Dataset


def open_definition(arguments: argparse.Namespace, ledger: Ledger) -> Dataset:
    """Open a data set as ``sudare serve`` does; other accounts pay beside its own."""
    from sudare.release.definition import Definition

    definition = Definition.load(arguments.file)
    rng = None if arguments.seed is None else entropy(arguments.seed)
    db = definition.open(ledger, rng=rng, of=_class_for(arguments))
    return db.paid_by(list(dict.fromkeys([definition.name, *(arguments.account or [])])))


def read(
    arguments: argparse.Namespace,
    cost: Cost,
    ledger: Ledger | None,
    stack: contextlib.ExitStack,
) -> Dataset:
    """Open a file with what the options say of it."""
    from sudare.files.people import Cells
    from sudare.files.stores import is_uri, without_secrets

    file = without_secrets(arguments.file) if is_uri(arguments.file) else arguments.file
    name = arguments.name or Path(file).name
    accounts = arguments.account or ([name] if ledger is not None else None)
    keys = None if arguments.keys is None else number(arguments.keys, "--keys")
    if keys is not None and ledger is not None and not arguments.open:
        raise DomainError("--keys", "stands in the ledger's account", "open it with keys there")
    if ledger is not None and arguments.open:
        for account in accounts or []:
            ledger.open(account, **{cost.unit: number(arguments.open, "--open")}, keys=keys)
    session, encoding = session_of(arguments), arguments.encoding
    if session is None:
        people = read_table(arguments.file, encoding)
    else:
        people = reached(arguments.file, arguments)
    tables = dict(table(text, encoding) for text in arguments.table)
    columns: set[str] = set()
    for one in (people, *tables.values()):
        cells = one[0] if isinstance(one, tuple) else one
        if isinstance(cells, Cells | Mapping):  # without a schema: what is asked says more
            columns |= set(cells.columns if isinstance(cells, Cells) else cells)
    types = {**types_asked(arguments, columns), **dict(pairs(arguments.type, "--type"))}
    limits = dict(bounds(text) for text in arguments.bounds)
    db = _class_for(arguments)(
        people,
        bounds=limits,
        grids={c: number(v, "--grid") for c, v in pairs(arguments.grid, "--grid")},
        types=types,
        neighbours=arguments.neighbours or "replace-one",
        unit=unit(arguments.unit),
        tables=tables or None,
        missing=arguments.missing or "refuse",
        outside=arguments.outside or "clamp",
        budget=None if keys is None or ledger is not None else replace(cost, delta=keys),
        ledger=ledger,
        accounts=accounts,
        name=name,
        rng=None if arguments.seed is None else entropy(arguments.seed),
        engine=session,
    )

    def tell(failed: object, *_: object) -> None:
        if not failed:  # a refusal says one thing
            tell_what_counts(db, columns.intersection({*types, *limits}), arguments)

    stack.push(tell)
    return db


def bounds(text: str) -> tuple[str, tuple[Any, ...]]:
    """Read ``COLUMN=LOW,HIGH``: numbers, or dates and times as ISO 8601 writes them."""
    ((column, limits),) = pairs([text], "--bounds")
    if limits.count(",") != 1:
        raise DomainError(
            "--bounds", "must be COLUMN=LOW,HIGH", "such as --bounds score=0,100", got=text
        )
    if _TIME.search(limits):
        return column, tuple(limits.split(","))
    return column, tuple(numbers(limits, "--bounds"))


def pairs(texts: list[str], option: str) -> list[tuple[str, str]]:
    """Split ``COLUMN=REST``."""
    out = []
    for text in texts:
        column, equals, rest = text.partition("=")
        if not column or not equals or not rest:
            raise DomainError(option, "must be COLUMN=VALUE", f"such as {_SUCH[option]}", got=text)
        out.append((column, rest))
    return out


def unit(text: str | None) -> tuple[str, int] | None:
    """Read ``COLUMN=MOST``."""
    if text is None:
        return None
    ((column, most),) = pairs([text], "--unit")
    value = number(most, "--unit")
    if value.denominator != 1:
        raise DomainError("--unit", "must be COLUMN=MOST rows", "such as --unit person=3", got=text)
    return column, int(value)


def read_table(path: str, encoding: str | None) -> Any:
    """Return a file as a data set reads it; what its head shows is said."""
    from sudare.files.people import read_people

    options.tell_form("release", path, encoding)
    return read_people(path, encoding)


def table(text: str, encoding: str | None = None) -> tuple[str, Any]:
    """Read ``NAME=FILE``, or ``NAME:COLUMN=FILE`` with the column of persons."""
    ((name, path),) = pairs([text], "--table")
    name, colon, key = name.partition(":")
    people = read_table(path, encoding)
    return name, (people, key) if colon else people


def numbers(text: str, option: str) -> list[Fraction]:
    """Read numbers by commas, exactly."""
    return [number(one, option) for one in text.split(",")]
