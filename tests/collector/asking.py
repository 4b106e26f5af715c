"""One request to an ASGI application, without a socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from teas import Answer


async def ask(app: Any, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """Return what the application answers."""
    sent: list[dict[str, Any]] = []
    raw = b"" if body is None else json.dumps(body).encode()
    given = {"host": "x", "content-type": "application/json", **headers}

    waiting = [{"type": "http.request", "body": raw, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()  # the client stays, and has said all
        return waiting.pop()

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [
            (name.replace("_", "-").encode(), value.encode()) for name, value in given.items()
        ],
        "client": ("127.0.0.1", 1),
        "server": ("x", 80),
    }
    await app(scope, receive, send)
    named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], named, b"".join(one.get("body", b"") for one in sent[1:]))
