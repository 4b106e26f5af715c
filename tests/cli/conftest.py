"""Running the command line, and a small file of people in every format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sudare.cli import main

Run = Callable[..., tuple[int, str, str]]
REGIONS = ("north", "south", "west")


@pytest.fixture
def sudare(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            status = int(exit_.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture(scope="session")
def regions() -> np.ndarray:
    """Return 70,000 people's regions as indices: more than one block."""
    return np.random.default_rng(5).choice(3, 70_000, p=[0.6, 0.3, 0.1])


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory, regions: np.ndarray) -> dict[str, Path]:
    """Write the people to a file of each format; other columns tell who they are."""
    from pyarrow import csv, parquet

    folder = tmp_path_factory.mktemp("crowd")
    names = [REGIONS[i] for i in regions]
    paths = {kind: folder / f"crowd.{kind}" for kind in ("csv", "csv.gz", "jsonl", "parquet")}
    text = "id,region\n" + "".join(f"person{i},{name}\n" for i, name in enumerate(names))
    paths["csv"].write_text(text, "utf-8")
    paths["csv.gz"].write_bytes(gzip.compress(text.encode(), compresslevel=1))
    lines = [json.dumps({"id": f"person{i}", "region": name}) for i, name in enumerate(names)]
    paths["jsonl"].write_text("\n".join(lines), "utf-8")
    parquet.write_table(csv.read_csv(paths["csv"]), paths["parquet"])
    return paths
