"""Folders: each file is counted, left out by its name and named, or refused."""

from __future__ import annotations

import gzip
import json
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import feather, parquet

import sudare as sd
from sudare.cli import main
from sudare.engines import counts_from
from sudare.errors import LeftOutWarning, SudareError
from sudare.files import read_blocks, read_people, read_reports
from sudare.release import Dataset
from tests.cases import cases

GRR = sd.GRR(2, 1.0)
TABLE = pa.table({"report": [0, 1, 1]})
LINES = "".join(json.dumps({"report": one}) + "\n" for one in (0, 1, 1))
WRITERS: dict[str, Callable[[Path], Any]] = {
    "parquet": lambda path: parquet.write_table(TABLE, path),
    "parq": lambda path: parquet.write_table(TABLE, path),
    "pq": lambda path: parquet.write_table(TABLE, path),
    "arrow": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "feather": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "csv": lambda path: path.write_text("other,report\na,0\nb,1\nc,1\n"),
    "csv.gz": lambda path: path.write_bytes(gzip.compress(b"report\n0\n1\n1\n")),
    "tsv": lambda path: path.write_text("other\treport\na,b\t0\nb\t1\nc\t1\n"),
    "tsv.gz": lambda path: path.write_bytes(gzip.compress(b"other\treport\na\t0\nb\t1\nc\t1\n")),
    "jsonl": lambda path: path.write_text(LINES),
    "ndjson": lambda path: path.write_text(LINES),
    "jsonl.gz": lambda path: path.write_bytes(gzip.compress(LINES.encode())),
    "ndjson.gz": lambda path: path.write_bytes(gzip.compress(LINES.encode())),
}


def test_every_ending_in_letters_of_any_size(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    for number, (ending, write) in enumerate(WRITERS.items()):
        for name in (ending, ending.upper()):
            path = folder / f"{number}-{name}.{name}"
            write(path)
            assert counts_from(path, GRR)[0].support.tolist() == [1, 2], path.name
            assert sum(len(part) for part in read_blocks(path, "report")) == 3, path.name
            assert Dataset(read_people(path), budget=1).n == 3, path.name
    assert counts_from(folder, GRR)[0].n == 2 * 3 * len(WRITERS)
    assert read_reports([folder], GRR).counts.n == 2 * 3 * len(WRITERS)


def test_a_folder_is_listed_once_however_many_of_its_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is asked for a log above it; 16,000 took 21 s. A log that comes later is seen."""
    listed: list[object] = []
    scan, glob = os.scandir, Path.glob  # the second's own is bound when Python 3.13 starts
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(path), scan(path))[1])
    monkeypatch.setattr(
        Path, "glob", lambda path, *given: (listed.append(path), glob(path, *given))[1]
    )
    for number in range(40):
        WRITERS["csv"](tmp_path / f"{number}.csv")
    os.utime(tmp_path, (1, 1))
    for number in range(40):
        read_blocks(tmp_path / f"{number}.csv", "report")
    assert 0 < sum(Path(str(one)) == tmp_path for one in listed) < 10
    (tmp_path / "_committed_1").touch()
    for when in (None, (2, 2)):
        if when:
            os.utime(tmp_path, when)
        with pytest.raises(SudareError, match="Databricks"):
            read_blocks(tmp_path / "0.csv", "report")


def test_a_wrong_cell_of_compressed_lines_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(gzip.compress((LINES * 9 + '{"report": "x"}\n' + LINES).encode()))
    with pytest.raises(sd.ReportError, match=r"look at row 28 of r\.jsonl\.gz"):
        counts_from(path, GRR)


OTHERS = (
    "a.xlsx",
    "part-00000",
    "b.orc",
    "c.csv.zst",
    "d.parquet.bak",
    "day=1/e.json",
    "x/.a/../y",
)


@cases("name", OTHERS)
def test_what_is_no_table_is_named(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet.write_table(TABLE, tmp_path / "r.parquet")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "x" / ".a").mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"x")
    shown = Path(os.path.normpath(name)).name
    for read in (lambda: counts_from(tmp_path, GRR), lambda: Dataset(tmp_path),
                 lambda: read_reports([tmp_path], GRR)):  # fmt: skip
        with pytest.raises(SudareError, match=shown):
            read()
    for words in (["estimate", "--mechanism", "GRR", "-k", "2"], ["release", "--ask", "count"]):
        assert main([*words, "--epsilon", "1", str(tmp_path)]) == 2
        assert shown in capsys.readouterr().err


def test_hidden_tables_are_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet.write_table(TABLE, tmp_path / "r.parquet")
    for name in ("_SUCCESS", "_metadata", ".r.parquet.crc", "r.parquet.crc", ".DS_Store",
                 "r.parquet.manifest.json.crc"):  # fmt: skip
        (tmp_path / name).write_bytes(b"x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert counts_from(tmp_path, GRR)[0].n == Dataset(tmp_path).n == 3
    for name in (".a.PARQUET", "_b.csv", "_temporary/0/c.parquet", ".git/d.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    named = r"\.a\.PARQUET, \.git/d\.jsonl, _b\.csv, _temporary/0/c\.parquet"
    with pytest.warns(LeftOutWarning, match=named):
        assert counts_from(tmp_path, GRR)[0].n == 3
    with pytest.warns(LeftOutWarning, match=named):
        assert Dataset(tmp_path).n == 3
    words = ["estimate", "--mechanism", "GRR", "-k", "2", "--epsilon", "1", str(tmp_path)]
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(words) == 0
    shown = capsys.readouterr()
    assert "n = 3" in shown.out
    assert re.search(named, shown.err)


def test_links_are_followed_once(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    parquet.write_table(TABLE, folder / "a.parquet")
    parquet.write_table(TABLE, other / "b.parquet")
    (folder / "link").symlink_to(other)
    assert counts_from(folder, GRR)[0].n == 6
    (folder / "loop").symlink_to(folder)
    with pytest.raises(sd.DomainError, match="must not be there twice"):
        counts_from(folder, GRR)
    (folder / "loop").unlink()
    (folder / "gone.parquet").symlink_to(tmp_path / "nowhere.parquet")
    with pytest.raises(sd.DomainError):
        counts_from(folder, GRR)


def test_one_file_by_several_names_is_refused(tmp_path: Path) -> None:
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    path = tmp_path / "a" / "r.parquet"
    path.parent.mkdir()
    parquet.write_table(TABLE, path)
    for make in (os.link, os.symlink):
        folder = tmp_path / "b"
        folder.mkdir()
        make(path, folder / "x.parquet")
        make(path, folder / "y.PQ")
        within = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
        two = [str(folder / "x.parquet"), str(folder / "y.PQ")]
        for source in (
            folder,
            [path, folder / "x.parquet"],
            ds.dataset(two),
            ds.dataset([ds.dataset(path), ds.dataset(folder / "x.parquet")]),
            ds.dataset([ds.dataset(path), ds.dataset("b/x.parquet", filesystem=within)]),
        ):
            with pytest.raises(sd.DomainError, match="must not name a file twice"):
                counts_from(source, GRR)
            if not isinstance(source, list):
                with pytest.raises(sd.DomainError, match="must not name a file twice"):
                    Dataset(source)
        assert counts_from([folder / "x.parquet"], GRR)[0].n == Dataset(folder / "y.PQ").n == 3
        (folder / "x.parquet").unlink()
        (folder / "y.PQ").unlink()
        folder.rmdir()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads all folders")
def test_a_folder_without_rights_is_refused(tmp_path: Path) -> None:
    parquet.write_table(TABLE, tmp_path / "a.parquet")
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(sd.DomainError, match="cannot be read"):
        counts_from(tmp_path, GRR)


def test_release_folders_hold_parquet_alone(tmp_path: Path) -> None:
    parquet.write_table(TABLE, tmp_path / "a.PARQUET")
    parquet.write_table(TABLE, tmp_path / "b.parq")
    assert Dataset(tmp_path).n == 6
    (tmp_path / "c.CSV").write_text("report\n0\n")
    with pytest.raises(SudareError, match=r"Parquet or of CSV files alone, and c\.CSV is none"):
        Dataset(tmp_path)


def test_what_a_release_cannot_read_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    parquet.write_table(TABLE, tmp_path / "folder" / "a.parquet")
    for name, remedy in (("z.zip", "files that are read end in .parquet"),
                         ("c.CSV", "give sudare.files.read_people(path)"),
                         ("l.jsonl.gz", "give sudare.files.read_people(path)"),
                         ("b.parquet", "check the file"),
                         ("folder/b.parquet", "check the file")):  # fmt: skip
        (tmp_path / name).write_bytes(b"report\n1\n")
        with pytest.raises(sd.StorageError) as caught:
            Dataset(tmp_path / ("folder" if "/" in name else name))
        assert f"got '{Path(name).name}'; {remedy}" in str(caught.value)
    for name in ("nope.xlsx", "nope.parquet", "nope"):
        with pytest.raises(sd.StorageError, match=f"got '{name}'; there is no such file"):
            Dataset(tmp_path / name)


LOGS = ("_delta_log/00000000000000000000.json", "metadata/v1.metadata.json",
        "metadata/00001-9f3c.gz.metadata.json", "metadata/snap-1-0-a.avro",
        "metadata/version-hint.text",
        ".hoodie/hoodie.properties", "_spark_metadata/0", "_versions/1.manifest",
        "_committed_123", "snapshot/snapshot-1")  # fmt: skip


def laid(folder: Path, log: str) -> list[Path]:
    """Write a table with a log, and return whence its files are reached."""
    table = folder / "lake" / "people"
    data = table / "data" / "year=2026"
    data.mkdir(parents=True)
    parquet.write_table(TABLE, data / "part-0.parquet")
    (table / log).parent.mkdir(parents=True, exist_ok=True)
    (table / log).write_text("{}")
    (folder / "link").symlink_to(data)
    return [folder / "lake", table, data.parent, data, data / "part-0.parquet", folder / "link",
            folder / "link" / "part-0.parquet"]  # fmt: skip


def test_a_table_with_a_log_is_refused_from_anywhere(tmp_path: Path) -> None:
    for number, log in enumerate(LOGS):
        for place in laid(tmp_path / str(number), log):
            with pytest.raises(sd.DomainError, match="whose log says which rows are left"):
                counts_from(place, GRR)
    for name, entry in (("a", "data.metadata.json"), ("b", "metadata/notes.parquet")):
        place = laid(tmp_path / name, entry)[3]
        assert counts_from(place, GRR)[0].n == Dataset(place).n == 3  # that is no log


def test_a_table_with_a_log_is_refused_by_whatever_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet.write_table(TABLE, tmp_path / "r.parquet")
    definition = tmp_path / "people.toml"
    for place in laid(tmp_path, "_delta_log/00000000000000000000.json"):
        below = [str(one) for one in place.rglob("*.parquet")] if place.is_dir() else str(place)
        dataset = ds.dataset(below)
        definition.write_text(f"""
name = "people"
file = "{place}"
[budget]
epsilon = 1
""")
        for read in (
            lambda place=place: counts_from([tmp_path / "r.parquet", place], GRR),
            lambda place=place: read_reports([place], GRR),
            lambda place=place: Dataset(place),
            lambda place=place: Dataset(read_people(place)),
            lambda dataset=dataset: counts_from(dataset, GRR),
            lambda dataset=dataset: Dataset(dataset),
            lambda dataset=dataset: counts_from(dataset.filter(ds.field("report") == 1), GRR),
            lambda dataset=dataset: counts_from(next(dataset.get_fragments()), GRR),
            lambda dataset=dataset: Dataset(next(dataset.get_fragments())),
            lambda dataset=dataset: Dataset(dataset.filter(ds.field("report") == 1)),
        ):
            with pytest.raises(SudareError, match="whose log says which rows are left"):
                read()
        for words in (["estimate", "--mechanism", "GRR", "-k", "2"], ["release", "--ask", "count"]):
            assert main([*words, "--epsilon", "1", str(place)]) == 2
            assert "whose log says which rows are left" in capsys.readouterr().err
        words = ["release", str(definition), "--ledger", str(tmp_path / "l.db"), "--ask", "count"]
        assert main([*words, "--epsilon", "1", "--dry-run"]) == 2
        assert "whose log says which rows are left" in capsys.readouterr().err


def test_a_link_to_a_file_of_a_table_with_a_log_is_refused(tmp_path: Path) -> None:
    """A link counts by each place that it leads by, whatever kind of source reaches it."""
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    table, away = tmp_path / "people", tmp_path / "away"
    (table / "_delta_log").mkdir(parents=True)
    away.mkdir()
    parquet.write_table(TABLE, table / "a.parquet")
    parquet.write_table(TABLE, away / "b.parquet")
    (table / "out.parquet").symlink_to("../away/b.parquet")
    for number, target in enumerate(("a.parquet", "out.parquet")):
        folder = tmp_path / str(number)
        (folder / "day=1").mkdir(parents=True)
        link = folder / "day=1" / "x.parquet"
        (tmp_path / f"hop-{number}").symlink_to(f"people/{target}")
        link.symlink_to(f"../../hop-{number}")
        filesystem = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
        (tmp_path / f"of-{number}").mkdir()
        (tmp_path / f"of-{number}" / "below").symlink_to(folder / "day=1")
        for place in (folder, link, str(folder), tmp_path / f"of-{number}", folder.as_uri(),
                      [folder], ds.dataset(folder),
                      ds.dataset(f"{number}/day=1", filesystem=filesystem)):  # fmt: skip
            for read in (counts_from, lambda one, _: Dataset(one)):
                if isinstance(place, list) and read is not counts_from:
                    continue
                with pytest.raises(sd.DomainError, match="whose log says which rows are left"):
                    read(place, GRR)
    (table / "day=1").mkdir()
    parquet.write_table(TABLE, table / "day=1" / "c.parquet")
    (away / "below").symlink_to(table / "day=1")
    with pytest.raises(sd.DomainError, match="whose log says which rows are left"):
        counts_from(away, GRR)
    (away / "below").unlink()
    beside = table / ".." / "away" / "b.parquet"  # the table is not on the way to it
    assert counts_from(beside, GRR)[0].n == Dataset(beside).n == 3


def test_a_log_is_seen_through_filesystems(tmp_path: Path) -> None:
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    table = tmp_path / "people"
    (table / "_delta_log").mkdir(parents=True)
    parquet.write_table(TABLE, table / "a.parquet")
    for base, path in ((tmp_path, "people"), (table, "")):
        filesystem = SubTreeFileSystem(str(base), LocalFileSystem())
        with pytest.raises(sd.DomainError, match="Delta Lake"):
            counts_from(ds.dataset(path, filesystem=filesystem), GRR)
    (table / "_delta_log").rmdir()
    assert counts_from(ds.dataset(path, filesystem=filesystem), GRR)[0].n == 3
