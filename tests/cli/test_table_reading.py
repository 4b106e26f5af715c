"""One table is one table: whatever it is written as, and whichever command reads it."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.encodings import likely
from sudare.errors import DomainError
from sudare.files import Column, read_blocks, read_cells, read_people, read_reports
from sudare.files.blocks import note_of
from sudare.files.text_tables import BLOCK_BYTES, TextTable
from sudare.release import Dataset
from tests.cases import cases

ROWS: list[tuple[Any, ...]] = [
    ("北", 30, 0, 0, 3),
    (None, 40, 1, 1, 0),
    ("南, 東", None, 1, 2, 7),
    ("北", 50, 1, 3, 1),
    ('a "b"\nc', 60, 0, 4, 2),
]
HEAD = ("region", "score", "report", "cell", "people")
ODD = "x\u2028y"
"""A cell that some readers take for two lines."""


def text(rows: list[tuple[Any, ...]], separator: str = ",", end: str = "\n", **how: Any) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, lineterminator=end, **how)
    writer.writerows([HEAD, *rows])
    return out.getvalue()


def odd(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [*rows[:-1], (ODD, *rows[-1][1:])]


def parquet(rows: list[tuple[Any, ...]], nothing: str | None) -> bytes:
    out = io.BytesIO()
    columns = list(zip(*rows, strict=True))
    regions = [nothing if one is None else one for one in columns[0]]
    pq.write_table(pa.table(dict(zip(HEAD, [regions, *columns[1:]], strict=True))), out)
    return out.getvalue()


def lines(rows: list[tuple[Any, ...]], nothing: str | None) -> bytes:
    named = [dict(zip(HEAD, row, strict=True)) for row in rows]
    named = [
        {**one, "region": nothing if one["region"] is None else one["region"]} for one in named
    ]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in named).encode()


FORMS: dict[str, tuple[str, bytes, str | None]] = {
    "csv": ("t.csv", text(ROWS).encode(), None),
    "quoted": ("t.csv", text(ROWS, quoting=csv.QUOTE_ALL).encode(), None),
    "windows": ("t.csv", text(ROWS, end="\r\n").encode(), None),
    "mark": ("t.csv", b"\xef\xbb\xbf" + text(ROWS).encode(), None),
    "gzip": ("t.csv.gz", gzip.compress(text(ROWS).encode()), None),
    "gzip by its bytes": ("t.csv", gzip.compress(text(ROWS).encode()), None),
    "capitals": ("T.CSV", text(ROWS).encode(), None),
    "semicolons": ("t.csv", text(ROWS, ";").encode(), None),
    "tabs": ("t.csv", text(ROWS, "\t").encode(), None),
    "tsv": ("t.tsv", text(ROWS, "\t").encode(), None),
    "tsv.gz": ("t.tsv.gz", gzip.compress(text(ROWS, "\t").encode()), None),
    "utf-16": ("t.csv", text(ROWS, "\t").encode("utf-16"), None),
    "utf-16 big": ("t.csv", b"\xfe\xff" + text(ROWS).encode("utf-16-be"), None),
    "shift_jis": ("t.csv", text(ROWS).encode("cp932"), "Shift_JIS"),
    "euc-jp": ("t.csv", text(ROWS).encode("euc_jp"), "euc-jp"),
    "blank lines": ("t.csv", text(ROWS).replace("30,", "30,").encode() + b"\n\n", None),
    "jsonl": ("t.jsonl", lines(ROWS, None), None),
    "jsonl of empty text": ("t.jsonl", lines(ROWS, ""), None),
    "jsonl with a mark": ("t.jsonl", b"\xef\xbb\xbf" + lines(ROWS, None), None),
    "parquet": ("t.parquet", parquet(ROWS, None), None),
    "parquet of empty text": ("t.parquet", parquet(ROWS, ""), None),
    "folder": ("folder/t.parquet", parquet(ROWS, None), None),
    "folder of empty text": ("folder/t.parquet", parquet(ROWS, ""), None),
}  # fmt: skip


@cases("form", FORMS)
def test_each_kind_of_question_has_one_answer(form: str, tmp_path: Path) -> None:
    name, data, encoding = FORMS[form]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    given = path.parent if form.startswith("folder") else path
    people = read_people(given) if encoding is None else read_people(given, encoding)
    db = Dataset(people, bounds={"score": (0, 100)}, missing="drop", rng=sd.Entropy.seeded(b"t"))
    assert db.n == 5
    assert db.count_missing("region", epsilon=1000).value == 1
    assert db.count_missing("score", epsilon=1000).value == 1
    assert db.where("region != 北").count(epsilon=1000).value == 2
    counts = db.histogram("region", ["北", "南, 東", 'a "b"\nc'], epsilon=1000).value
    assert [counts[one] for one in ("北", "南, 東", 'a "b"\nc')] == [2, 1, 1]
    assert db.mean("score", epsilon=10_000).value == pytest.approx(45, abs=1)
    if encoding is None:
        counts = read_reports([given], sd.GRR(2, 1.0)).counts
        assert counts.support.tolist() == [2, 3]
    path = given
    column = Column.found(path, "region", "category", encoding=encoding)
    assert column.categories == ("(missing)", 'a "b"\nc', "北", "南, 東")
    assert [one for block in column.blocks() for one in block.tolist()] == [2, 0, 3, 2, 1]
    with pytest.raises(DomainError, match=r"empty cells \(there are 1\)"):
        Column.found(path, "region", encoding=encoding)
    table = read_cells(path, "people", encoding=encoding)
    assert table == {"cell": [0, 1, 2, 3, 4], "people": [3, 0, 7, 1, 2]}


def test_a_line_separator_of_unicode_ends_no_line(tmp_path: Path) -> None:
    forms = (
        ("t.csv", text(odd(ROWS)).encode()),
        ("t.tsv", text(odd(ROWS), "\t").encode("utf-16")),
        ("t.jsonl", lines(odd(ROWS), None)),
        ("t.parquet", parquet(odd(ROWS), None)),
    )
    for name, data in forms:
        (tmp_path / name).write_bytes(data)
        found = [one for part in read_blocks(tmp_path / name, "region") for one in part.to_pylist()]
        assert found[-1] == ODD
        assert len(read_cells(tmp_path / name, "people")["cell"]) == 5


CELLS = st.text(st.sampled_from('ab,;\t"\n\r 北\u2028\u0085é'), max_size=4)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6)
)


@settings(max_examples=20)
@given(
    TABLES,
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.data(),
)
def test_what_is_written_is_read_and_ragged_rows_are_named(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    separator: str,
    end: str,
    encoding: str,
    quoting: Any,
    data: Any,
) -> None:
    path = tmp_path_factory.getbasetemp() / "property.csv"
    names = [f"c{i}" for i in range(len(rows[0]))]

    def write(rows: list[list[str]]) -> None:
        with path.open("w", encoding=encoding, newline="") as file:
            how: Any = {"delimiter": separator, "lineterminator": end, "quoting": quoting}
            csv.writer(file, **how).writerows([names, *rows])

    write(rows)
    table = TextTable.of(path)
    assert table.columns == tuple(names)
    assert len(names) == 1 or table.separator == separator
    if len(names) == 1 and any(";" in cell or "\t" in cell or "," in cell for (cell,) in rows):
        return  # a head of one name shows no separator, so that such cells must be quoted for ","
    found = [list(row.values()) for part in table.blocks(names) for row in part.to_pylist()]
    assert found == [[cell or None for cell in row] for row in rows]
    assert [row for _, row in table.rows()] == rows
    if len(names) > 1:
        place = data.draw(st.integers(0, len(rows) - 1))
        more = data.draw(st.booleans())
        broken = [list(row) for row in rows]
        broken[place] = [*broken[place], "z"] if more else ["z", *broken[place][2:]]
        write(broken)
        before = io.StringIO(newline="")
        csv.writer(before, delimiter=separator, lineterminator=end, quoting=quoting).writerows(
            [names, *rows[:place]]
        )
        line = 1 + before.getvalue().replace("\r\n", "\n").replace("\r", "\n").count("\n")
        told = f"line {line} has {'more' if more else 'fewer'} fields than the head"
        for read in (lambda: list(table.blocks(names[:1])), table.check):
            with pytest.raises(DomainError, match=told):
                read()


@cases("place", [0, BLOCK_BYTES // 8 - 1])
def test_marks_are_seen_wherever_blocks_end(tmp_path: Path, place: int) -> None:
    """Quotation marks at the end of a block, and far down, are judged as near the head."""
    path = tmp_path / "t.csv"
    fine, rows = '"a""b",1\n', 132_000
    for broken, told in (('"ab"c,12\n', "text after"), ('"abcd,12\n', "does not close")):
        body = fine * place + broken + fine * (rows - place)
        path.write_text("x,y\n" + body)
        wrong = "(text after|more than|does not close)" if "close" in told else told
        with pytest.raises(DomainError, match=f"line {place + 2} .*{wrong}"):
            list(TextTable.of(path).blocks(["y"]))
    path.write_text("x,y\n" + fine * place + '5" b,""\n' + fine * (rows - place))
    cells = [one for part in TextTable.of(path).blocks(["y"]) for one in part["y"].to_pylist()]
    assert (len(cells), cells[place], cells.count("1")) == (rows + 1, None, rows)


# -- the same refusal from every command ---------------------------------------------------------

BROKEN: dict[str, tuple[bytes, str]] = {
    "more": (b"report,cell,people,share\n1,1,1,1\n1,1,1,000,1\n", "line 3 has more fields"),
    "fewer": (b"report,cell,people,share\n\n1,1,1\n", "line 3 has fewer fields than the head"),
    "open": (b'report,cell,people,share\n1,1,1,"1\n', "line 2 opens a quotation mark"),
    "after": (b'report,cell,people,share\n1,1,1,"1"0\n', "line 2 has text after a"),
    "shift_jis": (
        "report,cell,people,share,場所\n1,1,1,1,北\n".encode("cp932"),
        "file is not UTF-8, looks like Shift_JIS (line 1); convert it: iconv -f cp932 -t utf-8",
    ),
    "euc-jp": (
        "report,cell,people,share,p\n1,1,1,1,北海道\n".encode("euc_jp"),
        "file is not UTF-8, looks like EUC-JP (line 2); convert it: iconv -f euc-jp -t utf-8",
    ),
    "latin": (
        "report,cell,people,share,p\n1,1,1,1,Köln\n".encode("latin-1"),
        "file is not UTF-8, looks like Windows-1252 (line 2)",
    ),
    "unmarked": ("report,cell,people,share\n1,1,1,1\n".encode("utf-16-le"), "looks like UTF-16"),
    "twice": (b"report,cell,people,share,cell\n1,1,1,1,1\n", "2 and 5 are called alike"),
    "head": (b"report,cell,people,share\n",
             "file must have at least one row, and line 1, its head, is all"),
    "sep": (b"sep=;\nreport;cell;people;share\n1;1;1;1\n", "line 1 says what separates cells"),
    "bars": (b"report|cell|people|share\n1|1|1|1\n", "line 1 has | between its names"),
    "comment": (b"# hi\nreport,cell,people,share\n1,1,1,1\n", "line 1 is a comment"),
    "dos": (b"report,cell,people,share\n1,1,1,1\n\x1a", "line 3 ends in the byte 0x1A"),
    "nul": (b"report,cell,people,share\n1,1,1,1\n0,\0,1,1\n", "line 3 has a NUL byte"),
    "nul in the head": (b"report,cell,pe\0ople,share\n1,1,1,1\n", "line 1 has a NUL byte"),
    "empty": (b"", "file must not be empty"),
    "blank": (b"\n\n", "file must not be empty"),
}  # fmt: skip

NAMED = ("head", "sep", "bars", "comment", "dos", "nul", "nul in the head", "more", "fewer")

COMMANDS: dict[str, tuple[object, ...]] = {
    "release": ("release", "{}", "--ask", "count:cell=1", "--epsilon", "1"),
    "perturb": ("perturb", "{}", "--column", "cell", "--categories", "0,1", "--epsilon", "1",
                "--out", "{out}", "--force"),
    "simulate": ("simulate", "{}", "--column", "cell", "--epsilon", "1"),
    "compare": ("compare", "{}", "--column", "cell", "--mechanisms", "GRR", "--epsilon", "1",
                "--repetitions", "2"),
    "map": ("map", "--cell", "100x100", "--rows", "4", "--columns", "4", "--epsilon", ".01",
            "--prior", "{}"),
    "plan": ("plan", "-n", "100", "--epsilon", "1", "--shares", "{}"),
    "estimate": ("estimate", "{}", "--mechanism", "GRR", "-k", "2", "--epsilon", "1"),
    "tables": ("tables", "{}", "--columns", "report,cell", "--sizes", "2,2", "--epsilon", "1"),
}  # fmt: skip


def words_of(command: str, path: Path) -> list[object]:
    places = {"{}": path, "{out}": path.parent / "out.csv"}
    return [places.get(str(one), one) for one in COMMANDS[command]]


@cases("kind", BROKEN, parts=2)
def test_every_command_refuses_a_broken_table_in_the_same_words(
    sudare: Any, tmp_path: Path, kind: str
) -> None:
    data, told = BROKEN[kind]
    (tmp_path / "t.csv").write_bytes(data)
    for command in COMMANDS:
        asked = words_of(command, tmp_path / "t.csv")
        status, out, error = sudare(*asked)
        assert (status, out) == (2, ""), (command, error)
        assert f"t.csv: {told}" in error or (told in error and kind not in NAMED), (command, error)
        assert error.count("\n") == 1
        assert not {"北", "Köln"} & set(error.split(","))


def test_every_command_reads_other_separators_and_says_so(sudare: Any, tmp_path: Path) -> None:
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        path = tmp_path / "t.csv"
        rows = [f"{i % 2},{i % 2},{1 + i},1" for i in range(3)]
        path.write_text("\n".join(["report,cell,people,share", *rows]).replace(",", sign))
        assert note_of(path) == f"t.csv: its columns are separated by {name}"
        for command in COMMANDS:
            status, _, error = sudare(*words_of(command, path))
            assert status == 0, (command, error)
            told = f"note: t.csv: its columns are separated by {name}"
            assert told in error, command


def test_the_encoding_is_an_option_of_every_command(sudare: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{i % 2},{i % 2},{1 + i},1,北海道" for i in range(3)]
    for codec, option in (("cp932", "shift_jis"), ("euc_jp", "euc-jp")):
        path.write_bytes("\n".join(["report,cell,people,share,場所", *rows]).encode(codec))
        for command in COMMANDS:
            asked = words_of(command, path)
            status, _, error = sudare(*asked)
            assert (status, f"or give --encoding {option}" in error) == (2, True), (command, error)
            status, _, error = sudare(*asked, "--encoding", option)
            assert status == 0, (command, error)
            status, _, error = sudare(*asked, "--encoding", "klingon")
            assert (status, "encoding must be the name of an encoding" in error) == (2, True)


def test_a_cell_that_is_no_number_is_refused_with_its_cause(sudare: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for cell, cause in (
        ('"1,000"', "has a separator of thousands"), ('"12,5"', "has a decimal comma"),
        ("１２", "has full-width digits"), ("2024/1/5", "is a date"), ("", "is empty"),
        ("￥500", "has"), ("50%", "has a sign beside its digits"), ("nan", "is no finite number"),
        ("inf", "is no finite number"), ("1_000", "is no finite number"),
    ):  # fmt: skip
        path.write_text(f'cell,people,share,x\n"0",1,1,"a\nb"\n1,{cell},{cell},c\n')
        for command in ("map", "plan"):
            status, _, error = sudare(*words_of(command, path))
            assert status == 2, (command, cell)
            assert cause in error, (command, cell, error)
            assert "look at line 4" in error, (command, cell, error)
            known = cell in ("", '"1,000"', "2024/1/5", "50%")  # an example of the remedy's
            assert known or cell.strip('"') not in error, error


def test_encodings_are_known_by_their_letters() -> None:
    texts = (
        "性別,地域\n男性,北海道\n",
        "カタカナ,ひらがな",
        "ﾊﾝｶｸ,全角",
        "株式会社　東京",
        "①,②\n髙橋",
    )
    for one in texts:
        assert likely(one.encode("cp932")) == "cp932", one
    for one in texts[:2] + texts[3:4]:
        assert likely(one.encode("euc_jp")) == "euc_jp", one
    for one in (
        "Größe;Alter\nmännlich;öfter\n",
        "été,garçon\n",
        "São Paulo",
        "naïve café",
        "Ärger,Öl",
    ):
        assert likely(one.encode("cp1252")) == "cp1252", one


def test_a_folder_is_all_of_its_files(sudare: Any, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "a.csv").write_text("report,cell,people,share\n0,0,1,1\n1,1,2,1\n")
    (folder / "b.TSV").write_text("cell\tpeople\tshare\treport\n2\t3\t1\t1\n")
    (folder / "c.jsonl").write_text('{"cell": 3, "people": 4, "share": 1, "report": 0}\n')
    assert read_cells(folder, "people") == {"cell": [0, 1, 2, 3], "people": [1, 2, 3, 4]}
    assert Column.found(folder, "cell").categories == ("0", "1", "2", "3")
    for command in ("simulate", "compare", "map", "estimate", "plan"):
        status, _, error = sudare(*words_of(command, folder))
        assert status == 0, (command, error)
    (folder / "d.csv").write_text("report,cell,people,share\n0,0,1\n")
    for command in ("simulate", "compare", "map", "estimate", "plan"):
        status, _, error = sudare(*words_of(command, folder))
        assert (status, "line 2 has fewer fields" in error) == (2, True), (command, error)


# -- a head may be a person's row ----------------------------------------------------------------

HEADLESS = {
    "number": "Taro Yamada,33,HIV\nHanako,41,none\n",
    "empty": "Taro Yamada,,HIV\nHanako,41,none\n",
    "date": "Taro Yamada,2024/1/5,HIV\nHanako,2024/1/6,none\n",
    "texts": "Taro Yamada,female,HIV\nHanako,male,none\n",
}


def test_no_command_prints_a_head_that_may_be_a_persons_row(sudare: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    asks: dict[str, tuple[object, ...]] = {
        "mean": ("release", path, "--ask", "mean:Taro Yamad", "--bounds", "Taro Yamad=0,1",
                 "--epsilon", "1"),
        "count": ("release", path, "--ask", "count:HIVE=1", "--epsilon", "1", "--dry-run"),
        "where": ("release", path, "--ask", "count where HIVE=1", "--epsilon", "1"),
        "unit": ("release", path, "--ask", "count", "--unit", "HIVE=1", "--epsilon", "1"),
    }  # fmt: skip
    for text in HEADLESS.values():
        path.write_text(text)
        for name, words in (asks | {one: words_of(one, path) for one in COMMANDS}).items():
            status, out, error = sudare(*words)
            assert (status, out) == (2, ""), (name, error)
            shown = [one for one in ("female", "33", "2024/1/5") if one in error]
            shown += [one for one in ("Taro Yamada", "'HIV'") if one in error]
            assert not shown, (name, error)
            if name not in ("map", "plan"):
                assert "which has 3" in error, (name, error)
                assert "does its first line name the columns?" in error, error


def test_python_prints_no_head_that_may_be_a_persons_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(HEADLESS["number"])
    with pytest.warns(sd.errors.TypeGuessWarning) as told:
        db = Dataset(read_people(path))
    assert not any("HIV" in str(one.message) for one in told)
    with pytest.raises(DomainError, match="must be a column of data, which has 3"):
        db.count_missing("HIVE", epsilon=1)


def test_space_around_names_is_no_part_of_them(sudare: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(" report, cell ,people , share\n0,0,1,1\n1,1,2,1\n")
    for command in COMMANDS:
        status, _, error = sudare(*words_of(command, path))
        assert status == 0, (command, error)
    path.write_text("cell, cell\n0,0\n")
    with pytest.raises(DomainError, match="1 and 2 are called alike"):
        TextTable.of(path)


def test_a_wrong_cell_is_told_by_line_column_and_file(sudare: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for cell, rule in (("9", "must hold"), ("", "must not have empty cells")):
        path.write_text(f'report,cell,x\n0,0,"a\nb"\n{cell},{cell},c\n')
        for command in ("perturb", "estimate"):
            status, _, error = sudare(*words_of(command, path))
            assert (status, "look at line 4 of t.csv" in error) == (2, True), error
            assert "report" in error or "column cell must" in error, error
        assert f"column cell {rule}" in sudare(*words_of("perturb", path))[2]


def test_a_release_says_what_counts_as_a_number(sudare: Any, tmp_path: Path) -> None:
    path, asked = tmp_path / "t.csv", ("--bounds", "a=0,5000", "--epsilon", "20")
    told = set()
    for cell in ("2000", '"2,000"', "３"):  # the same sentence whatever the cells are
        path.write_text(f"a,b\n1000,x\n{cell},y\n")
        status, _, error = sudare("release", path, "--ask", "mean:a", "--missing", "drop", *asked)
        assert status == 0
        told.add(error)
        if cell != "2000":
            status, _, refused = sudare("release", path, "--ask", "mean:a", *asked)
            assert status == 2
            assert "ASCII digits" in refused
            assert "--missing drop" in refused
    assert len(told) == 1
    assert "note: a: a number is written in ASCII digits" in told.pop()


def test_a_frame_in_memory_has_no_first_line_to_look_at() -> None:
    people = Dataset({"age": [1, 2]}, unit=None, bounds={"age": (0, 9)})
    for ask in (people.sum, people.mean):
        with pytest.raises(DomainError, match="which has 1") as caught:
            ask("weight", epsilon=1)
        assert "first line" not in str(caught.value)


def test_a_question_that_says_what_a_column_holds_says_which_cells_are_missing(
    sudare: Any, tmp_path: Path
) -> None:
    """Text that a question compares with numbers is missing, and nothing but a note says so."""
    csv, lines = tmp_path / "t.csv", tmp_path / "t.jsonl"
    csv.write_text("region,age\nnorth,20\nsouth,30\n")
    lines.write_text('{"region": "north", "age": 20}\n{"region": "south", "age": 30}\n')
    noted = "note: region: a number is written in ASCII digits"
    for path in (csv, lines):
        for ask, is_noted in {
            "count where region > 3": True, "count where region between 1 and 3": True,
            "count:region=5": True, "count where region = north": False,
        }.items():  # fmt: skip
            status, _, error = sudare("release", path, "--ask", ask, "--epsilon", 1)
            assert (status, noted in error) == (0, is_noted), (ask, error)
    for ask, wrong in {
        "age > x": "by >, got 'x'", "age between 3 and y": "by <=, got 'y'",
        "age >= 2024-01-01": "must not order column age, which holds text",
    }.items():  # fmt: skip
        status, _, error = sudare("release", csv, "--ask", f"count where {ask}", "--epsilon", 1)
        assert (status, wrong in error) == (2, True), error
