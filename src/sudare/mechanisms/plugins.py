"""Mechanisms of other packages: entry points of the group ``sudare.mechanisms``.

The name of an entry point is the mechanism's; its object is the class. What cannot be used is
left out with a warning that names the distribution, and everything else stays as it was.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sudare.errors import CollectionError, PluginWarning
from sudare.mechanisms.base import Mechanism

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "sudare.mechanisms"


def load(register: Callable[[type[Mechanism]], object]) -> None:
    """Give every usable plug-in to ``register``; warn of each that is not.

    Warns:
        PluginWarning: an import fails, the object is not a mechanism, its name is not the entry
            point's or belongs to a mechanism that ships, or two distributions bring one name.
    """
    from importlib.metadata import entry_points  # 10 ms that a device can do without

    points = entry_points(group=GROUP)
    offers = Counter(point.name for point in points)
    for point in points:
        try:
            if offers[point.name] > 1:
                raise CollectionError("the name", "must come from one package", "uninstall one")
            register(_checked(point.load(), point.name))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
            reason = str(error) if isinstance(error, CollectionError) else repr(error)
            warnings.warn(
                f"{_distribution(point)}: mechanism {point.name!r} is left out: {reason}",
                PluginWarning,
                stacklevel=2,
            )


def _checked(found: Any, name: str) -> type[Mechanism]:
    if not isinstance(found, type) or not issubclass(found, Mechanism):
        raise CollectionError("the entry point", "must name a subclass of Mechanism")
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        raise CollectionError(found.__name__, f"must implement {', '.join(missing)}")
    if getattr(found, "name", None) != name:
        raise CollectionError(f"{found.__name__}.name", f"must be {name!r}, as its entry point")
    return found


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"
