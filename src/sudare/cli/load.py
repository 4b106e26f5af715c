"""Answer a survey of your own as n respondents, each with a device of its own and answers drawn by
lot, and say how fast the collector took them: beside a request that does nothing, and one by
one beside batches. The answers count: use a survey that is made for it.

example: sudare load http://127.0.0.1:8750/tea -n 10000
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sudare.cli import console, options
from sudare.cli.answering import Answers, HonestReports, collector_of
from sudare.collection import Collection
from sudare.collection.upload import fetch
from sudare.definitions import load
from sudare.errors import CollectionError, DomainError, StorageError, counted

BATCH = 1_000
NOTHING = 1_000
"""Requests that do nothing, to compare with."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("url", help="the survey's page, such as http://127.0.0.1:8750/tea")
    add("-n", type=int, default=1_000, help="respondents")
    add("--connections", type=int, default=16, help="requests under way at once")
    add("--answers", metavar="answers.json", help="what they answer (default: drawn uniformly)")
    add("--batch", action="store_true", help=f"send batches of {BATCH:,} instead of single reports")
    add("--allow-remote", action="store_true", help="the collector runs on another machine")
    add("--seed")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Send and measure."""
    _check(arguments.n, "-n", 1_000_000)
    _check(arguments.connections, "--connections", 500)
    base, name = collector_of(arguments.url, allow_remote=arguments.allow_remote)
    collection = Collection.from_compiled(fetch(base, f"/api/v1/collections/{name}"))
    if collection.invited:
        raise CollectionError("collection", "must admit everybody", "invites are for people")
    sender = Sender(base, arguments.connections)
    nothing = sender.send(iter([("GET", "/healthz", None, 1)] * NOTHING))
    requests = list(_requests(arguments, collection))
    every = console.progress(requests, len(requests), "answering", quiet=arguments.json)
    found = sender.send(iter(every))
    _print(arguments, collection, nothing, found)


Request = tuple[str, str, bytes | None, int]
"""Method, path, body, and how many reports it brings."""


@dataclass
class Measured:
    """What a number of requests took.

    Attributes:
        reports: how many were acknowledged.
        seconds: from the first to the last answer.
        statuses: how many answers had each status; 0 where the connection broke.
        each: the seconds of each request.
    """

    reports: int = 0
    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    each: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Reports a second."""
        return self.reports / self.seconds if self.seconds else 0.0


class Sender:
    """Several connections that are kept, each in a thread.

    Args:
        base: address of the collector.
        connections: how many.
    """

    def __init__(self, base: str, connections: int) -> None:
        parts = urlsplit(base)
        self._kind: Callable[..., http.client.HTTPConnection] = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._place = (parts.hostname, parts.port)
        self._path = parts.path.rstrip("/")
        self._connections = connections

    def send(self, requests: Iterator[Request]) -> Measured:
        """Send all, and return what they took.

        Raises:
            StorageError: not one was answered.
        """
        found, lock = Measured(), threading.Lock()

        def work() -> None:
            connection = self._kind(*self._place, timeout=60)
            while True:
                with lock:
                    request = next(requests, None)
                if request is None:
                    connection.close()
                    return
                start = time.perf_counter()
                status = self._ask(connection, request)
                spent = time.perf_counter() - start
                with lock:
                    found.statuses[status] += 1
                    found.each.append(spent)
                    if status in (200, 202):
                        found.reports += request[3]

        threads = [threading.Thread(target=work) for _ in range(self._connections)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found.seconds = time.perf_counter() - start
        if set(found.statuses) == {0}:
            raise StorageError("collector", "cannot be reached", "look at the address")
        return found

    def _ask(self, connection: http.client.HTTPConnection, request: Request) -> int:
        method, path, body, _ = request
        try:
            connection.request(
                method, self._path + path, body, {"Content-Type": "application/json"}
            )
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return 0
        return answer.status


def _answers(path: str | None) -> Answers:
    return load(path, "--answers", _read, DomainError) if path else {}


def _read(text: str) -> Answers:
    rule = "must be a JSON object of lists of [answer, weight], by question"
    try:
        told = json.loads(text)
        return {name: [(one, float(weight)) for one, weight in own] for name, own in told.items()}
    except (ValueError, TypeError, AttributeError):
        raise DomainError(
            "--answers", rule, 'such as {"tea": [["green", 3], ["black", 1]]}'
        ) from None


def _requests(arguments: argparse.Namespace, collection: Collection) -> Iterator[Request]:
    honest = HonestReports(collection, options.entropy(arguments.seed), _answers(arguments.answers))
    path = f"/api/v1/collections/{collection.name}/reports"
    size = BATCH if arguments.batch else 1
    starts = range(0, arguments.n, size)
    for start in console.progress(starts, len(starts), "randomising", quiet=arguments.json):
        number = min(size, arguments.n - start)
        bodies = [honest.submission().to_json() for _ in range(number)]
        if not arguments.batch:
            yield "POST", path, json.dumps(bodies[0]).encode(), 1
            continue
        reports = [{"id": body["id"], "report": body["report"]} for body in bodies]
        told: dict[str, Any] = {
            name: bodies[0][name] for name in ("fingerprint", "round") if name in bodies[0]
        }
        batch: dict[str, Any] = {**told, "reports": reports}
        yield "POST", f"{path}/batch", json.dumps(batch).encode(), number


def _print(
    arguments: argparse.Namespace, collection: Collection, nothing: Measured, found: Measured
) -> None:
    said: dict[str, Any] = {
        "collection": collection.name,
        "n": arguments.n,
        "connections": arguments.connections,
        "acknowledged": found.reports,
        "statuses": {str(status): number for status, number in sorted(found.statuses.items())},
        "seconds": round(found.seconds, 3),
        "reports_a_second": round(found.rate, 1),
        "nothing_a_second": round(nothing.rate, 1),
        "ratio": round(found.rate / nothing.rate, 3) if nothing.rate else None,
        "milliseconds": {
            "median": round(1e3 * statistics.median(found.each), 2),
            "most": round(1e3 * max(found.each), 2),
        },
    }
    if arguments.json:
        console.print_json(said)
        return
    screen = console.out()
    screen.print(
        f"{found.reports:,} of {counted(arguments.n, 'report')} acknowledged in "
        f"{found.seconds:.1f} s: "
        f"{found.rate:,.0f} a second"
    )
    screen.print(
        f"  {said['ratio']} of the rate of requests that do nothing ({nothing.rate:,.0f} a second, "
        "this machine asking)"
    )
    screen.print(
        f"  a request took {said['milliseconds']['median']} ms (median), at most "
        f"{said['milliseconds']['most']} ms"
    )
    for status, number in sorted(found.statuses.items()):
        if status not in (200, 202):
            what = f"were refused with {status}" if status else "had no answer"
            screen.print(f"  {counted(number, 'request')} {what}")


def _check(value: int, option: str, most: int) -> None:
    if not 1 <= value <= most:
        raise DomainError(option, f"must be 1 to {most:,}", "such as 1000", got=value)
