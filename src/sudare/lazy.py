"""Public names that are loaded when they are first used (PEP 562), so that a device starts fast."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any


def attach(
    package: str,
    homes: Mapping[str, Sequence[str]],
    rooms: Sequence[str] = (),
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: its ``__name__``.
        homes: the public names of each module, which is named by its path below the package.
        rooms: modules of the package that are public names themselves.
        renamed: names of the release before, which still work and say what they are called now.
    """
    home_of = {name: home for home, names in homes.items() for name in names}
    public = sorted([*home_of, *rooms])

    def load(name: str) -> Any:
        if name in renamed:
            said = f"{package}.{name} is called {renamed[name]} now"
            warnings.warn(said, DeprecationWarning, stacklevel=2)
            return load(renamed[name])
        if name in rooms:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            if name.isidentifier() and find_spec(f"{package}.{name}"):
                # a module: whoever imports it asks here first, and does not wait for a guess
                raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
            from sudare.guesses import unknown  # for a name that is not there

            raise unknown(f"module {package!r}", name, [package], () if name[0] == "_" else public)
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return public, load, lambda: public
