"""The pages: in the language that is wanted, one frame around what each page's module draws."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any
from urllib.parse import parse_qs

from starlette.types import Receive, Scope, Send

from sudare.catalogues import DEFAULT, Catalogue, accepted, closest, direction, read_catalogues
from sudare.collection import Collection
from sudare.collector.asgi_mount import way_up
from sudare.collector.assets import HTML, Asset, Assets, asset
from sudare.collector.cross_origin import framed, framers
from sudare.collector.exports import offered as formats
from sudare.collector.guard import LOCATED, OF_ALL_SITES
from sudare.errors import DomainError
from sudare.page import html_page
from sudare.refusal import Refusal

_TITLES = {"index": "index.title", "mine": "mine.title", "operator": "operator.title"}
_OWNERS = ("operator", "preview")
"""The pages of those who run surveys, which have words and a style of their own."""
_MODULES = {"operator": "operator/index", "mine": "device-page"}
"""The modules of pages that are called otherwise."""
_REPEATS = "repeats"
_ROUNDS = {
    "survey": ("repeats/survey.js",),
    "preview": ("repeats/survey.js",),
    "results": ("repeats/results.js",),
    "operator": ("repeats/results.js",),
}
"""What the pages need of surveys that are asked in rounds."""

Find = Callable[[str, str], Collection]
"""Gives a collection by its name, in one of its versions; a Refusal for none."""
_Catalogues = Mapping[str, Catalogue]
_LONG = 200  # characters of a page's description, about what previews show


class Pages:
    """The HTML pages and ``/static/``, as ASGI applications.

    Args:
        find: gives the collection of a survey's page.
        find_results: that of a page of results; as ``find`` if left out.
        ended: gives the surveys of which no device may keep a draft any longer.
        folder: of the pages' files; the package's own if left out.
    """

    def __init__(
        self,
        find: Find,
        find_results: Find | None = None,
        ended: Callable[[], list[str]] = list,
        folder: Traversable | None = None,
    ) -> None:
        self._find = find
        self._find_results = find_results or find
        self._ended = ended
        self._made: dict[tuple[str, str, str, str], tuple[Collection | None, list[str], Asset]] = {}
        web = folder or files("sudare").joinpath("web")
        self._frame = web.joinpath("frame.html").read_text(encoding="utf-8")
        self._catalogues = read_catalogues(web.joinpath("i18n"))
        self._assets = Assets(web)
        self._types = {
            one.name for one in web.joinpath("js", "questions").iterdir() if one.is_dir()
        } | {_REPEATS}
        own = read_catalogues(web.joinpath("i18n-operator"))
        owners = {
            tag: {**words, **own.get(tag, own[DEFAULT])} for tag, words in self._catalogues.items()
        }
        self._spoken = {
            False: self._given("i18n", self._catalogues),
            True: self._given("i18n-operator", owners),
        }
        self._owners_style = self._assets.style_of("operator")

    async def index(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the list of collections."""
        await self._page("index", None, scope).serve(scope, send)

    async def survey(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a collection's survey."""
        collection, status = self._asked(self._find, scope)
        asks = collection is not None and any(q.located for q in collection.questions)
        more = (*(LOCATED if asks else ()), *framed(collection))
        await self._page("survey", collection, scope).serve(scope, send, status, more)

    async def results(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the results page of a collection, or of one of its versions."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        collection, status = self._asked(self._find_results, scope, *query.get("version", [])[:1])
        page = self._page("results", collection, scope)
        await page.serve(scope, send, status, framed(collection))

    async def mine(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the page on which a device shows what it has sent."""
        await self._page("mine", None, scope).serve(scope, send)

    async def operator(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the frame of the operators' pages, which holds nothing of any collection."""
        await self._page("operator", None, scope).serve(scope, send)

    async def blank_preview(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the page on which an operator looks at the survey that the editor hands over."""
        await self._page("preview", None, scope).serve(scope, send, 200, LOCATED)

    async def preview(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a collection's survey as a page that sends nothing."""
        collection, status = self._asked(self._find, scope)
        await self._page("preview", collection, scope).serve(scope, send, status, LOCATED)

    async def embed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the script that shows a survey in a frame of another page."""
        await self._assets["js/embed.js"].serve(scope, send, more=OF_ALL_SITES)

    async def static(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a file."""
        found = self._assets.get(scope["path_params"]["path"])
        if found is None:
            raise not_found()
        await found.serve(scope, send)

    def _asked(self, find: Find, scope: Scope, version: str = "") -> tuple[Collection | None, int]:
        """Return a collection, or how it is refused: its page tells a person so."""
        try:
            return find(scope["path_params"].get("name", ""), version), 200
        except Refusal as refusal:
            return None, refusal.status

    def _page(self, name: str, collection: Collection | None, scope: Scope) -> Asset:
        """Return the HTML of a page, made once for each language and collection as it stands."""
        offered = self._offered(collection)
        language = _wanted(scope, offered)
        root = way_up(scope)
        key = (name, "" if collection is None else collection.name, language, root)
        ended = self._ended()
        known, before, made = self._made.get(key, (None, ended, None))
        if made is None or known is not collection or before != ended:
            html = self._html(name, collection, language, offered, root, ended)
            made = asset(html.encode(), HTML, vary=b"accept-encoding, accept-language")
            self._made[key] = (collection, ended, made)
        return made

    def _offered(self, collection: Collection | None) -> list[str]:
        """Return the languages of a page: a collection's own, where there are words for them."""
        if collection is None:
            return sorted(self._catalogues, key=lambda tag: tag != DEFAULT)
        own = {language for texts in collection.page_texts.values() for language in texts}
        found = (
            closest(one, self._catalogues) or (one if one in own else None)
            for one in collection.languages
        )
        return list(dict.fromkeys(one for one in found if one is not None)) or [DEFAULT]

    def _own(self, collection: Collection | None, language: str) -> Catalogue:
        """Return what a collection says in the place of a catalogue's words."""
        if collection is None:
            return {}
        known = self._catalogues
        spoken = [one for one in collection.languages if (closest(one, known) or one) == language]
        foreign = language not in known
        named = {"language.name": language, "language.dir": direction(language)} if foreign else {}
        said = collection.page_texts.items()
        return named | {key: texts[one] for one in spoken for key, texts in said if one in texts}

    def _html(
        self,
        name: str,
        collection: Collection | None,
        language: str,
        offered: list[str],
        root: str,
        ended: list[str],
    ) -> str:
        owners = name in _OWNERS
        catalogues, addresses = self._spoken[owners]
        own = {tag: self._own(collection, tag) for tag in offered}
        words = {**catalogues.get(language, catalogues[DEFAULT]), **own[language]}
        types, kinds = self._types if owners else set(), None
        if collection is not None:
            types = {"choice", *(q.type for q in collection.questions)}
            types |= {"levels"} if any(q.levels for q in collection.questions) else set()
            types |= {_REPEATS} if collection.repeats is not None else set()
            kinds = _kinds([question.mechanism.sent for question in collection.questions])
        styles = [self._assets.style, *([self._owners_style] if owners else [])]
        rounds = _ROUNDS.get(name, ()) if _REPEATS in types else ()
        script = self._assets.script(_MODULES.get(name, name), types, kinds, rounds)
        title, description = _described(name, collection, language, words)
        spoken = {
            "language": language,
            "languages": [self._listed(tag, own[tag], addresses) for tag in offered],
            "own": {tag: texts for tag, texts in own.items() if texts},
            "words": {
                key: text
                for key, text in words.items()
                if (kind := key.partition(".")[0]) in types or kind not in self._types
            },
        }
        body = self._frame.format(
            root=root,
            skip=escape(words["skip"]),
            language=language,
            switch=escape(words["language.switch"]),
            title=escape(title),
            unscripted=escape(words[f"unscripted.{name}"]),
            loading=escape(words["loading"]),
            line=escape(words["brand.line"]),
            spoken=_data(spoken),
            formats=_data(formats()),
        )
        head = (
            f'<meta name="description" content="{escape(description)}">',
            f'<meta name="sudare-root" content="{root}">',
            *framers(collection),
            *([f'<meta name="sudare-ended" content="{" ".join(ended)}">'] if ended else []),
            '<meta property="og:type" content="website">',
            '<meta property="og:site_name" content="Sudare">',
            f'<meta property="og:title" content="{escape(title)}">',
            f'<meta property="og:description" content="{escape(description)}">',
            f'<link rel="icon" href="{root}/static/img/sudare.svg" type="image/svg+xml">',
            *(f'<link rel="stylesheet" href="{root}{style}">' for style in styles),
            f'<script type="module" src="{root}{script}"></script>',
        )
        return html_page(
            body.split("\n"),
            title=f"{title} · Sudare",
            language=language,
            head=head,
            direction=words["language.dir"],
        )

    def _given(self, place: str, catalogues: _Catalogues) -> tuple[_Catalogues, Catalogue]:
        """Take up the words of each language as a file: they, and the addresses of those."""
        return catalogues, {
            tag: self._assets.add(f"{place}/{tag}", ".json", json.dumps(words, ensure_ascii=False))
            for tag, words in catalogues.items()
        }

    def _listed(self, tag: str, own: Catalogue, addresses: Mapping[str, str]) -> dict[str, str]:
        """Return what the switch of languages needs; words that lack are English."""
        language = tag if tag in self._catalogues else DEFAULT
        words = {**self._catalogues[language], **own}
        return {
            "tag": tag,
            "name": words["language.name"],
            "dir": words["language.dir"],
            "words": addresses[language],
        }


def _wanted(scope: Scope, offered: list[str]) -> str:
    """Return the language of a page: the address's, the browser's, or the first."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    header = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
    for tag in (*query.get("lang", ())[:1], *accepted(header)[:20]):
        found = closest(tag, offered)
        if found is not None:
            return found
    return offered[0]


def _kinds(sent: Any) -> set[str]:
    """Return the kinds of programs, as devices get them, and of all their parts."""
    if not isinstance(sent, dict | list):
        return set()
    own = {sent["kind"]} if isinstance(sent, dict) and "kind" in sent else set()
    parts = sent.values() if isinstance(sent, dict) else sent
    return own.union(*map(_kinds, parts))


def _described(
    name: str, collection: Collection | None, language: str, words: Catalogue
) -> tuple[str, str]:
    """Return a page's title and what it is about, as previews of links show them."""
    about = words["index.intro"]
    if collection is None:
        return words[_TITLES.get(name, "error.title")], about
    title = _picked(collection.title, language, collection) or collection.name
    if name == "preview":
        return f"{title} · {words['preview.title']}", about
    if name == "results":
        return f"{title} · {words['results.title']}", about
    intro = " ".join(_picked(collection.intro, language, collection).split())
    return title, intro[:_LONG] or about


def _picked(texts: Mapping[str, str], language: str, collection: Collection) -> str:
    """Return a text in a language, else in a kind of it, else in the collection's first."""
    own = language.split("-")[0]
    kinds = [one for one in collection.languages if one.split("-")[0] == own]
    order = (language, *kinds, *collection.languages)
    return next((texts[one] for one in order if texts.get(one)), "")


def _data(value: Any) -> str:
    """Return JSON that may stand in HTML."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def not_found() -> Refusal:
    """Return the refusal of an unknown address."""
    return Refusal(404, DomainError("path", "is not an address of this service", "start at /"))
