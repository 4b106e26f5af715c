"""JSON lines by Arrow's reader are what Python's gives, wherever the first one takes them."""

from __future__ import annotations

import io
from itertools import product
from pathlib import Path

import pytest

from sudare.errors import DomainError
from sudare.files import blocks
from sudare.files.blocks import json_cells, json_records, read_blocks
from sudare.files.plain_json import plain_cells

PLAIN = [b'{"x": "a", "y": [1, {"x": 2}]}', b'{"x": 5}', b'{"x": true}']
LINES = [
    *PLAIN,
    *(b'{"x": "\\u00e9"}', '{"x": "é"}'.encode(), b'{"x": ""}', b'{"\\u0078": "a\\/b\\n"}'),
    *(b'{"x": 9223372036854775807}', b'{"x": -0}', b'{"x": 12345678901234567890}', b'{"x": 1E2}'),
    *(b'{"x": 1.0}', b'{"x": NaN}', b'{"x": null}', b'{"y": 1}', b'{"y": {"x": "deep"}}', b"{}"),
    *(b'{"x": [1]}', b'{"x": {"a": 1}}', b'["x"]', b'"x"', b"", b"  ", b' {"x": "a"} '),
    *(b'{"x": "a", "x": "b"}', b'{"x": "a"}{"x": "b"}', b'{"x": "a"},{"x": "b"}'),
    *(b'{"x": "a"', b'{"x": "a"}}', b'{"x": "a",}', b"{'x': 'a'}", b'{"x": "a" /* c */}'),
    *(b'{"x": "a", "y": NaN}', b'{"x": "a", "y": 01}', b'{"x": "a", "y": 1.}', b'{"x": tru}'),
    *(b'{"x": "\\ud800"}', b'{"x": "\\udc00"}', b'{"x": "\\ud83d\\ude00"}', b'{"x": "\\u12"}'),
    *(b'{"x": "\xff"}', b'{"x": "a", "y": "\xff"}', b'{"x": "a\x01b"}', b'{"x": "\x00"}'),
    *(b'\xef\xbb\xbf{"x": "a"}', b'{"x": "a"}\x00', b'{"x": "a"\r}', b'{"x": "a\rb"}'),
    *(b'{"x": "a", "y":\n"b"}', b'{"x": "a", "y": [{}\n,{"x": 1}]}', b'{"x": "a", "y": {}\n}'),
    *(b'{"x": "a", "z": 1, "z": 2}', '{"x": "\u2028"}'.encode(), b'{"x": "a", "y": 1e999}'),
]


def by_python(data: bytes) -> list[str | None] | None:
    try:
        return json_cells(json_records(io.BytesIO(data).readlines(), ["x"], 0), "x").to_pylist()
    except (ValueError, DomainError, RuntimeError):
        return None


def test_each_kind_of_line_beside_each_plain_one() -> None:
    taken = 0
    for plain, line, end in product([*PLAIN, None], LINES, [b"\n", b"\r\n", b""]):
        both = [one + end for one in (plain, line) if one is not None]
        for data in (b"".join(both), b"".join(reversed(both))):
            cells = plain_cells(data, "x") if data else None
            if cells is not None:
                taken += 1
                assert cells.to_pylist() == by_python(data), data
    assert taken > 100
    assert all(plain_cells(one * 3, "x") is None for one in PLAIN)
    assert all(plain_cells((one + b"\n") * 3, "x") is not None for one in PLAIN)


def test_odd_lines_among_many_are_read_and_named_by_their_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 100)
    path = tmp_path / "people.jsonl"
    path.write_bytes(b'{"x": "a"}\n' * 50 + b'\n{"x": 1.50}\n' + b'{"x": "b"}\n' * 50 + b'{"x": 7}')
    cells = [cell for part in read_blocks(path, "x") for cell in part.to_pylist()]
    assert cells == ["a"] * 50 + ["1.5"] + ["b"] * 50 + ["7"]
    path.write_bytes(path.read_bytes() + b'\n{"y": "a"}\n')
    with pytest.raises(DomainError, match="row 103"):
        list(read_blocks(path, "x"))
