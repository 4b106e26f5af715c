"""Connections that never ask for anything: not in the way, and not for ever."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from urllib.parse import urlsplit

import pytest

from sudare.collector import BackgroundCollector, connection_limits, server


@pytest.fixture
def address(tea, database, monkeypatch):
    """A collector that takes 16 connections and waits a second."""
    monkeypatch.setattr(server, "connection_limit", lambda: 16)
    monkeypatch.setattr(server, "WAIT_SECONDS", 1)
    with BackgroundCollector([tea], database) as running:
        parts = urlsplit(running.url)
        yield parts.hostname, parts.port


def _ask(address) -> bytes:
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        return client.recv(200)


@pytest.mark.parametrize("head", [b"", b"GET /health HTTP/1.1\r\nHost"], ids=["silent", "partial"])
def test_idle_connections_keep_nobody_out(address, head):
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            idle = stack.enter_context(socket.create_connection(address, timeout=60))
            idle.sendall(head)
        for _ in range(3):
            assert _ask(address).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("head", [b"", b"GET /health HTTP/1.1\r\nHo"], ids=["silent", "partial"])
def test_a_connection_without_a_request_is_closed(address, head):
    with socket.create_connection(address, timeout=60) as idle:
        start = time.monotonic()
        idle.sendall(head)
        assert idle.recv(1) == b""
        assert time.monotonic() - start > 0.5


def test_trickling_a_head_does_not_prolong_the_wait(address):
    with socket.create_connection(address, timeout=60) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\n")
        with contextlib.suppress(OSError):
            for _ in range(100):
                slow.sendall(b"X: y\r\n")
                time.sleep(0.1)
            pytest.fail("still open after ten seconds")


def test_a_kept_connection_is_served_again(address):
    client = http.client.HTTPConnection(*address, timeout=60)
    client.connect()
    kept = client.sock
    for _ in range(4):
        client.request("GET", "/health")
        assert client.getresponse().read() == b'{"status":"ok"}'
        assert client.sock is kept
        time.sleep(0.4)
    client.close()


def test_the_limit_leaves_files_for_the_database(monkeypatch):
    resource = pytest.importorskip("resource")
    for files, limit in [(64, 32), (256, 192), (65_536, 2_000), (resource.RLIM_INFINITY, 2_000)]:
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert connection_limits.connection_limit() == limit
