"""The frame on a small study: everything is written, safe, reproducible, in both languages."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.data import DataFile
from sudare.studies import (
    Claim,
    Column,
    Figure,
    Report,
    Section,
    Setting,
    Study,
    Table,
    Text,
    Verdict,
    catalogue,
    names,
    run,
    study,
)

ODD = "<b>&\"'|`*_[x](y) $x$ ^"


def build(setting: Setting) -> Report:
    drawn = setting.rng("draw").take(4).hex()

    def draw(canvas: Any, say: Any) -> None:
        axes = canvas.subplots()
        axes.plot([1, 2], [0, -1], label=say(Text("a line $x", "線 $x")))
        axes.legend()

    return Report(
        (Text(f"{setting.repetitions} repetitions, {drawn}", f"{setting.repetitions}回、{drawn}"),),
        (
            Section(
                Text("Part one", "第1部"),
                (
                    Text("A paragraph with e^ε.", "段落 e^ε。"),
                    Claim("§1", Text("One", "一"), "1.0", "1.01", Verdict.ROUGHLY, ODD),
                    Claim("§2", ODD, "", "", Verdict.FAILS, Text("No", "否")),
                    Table(
                        "numbers",
                        Text("Numbers", "数"),
                        (Column(Text("name", "名前")), Column("x", ".2f"), Column(ODD)),
                        ((ODD, -1.23456, None), (Text("b", "乙"), 1e-9, "z")),
                    ),
                    Table("long", "Long", (Column("i", "d"),), ((1,), (2,)), in_report=False),
                    Figure("line", Text("A line", "線"), ODD, draw, (3, 2)),
                ),
            ),
        ),
        ({"cite": ODD, "licence": "CC0"},),
    )


TOY = Study("toy", Text("A toy <study>", "おもちゃ"), Text("Nobody", "なし"), 5, build)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue._HOMES, "toy", "toy_study")
    monkeypatch.setitem(sys.modules, "toy_study", type("Module", (), {"STUDY": TOY}))


class Page(HTMLParser):
    """Collects tags with their attributes, and checks that they close."""

    VOID = frozenset({"meta", "img"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_folder_is_complete(tmp_path: Path, language: Any) -> None:
    results = run("toy", tmp_path / "out", language=language)
    written = files(results.folder)
    assert set(results.files) == set(written)
    assert set(written) == {
        "report.html", "report.md", "manifest.json", "figures/line.png", "figures/line.svg",
        "tables/numbers.csv", "tables/long.csv",
    }  # fmt: skip
    manifest = json.loads(written["manifest.json"])
    assert manifest["parameters"] == {
        "study": "toy",
        "language": language,
        "repetitions": 5,
        "grids": "full",
    }
    assert manifest["entropy"] == "seeded('sudare')"
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256(written[name]).hexdigest() == digest
    assert set(manifest["sha256"]) == set(written) - {"manifest.json"}
    assert written["figures/line.png"].startswith(b"\x89PNG")


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    runs = [
        files(run("toy", tmp_path / str(i), seed=seed).folder)
        for i, seed in enumerate(("a", "a", "b", "\udcff"))
    ]
    assert runs[0] == runs[1]
    assert build(Setting(2, "a")).findings != build(Setting(2, "b")).findings
    assert b"'\\udcff'" in runs[3]["report.md"]


def test_data_that_are_not_here_are_loaded_only_where_a_download_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDARE_DATA", str(tmp_path))
    monkeypatch.setenv("SUDARE_CACHE", str(tmp_path))
    file = DataFile("some.csv", "", None, "https://some.example/", "free", "Nobody 2026.")
    stay, fetch = Setting(2, "a"), Setting(2, "a", download=True)
    assert stay.loaded(dict, file) is None
    assert fetch.loaded(dict, file) == {"download": True, "progress": fetch.progress}
    (tmp_path / "some.csv").write_text("1")
    assert stay.loaded(dict, file) == {"download": False, "progress": stay.progress}


def test_the_page_stands_alone(tmp_path: Path) -> None:
    text = (run("toy", tmp_path).folder / "report.html").read_text("utf-8")
    page = Page(text)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert all(
        str(image["src"]).startswith("data:image/svg+xml;base64,") for image in page.all("img")
    )
    assert all(image["alt"] for image in page.all("img"))
    for link in page.all("a"):
        assert re.match(r"#|figures/|tables/", str(link["href"]))
    assert "url(" not in text
    assert "@import" not in text
    (policy,) = [m for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert str(policy["content"]).startswith("default-src 'none'")
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        assert not str(link["href"]).startswith("#") or str(link["href"])[1:] in ids
    assert '<b>&"' not in text
    assert "e<sup>ε</sup>" in text
    assert page.all("html") == [{"lang": "en"}]
    assert {attributes.get("scope") for attributes in page.all("th")} == {"row", "col"}
    assert len(page.all("caption")) == 1


def test_the_page_says_it_in_japanese(tmp_path: Path) -> None:
    folder = run("toy", tmp_path, language="ja").folder
    for name in ("report.html", "report.md"):
        text = (folder / name).read_text("utf-8")
        for words in ("ほぼ成り立つ", "成り立たない", "原典の主張", "段落", "理由", "おもちゃ"):
            assert words in text
        assert "does not hold" not in text
    assert (folder / "tables/numbers.csv").read_text("utf-8").startswith("名前,")


def test_the_command_names_no_folder(tmp_path: Path) -> None:
    """Reports of the same arguments are the same wherever they lie."""
    text = (run("toy", tmp_path / "here").folder / "report.md").read_text("utf-8")
    assert "sudare study toy --language en --repetitions 5 --seed 'sudare'`" in text
    assert "--out" not in text


def test_markdown_is_escaped(tmp_path: Path) -> None:
    text = (run("toy", tmp_path).folder / "report.md").read_text("utf-8")
    assert "\\<b\\>" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| \\<b")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 4
    assert "−1.23" in row


def test_csv_has_full_precision(tmp_path: Path) -> None:
    folder = run("toy", tmp_path).folder
    with (folder / "tables/numbers.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert rows == [["name", "x", ODD], [ODD, "-1.23456", ""], ["b", "1e-09", "z"]]


def test_without_a_japanese_font_the_letters_are_english(
    tmp_path: Path, bundled_fonts: None
) -> None:
    folder = run("toy", tmp_path, language="ja").folder
    assert "日本語フォントが見つからない" in (folder / "report.html").read_text("utf-8")
    assert "日本語フォントが見つからない" in (folder / "report.md").read_text("utf-8")


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [m for m in sys.modules if m == "sudare.studies.drawing" or "matplotlib" in m]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("sudare.studies.drawing")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(sd.MissingExtraError, match=r"sudare\[plots\]"):
        run("toy", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "bad",
    [
        {"name": "none"}, {"name": None}, {"name": 3}, {"language": "fr"}, {"language": None},
        {"language": ["en"]}, {"repetitions": 1}, {"repetitions": -5}, {"repetitions": 10**9},
        {"repetitions": 2.5}, {"repetitions": True}, {"repetitions": "9"}, {"seed": 3},
        {"seed": None}, {"seed": b"x"}, {"out": None}, {"out": 3}, {"out": "nul\0"},
    ],
)  # fmt: skip
def test_bad_input(tmp_path: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        run(**{"name": "toy", "out": tmp_path / "out", **bad})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("part", ["", "figures", "report.html"])
def test_a_folder_that_cannot_be_written(tmp_path: Path, part: str) -> None:
    out = tmp_path / "out"
    if part == "report.html":
        (out / part).mkdir(parents=True)
    else:
        (out / part).parent.mkdir(parents=True, exist_ok=True)
        (out / part).write_text("in the way")
    with pytest.raises(sd.StorageError, match="cannot be written"):
        run("toy", out)


def test_an_earlier_report_is_replaced_whole_and_nothing_else_ever(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = files(run("toy", out, seed="a").folder)
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    manifest["sha256"] |= {"tables/gone.csv": "", "../mine.txt": "", "mine.txt": ""}
    (out / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    mine = {"mine.txt": b"mine", "figures/mine.png": b"mine"}
    for name, content in mine.items():
        (out / name).write_bytes(content)
    (tmp_path / "mine.txt").write_text("mine")
    (out / "tables/gone.csv").write_text("of an earlier version, which had one more")
    run("toy", out, seed="b")
    assert set(files(out)) == {*first, *mine}
    assert {name: files(out)[name] for name in mine} == mine
    assert files(out)["report.md"] != first["report.md"]
    assert {one.name for one in tmp_path.iterdir()} == {"out", "mine.txt"}


@pytest.mark.parametrize("there", ["", "empty", "report"])
@pytest.mark.parametrize("where", ["build", "drawing", "manifest", "exchange"])
def test_a_run_that_breaks_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str, where: str
) -> None:
    out = tmp_path / "out"
    if there == "empty":
        out.mkdir()
    before = files(run("toy", out).folder) if there == "report" else {}

    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    def stopped(source: Path, target: Path) -> Path:
        if target in (out / "report.md", out) and not broken:
            broken.append(target)
            raise KeyboardInterrupt
        return rename(source, target)

    rename, broken = Path.rename, list[Path]()
    if where == "exchange":
        monkeypatch.setattr(Path, "rename", stopped)
    elif where == "build":
        toy = Study("toy", Text("A toy", ""), Text("", ""), 5, stop)
        monkeypatch.setitem(sys.modules, "toy_study", type("Module", (), {"STUDY": toy}))
    elif where == "drawing":
        monkeypatch.setattr("sudare.studies.drawing.save", stop)
    else:
        monkeypatch.setattr("sudare.studies.output.write_manifest", stop)
    with pytest.raises(KeyboardInterrupt):
        run("toy", out, seed="b")
    assert files(tmp_path) == {f"out/{name}": content for name, content in before.items()}
    assert [one.name for one in tmp_path.iterdir()] == (["out"] if there else [])
    assert there != "empty" or not list(out.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_half_folder(tmp_path: Path, number: int) -> None:
    """A process of its own is stopped while it draws."""
    program = """
import os, sys
from pathlib import Path
from sudare.cli import main
from sudare.studies import Figure, Report, Section, Study, catalogue, drawing
from sudare.words import Text
def draw(canvas, say):
    os.kill(os.getpid(), int(sys.argv[1]))
    while True: pass
figure = Figure("line", "", "", draw)
study = Study("toy", Text("", ""), Text("", ""), 5,
    lambda _: Report((), (Section("", (figure,)),)))
catalogue.study = lambda name: study
sys.exit(main(["study", "joint", "--out", "new/report"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(int(number))],
        cwd=tmp_path, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 128 + number, done.stderr
    assert b"drawing: 0 of 1" in done.stderr
    assert files(tmp_path) == {}
    assert not list(tmp_path.glob("new/*"))


def test_progress_sees_all_the_work(tmp_path: Path) -> None:
    seen: list[str] = []

    def progress(items: Any, total: int, what: str) -> Any:
        seen.append(what)
        assert total == len(items)
        return items

    run("toy", tmp_path, progress=progress)
    assert seen == ["drawing"]


def test_the_catalogue() -> None:
    assert "grr-oue" in names()
    for name in names():
        found = study(name)
        assert found.name == name
        assert found.title.ja
        assert found.source.ja


def test_verdicts_are_counted() -> None:
    counted = build(Setting(2, "x")).verdicts
    assert counted[Verdict.ROUGHLY] == counted[Verdict.FAILS] == 1
    assert sum(counted.values()) == 2
    assert len({verdict.sign for verdict in Verdict}) == len(Verdict) == 5
