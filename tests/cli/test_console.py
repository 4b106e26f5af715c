"""Tables on narrow terminals: nothing is cut off."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sudare.cli import console
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]
ROWS = [
    ["HierarchicalHistogram of a long name", "2.910e-02", "± 12.34 %", "1,234 + 56,789", "OUE"],
    ["日本語の項目です日本語の項目です", "1.000e-10", "–", "", "SubsetSelection"],
]
HEADS = ["mechanism", "expected MSE", "95 % interval", "nanoseconds of a respondent", "best"]


def cells_of(text: str) -> list[list[str]]:
    """Return the text of each cell of a table, row by row, its folded lines joined."""
    rows: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line[:1] in "├┡":
            rows.append([])
        elif line[:1] in "│┃":
            rows[-1].append([part.strip() for part in line.replace("┃", "│").split("│")[1:-1]])
    return [["".join(part) for part in zip(*lines, strict=True)] for lines in rows]


def bare(cells: list[str]) -> list[str]:
    return [cell.replace(" ", "") for cell in cells]


@cases("width", [200, 100, 80, 60, 40])
def test_no_character_of_a_table_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for row in ROWS:
        console.print_table("title", HEADS, [row])
        text = capsys.readouterr().out
        heads: list[str] = []
        found: list[str] = []
        for block in text.split("┏")[1:]:
            one, other = map(bare, cells_of(block))
            heads, found = heads + one[len(heads) > 0 :], found + other[len(found) > 0 :]
        assert (heads, found) == (bare(HEADS), bare(row))
        assert all(figure in text for figure in row[1:4])
        assert max(map(len, text.splitlines())) <= width


def test_figures_and_heads_are_whole_at_80_columns(
    sudare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = ("compare", "-k", 10, "-n", 100, "--epsilon", 1, "--repetitions", 2)
    status, text, _ = sudare(*asked, "--seed", "a")
    assert status == 0
    heads = cells_of(text)[0]
    assert bare(heads) == ["mechanism", "ε", "MSE", "measured", "bytes", "ns", "guess%"]
    assert "2.910e-02" in text

    survey = tmp_path / "survey.toml"
    survey.write_text(
        '[collection]\nname = "way"\nepsilon = 1.0\n[[question]]\nid = "how-long-each-day"\n'
        'type = "number"\nwanted = "distribution"\nbins = 64\ntext = "?"\nlow = 0\nhigh = 120\n'
    )
    status, text, _ = sudare("plan", survey, "-n", 12345)
    assert status == 0
    heads, row = cells_of(text.split("Respondents needed")[0])
    assert bare(heads) == ["question", "mechanism", "ε", "bytes", "std.error", "95%interval"]
    assert row[:2] == ["how-long-each-day", "HierarchicalHistogram"]


@cases("width", [80, 60, 40])
def test_ids_are_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    ids = ["a815e5c19d1b", "token f0e1d2c3b4a5", "session c0ffee01beef", '"x": "beefc0ffee01"']
    row = ["anna@example.org", "read run export admin", "all", "2030-01-01 00:00", "never"]
    for id in ids:
        console.print_table("title", ["id", "name", "scopes", "surveys", "ends", "last use"],
                            [[id, *row], ["b0b0b0b0b0b0", *row]])  # fmt: skip
        text = capsys.readouterr().out
        assert id.split()[-1] in text, (width, text)
        assert max(map(len, text.splitlines())) <= width


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Part:
    rows: int


@cases("items, told", [([Part(1000)] * 3, True), ([1, 2, 3], False)])
def test_a_bar_tells_how_many_rows_a_second(
    items: list[object], told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "120")
    assert list(console.progress(items, 3, "counting")) == items
    assert "100%" in shown.getvalue()
    assert ("rows/s" in shown.getvalue()) is told
    before = shown.tell()
    assert list(console.progress(items, 3, "counting", quiet=True)) == items
    assert shown.tell() == before
