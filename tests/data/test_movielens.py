"""MovieLens: both forms of its ratings, the films kept, and what the provider asks for."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import threading
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.data import find, movielens
from sudare.errors import StorageError
from tests.cases import cases

# film 7 has three ratings, 10 and 9 two each, 5 one; person 4 rated only film 5
ROWS = [(1, 7, 5.0), (1, 10, 0.5), (2, 7, 0.5), (2, 9, 2.5), (3, 7, 3.0), (3, 9, 5.0), (3, 10, 4.0)]
ROWS = [*ROWS, (4, 5, 4.5)]
MEMBER = "ml-latest-small/ratings.csv"


def lines(head: str, *, times: bool) -> str:
    rows = [f"{a},{b},{c}" + (",964982703" if times else "") for a, b, c in ROWS]
    return "\n".join([head, *rows, ""])


def extract(path: Path) -> str:
    path.write_bytes(gzip.compress(lines("userId,movieId,rating", times=False).encode()))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def original(path: Path) -> str:
    text = lines("userId,movieId,rating,timestamp", times=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ml-latest-small/README.txt", "terms")
        archive.writestr(MEMBER, text)
    return hashlib.sha256(text.encode()).hexdigest()


FORMS = [("EXTRACT", extract), ("ORIGINAL", original)]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SUDARE_DATA", str(tmp_path))
    monkeypatch.setenv("SUDARE_CACHE", str(tmp_path / "cache"))
    return importlib.import_module("sudare.data.movielens")


@pytest.mark.parametrize(("name", "write"), FORMS)
def test_both_forms(
    module: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    write: Callable[[Path], str],
) -> None:
    form = getattr(module, name)
    digest = write(tmp_path / form.name)
    with pytest.raises(StorageError, match="SHA-256"):
        movielens(3)
    monkeypatch.setattr(module, name, replace(form, sha256=digest))
    found = movielens(3)
    assert found.keys == ("7", "9", "10")  # the most rated first, of equals the lower number
    assert found.n == 4  # also who rated none of them
    assert found.held.tolist() == [[1, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    expected = [[1, 0, -1], [-1, -1 / 9, 0], [1 / 9, 1, 5 / 9], [0, 0, 0]]
    np.testing.assert_allclose(found.values, expected, atol=1e-12)
    np.testing.assert_allclose(found.frequency, [0.75, 0.5, 0.5])
    np.testing.assert_allclose(found.mean, [1 / 27, 4 / 9, -2 / 9], atol=1e-12)
    assert movielens(2).keys == ("7", "9")


def test_the_members_checksum_does_not_depend_on_the_packing(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ml-latest-small.zip"
    digest = original(path)
    monkeypatch.setattr(module, "ORIGINAL", replace(module.ORIGINAL, sha256=digest))
    with zipfile.ZipFile(path) as archive:
        text = archive.read(MEMBER)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MEMBER, text)
    assert movielens(2).n == 4
    for broken in (b"no archive", path.read_bytes()[:-30], b""):
        path.write_bytes(broken)
        with pytest.raises(StorageError, match="SHA-256"):
            movielens(2)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ratings.csv", text)
    with pytest.raises(StorageError, match=MEMBER):
        movielens(2)


def test_the_archive_is_fetched_checked_and_kept(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "served.zip"
    digest = original(path)
    bodies = {"/good": path.read_bytes(), "/other": b"another edition"}

    class Provider(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(bodies[self.path])

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    seen: list[str] = []

    def progress(items: Iterable[Any], total: int, what: str) -> Iterable[Any]:
        seen.append(what)
        return items

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        for place in ("other", "good"):
            form = replace(module.ORIGINAL, sha256=digest, url=f"{address}/{place}")
            monkeypatch.setattr(module, "ORIGINAL", form)
            if place == "other":
                with pytest.raises(StorageError, match="SHA-256"):
                    movielens(2, download=True)
                assert not list((tmp_path / "cache").iterdir())
        assert movielens(2, download=True, progress=progress).n == 4
        server.shutdown()
        thread.join()
    assert seen == ["downloading ml-latest-small.zip"]
    assert movielens(2).n == 4  # from the cache, the provider being gone


def test_a_missing_file_is_named_with_the_providers_conditions(module: Any) -> None:
    with pytest.raises(StorageError) as caught:
        movielens()
    for word in ("files.grouplens.org", "SUDARE_DATA", "--download", "no commercial use"):
        assert word in str(caught.value)


@cases("bad", [1, 0, -3, 9_725, 2.5, None, "50", True, float("nan")])
def test_films(bad: Any) -> None:
    with pytest.raises(sd.SudareError, match="films"):
        movielens(bad)


def test_the_real_ratings() -> None:
    if find("ml_latest_small_2018_ratings.csv.gz") is None:
        pytest.skip("ml_latest_small_2018_ratings.csv.gz is not in SUDARE_DATA")
    found = movielens()
    assert found.held.shape == found.values.shape == (610, 50)
    assert found.keys[:2] == ("356", "318")
    assert found.held.sum(axis=0)[[0, 1, -1]].tolist() == [329, 317, 144]
    assert "Harper" in found.attribution
    assert "endorsement" in found.licence
    assert sd.PrivKV(50, 1.0).perturb(found.held, found.values).shape == (610, 2)
    everything = movielens(9_724)
    assert everything.held.sum() == 100_836
    assert everything.held.any(axis=1).all()
