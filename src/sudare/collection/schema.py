"""Reading a definition: each field is checked, and an error names it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sudare.definitions import as_slug
from sudare.errors import CollectionError, nearest
from sudare.exact import as_epsilon, decimal_text, epsilon_from_text
from sudare.exact.parameters import EPSILON_MIN

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_SCORE = re.compile(r"-?[0-9]{1,10}\.[0-9]{1,12}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,10}(\.[0-9]{1,12})?", re.ASCII)
_TEXT_LIMIT = 4000
_SCORE_LIMIT = 10**9
MOST_VERSION = 10**6

Texts = dict[str, str]


def refuse_unknown(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse a field that nobody reads: most likely a slip of the pen."""
    unknown = sorted(set(table) - set(known))
    if unknown:
        fields = sorted(known)
        remedy = nearest(unknown[0], fields, f"the fields are {', '.join(fields)}")
        raise CollectionError(f"{where}.{unknown[0]}", "is not a field", remedy)


def check_fields(
    table: Mapping[str, Any], known: Iterable[str], needed: Iterable[str], where: str, remedy: str
) -> None:
    """Refuse a field that nobody reads, and a table without one that is needed."""
    refuse_unknown(table, known, where)
    for name in needed:
        if name not in table:
            raise CollectionError(f"{where}.{name}", "is missing", remedy)


def slug(value: Any, where: str) -> str:
    """Read an identifier: it appears in addresses and on the wire."""
    return as_slug(value, where, "keep the wording for text and labels", CollectionError)


def slugs(value: Any, where: str, least: int) -> tuple[str, ...]:
    """Read a list of different identifiers."""
    if not isinstance(value, list) or len(value) < least:
        raise CollectionError(where, f"must be a list of identifiers, at least {least}")
    out = tuple(slug(item, f"{where}[{i}]") for i, item in enumerate(value))
    if len(set(out)) != len(out):
        raise CollectionError(where, "must not name anything twice")
    return out


def epsilon(value: Any, where: str) -> Fraction:
    """Read an ε of at most 12 decimal places, a number in TOML."""
    return _short(as_epsilon(value, where), where, value)


def epsilon_text(value: Any, where: str) -> Fraction:
    """Read an ε of at most 12 decimal places, decimal text in a definition."""
    if not isinstance(value, str):
        raise CollectionError(where, "must be decimal text", got=value)
    return _short(epsilon_from_text(value, where), where, value)


def total_text(value: Any, where: str) -> Fraction:
    """Read the ε of a whole collection: 0 where no question takes a part of it."""
    return Fraction(0) if value == "0.0" else epsilon_text(value, where)


def is_decimal(text: str) -> bool:
    """Whether text is a plain decimal such as ``0.005``."""
    return _DECIMAL.fullmatch(text) is not None


def _short(exact: Fraction, where: str, value: Any) -> Fraction:
    if (exact * 10**12).denominator != 1:
        raise CollectionError(where, "must have at most 12 decimal places", got=str(value))
    return exact


def shares(
    whole: Fraction, own: Sequence[Fraction | None], total: str, where: str
) -> list[Fraction]:
    """Give each its own ε, or an equal share of what the others leave.

    Shares are rounded down to 12 decimal places.

    Args:
        whole: what is shared.
        own: what each states, or None.
        total: name of the whole, for an error.
        where: name of the list of those that share.
    """
    stated = sum((share for share in own if share is not None), start=Fraction(0))
    without = own.count(None)
    if stated > whole:
        raise CollectionError(
            f"{where}.epsilon",
            f"must sum to at most {total} = {decimal_text(whole)}",
            f"lower one's own epsilon or raise {total}",
            got=decimal_text(stated),
        )
    if not without:
        return [share for share in own if share is not None]
    equal = (whole - stated) / without
    if equal < EPSILON_MIN:
        raise CollectionError(
            f"{where}.epsilon",
            f"must leave of {total} = {decimal_text(whole)} at least 0.001 to each of the "
            f"{without} that state{'s' if without == 1 else ''} none",
            f"lower one's own epsilon or raise {total}",
        )
    equal = Fraction(decimal_text(equal))
    return [equal if share is None else share for share in own]


def moment(value: Any, where: str) -> datetime | None:
    """Read a date and time with an offset, as UTC."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise CollectionError(where, "must be a date and time") from None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise CollectionError(
            where, "must be a date and time with an offset", "write 2026-12-01T00:00:00+09:00"
        )
    try:
        return value.astimezone(UTC).replace(microsecond=0)
    except OverflowError:
        rule = "must be a date and time of the years 1 to 9999, in UTC too"
        raise CollectionError(where, rule) from None


def moment_text(value: datetime | None) -> str | None:
    """Return the canonical spelling of a moment."""
    return None if value is None else value.replace(tzinfo=None).isoformat() + "Z"


def flag(value: Any, where: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise CollectionError(where, "must be true or false", got=value)
    return value


def whole(value: Any, where: str, low: int, high: int) -> int:
    """Read a whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise CollectionError(where, f"must be a whole number from {low} to {high}", got=value)
    return value


def score(value: Any, where: str) -> Fraction:
    """Read a number of at most 12 decimal places, a number in TOML."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise CollectionError(where, "must be a number", got=value)
    exact = Decimal(value)
    if not (exact.is_finite() and -_SCORE_LIMIT <= exact <= _SCORE_LIMIT):
        raise CollectionError(where, f"must lie between -{_SCORE_LIMIT} and {_SCORE_LIMIT}")
    if exact and exact.adjusted() < -12:  # before a fraction of a million digits is made of it
        raise CollectionError(where, "must have at most 12 decimal places", got=str(value))
    return _short(Fraction(exact), where, value)


def score_from_text(value: Any, where: str) -> Fraction:
    """Read a score, decimal text in a definition."""
    if not isinstance(value, str) or not _SCORE.fullmatch(value):
        raise CollectionError(where, "must be decimal text", got=value)
    return score(Decimal(value), where)


def score_text(value: Fraction) -> str:
    """Return the canonical spelling of a score.

    Examples:
        >>> score_text(Fraction(3)), score_text(Fraction(-1, 2))
        ('3.0', '-0.5')
    """
    return decimal_text(value)


def respondents(value: Any) -> int:
    """Read how many respondents are expected."""
    return whole(value, "collection.expected_respondents", 1, 10**12)


def languages(value: Any, where: str) -> tuple[str, ...]:
    """Read the list of languages; the first is the fallback."""
    if not isinstance(value, list) or not value:
        raise CollectionError(where, 'must be a list such as ["en", "ja"]', got=value)
    for place, item in enumerate(value):
        if not isinstance(item, str) or not _LANGUAGE.fullmatch(item):
            rule = "must be a language tag such as en or ja"
            raise CollectionError(f"{where}[{place}]", rule, got=item)
    if len(set(value)) != len(value):
        raise CollectionError(where, "must not name a language twice", got=value)
    return tuple(value)


def texts(value: Any, where: str, known: tuple[str, ...], *, optional: bool = False) -> Texts:
    """Read a text: one string for the first language, or a table of languages."""
    if isinstance(value, str):
        value = {known[0]: value}
    if not isinstance(value, dict):
        raise CollectionError(where, "must be text, or a table of languages such as { en = ... }")
    refuse_unknown(value, known, where)
    if not value and not optional:
        raise CollectionError(where, "must not be empty", f"write it in {known[0]} at least")
    for language, text in value.items():
        label(text, f"{where}.{language}")
    return dict(value)


def label(text: Any, where: str) -> str:
    """Return one text that people read, checked."""
    if not isinstance(text, str) or not text.strip() or len(text) > _TEXT_LIMIT:
        raise CollectionError(where, f"must be text of 1 to {_TEXT_LIMIT} characters")
    return text


def labels(
    value: Any, where: str, choices: tuple[str, ...], known: tuple[str, ...]
) -> dict[str, Texts]:
    """Read ``labels = { en = [...], ja = [...] }``, in the order of the choices."""
    if not isinstance(value, dict):
        raise CollectionError(where, "must be a table of languages such as { en = [...] }")
    refuse_unknown(value, known, where)
    out: dict[str, Texts] = {}
    for language, items in value.items():
        spot = f"{where}.{language}"
        if not isinstance(items, list) or len(items) != len(choices):
            raise CollectionError(spot, f"must be a list of {len(choices)} labels, one a choice")
        for place, (choice, item) in enumerate(zip(choices, items, strict=True)):
            out.setdefault(choice, {})[language] = label(item, f"{spot}[{place}]")
    return out
