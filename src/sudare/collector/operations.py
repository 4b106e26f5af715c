"""What those who run the service ask: does it live, does it take reports, how much does it do."""

from __future__ import annotations

import contextlib

from starlette.types import ASGIApp, Receive, Scope, Send

from sudare.collector.answers import NO_STORE, respond
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.metrics import Metrics
from sudare.collector.pages import Pages, not_found
from sudare.collector.service import Service

_TEXT = ((b"content-type", b"text/plain; version=0.0.4; charset=utf-8"), *NO_STORE)


class Operations:
    """``GET /health``, ``/healthz``, ``/readyz`` and ``/metrics`` as ASGI applications.

    A collection may have been named ``healthz``, ``readyz`` or ``metrics`` before these were
    there: where one is served, that address stays its page.

    Args:
        service: gives the store.
        pages: have the page of such a collection.
        metrics: the totals; None where they are not offered.
    """

    def __init__(self, service: Service, pages: Pages, metrics: Metrics | None) -> None:
        self._service = service
        self._metrics = metrics
        self.healthz = self._beside("healthz", self._lives, pages)
        self.readyz = self._beside("readyz", self.health, pages)
        self.metrics = self._beside("metrics", self._totals, pages)

    async def health(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell whether reports are taken; 503 with the reason where they are not."""
        if reason := self._service.store.ready.reason:
            raise StoreUnavailable(reason)
        await respond(send, 200, b'{"status":"ok"}')

    async def _lives(self, scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, b'{"status":"ok"}')

    async def _totals(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._metrics is None:
            raise not_found()
        public, ready = 0, False
        with contextlib.suppress(StoreUnavailable):
            store = self._service.store
            collections = self._service.seen()
            public = sum(store.public(one.fingerprint).n for one in collections)
            ready = bool(store.ready)
        await respond(send, 200, self._metrics.text(public=public, ready=ready), _TEXT)

    def _beside(self, name: str, own: ASGIApp, pages: Pages) -> ASGIApp:
        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            if name in self._service.collections:
                scope["path_params"] = {"name": name}
                await pages.survey(scope, receive, send)
            else:
                await own(scope, receive, send)

        return serve
