"""So many reports an hour and address, over all processes, and no address anywhere."""

from __future__ import annotations

import asyncio
import http.client
import json
from contextlib import closing
from urllib.parse import urlsplit

import psycopg
import pytest
from hypothesis import given, strategies as st

from sudare.collector import BackgroundCollector, server
from sudare.collector.connections import PlainConnection
from sudare.collector.databases import open_store
from sudare.collector.limits import HOUR, Limits, network
from sudare.collector.request_headers import last_node, node_of
from sudare.collector.settings import Settings
from sudare.refusal import Refusal


def scope(address: str, *headers: tuple[bytes, bytes]) -> dict[str, object]:
    return {"client": (address, 1), "headers": list(headers)}


def taken(limits: Limits, address: str, times: int, reports: int = 1) -> int:
    """Return how many of so many requests are let pass."""
    passed = 0
    for _ in range(times):
        try:
            limits.take(scope(address), reports)
        except Refusal as refusal:
            assert refusal.status == 429
        else:
            passed += 1
    return passed


def test_a_limit_holds_over_stores_and_ends_with_the_hour(place, tea) -> None:
    now = [10.0 * HOUR + 100]
    one, two = (Limits(50, clock=lambda: now[0]) for _ in range(2))

    async def run() -> None:
        with open_store(place, [tea]) as store:
            await one.exchange(store)
            await two.exchange(store)
            assert taken(one, "203.0.113.7", 60) == 50
            assert taken(one, "203.0.113.8", 1, 51) == 0
            assert taken(one, "203.0.113.8", 5, 10) == 5
            await one.exchange(store)
            assert taken(one, "203.0.113.7", 1) == 0
            assert taken(two, "203.0.113.7", 1) == 1
            await two.exchange(store)
            if "://" in place:  # both are in one place
                assert taken(two, "203.0.113.7", 1) == 0
                two._known.clear()
                assert taken(two, "203.0.113.8", 1) == 1
                await two.exchange(store)
                assert taken(two, "203.0.113.8", 1) == 0
            before = one._key
            now[0] += HOUR
            await one.exchange(store)
            assert one._key != before
            assert taken(one, "203.0.113.7", 60) == 50
            await one.exchange(store)
            await two.exchange(store)
            assert one._key == two._key

    asyncio.run(run())


def test_a_store_that_fails_forgets_nothing(tea, database) -> None:
    limits = Limits(5, clock=lambda: 0.0)

    async def run() -> None:
        store = open_store(database, [tea])
        store.count_marks = lambda hour, counted: 1 / 0
        assert taken(limits, "203.0.113.7", 9) == 5
        with pytest.raises(ZeroDivisionError):
            await limits.exchange(store)
        assert taken(limits, "203.0.113.7", 9) == 0
        store.close()

    asyncio.run(run())


def test_whose_address_it_is() -> None:
    assert network("203.0.113.7") == network("::ffff:203.0.113.7") != network("203.0.113.8")
    assert network("2001:db8::1") == network("2001:db8::ffff:1") != network("2001:db8:0:1::1")
    assert network("nonsense") == network("") == b""
    behind = Limits(1, "X-Client-Address")
    twice = ((b"x-client-address", b"1.1.1.1"), (b"x-client-address", b"203.0.113.9"))
    assert behind._network(scope("127.0.0.1", *twice)) == network("203.0.113.9")
    assert Limits(1)._network(scope("127.0.0.1", *twice)) == network("127.0.0.1")


FOUR = [
    *("203.0.113.7", " 203.0.113.7 ", "203.0.113.7:5001", "203.0.113.7:", '"203.0.113.7:5001"'),
    *("::ffff:203.0.113.7", "[::ffff:203.0.113.7]:5001", "64:ff9b::203.0.113.7", "[203.0.113.7]"),
    *("for=203.0.113.7", 'proto=https;For="203.0.113.7:_port";by=198.51.100.1'),
    *("1.2.3.4, 203.0.113.7", "1.2.3.4:80,203.0.113.7:5001", "203.0.113.7,", "203.0.113.7, ,"),
    *("unknown, 203.0.113.7", "for=1.2.3.4;proto=http, for=203.0.113.7"),
    *(
        'for=203.0.113.7;by="a, b"',
        'by="a; for=1.2.3.4";for=203.0.113.7',
        "for = 203.0.113.7 ; by=b",
    ),
    *(r'by="\", for=1.2.3.4, \"";for=203.0.113.7', r'for=1.2.3.4;by="\\", for="203.0.113.7:80"'),
    *(r'for="203.0.113\.7"', "proto=http;;for=203.0.113.7;", ',for="1.2.3.4, x",for=203.0.113.7,'),
]
SIX = [
    *("2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:5001", '"[2001:db8::2]:5001"'),
    *('for="[2001:db8::1]:5001"', 'for=1.2.3.4, for="[2001:DB8::3]"', "2001:db8::9%eth0"),
]
UNREADABLE = [
    *("", "unknown", "_hidden", "for=unknown", "for=_secret;by=203.0.113.9", "proto=https", "-"),
    *("[", "[]", ":5001", "203.0.113", "203.0.113.7.9", "203.0.113.999:5001", "name:5001", "\x00"),
    *(
        'for="203.0.113.7',
        'for=1.2.3.4;by="a, for=203.0.113.7',
        r'for="203.0.113.7\"',
        '"203.0.113.7',
    ),
    *(
        'for=203.0.113.7"',
        "for=203.0.113.7;for=203.0.113.7",
        "for=203.0.113.7;by",
        "f or=203.0.113.7",
    ),
    *('for="203.0.113.7" x', 'for=203.0.113.7, by="a', '="203.0.113.7"', "for=", 'for=""'),
    *("2001:db8::1::2", "203.0.113.7, unknown", "203.0.113.7;", "203.0.113.7 5001", "é", "," * 9),
]


@given(st.text() | st.text('[]:.,;="\\% for0123456789abcdef'))
def test_no_text_is_an_error(text: str) -> None:
    assert len(network(last_node([text]))) in (0, 4, 8)


@given(st.text(), st.text('",;=\\ \tfor'))
def test_no_quoted_string_ends_early(before: str, within: str) -> None:
    """Whatever is quoted stays one value, and what stands before it cannot take part in it."""
    quoted = within.replace("\\", "\\\\").replace('"', '\\"')
    line = f'by="{quoted}";for=203.0.113.7'
    assert last_node([line]) == "203.0.113.7"
    assert last_node([before, line]) == "203.0.113.7"
    assert node_of(f'for="{quoted}"') == within


def test_every_way_in_which_proxies_write_an_address(caplog) -> None:
    """Strangers never share a counter: what is no address counts as that of the connection."""

    def counted(*lines: str, peer: str = "198.51.100.99", header: str = "x-a") -> bytes:
        sent = [(header.encode(), line.encode("utf-8")) for line in lines]
        return limits._network(scope(peer, *sent))

    for header in ("x-a", "forwarded"):
        limits = Limits(1, header)
        for text in FOUR:
            assert counted(text, header=header) == network("203.0.113.7"), text
            assert counted("1.2.3.4", text, header=header) == network("203.0.113.7"), text
        for text in SIX:
            assert counted(text, header=header) == network("2001:db8::"), text
        assert not caplog.records
        for peer in ("198.51.100.99", "198.51.100.98", "2001:db8:9::1"):
            assert counted(peer=peer, header=header) == network(peer)  # no such header
            for text in UNREADABLE:
                assert counted(text, peer=peer, header=header) == network(peer), text
        (record,) = caplog.records
        assert header in record.getMessage()
        assert "203" not in record.getMessage()
        caplog.clear()


@pytest.mark.parametrize("kind", ["httptools", "h11"])
def test_each_connection_has_its_own_address(tea, database, message, monkeypatch, kind) -> None:
    if kind == "h11":
        monkeypatch.setattr(server, "connection_class", lambda: PlainConnection)
    settings = Settings(limit=2, limit_header="x-client-address")
    with BackgroundCollector([tea], database, settings=settings) as running:
        port = urlsplit(running.url).port
        for peer in ("127.0.0.2", "127.0.0.3"):
            found = []
            for told in ({}, {"x-client-address": "unknown"}, {}):
                client = http.client.HTTPConnection("127.0.0.1", port, source_address=(peer, 0))
                with closing(client):
                    kinds = {"Content-Type": "application/json", **told}
                    path = "/api/v1/collections/tea/reports"
                    client.request("POST", path, json.dumps(message()), kinds)
                    found.append(client.getresponse().status)
            assert found == [202, 202, 429], peer


def test_over_http(place, tea, connect, message, batch, item) -> None:
    settings = Settings(limit=7, limit_header="x-client-address")
    with BackgroundCollector([tea], place, settings=settings) as running:
        api = connect(running.url)
        path = "/api/v1/collections/tea/reports"
        told = [api.post(path, message(), x_client_address="203.0.113.77") for _ in range(9)]
        assert [one.status for one in told] == [202] * 7 + [429] * 2
        assert 1 <= int(told[-1].headers["retry-after"]) <= HOUR
        assert "203.0.113.77" not in told[-1].body.decode()
        several = batch([item() for _ in range(8)])
        assert api.post(f"{path}/batch", several, x_client_address="203.0.113.78").status == 429
        several = batch([item() for _ in range(7)])
        assert api.post(f"{path}/batch", several, x_client_address="203.0.113.78").status == 202
        if "://" in place:
            kinds = (
                "SELECT relpersistence::text FROM pg_class WHERE relname IN ('rate', 'rate_key')"
            )
            with psycopg.connect(place) as connection:
                assert connection.execute(kinds).fetchall() == [("u",)] * 2
    with BackgroundCollector([tea], place) as running:
        api = connect(running.url)
        assert {api.send(message()).status for _ in range(20)} == {202}
