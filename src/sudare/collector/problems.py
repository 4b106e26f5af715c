"""Refusals on the wire: a status, a typed JSON body, and never anything that was sent."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from starlette.types import Send

from sudare.errors import SudareError

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

NO_STORE: Headers = ((b"cache-control", b"no-store"),)
JSON: Headers = ((b"content-type", b"application/json"), *NO_STORE)
RETRY_SECONDS = 2


class Problem(Exception):  # noqa: N818 - an answer, not a fault
    """A request is refused.

    Attributes:
        status: the HTTP status.
        error: what is told to the client; made of constant texts.
        headers: further headers of the answer.
    """

    def __init__(self, status: int, error: SudareError, headers: Headers = ()) -> None:
        super().__init__(status)
        self.status = status
        self.error = error
        self.headers = headers

    def body(self) -> bytes:
        """Return the JSON body."""
        return msgspec.json.encode({"error": self.error.to_json()})


def unavailable(error: SudareError) -> Problem:
    """Return the refusal of a service that is busy or cannot write: 503, and when to come back."""
    return Problem(503, error, ((b"retry-after", b"%d" % RETRY_SECONDS),))


class Disconnected(Exception):  # noqa: N818 - not a fault of ours
    """The client went away; there is nobody to answer."""


INTERNAL = msgspec.json.encode(
    {
        "error": {
            "type": "InternalError",
            "argument": "request",
            "rule": "could not be served",
            "remedy": "try again later",
            "message": "request could not be served; try again later",
        }
    }
)


async def respond(send: Send, status: int, body: bytes, headers: Headers = JSON) -> None:
    """Send a whole response; its length is added to the headers."""
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*headers, (b"content-length", b"%d" % len(body))],
        }
    )
    await send({"type": "http.response.body", "body": body})
