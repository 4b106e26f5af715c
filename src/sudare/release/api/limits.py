"""A limit on how often somebody may ask."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable

from sudare.errors import DomainError, WrongTypeError

MOST_KNOWN = 10_000


class Limit:
    """So many requests a minute for each, of which as many as a minute's at once.

    A bucket holds ``a_minute`` requests and refills steadily. Kept in memory, of this process.

    Args:
        a_minute: how many.
        clock: returns seconds, never backwards.

    Raises:
        WrongTypeError, DomainError: no whole number from 1 to a million.

    Examples:
        >>> limit = Limit(2, clock=lambda: 0.0)
        >>> limit.wait("ann"), limit.wait("ann"), limit.wait("ann"), limit.wait("bob")
        (0, 0, 30, 0)
    """

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        if isinstance(a_minute, bool) or not isinstance(a_minute, int):
            raise WrongTypeError("rate", "must be a whole number", "of requests a minute")
        if not 1 <= a_minute <= 10**6:
            raise DomainError("rate", "must be 1 to 1,000,000", "requests a minute", got=a_minute)
        self.a_minute = a_minute
        self._clock = clock
        self._lock = threading.Lock()
        self._left: dict[Hashable, tuple[float, float]] = {}

    def wait(self, who: Hashable) -> int:
        """Count a request; return 0, or after how many whole seconds the next one is taken."""
        now, most = self._clock(), float(self.a_minute)
        with self._lock:
            left, since = self._left.pop(who, (most, now))
            left = min(most, left + (now - since) * most / 60)
            taken = left >= 1
            self._left[who] = (left - 1 if taken else left, now)
            if len(self._left) > MOST_KNOWN:
                self._left.pop(next(iter(self._left)))
        return 0 if taken else max(1, math.ceil((1 - left) * 60 / most - 1e-9))
