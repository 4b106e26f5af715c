"""Whether an estimate fits into the memory that is free, before any work is done."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from sudare.errors import EstimationError

_MEMINFO = Path("/proc/meminfo")
_STATUS = Path("/proc/self/statm")
_CGROUP = Path("/sys/fs/cgroup")
_WORTH_ASKING = 1 << 28  # bytes that every machine has
_GIVEN_BACK, _KEPT = 1 << 17, 31 << 20


def require_memory(needed: int, argument: str, remedy: str) -> None:
    """Raise EstimationError where about ``needed`` bytes are more than are free.

    Free is what the system, the container and the process' own limit leave, whichever is least;
    where none of them can be read, nothing is refused.
    """
    if needed < _WORTH_ASKING:
        return
    free = free_bytes()
    if free is not None and needed > free:
        raise EstimationError(
            argument,
            f"needs about {needed / 1e9:.1f} GB to be estimated, and {free / 1e9:.1f} GB are free",
            remedy,
        )


def keep_freed(size: int) -> None:
    """Have memory that is freed kept for the next array, where arrays of this many bytes come and
    go.

    The C library of Linux gives blocks above 128 KiB back to the system when they are freed, and
    asks for them anew, page by page: that takes longer than a pass over them. Once a larger block
    was freed it keeps as much, and twice that at the end of its heap: here 62 MiB at most. The
    block is never written to.
    """
    if size >= _GIVEN_BACK:
        _free_once()


@lru_cache(1)
def _free_once() -> None:
    np.empty(_KEPT, dtype=np.uint8)


def free_bytes() -> int | None:
    """Return how many bytes this process can still take; None where that is not known."""
    known = [left for left in (_of_system(), _of_container(), _of_process()) if left is not None]
    return max(0, min(known)) if known else None


def _of_system() -> int | None:
    try:
        for line in _MEMINFO.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _of_container() -> int | None:
    try:
        limit = (_CGROUP / "memory.max").read_text("ascii").strip()
        used = (_CGROUP / "memory.current").read_text("ascii").strip()
        return None if limit == "max" else int(limit) - int(used)
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(_STATUS.read_text("ascii").split()[0])
        return limit - pages * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None
