"""A collector in a thread of this process: for the demo, for tests, for notebooks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from types import TracebackType

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collector.app import create_app
from sudare.collector.server import CollectorServer, address, listen
from sudare.collector.settings import Settings
from sudare.release.api import Queries


class BackgroundCollector:
    """Run a collector while a ``with`` block lasts.

    Args:
        collections: what is served.
        database: the SQLite file.
        host: the address to listen at.
        port: 0 takes a free one.
        queries: held data sets that are asked under ``/api/v1/datasets``.
        clock: returns an aware datetime.
        settings: everything else.

    Attributes:
        url: where it is reached, without a slash at the end; known inside the block.

    Examples:
        >>> with BackgroundCollector([collection], "tea.sqlite3") as running:   # doctest: +SKIP
        ...     print(running.url)
    """

    def __init__(
        self,
        collections: Iterable[Collection],
        database: str | os.PathLike[str],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        queries: Queries | None = None,
        clock: Callable[[], datetime] = utc_now,
        settings: Settings | None = None,
    ) -> None:
        self._app = create_app(
            collections, database, queries=queries, clock=clock, settings=settings
        )
        self._host = host
        self._port = port
        self._server: CollectorServer | None = None
        self._thread: threading.Thread | None = None
        self.url = ""

    def __enter__(self) -> BackgroundCollector:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start and wait until requests are answered.

        Raises:
            DomainError: the address cannot be listened at.
            StorageError: the service could not start.
        """
        settled = threading.Event()
        failures: list[BaseException] = []
        listener = listen(self._host, self._port)
        self.url = address(listener)
        server = CollectorServer(self._app, listener, lambda url: settled.set())

        def run() -> None:
            try:
                server.serve_until_stopped()
            except BaseException as error:  # noqa: BLE001 - raised again by the one who waits
                failures.append(error)
            finally:
                settled.set()

        thread = threading.Thread(target=run, name="sudare-collector", daemon=True)
        thread.start()
        settled.wait()
        if not server.started:
            thread.join()
            raise failures[0]
        self._server, self._thread = server, thread

    def stop(self) -> None:
        """Stop; everything acknowledged is on disk and folded. A second call does nothing."""
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is not None and thread is not None:
            server.should_exit = True
            thread.join()
