"""Reports as lines of text: CSV and JSON, many at a time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Characters = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a file of reports: numbers, or packed bits of so many bytes."""

    name: str
    dtype: np.dtype[Any]
    packed: int = 0


def columns(part: npt.NDArray[Any], fields: list[Field]) -> list[npt.NDArray[Any]]:
    """Return the reports of each field."""
    return [part] if len(fields) == 1 else [part[:, i] for i in range(len(fields))]


def frame_of(kind: str, fields: list[Field]) -> list[bytes]:
    """Return what stands before each cell of a line, and after the last one."""
    if kind != ".jsonl":
        return [b"", *[b","] * (len(fields) - 1), b"\n"]
    quotes = ['"' if field.packed else "" for field in fields]
    heads = [json.dumps(field.name, ensure_ascii=False) + ": " for field in fields]
    ends = zip(quotes[:-1], heads[1:], quotes[1:], strict=True)
    between = [f"{end}, {head}{quote}" for end, head, quote in ends]
    first, last = "{" + heads[0] + quotes[0], quotes[-1] + "}\n"
    return [one.encode() for one in (first, *between, last)]


def lines(part: npt.NDArray[Any], fields: list[Field], frame: list[bytes]) -> bytes:
    """Return rows as text: all columns of characters side by side, then without the empty ones."""
    each = zip(fields, columns(part, fields), strict=True)
    cells = [_hexadecimal(one) if field.packed else _decimal(one) for field, one in each]
    width = sum(map(len, frame)) + sum(cell.shape[1] for cell in cells)
    out = np.empty((len(part), width), dtype=np.uint8)
    start = 0
    for text, cell in zip(frame, [*cells, None], strict=True):
        for piece in (np.frombuffer(text, dtype=np.uint8), cell):
            if piece is not None:
                out[:, start : start + piece.shape[-1]] = piece
                start += piece.shape[-1]
    return (out if out.all() else out[out != 0]).tobytes()


def _hexadecimal(column: npt.NDArray[Any]) -> Characters:
    """Return the two digits of each byte of packed rows."""
    text = column.tobytes().hex().encode()
    return np.frombuffer(text, dtype=np.uint8).reshape(len(column), 2 * column.shape[1])


def _decimal(column: npt.NDArray[Any]) -> Characters:
    """Return the digits of whole numbers >= 0, and 0 where a number has no digit."""
    width = len(str(int(column.max(initial=0))))
    out = np.empty((column.size, width), dtype=np.uint8)
    left = column.copy()
    for place in reversed(range(width)):
        rest = left // 10
        digit = (left - rest * 10).astype(np.uint8)
        digit += ord("0")
        if place < width - 1:
            digit *= left > 0
        out[:, place] = digit
        left = rest
    return out
