"""How the fields of a program stand in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sudare.errors import CollectionError


@dataclass(frozen=True, slots=True)
class Field:
    """How a field of a program stands in JSON: in lists, ``depth`` deep.

    Attributes:
        read: from an entry, the name of the field and the fields before it.
        write: to an entry.
    """

    read: Callable[[Any, str, Mapping[str, Any]], Any]
    write: Callable[[Any], Any]
    depth: int = 0

    def to_json(self, value: Any) -> Any:
        """Return the field as JSON data."""
        return _nested(self.write, value, self.depth, list)

    def from_json(self, data: Any, name: str, before: Mapping[str, Any]) -> Any:
        """Read the field; CollectionError where it is not one."""
        return _nested(lambda entry: self.read(entry, name, before), data, self.depth, tuple)


def _nested(act: Callable[[Any], Any], data: Any, depth: int, kind: Any) -> Any:
    return kind(_nested(act, one, depth - 1, kind) for one in data) if depth else act(data)


def whole(low: int, high: int) -> Field:
    """Return the field of a small integer."""

    def read(value: Any, name: str, _: Mapping[str, Any]) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise CollectionError(f"program.{name}", f"must be a whole number from {low} to {high}")
        return value

    return Field(read, int)


def threshold(depth: int = 0, *, bits: int | None = None) -> Field:
    """Return the field of a threshold in ``0..2**bits``, by default those of the ``width``."""

    def read(text: Any, name: str, before: Mapping[str, Any]) -> int:
        if not isinstance(text, str) or not text or text.strip("0123456789abcdef"):
            raise CollectionError(f"program.{name}", "must be lower-case hexadecimal text")
        value, width = int(text, 16), bits or before["width"]
        if value > 1 << width:
            raise CollectionError(f"program.{name}", f"must be <= 2**{width}")
        return value

    return Field(read, "{:x}".format, depth)


WIDTH = whole(8, 4096)
