"""Pages of the Python names: each public name once, where its docstring is shown.

Names of ``sudare`` stand by the room that they come from, mechanisms by their family with the
classes that they share; a room that is a name itself has a page of its own.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterator
from types import ModuleType

import sudare

FOLDER = "reference"


def pages() -> dict[str, str]:
    """Return each page's text by its place, in the order in which they are to be read."""
    groups: dict[str, list[str]] = defaultdict(list)
    rooms: list[str] = []
    for name in sudare.__all__:
        value = getattr(sudare, name)
        if isinstance(value, ModuleType):
            rooms.append(name)
        elif name != "__version__":
            groups[_group(value.__module__)].append(name)
    out = {}
    for group, names in sorted(groups.items()):
        shared = list(dict.fromkeys(base for name in names for base in _bases(name, group)))
        blocks = [f"::: sudare.{name}" for name in names] + [f"::: {base}" for base in shared]
        out[_place(group)] = _page(group.replace(".", ": ").capitalize(), blocks)
    for room in rooms:
        module = getattr(sudare, room)
        blocks = [f"::: {found}" for found in _public(module)]
        out[_place(f"sudare.{room}")] = _page(f"sudare.{room}", [_doc(module), *blocks])
    return out


def _group(module: str) -> str:
    """Return where a name is at home: its room, of a mechanism its family too."""
    parts = module.split(".")[1:]
    return ".".join(parts[: 2 if parts[0] == "mechanisms" and len(parts) > 2 else 1])


def _bases(name: str, group: str) -> Iterator[str]:
    """Yield the classes of the same group that a class takes its methods from."""
    value = getattr(sudare, name)
    for base in inspect.getmro(value)[1:] if inspect.isclass(value) else ():
        known = base.__module__.startswith("sudare.") and _group(base.__module__) == group
        if known and not hasattr(sudare, base.__name__) and not base.__name__.startswith("_"):
            yield f"{base.__module__}.{base.__name__}"


def _public(module: ModuleType) -> Iterator[str]:
    """Yield the public names of a room, each where it is defined."""
    for name in sorted(getattr(module, "__all__", None) or _defined(module)):
        value = getattr(module, name)
        if isinstance(value, ModuleType) or not getattr(value, "__doc__", None):
            continue
        yield f"{module.__name__}.{name}"


def _defined(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith(module.__name__)
    ]


def _doc(module: ModuleType) -> str:
    return inspect.cleandoc(module.__doc__ or "").partition("\n\n")[0]


def _place(name: str) -> str:
    return f"{FOLDER}/{name.replace('.', '-')}.md"


def _page(title: str, blocks: list[str]) -> str:
    return "\n\n".join([f"# {title}", *blocks]) + "\n"
