"""Reports that are taken: one, a batch, the same again, over a restart, two collections."""

from __future__ import annotations

import http.client
import json
import threading
import time
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from sudare.collection import Client, Collection, send, send_batch
from sudare.collector import BackgroundCollector
from sudare.errors import CollectionError


def test_one_report_is_acknowledged_and_counted(api, message):
    answer = api.send(message())
    assert (answer.status, answer.json) == (202, {"accepted": 1})
    assert api.n() == 1


def test_batch_is_counted_as_a_whole(api, batch, item):
    answer = api.send(batch([item() for _ in range(10_000)]))
    assert (answer.status, answer.json) == (202, {"accepted": 10_000})
    assert api.n() == 10_000


def test_chunked_body_and_charset_are_taken(api, message):
    raw = json.dumps(message()).encode()
    answer = api.request(
        "POST",
        "/api/collections/tea/reports",
        iter([raw[:20], raw[20:]]),
        {"content-type": "application/json; charset=UTF-8"},
    )
    assert answer.status == 202


def test_same_id_counts_once_and_the_first_payload_stays(api, tea, message):
    first, second = b"\x02\x05", b"\x03\x01"
    again = "0f" * 16
    assert api.send(message(first, again)).status == 202
    assert api.send(message(second, again)).status == 202
    assert api.n() == 1  # reading folds
    assert api.send(message(second, again)).status == 202
    counts = api.get("/api/collections/tea/counts").json["questions"]
    assert counts["brand"]["support"] == [0, 0, 1, 0, 0, 0]
    assert counts["place"]["support"] == [1, 0, 1, 0, 0]
    assert counts["place"]["n"] == 1


def test_same_id_within_one_batch_counts_once(api, batch, item):
    again = "ab" * 16
    assert api.send(batch([item(b"\x01\x01", again), item(b"\x04\x01", again)])).status == 202
    counts = api.get("/api/collections/tea/counts").json
    assert counts["n"] == 1
    assert counts["questions"]["brand"]["support"] == [0, 1, 0, 0, 0, 0]


def test_same_id_from_many_clients_at_once_counts_once(api, message):
    body = message()
    statuses = []

    def post() -> None:
        statuses.extend(api.send(body).status for _ in range(5))

    threads = [threading.Thread(target=post) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [202] * 40
    assert api.n() == 1


def test_same_id_counts_once_across_a_restart(tea, database, connect, message):
    body = message()
    for _ in range(3):
        with BackgroundCollector([tea], database) as running:
            api = connect(running.url)
            assert api.send(body).status == 202
    with BackgroundCollector([tea], database) as running:
        assert connect(running.url).n() == 1


def test_two_collections_in_one_file_are_kept_apart(tea, other, database, connect, message):
    with BackgroundCollector([tea, other], database) as running:
        api = connect(running.url)
        same = "11" * 16
        assert api.send(message(id=same)).status == 202
        assert api.send(message(id=same) | {"fingerprint": other.fingerprint}, "coffee").status == (
            202
        )
        assert api.send(message(), "coffee").status == 409
        assert (api.n("tea"), api.n("coffee")) == (1, 1)


def test_a_changed_definition_starts_from_nothing_and_loses_nothing(
    tea, database, connect, message
):
    changed = Collection.from_toml(
        '[collection]\nname = "tea"\nepsilon = 1.0\npublish_at = 1\n'
        '[[question]]\nid = "brand"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    )
    with BackgroundCollector([tea], database) as running:
        assert connect(running.url).send(message()).status == 202
    with BackgroundCollector([changed], database) as running:
        api = connect(running.url)
        assert api.n() == 0
        assert api.send(message()).status == 409
    with BackgroundCollector([tea], database) as running:
        assert connect(running.url).n() == 1


@pytest.mark.parametrize(("days", "status"), [(-1, 403), (0, 202), (1, 202), (2, 403), (3, 403)])
def test_window_opens_and_closes(database, connect, days, status):
    opens = datetime(2026, 12, 1, tzinfo=UTC)
    closes = opens + timedelta(days=2)
    collection = Collection.from_toml(
        f'[collection]\nname = "tea"\nepsilon = 1.0\npublish_at = 1\nopens = {opens.isoformat()}\n'
        f"closes = {closes.isoformat()}\n"
        '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
        'mechanism = "GRR"\n'
    )
    body = {"fingerprint": collection.fingerprint, "id": "00" * 16, "report": "AA"}
    now = opens + timedelta(days=days)
    with BackgroundCollector([collection], database, clock=lambda: now) as running:
        api = connect(running.url)
        answer = api.send(body)
        assert answer.status == status
        assert api.n() == (status == 202)
        assert status == 202 or answer.json["error"]["type"] == "CollectionError"


def test_the_window_may_close_while_a_body_comes_in(tea, database):
    closes = datetime(2026, 12, 1, tzinfo=UTC)
    now = [closes - timedelta(seconds=1)]
    collection = Collection.from_toml(
        '[collection]\nname = "tea"\nepsilon = 1.0\npublish_at = 1\n'
        f"closes = {closes.isoformat()}\n"
        '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
        'mechanism = "GRR"\n'
    )
    item = {"id": "00" * 16, "report": "AA"}
    bodies = {
        "": {"fingerprint": collection.fingerprint, **item},
        "/batch": {"fingerprint": collection.fingerprint, "reports": [item]},
    }
    with BackgroundCollector([collection], database, clock=lambda: now[0]) as running:
        parts = urlsplit(running.url)
        for path, body in bodies.items():
            now[0] = closes - timedelta(seconds=1)
            raw = json.dumps(body).encode()
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
            connection.putrequest("POST", f"/api/collections/tea/reports{path}")
            connection.putheader("content-type", "application/json")
            connection.putheader("content-length", str(len(raw)))
            connection.endheaders(raw[:9])
            time.sleep(0.2)
            now[0] = closes
            connection.send(raw[9:])
            assert connection.getresponse().status == 403
            connection.close()


def test_the_python_client_is_understood(tea, database, connect, tmp_path):
    with BackgroundCollector([tea], database) as running:
        submissions = [Client(tea).answer({"brand": "iyemon", "place": "home"}) for _ in range(20)]
        send(running.url, submissions[0])
        send_batch(running.url, submissions)
        assert connect(running.url).n() == 20
        with pytest.raises(CollectionError):
            send(running.url + "/nowhere", submissions[0])
