"""A seal: a ledger that was edited or cut short by who has not its key answers nothing.

The ledger keeps an HMAC of its state (number and link of the last event, all accounts and tokens)
under a key that is kept elsewhere; an *anchor*, a small file that is kept elsewhere too, holds
the number and the HMAC of the last state that was seen. Each transaction checks the state
before it does anything, and seals what it leaves::

    seal = HMAC-SHA256(key, number, link of the last event, accounts, tokens)

The last link is the hash of all events, which are worked out anew when the ledger is opened. So
that an event can be answered from without that, each has a seal of its own, of its link and of what
it is found by: hashes of its query and of its idempotency key, and the part that it is of the
key's payment.

A ledger behind its anchor was cut short. One ahead of it is whole: only who has the key can seal a
later state, and a process may end between the commit and the anchor.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.ledger.chain import as_json, check_events
from sudare.ledger.transaction import LedgerTransaction

KEY = "SUDARE_LEDGER_KEY"
ANCHOR = "SUDARE_LEDGER_ANCHOR"
LEAST_KEY = 16
HEAD = "seal"

_LOOK = "somebody changed it without the key: look at an export, or go back to a copy"


@dataclass(frozen=True, slots=True)
class Seal:
    """A key and the file of its anchor.

    Attributes:
        key: secret.
        anchor: file beside it.
    """

    key: bytes = field(repr=False)
    anchor: Path

    @classmethod
    def of(cls, key: object, anchor: object) -> Seal | None:
        """Return a seal, as :class:`Ledger` says; None without a key here or in the environment."""
        if key is None:
            key = os.environ.get(KEY, "").strip().encode() or None
        where = os.environ.get(ANCHOR) or None if anchor is None else anchor
        if key is None:
            if anchor is not None:
                raise DomainError("anchor", "goes with a key", "give the key too")
            return None
        if isinstance(key, str | os.PathLike):
            where = f"{os.fsdecode(key)}.anchor" if where is None else where
            key = read_key(key)
        if not isinstance(key, bytes):
            raise WrongTypeError("key", "must be bytes or the path of a file with it")
        if len(key) < LEAST_KEY:
            raise DomainError("key", f"must be at least {LEAST_KEY} bytes", "sudare ledger key")
        if not isinstance(where, str | os.PathLike):
            raise WrongTypeError(
                "anchor", "must be the path of a file", f"anchor=, or set {ANCHOR}"
            )
        return cls(key, Path(where))

    def begin(self, ledger: LedgerTransaction, *, anew: bool) -> tuple[int, str]:
        """Check all of a ledger that is opened, or seal a new one; returns its :meth:`state`.

        ``anew``: seal it as it stands, if its events are whole and say what the accounts say.
        """
        events = ledger.events()
        spent = check_events(events)
        ledger.check_marks()
        new = ledger.last()[0] == 0 and ledger.meta(HEAD) is None and not self.anchor.exists()
        if not (anew or new):
            self.check(ledger)
        ledger.seal_events(anew=anew)
        named = [one["body"] for one in events if one["kind"] in ("open", "budget")]
        said = {body["account"]: Fraction(body["budget"]) for body in named}
        accounts = {one.name: (one.budget, one.spent) for one in ledger.accounts(None)}
        if accounts != {name: (budget, spent[name]) for name, budget in said.items()}:
            raise StorageError("ledger", "must say of accounts what its events say", _LOOK)
        return self.write(ledger)

    def check(self, ledger: LedgerTransaction) -> None:
        """Check that a ledger is as it was sealed, and not behind its anchor."""
        head = ledger.meta(HEAD)
        if head is None:
            raise StorageError("ledger", "must be sealed", "sudare ledger seal, after a look at it")
        number, mark = self.state(ledger)
        if not hmac.compare_digest(head.encode(), mark.encode()):
            raise StorageError("ledger", "must be as it was sealed, under this key", _LOOK)
        least, seen = self._anchored()
        if number < least or (number == least and mark != seen):
            raise StorageError("ledger", f"must hold all {least} events of its anchor", _LOOK)

    def sign(self, *event: Any) -> str:
        """Return the seal of an event: number, link, marks of its query and key, its part."""
        return self._of("event", *event)

    def write(self, ledger: LedgerTransaction) -> tuple[int, str]:
        """Seal a ledger as a transaction leaves it; returns its :meth:`state`."""
        state = self.state(ledger)
        ledger.set_meta(HEAD, state[1])
        return state

    def state(self, ledger: LedgerTransaction) -> tuple[int, str]:
        """Return the number of the last event, and the seal of all that payments depend on."""
        number, link = ledger.last()
        return number, self._of("ledger", number, link, *ledger.rows())

    def keep(self, state: tuple[int, str], *, anew: bool = False) -> None:
        """Write the anchor of a state, unless it holds a later one."""
        number, mark = state
        if not anew and self.anchor.exists() and self._anchored()[0] >= number:
            return
        text = json.dumps({"number": number, "seal": mark, "mark": self._of("anchor", *state)})
        try:
            handle, part = tempfile.mkstemp(dir=self.anchor.parent, prefix=self.anchor.name)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.anchor)
        except OSError:
            raise StorageError(
                "anchor", "must be a file that can be written", "what was paid for is on record"
            ) from None

    def _anchored(self) -> tuple[int, str]:
        """Return number and seal of the state that the anchor holds."""
        try:
            held = json.loads(self.anchor.read_text("utf-8"))
            number, mark, own = held["number"], held["seal"], held["mark"]
            whole = hmac.compare_digest(own, self._of("anchor", number, mark))
        except (OSError, ValueError, TypeError, KeyError):
            whole = False
        if not whole:
            raise StorageError(
                "anchor",
                "must be the ledger's, under this key",
                "bring it back; or, after a look at the ledger, sudare ledger seal",
            )
        return number, mark

    def _of(self, *parts: Any) -> str:
        return hmac.new(self.key, as_json(parts, "state").encode(), hashlib.sha256).hexdigest()


def refuse_sealed(ledger: LedgerTransaction) -> None:
    """Refuse a ledger that is sealed to who gives no key: the seal would not fit any more."""
    if ledger.meta(HEAD) is not None:
        raise StorageError("ledger", "is sealed", f"give its key: key=, --key or {KEY}")


def read_key(path: str | os.PathLike[str]) -> bytes:
    """Return the key that a file holds."""
    try:
        return Path(path).read_bytes().strip()
    except OSError:
        raise StorageError("key", "must be a file that can be read", "sudare ledger key") from None


def write_key(path: str | os.PathLike[str]) -> None:
    """Write a new key to a new file that its owner alone can read."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError:
        raise StorageError("key", "must be a new file that can be made", "name another") from None
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
