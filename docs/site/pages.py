"""The pages of the site: those of docs/, and the others of the repository that they link to.

A page of ``docs/`` keeps its place. What it links to outside ``docs/`` travels with it, below
``repository/``: Markdown as further pages, anything else as the file that it is. So the site is
whole without a public address of the repository; with one, files that are no pages lead there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = "repository"
_LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
_LINK_TARGET = re.compile(r"\]\(([^)#\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def place(path: str) -> str:
    """Return where a file of the repository stands on the site.

    >>> place("docs/guide.md"), place("README.md")
    ('guide.md', 'repository/README.md')
    """
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{OUTSIDE}/{path}"


@dataclass
class Gathered:
    """Pages by their place on the site, and the files that go along: their places in both."""

    pages: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)


def gather(repository: str = "") -> Gathered:
    """Return all pages of docs/ and everything that they need.

    Args:
        repository: address below which files of the repository are read, such as
            ``https://forge.example/sudare/blob/main``; nothing for none.
    """
    out = Gathered()
    waiting = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/**/*.md"))]
    known, listed = set(waiting), set[str]()
    while waiting:
        page = waiting.pop()

        def moved(target: str, page: str = page) -> str:
            if re.match(r"[a-z]+:|#", target):
                return target
            path, mark, anchor = target.partition("#")
            other = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            if (ROOT / other).is_dir():
                listed.add(other)
                other += "/index.md"
            elif other.endswith(".md"):
                if other not in known:
                    known.add(other)
                    waiting.append(other)
            elif repository and not other.startswith("docs/"):
                return f"{repository}/{other}"
            else:
                out.files[place(other)] = ROOT / other
            start = posixpath.dirname(place(page))
            return posixpath.relpath(place(other), start or ".") + mark + anchor

        text = (ROOT / page).read_text(encoding="utf-8")
        out.pages[place(page)] = rewritten(text, moved)
    for folder in listed:
        out.pages[place(f"{folder}/index.md")] = _contents(place(folder), out.pages)
    return out


def title(text: str) -> str:
    """Return what a page is called.

    >>> title("# GRR: direct encoding")
    'GRR: direct encoding'
    """
    return text.partition("\n")[0].removeprefix("# ")


def _contents(folder: str, pages: dict[str, str]) -> str:
    """Return the page of a folder: a list of what is in it."""
    lines = [
        f"- [{title(text)}]({path.removeprefix(folder + '/')})"
        for path, text in sorted(pages.items())
        if path.startswith(folder + "/")
    ]
    return f"# All {folder.rpartition('/')[2]}\n\n" + "\n".join(lines) + "\n"


def rewritten(text: str, moved: Callable[[str], str]) -> str:
    """Return a page with each link outside fenced blocks replaced.

    >>> rewritten("[a](b.md) `x`", lambda target: "c.md")
    '[a](c.md) `x`'
    """
    out, end = [], 0
    for fence in [*_FENCE.finditer(text), None]:
        start = fence.start() if fence else len(text)
        out.append(_LINK.sub(lambda one: one[1] + moved(one[2]) + one[3], text[end:start]))
        if fence:
            out.append(fence[0])
            end = fence.end()
    return "".join(out)


def navigation(gathered: Gathered) -> list[dict[str, list[object]]]:
    """Return the tree beside the pages: sections and links of ``index.md``, in its order.

    A link to a folder stands for its list and for the pages of it that are not linked elsewhere.
    What the words before the first section link to stands in its section, if it is in one.
    """
    top: list[object] = ["index.md"]
    inner = top
    sections = [{"Sudare": top}]
    lines = gathered.pages["index.md"].splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("## "))
    later = set(_LINK_TARGET.findall("\n".join(lines[begin:])))
    seen = {"index.md"}
    named = set(re.findall(r"\]\(([^)#\s]+\.md)\)", gathered.pages["index.md"]))
    for number, line in enumerate(lines):
        if line.startswith("## "):
            top = inner = []
            sections.append({line[3:]: top})
        elif line.startswith("### "):
            inner = []
            top.append({line[4:]: inner})
        for target in _LINK_TARGET.findall(line):
            if number < begin and target in later:
                continue
            for page in _meant(target, gathered, named):
                if page not in seen and page in gathered.pages:
                    seen.add(page)
                    inner.append(_entry(page, gathered.pages))
    return sections


def _entry(page: str, pages: dict[str, str]) -> object:
    """Return what the tree holds of a page; one in Japanese under its English name says so."""
    name, other = title(pages[page]), pages.get(page.replace(".ja.md", ".md"), "")
    same = page.endswith(".ja.md") and title(other) == name
    return {f"{name}（日本語）": page} if same else page


def _meant(target: str, gathered: Gathered, named: set[str]) -> Iterator[str]:
    yield target
    if target.endswith("/index.md"):
        folder = target.removesuffix("index.md")
        yield from sorted(
            page for page in gathered.pages if page.startswith(folder) and page not in named
        )
