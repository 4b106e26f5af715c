"""What a source says of its reports is heeded alike, whatever kind of source it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import feather, parquet

import sudare as sd
from sudare.cli import main
from sudare.collection.canonical import fingerprint
from sudare.engines import counts_from
from sudare.files.manifests import Stated
from sudare.files.submissions import write_submissions
from sudare.release import Dataset
from tests.cases import cases

MECHANISM, OTHER = sd.GRR(5, 4.0), sd.GRR(5, 0.5)
ALL = ds.field("report") >= 0
REPORTS = [0, 1, 2, 3, 4] * 20


def stated(path: Path, mechanism: sd.GRR | None) -> pa.Table:
    """Return a table of reports whose metadata name a mechanism, or none."""
    if mechanism is None:
        return pa.table({"report": REPORTS})
    import numpy as np

    sd.files.write_reports(path, mechanism, [np.array(REPORTS)])
    return parquet.read_table(path)


def _file(table: pa.Table, path: Path) -> Path:
    parquet.write_table(table, path)
    return path


def _folder(table: pa.Table, path: Path) -> Path:
    (path / "day=1").mkdir(parents=True)
    parquet.write_table(table, path / "day=1" / "r.PARQUET")
    return path


def _ipc(table: pa.Table, path: Path) -> Path:
    out = path.with_suffix(".ARROW")
    feather.write_feather(table, out, compression="uncompressed")
    return out


def _beside(table: pa.Table, path: Path) -> Path:
    """Write a text file, whose manifest stands beside it."""
    out = path.with_suffix(".CSV")
    out.write_text("report\n" + "".join(f"{one}\n" for one in REPORTS))
    if text := (table.schema.metadata or {}).get(b"sudare"):
        out.with_name(f"{out.name}.manifest.json").write_bytes(text)
    return out


def _pandas(table: pa.Table, path: Path) -> Any:
    frame = table.to_pandas()
    frame.attrs = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    return frame


def _union(table: pa.Table, path: Path) -> Any:
    one = ds.dataset(_file(table, path))
    return ds.dataset(
        [one, ds.dataset(pa.table({"report": pa.array([], table.schema.field(0).type)}))]
    )


def _text(table: pa.Table, path: Path) -> Any:
    return ds.dataset(_beside(table, path), format="csv")


SOURCES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "file": _file,
    "text of a path": lambda table, path: str(_file(table, path)),
    "folder": _folder,
    "files": lambda table, path: [_file(table, path)],
    "IPC": _ipc,
    "CSV with a manifest": _beside,
    "table": lambda table, path: table,
    "batch": lambda table, path: table.combine_chunks().to_batches()[0],
    "reader": lambda table, path: table.to_reader(),
    "stream": lambda table, path: pa.RecordBatchReader.from_stream(table),
    "dataset": lambda table, path: ds.dataset(_file(table, path)),
    "dataset in memory": lambda table, path: ds.dataset(table),
    "datasets": _union,
    "dataset of CSV": _text,
    "filtered dataset": lambda table, path: ds.dataset(_file(table, path)).filter(ALL),
    "filtered datasets": lambda table, path: _union(table, path).filter(ALL),
    "filtered dataset of CSV": lambda table, path: _text(table, path).filter(ALL),
    "filtered dataset in memory": lambda table, path: ds.dataset(table).filter(ALL),
    "dataset of other columns": lambda table, path: ds.dataset(
        _file(table, path), schema=pa.schema([("report", pa.int64()), ("other", pa.string())])
    ),
    "fragment": lambda table, path: next(ds.dataset(_file(table, path)).get_fragments()),
    "filtered scanner": lambda table, path: ds.dataset(_file(table, path)).scanner(filter=ALL),
    "scanner": lambda table, path: ds.dataset(_file(table, path)).scanner(),
    "scanner's reader": lambda table, path: ds.dataset(_file(table, path)).scanner().to_reader(),
    "narwhals": lambda table, path: nw.from_native(table),
    "pandas": _pandas,
    "narwhals of pandas": lambda table, path: nw.from_native(_pandas(table, path)),
}


@cases("name", SOURCES, parts=2)
def test_one_verdict_for_every_kind_of_source(tmp_path: Path, name: str) -> None:
    def given(mechanism: sd.GRR | None) -> Any:
        nonlocal number
        number += 1
        own = tmp_path / str(number)
        own.mkdir()
        return SOURCES[name](stated(own / "s.parquet", mechanism), own / "r.parquet")

    def by_fingerprint(mechanism: sd.GRR) -> Any:
        """Return the source with the fingerprint of its mechanism as all that it states."""
        nonlocal number
        number += 1
        own = tmp_path / str(number)
        own.mkdir()
        table = stated(own / "s.parquet", mechanism)
        key = b"sudare-fingerprint"
        table = table.replace_schema_metadata({key: table.schema.metadata[key]})
        return SOURCES[name](table, own / "r.parquet")

    number = 0
    expected = MECHANISM.aggregate(REPORTS)
    for mechanism in (MECHANISM, None):
        assert counts_from(given(mechanism), MECHANISM) == (expected,)
        assert sd.estimate_from(given(mechanism), MECHANISM).n == 100
    assert counts_from(given(MECHANISM)) == (expected,)
    assert (
        sd.estimate_from(given(MECHANISM)).shares.tolist()
        == MECHANISM.estimate(expected).shares.tolist()
    )
    with pytest.raises(sd.ReportError, match=r"must be the manifest's, GRR\(k=5, epsilon=4.0\)"):
        counts_from(given(MECHANISM), OTHER)
    with pytest.raises(sd.ReportError, match=r"must be the manifest's, GRR\(k=5, epsilon=4.0\)"):
        sd.estimate_from(given(MECHANISM), OTHER)
    with pytest.raises(sd.ReportError, match="is not told by a manifest"):
        counts_from(given(None))
    if "CSV" not in name:  # text has no metadata
        assert counts_from(by_fingerprint(MECHANISM), MECHANISM) == (expected,)
        for read in (counts_from, sd.estimate_from):
            with pytest.raises(sd.ReportError, match="must be that of the fingerprint, as"):
                read(by_fingerprint(MECHANISM), OTHER)


def test_each_file_of_a_dataset_is_asked(tmp_path: Path) -> None:
    for name, mechanism in (("a", MECHANISM), ("b", OTHER)):
        _file(stated(tmp_path / "s.parquet", mechanism), tmp_path / f"{name}.parquet")
    (tmp_path / "s.parquet").unlink()
    for source in (tmp_path, ds.dataset(tmp_path)):
        with pytest.raises(sd.ReportError, match=r"must be the manifest's, GRR\(k=5, epsilon=0.5"):
            counts_from(source, MECHANISM)


def test_two_mechanisms_are_named_with_their_files(tmp_path: Path) -> None:
    """Where no mechanism is given there is none to leave out."""
    for name, mechanism in (("a", MECHANISM), ("b", OTHER)):
        _file(stated(tmp_path / "s.parquet", mechanism), tmp_path / f"{name}.parquet")
    (tmp_path / "s.parquet").unlink()
    a, b = tmp_path / "a.parquet", tmp_path / "b.parquet"
    for source in (tmp_path, [a, b], ds.dataset(tmp_path), ds.dataset(tmp_path).filter(ALL)):
        with pytest.raises(sd.ReportError) as caught:
            counts_from(source)
        told = str(caught.value)
        assert f"a.parquet is of {MECHANISM!r}, b.parquet of {OTHER!r}" in told
        assert "leave mechanism= out" not in told
        with pytest.raises(sd.ReportError, match=r"as b\.parquet says"):
            counts_from(source, MECHANISM)


def test_a_broken_manifest_is_named_with_its_file(tmp_path: Path) -> None:
    table = pa.table({"report": REPORTS}).replace_schema_metadata({b"sudare": b"{"})
    path = _file(table, tmp_path / "r.parquet")
    for source in (path, tmp_path, ds.dataset(path), ds.dataset(path).filter(ALL)):
        for mechanism in (None, MECHANISM):
            with pytest.raises(sd.ReportError, match=r"r\.parquet is not one of reports"):
                counts_from(source, mechanism)


def test_a_file_twice_in_a_dataset_is_refused(tmp_path: Path) -> None:
    path = _file(stated(tmp_path / "s.parquet", None), tmp_path / "r.parquet")
    for source in (ds.dataset([str(path)] * 2), ds.dataset([ds.dataset(path), ds.dataset(path)])):
        for read in (lambda source=source: counts_from(source, MECHANISM),
                     lambda source=source: Dataset(source)):  # fmt: skip
            with pytest.raises(sd.DomainError, match="must not name a file twice"):
                read()


def test_metadata_with_another_fingerprint_are_refused(tmp_path: Path) -> None:
    table = stated(tmp_path / "s.parquet", MECHANISM)
    metadata = dict(table.schema.metadata)
    metadata[b"sudare"] = metadata[b"sudare"].replace(b'"4.0"', b'"2.0"')
    for changed in (metadata, {b"sudare": b"{"}, {b"sudare": b'{"parameters": {}}'}):
        with pytest.raises(
            sd.ReportError, match=r"manifest of the stream (has another|is not one)"
        ):
            counts_from(table.replace_schema_metadata(changed), MECHANISM)


def test_a_fingerprint_is_that_of_the_mechanism_in_every_family(tmp_path: Path) -> None:
    for mechanism in (sd.GRR(["a", "b"], 1.0), sd.OUE(5, 2.5), sd.JointRR([2, 3], epsilon=[1, 2]),
                      sd.Hybrid(2.0)):  # fmt: skip
        of = fingerprint(json.loads(json.dumps(mechanism.to_json())))
        assert Stated.of({b"sudare-fingerprint": of.encode()}, "r").is_of(mechanism)
        assert not Stated.of({b"sudare-fingerprint": of.encode()}, "r").is_of(MECHANISM)


def test_a_filter_keeps_what_is_counted(tmp_path: Path) -> None:
    path = _file(stated(tmp_path / "s.parquet", MECHANISM), tmp_path / "r.parquet")
    some = ds.dataset(path).filter(ds.field("report") > 2)
    assert counts_from(some)[0].support.tolist() == [0, 0, 0, 20, 20]
    assert counts_from(some.filter(ds.field("report") > 3), MECHANISM)[0].n == 20
    with pytest.raises(sd.ReportError, match="must hold at least one report"):
        counts_from(some.filter(ds.field("report") > 4), MECHANISM)


def test_what_its_package_cannot_read_is_refused_without_a_value(tmp_path: Path) -> None:
    path = _file(stated(tmp_path / "s.parquet", MECHANISM), tmp_path / "r.parquet")
    text = _file(pa.table({"report": ["0", "secret"]}), tmp_path / "t.parquet")
    good, gone = ds.dataset(path), ds.dataset(_file(pa.table({"report": [1]}), tmp_path / "gone"))
    (tmp_path / "gone").unlink()
    for source in (
        ds.dataset(text, schema=pa.schema([("report", pa.int64())])),
        good.filter(ds.field("report") / 0 == 1),
        good.scanner(filter=ds.field("report") / 0 == 1),
        gone,
        gone.filter(ALL),
    ):
        with pytest.raises(sd.SudareError) as caught:
            counts_from(source, MECHANISM)
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None


SURVEY = """
[collection]
name = "stated"
epsilon = 1.0
expected_respondents = 1000
languages = ["en"]
[[question]]
id = "one"
type = "choice"
text = { en = "One?" }
choices = ["a", "b", "c"]
"""


def test_submissions_are_of_one_collection(tmp_path: Path) -> None:
    collection = sd.Collection.from_toml(SURVEY)
    other = sd.Collection.from_toml(SURVEY.replace("1.0", "2.0"))
    wire = b"".join(islice(cycle(collection.program.parts[0].wires()), 30))
    path = tmp_path / "whole.parquet"
    write_submissions(path, collection, wire)
    mechanism = collection.questions[0].mechanism
    for source in (path, parquet.read_table(path), ds.dataset(path)):
        assert counts_from(source, collection) == collection.tally(wire)
        with pytest.raises(sd.ReportError, match=r"collection must be the one that"):
            counts_from(source, other)
        assert counts_from(source, mechanism, column="one") == collection.tally(wire)
        with pytest.raises(sd.ReportError, match="must be that of question one"):
            counts_from(source, other.questions[0].mechanism, column="one")
    table = parquet.read_table(path)
    single = stated(tmp_path / "s.parquet", MECHANISM).schema.metadata
    for metadata in (single, {b"sudare-fingerprint": single[b"sudare-fingerprint"]}):
        with pytest.raises(sd.ReportError, match="must have a question with the mechanism"):
            counts_from(table.replace_schema_metadata(metadata), collection)
    for text in (b"{", b"[]", b"{}", b"3"):
        with pytest.raises(sd.ReportError, match="collection of the stream must be a compiled one"):
            counts_from(table.replace_schema_metadata({b"sudare-collection": text}), collection)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    path = _file(pa.table({"report": REPORTS}), tmp_path / "r.parquet")

    class Spark:
        def mapInArrow(self) -> None: ...

        def collect(self) -> None:
            raise AssertionError("its rows came here")

    with path.open("rb") as file:
        for source in (file, pa.chunked_array([REPORTS]), pa.array(REPORTS), REPORTS, 3, Spark(),
                       {"report": REPORTS}, [pa.table({"report": REPORTS})]):  # fmt: skip
            with pytest.raises(sd.WrongTypeError, match="source"):
                counts_from(source, MECHANISM)


def test_both_commands_heed_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(stated(tmp_path / "s.parquet", MECHANISM), tmp_path / "r.parquet")
    options = ["--mechanism", "GRR", "-k", "5", "--epsilon"]
    assert main(["estimate", str(path), *options, "0.5"]) == 2
    assert "must be the manifest's, GRR(k=5, epsilon=4.0)" in capsys.readouterr().err
    assert main(["estimate", str(path), *options, "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 100
