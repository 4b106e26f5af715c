"""The question type of ``docs/adding-a-question-type.md``: built from that page, and used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import Watched, fresh, payload, serve

from sudare.collection import Collection

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT.joinpath("docs", "adding-a-question-type.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^`([\w./-]+)`:\n\n```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

WEATHER = """
[collection]
name = "weather"
epsilon = 3.0
publish_at = 1
languages = ["en", "ja"]
[[question]]
id = "pleasant"
type = "scale"
text = { en = "How pleasant was the weather?", ja = "天気はいかがでしたか？" }
highest = 4
"""


def patched(text: str, diff: str) -> str:
    """Apply the hunks of a diff; every one must fit in one place."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE)[1:]:
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the page's files written, and its diffs applied."""
    root = tmp_path_factory.mktemp("tree")
    unneeded = shutil.ignore_patterns("__pycache__", "studies")
    shutil.copytree(str(files("sudare")), root / "src/sudare", ignore=unneeded)
    shutil.copytree(ROOT / "tests/js/support", root / "tests/js/support")
    shutil.copy(ROOT / "package.json", root)
    for path, language, text in BLOCKS:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if language == "diff":
            file.write_text(patched(file.read_text("utf-8"), text), "utf-8")
        else:
            assert not file.exists(), path
            file.write_text(text, "utf-8")
    return root


@pytest.fixture(scope="module")
def survey(tree: Path) -> Collection:
    """A survey with a question of the type, which its definition makes known."""
    (source,) = (tree / path for path, language, _ in BLOCKS if language == "python")
    exec(compile(source.read_text("utf-8"), str(source), "exec"), {"__name__": "__main__"})
    return Collection.from_toml(WEATHER)


@pytest.fixture
def watched(
    browser: object,
    tree: Path,
    survey: Collection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Watched]:
    from sudare.collector import app

    monkeypatch.setattr(app, "Pages", partial(app.Pages, folder=tree / "src/sudare/web"))
    with serve((survey,), tmp_path / "collector.sqlite3") as origin, fresh(browser, origin) as page:
        yield page


def test_the_page_is_the_whole_of_it(tree: Path) -> None:
    changed = [path for path, language, _ in BLOCKS if language == "diff"]
    assert changed == [
        "src/sudare/collection/questions/__init__.py",
        "src/sudare/web/js/questions/index.js",
        "src/sudare/web/js/type-loader.js",
    ]
    assert [path for path, _, _ in BLOCKS if path not in changed] == [
        "src/sudare/collection/questions/scale.py",
        "src/sudare/web/js/questions/scale/index.js",
        "src/sudare/web/js/questions/scale/words.js",
        "tests/js/scale.test.js",
    ]


def test_the_package_knows_it(tree: Path) -> None:
    (tree / "weather.toml").write_text(WEATHER, "utf-8")
    told = subprocess.run(
        [sys.executable, "-m", "sudare", "plan", "weather.toml"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "pleasant" in told.stdout, told.stderr


def test_its_modules_pass_their_tests_and_have_types(tree: Path) -> None:
    node, tsc = shutil.which("node"), ROOT / "node_modules/typescript/lib/tsc.js"
    if node is None:
        pytest.skip("node is not installed")
    subprocess.run([node, "--test", tree / "tests/js/scale.test.js"], check=True, timeout=120)
    if tsc.exists():  # installed by npm
        (tree / "node_modules").symlink_to(tsc.parents[2])
        shutil.copy(ROOT / "tsconfig.json", tree)
        subprocess.run([node, tsc, "--noEmit", "-p", tree], check=True, timeout=300)


@pytest.mark.parametrize(
    ("language", "best", "missing", "heading"),
    [
        ("en", "4 (the best)", "Please choose a number here.", "How pleasant was the weather?"),
        ("ja", "4（最高）", "ここで数を一つ選んでください。", "天気はいかがでしたか？"),
    ],
)
def test_it_is_answered_sent_and_shown(
    watched: Watched, survey: Collection, language: str, best: str, missing: str, heading: str
) -> None:
    page = watched.page
    watched.open(f"/weather?lang={language}")
    page.locator("button[type=submit]").click()
    assert page.locator(".missing:visible").inner_text() == missing
    watched.check_small()
    page.get_by_role("radio", name=best, exact=True).check()
    watched.send()
    (sent,) = watched.posts
    (question,) = survey.questions
    (support,) = survey.tally(payload(sent))
    assert support.n == 1
    expect(page.locator("dd.report, dd.report-bits")).to_have_count(1)
    assert watched.counts("weather")["n"] == 1

    marks = map(question.encode, (1, 4, 4) * 200)
    watched.deliver("weather", [question.randomise(mark) for mark in marks])
    watched.open(f"/weather/results?lang={language}")
    page.wait_for_selector(".bars li")
    assert page.locator("h2").first.inner_text() == heading
    cells = watched.results("weather")["questions"][0]["cells"]
    shown = page.locator(".bars li").evaluate_all("all => all.map((one) => one.dataset.choice)")
    assert shown == [cell["choice"] for cell in cells] == list(question.choices)
    watched.check_small()
