"""``kill -9`` under load, at many points: no acknowledged report lost, none counted twice."""

from __future__ import annotations

import os
import random
import sqlite3
import time

import pytest
from crowd import Crowd, Servers
from teas import TEA

from sudare.collection import Collection
from sudare.collector import Store


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("rounds", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_kill_9_loses_nothing_and_counts_nothing_twice(database, inbox, rounds):
    tea = Collection.from_toml(TEA)
    crowd = Crowd(tea.fingerprint)
    draw = random.Random(rounds)
    pending = []
    servers = Servers(str(database))
    try:
        with crowd.living():
            for _ in range(rounds):
                server, url = servers.start()
                crowd.urls = [url]
                crowd.running.set()
                time.sleep(0.05 + 0.4 * draw.random())
                servers.kill(server)
                crowd.running.clear()
                pending.append(len(inbox(database)))
    finally:
        servers.end()

    with Store(database, [tea]) as store:
        counts = store.counts(tea.fingerprint).result()
        assert store.recount(tea.fingerprint).result() == counts
    connection = sqlite3.connect(database)
    stored = {i.hex(): p for i, p in connection.execute("SELECT id, payload FROM report")}
    (rows,) = connection.execute("SELECT count(*) FROM report").fetchone()
    (intact,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    assert intact == "ok"
    assert crowd.acknowledged <= stored.keys() <= crowd.sent.keys()
    assert rows == len(stored) == counts[0].n
    assert all(crowd.sent[i] == payload for i, payload in stored.items())
    assert tea.tally(b"".join(stored.values())) == counts
    assert crowd.repeated > 0
    assert max(pending) > 0  # a crash left something to fold
