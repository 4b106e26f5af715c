"""Secrets that are shown once: an id to find them by, and 256 random bits of which a hash is kept.

SHA-256 suffices for a secret that is drawn and not chosen: there is nothing to guess. Whoever reads
the table has nothing to sign in with.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

_SHAPE = re.compile(r"([0-9a-f]{12})_([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret with its id.

    Attributes:
        id: finds it; not secret.
        secret: the 256 bits; never shown by ``repr``.

    Examples:
        >>> one = Credential.draw()
        >>> one.proves(one.mark()), Credential.draw().proves(one.mark())
        (True, False)
    """

    id: str
    secret: str = field(repr=False)

    @classmethod
    def draw(cls) -> Credential:
        """Return a new one."""
        return cls(secrets.token_hex(6), secrets.token_urlsafe(32))

    @classmethod
    def read(cls, text: object, prefix: str = "") -> Credential | None:
        """Return the one that a text is, after its prefix; None where it is none."""
        if not isinstance(text, str) or not text.startswith(prefix):
            return None
        found = _SHAPE.fullmatch(text[len(prefix) :])
        return None if found is None else cls(*found.groups())

    def text(self, prefix: str = "") -> str:
        """Return what is handed over."""
        return f"{prefix}{self.id}_{self.secret}"

    def mark(self, purpose: str = "") -> str:
        """Return what is kept: SHA-256 of the secret, for a purpose if there are several."""
        return hashlib.sha256(f"{purpose}{self.id}_{self.secret}".encode()).hexdigest()

    def proves(self, mark: str, purpose: str = "") -> bool:
        """Tell whether a mark is this one's, in a time that does not tell where they differ."""
        return equal(self.mark(purpose), mark)


def equal(one: str, other: str) -> bool:
    """Compare two texts in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())
