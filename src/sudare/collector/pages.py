"""The pages and their files: read once at the start, served from memory with ETags."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.types import Receive, Scope, Send

from sudare.collector.answers import respond
from sudare.collector.guard import LOCATED
from sudare.collector.service import Service
from sudare.errors import DomainError
from sudare.page import html_page
from sudare.refusal import Headers, Refusal
from sudare.words import Text

_HTML = b"text/html; charset=utf-8"
_PAGES = {
    "index": Text("This page needs JavaScript.", "このページの表示には JavaScript が必要です。"),
    "survey": Text(
        "Your answer is randomised by JavaScript on this device before anything is sent. "
        "Without JavaScript nothing can be sent from this page.",
        "回答は、この端末の JavaScript で乱数を通してから送られます。"
        "JavaScript が無効のままでは何も送信できません。",
    ),
    "results": Text(
        "The results need JavaScript; without it, read them as JSON from the address of the API.",
        "集計の表示には JavaScript が必要です。",
    ),
}
"""The pages, each with a module of its name, and what they say without JavaScript."""

_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".ico": b"image/x-icon",
    ".js": b"text/javascript; charset=utf-8",
    ".json": b"application/json",
    ".mjs": b"text/javascript; charset=utf-8",
    ".png": b"image/png",
    ".svg": b"image/svg+xml",
    ".txt": b"text/plain; charset=utf-8",
    ".webmanifest": b"application/manifest+json",
    ".woff2": b"font/woff2",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file."""

    body: bytes
    etag: bytes
    headers: Headers


class Pages:
    """The HTML pages and ``/static/``, as ASGI applications."""

    def __init__(self, service: Service, folder: Traversable | None = None) -> None:
        self._service = service
        self._assets: dict[str, Asset] = {}
        self._pages: dict[str, Asset] = {}
        web = folder or files("sudare").joinpath("web")
        frame = web.joinpath("frame.html").read_text(encoding="utf-8")
        for name, unscripted in _PAGES.items():
            self._pages[name] = _asset(_page(name, unscripted, frame).encode(), _HTML)
        self._load(web, "")

    async def index(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the list of collections."""
        await self._serve(self._pages["index"], scope, send)

    async def survey(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a collection's survey."""
        collection = self._service.collections.get(scope["path_params"]["name"])
        asks = collection is not None and any(q.located for q in collection.questions)
        headers = LOCATED if asks else ()
        await self._serve(self._pages["survey"], scope, send, self._status(scope), headers)

    async def results(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a collection's results page."""
        await self._serve(self._pages["results"], scope, send, self._status(scope))

    async def static(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a file."""
        asset = self._assets.get(scope["path_params"]["path"])
        if asset is None:
            raise not_found()
        await self._serve(asset, scope, send)

    def _status(self, scope: Scope) -> int:
        """Return 404 for an unknown collection: its page tells a person so, in their language."""
        return 200 if scope["path_params"]["name"] in self._service.collections else 404

    async def _serve(
        self, asset: Asset, scope: Scope, send: Send, status: int = 200, more: Headers = ()
    ) -> None:
        for name, value in scope["headers"]:
            if status == 200 and name == b"if-none-match" and _matches(value, asset.etag):
                headers = ((b"etag", asset.etag), (b"cache-control", b"no-cache"), *more)
                await send({"type": "http.response.start", "status": 304, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await respond(send, status, asset.body, (*asset.headers, *more))

    def _load(self, folder: Traversable, prefix: str) -> None:
        if not folder.is_dir():
            return
        for entry in folder.iterdir():
            if entry.is_dir():
                self._load(entry, f"{prefix}{entry.name}/")
                continue
            kind = _TYPES.get("." + entry.name.rpartition(".")[2])
            if kind is not None:
                self._assets[prefix + entry.name] = _asset(entry.read_bytes(), kind)


def _page(name: str, unscripted: Text, frame: str) -> str:
    """Return the HTML of a page: the frame of all, around what its module draws."""
    head = (
        '<link rel="icon" href="/static/img/sudare.svg" type="image/svg+xml">',
        '<link rel="stylesheet" href="/static/css/sudare.css">',
        f'<script type="module" src="/static/js/{name}.js"></script>',
    )
    body = frame.format(en=unscripted.en, ja=unscripted.ja).splitlines()
    return html_page(body, title="Sudare", language="en", head=head)


def not_found() -> Refusal:
    """Return the refusal of an unknown address."""
    return Refusal(404, DomainError("path", "is not an address of this service", "start at /"))


def _asset(body: bytes, kind: bytes) -> Asset:
    etag = b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'
    headers = ((b"content-type", kind), (b"etag", etag), (b"cache-control", b"no-cache"))
    return Asset(body, etag, headers)


def _matches(condition: bytes, etag: bytes) -> bool:
    tags = [tag.strip().removeprefix(b"W/") for tag in condition.split(b",")]
    return b"*" in tags or etag in tags
