"""Pages of the Python names: each public name once, where its docstring is shown.

Names of ``sudare`` stand by the room that they come from, mechanisms by their family with the
classes that they share; a room that is a name itself has a page of its own. What pages import from
deeper, for authors of mechanisms and questions, is public too and stands on the last one.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from types import ModuleType

from pages import ROOT

import sudare

FOLDER = "reference"
_IMPORT = re.compile(r"from (sudare(?:\.\w+)+) import (\([^)]*\)|[^\n#]*)")
_DOTTED = re.compile(r"\b(?:sudare|sd)((?:\.[a-z_]+)+)\.(\w+)")


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
    further = [f"::: {name}" for name in _further("\n".join(out.values()))]
    out[_place("further")] = _page("Further names that pages use", further)
    return out


def imported(texts: Iterable[str]) -> set[str]:
    """Return where the classes and functions are defined that pages take from rooms.

    >>> sorted(imported(["from sudare.samplers import Keep, Table  # programs"]))
    ['sudare.samplers.keep.Keep', 'sudare.samplers.table.Table']
    """
    out = set()
    for text in texts:
        dotted = [(f"sudare{room}", name) for room, name in _DOTTED.findall(text)]
        for room, names in [*_IMPORT.findall(text), *dotted]:
            try:
                module = importlib.import_module(room)
            except ModuleNotFoundError:  # a class and its method
                continue
            for name in re.findall(r"\w+", names):
                value = getattr(module, name, None)
                if inspect.isclass(value) or inspect.isfunction(value):
                    out.add(f"{value.__module__}.{value.__qualname__}")
    return out


def _further(shown: str) -> list[str]:
    """Return what pages and examples take that no page of names shows yet."""
    own = (path for kind in ("docs/**/*.md", "examples/**/*.py") for path in ROOT.glob(kind))
    known = {_home(path) for path in re.findall(r"^::: (\S+)$", shown, re.MULTILINE)}
    return sorted(imported(path.read_text(encoding="utf-8") for path in own) - known)


def _home(path: str) -> str:
    """Return where a name that is shown is defined."""
    module, _, name = path.rpartition(".")
    value = getattr(importlib.import_module(module), name)
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"


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
