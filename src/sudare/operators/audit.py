"""The record of what operators did: rows are only ever added, and name nobody else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.errors import DomainError
from sudare.operators.names import command_line
from sudare.operators.register import Register, as_text
from sudare.operators.rights import Rights
from sudare.operators.tables import AUDIT
from sudare.operators.tokens import Clock, utc_now

ACTS = (
    "backup", "close", "delete", "drop the edit", "edit", "end session", "export", "export reports",
    "extend", "invites", "new token", "open", "publish", "refused", "restore", "revoke token",
    "sign in", "sign in refused", "sign out", "visibility",
)  # fmt: skip
"""All that can be in the record; operators' pages have words for each."""

MOST = 500
"""Entries that are returned at once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What somebody did.

    Attributes:
        number: its place in the record.
        at: when, in UTC.
        who: the name of the operator, or of the system's user for a command.
        token: the id of their token; None on the machine itself.
        act: such as ``"publish"``.
        collection: with which; None where it is about none.
        detail: more: never a secret, and nothing about respondents.
    """

    number: int
    at: str
    who: str
    token: str | None
    act: str
    collection: str | None
    detail: dict[str, Any]


class Audit:
    """The record of a register.

    Args:
        register: open.
        clock: returns an aware datetime.

    Examples:
        >>> with Register("operators.db") as register:
        ...     audit = Audit(register)
        ...     audit.add(None, "publish", "tea")
        ...     [(one.token, one.act, one.collection) for one in audit.read()]
        [(None, 'publish', 'tea')]
    """

    def __init__(self, register: Register, clock: Clock = utc_now) -> None:
        self._register = register
        self._clock = clock

    def add(
        self,
        by: Rights | None,
        act: str,
        collection: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Add an entry, on disk once this returns.

        Args:
            by: who; None for somebody on the machine itself.
            act: what, one of :data:`ACTS`.
            collection: with which.
            detail: more, as JSON data.

        Raises:
            DomainError: it is no such act.
        """
        if act not in ACTS:
            raise DomainError("act", f"must be one of {', '.join(ACTS)}", got=act)
        with self._register.writing() as connection:
            connection.execute(
                AUDIT.insert().values(
                    at=as_text(self._clock()),
                    who=command_line() if by is None else by.name,
                    token=None if by is None else by.token,
                    act=act,
                    collection=collection,
                    detail=json.dumps(dict(detail or {}), sort_keys=True),
                )
            )

    def read(
        self, by: Rights | None = None, *, before: int | None = None, most: int = 100
    ) -> list[Entry]:
        """Return entries, newest first.

        Args:
            by: who asks: entries about collections that are not theirs are left out.
            before: only those of a lower number.
            most: how many, 500 at most.
        """
        chosen = AUDIT.select().order_by(AUDIT.c.number.desc()).limit(min(most, MOST))
        if before is not None:
            chosen = chosen.where(AUDIT.c.number < before)
        if by is not None and by.collections is not None:
            same = AUDIT.c.token == by.token
            if by.token is None:  # a person, as are others, and so is the machine itself
                same &= AUDIT.c.who == by.name
            chosen = chosen.where(AUDIT.c.collection.in_(by.collections) | same)
        with self._register.reading() as connection:
            rows = connection.execute(chosen).all()
        return [
            Entry(
                one.number, one.at, one.who, one.token, one.act, one.collection,
                json.loads(one.detail),
            )
            for one in rows
        ]  # fmt: skip
