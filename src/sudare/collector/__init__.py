"""The collector: an HTTP service that stores randomised reports and shows estimates in steps.

Answers are randomised before they arrive; what a report tells all the same, ε says. It keeps a
report's random id (for duplicates alone) and its payload, and neither address, nor user agent,
nor time.

Needs ``pip install "sudare[collector]"``. The names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sudare.errors import MissingExtraError
from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.collector.app import create_app as create_app
    from sudare.collector.background import BackgroundCollector as BackgroundCollector
    from sudare.collector.issuing import (
        count_invites as count_invites,
        issue_invites as issue_invites,
    )
    from sudare.collector.lifecycle_commands import Changed as Changed, change_life as change_life
    from sudare.collector.operator_view import (
        OperatorView as OperatorView,
        own_reports as own_reports,
        own_view as own_view,
        shown_round as shown_round,
    )
    from sudare.collector.server import serve as serve
    from sudare.collector.store import Store as Store

_HOMES = {
    "app": ("create_app",),
    "background": ("BackgroundCollector",),
    "issuing": ("count_invites", "issue_invites"),
    "lifecycle_commands": ("Changed", "change_life"),
    "operator_view": ("OperatorView", "own_reports", "own_view", "shown_round"),
    "server": ("serve",),
    "store": ("Store",),
}
_LIBRARIES = ("starlette", "uvicorn", "msgspec")

__all__, _load, __dir__ = attach(__name__, _HOMES, renamed={"OwnView": "OperatorView"})


def __getattr__(name: str) -> Any:
    for library in _LIBRARIES if name in __all__ else ():
        try:
            import_module(library)
        except ModuleNotFoundError as missing:
            raise MissingExtraError(library, "collector", "to run the collector") from missing
    return _load(name)
