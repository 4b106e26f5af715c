"""``sudare study`` from end to end."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sudare.cli import main
from sudare.data.movielens import EXTRACT, ORIGINAL
from sudare.data.tokyo import SQUARES
from sudare.studies import Report, Setting, catalogue, names, study
from sudare.studies.key_value.setting import rated
from sudare.studies.location.setting import port
from sudare.words import say


def run(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    try:
        status = main(("study", *arguments))
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def check_folder(folder: Path, language: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["parameters"]["language"] == language
    assert manifest["data"][0]["origin"]["url"].startswith("https://")
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    page = (folder / "report.html").read_text("utf-8")
    assert f'<html lang="{language}">' in page
    assert page.count('<article class="claim"') >= 30
    assert page.count("<img ") == len(list((folder / "figures").glob("*.svg"))) == 10
    for word in ("2.818", "2.615", "0.78699", "12.63"):
        assert word in page
    known = set(re.findall(r'href="((?:figures|tables)/[^"]+)"', page))
    assert known == {
        f"{part.name}/{path.name}"
        for part in (folder / "figures", folder / "tables")
        for path in part.iterdir()
    }


@pytest.mark.slow
def test_in_english(capsys: Any, tmp_path: Path, built_once: Any) -> None:
    built_once("grr-oue")
    out = tmp_path / "en"
    status, text, err = run(capsys, "grr-oue", "--out", str(out), "--repetitions", "2")
    assert status == 0
    assert re.search(r"^drawing: 0 of \d+$", err, re.MULTILINE)  # no terminal: lines, no bar
    assert "does not hold" in text
    assert str(out / "report.html") in text
    check_folder(out, "en")


@pytest.mark.slow
def test_in_japanese_as_json(capsys: Any, tmp_path: Path, built_once: Any) -> None:
    built_once("grr-oue")
    out = tmp_path / "ja"
    options = ("--repetitions", "2", "--language", "ja", "--json")
    status, text, err = run(capsys, "grr-oue", "--out", str(out), *options)
    assert (status, err) == (0, "")
    told = json.loads(text)
    assert told["claims"] == sum(told["verdicts"].values()) >= 30
    assert {str(p.relative_to(out)) for p in out.rglob("*.*")} == set(told["files"])
    check_folder(out, "ja")
    assert "成り立たない" in (out / "report.md").read_text("utf-8")


def test_the_help_and_the_docs_say_the_defaults_that_hold(capsys: Any) -> None:
    status, text, _ = run(capsys, "--help")
    assert status == 0
    page = (Path(__file__).parents[2] / "docs/command-line.md").read_text("utf-8")
    row = next(one for one in page.splitlines() if "`--repetitions` | of each" in one)
    for said in (" ".join(text.split()), row.replace("`", "").replace(",000", "000")):
        usual, others = re.search(r"default:? (\d+); ([^)]*)\)", said).groups()  # type: ignore[union-attr]
        told = {name: int(number) for name, number in re.findall(r"([\w-]+) (\d+)", others)}
        assert {n: told.get(n, int(usual)) for n in names()} == {
            n: study(n).repetitions for n in names()
        }
    assert say(study("key-value").printed, "en") == "10 for accuracy, 50 for attacks"


def test_data_that_are_left_out_are_named_with_the_ways_to_get_them(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(setting: Setting) -> Report:
        assert rated(setting) is None
        assert port(setting) is None
        return Report((), ())

    one = replace(study("key-value"), build=build, setting=Setting)
    monkeypatch.setattr("sudare.studies.catalogue.study", lambda _: one)
    for name in ("SUDARE_DATA", "SUDARE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    out = tmp_path / "out"
    status, text, _ = run(capsys, "key-value", "--out", str(out))
    assert status == 0
    told = " ".join(text.split())
    page = (out / "report.md").read_text("utf-8").replace("\\", "")
    html = (out / "report.html").read_text("utf-8")
    for place in (told, page, html):
        for word in (EXTRACT.name, EXTRACT.sha256, ORIGINAL.url, "SUDARE_DATA", "--download"):
            assert word in place
        assert SQUARES.name in place
    assert told.count("--download") == 1  # squares of Tokyo have no address
    status, text, _ = run(capsys, "key-value", "--out", str(out), "--json", "--force")
    assert [forms[0]["file"] for forms in json.loads(text)["left_out"]] == [
        EXTRACT.name,
        SQUARES.name,
    ]
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert [form["file"] for form in manifest["left out"][0]] == [EXTRACT.name, ORIGINAL.name]


def test_list(capsys: Any) -> None:
    status, text, _ = run(capsys, "--list")
    assert status == 0
    assert "grr-oue" in text
    status, text, _ = run(capsys, "--list", "--json")
    assert [found["name"] for found in json.loads(text)] == catalogue.names()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "STUDY must be one of"),
        (("none", "--out", "x"), "unknown study 'none'; there are"),
        (("grr-oue",), "--out must name a folder"),
        (("grr-oue", "--out", "x", "--language", "fr"), "invalid choice"),
        (("grr-oue", "--out", "x", "--repetitions", "1"), "repetitions must be >= 2"),
        (("grr-oue", "--out", "x", "--repetitions", "many"), "must be a whole number, got 'many'"),
        (("grr-oue", "--out", "file/x"), "cannot be written"),
    ],
)
def test_one_clear_line_and_status_2(
    capsys: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    word: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert word in err


def test_a_wrong_data_file_is_told(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coarse: None
) -> None:
    (tmp_path / "eshop_clothing_2008.csv.gz").write_bytes(b"other")
    monkeypatch.setenv("SUDARE_DATA", str(tmp_path))
    status, _, err = run(capsys, "grr-oue", "--out", str(tmp_path / "out"))
    assert status == 2
    assert "SHA-256" in err
