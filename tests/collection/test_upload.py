"""The client's side of HTTP: whatever answers, it ends in time, with an error of its own."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sudare.collection import upload
from sudare.errors import StorageError, SudareError
from tests.cases import cases

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Say = Callable[[socket.socket], object]


@contextmanager
def answering(say: Say, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """Answer one client after the other by what ``say`` sends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    with client, suppress(OSError):
                        if context is None:
                            say(client)
                        else:
                            with context.wrap_socket(client, server_side=True) as secure:
                                say(secure)

        threading.Thread(target=serve, daemon=True).start()
        scheme = "http" if context is None else "https"
        yield f"{scheme}://localhost:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def whole(body: bytes, status: bytes = b"200 OK") -> Say:
    head = HEAD.replace(b"200 OK", status) + b"Content-Length: %d\r\n\r\n" % len(body)
    return lambda client: (client.recv(1 << 16), client.sendall(head + body))


def dripping(start: bytes, drop: bytes) -> Say:
    """Say something every 20 ms for ever."""

    def say(client: socket.socket) -> None:
        client.sendall(start)
        while True:
            client.sendall(drop)
            time.sleep(0.02)

    return say


SLOW = {
    "nothing": lambda client: time.sleep(3),
    "a head": dripping(HEAD + b"X: ", b"x"),
    "heads": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body": dripping(HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
    "chunks": dripping(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a body without an end": dripping(HEAD + b"\r\n", b" "),
    "a refusal": dripping(b"HTTP/1.1 400 Bad\r\nContent-Length: 100000\r\n\r\n", b" "),
}


@cases("name", SLOW)
def test_all_of_an_answer_has_one_limit_of_time(name: str) -> None:
    with answering(SLOW[name]) as url:
        start = time.monotonic()
        with pytest.raises(StorageError, match="cannot be reached"):
            upload.fetch(url, "/x", timeout=0.3)
        assert 0.25 < time.monotonic() - start < 2.5


def test_who_does_not_read_is_given_up() -> None:
    with answering(lambda client: time.sleep(3)) as url:
        start = time.monotonic()
        with pytest.raises(StorageError, match="cannot be reached"):
            upload._ask("POST", url, "/x", "x" * (64 << 20), 0.3)
        assert time.monotonic() - start < 2.5


def test_an_answer_has_a_limit_of_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "ANSWER_BYTES", 1 << 20)
    block = b"%x\r\n" % (1 << 16) + b" " * (1 << 16) + b"\r\n"
    for say in (
        whole(b" " * (1 << 21)),
        dripping(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", block * 20),
        dripping(HEAD + b"\r\n", block * 20),
        dripping(HEAD + b"Content-Length: 1000000000000\r\n\r\n", block * 20),
    ):
        with answering(say) as url, pytest.raises(StorageError, match="at most 1,048,576 bytes"):
            upload.fetch(url, "/x")
    with answering(whole(b" " * ((1 << 20) - 2) + b"[]")) as url:
        assert upload.fetch(url, "/x") == []


def test_nonsense_is_an_error_of_its_own() -> None:
    deep = b"[" * 200_000
    for body in (b"", b"{", deep, b"\xff", b'{"error": ' + deep):
        for status in (b"200 OK", b"400 Bad", b"503 Busy"):
            with answering(whole(body, status)) as url, pytest.raises(SudareError):
                upload.fetch(url, "/x")
    odd = [[], 1, {"argument": []}, {"rule": 7, "remedy": None}, {"rule": "x" * 10**6}]
    for error in odd:
        with answering(whole(json.dumps({"error": error}).encode(), b"400 Bad")) as url:
            with pytest.raises(SudareError) as caught:
                upload.fetch(url, "/x")
            assert len(str(caught.value)) < 2000


def test_https_is_verified_and_has_the_same_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made += ["-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made += ["-keyout", str(key), "-out", str(certificate), "-days", "2"]
    subprocess.run(made, check=True, capture_output=True)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    with answering(whole(b'{"a": 1}'), server) as url:
        with pytest.raises(StorageError, match="cannot be reached"):
            upload.fetch(url, "/x")  # nobody vouches for it
        trusting = ssl.create_default_context
        monkeypatch.setattr(
            upload.ssl, "create_default_context", lambda: trusting(cafile=str(certificate))
        )
        assert upload.fetch(url, "/x") == {"a": 1}
        with pytest.raises(StorageError):
            upload.fetch(url.replace("localhost", "127.0.0.1"), "/x")
    for say in (dripping(HEAD + b"X: ", b"x"), dripping(HEAD + b"\r\n", b" ")):
        start = time.monotonic()
        with answering(say, server) as url, pytest.raises(StorageError):
            upload.fetch(url, "/x", timeout=0.3)
        assert time.monotonic() - start < 2.5
    with answering(SLOW["nothing"]) as url, pytest.raises(StorageError):  # a handshake that stays
        upload.fetch(url.replace("http:", "https:"), "/x", timeout=0.3)
