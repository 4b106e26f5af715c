"""The files of the pages, each made once: as they are, compressed, and linked to fewer."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from starlette.types import Scope, Send

from sudare.collector.answers import respond
from sudare.collector.script_bundle import link
from sudare.refusal import Headers

HTML = b"text/html; charset=utf-8"
_ASK_AGAIN = b"no-cache"
_FOR_EVER = b"public, max-age=31536000, immutable"
SMALL = 1000
"""Bytes that fit one packet with their headers: not worth compressing."""
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
_PACKED = (b"image/png", b"font/woff2", b"image/x-icon")
_STYLE = re.compile(r'^@import url\("([\w.-]+)"\);\n', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, in the forms in which it is served.

    Attributes:
        body: as it is.
        packed: by gzip; None where that saves nothing.
        tag: strong, of what it holds.
        headers: of every form.
        vary: which headers of a request choose among the forms.
    """

    body: bytes
    packed: bytes | None
    tag: bytes
    headers: Headers
    vary: bytes

    async def serve(self, scope: Scope, send: Send, status: int = 200, more: Headers = ()) -> None:
        """Send it in the form that the client takes, or tell it that it has it."""
        asked = dict(scope["headers"])
        headers = (*self.headers, *more)
        body, tag = self.body, b'"%s"' % self.tag
        if self.packed is not None:
            headers = (*headers, (b"vary", self.vary))
            if takes_gzip(asked.get(b"accept-encoding", b"")):
                body, tag = self.packed, b'"%s-gzip"' % self.tag
                headers = (*headers, (b"content-encoding", b"gzip"))
        headers = (*headers, (b"etag", tag))
        if status == 200 and matches(asked.get(b"if-none-match", b""), tag):
            head = [one for one in headers if one[0] not in (b"content-type", b"content-encoding")]
            await send({"type": "http.response.start", "status": 304, "headers": head})
            await send({"type": "http.response.body", "body": b""})
            return
        await respond(send, status, body, headers)


class Assets:
    """The files of a folder by their paths, and those that are linked from them.

    A linked file has its hash in its path: what is once loaded need not be asked for again.
    """

    def __init__(self, folder: Traversable) -> None:
        self._files: dict[str, Asset] = {}
        self._sources: dict[str, str] = {}
        self._scripts: dict[tuple[str, ...], str] = {}
        self._load(folder, "")
        self.style = self.style_of("sudare")
        """The address of all styles in one file."""

    def __getitem__(self, path: str) -> Asset:
        """Return a file that is there."""
        return self._files[path]

    def get(self, path: str) -> Asset | None:
        """Return a file by its path."""
        return self._files.get(path)

    def script(
        self,
        page: str,
        types: Iterable[str],
        kinds: Iterable[str] | None = None,
        more: Iterable[str] = (),
    ) -> str:
        """Return the address of a page's module with all that it needs, linked once.

        Args:
            page: the module's name.
            types: question types that it must know; of one without a module the page itself says
                that it does not know it.
            kinds: kinds of programs that it must know; all, where they are not named.
            more: modules that it needs besides.
        """
        wanted = sorted(set(types))
        own = ("kinds",) if kinds is None else sorted(set(kinds))
        modules = ["faults.js"]  # first: it says so where another cannot begin
        modules += [f"samplers/{kind}.js" for kind in own if wanted]
        modules += [*(f"questions/{name}/index.js" for name in wanted), *more]
        entries = (*(one for one in modules if f"js/{one}" in self._sources), f"{page}.js")
        if entries not in self._scripts:
            script = link(entries, lambda path: self._sources[f"js/{path}"])
            self._scripts[entries] = self.add(f"js/{page}", ".js", script)
        return self._scripts[entries]

    def style_of(self, name: str) -> str:
        """Return the address of a style with those that it imports, as one file."""
        styles = self._sources
        whole = _STYLE.sub(lambda found: styles[f"css/{found[1]}"], styles[f"css/{name}.css"])
        return self.add(f"css/{name}", ".css", whole)

    def add(self, name: str, suffix: str, text: str) -> str:
        """Take up a file under an address with its hash, and return that."""
        body = text.encode()
        path = f"{name}.{_hash(body)[:16].decode()}{suffix}"
        self._files[path] = asset(body, _TYPES[suffix], _FOR_EVER)
        return f"/static/{path}"

    def _load(self, folder: Traversable, prefix: str) -> None:
        if not folder.is_dir():
            return
        for entry in folder.iterdir():
            if entry.is_dir():
                self._load(entry, f"{prefix}{entry.name}/")
                continue
            suffix = "." + entry.name.rpartition(".")[2]
            kind = _TYPES.get(suffix)
            if kind is None:
                continue
            body = entry.read_bytes()
            self._files[prefix + entry.name] = asset(body, kind)
            if suffix in (".css", ".js"):
                self._sources[prefix + entry.name] = body.decode()


def asset(
    body: bytes, kind: bytes, kept: bytes = _ASK_AGAIN, vary: bytes = b"accept-encoding"
) -> Asset:
    """Make a file of a body.

    Args:
        body: what it holds.
        kind: its content type.
        kept: for how long a browser may keep it unasked.
        vary: which headers of a request choose among its forms.
    """
    packed = None
    if len(body) >= SMALL and kind not in _PACKED:
        packed = gzip.compress(body, 9, mtime=0)
    headers = ((b"content-type", kind), (b"cache-control", kept))
    return Asset(body, packed, _hash(body)[:32], headers, vary)


def takes_gzip(accepted: bytes) -> bool:
    """Whether an Accept-Encoding names gzip, with a weight that is not 0.

    Examples:
        >>> [takes_gzip(one) for one in (b"gzip, br", b"br;q=1, gzip;q=0.5", b"gzip;q=0.0", b"")]
        [True, True, False, False]
    """
    for one in accepted.lower().split(b","):
        name, _, weight = one.partition(b";")
        if name.strip() == b"gzip":
            return weight.replace(b" ", b"").rstrip(b"0") not in (b"q=", b"q=0.")
    return False


def _hash(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def matches(condition: bytes, tag: bytes) -> bool:
    """Whether an If-None-Match names the tag."""
    tags = [one.strip().removeprefix(b"W/") for one in condition.split(b",")]
    return b"*" in tags or tag in tags
