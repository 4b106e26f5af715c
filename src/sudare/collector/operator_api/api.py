"""The operators' API: what its calls work with, and how each of them is served."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec
from starlette.types import Receive, Scope, Send

from sudare.collection import Collection
from sudare.collector.answers import respond
from sudare.collector.body import BodyReader
from sudare.collector.database import Place
from sudare.collector.faults import log_fault
from sudare.collector.operator_api.authentication import Authentication
from sudare.collector.operator_api.endpoints import Endpoint
from sudare.collector.operator_api.opening import open_register, uploaded
from sudare.collector.operator_api.request import OperatorRequest, OperatorResponse
from sudare.collector.operator_api.single_sign_on import SingleSignOn
from sudare.collector.operator_view import OperatorView, own_view
from sudare.collector.results import Results, pairs_of
from sudare.collector.service import Service
from sudare.collector.settings import Settings
from sudare.errors import (
    CollectionError,
    DomainError,
    MissingExtraError,
    StorageError,
    SudareError,
)
from sudare.operators import Audit, Register, Texts, Tokens
from sudare.operators.tokens import NotAllowedError
from sudare.refusal import Refusal, unavailable
from sudare.release.api.service import Queries
from sudare.request_json import read_json

THREADS = 4
WAITING = 32
"""Calls that may wait for a thread."""

MOST_BYTES = 1 << 20
"""Of a body: a survey file is far smaller."""

LEARN_SECONDS = 1.0
"""How often it is looked whether another process has changed what is served, or who sees it."""

PATIENCE = 60.0
"""Seconds that a call waits for the service."""

T = TypeVar("T")


class OperatorAPI:
    """What operators work with.

    Args:
        service: what is served.
        results: works out figures.
        database: the collector's.
        settings: of the server.
        files: for the name of each collection that the server's own file defines that file's
            name; empty where it has none.
        taken: names that no collection may have.
        queries: held data that is asked here, whose budgets are shown.

    Raises:
        DomainError, MissingExtraError: people cannot sign in as the settings say.
    """

    def __init__(
        self,
        service: Service,
        results: Results,
        database: Place,
        settings: Settings,
        *,
        files: Mapping[str, str],
        taken: frozenset[str],
        queries: Queries | None = None,
    ) -> None:
        self.service, self.results, self.database = service, results, database
        self.files, self.taken, self.queries = files, taken, queries
        self._settings = settings
        self.elsewhere = SingleSignOn.of(settings, service.clock)
        self.reader = BodyReader(8 << 20)
        self._waiting = 0
        self._changes = -1
        self._adopted: dict[str, str] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._register: Register | None = None

    # -- beginning and end -------------------------------------------------------------------

    async def open(self) -> None:
        """Begin: the store is open."""
        self._loop = asyncio.get_running_loop()
        self._threads = ThreadPoolExecutor(THREADS, "sudare-operators")
        self._signing = ThreadPoolExecutor(1, "sudare-signing")
        self._learning = ThreadPoolExecutor(1, "sudare-learning")  # calls wait for what is learnt
        self._register = await asyncio.to_thread(open_register, self.database)
        begun = await asyncio.to_thread(self._register.is_begun)
        self.texts = Texts(self._register)
        self.tokens = Tokens(self._register, self.service.clock)
        self.audit = Audit(self._register, self.service.clock)
        self.door = Authentication(
            self._register,
            self.service.clock,
            origin=self._settings.origin,
            hours=self._settings.session_hours,
            people=None if self.elsewhere is None else self.elsewhere.people,
        )
        if begun:
            await asyncio.to_thread(self.door.sessions.end_unfounded)
        if self.elsewhere is not None:
            self.flows = self.elsewhere.flows(self._register)
        await self.learn()

    async def close(self) -> None:
        """Close the register once nobody uses it; calls that are being served have ended."""
        for threads in (self._threads, self._signing, self._learning):
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)
        if self._register is not None:
            self._register.close()
            self._register = None

    async def watch(self) -> None:
        """Learn what other processes change, for ever."""
        while True:
            await asyncio.sleep(LEARN_SECONDS)
            try:
                await self.learn()
            except Exception as error:  # noqa: BLE001 - tried again; everything else goes on
                log_fault("a look at what operators have changed", error)

    async def learn(self) -> None:
        """Serve what operators have published, and show results to whom they say."""
        if await self._aside(self.texts.changes) == self._changes:
            return
        known = await self._aside(self.texts.known)
        self.service.visibilities = dict(known.visibilities)
        for collection in await self._aside(lambda: uploaded(known.served, self.files)):
            text = known.served[collection.name]
            if self._adopted.get(collection.name) != text:
                await self.service.adopt(collection)
                self._adopted[collection.name] = text
        self._changes = known.changes

    async def _aside(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._learning, work)

    def relearn(self) -> None:
        """Learn at once what this process has changed; called in a thread."""
        self.on_loop(self.learn())
        self.on_loop(self.service.refresh())

    def on_loop(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine of the service comes to; called in a thread."""
        if self._loop is None:
            raise RuntimeError("the API was not opened")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    # -- calls -------------------------------------------------------------------------------

    async def serve(self, offer: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a call: let its sender in, look at their scopes, do it.

        Raises:
            Refusal: it is refused, and nothing was done.
        """
        visitor = await self.in_thread(lambda: self.door.enter(scope))
        name = scope["path_params"].get("name")
        if not visitor.rights.may(offer.scope):
            error = NotAllowedError("scope", f"must be {offer.scope}", "ask for another token")
            raise Refusal(403, error)
        if name is not None and not visitor.rights.covers(name):
            raise unknown()
        if "\0" in scope["path"]:  # PostgreSQL has no such text: it is not looked for
            raise unknown()
        known = tuple(one["name"] for one in offer.query)
        call = OperatorRequest(visitor, scope, query=pairs_of(scope["query_string"], known))
        if offer.method in ("POST", "PUT"):
            call.body = decoded(await self.reader.read(scope, receive, MOST_BYTES))
        answer = await self.in_thread(lambda: self._answer(offer, call))
        await deliver(send, answer)

    def note(self, call: OperatorRequest, act: str, **detail: object) -> None:
        """Put an act into the record, before it is done."""
        self.audit.add(call.rights, act, call.name, detail, via=call.visitor.via)
        call.noted = True

    def _answer(self, offer: Endpoint, call: OperatorRequest) -> OperatorResponse:
        try:
            found = offer.serve(self, call)
        except (SudareError, Refusal) as error:
            if call.noted:
                reason = error.error if isinstance(error, Refusal) else error
                refused = {"refused": type(reason).__name__}
                via = call.visitor.via
                self.audit.add(call.rights, "refused", call.name, refused, via=via)
            if isinstance(error, Refusal):
                raise
            raise refusal_of(error) from error
        return found if isinstance(found, OperatorResponse) else OperatorResponse(found)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Work in a thread: the register is a file, and reports must not wait for it."""
        if self._waiting == WAITING:
            raise unavailable(DomainError("operators", "ask too much at once", "ask again later"))
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    async def in_turn(self, work: Callable[[], T]) -> T:
        """Work in the thread of those whom a provider sends back, who keep nobody else waiting."""
        return await asyncio.get_running_loop().run_in_executor(self._signing, work)

    # -- what calls share --------------------------------------------------------------------

    def served(self, name: str) -> Collection | None:
        """Return a collection that the service has and its owner has not deleted."""
        found = self.service.collections.get(name)
        return None if found is None or self.service.stage(found) == "deleted" else found

    def view(self, collection: Collection) -> OperatorView:
        """Return everything that is stored of a collection, beside what is public."""
        return own_view(collection, self.database)

    def collection(self, call: OperatorRequest) -> Collection:
        """Return the collection that a call names.

        Raises:
            Refusal: 404 where it is not served, or not yet, or no more.
        """
        found = self.served(call.name or "")
        if found is None:
            raise self.missing(call.name or "")
        return found

    def missing(self, name: str) -> Refusal:
        """Return the refusal of a collection that is not there; one that was deleted says so."""
        versions = self.service.store.versions(name)
        if any(self.service.stage(one) == "deleted" for one in versions):
            rule = "was deleted by its owner"
            return Refusal(404, CollectionError("collection", rule, "see the list"))
        return unknown()


async def deliver(send: Send, answer: OperatorResponse) -> None:
    """Send an answer."""
    body = answer.body if isinstance(answer.body, bytes) else msgspec.json.encode(answer.body)
    await respond(send, 200, body, answer.headers)


def unknown() -> Refusal:
    """Return the refusal of a collection that is not there, or not for this operator."""
    return Refusal(404, CollectionError("collection", "is not known here", "see the list"))


def decoded(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; an empty one of nothing.

    Raises:
        Refusal: 400 where it is none.
    """
    with contextlib.suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        found: Any = read_json(body) if body else {}
        if isinstance(found, dict):
            return found
    raise Refusal(400, DomainError("body", "must be a JSON object", "such as {}"))


def refusal_of(error: SudareError) -> Exception:
    """Return how an error of the library is told."""
    if isinstance(error, MissingExtraError):
        return Refusal(501, error)
    if isinstance(error, StorageError):
        return unavailable(error)
    if isinstance(error, NotAllowedError):
        return Refusal(403, error)
    stage = isinstance(error, CollectionError) and error.argument == "collection"
    return Refusal(409 if stage else 400, error)
