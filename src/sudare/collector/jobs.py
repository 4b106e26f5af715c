"""What the store's threads are asked, and how futures are settled."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from typing import Any

from sudare.collector.database import Reader
from sudare.collector.faults import log_fault
from sudare.errors import StorageError, SudareError


class StoreUnavailable(StorageError):  # noqa: N818 - a state that passes, told to clients as 503
    """The store cannot take or give anything right now: nothing was stored, try again later."""

    def __init__(self, why: str) -> None:
        super().__init__("store", why, "send the same report again in a few seconds")


@dataclass(slots=True, eq=False)
class Job:
    """A question that only one of the store's threads can answer, with its connection."""

    run: Callable[[Any], Any]
    future: Future[Any]

    def answer(self, connection: Reader) -> None:
        """Run it and resolve its future, whichever way it went."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.run(connection))
        except sqlite3.Error as error:
            log_fault("a read", error)
            self.future.set_exception(StoreUnavailable("cannot use its disk"))
        except Exception as error:  # noqa: BLE001 - handed to the one who asked
            self.future.set_exception(error)

    def refuse(self) -> None:
        """Say that nobody answers it any more."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(StoreUnavailable("is closed"))


def settle(future: asyncio.Future[None] | Future[None], failure: SudareError | None) -> None:
    """Resolve a submission's future, unless it was cancelled."""
    with contextlib.suppress(InvalidStateError, asyncio.InvalidStateError):
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(failure)
