"""A ledger as Sudare 0.1.0 wrote it: its tables, and the rows of ``version_1.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sqlalchemy as sa

ROWS: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_suffix(".json").read_text("utf-8")
)
SECRET = "sudare_9rtgKs4LHyn30Wqsu8EywgmFUocYFl_bnfxicmO7d5s"
"""Of ann's token that is not revoked."""

_TABLES = (
    "CREATE TABLE sudare_account (name TEXT NOT NULL, unit TEXT NOT NULL, budget TEXT NOT NULL, "
    "spent TEXT NOT NULL, PRIMARY KEY (name))",
    "CREATE TABLE sudare_event (number {number} NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, "
    'body TEXT NOT NULL, "query" TEXT, link TEXT NOT NULL, PRIMARY KEY (number))',
    'CREATE INDEX ix_sudare_event_query ON sudare_event ("query")',
    "CREATE TABLE sudare_token (mark TEXT NOT NULL, holder TEXT NOT NULL, scopes TEXT NOT NULL, "
    "expires TEXT, revoked BOOLEAN NOT NULL, PRIMARY KEY (mark))",
)


def engine(where: str) -> sa.Engine:
    """Return an engine of the tests' own for the address of a ledger."""
    if "://" not in where:
        return sa.create_engine(f"sqlite:///{where}")
    return sa.create_engine(where.replace("postgresql://", "postgresql+psycopg://"))


def build(where: str) -> None:
    """Write the ledger there."""
    own = engine(where)
    with own.begin() as connection:
        number = "INTEGER" if own.dialect.name == "sqlite" else "BIGINT"
        for text in _TABLES:
            connection.execute(sa.text(text.format(number=number)))
        for name, rows in ROWS.items():
            columns = [sa.column(column) for column in rows[0]]
            connection.execute(sa.insert(sa.table(name, *columns)), rows)
    own.dispose()
