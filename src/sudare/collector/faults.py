"""Logging a fault without what it was about: an error's text could quote a request or a row."""

from __future__ import annotations

import logging

_log = logging.getLogger("sudare.collector")


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
