"""Words that a client says, wherever it can say something, are found nowhere afterwards."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import pytest
from teas import TEA, eventually

import sudare as sd
from sudare.cli.main import main
from sudare.collection import Collection
from sudare.collector import BackgroundCollector, own_reports
from sudare.collector.backup import back_up
from sudare.collector.settings import Settings

ADDRESS = "127.77.88.99"
LISTS = 'allowed_origins = ["https://www.example.org"]'
SURVEY = TEA.replace('name = "tea"', f'name = "tea"\n{LISTS}')
HEADERS = (
    *("user-agent", "cookie", "referer", "authorization", "x-forwarded-for", "forwarded", "origin"),
    *("accept-language", "if-none-match", "x-real-ip", "from", "idempotency-key", "x-anything"),
)


class Words:
    """A word of its own for each place; how each could be written down."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {"address": ADDRESS}

    def __call__(self, place: str) -> str:
        return self.said.setdefault(place, f"canary{len(self.said):03d}quillfeather")

    def forms(self) -> dict[str, bytes]:
        """Plain, and as base64, hexadecimal and hashes of the whole word."""
        found = {}
        for place, word in self.said.items():
            raw = word.encode()
            found[place] = raw
            found[f"{place}, hexadecimal"] = raw.hex().encode()
            found[f"{place}, base64"] = base64.b64encode(raw).rstrip(b"=")[:-1]
            for name in ("md5", "sha1", "sha256"):
                digest = hashlib.new(name, raw, usedforsecurity=False)
                found[f"{place}, {name}"] = digest.digest()
                found[f"{place}, {name} as text"] = digest.hexdigest().encode()
        found["address, packed"] = bytes(map(int, ADDRESS.split(".")))  # by chance: once in 10^4
        return found


class Told(BaseHTTPRequestHandler):
    """Keeps what webhooks say."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.told.append(bytes(self.headers) + body)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def listener():
    with HTTPServer(("127.0.0.1", 0), Told) as server:
        server.told = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Speaker:
    """Sends canaries in every header, from an address of its own; keeps every answer."""

    def __init__(self, url: str, words: Words) -> None:
        self.host, self.words, self.answers = urlsplit(url).netloc, words, []

    def say(self, method: str, path: str, body: object = None) -> int:
        connection = http.client.HTTPConnection(self.host, timeout=60, source_address=(ADDRESS, 0))
        headers = {name: self.words(name) for name in HEADERS}
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, raw, {"content-type": "application/json"} | headers)
        answer = connection.getresponse()
        self.answers.append(str(answer.getheaders()).encode() + answer.read())
        connection.close()
        return answer.status


def bodies(words: Words, good: dict[str, str]) -> list[object]:
    return [
        words("body").encode(),
        b'{"fingerprint": "\xff' + words("bytes").encode(),
        {**good, "fingerprint": words("fingerprint")},
        {**good, "id": words("id")},
        {**good, "report": words("report")},
        {**good, "invite": words("invite")},
        {**good, words("field"): 1},
        {**good, "answers": {"brand": words("answer")}},
        {"fingerprint": good["fingerprint"], "reports": [{"id": words("item"), "report": "AgU"}]},
        {"fingerprint": good["fingerprint"], "invite": words("admission")},
    ]


def test_no_word_of_a_client_is_anywhere(tmp_path, listener, message, caplog, capfd, monkeypatch):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr("sudare.collector.webhooks.LOOK_SECONDS", 0.05)
    words, found = Words(), {}
    survey = tmp_path / "tea.toml"
    survey.write_text(SURVEY)
    (tmp_path / "store").mkdir()
    database = tmp_path / "store" / "tea.sqlite3"
    told = f"http://127.0.0.1:{listener.server_port}/told"
    hooks = Settings(webhooks=(told,), operators=True, limit=10**6)
    tea = Collection.from_toml(SURVEY)
    with BackgroundCollector([tea], database, settings=hooks) as running:
        speaker = Speaker(running.url, words)
        good = [message() for _ in range(48)]  # of fewer no chart is drawn
        for one in good:
            assert speaker.say("POST", "/api/v1/collections/tea/reports", one) == 202
        for place in ("reports", "reports/batch", "admission", words("place")):
            for body in bodies(words, message()):
                assert 400 <= speaker.say("POST", f"/api/v1/collections/tea/{place}", body) < 500
        for route in running._app.routes:
            path = route.path.replace("{name}", "tea").replace("{path:path}", "css/base.css")
            for method in ("GET", "OPTIONS"):
                speaker.say(method, path)
                speaker.say(
                    method, f"{path}?{words('query')}={words('value')}&lang={words('lang')}"
                )
            odd = route.path.replace("{name}", words("name")).replace("{path:path}", words("file"))
            speaker.say("GET", odd.replace("{id}", words("set")))
        assert speaker.say("GET", f"/{words('path')}") == 404
        session = {"token": words("token")}
        assert 400 <= speaker.say("POST", "/api/v1/operator/session", session) < 500
        monkeypatch.setattr("sudare.collector.results.results_json", fault(words("fault")))
        assert speaker.say("GET", "/api/v1/collections/tea/results?confidence=0.51") == 500
        monkeypatch.undo()
        client = sd.Client(tea, tmp_path / "memo.sqlite3", origin=running.url)
        for answers in ({"brand": words("choice"), "place": "home"}, {words("question"): "home"}):
            with pytest.raises(sd.CollectionError) as refused:
                client.answer(answers)
            found[f"error of {next(iter(answers))[:5]}"] = str(vars(refused.value)).encode()
        eventually(lambda: listener.told)
        back_up(database, tmp_path / "store" / "backup.sqlite3")
        for path in (tmp_path / "store").iterdir():
            found[f"{path.name} while it runs"] = path.read_bytes()
    for path in (tmp_path / "store").iterdir():
        found[path.name] = path.read_bytes()
    assert len(own_reports(tea, database)) == 2 * len(good)
    for what, kind in EXPORTS:
        out = tmp_path / f"{what}{kind}"
        arguments = [str(survey), "--database", str(database), "--out", str(out), "--what", what]
        assert main(["export", *arguments]) in (0, None)
        found[f"export {out.name}"] = out.read_bytes()
    found["log"] = "\n".join(str(vars(one)) for one in caplog.records).encode()
    found["console"] = "".join(capfd.readouterr()).encode()
    found["webhooks"] = b"".join(listener.told)
    for number, answer in enumerate(speaker.answers):
        found[f"answer {number}"] = answer
    assert len(words.said) > 30
    forms = words.forms()
    for place, content in found.items():
        for form, raw in forms.items():
            assert raw not in content, f"the word of the {form} is in: {place}"


EXPORTS = [
    ("figures", ".csv"),
    ("figures", ".json"),
    ("figures", ".svg"),
    ("counts", ".json"),
    ("counts", ".parquet"),
    ("reports", ".parquet"),
]


def fault(word: str):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(word)

    return fail
