"""``sudare export``: what a collector holds, as tables, charts and reports."""

from __future__ import annotations

import csv
import json
import os
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.cli.main import main
from sudare.collection.drafting import draft
from sudare.collector import BackgroundCollector, own_reports, own_view
from sudare.collector.exporting import figure_records
from sudare.collector.results import results_json
from sudare.errors import StorageError
from sudare.files.manifests import SUBMISSIONS
from sudare.files.submissions import read_submissions, write_submissions
from sudare.operators import Audit
from tests.cases import cases

N = 60


@pytest.fixture(scope="module")
def served(tmp_path_factory: Any) -> Path:
    """A folder with a survey of several types, and what 60 people sent to it."""
    folder = tmp_path_factory.mktemp("export")
    types = ["choice", "crosstab", "number", "place", "ratings"]
    (folder / "tea.toml").write_text(
        draft("tea", types, languages=["en", "ja"], epsilon=6), encoding="utf-8"
    )
    survey, draw = sd.Collection.load(folder / "tea.toml"), random.Random(1)
    with BackgroundCollector([survey], folder / "tea.sqlite3") as running:
        for _ in range(N):
            device = sd.Client(survey)
            answers = {
                "tea": draw.choice(["green", "black"]),
                "people": {"age": "under-30", "bath": draw.choice(["daily", "seldom"])},
                "sleep": draw.uniform(5, 9),
                "where": draw.randrange(64),
                "shelf": {"green": 4, "black": None, "oolong": draw.choice([None, 1])},
            }
            device.send(device.answer(answers), running.url)
    return folder


def export(folder: Path, name: str, *options: str) -> tuple[int, Path]:
    paths = ("--database", str(folder / "tea.sqlite3"), "--out", str(folder / name))
    return main(["export", str(folder / "tea.toml"), *paths, *options]), folder / name


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_figures_are_those_of_the_results(served: Path) -> None:
    survey = sd.Collection.load(served / "tea.toml")
    stored = own_view(survey, served / "tea.sqlite3").stored
    found = results_json(survey, stored, target="population", confidence=0.95)
    status, path = export(served, "figures.csv")
    assert status == 0
    rows = read_csv(path)
    green = found["questions"][0]["cells"][0]
    assert rows[0] == {
        "question": "tea",
        "figure": "green",
        "label": "Green",
        "value": str(green["share"]),
        "stderr": str(green["stderr"]),
        **{end: str(min(max(green[end], 0.0), 1.0)) for end in ("low", "high")},
        "projected": str(green["projected"]),
        "unit": "share",
        "n": str(N),
        "mechanism": survey.questions[0].mechanism.name,
        "epsilon": "1.5",
        "target": "population",
        "confidence": "0.95",
    }
    shares = [row for row in rows if row["unit"] == "share"]
    assert all(0 <= float(row[end]) <= 1 for row in shares for end in ("low", "high") if row[end])
    tea = [float(row["projected"]) for row in rows if row["question"] == "tea"]
    assert min(tea) >= 0
    assert sum(tea) == pytest.approx(1)
    numbers = Counter(row["question"] for row in rows)
    assert set(numbers) == {question.id for question in survey.questions}
    assert numbers["where"] == 64
    assert len({row["figure"] for row in rows if row["question"] == "where"}) == 64
    assert not [row for row in rows if "None" in row["figure"]]
    assert {row["unit"] for row in rows if row["question"] == "sleep"} == {"value"}


def test_a_bar_of_a_histogram_lies_in_its_interval() -> None:
    """Its value is the unbiased share; that of the nearest distribution stands beside it."""
    text = draft("tea", ["number"]).replace('wanted = "mean"', 'wanted = "distribution"')
    survey = sd.Collection.from_toml(text)
    (question,) = survey.questions
    truth = [0] * 20 + [40] * 5 + [0] * (question.mechanism.bins - 25)
    counts = question.mechanism.simulate(truth, rng=sd.Entropy.seeded(b"bars"))
    found = question.results(counts, "population", 0.95)
    results = {"target": "population", "confidence": 0.95, "questions": [{**found, "n": counts.n}]}
    rows = [row for row in figure_records(survey, results) if " to " in row["figure"]]
    assert len(rows) == 32
    assert min(row["value"] for row in rows) < 0 <= min(row["projected"] for row in rows)
    assert sum(row["projected"] for row in rows) == pytest.approx(1)
    for row, bar in zip(rows, found["histogram"], strict=True):
        assert bar["low"] <= row["value"] <= bar["high"]


def test_every_format_has_the_same_rows(served: Path) -> None:
    from pyarrow import parquet

    _, as_csv = export(served, "a.csv")
    _, as_json = export(served, "a.json")
    _, as_lines = export(served, "a.jsonl")
    _, as_parquet = export(served, "a.parquet")
    rows = json.loads(as_json.read_text("utf-8"))
    assert rows == [json.loads(line) for line in as_lines.read_text("utf-8").splitlines()]
    assert rows == parquet.read_table(as_parquet).to_pylist()
    texts = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
    assert texts == read_csv(as_csv)


def test_labels_are_in_the_wanted_language(served: Path) -> None:
    status, path = export(served, "ja.csv", "--language", "ja", "--confidence", "0.5")
    assert status == 0
    rows = read_csv(path)
    assert rows[0]["label"] == "緑茶"
    assert "答えたくない" in {row["label"] for row in rows if row["figure"] == "prefer-not-to-say"}
    assert "30歳未満 × 毎日" in {row["label"] for row in rows}
    assert rows[0]["confidence"] == "0.5"


def test_counts_add_up(served: Path) -> None:
    survey = sd.Collection.load(served / "tea.toml")
    status, path = export(served, "counts.csv", "--what", "counts")
    assert status == 0
    rows = read_csv(path)
    for question, some in zip(
        survey.questions, own_view(survey, served / "tea.sqlite3").stored.counts, strict=True
    ):
        own = [int(row["support"]) for row in rows if row["question"] == question.id]
        assert own == some.support.ravel().tolist()
        assert {row["n"] for row in rows if row["question"] == question.id} == {str(N)}


def test_what_is_public_is_a_step(served: Path) -> None:
    _, path = export(served, "public.csv", "--what", "counts", "--public")
    public = own_view(sd.Collection.load(served / "tea.toml"), served / "tea.sqlite3").public.n
    assert 50 <= public < N
    assert {row["n"] for row in read_csv(path)} == {str(public)}


def test_reports_are_the_same_in_another_order(served: Path) -> None:
    """That two orders of 60 agree has a chance of 1 in 60!, but for reports that are equal."""
    survey = sd.Collection.load(served / "tea.toml")
    status, path = export(served, "reports.parquet", "--what", "reports")
    assert status == 0
    collection, submissions = read_submissions(path)
    assert collection.fingerprint == survey.fingerprint
    stored = own_view(survey, served / "tea.sqlite3").stored.counts
    assert collection.tally(submissions) == stored
    again = own_reports(survey, served / "tea.sqlite3")
    assert again != submissions
    assert collection.tally(again) == stored


def test_a_copy_that_can_only_be_read_is_exported_with_a_warning(
    served: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("database", "must be free to be written", "try again")

    monkeypatch.setattr(Audit, "add", refuse)
    assert export(served, "unnoted.csv")[0] == 0
    assert "this is not in its record of acts" in capsys.readouterr().err
    words = ["--database", str(served / "tea.sqlite3")]
    assert main(["close", "tea", *words]) == 2, "what cannot be recorded is not done"
    assert own_view(sd.Collection.load(served / "tea.toml"), words[1]).standing.state != "closed"


def test_a_column_is_what_a_question_decodes(served: Path) -> None:
    from pyarrow import parquet

    export(served, "reports.parquet", "--what", "reports")
    question = sd.Collection.load(served / "tea.toml").questions[0]
    column = parquet.read_table(served / "reports.parquet")[question.id]
    wire = b"".join(one.as_py() for one in column)
    assert question.tally(question.mechanism.program.decode(wire)).n == N


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_chart_has_every_figure(served: Path, kind: str) -> None:
    status, path = export(served, f"chart.{kind}", "--language", "ja")
    assert status == 0
    if kind == "svg":
        drawn = path.read_text("utf-8")
        assert "いちばん好きなお茶は？  (n = 60)" in drawn
        for words in ("緑茶", "30歳未満 × 毎日", "mean"):
            assert words in drawn
        assert "None" not in drawn
    else:
        assert path.read_bytes().startswith(b"\x89PNG")


@cases(
    "name, options, word",
    [
        ("x.xls", (), "--out must end in .csv"),
        ("x.svg", ("--what", "counts"), "--out must end in .csv"),
        ("x.csv", ("--what", "reports"), "--out must end in .parquet for reports"),
        ("x.parquet", ("--what", "reports", "--public"), "reports are never public"),
        ("x.csv", ("--language", "de"), "--language must be one of en, ja"),
        ("x.csv", ("--confidence", "2"), "confidence"),
        ("no.csv", ("--database", "no-such-file"), "database"),
    ],
)
def test_what_cannot_be_is_refused(
    served: Path, capsys: Any, name: str, options: tuple[str, ...], word: str
) -> None:
    status, path = export(served, name, *options)
    err = capsys.readouterr().err
    assert status == 2
    assert word in err
    assert err.count("\n") == 1
    assert not path.exists()


def test_another_file_is_no_file_of_submissions(served: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    _, figures = export(served, "figures.parquet")
    for path in (figures, tmp_path / "missing.parquet", served / "tea.toml"):
        with pytest.raises(sd.ReportError, match="must be a file of submissions"):
            read_submissions(path)
    survey = sd.Collection.load(served / "tea.toml")
    whole = tmp_path / "whole.parquet"
    assert write_submissions(whole, survey, own_reports(survey, served / "tea.sqlite3")) == N
    table = parquet.read_table(whole)
    described = {SUBMISSIONS: table.schema.metadata[SUBMISSIONS]}
    fewer = table.drop_columns(["tea"]).replace_schema_metadata(described)
    empty = pa.array([None, *table["tea"].to_pylist()[1:]], type=table["tea"].type)
    lacking = table.set_column(0, "tea", empty).replace_schema_metadata(described)
    for wrong in (fewer, lacking):
        parquet.write_table(wrong, tmp_path / "wrong.parquet")
        with pytest.raises(sd.ReportError, match="must be a file of submissions"):
            read_submissions(tmp_path / "wrong.parquet")


@pytest.fixture(scope="module")
def in_rounds(tmp_path_factory: Any) -> Path:
    """A survey in three rounds: of eight people in the first one, of three in the second."""
    folder = tmp_path_factory.mktemp("rounds")
    starts = [datetime.now(UTC) + timedelta(minutes=one) for one in (-90, -30, 90)]
    closes = starts[-1] + timedelta(hours=1)
    (folder / "tea.toml").write_text(
        draft("tea", ["choice"]).replace(
            "# closes = 2030-01-31T00:00:00+09:00",
            f"closes = {closes.isoformat()}\nrepeats.every = "
            f"[{', '.join(one.isoformat() for one in starts)}]",
        ),
        encoding="utf-8",
    )
    survey = sd.Collection.load(folder / "tea.toml")
    with BackgroundCollector([survey], folder / "tea.sqlite3") as running:
        for start, people in zip(starts, (8, 3), strict=False):
            for _ in range(people):
                device = sd.Client(survey, clock=lambda start=start: start)
                device.send(device.answer({"tea": "green"}), running.url)
    return folder


def test_a_survey_in_rounds_is_told_round_by_round(
    in_rounds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for asked, n in (((), 3), (("--round", "1", "--force"), 8)):
        for what, name in (("figures", "t.csv"), ("reports", "t.parquet")):
            code, path = export(in_rounds, name, "--what", what, *asked)
            assert code == 0
            if what == "reports":
                collection, held = read_submissions(path)
                assert (collection.rounds, len(held)) == ((), n)
            else:
                assert {int(one["n"]) for one in read_csv(path)} == {n}
        files = (str(in_rounds / "tea.toml"), "--database", str(in_rounds / "tea.sqlite3"))
        capsys.readouterr()
        assert main(["results", *files, "--json", *asked[:2]]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["name"], told["n"]) == ("tea", n)
        assert [one["n"] for one in told["repeats"]["rounds"]] == [8, 3, 0]
        assert main(["results", *files, *asked[:2]]) == 0
        assert "tea.1: 8 reports stored, 0 public" in capsys.readouterr().out
    assert export(in_rounds, "u.csv", "--round", "4")[0] == 2
    assert "round must be from 1 to 3" in capsys.readouterr().err


def test_a_round_of_a_survey_without_rounds_is_refused(
    served: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(served, "t.csv", "--round", "1")[0] == 2
    assert "round is of surveys in rounds alone" in capsys.readouterr().err


def test_before_any_report_tables_are_written_and_charts_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = draft("tea", ["choice", "crosstab", "number"], languages=["en"], epsilon=6)
    (tmp_path / "tea.toml").write_text(text, encoding="utf-8")
    with BackgroundCollector([sd.Collection.load(tmp_path / "tea.toml")], tmp_path / "tea.sqlite3"):
        pass
    for name in ("x.svg", "x.png"):
        for options in ((), ("--public",)):
            code, path = export(tmp_path, name, *options)
            assert code == 2
            error = capsys.readouterr().err
            assert "must show a figure at least, and there is none yet; wait for reports" in error
            assert not path.exists()
    for name in ("x.csv", "x.json", "x.parquet"):
        code, path = export(tmp_path, name)
        assert code == 0
        assert path.exists()


def test_what_is_exported_is_its_owner_s_alone(
    served: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files 600 and their folders 700, whatever the mask; what everybody sees follows the mask."""
    survey, database = str(served / "tea.toml"), str(served / "tea.sqlite3")
    people, ledger = tmp_path / "people.csv", tmp_path / "ledger.db"
    people.write_text("region\n" + "north\nsouth\n" * 50, "utf-8")
    new = tmp_path / "new"
    before = os.umask(0o022)
    try:
        for command in (
            ("export", survey, "--database", database, "--out", new / "figures.csv"),
            ("export", survey, "--database", database, "--out", new / "figures.svg"),
            ("export", survey, "--database", database, "--out", new / "c.json", "--what", "counts"),
            ("export", survey, "--database", database, "--out", new / "r.parquet", "--what",
             "reports"),
            ("estimate", new / "r.parquet", "--out", new / "estimates.csv"),
            ("perturb", people, "--column", "region", "--categories", "north,south",
             "--epsilon", "1", "--out", new / "reports.csv"),
            ("perturb", people, "--column", "region", "--categories", "north,south",
             "--epsilon", "1", "--out", new / "reports.parquet"),
            ("backup", "--database", database, "--out", new / "backup.sqlite3"),
            ("restore", new / "backup.sqlite3", "--database", new / "restored.sqlite3"),
            ("ledger", "open", ledger, "ann", "--epsilon", "1"),
            ("ledger", "export", ledger, new / "events.jsonl"),
        ):  # fmt: skip
            assert main([*map(str, command)]) == 0, (command, capsys.readouterr().err)
        public = tmp_path / "public.csv"
        assert main(
            ["export", survey, "--database", database, "--out", str(public), "--public"]
        ) in (0, 2)
    finally:
        os.umask(before)
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in new.iterdir()}
    assert len(modes) > 10
    assert set(modes.values()) == {"0o600"}, modes
    assert new.stat().st_mode & 0o777 == 0o700
    assert not public.exists() or public.stat().st_mode & 0o777 == 0o644
