"""Everything malformed, foreign or oversized: a typed refusal, nothing stored, nothing echoed."""

from __future__ import annotations

import json
import logging
import socket
from datetime import datetime
from urllib.parse import urlsplit

import pytest

from sudare.collection import Collection
from sudare.collector import BackgroundCollector
from sudare.collector.decoding import Decoder
from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.refusal import Refusal
from tests.cases import cases

CANARY = "canary7f3acanary"
SINGLE = "/api/collections/tea/reports"
BATCH = SINGLE + "/batch"


def _cases(fingerprint: str, good: dict[str, str]) -> dict[str, tuple[str, int, bytes]]:
    def single(**changes: object) -> bytes:
        return json.dumps({"fingerprint": fingerprint, **good, **changes}).encode()

    def batch(*reports: object, **changes: object) -> bytes:
        return json.dumps({"fingerprint": fingerprint, "reports": reports, **changes}).encode()

    fresh = [{**good, "id": f"{i:032x}"} for i in range(3)]
    return {
        "not JSON": (SINGLE, 400, b"{" + CANARY.encode()),
        "empty": (SINGLE, 400, b""),
        "not UTF-8": (SINGLE, 400, b'{"fingerprint":"\xff' + CANARY.encode()),
        "trailing": (SINGLE, 400, single() + CANARY.encode()),
        "array": (SINGLE, 400, json.dumps([CANARY]).encode()),
        "null": (SINGLE, 400, b"null"),
        "NaN": (SINGLE, 400, single().replace(f'"{good["report"]}"'.encode(), b"NaN")),
        "deep": (SINGLE, 400, b"[" * 900),
        "unknown field": (SINGLE, 400, single(**{CANARY: 1})),
        "missing field": (SINGLE, 400, json.dumps(good).encode()),
        "foreign fingerprint": (SINGLE, 409, single(fingerprint="0" * 64)),
        "fingerprint text": (SINGLE, 409, single(fingerprint=CANARY)),
        "fingerprint number": (SINGLE, 400, single(fingerprint=1)),
        "id short": (SINGLE, 400, single(id="00" * 15)),
        "id upper": (SINGLE, 400, single(id="AB" * 16)),
        "id blank": (SINGLE, 400, single(id="ab " * 10 + "ab")),
        "id text": (SINGLE, 400, single(id=CANARY * 2)),
        "id number": (SINGLE, 400, single(id=7)),
        "id not ASCII": (SINGLE, 400, single(id="\u0661" * 32)),
        "report value >= k": (SINGLE, 400, single(report="BgU")),
        "report padding bits": (SINGLE, 400, single(report="AiU")),
        "report short": (SINGLE, 400, single(report="Ag")),
        "report long": (SINGLE, 400, single(report="AgUA")),
        "report padded": (SINGLE, 400, single(report="AgU=")),
        "report of fill": (SINGLE, 400, single(report="Ag=")),
        "id twice": (SINGLE, 400, b'{"id":"' + b"0" * 32 + b'",' + single()[1:]),
        "report twice": (SINGLE, 400, b'{"report":"AgU",' + single()[1:]),
        "report not canonical": (SINGLE, 400, single(report="AgV")),
        "report standard alphabet": (SINGLE, 400, single(report="A+/")),
        "report not ASCII": (SINGLE, 400, single(report="Ag\u00e9")),
        "report blank": (SINGLE, 400, single(report="A U")),
        "report empty": (SINGLE, 400, single(report="")),
        "report null": (SINGLE, 400, single(report=None)),
        "report number": (SINGLE, 400, single(report=2)),
        "report true": (SINGLE, 400, single(report=True)),
        "report canary": (SINGLE, 400, single(report=CANARY)),
        "oversized": (SINGLE, 413, single(report=CANARY * 1000)),
        "batch of nothing": (BATCH, 400, batch()),
        "batch in single": (SINGLE, 400, batch(*fresh)),
        "one bad id": (BATCH, 400, batch(*fresh, {**good, "id": CANARY})),
        "one bad report": (BATCH, 400, batch(*fresh, {**good, "report": "BgU"}, *fresh)),
        "one bad padding": (BATCH, 400, batch({**good, "report": "AiU"}, *fresh)),
        "one unknown field": (BATCH, 400, batch(*fresh, {**good, CANARY: 1})),
        "one id twice": (BATCH, 400, batch(*fresh).replace(b'"id": ', b'"id": "00", "id": ', 1)),
        "reports twice": (BATCH, 400, b'{"reports":[],' + batch(*fresh)[1:]),
        "one null": (BATCH, 400, batch(*fresh, None)),
        "batch fingerprint": (BATCH, 409, batch(*fresh, fingerprint="0" * 64)),
        "batch too many": (BATCH, 400, batch(*[good] * 10_001)),
        "batch too large": (BATCH, 413, batch(*fresh, fingerprint=CANARY * 120_000)),
    }


NAMES = list(_cases("", {"id": "", "report": "AgU"}))


@pytest.fixture(scope="module")
def running(tmp_path_factory, tea):
    database = tmp_path_factory.mktemp("bad") / "collector.sqlite3"
    with BackgroundCollector([tea], database) as collector:
        yield collector, database


def _unharmed(api, database, caplog, answer) -> None:
    error = answer.json["error"]
    assert set(error) == {"type", "argument", "rule", "remedy", "message"}
    assert error["type"].endswith("Error")
    assert api.n() == 0
    written = b"".join(path.read_bytes() for path in database.parent.iterdir())
    logged = " ".join(str(vars(record)) for record in caplog.records)
    for place in (answer.body, written, logged.encode(), str(answer.headers).encode()):
        assert CANARY.encode() not in place
    assert b"Traceback" not in answer.body
    assert not caplog.records


@pytest.mark.parametrize("name", NAMES)
def test_refused_with_a_typed_error_and_nothing_stored(name, running, connect, tea, item, caplog):
    caplog.set_level(logging.DEBUG)
    collector, database = running
    api = connect(collector.url)
    path, status, body = _cases(tea.fingerprint, item())[name]
    answer = api.post(path, body)
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    _unharmed(api, database, caplog, answer)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/json; charset=latin-1"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": CANARY}, 415),
        ({"content-type": ""}, 415),
        ({"content-encoding": "gzip"}, 415),
    ],
)
def test_other_media_are_refused(headers, status, running, connect, message, caplog):
    collector, database = running
    api = connect(collector.url)
    given = {"content-type": "application/json"} | headers
    answer = api.request("POST", SINGLE, json.dumps(message()), given)
    assert answer.status == status
    _unharmed(api, database, caplog, answer)


@cases(
    "method, path, status",
    [
        ("GET", "/api/collections/" + CANARY, 404),
        ("POST", f"/api/collections/{CANARY}/reports", 404),
        ("GET", f"/api/collections/{CANARY}/results", 404),
        ("GET", f"/a/b/c/{CANARY}", 404),
        ("GET", f"/static/{CANARY}", 404),
        ("GET", "/static/../collector/app.py", 404),
        ("GET", "/static/%2e%2e/collector/app.py", 404),
        ("GET", "/api/collections/", 404),
        ("GET", SINGLE, 405),
        ("DELETE", "/api/collections/tea", 405),
        ("PUT", BATCH, 405),
        ("PROPPATCH", "/", 405),
        ("GET", f"/api/collections/tea/results?confidence={CANARY}", 400),
        ("GET", "/api/collections/tea/results?confidence=NaN", 400),
        ("GET", "/api/collections/tea/results?confidence=inf", 400),
        ("GET", "/api/collections/tea/results?confidence=0", 400),
        ("GET", "/api/collections/tea/results?confidence=1", 400),
        ("GET", "/api/collections/tea/results?confidence=1.0", 400),
        ("GET", "/api/collections/tea/results?confidence=-0.5", 400),
        ("GET", "/api/collections/tea/results?confidence=0.9_5", 400),
        ("GET", "/api/collections/tea/results?confidence=0.0", 400),
        ("GET", "/api/collections/tea/results?confidence=", 400),
        ("GET", "/api/collections/tea/results?confidence=.9&confidence=.8", 400),
        ("GET", f"/api/collections/tea/results?target={CANARY}", 400),
        ("GET", f"/api/collections/tea/results?{CANARY}=1", 400),
        ("GET", "/api/collections/tea/results?&&", 400),
        ("GET", "/api/collections/tea/results?target=%ff", 400),
        ("GET", f"/api/collections/tea/counts?{CANARY}=1", 400),
        ("GET", "/api/collections/tea/results?" + "&".join(f"a{i}=1" for i in range(9)), 400),
    ],
)
def test_wrong_addresses_methods_and_queries(method, path, status, running, connect, caplog):
    collector, database = running
    api = connect(collector.url)
    answer = api.request(method, path)
    assert answer.status == status, answer.body
    assert status != 405 or answer.headers["allow"]
    _unharmed(api, database, caplog, answer)


def test_oversized_body_is_refused_before_it_is_read(running):
    parts = urlsplit(running[0].url)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as client:
        client.sendall(
            f"POST {BATCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "Content-Length: 1000000000000\r\n\r\n{".encode()
        )
        assert client.recv(200).startswith(b"HTTP/1.1 413 ")


def test_endless_chunks_are_refused(running):
    parts = urlsplit(running[0].url)
    chunk = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    sent = 0
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as client:
        client.sendall(
            f"POST {SINGLE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n".encode()
        )
        try:
            while sent < 1 << 30:
                client.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
    assert sent < 64 << 20


def test_unexpected_failure_tells_nothing(tea, database, connect, monkeypatch, caplog):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr("sudare.collector.results.results_json", fail)
    with BackgroundCollector([tea], database) as collector:
        answer = connect(collector.url).get("/api/collections/tea/results")
    assert answer.status == 500
    assert answer.json["error"]["type"] == "InternalError"
    assert CANARY.encode() not in answer.body
    assert b"content-security-policy" in str(answer.headers).encode()
    assert "RuntimeError" in caplog.text
    assert CANARY not in caplog.text
    assert "Traceback" not in caplog.text


def test_collections_must_be_some_and_distinct(tea, database):
    for wrong in ([], [tea, tea]):
        with pytest.raises(CollectionError):
            BackgroundCollector(wrong, database)


@cases("text", ["AA=", "A==", "===", "AAA"])
def test_fill_never_stands_for_bytes(text):
    two = Collection.from_toml(
        '[collection]\nname = "two"\nepsilon = 1.0\npublish_at = 1\n'
        + "".join(
            f'[[question]]\nid = "q{i}"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
            for i in range(2)
        )
    )
    body = json.dumps({"fingerprint": two.fingerprint, "id": "0" * 32, "report": text}).encode()
    if text == "AAA":
        assert Decoder(two).single(body) == (bytes(16), bytes(2), None)
        return
    with pytest.raises(Refusal):
        Decoder(two).single(body)


@pytest.mark.parametrize(
    "clock", [datetime.now, lambda: None, lambda: 0], ids=["naive", "none", "number"]
)
def test_a_clock_without_a_zone_is_refused(tea, database, clock):
    with pytest.raises(DomainError, match="time zone"):
        BackgroundCollector([tea], database, clock=clock)


@pytest.mark.parametrize("wrong", ["survey.toml", ["survey.toml"], 5, [None]])
def test_collections_are_collections(database, tea, wrong):
    for given in (wrong, tea):
        with pytest.raises(WrongTypeError, match="list of collections"):
            BackgroundCollector(given, database)


def test_settings_that_name_nothing_are_refused(database):
    with pytest.raises(CollectionError, match="at least one"):
        BackgroundCollector(None, database)
