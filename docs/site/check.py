"""What must hold of a built site: each link leads somewhere, nothing is loaded from elsewhere."""

from __future__ import annotations

import posixpath
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


class Page(HTMLParser):
    """The links, loads and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        got = {name: value for name, value in attrs if value is not None}
        self.anchors |= {got[name] for name in ("id", "name") if name in got}
        if tag == "a" and "href" in got:
            self.links.add(got["href"])
        elif tag in LOADED and LOADED[tag] in got and got.get("rel") != "canonical":
            self.loads.add(got[LOADED[tag]])


def faults(site: Path) -> list[str]:
    """Return what is wrong, a line each."""
    pages = {
        path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.name != "404.html"
    }
    out = []
    for name, page in pages.items():
        out += [f"{name}: loads {one}" for one in sorted(page.loads) if "//" in one]
        for link in sorted(page.links | page.loads):
            if ":" in link.partition("/")[0] or link.startswith("//"):
                continue
            path, _, anchor = link.partition("#")
            folder = posixpath.dirname(name)
            other = posixpath.normpath(posixpath.join(folder, unquote(path))) if path else name
            if not (site / other).is_file():
                out.append(f"{name}: {link} leads nowhere")
            elif anchor and other in pages and unquote(anchor) not in pages[other].anchors:
                out.append(f"{name}: {link} has no such place")
    return out
