"""JSON of a request: an object with a key twice is refused, however deep, however it is spelt."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.refusal import Refusal
from sudare.request_json import read_json

VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3)
    ),
    max_leaves=12,
)


def written(value: Any, doubled: Any, *, escaped: bool) -> str:
    """Return the JSON of a value, in which one object has its first key twice."""
    if isinstance(value, dict):
        parts = [(json.dumps(key), written(each, doubled, escaped=escaped))
                 for key, each in value.items()]  # fmt: skip
        if value is doubled:
            key = next(iter(value))
            same = "".join(f"\\u{ord(one):04x}" if ord(one) < 1 << 16 else one for one in key)
            parts.append((f'"{same}"' if escaped else json.dumps(key), "1"))
        return "{" + ",".join(f"{key}:{each}" for key, each in parts) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(each, doubled, escaped=escaped) for each in value) + "]"
    return json.dumps(value)


def objects(value: Any) -> list[dict[str, Any]]:
    found = [value] if isinstance(value, dict) and value else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return found + [one for each in inner for one in objects(each)]


@given(VALUES, st.data())
def test_a_key_that_is_there_twice_is_refused(value: Any, data: st.DataObject) -> None:
    plain = written(value, None, escaped=False).encode()
    assert read_json(plain) == msgspec.json.decode(plain)
    for one in objects(value):
        body = written(value, one, escaped=data.draw(st.booleans())).encode()
        with pytest.raises(Refusal) as refused:
            read_json(body)
        assert refused.value.status == 400
        assert "each key of an object once" in str(refused.value.error)


def test_bodies_are_read_by_this_reader_alone() -> None:
    """But for reports, whose quotes are counted: nothing in their texts has one."""
    root = Path(sudare.__file__).parent
    for place in (*(root / "collector").rglob("*.py"), *(root / "release/api").rglob("*.py")):
        names = {
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(place.read_text()))
            if isinstance(node, ast.Call)
        }
        apart = {
            "decoding.py",
            "over_rounds.py",
            "pairs.py",
        }  # reports; what this program has written
        assert place.name in apart or "msgspec.json.decode" not in names, place
        decoders = {"decoding.py", "requests.py"}
        assert place.name in decoders or "msgspec.json.Decoder" not in names, place
