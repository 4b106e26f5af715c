"""What an invite fixes: by a keyed hash, uniform exactly, the same for ever."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from fractions import Fraction

import pytest

from sudare.collection import Collection
from sudare.collector.tickets import TicketOffice
from sudare.errors import ReportError

TEXT = """
[collection]
name = "shelf"
epsilon = 3.0
publish_at = 1
admission = "invited"
[[question]]
id = "daily"
type = "choice"
text = "?"
choices = ["yes", "no"]
[[question]]
id = "teas"
type = "ratings"
text = "?"
items = [%s]
[[question]]
id = "pots"
type = "ratings"
text = "?"
items = ["clay", "iron"]
"""


def survey(items: int) -> Collection:
    names = ", ".join(f'"tea-{i}"' for i in range(items))
    return Collection.from_toml(TEXT % names)


def office(items: int = 7, key: bytes = b"k" * 32) -> TicketOffice:
    return TicketOffice(survey(items), key)


def code(number: int) -> bytes:
    return number.to_bytes(16, "big")


def by_hand(key: bytes, question: str, own: bytes, parts: int) -> int:
    """Return the index as the formula has it, with plain loops and fractions."""
    label = b"index\0" + question.encode() + b"\0" + own
    counter = 0
    while True:
        block = hmac.new(key, label + counter.to_bytes(4, "big"), hashlib.sha256).digest()
        for start in range(0, 32, 4):
            word = int.from_bytes(block[start : start + 4], "little")
            if Fraction(word, 2**32) < Fraction(2**32 // parts * parts, 2**32):
                return word % parts
        counter += 1


def test_the_index_is_the_formulas() -> None:
    one = office()
    for number in range(200):
        own = code(number)
        assert one.tickets(own) == {
            "teas": by_hand(b"k" * 32, "teas", own, 7),
            "pots": by_hand(b"k" * 32, "pots", own, 2),
        }


def test_words_in_the_uneven_rest_are_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block of the largest words is rejected as a whole; a modulo would take it."""
    blocks = iter([b"\xff" * 32, b"\xff" * 32, b"\x04\0\0\0" + b"\xff" * 28, b"\1" * 32])
    asked = []

    def digest(_: bytes, message: bytes, __: str) -> bytes:
        asked.append(message)
        return next(blocks)

    monkeypatch.setattr("sudare.collector.tickets.hmac.digest", digest)
    assert 0xFFFFFFFF % 7 == 3
    assert office().tickets(code(0)) == {"teas": 4, "pots": 1}
    assert [int.from_bytes(message[-4:], "big") for message in asked] == [0, 1, 2, 0]


def test_indices_are_spread_evenly_and_independently() -> None:
    """Fixed key, so no false alarms: chi-square over both indices, 13 degrees, below 35."""
    one, n = office(), 7_000
    pairs = Counter(tuple(one.tickets(code(i)).values()) for i in range(n))
    expected = n / 14
    assert len(pairs) == 14
    assert sum((seen - expected) ** 2 / expected for seen in pairs.values()) < 35


def test_another_key_or_code_tells_nothing() -> None:
    a, b = office(), office(key=b"l" * 32)
    same = sum(a.tickets(code(i))["teas"] == b.tickets(code(i))["teas"] for i in range(700))
    assert 60 < same < 140  # 100 expected, standard deviation 9
    assert (
        len({a.mark(code(i)) for i in range(700)} | {b.mark(code(i)) for i in range(700)}) == 1400
    )
    assert a.mark(code(1)) != code(1)
    assert "kkk" not in repr(a)


def test_a_report_about_anything_else_is_refused() -> None:
    asked = survey(300)  # two bytes of index, after the choice's byte
    one = TicketOffice(asked, b"k" * 32)
    sizes = [question.mechanism.program.report_bytes for question in asked.questions]
    for number in range(40):
        own = code(number)
        tickets = one.tickets(own)
        payload = bytes(sizes[0])
        payload += tickets["teas"].to_bytes(2, "little").ljust(sizes[1], b"\0")
        payload += tickets["pots"].to_bytes(1, "little").ljust(sizes[2], b"\0")
        asked.program.check_wire(payload)
        one.check(own, payload)
        for place in (sizes[0], sizes[0] + 1, sizes[0] + sizes[1]):
            changed = bytearray(payload)
            changed[place] ^= 1
            with pytest.raises(ReportError, match="what its invite fixes"):
                one.check(own, bytes(changed))


def test_without_a_picking_question_nothing_is_fixed() -> None:
    text = TEXT[: TEXT.index('[[question]]\nid = "teas"')]
    one = TicketOffice(Collection.from_toml(text), b"k" * 32)
    assert one.tickets(code(1)) == {}
    one.check(code(1), b"\1")
