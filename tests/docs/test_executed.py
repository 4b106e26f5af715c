"""Everything that the pages show in Python is executed; what they show as output is compared."""

from __future__ import annotations

import runpy
from pathlib import Path

import doc_pages as pages
import pytest

from sudare.collection import Collection
from sudare.collection.checking import advice
from sudare.collector.settings import Settings
from sudare.release.definition import Definition
from tests.cases import cases

EXAMPLES = sorted((pages.ROOT / "examples").glob("*.py"))


def showing(language: str) -> list[Path]:
    return [page for page in pages.PAGES if pages.fences(page, language)]


@pytest.mark.parametrize("page", showing("python"), ids=pages.name)
def test_python_of_a_page(page: Path, tmp_path: Path) -> None:
    with pages.undisturbed(tmp_path):
        pages.execute(pages.fences(page, "python"))


@cases("page", showing("toml"))
def test_toml_of_a_page_is_a_definition_or_settings(page: Path, tmp_path: Path) -> None:
    for block in pages.fences(page, "toml"):
        if block.text.startswith("# settings.toml"):
            file = tmp_path / "settings.toml"
            file.write_text(block.text, encoding="utf-8")
            assert Settings.load(file) != Settings()
            continue
        read = Collection.from_toml if "[collection]" in block.text else Definition.from_toml
        read(block.text)


@cases("example", EXAMPLES)
def test_an_example_runs(example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pages.undisturbed(tmp_path):
        runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


@cases("name", ["survey", "crosstab"])
def test_an_example_survey_ranks_what_there_is(name: str) -> None:
    survey = Collection.load(pages.ROOT / "examples" / f"{name}.toml")
    assert survey.questions
    assert not [one for one in advice(survey) if "auto" in one.code]


def test_a_wrong_output_is_noticed(tmp_path: Path) -> None:
    page = pages.ROOT / "wrong.md"
    wrong = pages.Fence(page, 1, "python", ">>> 1 + 1\n3\n")
    with pages.undisturbed(tmp_path), pytest.raises(AssertionError, match="Expected"):
        pages.execute([wrong])
