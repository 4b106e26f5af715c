"""The client under asyncio: a real collector, and the memo, budget and errors of `Client`."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

import sudare as sd

TEA = """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
%s
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
choices = ["oi-ocha", "iyemon"]
"""
ANSWERS = {"brand": "iyemon"}


@pytest.fixture
def tea():
    return sd.Collection.from_toml(TEA % "")


def test_it_answers_a_running_collector(tea, tmp_path):
    from sudare import collector

    async def answer(url: str) -> None:
        device = await sd.AsyncClient.load(url, "tea", tmp_path / "memo.sqlite3")
        assert device.client.collection.fingerprint == tea.fingerprint
        many = await asyncio.gather(*(device.answer(ANSWERS) for _ in range(20)))
        assert len(set(many)) == 1  # one draw, one charge, one id
        assert device.spent == 2
        await asyncio.gather(*(device.send(one, url) for one in many[:5]))
        with pytest.raises(sd.BudgetExceeded):
            await device.answer({"brand": "oi-ocha"})
        with pytest.raises(sd.CollectionError, match="origin"):
            await device.send(many[0], "http://elsewhere.example")
        with pytest.raises(sd.CollectionError, match="not known"):
            await sd.AsyncClient.load(url, "coffee")

    with collector.BackgroundCollector([tea], tmp_path / "tea.sqlite3") as running:
        asyncio.run(answer(running.url))
        assert sd.collection.upload.fetch(running.url, "/api/v1/collections/tea/counts")["n"] == 1
    # what it has remembered is the plain client's, in the same file
    plain = sd.Client(tea, tmp_path / "memo.sqlite3", origin=running.url)
    assert plain.spent == 2


def test_a_collector_that_is_away_is_the_same_error(tea):
    async def send() -> None:
        device = sd.AsyncClient(tea)
        with pytest.raises(sd.StorageError, match="reached"):
            await device.send(await device.answer(ANSWERS), "http://127.0.0.1:1")

    asyncio.run(send())


def test_nothing_of_it_is_done_in_the_event_loop(tea, tmp_path, monkeypatch):
    """The disk is another thread's, and others run while a report waits to leave."""
    threads = []
    connection = sqlite3.connect(tmp_path / "memo.sqlite3")
    connection.close()
    device = sd.AsyncClient(
        sd.Collection.from_toml(TEA % "send_delay = 60"), tmp_path / "memo.sqlite3"
    )
    prepare = device.client.answer
    monkeypatch.setattr(
        device.client,
        "answer",
        lambda *a, **k: (threads.append(threading.get_ident()), prepare(*a, **k))[1],
    )
    monkeypatch.setattr("sudare.collection.asynchronous.send", lambda *_: threads.append("sent"))

    async def run() -> None:
        submission = await device.answer(ANSWERS)
        sending = asyncio.create_task(device.send(submission, "http://127.0.0.1:1"))
        await asyncio.sleep(0)
        assert not sending.done()
        sending.cancel()

    asyncio.run(run())
    assert threading.get_ident() not in threads
    assert "sent" not in threads


def test_the_limit_and_the_clock_are_the_clients(tea):
    before = datetime(2026, 1, 1, tzinfo=UTC)
    late = sd.Collection.from_toml(TEA % f"opens = {before.isoformat()}")

    async def run() -> None:
        with pytest.raises(sd.BudgetExceeded):
            await sd.AsyncClient(tea, cap=Fraction(1)).answer(ANSWERS)
        early = sd.AsyncClient(late, clock=lambda: before - timedelta(1))
        with pytest.raises(sd.CollectionError, match="open yet"):
            await early.answer(ANSWERS)
        assert early.spent == 0

    asyncio.run(run())


def test_threads_share_a_memo_without_overspending(tea, tmp_path):
    """Ten threads, two answers, a cap of one: all of one answer come through, none of the other."""
    memo = sd.collection.memo.FileMemo(tmp_path / "memo.sqlite3")
    client = sd.Client(tea, memo)
    got, refused = [], []

    def one(brand: str) -> None:
        try:
            got.append(client.answer({"brand": brand}))
        except sd.BudgetExceeded:
            refused.append(brand)

    threads = [threading.Thread(target=one, args=(b,)) for b in ("oi-ocha", "iyemon") * 5]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memo.close()
    assert len(got) == len(refused) == 5
    assert len(set(got)) == 1
