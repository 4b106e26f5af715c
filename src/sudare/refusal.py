"""An answer that says no: a status of HTTP and what is told with it, in any service of Sudare."""

from __future__ import annotations

from typing import TypeAlias

from sudare.errors import SudareError

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

RETRY_SECONDS = 2
"""When to come back to a service that is busy or cannot write."""


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """A request is refused; nothing was stored, and nothing spent.

    Args:
        status: the HTTP status.
        error: what is told: made of constant texts and of names that everybody may see.
        retry_seconds: when to come back; None for never.
        headers: further headers of the answer.
    """

    def __init__(
        self,
        status: int,
        error: SudareError,
        retry_seconds: int | None = None,
        headers: Headers = (),
    ) -> None:
        super().__init__(status)
        self.status = status
        self.error = error
        self.headers = headers
        if status == 401:
            self.headers += ((b"www-authenticate", b"Bearer"),)
        if retry_seconds is not None:
            self.headers += ((b"retry-after", b"%d" % retry_seconds),)


def unavailable(error: SudareError) -> Refusal:
    """Return the refusal of a service that is busy or cannot write: 503, and when to come back."""
    return Refusal(503, error, RETRY_SECONDS)
