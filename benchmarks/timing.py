"""An interleaved timer: a limit and a kernel take turns, so that both meet the same machine.

The clock is the thread's own (``time.thread_time``), which stops while another program has the
processor. What noise is left only ever adds time: the ratio that counts is the one of the two
*minimums*; the median of the round-by-round ratios is kept beside it and shows the noise.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Job = Callable[[], object]
Clock = Callable[[], float]
Times = list[list[float]]
"""Seconds of each job (the limit first, the kernel last) in each round."""


def interleave(jobs: list[Job], rounds: int, clock: Clock = time.thread_time) -> Times:
    """Return the seconds of each job in each round.

    Each timed call follows an untimed one of the same job, which warms the caches for it.
    """
    seconds: Times = [[] for _ in jobs]
    for _ in range(rounds):
        for job, spent in zip(jobs, seconds, strict=True):
            job()
            start = clock()
            job()
            spent.append(clock() - start)
    return seconds


@dataclass(frozen=True)
class Row:
    """One line of the table: a kernel against its limit.

    Attributes:
        kernel, limit: what is measured, and against what ("" for a time without a limit).
        target: bound of :attr:`ratio`, or None.
        faster: the ratio is ``limit / kernel`` and at least the target; else ``kernel /
            limit`` and at most the target.
        n: how many things one call of the kernel makes.
        times: of limit and kernel, or of the kernel alone.
        exact: the ratio itself, where nothing is timed.
    """

    kernel: str
    limit: str = ""
    target: float | None = None
    faster: bool = False
    n: int = 1
    times: Times = field(default_factory=list)
    exact: float | None = None

    def merged(self, other: Row) -> Row:
        """Return the row with the rounds of another pass added."""
        times = [a + b for a, b in zip(self.times, other.times, strict=True)]
        return Row(self.kernel, self.limit, self.target, self.faster, self.n, times, self.exact)

    @property
    def ratio(self) -> float | None:
        """The ratio of the minimums."""
        if len(self.times) < 2:
            return self.exact
        limit, kernel = map(min, self.times)
        return limit / kernel if self.faster else kernel / limit

    @property
    def median(self) -> float | None:
        """The median of the ratios of the single rounds."""
        if len(self.times) < 2:
            return self.exact
        above, below = self.times if self.faster else reversed(self.times)
        return statistics.median(a / b for a, b in zip(above, below, strict=True))

    @property
    def met(self) -> bool | None:
        """The verdict; None where there is no target."""
        if self.target is None or self.ratio is None:
            return None
        return self.ratio >= self.target if self.faster else self.ratio <= self.target

    @property
    def seconds(self) -> float | None:
        """The kernel's least time for one thing."""
        return min(self.times[-1]) / self.n if self.times else None
