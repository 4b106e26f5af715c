"""Adult: both forms of its files, its categories, and the table that ships."""

from __future__ import annotations

import gzip
import hashlib
import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.data import adult, adult_table, find
from tests.cases import cases

PERSON = "{}, Private, 1, Bachelors, 13, Never-married, {}, Own-child, {}, {}, 0, 0, 40, Peru, {}"
TRAIN = [("39", "Sales", "White", "Male", "<=50K"), ("17", "?", "Black", "Female", "<=50K")]
TEST = [("90", "Sales", "Other", "Female", ">50K"), ("20", "Sales", "White", "Male", "<=50K")]


def write_parts(folder: Path) -> None:
    train = "\n".join(PERSON.format(*person) for person in TRAIN)
    test = "\n".join(PERSON.format(*person) + "." for person in TEST)
    (folder / "adult.data").write_text(f"{train}\n\n", encoding="utf-8")
    (folder / "adult.test").write_text(f"|1x3 Cross validator\n{test}\n\n", encoding="utf-8")


def write_extract(folder: Path) -> None:
    rows = [PERSON.format(*person).replace(", ", ",") + ",train" for person in [*TRAIN, *TEST]]
    with gzip.open(folder / "adult.csv.gz", "wt", encoding="utf-8") as text:
        text.write("\n".join(["age,...", *rows, ""]))


def accept(folder: Path, patch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("sudare.data.adult")
    for name in ("EXTRACT", "TRAIN", "TEST"):
        form = getattr(module, name)
        path = folder / form.name
        if path.exists():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            patch.setattr(module, name, replace(form, sha256=digest))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUDARE_DATA", str(tmp_path))
    monkeypatch.setenv("SUDARE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_what_is_missing_is_named_with_all_its_parts() -> None:
    with pytest.raises(sd.StorageError) as caught:
        adult()
    for word in ("as adult.data", "as adult.test", "download=True", "SUDARE_DATA"):
        assert word in str(caught.value)


@pytest.mark.parametrize("write", [write_parts, write_extract])
def test_both_forms(folder: Path, monkeypatch: pytest.MonkeyPatch, write: Any) -> None:
    write(folder)
    with pytest.raises(sd.StorageError, match="SHA-256"):
        adult()
    accept(folder, monkeypatch)
    people = adult(["race", "age", "income", "sex"])
    assert people.values.tolist() == [[0, 4, 0, 1], [4, 15, 1, 0], [0, 1, 0, 1]]
    assert people.sizes == (5, 16, 2, 2)
    assert people.categories[1][4] == "35–39"
    assert people.table.shape == people.sizes
    assert adult(["sex"]).table.tolist() == [1, 2]
    assert "doi:10.24432" in people.attribution


def test_a_missing_part_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sd.StorageError, match=r"adult\.data.*SUDARE_DATA"):
        adult()
    write_parts(folder)
    accept(folder, monkeypatch)
    (folder / "adult.test").unlink()
    with pytest.raises(sd.StorageError, match=r"adult\.test"):
        adult()


@cases("bad", [(), "age", None, 3, ["age", "age"], ["height"], [None], {"age"}])
def test_attributes(bad: Any) -> None:
    with pytest.raises(sd.DomainError, match="attributes"):
        adult(bad)


def test_the_table_that_ships() -> None:
    table = adult_table()
    assert table.shape == (16, 5)
    assert table.sum() == 45_222
    assert table[:, 0].sum() == 38_903
    assert ((table / 45_222) ** 2).sum() == pytest.approx(0.0793, abs=5e-5)


def test_the_real_rows() -> None:
    if find("adult.csv.gz") is None:
        pytest.skip("adult.csv.gz is not in SUDARE_DATA")
    people = adult(("age", "race", "sex", "income"))
    assert np.array_equal(people.table.sum(axis=(2, 3)), adult_table())
    assert people.table.sum(axis=(0, 1, 2)).tolist() == [34_014, 11_208]
