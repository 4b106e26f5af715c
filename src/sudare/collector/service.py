"""What the routes share: the collections that are served, the store, the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from sudare.collection import Collection
from sudare.collector.store import Store, StoreUnavailable
from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.refusal import Refusal


class Service:
    """The state of one running collector.

    Attributes:
        collections: by name.
        clock: returns an aware datetime; decides alone whether a collection is open.
    """

    def __init__(
        self,
        collections: Iterable[Collection],
        clock: Callable[[], datetime],
        *,
        empty_ok: bool = False,
    ) -> None:
        now = clock()
        if not isinstance(now, datetime) or now.utcoffset() is None:
            raise DomainError(
                "clock", "must return a datetime with its time zone", "return datetime.now(UTC)"
            )
        self.collections: dict[str, Collection] = {}
        self.clock = clock
        self._store: Store | None = None
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
            self.collections[collection.name] = collection
        if not self.collections and not empty_ok:
            raise CollectionError("collections", "must be at least one", "give a collection")

    @property
    def store(self) -> Store:
        """Return the open store.

        Raises:
            StoreUnavailable: the application has not started, or has ended.
        """
        if self._store is None:
            raise StoreUnavailable("is closed")
        return self._store

    def open(self, store: Store) -> None:
        """Serve from this store."""
        self._store = store

    def close(self) -> None:
        """Close the store, with everything queued written."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def find(self, name: str) -> Collection:
        """Return a collection by its name.

        Raises:
            Refusal: 404.
        """
        try:
            return self.collections[name]
        except KeyError:
            raise Refusal(
                404,
                CollectionError("collection", "is not known here", "see GET /api/collections"),
            ) from None
