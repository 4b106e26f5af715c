"""A survey file as its respondents will see it, served to its owner: nothing can be sent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sudare.collection import Collection
from sudare.collector.answers import respond
from sudare.collector.guard import Guard
from sudare.collector.pages import Pages, not_found
from sudare.collector.server import CollectorServer, listen
from sudare.errors import SudareError
from sudare.refusal import Refusal


def preview_app(path: str | Path) -> Starlette:
    """Return the preview of a survey file as an ASGI application.

    The file is read again for every page: a change is seen after a reload, and what is wrong with
    it is said there. The page has no address to send a report to.

    Args:
        path: of the survey file, a draft or not.
    """
    find = partial(_read, path)
    pages = Pages(find)

    async def compiled(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, msgspec.json.encode(find("", "").compiled()))

    app = Starlette(
        middleware=[Middleware(Guard)],
        routes=[
            Route("/", _Whole(pages.preview), methods=["GET"]),
            Route("/preview.json", _Whole(compiled), methods=["GET"]),
            Route("/static/{path:path}", _Whole(pages.static), methods=["GET"]),
        ],
        exception_handlers={HTTPException: _refuse},
    )
    app.router.redirect_slashes = False
    return app


def preview(
    path: str | Path,
    host: str = "127.0.0.1",
    port: int = 0,
    on_ready: Callable[[str], object] = str,
) -> None:
    """Serve the preview of a survey file until interrupted.

    Args:
        path: of the survey file.
        host: the address to listen at.
        port: 0 takes a free one.
        on_ready: called with the page's address once it can be opened.

    Raises:
        SudareError: the file is refused as it stands now.
        DomainError: the address cannot be listened at.
    """
    Collection.load(path)
    server = CollectorServer(preview_app(path), listen(host, port), on_ready)
    with suppress(KeyboardInterrupt):
        server.serve_until_stopped()


class _Whole:
    """An ASGI application that a route takes as it is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _read(path: str | Path, name: str, version: str) -> Collection:
    try:
        return Collection.load(path)
    except SudareError as error:
        raise Refusal(400, error) from error


async def _refuse(request: Request, error: Exception) -> Response:
    raise not_found()
