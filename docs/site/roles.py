"""Docstrings name other objects as Sphinx does: the site shows such a name as code."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:func|class|meth|attr|mod|data):`~?([^`<]*?)`")


class Roles(griffe.Extension):
    """Take the roles out of every docstring, and the second colon that ends a paragraph."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)


def plain(text: str) -> str:
    """Return a docstring as Markdown.

    >>> plain("See :func:`sudare.plan`::")
    'See `sudare.plan`:'
    """
    text = re.sub(r"^[ ]*::$", "", _ROLE.sub(r"`\1`", text), flags=re.MULTILINE)
    return re.sub(r"::$", ":", text, flags=re.MULTILINE)
