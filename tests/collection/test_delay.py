"""A report leaves at a random moment, and is on record before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import sudare as sd
from sudare.collection.delay import draw_delay
from sudare.collection.memo import MemoryMemo
from tests.cases import cases

TEA = """
[collection]
name = "tea"
epsilon = 2.0
closes = 2026-12-01T00:00:00Z
{delay}
[[question]]
id = "q"
type = "choice"
text = "?"
choices = ["x", "y"]
"""
END = datetime(2026, 12, 1, tzinfo=UTC)


def collection(delay: object = 30) -> sd.Collection:
    return sd.Collection.from_toml(TEA.format(delay=f"send_delay = {delay}" if delay else ""))


class Words:
    """Gives the listed words of 32 bits."""

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def take(self, n: int) -> bytes:
        return self.words.pop(0).to_bytes(n, "little")


def test_it_is_in_the_definition_where_it_is_stated_alone() -> None:
    plain, slow = collection(0), collection(30)
    assert "send_delay" not in plain.definition()
    assert slow.definition()["send_delay"] == 30
    assert slow.fingerprint != plain.fingerprint
    assert sd.Collection.from_compiled(slow.compiled()).send_delay == 30


@cases("bad", ["0", "61", "-1", "true", '"30"', "1.5", "[30]"])
def test_it_is_one_to_sixty_seconds(bad: str) -> None:
    with pytest.raises(sd.CollectionError, match=r"collection\.send_delay must be"):
        collection(bad)


@cases("bad", [0, 61, True, "30", 1.5, None])
def test_a_compiled_one_is_held_to_it(bad: Any) -> None:
    document = collection().compiled()
    document["definition"]["send_delay"] = bad
    with pytest.raises(sd.CollectionError, match="send_delay"):
        sd.Collection.from_compiled(document)


def test_the_wait_is_uniform_to_the_millisecond() -> None:
    """Each of 30,001 waits has the same number of words; the uneven rest is drawn again."""
    day, outcomes = END - timedelta(days=1), 30_001
    fair = (1 << 32) // outcomes * outcomes
    for word, seconds in ((0, 0.0), (1, 0.001), (30_000, 30.0), (30_001, 0.0), (fair - 1, 30.0)):
        assert draw_delay(collection(), day, Words(word)) == seconds
    assert draw_delay(collection(), day, Words(fair, 7)) == 0.007
    assert draw_delay(collection(0), day, Words()) == 0


def test_nobody_waits_beyond_the_end() -> None:
    for left, most in ((35, 30_000), (34, 29_000), (6, 1_000)):
        now = END - timedelta(seconds=left)
        assert draw_delay(collection(), now, Words(most)) == most / 1000
        assert draw_delay(collection(), now, Words(most + 1)) == 0
    for left in (5, 1, -10):
        assert draw_delay(collection(), END - timedelta(seconds=left), Words()) == 0


def test_what_waits_is_on_record_and_can_be_sent_later() -> None:
    memo, waits = MemoryMemo(), []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        assert memo.charges()
        raise KeyboardInterrupt

    def clock() -> datetime:
        return END - timedelta(days=1)

    client = sd.Client(collection(), memo, clock=clock, sleep=sleep)
    submission = client.answer({"q": "x"})
    client._entropy = Words(4_321)
    with pytest.raises(KeyboardInterrupt):
        client.send(submission, "http://127.0.0.1:9")
    assert waits == [4.321]
    calm = sd.Client(collection(), memo, clock=clock, sleep=lambda _: None)
    assert calm.answer({"q": "x"}) == submission
    with pytest.raises(sd.StorageError, match="cannot be reached"):
        calm.send(submission, "http://127.0.0.1:9")


def test_without_it_nothing_sleeps() -> None:
    client = sd.Client(collection(0), clock=lambda: END - timedelta(days=1), sleep=lambda _: 1 / 0)
    with pytest.raises(sd.StorageError):
        client.send(client.answer({"q": "x"}), "http://127.0.0.1:9")
