"""From a device to a collector: plain HTTP, one submission or a batch, safe to repeat."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from sudare.collection.submission import Submission
from sudare.errors import CollectionError, ReportError, StorageError, WrongTypeError

BATCH_LIMIT = 10_000

API = "/api/v1"
"""What the addresses of a collector's API start with; those of 0.1 start with ``/api``."""


ANSWER_BYTES = 32 << 20
"""The longest answer that is read: that of results with many tables is some MB."""


def send(url: str, submission: Submission, *, timeout: float = 30.0) -> None:
    """Post one submission; return when the collector has it on disk.

    Args:
        url: address of the collector, such as ``https://survey.example``.
        timeout: seconds after which it is given up, however slowly an answer comes.

    Raises:
        StorageError: the collector cannot be reached or is overloaded: send it again later
            (the id makes that safe).
        ReportError, CollectionError: the collector refused it for good.
    """
    _check(submission)
    _post(url, f"{API}/collections/{submission.name}/reports", submission.to_json(), timeout)


def send_batch(url: str, submissions: Sequence[Submission], *, timeout: float = 60.0) -> None:
    """Post up to 10,000 submissions of one collection: all are stored, or none.

    For people who gather reports from several devices (a tablet at a stand, a simulation), where
    everybody is admitted: reports under invites are sent one by one.
    """
    if not submissions:
        return
    for submission in submissions:
        _check(submission)
    if len(submissions) > BATCH_LIMIT:
        raise ReportError("submissions", f"must be at most {BATCH_LIMIT}", "send several batches")
    first = submissions[0]
    if any(s.fingerprint != first.fingerprint for s in submissions):
        raise CollectionError("submissions", "must be of one collection", "send them apart")
    if any(submission.invite is not None for submission in submissions):
        raise ReportError("submissions", "must be sent one by one, each with its invite")
    if any(submission.round != first.round for submission in submissions):
        raise CollectionError("submissions", "must be of one round", "send them apart")
    bodies = [submission.to_json() for submission in submissions]
    reports = [{"id": body["id"], "report": body["report"]} for body in bodies]
    more = {} if first.round is None else {"round": first.round}
    body = {"fingerprint": first.fingerprint, "reports": reports, **more}
    _post(url, f"{API}/collections/{first.name}/reports/batch", body, timeout)


def ask_tickets(url: str, name: str, fingerprint: str, invite: str) -> dict[str, Any]:
    """Return what the collector says that an invite fixes; nothing is stored there.

    Raises:
        StorageError: the collector cannot be reached or is overloaded, or answers nonsense.
        CollectionError: the invite is unknown or spent, or the collection is another one.
    """
    body = {"fingerprint": fingerprint, "invite": invite}
    text = _post(url, f"{API}/collections/{name}/admission", body, 30.0)
    try:
        tickets = json.loads(text)["tickets"]
    except (ValueError, LookupError, TypeError, RecursionError):
        tickets = None
    if not isinstance(tickets, dict):
        raise StorageError("collector", "must answer with tickets", "look at the address", got=url)
    return tickets


def origin_of(url: object) -> str:
    """Return scheme, host and port of an address, as browsers write them.

    Raises:
        CollectionError: not an http or https address.

    Examples:
        >>> origin_of("HTTPS://Survey.example:443/teas"), origin_of("http://localhost:8000")
        ('https://survey.example', 'http://localhost:8000')
    """
    scheme, host, port, _ = _parts(url)
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[scheme]
    return f"{scheme}://{host}" + ("" if port in (None, usual) else f":{port}")


def _parts(url: object) -> tuple[str, str, int | None, str]:
    """Return scheme, host, port and path of an address."""
    try:
        parts = urlsplit(url if isinstance(url, str) else "")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise CollectionError("url", "must be an http or https address", got=url)
    return parts.scheme, host, port, parts.path.rstrip("/")


def _check(submission: object) -> None:
    if not isinstance(submission, Submission):
        raise WrongTypeError("submission", "must be a Submission", "use Client.answer")


def fetch(url: str, path: str, *, timeout: float = 30.0) -> Any:
    """Return what a collector tells in public, as JSON data.

    Args:
        url: address of the collector.
        path: such as ``/api/v1/collections/tea/results``.
        timeout: seconds after which it is given up, however slowly an answer comes.

    Raises:
        StorageError: the collector cannot be reached or is overloaded, or answers nonsense.
        CollectionError: there is no such thing.
    """
    text = _ask("GET", url, path, None, timeout)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise StorageError(
            "collector", "must answer with JSON", "look at the address", got=url
        ) from None


def _post(url: str, path: str, body: dict[str, Any], timeout: float) -> bytes:
    return _ask("POST", url, path, json.dumps(body), timeout)


def _ask(method: str, url: str, path: str, body: str | None, timeout: float) -> bytes:
    scheme, host, port, base = _parts(url)
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    connection, text = kind(host, port), b""
    try:
        connection.sock = _connect(scheme, host, connection.port, time.monotonic() + timeout)
        connection.request(method, base + path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        while part := answer.read(1 << 16):
            text += part
            if len(text) > ANSWER_BYTES:
                rule = f"must answer with at most {ANSWER_BYTES:,} bytes"
                raise StorageError("collector", rule, "look at the address", got=url)
    except (OSError, UnicodeError, http.client.HTTPException):
        raise StorageError(
            "collector", "cannot be reached", "send the same submission again later", got=url
        ) from None
    finally:
        connection.close()
    if answer.status in (200, 202):
        return text
    if answer.status >= 500 or answer.status == 429:
        raise StorageError("collector", "is busy", "send the same submission again later", got=url)
    refusal = _refusal(text)
    error = ReportError if refusal.get("type") == "ReportError" else CollectionError
    raise error(
        refusal.get("argument", "submission"),
        refusal.get("rule", f"was refused ({answer.status})"),
        refusal.get("remedy", ""),
    )


def _refusal(text: bytes) -> dict[str, str]:
    try:
        error = json.loads(text)["error"].items()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: value[:500] for name, value in error if isinstance(value, str)}


class _Timed:
    """A socket's calls, which together end by a moment: a limit for each lets a peer drip."""

    end: float

    def recv_into(self, *given: Any) -> Any:
        return self._limited().recv_into(*given)

    def send(self, *given: Any) -> Any:
        return self._limited().send(*given)

    def sendall(self, *given: Any) -> Any:
        return self._limited().sendall(*given)

    def _limited(self) -> Any:
        own: Any = self
        own.settimeout(_left(self.end))
        return super()


class _Plain(_Timed, socket.socket):
    pass


class _Secure(_Timed, ssl.SSLSocket):
    pass


def _left(end: float) -> float:
    if (left := end - time.monotonic()) <= 0:
        raise TimeoutError
    return left


def _connect(scheme: str, host: str, port: int, end: float) -> _Plain | _Secure:
    """Return a connection to the first address of a host that takes one.

    Raises:
        OSError: none does.
    """
    failure = OSError("no address")
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM):
        plain = _Plain(family, kind, protocol)
        plain.end = end
        try:
            plain.settimeout(_left(end))
            plain.connect(place)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if scheme == "http":
                return plain
            return _secure(plain, host)
        except OSError as error:
            plain.close()
            failure = error
    raise failure


def _secure(plain: _Plain, host: str) -> _Secure:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    context.sslsocket_class = _Secure
    plain.settimeout(_left(plain.end))  # of the whole handshake
    made = context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    assert isinstance(made, _Secure)  # noqa: S101 - the context makes it
    made.end = plain.end
    try:
        made.do_handshake()
    except BaseException:
        made.close()
        raise
    return made
