"""Files of reports: what is in them, what is refused, and that they are estimated as in Python."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sudare as sd
from sudare.estimation import Counts
from tests.cases import cases

KINDS = ("csv", "csv.gz", "jsonl", "parquet")
LISTED = ("--categories", "north,south,west")
Run = Callable[..., tuple[int, str, str]]


def by_hand(m: sd.GRR, regions: np.ndarray) -> Counts:
    """Perturb and tally as a program would, in the command's blocks of 262,144."""
    rng = sd.Entropy.seeded(b"s")
    parts = [m.perturb(regions[i : i + 262_144], rng=rng) for i in range(0, len(regions), 262_144)]
    return m.aggregate(np.concatenate(parts))


@cases("kind", KINDS)
@cases("name", ["GRR", "OUE"])
def test_a_file_of_reports_is_estimated_as_in_python(
    sudare: Run, crowd: dict[str, Path], regions: np.ndarray, tmp_path: Path, name: str, kind: str
) -> None:
    out = tmp_path / f"reports.{kind}"
    options = ("--column", "region", "--epsilon", "1.5", "--mechanism", name, "--seed", "s")
    status, text, err = sudare("perturb", crowd[kind], *options, *LISTED, "--out", out)
    assert status == 0
    assert "70,000 reports" in text
    assert "protect nobody" in err
    status, text, _ = sudare("estimate", out, "--json")
    assert status == 0
    data = json.loads(text)
    m = getattr(sd, name)(3, 1.5)
    expected = m.estimate(by_hand(m, regions))
    assert [cell["category"] for cell in data["cells"]] == ["north", "south", "west"]
    assert [cell["share"] for cell in data["cells"]] == expected.shares.tolist()
    assert [cell["stderr"] for cell in data["cells"]] == expected.stderr.tolist()
    assert [cell["low"] for cell in data["cells"]] == expected.interval(0.95)[0].tolist()
    assert data["n"] == 70_000
    assert data["mechanism"] == m.to_json()


def test_one_perturb_of_all_rows_where_they_fit_a_block(sudare: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "few.csv", tmp_path / "reports.csv"
    path.write_text("x\n" + "b\na\nc\n" * 50, "utf-8")
    options = ("--column", "x", "--epsilon", "1", "--mechanism", "SUE", "--seed", "s")
    assert sudare("perturb", path, *options, "--categories", "a,b,c", "--out", out)[0] == 0
    m = sd.SUE(3, 1.0)
    rows = m.perturb(np.tile([1, 0, 2], 50), rng=sd.Entropy.seeded(b"s"))
    assert out.read_text("utf-8").split() == ["report", *(row.tobytes().hex() for row in rows)]


def test_the_same_reports_from_every_format_to_every_format(
    sudare: Run, crowd: dict[str, Path], tmp_path: Path
) -> None:
    from pyarrow import parquet

    options = ("--column", "region", "--epsilon", "1", "--mechanism", "OUE", "--seed", "s")
    seen = []
    for kind in KINDS:
        out = tmp_path / f"reports.{kind}"
        assert sudare("perturb", crowd[kind], *options, *LISTED, "--out", out)[0] == 0
    seen.append((tmp_path / "reports.csv").read_text("utf-8").split()[1:])
    seen.append(gzip.decompress((tmp_path / "reports.csv.gz").read_bytes()).decode().split()[1:])
    lines = (tmp_path / "reports.jsonl").read_text("utf-8").splitlines()
    seen.append([json.loads(line)["report"] for line in lines])
    table = parquet.read_table(tmp_path / "reports.parquet")
    seen.append([report.hex() for report in table.column("report").to_pylist()])
    assert all(reports == seen[0] for reports in seen)
    assert len(seen[0]) == 70_000


@cases("kind", KINDS)
def test_nothing_but_reports_is_written(
    sudare: Run, crowd: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    out = tmp_path / f"reports.{kind}"
    options = ("--column", "region", "--epsilon", "1", "--seed", "secret text")
    assert sudare("perturb", crowd["csv"], *options, *LISTED, "--out", out)[0] == 0
    beside = set() if kind == "parquet" else {f".{out.name}.manifest.json"}
    assert {path.name for path in tmp_path.iterdir()} == {out.name, *beside}
    raw = out.read_bytes()
    if kind == "csv.gz":
        raw = gzip.decompress(raw)
    if kind != "parquet":  # whose metadata names the categories, as the manifest does
        assert b"north" not in raw
    assert b"person" not in raw
    if kind == "parquet":
        from pyarrow import parquet

        manifest = parquet.read_schema(out).metadata[b"sudare"].decode()
        assert parquet.read_metadata(out).num_rows == 70_000
    else:
        manifest = (tmp_path / f".{out.name}.manifest.json").read_text("utf-8")
    assert "secret" not in manifest + raw.decode("latin-1")
    data = json.loads(manifest)
    assert data["entropy"] == "seeded: protects nobody"
    assert data["parameters"].get("n", 70_000) == 70_000
    assert data["parameters"]["mechanism"] == {"name": "GRR", "k": 3, "epsilon": "1.0"}
    assert data["parameters"]["categories"] == ["north", "south", "west"]


def test_fresh_entropy_unless_seeded(sudare: Run, crowd: dict[str, Path], tmp_path: Path) -> None:
    # two runs of 70,000 reports that are all alike by chance: never
    texts = []
    for i in range(2):
        out = tmp_path / f"{i}.csv"
        options = ("--column", "region", "--epsilon", "1", *LISTED)
        status, _, err = sudare("perturb", crowd["csv"], *options, "--out", out)
        assert (status, err) == (0, "")
        texts.append(out.read_bytes())
    assert texts[0] != texts[1]


def write(path: Path, rows: list[Any]) -> Path:
    """Write one column ``x``; None is an empty cell."""
    if path.name.endswith(".jsonl"):
        path.write_text("".join(json.dumps({"x": row}) + "\n" for row in rows), "utf-8")
    elif path.name.endswith(".parquet"):
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.table({"x": rows}), path)
    else:
        text = "x\n" + "".join(f"{'' if row is None else row}\n" for row in rows)
        raw = text.encode()
        path.write_bytes(gzip.compress(raw) if path.name.endswith(".gz") else raw)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("cell", "rule"), [("topsecret", "the categories alone"), (None, "empty cells")]
)
def test_a_cell_that_is_no_category_stops_everything(
    sudare: Run, tmp_path: Path, kind: str, cell: Any, rule: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    old = folder / f"reports.{kind}"
    old.write_bytes(b"what was there")
    path = write(tmp_path / f"x.{kind}", ["a", "b"] * 35_000 + [cell, "a", "nobody"])
    options = ("--column", "x", "--epsilon", "1", "--categories", "a,b")
    status, out, err = sudare("perturb", path, *options, "--out", old, "--force")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert rule in err
    assert ("line 70002" if "csv" in kind else "row 70001") in err
    assert "topsecret" not in err
    assert old.read_bytes() == b"what was there"
    assert [path.name for path in folder.iterdir()] == [old.name]


@cases("kind", KINDS)
def test_empty_cells_as_a_category(sudare: Run, tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / f"x.{kind}", ["a", None, "b"] * 100)
    out = tmp_path / f"reports.{kind}"
    options = ("--column", "x", "--epsilon", "20", "--missing", "category", "--categories", "a,b")
    assert sudare("perturb", path, *options, "--out", out)[0] == 0
    cells = json.loads(sudare("estimate", out, "--json")[1])["cells"]
    assert [cell["category"] for cell in cells] == ["a", "b", "(missing)"]
    assert [round(cell["share"], 2) for cell in cells] == [0.33] * 3


@cases("kind", ["jsonl", "parquet"])
def test_numbers_are_categories_by_their_text(sudare: Run, tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / f"x.{kind}", [3, 1, 2] * 100)
    out = tmp_path / "reports.csv"
    options = ("--column", "x", "--epsilon", "20", "--categories", "1,2,3")
    assert sudare("perturb", path, *options, "--out", out)[0] == 0
    first = out.read_text("utf-8").split()[1:4]
    assert first == ["2", "0", "1"]


def test_not_a_number_is_an_empty_cell(sudare: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", [1.5, float("nan"), 2.5])
    options = ("--column", "x", "--epsilon", "1", "--categories", "1.5,2.5")
    _, _, err = sudare("perturb", path, *options, "--out", tmp_path / "r.csv")
    assert "empty cells; look at row 2" in err


def test_quoted_line_breaks_across_blocks(sudare: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "x.csv", tmp_path / "r.csv"
    path.write_text("id,x\n" + ('"' + "\n" * 40 + '",a\n') * 50_000, "utf-8")
    options = ("--column", "x", "--epsilon", "1", "--categories", "a,b", "--json")
    status, text, err = sudare("perturb", path, *options, "--out", out)
    assert (status, err) == (0, "")
    assert json.loads(text)["n"] == 50_000


def test_na_is_a_category_like_any_other(sudare: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", ["NA", "null", "NaN"] * 10)
    options = ("--column", "x", "--epsilon", "20", "--categories", "NaN,NA,null")
    assert sudare("perturb", path, *options, "--out", tmp_path / "r.csv")[0] == 0
    assert (tmp_path / "r.csv").read_text("utf-8").split()[1:4] == ["1", "2", "0"]


def test_categories_from_the_data_come_with_a_warning(
    sudare: Run, crowd: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "reports.csv"
    options = ("--column", "region", "--epsilon", "1", "--categories-from-data", "--json")
    status, text, err = sudare("perturb", crowd["csv"], *options, "--out", out)
    assert status == 0
    assert "warning: the categories are read from the data" in err
    assert json.loads(text)["categories"] == ["north", "south", "west"]


def test_auto_takes_the_best_mechanism(sudare: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", ["1", "2"])
    listed = tmp_path / "listed.txt"
    listed.write_text("\n".join(map(str, range(43))), "utf-8")
    for epsilon in (0.5, 4.0):
        options = ("--column", "x", "--epsilon", epsilon, "--categories-file", listed, "--json")
        text = sudare("perturb", path, *options, "--out", tmp_path / "r.csv", "--force")[1]
        assert json.loads(text)["mechanism"]["name"] == sd.plan(43, 10, epsilon).best.name


@cases(
    "changes, word",
    [
        ({"--categories": "a"}, "at least 2"),
        ({"--categories": "a,a"}, "no two alike"),
        ({"--categories": "a,,b"}, "no two alike"),
        ({"--categories": None}, "required"),
        ({"--categories-file": "{ok}"}, "not allowed with"),
        ({"--categories": None, "--categories-file": "{binary}"}, "UTF-8"),
        ({"--categories": None, "--categories-file": "none.txt"}, "cannot use none.txt"),
        ({"--column": "y"}, "column must be a column of the file"),
        ({"--column": None}, "required"),
        ({"--epsilon": "0"}, "epsilon must be > 0"),
        ({"--mechanism": "XYZ"}, "mechanism must be one of"),
        ({"--out": "{folder}/r.txt"}, "must end in .csv"),
        ({"--out": "{ok}"}, "--out must not exist yet"),
        ({"--out": "{folder}/dir.csv"}, "must not be a folder"),
        ({"--out": "{ok}/r.csv"}, "cannot use"),
        ({"file": "none.csv"}, "does not exist"),
        ({"file": "{binary}"}, "is not UTF-8"),
        ({"file": "{nothing}"}, "must not be empty"),
        ({"file": "{header}"}, "at least one row"),
        ({"file": "{ragged}"}, "line 3 has more fields than the head"),
        ({"file": "{twice}"}, "1 and 2 are called alike"),
        ({"file": "{gz}"}, "must not end early"),
        ({"file": "{list}"}, "text or numbers"),
        ({"file": "{object}"}, "text or numbers"),
        ({"file": "{absent}"}, "a field of row 2"),
        ({"file": "{array}"}, "a field of row 1"),
        ({"file": "{half}"}, "cannot be read as a table"),
        ({"file": "{two}"}, "cannot be read as a table"),
        ({"file": "{deep}"}, "cannot be read as a table"),
        ({"file": "{fake}"}, "cannot be read as a table"),
    ],
)
def test_one_clear_line_and_nothing_written(
    sudare: Run, tmp_path: Path, changes: dict[str, str | None], word: str
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    names = {"folder": tmp_path}
    (tmp_path / "dir.csv").mkdir()
    for name, raw in (
        ("ok.csv", b"x\na\nb\n"),
        ("binary.csv", b"x\n\xff\xfe\n"),
        ("nothing.csv", b""),
        ("header.csv", b"x\n"),
        ("ragged.csv", b"id,x\n1,a\n2,b,c\n"),
        ("twice.csv", b"x,x\na,b\n"),
        ("gz.csv.gz", gzip.compress(b"x\na\n")[:-9]),
        ("object.jsonl", b'{"x": {"a": 1}}'),
        ("absent.jsonl", b'{"x": "a"}\n\n{"y": "a"}'),
        ("array.jsonl", b'["x"]'),
        ("half.jsonl", b'{"x": "a"}\n{"x":'),
        ("two.jsonl", b'{"x": "a"}, {"x": "a"}\n'),
        ("deep.jsonl", b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        ("fake.parquet", b"PAR1 or not"),
    ):
        path = tmp_path / name
        path.write_bytes(raw)
        names[name.partition(".")[0]] = path
    names["list"] = tmp_path / "list.parquet"
    parquet.write_table(pa.table({"x": [["a"], ["b"]]}), names["list"])
    before = sorted(tmp_path.iterdir())
    options: dict[str, str | None] = {
        "file": "{ok}", "--column": "x", "--epsilon": "1", "--categories": "a,b",
        "--out": "{folder}/r.csv", **changes,
    }  # fmt: skip
    file = str(options.pop("file")).format(**names)
    pairs = [(k, v.format(**names)) for k, v in options.items() if v is not None]
    status, out, err = sudare("perturb", file, *(word for pair in pairs for word in pair))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert word in err
    assert sorted(tmp_path.iterdir()) == before


@cases("kind", ["csv", "parquet"])
def test_a_file_without_a_header_does_not_show_its_first_person(
    sudare: Run, tmp_path: Path, kind: str
) -> None:
    people = tmp_path / f"people.{kind}"
    if kind == "csv":
        people.write_text("alice,north\nbob,south\n", "utf-8")
    else:
        parquet.write_table(pa.table({"alice": ["bob"], "north": ["south"]}), people)
    options = ("--column", "region", "--epsilon", "1", "--categories", "north,south")
    status, out, err = sudare("perturb", people, *options, "--out", tmp_path / "r.csv")
    assert (status, out) == (2, "")
    assert "alice" not in err
    assert "north" not in err


def test_a_line_separator_is_part_of_a_category(sudare: Run, tmp_path: Path) -> None:
    people, listed = tmp_path / "people.csv", tmp_path / "list.txt"
    people.write_text("x\na\u2028z\nb\n", "utf-8")
    listed.write_bytes("a\u2028z\r\nb\r\n".encode())
    options = ("--column", "x", "--epsilon", "1", "--categories-file", listed)
    assert sudare("perturb", people, *options, "--out", tmp_path / "r.csv")[0] == 0


def test_the_remedy_is_of_what_is_wrong(sudare: Run, tmp_path: Path) -> None:
    """A file that is no gzip, an encoding that a file is not in, and blanks in the option."""
    path, packed, out = tmp_path / "p.csv", tmp_path / "p.csv.gz", tmp_path / "r.csv"
    path.write_text("x\nnorth\nsouth\n")
    packed.write_bytes(b"\x81\x8d\x90\xff\x00" * 40)  # of no encoding
    for file, options, rule in (
        (packed, ("--categories", "a,b"), "must be compressed by gzip, as its name says"),
        (path, ("--categories", "a,b", "--encoding", "utf-16"), "is not text in utf-16 (line 1)"),
        (path, ("--categories", "a,b", "--encoding", "utf-32"), "is not text in utf-32 (line 1)"),
        (path, ("--categories", "north, south"), "--categories must have no blanks around"),
    ):
        status, _, err = sudare("perturb", file, "--column", "x", *options, "--epsilon", 1,
                                "--out", out)  # fmt: skip
        assert (status, rule in err) == (2, True), err
        assert not out.exists()
    listed = tmp_path / "categories"
    listed.write_text("north\n south\n")
    path.write_text("x\nnorth\n south\n")
    assert sudare("perturb", path, "--column", "x", "--categories-file", listed, "--epsilon", 1,
                  "--out", out)[0] == 0  # fmt: skip
