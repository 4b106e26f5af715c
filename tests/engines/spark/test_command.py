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


def test_folders_are_read_by_the_same_rule(
    local: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Letters of any size, what is no table, a log: as one process reads and refuses them."""
    m = sd.GRR(4, 1.0)
    folder = tmp_path / "people"
    folder.mkdir()
    write_reports(tmp_path / "r.parquet", m, [m.perturb([0, 1, 2, 3] * 100)])
    table = pq.read_table(tmp_path / "r.parquet")
    for name in ("a.PARQUET", "b.parq"):
        pq.write_table(table, folder / name)
    spark = ["--engine", "spark", "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    mean = ["--ask", "mean:report", "--bounds", "report=0,3", "--epsilon", "1", "--seed", "x"]
    estimate = ["estimate", str(folder), "--mechanism", "GRR", "-k", "4", "--epsilon"]
    for words in ([*estimate, "1", "--json"], ["release", str(folder), *mean, "--json"]):
        assert main(words) == 0
        expected = capsys.readouterr().out
        assert main([*words, *spark]) == 0
        assert capsys.readouterr().out == expected
    (folder / "c.pq").write_bytes((folder / "b.parq").read_bytes())
    for change, word in (
        (lambda: None, ""),
        ((folder / "notes.txt").touch, "notes.txt"),
        ((folder / "_delta_log").mkdir, "whose log says which rows are left"),
    ):
        change()
        for words in ([*estimate, "2"], ["release", str(folder), *mean]):
            for how in ([], spark):
                refused = main([*words, *how]) == 2
                error = capsys.readouterr().err
                if word:
                    assert refused
                    assert word in error
                elif words[0] == "estimate":
                    assert "must be the manifest's, GRR(k=4, epsilon=1.0)" in error
        if word == "notes.txt":
            (folder / word).unlink()


def test_options_of_spark_need_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "r.parquet", "--master", "yarn"]) == 2
    assert "--master is for Spark; add --engine spark" in capsys.readouterr().err
    assert main(["estimate", "r.parquet", "--engine", "spark", "--conf", "x"]) == 2
    assert "--conf must be NAME=VALUE, got 'x'" in capsys.readouterr().err
