"""The registry of mechanisms by name: those that ship and those of other packages.

Families are loaded when an unknown name is asked for, or when all are listed. So is what another
package adds by an entry point (:mod:`sudare.mechanisms.plugins`); it never takes the place of one
that ships.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, get_args

from sudare import mechanisms
from sudare.errors import CollectionError, nearest

if TYPE_CHECKING:
    from sudare.mechanisms.base import Mechanism

OR_AUTO = 'or "auto"'

_MECHANISMS: dict[str, type[Mechanism]] = {}

C = TypeVar("C", bound="type[Mechanism]")
M = TypeVar("M", bound="Mechanism")


def register(cls: C) -> C:
    """Class decorator: make a mechanism known under its ``name``.

    Raises:
        CollectionError: the name is that of a mechanism that ships with Sudare.
    """
    if not _ships(cls):
        _load_shipped()
    known = _MECHANISMS.get(cls.name)
    if known is not None and _ships(known) and not _ships(cls):
        raise CollectionError(
            f"{cls.__name__}.name", "must not be that of a mechanism of Sudare", got=cls.name
        )
    _MECHANISMS[cls.name] = cls
    return cls


def _ships(cls: type[Mechanism]) -> bool:
    return cls.__module__.startswith(__name__.partition(".")[0] + ".")


def names(family: type[Mechanism], *, plugins: bool = True) -> list[str]:
    """Return the names of a family's mechanisms, or of those alone that come with Sudare.

    Baselines for studies, which give no local privacy guarantee, have no place here.
    """
    _load_shipped()
    if plugins:
        _load_plugins()
    return sorted(
        name
        for name, cls in _MECHANISMS.items()
        if _is_of(cls, family) and not cls.studies_only and (plugins or _ships(cls))
    )


def registered(family: type[M]) -> list[type[M]]:
    """Return the classes of a family that are known by now, by name; baselines too."""
    _load_shipped()
    return [cls for _, cls in sorted(_MECHANISMS.items()) if _is_of(cls, family)]


def _is_of(cls: type[Mechanism], family: type[M]) -> TypeGuard[type[M]]:
    families = get_args(family) or (family,)  # several where they are one question's
    return any(issubclass(cls, one) and one.once in (None, cls.once) for one in families)


def lookup(name: object, family: type[M], remedy: str = "") -> type[M]:
    """Return the mechanism class of that name and family.

    Args:
        name: its registered name.
        family: what it must be.
        remedy: what an error says beside the names, such as :data:`OR_AUTO`.

    Raises:
        CollectionError: there is none, or it gives no local privacy guarantee.
    """
    if isinstance(name, str) and name not in _MECHANISMS:
        _load_shipped()
        if name not in _MECHANISMS:
            _load_plugins()
    found = _MECHANISMS.get(name) if isinstance(name, str) else None
    if found is None or not _is_of(found, family):
        known = names(family)
        remedy = nearest(name, known, remedy)
        raise CollectionError("mechanism", f"must be one of {known}", remedy, got=name)
    if found.studies_only:
        raise CollectionError(
            "mechanism",
            "must give a local privacy guarantee",
            f"{name} gives none (ε = ∞) and is for studies alone",
            got=name,
        )
    return found


def from_json(data: Mapping[str, Any], family: type[M]) -> M:
    """Rebuild a mechanism of a family from its JSON data.

    Examples:
        >>> from sudare.mechanisms import FrequencyOracle
        >>> from_json({"name": "GRR", "k": 3, "epsilon": "2.0"}, FrequencyOracle)
        GRR(k=3, epsilon=2.0)
    """
    if not isinstance(data, Mapping):
        raise CollectionError("mechanism", "must have a name and its parameters")
    return lookup(data.get("name"), family).from_json(data)


def _load_shipped() -> None:
    for family, shipped in mechanisms.SHIPPED.items():
        room = import_module(f"{mechanisms.__name__}.{family}")
        for name in shipped:
            getattr(room, name)  # of a family whose names are lazy, each


def _load_plugins() -> None:
    from sudare.mechanisms import plugins  # asked for by few

    plugins.load(register)
