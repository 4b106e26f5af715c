"""The collector: an HTTP service that stores randomised reports and shows live estimates.

Nobody has to trust it: answers are randomised before they arrive. It keeps a report's
random id (for duplicates alone) and its payload, and neither address, nor user agent, nor time.

Needs ``pip install "sudare[collector]"``. The names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sudare.errors import MissingExtraError

if TYPE_CHECKING:
    from sudare.collector.app import create_app
    from sudare.collector.background import BackgroundCollector
    from sudare.collector.issuing import count_invites, issue_invites
    from sudare.collector.server import serve
    from sudare.collector.store import Store

__all__ = [
    "BackgroundCollector",
    "Store",
    "count_invites",
    "create_app",
    "issue_invites",
    "serve",
]

_HOMES = {
    "BackgroundCollector": "sudare.collector.background",
    "Store": "sudare.collector.store",
    "count_invites": "sudare.collector.issuing",
    "create_app": "sudare.collector.app",
    "issue_invites": "sudare.collector.issuing",
    "serve": "sudare.collector.server",
}
_LIBRARIES = ("starlette", "uvicorn", "msgspec")


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for library in _LIBRARIES:
        try:
            import_module(library)
        except ModuleNotFoundError as missing:
            raise MissingExtraError(library, "collector", "to run the collector") from missing
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
