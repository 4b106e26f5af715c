"""Several threads for large arrays: NumPy and AES let go of Python's lock while they compute.

``SUDARE_THREADS`` says how many at most: 1 for none, not set for one a processor. What comes out
never depends on it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sudare.errors import DomainError

VARIABLE = "SUDARE_THREADS"

_MOST = 1024
_SWITCH = 1e-4
"""Seconds for which a thread waits for Python's lock before it asks for it. One that computes in
steps of some 10 µs lets go of the lock in each and has it back before the other one wakes: with
Python's 5 ms the other would stand still."""

T = TypeVar("T")
R = TypeVar("R")

_local = threading.local()
_switching = threading.Lock()
_usual: list[float] = []  # the interval to return to, once for each call that shortens it


def threads() -> int:
    """Return how many threads a large piece of work may take now; within one of them 1.

    Raises:
        DomainError: ``SUDARE_THREADS`` is not a whole number from 1 to 1024.
    """
    if getattr(_local, "inside", False):
        return 1
    text = os.environ.get(VARIABLE, "")
    if not text:
        return min(_processors(), _MOST)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST):
        rule = f"must be a whole number from 1 to {_MOST}"
        raise DomainError(VARIABLE, rule, "1 keeps to one thread", got=text)
    return int(text)


def in_threads(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return what the function gives for each item, in their order, worked out by threads.

    The first error in the order of the items is raised; what has not begun by then never does.

    Examples:
        >>> in_threads(abs, [-3, 1, -2])
        [3, 1, 2]
    """
    many = min(threads(), len(items))
    if many <= 1:
        return [function(item) for item in items]
    out: list[Any] = [None] * len(items)
    failed: list[tuple[int, BaseException]] = []
    left = iter(range(len(items)))

    def work() -> None:
        _local.inside = True
        for i in left:
            try:
                out[i] = function(items[i])
            except BaseException as error:  # noqa: BLE001 - raised below
                failed.append((i, error))
            if failed:
                break
        _local.inside = False

    others = [threading.Thread(target=work, daemon=True) for _ in range(many - 1)]
    with _quick_switches():
        for other in others:
            other.start()
        work()
        for other in others:
            other.join()
    if failed:
        raise min(failed, key=lambda one: one[0])[1]
    return out


def in_threads_ahead(
    function: Callable[[T], R], items: Iterable[T], number: int | None = None
) -> Iterator[R]:
    """Yield what the function gives for each of many items, in their order, a few ahead.

    Args:
        function: works on an item, in a thread.
        items: as many as there are; at most two a thread are taken before the first is yielded.
        number: of threads; None for :func:`threads`.

    Examples:
        >>> list(in_threads_ahead(abs, iter([-3, 1, -2]), 2))
        [3, 1, 2]
    """
    many = threads() if number is None else number
    if many <= 1:
        yield from map(_alone(function), items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    def work(item: T) -> R:
        _local.inside = True  # the thread is this pool's, and ends with it
        return function(item)

    ahead: deque[Future[R]] = deque()
    with _quick_switches(), ThreadPoolExecutor(many, "sudare") as pool:
        try:
            for item in items:
                ahead.append(pool.submit(work, item))
                if len(ahead) >= 2 * many:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for one in ahead:
                one.cancel()


def _alone(function: Callable[[T], R]) -> Callable[[T], R]:
    """Return the function, within which no threads are taken either."""

    def work(item: T) -> R:
        before, _local.inside = getattr(_local, "inside", False), True
        try:
            return function(item)
        finally:
            _local.inside = before

    return work


@contextmanager
def _quick_switches() -> Iterator[None]:
    """Let threads take turns sooner; the last call that ends puts back what was there before."""
    with _switching:
        _usual.append(_usual[0] if _usual else sys.getswitchinterval())
        sys.setswitchinterval(min(_SWITCH, _usual[0]))
    try:
        yield
    finally:
        with _switching:
            usual = _usual.pop()
            if not _usual:
                sys.setswitchinterval(usual)


def _processors() -> int:
    """Return how many processors this process may run on."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
