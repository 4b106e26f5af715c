"""However a writer lays its columns out in memory or in a file, the same is read of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
from pyarrow import compute, ipc, parquet

import sudare as sd
from sudare.errors import ReportError, SudareError
from sudare.files import read_people
from sudare.files.columns import Column

TEAS = ["tea", "coffee", "tea", "", "water"] * 40
NAMES = ("tea", "coffee", "water")


def coded(cells, kind):
    one = cells.dictionary_encode()
    return pa.DictionaryArray.from_arrays(one.indices, one.dictionary.cast(kind))


LAYOUTS = {
    "string": lambda cells: cells.cast(pa.string()),
    "large_string": lambda cells: cells.cast(pa.large_string()),
    "string_view": lambda cells: cells.cast(pa.string_view()),
    "binary": lambda cells: cells.cast(pa.binary()),
    "large_binary": lambda cells: cells.cast(pa.large_binary()),
    "binary_view": lambda cells: cells.cast(pa.binary()).cast(pa.binary_view()),
    "dictionary": lambda cells: cells.dictionary_encode(),
    "dictionary of large": lambda cells: coded(cells, pa.large_string()),
    "dictionary of views": lambda cells: coded(cells, pa.string_view()),
    "small dictionary": lambda cells: cells.dictionary_encode().cast(
        pa.dictionary(pa.uint8(), pa.string())
    ),
    "runs": compute.run_end_encode,
    "short runs": lambda cells: compute.run_end_encode(cells, run_end_type=pa.int16()),
    "polars": lambda cells: pl.Series(cells).to_arrow(),
    "Categorical": lambda cells: pl.Series(cells, dtype=pl.Categorical).to_arrow(),
    "Enum": lambda cells: pl.Series(
        cells, dtype=pl.Enum(cells.unique().drop_null().to_pylist())
    ).to_arrow(),
}
"""Ways of having text in Arrow."""


def runs(cells):
    """Return a run a row, as a part of a longer array."""
    ends = pa.array(range(1, len(cells) + 3), pa.int32())
    longer = pa.concat_arrays([cells[-2:], cells])
    return pa.RunEndEncodedArray.from_arrays(ends, longer).slice(2)


def codes(cells):
    return pa.DictionaryArray.from_arrays(pa.array(range(len(cells)), pa.int16()), cells)


def views(cells):
    return cells.cast(pa.binary_view() if pa.types.is_binary(cells.type) else pa.string_view())


NESTED = {
    "runs of views": lambda cells: runs(views(cells)),
    "runs of codes": lambda cells: runs(cells.dictionary_encode()),
    "runs of runs": lambda cells: runs(runs(cells)),
    "codes of runs": lambda cells: codes(runs(cells)),
    "codes of runs of views": lambda cells: codes(runs(views(cells))),
    "codes of codes": lambda cells: codes(cells.dictionary_encode()),
    "runs of codes of views": lambda cells: runs(codes(views(cells))),
}
"""One of these layouts in another."""


def tables(cells, folder):
    """Yield what holds a column: tables, streams, data sets, files, frames."""
    table = pa.table({"t": pa.chunked_array([cells.slice(0, 70), cells.slice(70)])})
    yield "table", table
    yield "stream", table.to_reader()
    yield "data set", pyarrow.dataset.dataset(table)
    with ipc.new_file(str(folder / "t.arrow"), table.schema) as writer:
        writer.write_table(table)
    yield "Arrow", folder / "t.arrow"
    try:
        parquet.write_table(table, folder / "t.parquet")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # Parquet knows no such layout
        return
    yield "Parquet", folder / "t.parquet"


def shares(source, unit=None):
    """Return how many rows each name has, about: the noise is far below 1/2."""
    if isinstance(source, str) or hasattr(source, "open"):
        source = read_people(source)
    data = sd.release.Dataset(
        source, categories={"t": NAMES}, unit=unit and (unit, 200), budget=10**6
    )
    found = data.histogram("t", NAMES, epsilon=10**5).value
    return [round(found[name]) for name in NAMES]


def test_text_is_read_however_it_is_laid_out(tmp_path):
    """Releases, ids of persons, categories of files, perturbing: 15 layouts of one column."""
    mechanism, right = sd.GRR(list(NAMES), 1.0), [80, 40, 40]
    for name, lay in LAYOUTS.items():
        cells = lay(pa.array(TEAS))
        for holder, source in tables(cells, tmp_path):
            if holder in ("Arrow", "Parquet"):
                column = Column.found(source, "t", "category")
                assert column.categories == ("(missing)", "coffee", "tea", "water"), (name, holder)
                assert np.bincount(next(column.blocks())).tolist() == [40, 40, 80, 40]
            assert shares(source) == right, (name, holder)
        assert shares({"t": cells}) == right, name
        full = lay(pa.array([tea or "tea" for tea in TEAS]))
        assert mechanism.perturb(full).size == len(TEAS), name
        assert mechanism.perturb(pa.chunked_array([full, full])).size == 2 * len(TEAS), name
        ids = pa.table({"t": full})
        assert shares(ids, unit="t") == [120, 40, 40], name
        assert shares(pyarrow.dataset.dataset(ids), unit="t") == [120, 40, 40], name
    frame = pl.DataFrame({"t": TEAS})
    for series in (frame["t"], frame["t"].cast(pl.Categorical), frame["t"].cast(pl.Binary)):
        own = frame.with_columns(series)
        assert shares(own) == shares(own.lazy()) == right
        assert mechanism.perturb(series.filter(frame["t"] != "")).size == 160


BYTES = {
    "binary": lambda rows: pa.array(rows, pa.binary()),
    "large_binary": lambda rows: pa.array(rows, pa.large_binary()),
    "binary_view": lambda rows: pa.array(rows, pa.binary_view()),
    "fixed_size_binary": lambda rows: pa.array(rows, pa.binary(len(rows[0]))),
    "dictionary": lambda rows: pa.array(rows, pa.binary()).dictionary_encode(),
    "dictionary of views": lambda rows: coded(pa.array(rows, pa.binary()), pa.binary_view()),
    "dictionary of fixed": lambda rows: pa.array(rows, pa.binary(2)).dictionary_encode(),
    "runs": lambda rows: compute.run_end_encode(pa.array(rows, pa.binary())),
    "runs of fixed": lambda rows: compute.run_end_encode(pa.array(rows, pa.binary(2))),
    "polars": lambda rows: pl.Series(rows).to_arrow(),
}


def test_reports_are_read_however_they_are_laid_out(tmp_path):
    """Bytes, hexadecimal and numbers as text: files, streams, frames of polars, aggregate."""
    oue, grr = sd.OUE(9, 1.0), sd.GRR(3, 1.0)
    rows = oue.perturb(np.arange(200) % 9)
    right, wire = oue.aggregate(rows), [row.tobytes() for row in rows]
    numbers = pa.array([str(i % 3) for i in range(200)])
    columns = {
        **{("bytes", name): (oue, lay(wire), right) for name, lay in BYTES.items()},
        **{
            (what, name): (mechanism, lay(cells), counts)
            for name, lay in LAYOUTS.items()
            if "binary" not in name
            for what, mechanism, cells, counts in (
                ("hexadecimal", oue, pa.array([one.hex() for one in wire]), right),
                ("text", grr, numbers, grr.aggregate(np.arange(200) % 3)),
            )
        },
    }
    for what, (mechanism, cells, counts) in columns.items():
        for holder, source in tables(cells, tmp_path):
            found = sd.engines.counts_from(source, mechanism, column="t")
            assert found == (counts,), (what, holder)
        if what[0] == "bytes" and "runs" not in what[1]:
            assert oue.aggregate(cells) == right, what
    series = pl.Series("t", wire)
    for frame in (series.to_frame(), series.to_frame().lazy()):
        assert sd.estimate_from(frame, oue, column="t").n == 200
    assert oue.aggregate(series) == right


def others():
    three = pa.array([0, 1, 2])
    yield "bool", pa.array([True, False, True])
    yield "double", pa.array([0.0, 1.0, 2.0])
    yield "timestamp", pa.array([0, 1, 2], pa.timestamp("ms"))
    yield "null", pa.nulls(3)
    yield "list", pa.array([[0], [1], [2]], pa.list_(pa.field("element", pa.int64())))
    yield "struct<a: int64>", pa.array([{"a": 0}] * 3)
    yield "fixed_size_binary[7]", pa.array([b"1234567"] * 3, pa.binary(7))
    yield "extension<arrow.uuid>", pa.array([bytes(16)] * 3, pa.uuid())
    yield "opaque", pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "a", "b"), three)
    yield "runs", compute.run_end_encode(pa.array([0.5, 0.5, 1.5]))
    yield "dictionary", pa.array([0.5, 0.5, 1.5]).dictionary_encode()


def test_a_column_of_a_wrong_type_is_named_with_its_type_and_no_row_is_blamed(tmp_path):
    for mechanism in (sd.GRR(3, 1.0), sd.OUE(9, 1.0)):
        for kind, cells in others():
            for holder, source in tables(cells, tmp_path):
                with pytest.raises(ReportError, match=r"^t must hold reports of") as error:
                    sd.engines.counts_from(source, mechanism, column="t")
                kept = cells.type if holder != "Parquet" or kind != "dictionary" else pa.float64()
                assert f"is of the type {kept} in " in str(error.value), (kind, holder)
                assert " row " not in str(error.value), (kind, holder)
    with pytest.raises(ReportError, match="is of the type int64 in the stream"):
        sd.engines.counts_from(pa.table({"report": [0, 1]}), sd.OUE(9, 1.0))
    joint = sd.JointRR([2, 2], gamma=3)
    with pytest.raises(ReportError, match=r"^b must .* is of the type double in the stream"):
        sd.engines.counts_from(pa.table({"a": [0, 1], "b": [0.0, 1.0]}), joint, column=["a", "b"])
    parquet.write_table(pa.table({"t": [[1], [2]]}), tmp_path / "t.parquet")
    with pytest.raises(SudareError, match=r"column t must hold .* is of the type list"):
        Column.found(tmp_path / "t.parquet", "t")
    at = pa.array([0, 1], pa.timestamp("s"))
    parquet.write_table(pa.table({"cell": [0, 1], "people": at}), tmp_path / "t.parquet")
    with pytest.raises(SudareError, match=r"column people must hold numbers, .* timestamp"):
        sd.files.read_cells(tmp_path / "t.parquet", "people")


def test_whatever_the_type_a_refusal_is_typed():
    """Perturb, aggregate and release Dataset."""
    mechanism = sd.GRR(list(NAMES), 1.0)
    for kind, cells in others():
        for work in (
            lambda cells=cells: mechanism.perturb(cells),
            lambda cells=cells: sd.OUE(9, 1.0).aggregate(cells),
            lambda cells=cells: shares({"t": cells}),
            lambda cells=cells: shares(pa.table({"t": cells})),
            lambda cells=cells: shares(pa.table({"t": cells}), unit="t"),
        ):
            try:
                work()
            except SudareError as error:
                assert "0.5" not in str(error), kind


def test_one_layout_in_another_is_read_in_memory_and_from_files(tmp_path):
    """Releases and reports; also in chunks, each with codes of its own, and of what has no text."""
    texts = pa.array([tea or None for tea in TEAS])
    oue = sd.OUE(9, 1.0)
    rows = oue.perturb(np.arange(200) % 9)
    wire = pa.array([row.tobytes() for row in rows], pa.binary())
    for name, lay in NESTED.items():
        cells = pa.chunked_array([lay(texts[:70]), lay(texts[70:])])
        with ipc.new_file(str(tmp_path / "t.arrow"), pa.schema([("t", cells.type)])) as writer:
            writer.write_table(pa.table({"t": pa.chunked_array([lay(texts)])}))
        held = [{"t": cells}, pa.table({"t": cells})]
        if name != "codes of codes":  # which Arrow writes, and cannot read
            held.append(tmp_path / "t.arrow")
        for source in held:
            assert shares(source) == [80, 40, 40], name
        reports = pa.table({"t": pa.chunked_array([lay(wire[:70]), lay(wire[70:])])})
        assert sd.engines.counts_from(reports, oue, column="t") == (oue.aggregate(rows),), name
    for lay in (runs, lambda cells: runs(codes(cells)), lambda cells: codes(runs(cells))):
        numbers = sd.release.Dataset({"t": lay(pa.array([1, 3] * 50))}, bounds={"t": (0, 4)})
        assert round(numbers.mean("t", epsilon=10**5).value, 2) == 2


def test_what_no_layout_explains_is_refused_by_type():
    """Views in lists, and types of extensions, in runs or codes; a batch of them is no stream."""
    lists = pa.array([["tea"], None, []], pa.list_(pa.string_view()))
    list_views = pa.array([["tea"], None, []], pa.list_view(pa.string_view()))
    opaque = pa.ExtensionArray.from_storage(
        pa.opaque(pa.string_view(), "a", "b"), pa.array(["tea", None, ""], pa.string_view())
    )
    for cells in (lists, list_views, opaque, pa.array([bytes(16)] * 3, pa.uuid())):
        for lay in (lambda one: one, runs, codes):
            table = pa.table({"t": lay(cells)})
            for source in ({"t": table["t"]}, table, table.to_batches()[0]):
                with pytest.raises(SudareError):
                    shares(source)
            with pytest.raises(ReportError):
                sd.engines.counts_from(table, sd.OUE(9, 1.0), column="t")
