"""The form of a compiled document: one table for Python and the browser, ``compiled.json``.

Each field has a rule; an object has its fields and no other. The browser reads the same table, in
two parts: ``web/js/schema.js`` and ``schema-rest.js``. What relates fields to each other is checked
by the questions themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from sudare.errors import CollectionError, counted

_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,9})\.(0|[0-9]{0,11}[1-9])", re.ASCII)
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"
_BLANK = re.compile(r"[\s\x1c-\x1f\x85\ufeff]*")
_TEXT_LIMIT = 4000


@cache
def rules() -> Any:
    """Return the table of rules."""
    return json.loads(files("sudare.collection").joinpath("compiled.json").read_text("utf-8"))


def check_compiled(document: Any) -> None:
    """Refuse a compiled document that is not of the form of :func:`rules`.

    Question types that do not ship are left to themselves.

    Raises:
        CollectionError: a field is missing, unknown, or of another form.
    """
    own = rules()["names"]
    fields = ("format", "fingerprint", "definition", "texts")
    _check_table(document, "document", (*fields, "life"), fields)
    _refuse_unless(document["format"] == "sudare-compiled/1", "format", "must be known")
    _check({"text": "[0-9a-f]{64}"}, document["fingerprint"], "fingerprint", ())
    _check(own["definition"], document["definition"], "definition", ())
    _check(own["life"], document.get("life", {}), "life", ())
    texts = document["texts"]
    stated = own["texts"]["fields"]
    _check_table(texts, "texts", {**stated, **own["texts"]["optional"]}, stated)
    _check(own["texts"]["fields"]["languages"], texts["languages"], "texts.languages", ())
    _check(own["texts"], texts, "texts", tuple(texts["languages"]))
    questions = {question["id"]: question for question in document["definition"]["questions"]}
    for name, wording in texts["questions"].items():
        _refuse_unless(name in questions, f"texts.questions.{name}", "must be a question's")
        _check_wording(questions[name], wording, tuple(texts["languages"]))


def _check_wording(question: Any, wording: Any, known: tuple[str, ...]) -> None:
    """Check a question's wordings: each is one for something that the question has."""
    rule = rules()["wordings"].get(question["type"])
    if rule is None:
        return
    where = f"texts.questions.{question['id']}"
    _check(rule, wording, where, known)
    named = {
        "labels": _labelled(question),
        "held": ("no", "yes"),
        "attributes": tuple(one["id"] for one in question.get("attributes", ())),
    }
    for field, allowed in named.items():
        _check_table(wording.get(field, {}), f"{where}.{field}", allowed, ())
    for one in question.get("attributes", ()):
        labels = wording.get("attributes", {}).get(one["id"], {}).get("labels", {})
        _check_table(labels, f"{where}.attributes.{one['id']}.labels", _labelled(one), ())


def _labelled(question: Any) -> frozenset[str]:
    return frozenset(question.get("items", question.get("choices", ())))


def _check(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    """Refuse a value that does not keep the rule; ``known`` are the languages."""
    (kind,) = (name for name in _KINDS if name in rule)
    _KINDS[kind](rule, value, where, known)


def _use(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    _check(rules()["names"][rule["use"]], value, where, known)


def _any(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    for one in rule["any"]:
        try:
            return _check(one, value, where, known)
        except CollectionError as error:
            last = error
    raise last


def _by(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    name = value.get(rule["by"]) if isinstance(value, Mapping) else None
    case = rule["cases"].get(name) if isinstance(name, str) else None
    case = case or rule.get("other")
    _refuse_unless(case is not None, f"{where}.{rule['by']}", "must be known")
    _check(case, value, where, known)


def _fields(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    each = {**rule["fields"], **rule.get("optional", {})}
    more = rule.get("more")
    _check_table(value, where, value if more else each, rule["fields"])
    for name, one in value.items():
        _check(each.get(name, more), one, f"{where}.{name}", known)


def _check_table(value: Any, where: str, allowed: Any, needed: Any) -> None:
    _refuse_unless(isinstance(value, dict), where, "must be an object")
    for name in value:
        _refuse_unless(name in allowed, f"{where}.{name}", "is not a field")
    for name in needed:
        _refuse_unless(name in value, f"{where}.{name}", "is missing")


def _list(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    _refuse_unless(isinstance(value, list), where, "must be a list")
    low, high = rule.get("least", 0), rule.get("most", 1 << 24)
    _refuse_unless(low <= len(value) <= high, where, f"must have {low} to {high} entries")
    for i, one in enumerate(value):
        _check(rule["list"], one, f"{where}[{i}]", known)
    if rule.get("different"):
        _refuse_unless(len(set(value)) == len(value), where, "must not name anything twice")


def _row(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    size = len(rule["row"])
    _refuse_unless(
        isinstance(value, list) and len(value) == size, where, f"must be {counted(size, 'value')}"
    )
    for one, cell in zip(rule["row"], value, strict=True):
        _check(one, cell, where, known)


def _table(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    _refuse_unless(isinstance(value, dict), where, "must be an object")
    for name, one in value.items():
        _check(rule["table"], one, f"{where}.{name}", known)


def _text(rule: Any, value: Any, where: str, _: tuple[str, ...]) -> None:
    right = isinstance(value, str) and re.fullmatch(rule["text"], value)
    _refuse_unless(bool(right), where, "must be text of its form")


def _one(rule: Any, value: Any, where: str, _: tuple[str, ...]) -> None:
    right = isinstance(value, str) and value in rule["one"]
    _refuse_unless(right, where, f"must be one of {', '.join(rule['one'])}")


def _whole(rule: Any, value: Any, where: str, _: tuple[str, ...]) -> None:
    low, high = rule["whole"]
    right = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    _refuse_unless(right, where, f"must be a whole number from {low} to {high}")


def _decimal(rule: Any, value: Any, where: str, _: tuple[str, ...]) -> None:
    low, high = rule["decimal"]
    right = isinstance(value, str) and _DECIMAL.fullmatch(value) and value != "-0.0"
    right = right and Decimal(low) <= Decimal(value) <= Decimal(high)
    _refuse_unless(bool(right), where, f"must be a decimal text from {low} to {high}")


def _flag(rule: Any, value: Any, where: str, _: tuple[str, ...]) -> None:
    """Take true or false, or true alone: what is stated only where it is set."""
    right = value is True or (value is False and rule["flag"] is True)
    _refuse_unless(right, where, "must be true, or false where it may be")


def _null(_: Any, value: Any, where: str, __: tuple[str, ...]) -> None:
    _refuse_unless(value is None, where, "must be null")


def _moment(_: Any, value: Any, where: str, __: tuple[str, ...]) -> None:
    rule = "must be a moment such as 2026-12-01T00:00:00Z"
    _refuse_unless(isinstance(value, str) and len(value) == 20 and value.isascii(), where, rule)
    try:
        found = datetime.strptime(value, _MOMENT)  # noqa: DTZ007  # written in UTC
    except ValueError:
        raise CollectionError(where, rule) from None
    _refuse_unless(found.isoformat() + "Z" == value, where, rule)


def _words(rule: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    _check_table(value, where, known, ())
    _refuse_unless(len(value) >= rule["words"], where, "must not be empty")
    for language, text in value.items():
        right = isinstance(text, str) and len(text) <= _TEXT_LIMIT and not _BLANK.fullmatch(text)
        right = right and not re.search("[\ud800-\udfff]", text)
        _refuse_unless(right, f"{where}.{language}", f"must be text of 1 to {_TEXT_LIMIT} signs")


def _question(_: Any, value: Any, where: str, known: tuple[str, ...]) -> None:
    _refuse_unless(isinstance(value, dict), where, "must be an object")
    _check({"use": "slug"}, value.get("id"), f"{where}.id", known)
    name = value.get("type")
    _refuse_unless(isinstance(name, str), f"{where}.type", "must be a name")
    own = rules()["questions"].get(name)
    if own is not None:
        _check(own, value, where, known)


def _wording(_: Any, value: Any, where: str, __: tuple[str, ...]) -> None:
    _refuse_unless(isinstance(value, dict), where, "must be an object")


def _refuse_unless(right: bool, where: str, rule: str) -> None:
    if not right:
        raise CollectionError(where, rule, "fetch the collection again from its owner")


_KINDS: dict[str, Any] = {
    "use": _use,
    "any": _any,
    "by": _by,
    "fields": _fields,
    "list": _list,
    "row": _row,
    "table": _table,
    "text": _text,
    "one": _one,
    "whole": _whole,
    "decimal": _decimal,
    "flag": _flag,
    "null": _null,
    "moment": _moment,
    "words": _words,
    "question": _question,
    "wording": _wording,
}
