"""Reading the JSON of a request: strict, and each key once."""

from __future__ import annotations

import codecs
import json
from typing import Any, TypeVar

import msgspec

from sudare.errors import DomainError
from sudare.refusal import Refusal

T = TypeVar("T")

_ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def read_json(body: bytes, decoder: msgspec.json.Decoder[T] = _ANY) -> T:
    """Return what a body holds.

    Readers differ in which of two values of one key they take: what a gateway has looked at is not
    what would be paid. So an object that has a key twice is refused, however deep it lies.

    Args:
        body: UTF-8, with a byte order mark or without.
        decoder: what it must be.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError, RecursionError: it is not that.
        Refusal: 400, a key is there twice.

    Examples:
        >>> read_json(b'{"epsilon": 1}')
        {'epsilon': 1}
        >>> read_json(b'{"epsilon": 1, "epsilon": 2}')
        Traceback (most recent call last):
        ...
        sudare.refusal.Refusal: 400
    """
    body = body.removeprefix(codecs.BOM_UTF8)  # readers may skip it: RFC 8259, 8.1
    found = decoder.decode(body)
    json.loads(
        body.decode(), object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str
    )
    return found


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        error = DomainError("body", "must have each key of an object once", "send one value of it")
        raise Refusal(400, error)
