"""The embedded engine: every format, family and stream gives the counts of ``aggregate``."""

from __future__ import annotations

import gzip
import json
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import sudare as sd
from sudare.engines import Job, counts_from, plan, ranges, tally
from sudare.files.submissions import write_submissions
from sudare.mechanisms import FrequencyOracle, Mechanism
from sudare.mechanisms.registry import registered
from sudare.samplers import Program
from tests.cases import cases

KINDS = ("parquet", "arrow", "feather", "csv", "csv.gz", "jsonl")
GRR, OUE, JOINT = sd.GRR(5, 1.0), sd.OUE(20, 1.0), sd.JointRR([3, 4], epsilon=[1.0, 1.0])
N = 3000


def reports_of(mechanism: Any) -> np.ndarray[Any, Any]:
    rng = sd.Entropy.seeded(b"engines")
    return np.asarray(mechanism.perturb(np.arange(N) % mechanism.k, rng=rng))


def cells_of(reports: np.ndarray[Any, Any], *, text: bool = False) -> pa.Array:
    if reports.ndim == 1:
        return pa.array(reports)
    rows = [row.tobytes() for row in reports]
    return pa.array([row.hex() for row in rows]) if text else pa.array(rows)


def write(path: Path, columns: dict[str, pa.Array]) -> Path:
    table = pa.table(columns)
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=700)
    elif path.suffix in (".arrow", ".feather"):
        feather.write_feather(table, path, chunksize=700)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), "utf-8")
    else:
        rows = [table.column_names, *zip(*(one.to_pylist() for one in table.columns), strict=True)]
        raw = "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


@cases("kind", KINDS)
def test_every_format_over_one_thread_and_several(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "UNIT_BYTES", 1000)
    text = kind not in ("parquet", "arrow", "feather")
    for mechanism in (GRR, OUE):
        reports = reports_of(mechanism)
        path = tmp_path / f"{mechanism.name}.{kind}"
        write(path, {"other": cells_of(reports[::-1], text=text),
                     "report": cells_of(reports, text=text)})  # fmt: skip
        todo = plan(path, Job.of(mechanism), rows=700)
        assert len(todo.units) > 3 or kind in ("csv.gz", "arrow", "feather")
        for threads in (1, 3, None):
            assert tally(todo, threads=threads) == (mechanism.aggregate(reports),)


def test_rows_of_several_columns(tmp_path: Path) -> None:
    rows = JOINT.perturb(np.stack([np.arange(N) % 3, np.arange(N) % 4], axis=1))
    for kind in KINDS:
        path = write(tmp_path / f"r.{kind}", {"a": pa.array(rows[:, 0]), "b": pa.array(rows[:, 1])})
        assert counts_from(path, JOINT, column=["a", "b"]) == (JOINT.aggregate(rows),)
        read = sd.files.read_report_rows(path, JOINT, ["a", "b"])
        assert (read.rows == rows).all()
    flat = counts_from(pa.table({"r": pa.FixedSizeListArray.from_arrays(rows.ravel(), 2)}),
                       JOINT, column="r")  # fmt: skip
    assert flat == (JOINT.aggregate(rows),)


def shipped() -> list[Mechanism]:
    every = [cls.examples()[0] for cls in registered(Mechanism)]
    return [one for one in every if not one.studies_only and one.methods]


def is_report(program: Program, wire: bytes) -> bool:
    try:
        program.check_wire(wire)
    except sd.ReportError:
        return False
    return True


@cases("mechanism", shipped())
def test_wire_bytes_of_every_family(mechanism: Mechanism) -> None:
    """Its first reports, one by one and all together."""
    program = mechanism.program
    wires = list(filter(partial(is_report, program), islice(program.wires(), 50)))
    cells = pa.array(wires, pa.binary(program.report_bytes))
    (counts,) = counts_from(pa.table({"report": cells}), mechanism)
    assert counts.n == len(wires)
    parts = [counts_from(pa.table({"report": cells.slice(i, 1)}), mechanism)[0]
             for i in range(len(wires))]  # fmt: skip
    total = parts[0]
    for one in parts[1:]:
        total = total + one
    assert total == counts
    if isinstance(mechanism, FrequencyOracle):
        assert counts == mechanism.aggregate(program.decode(b"".join(wires)))


SURVEY = """
[collection]
name = "engines"
epsilon = 3.0
expected_respondents = 1000
languages = ["en"]
[[question]]
id = "one"
type = "choice"
text = { en = "One?" }
choices = ["a", "b", "c"]
[[question]]
id = "both"
type = "crosstab"
text = { en = "Both?" }
attributes = [
  { id = "x", text = { en = "X?" }, choices = ["a", "b"] },
  { id = "y", text = { en = "Y?" }, choices = ["a", "b", "c"] },
]
[[question]]
id = "much"
type = "number"
text = { en = "How much?" }
low = 0
high = 10
"""


def test_whole_submissions_in_one_pass(tmp_path: Path) -> None:
    collection = sd.Collection.from_toml(SURVEY)
    wires = [islice(part.wires(), 300) for part in collection.program.parts]
    wire = b"".join(b"".join(one) for one in islice(zip(*map(cycle, wires), strict=True), 300))
    path = tmp_path / "whole.parquet"
    assert write_submissions(path, collection, wire) == 300
    assert counts_from(path, collection) == collection.tally(wire)
    other = sd.Collection.from_toml(SURVEY.replace("3.0", "2.0"))
    with pytest.raises(sd.ReportError, match=r"must be the one that whole\.parquet is of"):
        counts_from(path, other)


def test_streams_of_others() -> None:
    import narwhals as nw
    import polars as pl

    reports = reports_of(GRR)
    table = pa.table({"report": reports})
    frame = pl.DataFrame({"report": reports})
    expected = (GRR.aggregate(reports),)
    for source in (table, table.to_reader(100), frame, frame.lazy(), nw.from_native(frame),
                   nw.from_native(frame.lazy())):  # fmt: skip
        assert counts_from(source, GRR, threads=2) == expected
    assert sd.estimate_from(table, GRR).shares.tolist() == GRR.estimate(expected[0]).shares.tolist()
    wrong = reports.copy()
    wrong[2500] = 5
    with pytest.raises(sd.ReportError, match="look at row 2501 of the stream"):
        counts_from(pa.table({"report": wrong}).to_reader(100), GRR)


def test_a_folder_and_its_manifest(tmp_path: Path) -> None:
    folder = tmp_path / "day=1"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    (folder / ".part.csv.crc").touch()
    reports = reports_of(GRR)
    for i in range(3):
        sd.files.write_reports(folder / f"part-{i}.parquet", GRR, [reports[i::3]])
    assert counts_from(tmp_path) == (GRR.aggregate(reports),)
    assert sd.estimate_from(tmp_path).n == N
    with pytest.raises(sd.ReportError, match=r"must be the manifest's, GRR\(k=5, epsilon=1.0\)"):
        counts_from(tmp_path, sd.GRR(5, 2.0))


def test_the_fingerprint_guards_the_metadata(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    sd.files.write_reports(path, GRR, [reports_of(GRR)])
    assert counts_from(path)[0].n == N
    table = parquet.read_table(path)
    metadata = dict(table.schema.metadata)
    metadata[b"sudare"] = metadata[b"sudare"].replace(b'"1.0"', b'"2.0"')
    for name in ("r.parquet", "r.arrow"):
        out = path.with_name(name)
        changed = table.replace_schema_metadata(metadata)
        (parquet.write_table if out == path else feather.write_feather)(changed, out)
        with pytest.raises(sd.ReportError, match="another mechanism than its fingerprint"):
            counts_from(out)


@cases("kind", KINDS)
def test_a_wrong_cell_far_down_is_named(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "UNIT_BYTES", 1000)
    reports = reports_of(GRR)
    reports[[1707, 2900]] = 77
    columns = {"report": pa.array(reports), "other": pa.array(reports)}
    path = write(tmp_path / f"r.{kind}", columns)
    with pytest.raises(sd.ReportError) as error:
        counts_from(path, GRR, threads=2)
    where = "line 1709" if kind.startswith("csv") else "row 1708"
    assert f"look at {where} of r.{kind}" in str(error.value)
    assert "77" not in str(error.value)


@cases(
    "text",
    [
        "report\r0\r1\r1\r",
        "report\r\n0\r\n1\r\n1",
        "\ufeffreport\n0\n1\n1\n",
        'report,said\n0,"a\nb"\n1,c\n1,d\n',
        "report,said\n\n0,a\n1,b\n\n1,c\n",
        "report\n00\n 1\n1\n",
    ],
)
def test_csv_as_others_write_it(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "UNIT_BYTES", 4)
    path = tmp_path / "r.csv"
    path.write_bytes(text.encode())
    assert counts_from(path, sd.GRR(2, 1.0))[0] == sd.GRR(2, 1.0).aggregate(np.array([0, 1, 1]))


def test_bad_arguments(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", {"report": pa.array([0, 1])})
    with pytest.raises(sd.WrongTypeError, match="must be a mechanism"):
        counts_from(path, 3)
    with pytest.raises(sd.ReportError, match="is not told by a manifest"):
        counts_from(path)
    with pytest.raises(sd.WrongTypeError, match="a file or a folder, or have a stream"):
        counts_from(3, GRR)
    with pytest.raises(sd.DomainError, match="threads"):
        counts_from(path, GRR, threads=0)
    with pytest.raises(sd.DomainError, match="must be a column of"):
        counts_from(pa.table({"x": [1]}), GRR)
    with pytest.raises(sd.DomainError, match="must end in"):
        counts_from(write(tmp_path / "r.txt", {"report": pa.array([0])}), GRR)


def test_a_stated_error_of_a_stream_passes_and_a_strange_one_shows_no_cell() -> None:
    schema = pa.schema([("report", pa.int64())])
    stated = sd.StorageError("file b", "has changed", "open it again")

    def stream(error: Exception) -> Any:
        yield pa.record_batch({"report": pa.array([0, 1])})
        raise error

    for error, kind, words in (
        (stated, sd.StorageError, "file b has changed; open it again"),
        (sd.ReportError("column", "is gone"), sd.ReportError, "column is gone"),
        (ValueError("Ada"), sd.StorageError, "source must be a table that its package can read"),
    ):
        reader = pa.RecordBatchReader.from_batches(schema, stream(error))
        with pytest.raises(kind, match=words) as caught:
            counts_from(reader, GRR)
        assert "Ada" not in str(caught.value)
