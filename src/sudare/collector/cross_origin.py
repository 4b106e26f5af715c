"""What other sites may do with a collection whose owner names them: ask its API, frame its pages.

Browsers hold to it, other programs do not: an open collection takes reports from anybody.
"""

from __future__ import annotations

from starlette.types import Message, Receive, Scope, Send

from sudare.collection import Collection
from sudare.collector.guard import POLICY
from sudare.collector.service import Service
from sudare.refusal import Headers, Refusal

_FOR_SECONDS = b"600"
_BY = "frame-ancestors"
_NOBODY = f"{_BY} 'none'"


def framed(collection: Collection | None) -> Headers:
    """Return the headers of a page about a collection: who may hold it in a frame.

    Nothing where that is nobody: every answer says so.
    """
    if collection is None or not collection.embedding.frame_ancestors:
        return ()
    named = " ".join(collection.embedding.frame_ancestors)
    return ((b"content-security-policy", POLICY.replace(_NOBODY, f"{_BY} {named}").encode()),)


def framers(collection: Collection | None) -> list[str]:
    """Return what tells such a page to whom it may say its height, a line of its head or none."""
    named = "" if collection is None else " ".join(collection.embedding.frame_ancestors)
    return [f'<meta name="sudare-frames" content="{named}">'] if named else []


class CrossOrigin:
    """Cross-origin resource sharing of each collection's API."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def origin(self, scope: Scope, name: str) -> bytes | None:
        """Return the origin of a script that asks, where the collection's owner allows it."""
        for key, value in scope["headers"]:
            if key == b"origin":
                found = self._service.collections.get(name)
                if found is None or not found.embedding.allowed_origins:
                    return None
                allowed = value.decode("latin-1") in found.embedding.allowed_origins
                return value if allowed and self._is_shown(name) else None
        return None

    def _is_shown(self, name: str) -> bool:
        try:
            self._service.find(name)
        except Refusal:
            return False
        return True


def shared(send: Send, origin: bytes) -> Send:
    """Return a ``send`` that lets the scripts of an origin read the answer."""

    async def open_answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            told = ((b"access-control-allow-origin", origin), (b"vary", b"origin"))
            message["headers"] = (*message.get("headers", ()), *told)
        await send(message)

    return open_answer


async def preflight(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a browser that asks whether a script of another origin may send a request."""
    headers: Headers = (
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-allow-headers", b"content-type"),
        (b"access-control-max-age", _FOR_SECONDS),
        (b"cache-control", b"no-store"),
    )
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
