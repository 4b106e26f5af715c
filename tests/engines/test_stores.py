"""URIs: files by ``file://``, and a store that speaks the protocol of S3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sudare as sd
from sudare.cli import main
from sudare.engines import Job, counts_from, plan
from sudare.files import read_people
from sudare.release import Dataset

GRR = sd.GRR(2, 1.0)
REPORTS = np.array([0, 1, 1])


class Store(BaseHTTPRequestHandler):
    """Objects of one bucket, read alone: heads, ranges, lists."""

    objects: dict[str, bytes]
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        asked = {name: one[0] for name, one in parse_qs(url.query).items()}
        key = url.path.removeprefix("/bucket").strip("/")
        if "list-type" in asked:
            self.answer(self.listed(asked.get("prefix", ""), asked.get("delimiter")))
        elif not key or key in self.objects:
            self.answer(self.objects.get(key, b""), self.headers.get("Range"))
        else:
            self.answer(b"", status=404)

    def listed(self, prefix: str, delimiter: str | None) -> bytes:
        keys, folders = [], set()
        for key in sorted(self.objects):
            rest = key.removeprefix(prefix)
            if key.startswith(prefix) and delimiter and delimiter in rest:
                folders.add(prefix + rest.partition(delimiter)[0] + delimiter)
            elif key.startswith(prefix):
                keys.append(key)
        body = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(self.objects[key])}</Size>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>" for key in keys
        ) + "".join(f"<CommonPrefixes><Prefix>{escape(one)}</Prefix></CommonPrefixes>"
                    for one in sorted(folders))  # fmt: skip
        count = f"<KeyCount>{len(keys) + len(folders)}</KeyCount><IsTruncated>false</IsTruncated>"
        return f"<ListBucketResult><Name>bucket</Name>{count}{body}</ListBucketResult>".encode()

    def answer(self, body: bytes, part: str | None = None, status: int = 200) -> None:
        size = len(body)
        self.send_response(206 if part else status)
        if part:
            first, _, last = part.removeprefix("bytes=").partition("-")
            stop = min(size, int(last) + 1)
            body = body[int(first) : stop]
            self.send_header("Content-Range", f"bytes {first}-{stop - 1}/{size}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *given: Any) -> None: ...


@pytest.fixture
def store() -> Iterator[Any]:
    """Return what puts objects there, and names them by their URI."""
    handler = type("Own", (Store,), {"objects": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    options = f"endpoint_override=127.0.0.1:{server.server_port}&scheme=http&region=x"

    def put(path: str, data: bytes | None = None) -> str:
        if data is not None:
            handler.objects[path] = data
        return f"s3://name:s3cret@bucket/{path}?{options}"

    yield put
    server.shutdown()
    server.server_close()


@pytest.fixture
def written(tmp_path: Path) -> tuple[bytes, bytes]:
    """Return a Parquet file of reports that names its mechanism, and one that does not."""
    sd.files.write_reports(tmp_path / "r.parquet", GRR, [REPORTS])
    parquet.write_table(pa.table({"report": REPORTS.astype("uint8")}), tmp_path / "p.parquet")
    return (tmp_path / "r.parquet").read_bytes(), (tmp_path / "p.parquet").read_bytes()


@pytest.mark.slow  # the client of S3 takes seconds to begin
def test_files_of_a_store(
    store: Any, written: tuple[bytes, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated, plain = written
    one, folder = store("day/1/a.parquet", stated), store("day")
    store("day/_SUCCESS", b"")
    store("day/2/b.PARQUET", plain)
    assert counts_from(one) == (GRR.aggregate(REPORTS),)
    assert counts_from(folder, GRR)[0].n == 6
    assert counts_from([one, store("day/2/b.PARQUET")], GRR)[0].n == 6
    with pytest.raises(sd.ReportError, match="must be the manifest's"):
        counts_from(folder, sd.GRR(2, 2.0))
    options = ["--mechanism", "GRR", "-k", "2", "--epsilon", "1"]
    assert main(["estimate", one, store("day/1"), "--json"]) == 2  # a file twice
    capsys.readouterr()
    for words in ([one], [folder, *options]):
        assert main(["estimate", *words, "--json"]) == (0 if words == [one] else 2)
    shown = capsys.readouterr()
    assert json.loads(shown.out)["n"] == 3
    assert "manifest of b.PARQUET is missing" in shown.err
    assert "s3cret" not in shown.err
    assert Dataset(folder).n == Dataset(read_people(folder)).n == 6
    with pytest.raises(sd.DomainError, match="for a plan"):
        plan(folder, Job.of(GRR))
    store("bare/c.parquet", plain)
    within = parquet.read_schema(tmp_path / "r.parquet").metadata[b"sudare"]
    store("bare/c.parquet.manifest.json", within)
    assert counts_from(store("bare/c.parquet")) == (GRR.aggregate(REPORTS),)


@pytest.mark.slow  # so here
def test_what_a_store_refuses(
    store: Any, written: tuple[bytes, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, plain = written
    store("lake/people/_delta_log/0.json", b"{}")
    store("lake/people/a.parquet", plain)
    store("mixed/a.parquet", plain)
    store("mixed/b.csv", b"report\n1\n")
    store("others/a.parquet", plain)
    store("others/readme.txt", b"")
    parquet.write_table(pa.table({"report": [1.5]}), tmp_path / "f.parquet")
    store("types/a.parquet", plain)
    store("types/b.parquet", (tmp_path / "f.parquet").read_bytes())
    for name, word in (
        ("lake", "Delta Lake"), ("lake/people", "Delta Lake"), ("mixed", "Parquet alone"),
        ("lake/people/a.parquet", "Delta Lake"), ("others", "readme.txt"), ("gone", "not exist"),
        ("types", "the same columns"),
    ):  # fmt: skip
        for read in (lambda name=name: counts_from(store(name), GRR),
                     lambda name=name: Dataset(store(name))):  # fmt: skip
            with pytest.raises(sd.errors.SudareError, match=word) as refused:
                read()
            assert "s3cret" not in str(refused.value)
        assert main(["release", store(name), "--ask", "count", "--epsilon", "1"]) == 2
        shown = capsys.readouterr().err
        assert word in shown
        assert "s3cret" not in shown
    for uri in ("nope://x/y", "s3://a:s3cret@bucket/x?endpoint_override=127.0.0.1:1&scheme=ht"):
        with pytest.raises(sd.errors.SudareError) as refused:
            counts_from(uri, GRR)
        assert "s3cret" not in str(refused.value)


def test_files_of_this_machine(tmp_path: Path, written: tuple[bytes, bytes]) -> None:
    uri = (tmp_path / "r.parquet").as_uri()
    assert counts_from(uri) == counts_from([uri]) == (GRR.aggregate(REPORTS),)
    assert sd.estimate_from(uri).n == Dataset(uri).n == Dataset(read_people(uri)).n == 3
    assert plan(uri, Job.of(GRR)).rows == 3
