"""``sudare release``: questions in, noisy answers and a privacy statement out."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from sudare.cli.release_told import rounded_up
from sudare.ledger import Ledger
from tests.cases import cases

TRUE = np.random.default_rng(2).integers(0, 101, 20_000)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write people in every format."""
    folder = tmp_path_factory.mktemp("held")
    table = pa.table({"score": TRUE, "sex": np.where(np.arange(20_000) % 4, "m", "f")})
    files = {kind: folder / f"people.{kind}" for kind in ("parquet", "csv", "csv.gz", "jsonl")}
    pq.write_table(table, files["parquet"])
    pa.csv.write_csv(table, files["csv"])
    with pa.CompressedOutputStream(files["csv.gz"], "gzip") as stream:
        pa.csv.write_csv(table, stream)
    with files["jsonl"].open("w") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
    return files


ASKS = ("--ask", "mean:score", "--ask", "count:sex=f", "--bounds", "score=0,100")


@cases("kind", ["parquet", "csv", "csv.gz", "jsonl"])
def test_every_format(sudare: Any, people: dict[str, Path], kind: str) -> None:
    status, text, error = sudare("release", people[kind], *ASKS, "--epsilon", 1, "--json")
    assert (status, error) == (0, "")
    mean, count = json.loads(text)["answers"]
    assert abs(mean["value"] - TRUE.mean()) < 5 * mean["bound"]
    assert abs(count["value"] - 5000) < 5 * count["bound"]
    assert mean["price"] == 0.5


SELECT = (
    "SELECT sex, AVG(score) AS mean, COUNT(*) n FROM people WHERE sex IN ('m', 'f') GROUP BY sex"
)


def test_sql(sudare: Any, people: dict[str, Path], tmp_path: Path) -> None:
    data = (people["csv"], "--bounds", "score=0,100", "--epsilon", 400, "--split", "3,1")
    out = tmp_path / "out"
    status, text, error = sudare("release", *data, "--sql", SELECT, "--json", "--out", out)
    assert (status, error) == (0, "")
    found = json.loads(text)
    assert [list(row) for row in found["rows"]] == [
        ["sex", "mean", "mean_bound", "n", "n_bound"]
    ] * 2
    assert [(row["sex"], row["n"]) for row in found["rows"]] == [("m", 15_000), ("f", 5_000)]
    said = [(one["question"], one["price"]) for one in found["answers"][::2]]
    assert said == [("mean:score@sex=m,f", 300), ("count@sex=m,f", 100)]
    assert len((out / "release.csv").read_text().splitlines()) == 5
    status, text, _ = sudare("release", *data, "--sql", SELECT, "--seed", "s")
    assert status == 0
    for part in ("sex", "mean", "15,000", "± ", "mean: epsilon 300", "n: epsilon 100"):
        assert part in text
    for wrong in ("SELECT score FROM people", "SELECT AVG(score) FROM other"):
        status, _, error = sudare("release", *data[:-2], "--sql", wrong)
        assert (status, "sql" in error) == (2, True)
    assert sudare("release", *data, "--sql", SELECT, "--ask", "mean:score")[0] == 2
    assert sudare("release", *data)[0] == 2


def test_a_folder_of_parquet(sudare: Any, people: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    table = pq.read_table(people["parquet"])
    for i in range(2):
        pq.write_table(table.slice(i * 10_000, 10_000), folder / f"part-{i}.parquet")
    seeded = (*ASKS, "--epsilon", 1, "--json", "--seed", "s", "--name", "people")
    answers = [sudare("release", one, *seeded)[1] for one in (folder, people["parquet"])]
    assert json.loads(answers[0])["answers"] == json.loads(answers[1])["answers"]


def test_all_questions_split_and_written(
    sudare: Any, people: dict[str, Path], tmp_path: Path
) -> None:
    asks = [
        "sum:score", "variance:score", "median:score", "max:score", "min:score",
        "quantile:score=0.9", "histogram:sex=f,m", "mode:sex=f,m", "mean:score@sex=f,m",
        "count@sex=f,m", "count:score=50",
    ]  # fmt: skip
    words = [word for ask in asks for word in ("--ask", ask)]
    split = ",".join(["1"] * 10 + ["2"])
    status, text, error = sudare(
        "release", people["parquet"], *words, "--bounds", "score=0,100", "--epsilon", 12,
        "--split", split, "--out", tmp_path / "out", "--seed", "release",
    )  # fmt: skip
    assert status == 0
    assert "a seed protects nobody" in error
    assert "replace-one: one row may be others; 20,000 rows" in text
    assert "│ histogram:sex " in text  # the groups have lines of their own
    assert "wrote" in text
    with (tmp_path / "out" / "release.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 6 + 3 + 1 + 2 + 2 + 1
    found = {(row["question"], row["group"]): row for row in rows}
    assert found["mode:sex=f,m", ""]["value"] == "m"
    assert abs(float(found["count@sex=f,m", "f"]["value"]) - 5000) < 60
    assert found["count:score=50", ""]["price"] == "2.0"
    counts = [int(found["histogram:sex=f,m", group]["value"]) for group in ("f", "m", "(others)")]
    assert sum(counts) == 20_000
    assert abs(int(found["histogram:sex=f,m", "f"]["raw"]) - 5000) < 60
    assert found["max:score", ""]["bound_in"] == "ranks"
    statement = json.loads((tmp_path / "out" / "privacy.json").read_text())
    assert statement["cost"]["amount"] == "12.0"
    assert len(statement["questions"]) == 11
    assert statement["simulated"] is True
    for name in ("table-7.png", "table-9.svg", "table-10.png"):
        assert (tmp_path / "out" / name).is_file()
    assert not (tmp_path / "out" / "table-1.png").exists()


def test_a_bound_of_ranks_is_said_so(sudare: Any, people: dict[str, Path]) -> None:
    ask = ("--ask", "max:score", "--ask", "mode:sex=f,m", "--bounds", "score=0,100")
    _, text, _ = sudare("release", people["parquet"], *ask, "--epsilon", 2)
    assert "within 17 ranks" in text
    assert "within 8 rows" in text


def test_a_delta_for_gaussian_noise(sudare: Any, people: dict[str, Path]) -> None:
    status, text, _ = sudare(
        "release", people["parquet"], *ASKS, "--rho", "1/200", "--delta", "1e-6", "--json"
    )
    assert status == 0
    cost = json.loads(text)["privacy"]["cost"]
    assert (cost["unit"], cost["amount"], cost["delta"]) == ("rho", "0.005", 1e-6)
    assert round(cost["epsilon"], 4) == 0.4299


def test_a_ledger_pays_and_remembers(sudare: Any, people: dict[str, Path], tmp_path: Path) -> None:
    where = tmp_path / "ledger.db"
    paying = ("--ledger", where, "--open", 1, "--account", "people", "--epsilon", "0.6", "--json")
    first = sudare("release", people["csv"], *ASKS, *paying)
    again = sudare("release", people["csv"], *ASKS, *paying, "--reuse")
    values = [[one["value"] for one in json.loads(out[1])["answers"]] for out in (first, again)]
    assert values[0] == values[1]
    status, text, error = sudare("release", people["csv"], *ASKS, *paying)
    assert (status, text) == (2, "")
    assert "short by" in error
    with Ledger(where) as ledger:
        # the mean fits what was left, the count did not
        assert float(ledger.account("people").spent) in (0.6, 0.9)


@cases(
    "words",
    [
        ("--ask", "mean:none", "--epsilon", 1), ("--ask", "mean:score", "--epsilon", 0),
        ("--ask", "mean:score", "--epsilon", "nan"), ("--ask", "mean", "--epsilon", 1),
        ("--ask", "guess:score", "--epsilon", 1), ("--ask", "mean:sex", "--epsilon", 1),
        ("--ask", "mean:score", "--epsilon", 1), ("--ask", "median:score", "--rho", 1),
        ("--ask", "mean:score", "--bounds", "score=100,0", "--epsilon", 1),
        ("--ask", "mean:score", "--bounds", "score", "--epsilon", 1),
        ("--ask", "mean:score", "--bounds", "score=0,x", "--epsilon", 1),
        ("--ask", "quantile:score=x", "--bounds", "score=0,100", "--epsilon", 1),
        ("--ask", "quantile:score", "--bounds", "score=0,100", "--epsilon", 1),
        (*ASKS, "--epsilon", 1, "--split", "1"), (*ASKS, "--epsilon", 1, "--split", "1,0"),
        (*ASKS, "--epsilon", 1, "--confidence", 2), (*ASKS, "--epsilon", 1, "--reuse"),
        (*ASKS, "--epsilon", 1, "--account", "a"), (*ASKS, "--epsilon", 1, "--unit", "sex=x"),
        (*ASKS, "--epsilon", 1, "--unit", "none=2"), (*ASKS, "--epsilon", 1, "--grid", "sex=1"),
        (*ASKS,), (*ASKS, "--epsilon", 1, "--rho", 1), ("--epsilon", 1),
        (*ASKS, "--epsilon", 1, "--ledger", "/no/such/folder/l.db"),
        ("--ask", "count@sex", "--epsilon", 1), ("--ask", "max:score@sex=f", "--epsilon", 1),
        ("--ask", "count", "--epsilon", 1), (*ASKS, "--epsilon", 1, "--delta", "1e-6"),
        (*ASKS, "--rho", 1, "--delta", "2"), (*ASKS, "--rho", 1, "--delta", "x"),
        (*ASKS, "--epsilon", 1, "--out", "/dev/null/folder"),
    ])  # fmt: skip
def test_bad_words(sudare: Any, people: dict[str, Path], words: tuple[Any, ...]) -> None:
    status, text, error = sudare("release", people["csv"], *words)
    assert (status, text) == (2, "")
    assert len(error.splitlines()) == 1


def test_a_question_that_is_refused_leaves_no_folder(
    sudare: Any, people: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "new" / "out"
    words = ("release", people["csv"], "--epsilon", 1, "--out", out, "--ask")
    assert sudare(*words, "mean:nothing")[0] == 2
    assert not out.parent.exists()
    out.mkdir(parents=True)
    assert sudare(*words, "mean:nothing")[0] == 2
    assert out.exists(), "it was there before"


def test_a_ledger_says_what_is_left_and_a_mistyped_one_is_refused(
    sudare: Any, people: dict[str, Path], tmp_path: Path
) -> None:
    words = ("release", people["csv"], *ASKS, "--epsilon", "0.6", "--account", "ann", "--ledger")
    status, text, _ = sudare(*words, tmp_path / "l.db", "--open", 1)
    assert status == 0
    assert "ann: 0.4 left" in text
    status, _, error = sudare(*words, tmp_path / "m.db")
    assert status == 2
    assert "sudare ledger open makes one" in error
    assert not (tmp_path / "m.db").exists()


def test_bounds_are_rounded_up(sudare: Any, people: dict[str, Path]) -> None:
    for bound in (0.0714247, 5.19083, 0.03, 123.4, 1e-9 / 3, 99.95):
        shown = float(f"{rounded_up(bound):.6g}")
        assert bound <= shown * (1 + 1e-9)
        assert shown < bound * 1.01
    assert [rounded_up(one) for one in (0.03, 439.0, 0.0, math.inf)] == [0.03, 439, 0, math.inf]


@cases(
    "words, said",
    [
        (("--bounds", "score=0-100"), "COLUMN=LOW,HIGH"), (("--bounds", "score=1"), "COLUMN=LOW"),
        (("--unit", "sex"), "such as person=3"), (("--grid", "score"), "such as height=0.5"),
        (("--ask", 'histogram:sex="f,m'), "line of CSV"),
        (("--ask", 'count:sex="f",m'), "one value"),
    ])  # fmt: skip
def test_remedies(sudare: Any, people: dict[str, Path], words: Any, said: str) -> None:
    status, _, error = sudare("release", people["csv"], *ASKS, "--epsilon", 1, *words)
    assert status == 2
    assert said in error


def test_text_that_is_not_utf8(sudare: Any, tmp_path: Path) -> None:
    for name, said in (
        ("latin.csv", "is not UTF-8, looks like Windows-1252 (line 2)"),
        ("empty.csv", "not be empty"),
    ):
        text = "place,score\nZürich,1\n" if name == "latin.csv" else ""
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        status, _, error = sudare("release", tmp_path / name, *ASKS, "--epsilon", 1)
        assert status == 2
        assert said in error


def test_bad_files(sudare: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_text("a,b\n1,canary,3\n")
    (tmp_path / "broken.parquet").write_text("canary")
    (tmp_path / "broken.jsonl").write_text("{canary")
    for name in ("none.csv", "broken.csv", "broken.parquet", "broken.jsonl", "x.txt"):
        status, _, error = sudare("release", tmp_path / name, *ASKS, "--epsilon", 1)
        assert status == 2
        assert len(error.splitlines()) == 1
        assert "canary" not in error


def test_bounds_of_dates(sudare: Any, tmp_path: Path) -> None:
    (tmp_path / "born.csv").write_text("born,card\n" + "1990-05-01,1\n2001-01-01,2\n" * 500)
    status, text, error = sudare(
        "release", tmp_path / "born.csv", "--ask", "median:born", "--json", "--epsilon", 100,
        "--bounds", "born=1900-01-01,2030-01-01", "--unit", "card=400",
    )  # fmt: skip
    assert (status, error) == (0, "")
    assert 7425 <= json.loads(text)["answers"][0]["value"] <= 11323
    assert sudare("release", tmp_path / "born.csv", "--ask", "median:born", "--epsilon", 1,
                  "--bounds", "born=1900-01-01,0")[0] == 2  # fmt: skip


def test_groups_that_nobody_listed(sudare: Any, tmp_path: Path) -> None:
    """They cost δ: of the command's own budget, or of an account that was opened with it."""
    (tmp_path / "p.csv").write_text("region\n" + "north\nsouth\nsouth\n" * 300)
    asked = ["release", tmp_path / "p.csv", "--ask", "discover:region=1e-6", "--epsilon", 1]
    status, _, error = sudare(*asked)
    assert (status, "has no δ for keys that nobody listed" in error) == (2, True)
    ledger = tmp_path / "ledger.db"
    for more in (
        ["--keys", "1e-6"],
        ["--ledger", ledger, "--open", 3, "--keys", "1e-5"],
        ["--ledger", ledger],
    ):
        status, text, error = sudare(*asked, "--json", *more)
        assert (status, error) == (0, "")
        told = json.loads(text)
        assert [one["group"] for one in told["answers"]] == ["north", "south"]
        assert told["privacy"]["cost"]["delta"] == 1e-6
    assert sudare(*asked, "--ledger", ledger, "--keys", "1e-6")[0] == 2
    assert sudare("ledger", "open", ledger, "ann", "--epsilon", 1, "--keys", "1e-6")[0] == 0
    shown = json.loads(sudare("ledger", "show", ledger, "--json")[1])["accounts"]
    assert [one["account"] for one in shown if one["unit"] == "delta"] == [
        "ann: delta",
        "p.csv: delta",
    ]


def test_a_type_is_said_asked_or_a_guess(sudare: Any, tmp_path: Path) -> None:
    """One cell changes no price, bound or refusal; a guess is told in one sentence."""
    path = tmp_path / "people.csv"
    asked = ("release", path, "--epsilon", 1, "--json", "--dry-run", "--missing", "drop")
    said = ("--ask", "mean:age", "--bounds", "age=0,110", "--rows", 3)
    compared = ("--ask", "histogram:code=1,2", "--ask", "count:sex=f where code >= 2")
    found: dict[str, list[Any]] = {}
    for odd in ("3", "33.5", "two", "007", "", "9" * 20, "x"):
        path.write_text(f"age,code,sex,tea\n1,1,f,a\n2,2,f,b\n{odd},{odd},{odd},{odd}\n")
        for name, more in {
            "bounds": said,
            "type": (*said, "--type", "age=whole"),
            "asked": compared,
            "text": ("--ask", "histogram:code=1,x", "--ask", "discover:sex=1e-6", "--keys", "1e-6"),
            "sql": ("--sql", "SELECT COUNT(*) AS n FROM people WHERE sex IN ('f') AND code >= 2"),
            "guess": ("--ask", "distinct:tea"),
        }.items():
            status, text, error = sudare(*asked, *more)
            assert status == 0, error
            assert (name == "guess") == ("guessed from their cells" in error), (name, error)
            found.setdefault(name, []).append((text, error))
    for told in found.values():
        assert len(set(told)) == 1
    assert '"grid": "1"' in found["type"][0][0]
    assert '"grid": "1/8192"' in found["bounds"][0][0]
    assert found["guess"][0][1].count("\n") == 1
    assert "(tea): name their types" in found["guess"][0][1]
    status, _, error = sudare(*asked, *said, "--type", "age=colour")
    assert (status, "columns.age must be one of" in error) == (2, True)


def test_numbers_outside_the_bounds_are_refused_where_that_is_asked(
    sudare: Any, tmp_path: Path
) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age\n34\n51\n999\n28\n")
    asked = ("release", file, "--ask", "mean:age", "--bounds", "age=0,110", "--epsilon", 1000)
    status, _, error = sudare(*asked, "--outside", "refuse")
    assert (status, "within the bounds; or give --outside clamp" in error) == (2, True)
    for way in ((), ("--outside", "clamp")):
        status, text, _ = sudare(*asked, *way, "--json")
        assert (status, round(json.loads(text)["answers"][0]["value"])) == (0, 56)
    for option in (("--outside", "refuse"), ("--missing", "drop")):
        assert "definition" in sudare("release", tmp_path / "d.toml", *asked[2:4], *asked[6:],
                                      "--ledger", tmp_path / "l.db", *option)[2]  # fmt: skip
