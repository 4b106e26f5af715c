"""Modules of ours as one script: fewer journeys for a respondent on a slow line.

The client is plain ES modules, and is served as such. A page loads them linked, which changes
nothing but their number: each module becomes a block of its own that gives its exports, in an order
in which everything stands before it is used. The modules keep to a few forms of `import` and
`export`, without cycles; any other is refused here. Comments and indentation are left out, all else
is as written; no text runs over several lines.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sudare.errors import DomainError

_IMPORT = re.compile(
    r'^import (?:\{(?P<names>[^}]*)\}|\* as (?P<whole>\w+)) from "(?P<path>\.[^"\n]+\.js)";\n',
    re.MULTILINE,
)
_EXPORT = re.compile(
    r"^export (?=(?:async function|function\*?|class|const) (?P<name>\w+))", re.MULTILINE
)
_COMMENT = re.compile(
    r"^[ \t]*/\*\*(?:(?!\*/)[\s\S])*\*/[ \t]*\n"  # with lines of its own
    r"|/\*\*(?:(?!\*/)[\s\S])*\*/[ \t]*"  # a type before a value
    r"|^[ \t]*//.*\n",
    re.MULTILINE,
)
_BLANK = re.compile(r"\n\s+")
_OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\s*\(.*|\bimport\.meta.*", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as (\w+))?")

Read = Callable[[str], str]
"""Gives the source of a module by its path; KeyError for none."""


@dataclass(frozen=True, slots=True)
class Module:
    """One module, taken apart.

    Attributes:
        path: from the folder of all.
        needs: for each import the other's path and what it brings: pairs of the name there and the
            name here, or one name here for all of it.
        exports: names that it gives.
        body: the rest.
    """

    path: str
    needs: tuple[tuple[str, tuple[tuple[str, str], ...] | str], ...]
    exports: tuple[str, ...]
    body: str


def parse(path: str, source: str) -> Module:
    """Take a module apart.

    Raises:
        DomainError: a form of import or export that is not linked.

    Examples:
        >>> parse("a.js", 'import { b as c } from "./b.js";\\nexport const d = c;\\n').needs
        (('b.js', (('b', 'c'),)),)
    """
    bare = _COMMENT.sub("", source)
    folder = posixpath.dirname(path)
    needs = tuple(
        (
            posixpath.normpath(posixpath.join(folder, found["path"])),
            found["whole"] or tuple(_pairs(path, found["names"])),
        )
        for found in _IMPORT.finditer(bare)
    )
    rest = _IMPORT.sub("", bare)
    exports = tuple(sorted(found["name"] for found in _EXPORT.finditer(rest)))
    body = _BLANK.sub("\n", _EXPORT.sub("", rest)).lstrip("\n")
    other = _OTHER.search(body)
    if other is not None:
        raise _refusal(path, f"must not hold `{other[0]}`")
    return Module(path, needs, exports, body)


def link(entries: Iterable[str], read: Read) -> str:
    """Return one script that does what the entries do as modules, one after the other.

    Raises:
        DomainError: a module is missing, imports itself in a circle, or what nobody exports.

    Examples:
        >>> a, b = 'import { b } from "./b.js";\\nb();\\n', "export const b = () => 1;\\n"
        >>> print(link(["a.js"], {"a.js": a, "b.js": b}.__getitem__), end="")
        const $0 = (() => {
        const b = () => 1;
        return { b };
        })();
        (() => {
        const { b } = $0;
        b();
        })();
    """
    order = {module.path: module for module in _ordered(entries, read)}
    ranks = {path: f"${rank}" for rank, path in enumerate(order)}
    parts = []
    for path, module in order.items():
        lines = []
        for need, names in module.needs:
            if isinstance(names, str):
                lines.append(f"const {names} = {ranks[need]};\n")
                continue
            for name, _ in names:
                if name not in order[need].exports:
                    raise _refusal(path, f"imports `{name}`, which {need} does not export")
            inner = ", ".join(name if name == own else f"{name}: {own}" for name, own in names)
            if names:  # else it is there to be run, and may export nothing
                lines.append(f"const {{ {inner} }} = {ranks[need]};\n")
        given = f"return {{ {', '.join(module.exports)} }};\n" if module.exports else ""
        head = f"const {ranks[path]} = " if module.exports else ""
        parts.append(f"{head}(() => {{\n{''.join(lines)}{module.body}{given}}})();\n")
    return "".join(parts)


def _ordered(entries: Iterable[str], read: Read) -> Iterator[Module]:
    """Yield each module once, after all that it needs."""
    done: set[str] = set()
    open_: list[str] = []

    def visit(path: str) -> Iterator[Module]:
        if path in done:
            return
        if path in open_:
            raise _refusal(path, "must not import itself in a circle")
        open_.append(path)
        try:
            module = parse(path, read(path))
        except KeyError:
            raise _refusal(path, "must exist") from None
        for need, _ in module.needs:
            yield from visit(need)
        open_.pop()
        done.add(path)
        yield module

    for entry in entries:
        yield from visit(entry)


def _pairs(path: str, names: str) -> Iterator[tuple[str, str]]:
    for name in names.split(","):
        if not name.strip():
            continue  # after a last comma
        found = _NAME.fullmatch(name.strip())
        if found is None:
            raise _refusal(path, f"must not import `{name.strip()}`")
        yield found[1], found[2] or found[1]


def _refusal(path: str, rule: str) -> DomainError:
    return DomainError(f"module {path}", rule, "see sudare.collector.script_bundle")
