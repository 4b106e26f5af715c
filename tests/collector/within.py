"""A collector without a socket: requests go to the application itself."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote

from starlette.applications import Starlette

T = TypeVar("T")


@dataclass(frozen=True)
class Told:
    """A response, read to its end."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str:
        return "".join(value for key, value in self.headers if key == name)


class Within:
    """Run an application from its start to its end; between requests it stands still."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self._runner = asyncio.Runner()
        self._life = app.router.lifespan_context(app)

    def __enter__(self) -> Within:
        self._runner.__enter__()
        self._runner.run(self._life.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._life.__aexit__(None, None, None))
        self._runner.__exit__(None, None, None)

    def pause(self, seconds: float) -> None:
        """Let it go on by itself."""
        self._runner.run(asyncio.sleep(seconds))

    def until(self, holds: Callable[[], object]) -> None:
        """Let it go on until something holds."""
        end = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < end, "it never came to hold"
            self.pause(0.1)

    def request(
        self, method: str, address: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Told:
        return self._runner.run(self.ask(method, address, body, headers))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine beside the application."""
        return self._runner.run(work)

    async def ask(
        self,
        method: str,
        address: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        gone: asyncio.Event | None = None,
    ) -> Told:
        """Send a request from a coroutine that :meth:`run` runs; the client may hang up."""
        path, _, query = address.partition("?")
        raw = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        given = {"host": "127.0.0.1", "content-type": "application/json"} | (headers or {})
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": unquote(path), "raw_path": path.encode(), "root_path": "",
            "query_string": query.encode(), "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
            "headers": [(key.lower().encode(), value.encode()) for key, value in given.items()],
        }  # fmt: skip
        parts = [{"type": "http.request", "body": raw, "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if not parts:
                await (gone or asyncio.Event()).wait()
            return parts.pop() if parts else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        if not sent:
            return Told(0, [], b"")
        start = sent[0]
        told = [(key.decode(), value.decode()) for key, value in start["headers"]]
        return Told(start["status"], told, b"".join(one.get("body", b"") for one in sent[1:]))
