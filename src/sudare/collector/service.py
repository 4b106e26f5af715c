"""What the routes share: collections and where they stand, the store, the clock."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sudare.collection import Collection
from sudare.collector.faults import log_fault
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.lifecycle import Stage, Standing
from sudare.collector.limits import Limits
from sudare.collector.store_interface import BaseStore
from sudare.collector.versions import SHORT, effective
from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.operators.texts import Visibility
from sudare.refusal import Refusal

REFRESH = 0.5
"""Seconds after which a change of a collection's stage is looked for again."""

_DAY = timedelta(days=1)
_log = logging.getLogger("sudare.collector")


class Service:
    """The state of one running collector.

    Attributes:
        collections: by name, with the times that hold; those that nobody may see are among them.
        clock: returns an aware datetime; decides, with the store, whether a collection is open.
        visibilities: who sees the results of a collection, by name, where it is not everybody.
    """

    def __init__(
        self,
        collections: Iterable[Collection],
        clock: Callable[[], datetime],
        *,
        empty_ok: bool = False,
        limits: Limits | None = None,
    ) -> None:
        now = clock()
        if not isinstance(now, datetime) or now.utcoffset() is None:
            raise DomainError(
                "clock", "must return a datetime with its time zone", "return datetime.now(UTC)"
            )
        self.collections: dict[str, Collection] = {}
        self.clock = clock
        self.limits = limits or Limits()
        self._store: BaseStore | None = None
        self._lives: Mapping[str, tuple[Standing, Any]] = {}
        self._erased: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = {}
        self._looking = asyncio.Lock()
        self.visibilities: Mapping[str, Visibility] = {}
        given = list(collections) if isinstance(collections, Iterable) else [collections]
        if isinstance(collections, Collection) or not all(isinstance(c, Collection) for c in given):
            raise WrongTypeError(
                "collections", "must be a list of collections", "such as [Collection.load(path)]"
            )
        for collection in given:
            if collection.name in self.collections:
                raise CollectionError(
                    "name",
                    "must be unique among the served collections",
                    "rename one",
                    got=collection.name,
                )
            for one in (collection, *collection.rounds):
                self.collections[one.name] = one
        if not self.collections and not empty_ok:
            raise CollectionError("collections", "must be at least one", "give a collection")

    @property
    def store(self) -> BaseStore:
        """Return the open store.

        Raises:
            StoreUnavailable: the application has not started, or has ended.
        """
        if self._store is None:
            raise StoreUnavailable("is closed")
        return self._store

    async def open(self, store: BaseStore) -> None:
        """Serve from this store."""
        self._store = store
        await self.refresh()

    def close(self) -> None:
        """Close the store, with everything queued written."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    # -- life --------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Refresh for ever; what fails is tried again."""
        while True:
            await asyncio.sleep(REFRESH)
            try:
                await self.refresh()
            except StoreUnavailable:
                continue
            except Exception as error:  # noqa: BLE001 - reports are taken and read meanwhile
                log_fault("a look at the stages", error)

    async def refresh(self) -> None:
        """Read where the collections stand, and do what their stages ask for.

        This is the one place where a server learns what its owner's commands, in other processes,
        have changed.
        """
        await self.limits.exchange(self.store)
        for newer in await asyncio.wrap_future(self.store.newer()):
            told = "collection %r is served as another process does: version %s"
            _log.warning(told, newer.name, newer.fingerprint[:SHORT])
            await self.adopt(newer, follow=True)
        async with self._looking:
            lives = await asyncio.wrap_future(self.store.lives())
            if lives != self._lives:
                self._lives = lives
                for name, collection in self.collections.items():
                    self.collections[name] = effective(collection, *lives[collection.fingerprint])
        for name in list(self.collections):
            for version in self.store.versions(name):
                await self._tend(version)

    async def adopt(self, collection: Collection, *, follow: bool = False) -> None:
        """Serve one more collection, or one of them under another definition or other words."""
        async with self._looking:
            for one in (collection, *collection.rounds):
                await asyncio.wrap_future(self.store.adopt(one, follow=follow))
            lives = await asyncio.wrap_future(self.store.lives())
            self._lives = lives
            for one in (collection, *collection.rounds):
                self.collections[one.name] = effective(one, *lives[one.fingerprint])

    async def settle(self, collection: Collection) -> None:
        """Close a collection that is past its end, and bring in line what is public of it."""
        fingerprint = collection.fingerprint
        if self._is_settled(fingerprint):
            return
        async with self._locks.setdefault(fingerprint, asyncio.Lock()):
            if not self._is_settled(fingerprint):
                await self._settle(collection)

    def _is_settled(self, fingerprint: str) -> bool:
        stands, last = self._lives[fingerprint][0], self.store.public(fingerprint).last
        if stands.state == "published":
            return not last and stands.stage(self.clock()) != "closed"
        return last or stands.state in ("draft", "deleted")

    async def _settle(self, collection: Collection) -> None:
        fingerprint = collection.fingerprint
        before, former = self._lives[fingerprint]
        stands = await asyncio.wrap_future(self.store.settle(fingerprint, self.clock()))
        if stands == before:
            return
        self._lives = {**self._lives, fingerprint: (stands, former)}
        if self.collections[collection.name].fingerprint == fingerprint:
            self.collections[collection.name] = effective(collection, stands, former)
        if stands.act == "clock":
            _log.warning(
                "collection %r has ended by this machine's clock, with %s reports public: if that "
                "is too early, look at the clock, then open it again (sudare open)",
                collection.name,
                f"{self.store.public(fingerprint).n:,}",
            )

    async def _tend(self, version: Collection) -> None:
        """Do what a stage asks for: the end of a collection, and what is deleted after it."""
        fingerprint = version.fingerprint
        await self.settle(version)
        stands, _ = self._lives[fingerprint]
        keep = self.collections[version.name].keep_reports_days
        if stands.archived(keep, self.clock()):
            await asyncio.wrap_future(self.store.archive(fingerprint, self.clock()))
            _log.warning("reports of %r are deleted now, its counts stay", version.name)
            return  # erased when it is read next
        gone = stands.state in ("archived", "deleted") and fingerprint not in self._erased
        if gone and await asyncio.wrap_future(self.store.erase(fingerprint)):
            self._erased.add(fingerprint)

    def times(self, collection: Collection) -> tuple[datetime | None, datetime | None]:
        """Return when a collection opens and closes, as it stands."""
        stands, _ = self._lives[collection.fingerprint]
        return stands.opens, stands.closes

    def stage(self, collection: Collection) -> Stage:
        """Return where a collection stands now.

        Raises:
            StoreUnavailable: as :attr:`store`.
        """
        if self._store is None:
            raise StoreUnavailable("is closed")
        stands, _ = self._lives[collection.fingerprint]
        return stands.stage(self.clock())

    # -- finding -----------------------------------------------------------------------------

    def shown(self) -> list[Collection]:
        """Return the collections that everybody may see."""
        hidden = ("draft", "deleted")
        own = (c for c in self.collections.values() if c.round is None)
        return [c for c in own if self.stage(c) not in hidden]

    def rounds(self, collection: Collection) -> list[Collection]:
        """Return the rounds of a collection as they stand; none of one that is asked once."""
        return [self._round(one) for one in collection.rounds]

    def round(self, collection: Collection, number: int) -> Collection:
        """Return one round as it stands: kept since the last look, as each report asks for it."""
        return self._round(collection.rounds[number - 1])

    def _round(self, one: Collection) -> Collection:
        served = self.collections.get(one.name)
        if served is not None and served.fingerprint == one.fingerprint:
            return served
        return effective(one, *self._lives[one.fingerprint])  # of an earlier version

    def listed(self) -> list[Collection]:
        """Return the collections that are shown to those who do not ask for them by name."""
        return [c for c in self.shown() if self.visibility(c.name) == "public"]

    def ended(self) -> list[str]:
        """Return the short fingerprints of what ended or was deleted within the last day.

        Pages hand them to devices, which keep drafts for a day. They name nothing: a survey that is
        not listed stays unknown.
        """
        now, out = self.clock(), []
        for fingerprint, (stands, _) in self._lives.items():
            stage = stands.stage(now)
            since = stands.at if stage == "deleted" else stands.closes
            if stage in ("closed", "archived", "deleted") and since and now - since < _DAY:
                out.append(fingerprint[:SHORT])
        return sorted(out)

    def seen(self) -> list[Collection]:
        """Return the collections whose results everybody may see who asks for them."""
        return [c for c in self.shown() if self.visibility(c.name) != "private"]

    def visibility(self, name: str) -> Visibility:
        """Return who sees a collection's results."""
        return self.visibilities.get(name, "public")

    def find_results(self, name: str, version: str = "") -> Collection:
        """Return a collection whose results everybody may see.

        Raises:
            Refusal: as :meth:`find`, or 403 where they are its owner's alone.
        """
        found = self.find(name, version)
        if self.visibility(name) == "private":
            raise Refusal(
                403, CollectionError("results", "are private", "ask whoever runs the survey")
            )
        return found

    def find(self, name: str, version: str = "") -> Collection:
        """Return a collection that everybody may see.

        Args:
            name: its name.
            version: the first 16 digits of a version's fingerprint, or all; nothing for the one
                that is served.

        Raises:
            Refusal: 404, or 410 where its owner has deleted it.
        """
        served = self.collections.get(name)
        if served is not None and served.round is not None:
            raise _unknown()  # its survey is asked for
        stage = "draft" if served is None else self.stage(served)
        if served is None or stage == "draft":
            raise _unknown()
        if stage == "deleted":
            raise Refusal(
                410, CollectionError("collection", "was deleted by its owner", "nothing is kept")
            )
        if not version or _names(version, served):
            return served
        for one in self.store.versions(name):
            if _names(version, one):
                return effective(one, *self._lives[one.fingerprint])
        raise _unknown()


def _names(version: str, collection: Collection) -> bool:
    return version in (collection.fingerprint, collection.fingerprint[:SHORT])


def _unknown() -> Refusal:
    return Refusal(
        404, CollectionError("collection", "is not known here", "see GET /api/v1/collections")
    )
