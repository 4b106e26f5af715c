"""The pages of the documentation, and how their examples are executed."""

from __future__ import annotations

import contextlib
import doctest
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
READMES = (ROOT / "README.md", ROOT / "README.ja.md")
PAGES = (
    *READMES,
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(ROOT.glob("docs/**/*.md")),
)
PACKAGES = tuple(sorted(ROOT.glob("examples/*/README*.md")))  # need the package installed to run
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Fence:
    """One fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def fences(page: Path, language: str) -> list[Fence]:
    text = page.read_text(encoding="utf-8")
    return [
        Fence(page, text[: found.start()].count("\n") + 2, found[1], found[2])
        for found in _FENCE.finditer(text)
        if found[1] == language
    ]


def execute(blocks: list[Fence]) -> int:
    """Run the blocks of one page in one namespace; return how many doctest examples ran."""
    names: dict[str, Any] = {"__name__": "__main__"}
    parser = doctest.DocTestParser()
    ran = 0
    for block in blocks:
        if ">>>" not in block.text:
            source = "\n" * (block.line - 1) + block.text
            exec(compile(source, str(block.page), "exec", dont_inherit=True), names)
            continue
        example = parser.get_doctest(block.text, names, name(block.page), None, block.line - 1)
        runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
        report: list[str] = []
        runner.run(example, out=report.append, clear_globs=False)
        names.update(example.globs)
        assert runner.failures == 0, "".join(report)
        ran += runner.tries
    return ran


@contextlib.contextmanager
def undisturbed(folder: Path) -> Iterator[None]:
    """Work in ``folder``; forget the mechanisms and question types that a page has registered."""
    from sudare.collection.questions import base as questions
    from sudare.mechanisms import registry

    registries: tuple[dict[str, Any], ...] = (registry._MECHANISMS, questions._TYPES)
    before = [dict(known) for known in registries]
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        for known, old in zip(registries, before, strict=True):
            known.clear()
            known.update(old)
