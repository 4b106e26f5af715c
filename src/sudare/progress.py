"""How long work tells of its progress: an iterable goes in, the same items come out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Progress(Protocol):
    """Yields the items of ``items`` and may show how far it has come.

    ``total`` is the number of items, ``what`` a word or two for the reader.
    """

    def __call__(self, items: Iterable[T], total: int, what: str) -> Iterable[T]:
        """Return the items."""
        ...


def no_progress(items: Iterable[T], total: int, what: str) -> Iterable[T]:
    """Return the items and show nothing.

    Examples:
        >>> list(no_progress("ab", 2, "letters"))
        ['a', 'b']
    """
    return items
