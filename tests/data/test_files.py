"""Data files: found at home, fetched over real HTTP, refused when anything is wrong."""

from __future__ import annotations

import gzip
import hashlib
import socket
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.data import DataFile, cache_folder, clickstream, find, locate, trousers
from sudare.data.files import member
from sudare.errors import StorageError

BODY = bytes(range(256)) * 1000


class Provider(BaseHTTPRequestHandler):
    """Gives the body well, cut short, without its length, or not at all."""

    asked: list[str]

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        if self.path == "/gone":
            self.send_error(404)
            return
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.end_headers()
            return
        self.send_response(200)
        if self.path != "/unknown-length":
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY[:1000] if self.path == "/cut" else BODY)

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


@pytest.fixture
def provider() -> Iterator[str]:
    Provider.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("SUDARE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SUDARE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def file(url: str, **changes: Any) -> DataFile:
    known = DataFile(
        "numbers.bin", hashlib.sha256(BODY).hexdigest(), len(BODY), url, "CC0", "Somebody 2026"
    )
    return replace(known, **changes)


def left_in_cache() -> list[str]:
    return [path.name for path in cache_folder().rglob("*")] if cache_folder().exists() else []


@pytest.mark.parametrize("path", ["/good", "/moved", "/unknown-length"])
@pytest.mark.parametrize("size", [len(BODY), None])
def test_a_download_is_kept_and_not_repeated(provider: str, path: str, size: int | None) -> None:
    form = file(provider + path, size=size)
    seen: list[tuple[int, str]] = []

    def progress(items: Iterable[Any], total: int, what: str) -> Iterable[Any]:
        seen.append((total, what))
        return items

    assert locate(form, download=True, progress=progress)[1].read_bytes() == BODY
    assert left_in_cache() == ["numbers.bin"]
    asked = len(Provider.asked)
    assert locate(form)[1] == cache_folder() / "numbers.bin"
    assert len(Provider.asked) == asked
    known = size is not None or path != "/unknown-length"
    assert seen == [(-(-len(BODY) // 65536) if known else 0, "downloading numbers.bin")]


def test_a_checksum_may_be_of_what_the_file_holds(provider: str) -> None:
    form = file(
        f"{provider}/good",
        sha256="of the first byte",
        digest=lambda path: "of the first byte" if path.read_bytes()[0] == 0 else "",
    )
    assert locate(form, download=True)[1].read_bytes() == BODY
    with pytest.raises(StorageError, match="SHA-256"):
        locate(replace(form, sha256="of another"))
    with pytest.raises(StorageError, match="no archive with x"):
        locate(replace(form, digest=member("x")))


def test_nothing_is_fetched_unless_allowed(provider: str) -> None:
    with pytest.raises(StorageError) as caught:
        locate(file(f"{provider}/good"))
    for word in ("numbers.bin", f"{provider}/good", "SUDARE_DATA", "--download", "CC0"):
        assert word in str(caught.value)
    assert Provider.asked == []


@pytest.mark.parametrize(
    ("path", "changes", "word"),
    [
        ("/good", {"sha256": "0" * 64}, "SHA-256"),
        ("/cut", {}, "fewer came"),
        ("/cut", {"size": None}, "fewer came"),
        ("/good", {"size": 1000}, "more came"),
        ("/good", {"size": len(BODY) + 1}, "fewer came"),
        ("/gone", {}, "Not Found"),
    ],
)
def test_a_bad_download_is_refused_and_leaves_nothing(
    provider: str, path: str, changes: dict[str, Any], word: str
) -> None:
    with pytest.raises(StorageError, match=word):
        locate(file(provider + path, **changes), download=True)
    assert left_in_cache() == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/x", "http://no-such-host.invalid/x"])
def test_no_network(url: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(StorageError, match="failed") as caught:
        locate(file(url.format(port=port)), download=True)
    assert "SUDARE_DATA" in str(caught.value)
    assert left_in_cache() == []


def test_only_web_addresses() -> None:
    with pytest.raises(sd.DomainError, match="http"):
        locate(file(Path(__file__).as_uri()), download=True)


def test_a_form_without_an_address_cannot_come() -> None:
    with pytest.raises(StorageError, match="cannot be downloaded"):
        locate(file(""), download=True)


def test_the_own_folder_comes_first_and_is_checked(tmp_path: Path) -> None:
    own = tmp_path / "data" / "numbers.bin"
    own.write_bytes(BODY)
    form = file("")
    assert locate(form) == (form, own)
    own.write_bytes(BODY[:-1])
    with pytest.raises(StorageError, match="SHA-256"):
        locate(form, download=True)
    assert own.read_bytes() == BODY[:-1]  # what people put there is never changed


def test_a_cache_that_cannot_be_written(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("SUDARE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(StorageError, match="failed"):
        locate(file(f"{provider}/good"), download=True)


def test_provenance_names_source_and_conditions() -> None:
    told = file("https://example.org/x").provenance()
    assert told["url"] == "https://example.org/x"
    assert told["licence"] == "CC0"
    assert file("").provenance()["url"] is None


ROWS = [("1", "A2"), ("1", "A10"), ("1", "A2"), ("3", "C5"), ("2", "B1")]


def extract(path: Path) -> None:
    lines = ["page 1 (main category),page 2 (clothing model)", *(f"{a},{b}" for a, b in ROWS)]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))


def original(path: Path) -> None:
    lines = ["page 1 (main category);page 2 (clothing model)", *(f"{a};{b}" for a, b in ROWS)]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("e-shop clothing 2008.csv", "\n".join(lines))


@pytest.mark.parametrize(("name", "write"), [("EXTRACT", extract), ("ORIGINAL", original)])
def test_both_forms_of_the_clickstream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, write: Callable[[Path], None]
) -> None:
    import importlib

    module = importlib.import_module("sudare.data.clickstream")
    form = getattr(module, name)
    path = tmp_path / "data" / form.name
    write(path)
    with pytest.raises(StorageError, match="SHA-256"):
        clickstream()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(module, name, replace(form, sha256=digest))
    assert clickstream().counts == (2, 1)
    assert clickstream("trousers").categories == ("A2", "A10")
    assert clickstream("blouses").n == 1


def test_no_other_category() -> None:
    for bad in ("skirts", None, 1):
        with pytest.raises(sd.DomainError):
            clickstream(bad)


def test_the_real_rows_are_the_counts_that_ship(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    if find("eshop_clothing_2008.csv.gz") is None:
        pytest.skip("eshop_clothing_2008.csv.gz is not in SUDARE_DATA")
    assert clickstream() == trousers()
    blouses = clickstream("blouses")
    assert (blouses.n, len(blouses.counts)) == (38_577, 59)
