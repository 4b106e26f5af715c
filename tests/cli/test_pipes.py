"""Standard input and output: what a command does with a file it does with ``-``."""

from __future__ import annotations

import gc
import io
import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.files import places, read_blocks
from sudare.ledger import Ledger

PEOPLE = "region,sex\n" + "north,f\nsouth,m\nnorth,f\n" * 500
LISTED = ("--categories", "north,south,west")


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Any:
    def give(data: str | bytes) -> None:
        raw = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))

    return give


def forms(folder: Path) -> dict[str, bytes]:
    import gzip

    lines = [
        dict(zip(("region", "sex"), row.split(","), strict=True)) for row in PEOPLE.split()[1:]
    ]
    pq.write_table(pa.Table.from_pylist(lines), folder / "p.parquet")
    return {
        "csv": PEOPLE.encode(),
        "bom": b"\xef\xbb\xbf" + PEOPLE.encode(),
        "gzip": gzip.compress(PEOPLE.encode()),
        "jsonl": "".join(json.dumps(line) + "\n" for line in lines).encode(),
        "parquet": (folder / "p.parquet").read_bytes(),
    }


@pytest.mark.parametrize("form", ["csv", "bom", "gzip", "jsonl", "parquet"])
def test_standard_input_is_told_by_its_first_bytes(
    sudare: Any, stdin: Any, tmp_path: Path, form: str
) -> None:
    column = "--column", "sex" if form == "bom" else "region"
    words = ("simulate", "-", *column, "--epsilon", "1", "--seed", "s", "--json")
    stdin(forms(tmp_path)[form])
    status, text, error = sudare(*words)  # read twice: for categories, then rows
    assert (status, error) == (0, "")
    assert json.loads(text)["n"] == 1500


def test_reports_through_pipes(sudare: Any, stdin: Any, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    given = ("--column", "region", "--epsilon", "1", *LISTED, "--seed", "s", "--mechanism", "GRR")
    out = tmp_path / "reports.csv"
    assert sudare("perturb", tmp_path / "people.csv", *given, "--out", out)[0] == 0
    stdin(PEOPLE)
    status, rows, said = sudare("perturb", "-", *given, "--out", "-")
    assert status == 0
    assert rows == out.read_text()
    assert "1,500 reports of GRR" in said
    stdin(rows)
    mechanism = ("--mechanism", "GRR", "-k", "3", "--epsilon", "1")
    piped = json.loads(sudare("estimate", "-", *mechanism, "--json")[1])
    direct = json.loads(sudare("estimate", out, "--json")[1])
    assert [c["share"] for c in piped["cells"]] == [c["share"] for c in direct["cells"]]
    stdin(rows)
    assert "manifest of - is missing" in sudare("estimate", "-")[2]
    stdin(rows)
    table = sudare("estimate", "-", *mechanism, "--out", "-")[1]
    assert sudare("estimate", out, "--out", tmp_path / "shares.csv")[0] == 0
    written = (tmp_path / "shares.csv").read_text().replace("north", "0")
    assert table.split() == written.replace("south", "1").replace("west", "2").split()
    for words in (("perturb", "-", *given), ("estimate", "-", *mechanism)):
        status, _, error = sudare(*words, "--out", "-", "--json")
        assert (status, "write to one place" in error) == (2, True)


def test_several_columns_through_pipes(sudare: Any, stdin: Any) -> None:
    listed = ("--categories", "north,south", "--categories", "f,m")
    stdin(PEOPLE)
    words = ("perturb", "-", "--columns", "region,sex", "--epsilon", "1", *listed, "--out", "-")
    status, rows, said = sudare(*words)
    assert status == 0
    assert rows.splitlines()[0] == "region,sex"
    assert "1,500 reports of 2 columns" in said
    stdin(rows)
    words = ("--columns", "region,sex", "--sizes", "2,2", "--epsilon", "1", "--json")
    status, text, _ = sudare("tables", "-", *words)
    assert json.loads(text)["n"] == 1500


def test_a_parquet_file_carries_its_manifest_through_a_pipe(
    sudare: Any, stdin: Any, tmp_path: Path
) -> None:
    m = sd.GRR(2, 1.0)
    path = tmp_path / "r.parquet"
    sd.files.write_reports(path, m, [m.perturb([0, 1] * 50)], categories=["tea", "coffee"])
    stdin(path.read_bytes())
    cells = json.loads(sudare("estimate", "-", "--json")[1])["cells"]
    assert [cell["category"] for cell in cells] == ["tea", "coffee"]


def test_release_map_and_ledger(sudare: Any, stdin: Any, tmp_path: Path) -> None:
    stdin("score\n" + "70\n80\n" * 1000)
    words = ("--ask", "mean:score", "--bounds", "score=0,100", "--epsilon", "1", "--json")
    status, text, _ = sudare("release", "-", *words)
    assert status == 0
    assert abs(json.loads(text)["answers"][0]["value"] - 75) < 5
    stdin("cell,people\n" + "".join(f"{i},{i}\n" for i in range(1, 16)))
    grid = ("--cell", "100x100", "--rows", "4", "--columns", "4", "--epsilon", "0.01")
    status, text, _ = sudare("map", *grid, "--prior", "-", "--json")
    assert (status, json.loads(text)["cells_with_people"]) == (0, 15)
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.open("ann", epsilon=1)
    status, events, _ = sudare("ledger", "export", tmp_path / "l.db", "-")
    stdin(events)
    assert json.loads(sudare("ledger", "check", "-", "--json")[1])["events"] == 1


def test_standard_input_is_kept_for_its_owner_alone_and_not_for_long() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PEOPLE.encode())))
        kept = places.source("-").path
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert sum(len(part) for part in read_blocks("-", "region")) == 1500
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"region\nwest\n")))
        assert sum(len(part) for part in read_blocks("-", "region")) == 1
    gc.collect()
    assert not kept.exists()


def test_a_real_pipe(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "sudare", "perturb", "-", "--column", "region", "--epsilon", "1"]
    command = [*run, *LISTED, "--out", "-"]
    done = subprocess.run(command, input=PEOPLE, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 1501
    assert done.stderr.startswith("1,500 reports of")
