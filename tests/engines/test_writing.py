"""What is written: every mechanism to every format, and folders that other tools read."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pyarrow.dataset as ds
import pytest
from pyarrow import parquet

import sudare as sd
from sudare.cli import main
from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.files.places import ENDINGS
from sudare.files.wire import tally_cells
from sudare.mechanisms import Mechanism
from sudare.mechanisms.picked import OneOfParts
from sudare.mechanisms.registry import registered
from sudare.samplers import Program

REFUSED = {
    "JointNegativeSurvey", "JointRR", "MarginalRR", "NegativeSurvey", "PCKVUE", "PEM", "PrivKV",
    "PrivKVM", "StateRR",
}  # fmt: skip
"""Baselines of studies; reports of several numbers; JointRR wants the names of its columns."""


def is_report(program: Program, wire: bytes) -> bool:
    try:
        program.check_wire(wire)
    except ReportError:
        return False
    return True


def reports_of(m: Mechanism) -> tuple[np.ndarray, Any]:
    """Return some reports as aggregate takes them, and their counts."""
    fits = partial(is_report, m.program)
    wires = [*filter(fits, islice(m.program.wires(), 50))]
    wires = wires or [next(filter(fits, m.program.wires()))]
    few = b"".join(wires)
    rows: list[Any] = [np.frombuffer(few, dtype=np.uint8).reshape(len(wires), -1)]
    if not isinstance(m, OneOfParts):
        tally_cells(cast(Any, SimpleNamespace(program=m.program, aggregate=rows.append)), few)
    return rows[-1], m.aggregate(rows[-1])


def test_every_mechanism_writes_and_reads_or_is_refused(tmp_path: Path) -> None:
    """All that are registered, in all formats; what is refused leaves no file behind."""
    refused = set()
    for m in (one for cls in registered(Mechanism) for one in cls.examples()[:1]):
        reports, counts = reports_of(m)
        for ending in ENDINGS:
            path = tmp_path / f"{m.name}{ending}"
            if m.name in REFUSED:
                with pytest.raises((DomainError, ReportError)):
                    sd.files.write_reports(path, m, [reports])
                refused.add(m.name)
                continue
            done = sd.files.write_reports(path, m, [reports, reports[:1]])
            assert done.parameters["n"] == len(reports) + 1
            assert [Path(one).exists() for one in done.files] == [True] * len(done.files)
            back = sd.files.read_reports([path])
            assert back.mechanism == m
            assert back.counts == counts + m.aggregate(reports[:1]), (m, ending)
            assert sd.engines.counts_from(path) == (back.counts,)
    assert refused == REFUSED
    assert not any(path.name.startswith(tuple(REFUSED)) for path in tmp_path.iterdir())


def test_parts_that_are_no_reports_are_refused(tmp_path: Path) -> None:
    grr, oue, joint = sd.GRR(3, 1.0), sd.OUE(9, 1.0), sd.JointRR([2, 3], gamma=4)
    packed = oue.perturb([0, 1])
    cases: list[tuple[Any, Any, dict[str, Any]]] = [
        (grr, [3], {}), (grr, [0.5], {}), (grr, ["a"], {}), (grr, [[0, 1]], {}), (grr, [-1], {}),
        (grr, None, {}), (oue, [0, 1], {}), (oue, packed[:, :1], {}), (oue, packed + 255, {}),
        (oue, packed.astype(float), {}), (joint, [[0, 3]], {"columns": ["a", "b"]}),
        (joint, [0, 1], {"columns": ["a", "b"]}), (joint, [[0, 1]], {"columns": ["a"]}),
        (joint, [[0, 1]], {}), ("GRR", [0], {}), (sd.Collection, [0], {}),
    ]  # fmt: skip
    for mechanism, part, how in cases:
        for ending in ENDINGS:
            with pytest.raises((DomainError, ReportError, WrongTypeError)):
                sd.files.write_reports(tmp_path / f"r{ending}", mechanism, [part], **how)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_parquet_files_is_nothing_but_tables(tmp_path: Path) -> None:
    """PyArrow and polars read it as it is; what an earlier version put beside is still read."""
    m = sd.GRR(3, 1.0)
    folder = tmp_path / "reports"
    for number in range(3):
        sd.files.write_reports(folder / f"{number}.parquet", m, [m.perturb([0, 1, 2] * 20)])
    assert sorted(path.name for path in folder.iterdir()) == [f"{n}.parquet" for n in range(3)]
    assert ds.dataset(folder).to_table().num_rows == parquet.read_table(folder).num_rows == 180
    assert pl.scan_parquet(folder).collect().height == pl.read_parquet(folder).height == 180
    counts = sd.files.read_reports([folder]).counts
    for source in (ds.dataset(folder), pl.scan_parquet(folder), folder):
        assert sd.engines.counts_from(source, m) == (counts,)
    assert sd.engines.counts_from(folder) == (counts,)
    for path in list(folder.iterdir()):  # as an earlier version has left it
        text = parquet.read_schema(path).metadata[b"sudare"]
        parquet.write_table(parquet.read_table(path).replace_schema_metadata(None), path)
        path.with_name(f"{path.name}.manifest.json").write_bytes(text)
    assert sd.engines.counts_from(folder) == (counts,)
    assert sd.files.read_reports([folder]).mechanism == m
    other = sd.GRR(3, 2.0)  # in the place of one: its old manifest is no longer there
    sd.files.write_reports(folder / "0.parquet", other, [np.array([0, 1])])
    assert sd.files.read_reports([folder / "0.parquet"]).mechanism == other


def test_a_folder_of_text_is_read_by_others_as_by_us(tmp_path: Path) -> None:
    """The manifest beside a file is hidden; that of an earlier version still counts."""
    m = sd.GRR(3, 1.0)
    for ending in ("csv", "jsonl"):
        folder = tmp_path / ending
        folder.mkdir()
        for number in range(2):
            sd.files.write_reports(folder / f"{number}.{ending}", m, [m.perturb([0, 1, 2] * 20)])
        shown = sorted(
            path.name for path in folder.iterdir() if not path.name.startswith((".", "_"))
        )
        assert shown == [f"{number}.{ending}" for number in range(2)]
        reader = {"csv": pl.scan_csv, "jsonl": pl.scan_ndjson}[ending]
        form = ending.replace("jsonl", "json")
        assert reader(folder / f"*.{ending}").collect().height == 120
        assert ds.dataset(folder, format=form).to_table().num_rows == 120
        counts = sd.files.read_reports([folder]).counts
        assert sd.engines.counts_from(folder) == (counts,)
        assert sd.engines.counts_from(ds.dataset(folder, format=form)) == (counts,)
        for path in (folder / f"{number}.{ending}" for number in range(2)):
            hidden = path.with_name(f".{path.name}.manifest.json")
            hidden.rename(path.with_name(f"{path.name}.manifest.json"))
        assert sd.files.read_reports([folder]).counts == counts
        other = sd.GRR(3, 2.0)
        sd.files.write_reports(folder / f"0.{ending}", other, [np.array([0, 1])])
        assert not (folder / f"0.{ending}.manifest.json").exists()
        assert sd.files.read_reports([folder / f"0.{ending}"]).mechanism == other


def test_a_manifest_beside_a_file_is_of_that_file(tmp_path: Path) -> None:
    """Copying by ``*`` leaves hidden files out; whoever reads then refuses by name."""
    few, m, labels = sd.GRR(2, 1.0), sd.GRR(2, 4.0), ("south", "north")
    for ending in ("csv", "csv.gz", "jsonl"):
        path = tmp_path / ending / f"r.{ending}"
        beside = path.with_name(f".{path.name}.manifest.json")
        sd.files.write_reports(path, few, [few.perturb([0, 1] * 20)])
        fresh = path.read_bytes()
        sd.files.write_reports(path, m, [m.perturb([0, 1] * 30)], categories=labels)
        is_text = not ending.endswith("gz")  # which data sets of PyArrow find by their own ending
        readers: list[Any] = [
            lambda file=path: sd.files.read_reports([file]).counts.n,
            lambda file=path: sd.files.read_reports([file], m).counts.n,
            lambda file=path: sd.engines.counts_from(file, m)[0].n,
        ]
        if is_text:
            data = ds.dataset(path, format="json" if ending == "jsonl" else "csv")
            readers.append(lambda data=data: sd.engines.counts_from(data, m)[0].n)
        assert [read() for read in readers] == [60] * len(readers)
        told = json.loads(beside.read_text("utf-8"))
        del told["sha256"]  # as versions wrote it that state the number of rows alone
        earlier, whole, now = json.dumps(told), path.read_bytes(), beside.read_text("utf-8")
        for text, rule in (
            (now, "SHA-256"),
            (earlier, r"number of rows \(60, and the file has 40"),
        ):
            path.write_bytes(fresh)
            beside.write_text(text, "utf-8")
            for read in readers:
                with pytest.raises(ReportError, match=rf"manifest of .*r\.{ending} .*{rule}"):
                    read()
            assert sd.files.has_manifest(path)
            path.write_bytes(whole)
            assert [read() for read in readers] == [60] * len(readers)
        path.unlink()  # the manifest stays, is of nothing, and makes room
        sd.files.write_reports(path, few, [few.perturb([0, 1] * 20)])
        assert sd.files.read_reports([path]).mechanism == few
        if is_text:  # the earlier manifest fits text of any encoding and line end
            told["parameters"]["n"] = 40
            beside.write_text(json.dumps(told), "utf-8")
            path.write_bytes(path.read_text("utf-8").replace("\n", "\r\n").encode("utf-16"))
            assert sd.files.read_manifests([path]).mechanism == m


def test_shares_of_other_mechanisms_are_no_table(tmp_path: Path, capsys: Any) -> None:
    m = sd.Duchi(1.0)
    sd.files.write_reports(tmp_path / "r.csv", m, [m.perturb([0.5, -0.5] * 20)])
    assert main(["estimate", str(tmp_path / "r.csv")]) == 2
    assert "must be of categories for a table of shares, got 'Duchi'" in capsys.readouterr().err
    assert sd.estimate_from(tmp_path / "r.csv").n == 40


def test_pages_of_parquet_have_checksums_and_a_damaged_row_group_is_named(tmp_path: Path) -> None:
    """Whatever Sudare writes; by every reader: counting, streams, columns, releases."""
    from sudare.files.columns import Column
    from sudare.files.parquet import open_writer
    from sudare.release import Dataset

    m, path = sd.GRR(3, 1.0), tmp_path / "r.parquet"
    parts = (m.perturb(np.arange(4000) % 3) for _ in range(5))
    sd.files.write_reports(path, m, parts)  # a row group a part
    about, raw = parquet.read_metadata(path), bytearray(path.read_bytes())
    assert about.num_row_groups == 5
    table, start = None, about.row_group(3).column(0).data_page_offset
    for place in range(start + 60, start + 80):  # some bits make what no reader can read
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 0x10]) + raw[place + 1 :])
        with suppress(OSError):
            table = parquet.read_table(path, page_checksum_verification=False)
            break
    assert table is not None
    assert table.num_rows == 20_000  # who does not look reads another report
    bounds: dict[str, Any] = {"bounds": {"report": (0, 2)}, "budget": 1}
    for read in (
        lambda: sd.engines.counts_from(path),
        lambda: sd.files.read_reports([path]),
        lambda: Column.found(path, "report"),
        lambda: list(Column(path, "report", ("0", "1", "2")).blocks()),
        lambda: sd.files.read_people(path),
        lambda: Dataset(path, **bounds).mean("report", epsilon=1),
    ):
        with pytest.raises(DomainError, match=r"row group 3 .* of r\.parquet cannot be read"):
            read()

    rows = [{"category": "tea", "share": 0.5}] * 50
    sd.files.write_table(tmp_path / "t.parquet", rows, manifest=json.dumps({"a": 1}))
    with open_writer(tmp_path / "w.parquet", table.schema) as writer:
        writer.write_table(table)
    for name in ("t", "w"):
        again = bytearray((tmp_path / f"{name}.parquet").read_bytes())
        page = parquet.read_metadata(tmp_path / f"{name}.parquet").row_group(0).column(0)
        start = page.dictionary_page_offset or page.data_page_offset
        again[start + page.total_compressed_size - 2] ^= 1
        (tmp_path / f"{name}.parquet").write_bytes(again)
        with pytest.raises(OSError, match="CRC checksum verification failed"):
            parquet.read_table(tmp_path / f"{name}.parquet", page_checksum_verification=True)


def test_a_damaged_file_of_a_data_set_is_named(tmp_path: Path) -> None:
    from sudare.release import Dataset

    m = sd.GRR(3, 1.0)
    for number in range(3):
        parts = (m.perturb(np.arange(4000) % 3) for _ in range(2))
        sd.files.write_reports(tmp_path / f"{number}.parquet", m, parts)
    path = tmp_path / "1.parquet"
    raw, about = bytearray(path.read_bytes()), parquet.read_metadata(path)
    start = about.row_group(1).column(0).data_page_offset
    raw[start : start + 40] = bytes(40)  # no page at all
    path.write_bytes(raw)
    source = ds.dataset(sorted(map(str, tmp_path.iterdir())))
    told = r"row group 1 .* of 1\.parquet cannot be read"
    with pytest.raises(DomainError, match=told):
        sd.engines.counts_from(source, m)
    with pytest.raises(DomainError, match=told):
        Dataset(source, bounds={"report": (0, 2)}, budget=1).mean("report", epsilon=1)
