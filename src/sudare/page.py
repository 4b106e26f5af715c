"""Pages in one file: nothing is loaded from elsewhere, a strict policy, light and dark."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from sudare.words import Language


def document(
    body: Iterable[str], *, title: str, language: Language, style: str = "", script: str = ""
) -> str:
    """Return a whole HTML document.

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
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{language}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{shared}{style}</style>",
            "</head>",
            "<body>",
            *body,
            *tail,
            "</body>",
            "</html>",
            "",
        ]
    )
