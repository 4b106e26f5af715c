"""Clothing: the counts, the same counted from the provider's ratings, and what is refused."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.data import clothing, find
from sudare.errors import StorageError
from tests.cases import cases

# item 30 has three people, 4 two, 200 two
ROWS = ["4,2,1,0,0,0,1", "30,3,0,0,1,0,2", "200,2,0,0,0,2,0"]
TEXT = "\n".join(["item_id,users,rated_2,rated_4,rated_6,rated_8,rated_10", *ROWS, ""])
RATINGS: list[tuple[str, int, int | None]] = [
    ("a", 30, 10),
    ("b", 30, 6),
    ("a", 4, 2),
    ("c", 4, 10),
    ("a", 200, 8),
    ("b", 200, 8),
]
RATINGS = [*RATINGS, ("c", 30, 10), ("d", 30, None)]
AGAIN = ("a", 30, 4)


def extract(path: Path) -> str:
    path.write_bytes(gzip.compress(TEXT.encode()))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ratings(path: Path, rows: list[tuple[str, int, int | None]]) -> str:
    told = [
        {"user_id": user, "item_id": str(item), "rating": None if r is None else str(r), "fit": "x"}
        for user, item, r in rows
    ]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, told)).encode()))
    return hashlib.sha256(TEXT.encode()).hexdigest()


def original(path: Path) -> str:
    return ratings(path, [*RATINGS, AGAIN])  # a repeated pair counts once, here the first


def reverse(path: Path) -> str:
    return ratings(path, [AGAIN, *RATINGS])  # ... or the last


FORMS = [("EXTRACT", extract), ("ORIGINAL", original), ("ORIGINAL", reverse)]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SUDARE_DATA", str(tmp_path))
    monkeypatch.setenv("SUDARE_CACHE", str(tmp_path / "cache"))
    return importlib.import_module("sudare.data.clothing")


def accept(module: Any, patch: pytest.MonkeyPatch, name: str, digest: str) -> None:
    patch.setattr(module, name, replace(getattr(module, name), sha256=digest))
    if name == "ORIGINAL":
        patch.setattr(module, "COUNTS", digest)


@pytest.mark.parametrize(("name", "write"), FORMS)
def test_both_forms(
    module: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    write: Callable[[Path], str],
) -> None:
    digest = write(tmp_path / getattr(module, name).name)
    with pytest.raises(StorageError, match="SHA-256"):
        clothing(2)
    accept(module, monkeypatch, name, digest)
    found = clothing(2)
    assert found.keys == ("30", "4")  # the most rated first, of equals the lower number
    assert found.n == 105_508
    np.testing.assert_allclose(found.frequency, np.array([3, 2]) / 105_508)
    np.testing.assert_allclose(found.mean, [2 / 3, 0])
    assert clothing(3).keys == ("30", "4", "200")


OTHERS = {
    "no gzip": b"no gzip",
    "no item": gzip.compress(b'{"user_id": "a", "rating": "2"}\n'),
    "no JSON": gzip.compress(b"no JSON\n"),
    "a list": gzip.compress(b"[1]\n"),
    "a number": gzip.compress(b"7\n"),
    "no UTF-8": gzip.compress(b"\xff\xfe\n"),
    "a list of users": gzip.compress(b'{"user_id": [], "item_id": "1", "rating": "2"}\n'),
    "cut short": gzip.compress(b"{}\n" * 999)[:-9],
    "other ratings": gzip.compress(b'{"user_id": "a", "item_id": "1", "rating": "2"}\n'),
    "empty": b"",
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_ratings_are_refused(module: Any, tmp_path: Path, kind: str) -> None:
    (tmp_path / module.ORIGINAL.name).write_bytes(OTHERS[kind])
    with pytest.raises(StorageError, match="SHA-256"):
        clothing()


def test_a_missing_file_is_named(module: Any) -> None:
    with pytest.raises(StorageError) as caught:
        clothing()
    for word in ("mcauleylab.ucsd.edu", "SUDARE_DATA", "--download"):
        assert word in str(caught.value)


@cases("bad", [1, 0, -3, 5_851, 2.5, None, "50", True, float("nan")])
def test_items(bad: Any) -> None:
    with pytest.raises(sd.SudareError, match="items"):
        clothing(bad)


def test_the_real_counts(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    path = find("renttherunway_item_counts.csv.gz")
    if path is None:
        pytest.skip("renttherunway_item_counts.csv.gz is not in SUDARE_DATA")
    found = clothing()
    assert found.keys[0] == "126335"
    assert found.frequency[0] == 2_229 / 105_508
    assert found.mean.min() > 0.5
    assert "Misra" in found.attribution
    table = module._read(path)
    assert module._sha256(table) == module.COUNTS
    assert len(table) == module.ITEMS
    everything = clothing(5_850)
    assert round(float(everything.frequency.sum() * everything.n)) == 192_198
