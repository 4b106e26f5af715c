"""Logging a fault without what it was about: an error's text could quote a request or a row."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

PAUSE_SECONDS = 60.0
"""Between two lines that say the same: visitors cannot fill the log."""

_log = logging.getLogger("sudare.collector")


class Notices:
    """Warnings that visitors can cause: each text at most once a minute.

    Args:
        about: what each begins with.
        clock: returns seconds, never backwards.
    """

    def __init__(self, about: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._about = about
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, int]] = {}

    def warn(self, text: str) -> None:
        """Log a constant text; its next line says how often it was kept back."""
        with self._lock:
            now = self._clock()
            last, kept = self._kept.get(text, (now - PAUSE_SECONDS, 0))
            due = now - last >= PAUSE_SECONDS
            self._kept[text] = (now, 0) if due else (last, kept + 1)
        if due:
            more = f" ({kept} times more before)" if kept else ""
            _log.warning("%s: %s%s", self._about, text, more)


def log_fault(what: str, error: Exception) -> None:
    """Log an error's name and the code that raised it; never its text, never a trace.

    Args:
        what: what failed, a constant text.
        error: what was raised.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace else ""
    name = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)
    _log.error("%s failed: %s%s", what, name or type(error).__name__, place)
