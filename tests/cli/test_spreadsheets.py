"""Tables that people open in a spreadsheet run nothing; files for programs stay as they are."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import sudare as sd
from sudare.collector import BackgroundCollector
from sudare.files.tables import as_cell, write_csv

Run = Callable[..., tuple[int, str, str]]
LABELS = ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "\rx", "＝1", " =1", "=cmd|' /C calc'!A0", "tea"]
PLAIN = ["tea", "-5", "+81", "1.5", "-1e5", "", "x=1", "a@b", "’", "[-2.5, -1.5)", "–", "(-1)"]


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def safe(text: str) -> bool:
    return all(as_cell(cell) == cell for cell in cells(text))


def test_text_that_begins_a_formula_gets_an_apostrophe(tmp_path: Path) -> None:
    for label in LABELS[:-1]:
        assert as_cell(label) == f"'{label}"
        assert as_cell(as_cell(label)) == f"'{label}"
    for other in (*PLAIN, None, -0.5, -3, float("-inf")):
        assert as_cell(other) is other
    rows = [{"label": label, "value": -0.5} for label in [*LABELS, *PLAIN]]
    for data in (False, True):
        path = write_csv(tmp_path / "a.csv", rows, data=data)
        assert safe(path.read_text("utf-8")) is not data
        with path.open(encoding="utf-8", newline="") as file:
            found = [row["label"] for row in csv.DictReader(file)]
        assert [one.removeprefix("'") for one in found] == [*LABELS, *PLAIN]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    shown = [label for label in LABELS if label.isprintable() and label == label.strip()]
    names = json.dumps([f"c{i}" for i in range(len(shown))])
    choices = f"choices = {names}\nlabels = {{ en = {json.dumps(shown)} }}"
    path = tmp_path / "survey.toml"
    head = '[collection]\nname = "tea"\nepsilon = 2\npublish_at = 1\n[[question]]\nid = "q"\n'
    path.write_text(f'{head}type = "choice"\ntext = "=1+1"\n{choices}\n', "utf-8")
    return path


def test_every_table_of_a_command_is_safe(sudare: Run, survey: Path, tmp_path: Path) -> None:
    people, database = tmp_path / "people.csv", tmp_path / "tea.sqlite3"
    labels = [one for one in LABELS if one.isprintable() and one == one.strip()]
    with people.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["region"], *([one] for one in labels * 30)])
    collection = sd.Collection.load(survey)
    with BackgroundCollector([collection], database) as running:
        device = sd.Client(collection)
        device.send(device.answer({"q": "c0"}), running.url)
    listed = ("--categories", ",".join(labels))
    reports, out = tmp_path / "reports.parquet", tmp_path / "estimates.csv"
    written = []
    for command, made in (
        (("export", survey, "--database", database, "--out", tmp_path / "f.csv"), "f.csv"),
        (("export", survey, "--database", database, "--out", tmp_path / "c.csv", "--what",
          "counts"), "c.csv"),
        (("perturb", people, "--column", "region", *listed, "--epsilon", "1", "--out", reports),
         None),
        (("estimate", reports, "--out", out), "estimates.csv"),
        (("release", people, "--ask", "histogram:region=+x,-x,tea", "--epsilon", "1",
          "--out", tmp_path / "released"), "released/release.csv"),
    ):  # fmt: skip
        status, _, error = sudare(*command)
        assert status == 0, (command, error)
        if made is not None:
            written.append(made)
            text = (tmp_path / made).read_text("utf-8")
            assert safe(text), made
            assert any(cell.startswith("'") for cell in cells(text)) or made == "c.csv", made
    assert len(written) == 4
