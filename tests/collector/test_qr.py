"""Codes for cameras: the path draws the modules of the code, and no other."""

from __future__ import annotations

import re

import pytest
import segno

from sudare.collector.qr import LONGEST, qr_code
from sudare.errors import DomainError, WrongTypeError
from tests.cases import cases

FINDER = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]


@cases("text", ["a", "https://survey.example/tea#7QK2-ABCD", "茶" * 200])
def test_a_path_draws_the_code(text: str) -> None:
    code = qr_code(text)
    size = code["size"]
    drawn = [["0"] * size for _ in range(size)]
    parts = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", code["path"])
    assert "".join("M{} {}h{}v1h-{}z".format(*one) for one in parts) == code["path"]
    for x, y, length, back in (map(int, one) for one in parts):
        assert length == back
        for i in range(x, x + length):
            assert drawn[y][i] == "0"
            drawn[y][i] = "1"
    rows = ["".join(row) for row in drawn]
    assert [row[:7] for row in rows[:7]] == FINDER
    assert [row[-7:] for row in rows[:7]] == FINDER
    own = segno.make(text, micro=False, error="m", boost_error=False).matrix
    assert rows == ["".join(map(str, row)) for row in own]


@cases("text", ["", "a" * (LONGEST + 1)])
def test_a_text_that_no_code_holds_is_refused(text: str) -> None:
    with pytest.raises(DomainError, match="text must have 1 to 1000 characters"):
        qr_code(text)
    with pytest.raises(WrongTypeError, match="text must be text"):
        qr_code(text.encode())
