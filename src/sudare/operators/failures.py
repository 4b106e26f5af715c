"""A brake on sign-ins that fail: each failure doubles the wait for the next try."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

FREE = 5
"""Failures without a wait."""

MOST_SECONDS = 300

HOUR = 3_600


class Failures:
    """Failed sign-ins, by what they were for: a token's id, or nothing that is known.

    Kept in memory, of this process, and nothing of who it was. A known token has a count of its
    own: whoever guesses at random keeps nobody out whose token's id they do not know.

    Args:
        clock: returns seconds, never backwards.

    Examples:
        >>> failures = Failures(clock=lambda: 0.0)
        >>> waits = []
        >>> for _ in range(8):
        ...     failures.note("0123")
        ...     waits.append(failures.wait("0123"))
        >>> waits
        [0, 0, 0, 0, 1, 2, 4, 8]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, float]] = {}
        self._counted: dict[str, tuple[int, int]] = {}

    def wait(self, what: str) -> int:
        """Return after how many whole seconds the next try is taken; 0 for now."""
        with self._lock:
            number, last = self._known.get(what, (0, 0.0))
            left = last + _pause(number) - self._clock()
        return max(0, math.ceil(left - 1e-9))

    def note(self, what: str) -> None:
        """Count a failure; long after the last one the count starts again."""
        with self._lock:
            now = self._clock()
            number, last = self._known.get(what, (0, now))
            stale = now - last > 2 * MOST_SECONDS
            self._known[what] = (1 if stale else number + 1, now)

    def count(self, what: str) -> int:
        """Count a try that was refused, also one that had to wait.

        Returns:
            How many there were within the hour, where that is 1, 2, 4, 8, ...; else 0. A record of
            these alone cannot be flooded.
        """
        with self._lock:
            hour = int(self._clock() // HOUR)
            before, number = self._counted.get(what, (hour, 0))
            number = number + 1 if before == hour else 1
            self._counted[what] = hour, number
        return number if number & (number - 1) == 0 else 0

    def forget(self, what: str) -> None:
        """Start the count again, after a success."""
        with self._lock:
            self._known.pop(what, None)


def _pause(number: int) -> float:
    return 0.0 if number < FREE else float(min(MOST_SECONDS, 1 << min(number - FREE, 16)))
