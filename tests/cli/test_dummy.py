"""``sudare dummy``: a file to write a program against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from sudare.release import Definition
from tests.cases import cases

TOLD = """
name = "clinic"
file = "nowhere.csv"
[budget]
epsilon = 1
[bounds]
age = [0, 120]
born = [1900-01-01, 2020-12-31]
[categories]
smokes = [true, false]
"""


@cases("kind", ["csv", "jsonl", "parquet"])
def test_the_command(sudare: Any, tmp_path: Path, kind: str) -> None:
    """A file that `sudare release` reads as it would read the data."""
    told, out = tmp_path / "clinic.toml", tmp_path / f"dummy.{kind}"
    told.write_text(TOLD)
    assert sudare("dummy", told, "--rows", 50, "--out", out)[0] == 0
    if kind == "parquet":
        assert pq.read_table(out).column_names == list(Definition.load(told).dummy(1))
    status, text, error = sudare(
        "release", out, "--ask", "mean:age", "--ask", "count:smokes=true", "--bounds", "age=0,120",
        "--epsilon", 1, "--json",
    )  # fmt: skip
    assert (status, error) == (0, "")
    assert json.loads(text)["privacy"]["protection"]["rows"] == 50
    for wrong in (["--rows", 0], ["--rows", "x"], ["--rows", 2_000_000]):
        assert sudare("dummy", told, "--out", out, *wrong)[0] == 2
