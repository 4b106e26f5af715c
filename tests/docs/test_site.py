"""What the site is made of: every page in the tree, every link turned, every public name."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import sys

import doc_pages as pages
import pytest

import sudare
from tests.cases import cases

SITE = pages.ROOT / "docs" / "site"


@pytest.fixture(scope="module", autouse=True)
def _on_the_path():
    sys.path.insert(0, str(SITE))
    yield
    sys.path.remove(str(SITE))


def places(tree):
    for one in tree if isinstance(tree, list) else [tree]:
        if isinstance(one, dict):
            for inner in one.values():
                yield from places(inner)
        else:
            yield one


def test_every_page_is_in_the_tree_once():
    site = importlib.import_module("pages")
    gathered = site.gather()
    tree = site.navigation(gathered)
    assert [next(iter(section)) for section in tree] == [
        "Sudare", "Tutorials", "How-to", "Reference", "Explanation",
    ]  # fmt: skip
    assert set(places(tree[0]["Sudare"])) == {
        "index.md", "repository/README.md", "repository/README.ja.md",
    }  # fmt: skip
    assert {"guide.md", "tutorials/study.md"} <= set(tree[1]["Tutorials"])
    found = list(places(tree))
    assert len(found) == len(set(found))
    assert set(found) <= set(gathered.pages)
    own = {page.relative_to(SITE.parent).as_posix() for page in SITE.parent.rglob("*.md")}
    assert own <= set(found) | {"mechanisms/index.md"}


@cases("repository", ["", "https://forge.example/sudare"])
def test_links_stay_on_the_site_or_lead_to_the_repository(repository):
    site = importlib.import_module("pages")
    gathered = site.gather(repository)
    others = {path for path in gathered.files if not path.startswith("images/")}
    assert bool(others) != bool(repository)
    survey = (
        "https://forge.example/sudare/examples/survey.toml"
        if repository
        else "repository/examples/survey.toml"
    )
    assert f"]({survey})" in gathered.pages["index.md"]
    assert "](../guide.md)" in gathered.pages["repository/README.md"]
    assert "](repository/README.md)" in gathered.pages["index.md"]


def test_every_picture_is_in_the_gallery():
    text = (SITE.parent / "gallery.md").read_text("utf-8")
    for picture in (SITE.parent / "images").rglob("*.png"):
        assert f"]({picture.relative_to(SITE.parent).as_posix()})" in text, (
            f"show {picture.name} in docs/gallery.md"
        )


@pytest.mark.slow  # every room is loaded
def test_every_public_name_has_its_docstring_on_a_page():
    reference = importlib.import_module("reference")
    pages_of_names = reference.pages()
    shown = set(re.findall(r"^::: (\S+)$", "\n".join(pages_of_names.values()), re.MULTILINE))
    for name in sudare.__all__:
        own = f"reference/sudare-{name}.md" in pages_of_names
        assert own or f"sudare.{name}" in shown or name == "__version__", name
    assert all("\n::: " in text for text in pages_of_names.values())
    texts = (page.read_text("utf-8") for page in SITE.parent.glob("*.md"))
    assert reference.imported(texts) <= {reference._home(name) for name in shown}


@cases("module", ["pages", "reference", "check", "notebooks"])
def test_its_own_docstrings(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0


def test_a_dead_link_a_missing_place_and_a_load_from_elsewhere_are_found(tmp_path):
    check = importlib.import_module("check")
    (tmp_path / "a.html").write_text(
        '<a href="b.html#x">1</a><a href="#here">2</a><a href="c.html">3</a><p id="here">'
        '<script src="https://elsewhere.example/x.js"></script><a href="https://fine.example">4</a>'
    )
    (tmp_path / "b.html").write_text("<p id=y>")
    assert check.faults(tmp_path) == [
        "a.html: loads https://elsewhere.example/x.js",
        "a.html: b.html#x has no such place",
        "a.html: c.html leads nowhere",
    ]


@cases("name", ["survey", "release"])
def test_a_notebook_runs_as_its_page_does(name, tmp_path):
    text = (SITE.parent / "tutorials" / f"{name}.md").read_text("utf-8")
    cells = json.loads(importlib.import_module("notebooks").notebook(text))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 8
    assert "".join(cell["source"] for cell in cells).count("```python") == 0
    names: dict[str, object] = {}
    for cell in code:
        wanted = "".join(one["text"] for one in cell["outputs"])
        goes_on = "raises-exception" in cell["metadata"].get("tags", [])  # else "Run all" stops
        assert goes_on == ("Traceback" in wanted)
        try:
            exec(cell["source"], names)
        except sudare.BudgetExceeded as error:
            assert str(error) in wanted
        else:
            assert "Traceback" not in wanted
