"""The guide from nothing to published is followed: its lines, in order, in an empty folder."""

from __future__ import annotations

import csv
import json
import re
import shlex
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import doc_pages as pages
import pytest

from sudare.cli import main
from sudare.cli.main import build_parser
from sudare.collection import Collection
from sudare.collector import BackgroundCollector

ENGLISH, JAPANESE = (pages.ROOT / "docs" / name for name in ("guide.md", "guide.ja.md"))
ADDRESS = "http://127.0.0.1:8750"


def steps(page: Path) -> list[pages.Fence]:
    """Return what is typed at a terminal, or into the survey file, from top to bottom."""
    found = [*pages.fences(page, "sh"), *pages.fences(page, "toml")]
    return sorted(found, key=lambda fence: fence.line)


def read(url: str) -> bytes:
    """Return a page; nothing where there is none."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            found: bytes = answer.read()
            return found
    except urllib.error.HTTPError as error:
        assert error.code == 404
        return b""


def published(url: str) -> bool:
    return b"<title>Lunch" in read(f"{url}/lunch")


def counted(url: str) -> bool:
    n: int = json.loads(read(f"{url}/api/v1/collections/lunch/results"))["n"]
    return 50 <= n <= 120


def soon(found: Callable[[str], bool], url: str) -> None:
    """Wait until something holds, which the guide says takes a second, for ten at most."""
    until = time.monotonic() + 10
    while not found(url):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_guide_leads_from_nothing_to_published_and_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url, typed = "", []
    with ExitStack() as running:
        for fence in steps(ENGLISH):
            if fence.language == "toml":
                Path("lunch.toml").write_text(fence.text, encoding="utf-8")
                continue
            for line in fence.text.splitlines():
                _, command, *words = shlex.split(line.replace(ADDRESS, url or ADDRESS))
                typed.append(command)
                if command == "preview":  # it runs until it is interrupted
                    build_parser().parse_args([command, *words])
                    continue
                if command == "serve":
                    asked = build_parser().parse_args([command, *words])
                    served = [Collection.load(path) for path in asked.surveys]
                    one = BackgroundCollector(served, asked.database)
                    url = running.enter_context(one).url
                    assert not published(url)
                    continue
                if command == "load":
                    soon(published, url)
                assert main([command, *words]) == 0, line
                if command == "load":
                    soon(counted, url)
        assert typed[-1] == "delete"
    assert {"new", "check", "publish", "close", "extend", "export", "delete"} <= set(typed)
    with Path("lunch.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 5
    assert {row["n"] for row in rows} <= {str(n) for n in range(50, 121)}
    assert "自宅" in Path("lunch.svg").read_text("utf-8")
    assert Path("lunch-copy.sqlite3").exists()


def test_both_guides_have_the_same_steps() -> None:
    english, japanese = (steps(page) for page in (ENGLISH, JAPANESE))
    assert [fence.language for fence in english] == [fence.language for fence in japanese]
    without = re.compile(r" *#.*")
    for one, other in zip(english, japanese, strict=True):
        assert without.sub("", one.text) == without.sub("", other.text)
