"""Jinja2 as the studies use it: prose with facts in it, and the pages of a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import exp, log, sqrt
from typing import Any

from sudare.errors import MissingExtraError
from sudare.words import Language

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined, meta, select_autoescape
    from markupsafe import Markup, escape
except ImportError:
    raise MissingExtraError("jinja2", "studies", "to write a study's report") from None

_POWER = re.compile(r"\^(\w+)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|])")
_BREAK = re.compile(r"[ \t]*\n[ \t]*")
_WIDE = re.compile(r"(?<=[^\x00-\x7f])[ \t]*\n[ \t]*|[ \t]*\n[ \t]*(?=[^\x00-\x7f])")


def number(value: Any, form: str = "") -> str:
    """Return a number, or several with commas between, in a format of Python's.

    Examples:
        >>> number([0.25, 1], ".2f"), number(49742, ",d"), number("GRR")
        ('0.25, 1.00', '49,742', 'GRR')
    """
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(number(one, form) for one in value)
    return format(value, "" if isinstance(value, str) else form)


def fold(text: str, language: Language) -> str:
    """Return a paragraph in one line; beside a Japanese letter a line break is no space.

    Examples:
        >>> fold("one\\ntwo", "en"), fold("誤差は\\nGRR\\nOUE", "ja")
        ('one two', '誤差はGRR OUE')
    """
    joined = _WIDE.sub("", text) if language == "ja" else text
    return _BREAK.sub(" ", joined.strip())


def raised(text: str) -> Markup:
    """Escape for HTML, and set e^ε with a raised exponent."""
    return Markup(_POWER.sub(r"<sup>\1</sup>", str(escape(text))))  # noqa: S704  # escaped before


def plain(text: str) -> str:
    """Escape for Markdown."""
    return _SPECIAL.sub(r"\\\1", text)


ENVIRONMENT = Environment(
    loader=PackageLoader("sudare.studies", "pages"),
    undefined=StrictUndefined,
    autoescape=select_autoescape(["html"], default_for_string=False),  # prose is escaped in a page
    trim_blocks=True,
    lstrip_blocks=True,
)
FILTERS: dict[str, Callable[..., Any]] = {
    "num": number,
    "minus": lambda text: text.replace("-", "−"),
    "raised": raised,
    "plain": plain,
}
ENVIRONMENT.filters |= FILTERS
ENVIRONMENT.globals |= {
    one.__name__: one for one in (abs, all, any, len, max, min, round, sum, zip, log, exp, sqrt)
}


def fill(source: str, values: Mapping[str, Any]) -> str:
    """Return a template's text with values in it."""
    return ENVIRONMENT.from_string(source).render(values)


def evaluate(expression: str, values: Mapping[str, Any]) -> Any:
    """Return what an expression on facts gives, such as ``gap <= 0.1 and share|max < 1``."""
    return ENVIRONMENT.compile_expression(expression, undefined_to_none=False)(values)


def names_in(expression: str) -> set[str]:
    """Return the names of the facts in an expression."""
    names = meta.find_undeclared_variables(ENVIRONMENT.parse("{{ " + expression + " }}"))
    return names - set(ENVIRONMENT.globals)
