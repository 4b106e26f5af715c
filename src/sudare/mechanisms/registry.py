"""The registry of mechanisms by name: those that ship and those of other packages.

Another package adds one by an entry point of the group ``sudare.mechanisms`` that names the
class; it is found the first time an unknown name is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from sudare.errors import CollectionError

if TYPE_CHECKING:
    from sudare.mechanisms.frequency.base import FrequencyOracle

_MECHANISMS: dict[str, type[FrequencyOracle]] = {}

M = TypeVar("M", bound="type[FrequencyOracle]")


def register(cls: M) -> M:
    """Class decorator: make a mechanism known under its ``name``."""
    _MECHANISMS[cls.name] = cls
    return cls


def names(*, plugins: bool = True) -> list[str]:
    """Return the names of all mechanisms, or of those alone that come with Sudare."""
    if plugins:
        _load_plugins()
    ours = __name__.partition(".")[0] + "."
    return sorted(n for n, cls in _MECHANISMS.items() if plugins or cls.__module__.startswith(ours))


def lookup(name: object) -> type[FrequencyOracle]:
    """Return the mechanism class of that name; CollectionError where there is none."""
    if isinstance(name, str) and name not in _MECHANISMS:
        _load_plugins()
    if not isinstance(name, str) or name not in _MECHANISMS:
        raise CollectionError(
            "mechanism", f"must be one of {sorted(_MECHANISMS)}", 'or "auto"', got=name
        )
    return _MECHANISMS[name]


def from_json(data: Mapping[str, Any]) -> FrequencyOracle:
    """Rebuild a mechanism from its JSON data.

    Examples:
        >>> from_json({"name": "GRR", "k": 3, "epsilon": "2.0"})
        GRR(k=3, epsilon=2.0)
    """
    if not isinstance(data, Mapping):
        raise CollectionError("mechanism", "must have a name, k and epsilon")
    return lookup(data.get("name")).from_json(data)


def _load_plugins() -> None:
    from importlib.metadata import entry_points  # 10 ms that a device can do without

    for point in entry_points(group="sudare.mechanisms"):
        register(point.load())
