"""Docstrings as the site shows them: names as code, and how a class is called that inherits it."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:func|class|meth|attr|mod|data):`~?([^`<]*?)`")


class Roles(griffe.Extension):
    """Take the roles out of every docstring, and the second colon that ends a paragraph."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Say after the first sentence what a class takes that has no ``__init__`` of its own."""
        if cls.docstring is None or "__init__" in cls.members or cls.name.startswith("_"):
            return
        called = call(cls.module.path, cls.name)
        first, _, rest = cls.docstring.value.partition("\n\n")
        if called:
            cls.docstring.value = f"{first}\n\n```python\n{called}\n```\n\n{rest}".rstrip()


def plain(text: str) -> str:
    """Return a docstring as Markdown.

    >>> plain("See :func:`sudare.plan`::")
    'See `sudare.plan`:'
    """
    text = re.sub(r"^[ ]*::$", "", _ROLE.sub(r"`\1`", text), flags=re.MULTILINE)
    return re.sub(r"::$", ":", text, flags=re.MULTILINE)


def call(module: str, name: str) -> str:
    """Return how a class is called; nothing where it takes nothing, or is not called.

    >>> call("sudare.mechanisms.frequency.grr", "GRR")
    'GRR(k, epsilon)'
    >>> call("sudare.errors", "DomainError"), call("sudare.mechanisms.base", "Mechanism")
    ('', '')
    """
    value = getattr(importlib.import_module(module), name, None)
    if not inspect.isclass(value) or inspect.isabstract(value) or issubclass(value, Exception):
        return ""
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    own = [one.replace(annotation=one.empty) for one in given]
    return f"{name}{inspect.Signature(own)}" if own else ""
