"""The record of what operators did: rows are only ever added, and name nobody else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from sudare.errors import DomainError
from sudare.exact.parameters import as_integer
from sudare.operators.names import COMMAND_LINE, command_line
from sudare.operators.register import Register, as_text
from sudare.operators.rights import Rights
from sudare.operators.tables import AUDIT, VIA_SINCE
from sudare.operators.tokens import Clock, utc_now

ACTS = (
    "backup", "close", "delete", "drop the edit", "edit", "end session", "export", "export reports",
    "extend", "invites", "new token", "open", "publish", "refused", "restore", "revoke token",
    "sign in", "sign in refused", "sign out", "visibility",
)  # fmt: skip
"""All that can be in the record; operators' pages have words for each."""

SINGLE_SIGN_ON, NO_SIGN_IN = "single sign-on", "no sign-in"
VIA = (COMMAND_LINE, "token", "session", SINGLE_SIGN_ON, NO_SIGN_IN)
"""What an act can be done by; operators' pages have words for each."""

MOST = 500
"""Entries that are returned at once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What somebody did.

    Attributes:
        number: its place in the record.
        at: when, in UTC.
        who: the name of the operator, or of the system's user for a command.
        via: by what: ``"command line"``, ``"token <id>"``, ``"session <id>"``; for somebody whom a
            provider vouches for and who gets no session ``"single sign-on"``, and where nobody has
            proved anything ``"no sign-in"``. None in a row of before this was written down. It
            depends on no name: whatever somebody is called, they cannot pass for another here.
        token: the id of their token; None on the machine itself.
        act: such as ``"publish"``.
        collection: with which; None where it is about none.
        detail: more: never a secret, and nothing about respondents.
    """

    number: int
    at: str
    who: str
    via: str | None
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
        *,
        via: str | None = None,
    ) -> None:
        """Add an entry, on disk once this returns.

        Args:
            by: who; None for somebody on the machine itself.
            act: what, one of :data:`ACTS`.
            collection: with which.
            detail: more, as JSON data.
            via: by what, where it is not their token, or the machine itself.

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
                    via=via or _via(by),
                )
            )

    def read(
        self, by: Rights | None = None, *, before: int | None = None, most: int = 100
    ) -> list[Entry]:
        """Return entries, newest first.

        Args:
            by: who asks: entries about collections that are not theirs are left out.
            before: only those of a lower number.
            most: how many, 1 to 500.

        Raises:
            WrongTypeError, DomainError: not such a number.
        """
        most = as_integer(most, "limit", low=1, high=MOST)
        with self._register.reading() as connection:
            # a file that can only be read may have the tables of before
            old = (self._register.version or 0) < VIA_SINCE
            via = sa.null().label("via") if old else AUDIT.c.via
            columns = [column for column in AUDIT.c if column.name != "via"]
            chosen = sa.select(*columns, via).order_by(AUDIT.c.number.desc())
            if before is not None:
                chosen = chosen.where(AUDIT.c.number < before)
            if by is not None and by.collections is not None:
                same = AUDIT.c.token == by.token
                if by.token is None:  # a person, as are others, and so is the machine itself
                    signed = via.like("session %") | (via == SINGLE_SIGN_ON)
                    same &= (AUDIT.c.who == by.name) & signed
                chosen = chosen.where(AUDIT.c.collection.in_(by.collections) | same)
            rows = connection.execute(chosen.limit(most)).all()
        return [_entry(row) for row in rows]


def _via(by: Rights | None) -> str:
    if by is None:
        return COMMAND_LINE
    return SINGLE_SIGN_ON if by.token is None else f"token {by.token}"


def _entry(row: Any) -> Entry:
    via = f"token {row.token}" if row.via is None and row.token is not None else row.via
    detail = json.loads(row.detail)
    return Entry(row.number, row.at, row.who, via, row.token, row.act, row.collection, detail)
