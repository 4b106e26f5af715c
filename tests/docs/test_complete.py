"""Nothing public is left unnamed, no link is broken, and the pages speak of the project alone."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import doc_pages as pages

import sudare
from sudare.cli.main import build_parser
from sudare.collection import definition
from sudare.collection.questions import listed, number, place
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered
from sudare.release import definition as held
from tests.cases import cases

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_CLASS = re.compile(r"^class (\w+)\(([\w, ]+)\):", re.MULTILINE)
_SOURCE = Path(sudare.__file__).parent
_MACHINE = re.compile(
    r"(?<![\w.])/(?:home|work|tmp|root|Users|opt|var|mnt)/|[A-Z]:\\\\", re.IGNORECASE
)
_REGISTRY = re.compile(r"(?:index-url|pypi\.|registry\.|artifactory|localhost:\d)", re.IGNORECASE)


def read(page: str) -> str:
    return (pages.ROOT / page).read_text(encoding="utf-8")


def commands() -> dict[str, argparse.ArgumentParser]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("no commands")


def options() -> Iterator[tuple[str, str]]:
    for command, parser in commands().items():
        yield from dict.fromkeys((command, option) for option in options_of(parser))


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a command, and those with dashes of its actions."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for own in action.choices.values():
                yield from (one for one in options_of(own) if one.startswith("-"))
        elif not isinstance(action, argparse._HelpAction):
            yield from action.option_strings or [action.dest]


def section(command: str) -> str:
    text = read("docs/command-line.md")
    return text.split(f"## `sudare {command}`", 1)[1].split("\n## ", 1)[0]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


def shell_commands(page: Path) -> list[str]:
    return [
        line
        for block in pages.fences(page, "sh")
        for line in block.text.splitlines()
        if line.strip() and not line.startswith("#")
    ]


@cases("command, option", list(options()))
def test_every_option_is_named(command: str, option: str) -> None:
    assert f"`{option}`" in section(command)


def test_no_option_is_invented() -> None:
    known = set(options())
    for command in commands():
        for option in re.findall(r"^\| `(-[-a-z]*)` \|", section(command), re.MULTILINE):
            assert (command, option) in known


FIELDS = {*definition._FIELDS, *listed.FIELDS, *place._FIELDS, *number.FIELDS, "most", "scores"}


@cases("field", sorted(FIELDS))
def test_every_field_of_a_survey_is_named(field: str) -> None:
    rows = [line.split("|")[1] for line in read("docs/collections.md").splitlines() if "|" in line]
    assert any(f"`{field}`" in row for row in rows)


@cases("field", sorted(held._FIELDS))
def test_every_field_of_a_data_set_is_named(field: str) -> None:
    over_http = read("docs/release.md").split("## Over HTTP", 1)[1]
    rows = [line.split("|")[1] for line in over_http.splitlines() if line.startswith("|")]
    assert any(f"`{field}`" in row or f"`[{field}]`" in row for row in rows)


@cases("name", sudare.__all__)
def test_every_public_name_is_on_a_page(name: str) -> None:
    pages_of_names = read("docs/python.md") + read("docs/errors.md")
    assert f"`{name}`" in pages_of_names or name in of_mechanisms()


def test_every_error_is_explained_and_raised() -> None:
    """Each class of an error in the package, public or not, under a heading of its own."""
    found = _CLASS.findall("\n".join(p.read_text("utf-8") for p in _SOURCE.rglob("*.py")))
    warnings = {"PluginWarning", "LeftOutWarning"}
    errors = {"SudareError"} | warnings
    while more := {name for name, bases in found if errors & set(bases.split(", "))} - errors:
        errors |= more
    parts = re.split(r"^##+ `(\w+)`$", read("docs/errors.md"), flags=re.MULTILINE)
    explained = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert set(explained) == errors
    for name in errors - warnings - {"SudareError"}:
        assert re.search(rf"^sudare\.[\w.]*\b{name}: ", explained[name], re.MULTILINE), name
        assert "**Do**" in explained[name], name


def of_mechanisms() -> set[str]:
    """Return the names that are titles of pages in ``docs/mechanisms``."""
    titles = [page.read_text("utf-8") for page in pages.ROOT.glob("docs/mechanisms/*.md")]
    return {title.partition(":")[0].removeprefix("# ") for title in titles}


@cases("name", [cls.name for cls in registered(Mechanism)])
def test_every_mechanism_has_a_page(name: str) -> None:
    assert name in of_mechanisms()


@cases("page", [*pages.PAGES, *pages.PACKAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), target


def test_every_page_is_reached_from_the_index() -> None:
    index = read("docs/index.md")
    for page in sorted((pages.ROOT / "docs").rglob("*.md")):
        path = page.relative_to(pages.ROOT / "docs").as_posix()
        folder = path.rpartition("/")[0] + "/"
        assert path == "index.md" or f"({path})" in index or f"({folder})" in index, path


def test_both_readmes_name_the_same_commands() -> None:
    english, japanese = (shell_commands(page) for page in pages.READMES)
    assert english == japanese
    assert len(english) == 2


def test_a_readme_is_read_in_two_minutes() -> None:
    assert len(read("README.md").split()) <= 400
    assert len(re.findall(r"\w", read("README.ja.md"))) <= 2200


@cases("page", pages.READMES)
def test_a_readme_marks_its_test_command(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    start = lines.index("<!-- test command -->")
    assert lines[start + 1] == "```sh"
    assert lines[start + 2].endswith("-m pytest")
    assert lines[start + 3] == "```"


def test_both_readmes_have_the_same_parts() -> None:
    shapes = [
        [line.split(" ")[0] for line in page.read_text(encoding="utf-8").splitlines()
         if line.startswith(("#", "```"))]
        for page in pages.READMES
    ]  # fmt: skip
    assert shapes[0] == shapes[1]


@cases("page", [*pages.PAGES, *pages.PACKAGES], parts=6)
def test_shown_commands_are_ones_that_exist(page: Path) -> None:
    for line in shell_commands(page):
        for part in line.split("&&"):
            words = shlex.split(part)
            if words and words[0].rpartition("/")[2] == "sudare":
                build_parser().parse_args(words[1:])


@cases("page", [*pages.PAGES, *pages.PACKAGES])
def test_a_page_names_no_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not _MACHINE.search(text)
    assert not _REGISTRY.search(text)


@cases("picture", ["survey", "results", "demo", "curve", "map"])
def test_a_picture_is_there_and_light(picture: str) -> None:
    path = pages.ROOT / "docs" / "images" / f"{picture}.png"
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size < 200_000
