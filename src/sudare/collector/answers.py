"""Refusals on the wire: a status, a typed JSON body, and never anything that was sent."""

from __future__ import annotations

import msgspec
from starlette.types import Send

from sudare.refusal import Headers, Refusal

NO_STORE: Headers = ((b"cache-control", b"no-store"),)
JSON: Headers = ((b"content-type", b"application/json"), *NO_STORE)


class Disconnected(Exception):  # noqa: N818 - not a fault of ours
    """The client went away; there is nobody to answer."""


def body_of(refusal: Refusal) -> bytes:
    """Return the JSON body of a refusal."""
    return msgspec.json.encode({"error": refusal.error.to_json()})


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
            "headers": (*headers, (b"content-length", b"%d" % len(body))),
        }
    )
    await send({"type": "http.response.body", "body": body})
