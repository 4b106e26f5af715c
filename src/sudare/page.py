"""HTML documents: one head for all; those in one file load nothing, under a strict policy."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from sudare.words import Language


def html_page(
    body: Iterable[str],
    *,
    title: str,
    language: str,
    head: Iterable[str],
    policy: str = "",
    direction: str = "ltr",
) -> str:
    """Return an HTML document, whose head holds what every page has and some lines of its own.

    Args:
        body: HTML of the body, in lines.
        title: plain text.
        language: of the text.
        head: HTML of the page's own lines of the head.
        policy: its content security policy, where no server sends one.
        direction: of the text, ``rtl`` from right to left.

    Examples:
        >>> "<title>A &amp; b</title>" in html_page([], title="A & b", language="en", head=[])
        True
    """
    guard = [f'<meta http-equiv="Content-Security-Policy" content="{policy}">'] if policy else []
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{language}"{_direction(direction)}>',
            "<head>",
            '<meta charset="utf-8">',
            *guard,
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            *head,
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def _direction(direction: str) -> str:
    return "" if direction == "ltr" else f' dir="{direction}"'


def standalone_page(
    body: Iterable[str], *, title: str, language: Language, style: str = "", script: str = ""
) -> str:
    """Return an HTML document that loads nothing: styles and scripts stand in it.

    Args:
        body: HTML of the body, in lines.
        title: plain text.
        language: of the text.
        style: CSS after the style that all pages share.
        script: the only JavaScript that may run, by its SHA-256 in the policy; empty for none.
    """
    shared = files("sudare").joinpath("page.css").read_text(encoding="utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    tail = []
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
        tail = [f"<script>{script}</script>"]
    style = f"<style>\n{shared}{style}</style>"
    return html_page([*body, *tail], title=title, language=language, head=[style], policy=policy)
