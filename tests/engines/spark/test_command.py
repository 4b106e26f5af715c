"""``--engine spark``: the figures of the embedded engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet as pq

import sudare as sd
from sudare.cli import main
from sudare.engines import tables
from sudare.files.reports import write_reports

pytestmark = pytest.mark.spark


def test_same_figures(
    local: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = sd.GRR(4, 1.0)
    for file in range(2):
        parts = [m.perturb([file, 1, 2, 3] * 100)]
        write_reports(tmp_path / f"{file}.parquet", m, parts, categories=list("abcd"))
    words = ["estimate", *(str(tmp_path / f"{file}.parquet") for file in range(2))]
    assert main([*words, "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    spark = ["--engine", "spark", "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    assert main([*words, *spark, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == expected
    assert main(["estimate", str(tmp_path), *spark]) == 0
    assert "n = 800" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path.parent)  # not where executors are: Spark's began elsewhere
    assert main(["estimate", tmp_path.name, *spark]) == 0
    assert "n = 800" in capsys.readouterr().out


def test_same_tables(
    local: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m, folder = sd.JointRR([4, 3, 2], epsilon=[1.0, 2.0, 1.0]), tmp_path / "reports"
    folder.mkdir()
    for file in range(2):
        rows = np.random.default_rng(file).integers(0, m.sizes, (700, 3))
        write_reports(folder / f"{file}.parquet", m, [m.perturb(rows)], columns=list("abc"))
    words = ["tables", str(folder), "--out", str(tmp_path / "here"), "--json"]
    assert main(words) == 0
    expected = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(tables, "PASS_CELLS", 12)  # a table or two a pass
    words[3] = str(tmp_path / "there")
    spark = ["--engine", "spark", "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    assert main([*words, *spark]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found | {"files": None} == expected | {"files": None}
    here, there = (pq.read_table(tmp_path / one / "tables.parquet") for one in ("here", "there"))
    assert here.equals(there)


def test_options_of_spark_need_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "r.parquet", "--master", "yarn"]) == 2
    assert "--master is for Spark; add --engine spark" in capsys.readouterr().err
    assert main(["estimate", "r.parquet", "--engine", "spark", "--conf", "x"]) == 2
    assert "--conf must be NAME=VALUE, got 'x'" in capsys.readouterr().err
