"""Public results as files over HTTP: what ``sudare export --public`` writes, once a step."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.cli.main import main
from sudare.collection.drafting import draft
from sudare.collection.figures import question_json
from sudare.collector import BackgroundCollector
from sudare.collector.exporting import figure_records, write_records
from sudare.collector.exports import FORMATS, MOST_DRAWN, ExportBody, ExportRequest
from sudare.collector.worker_process import FigureWorker
from sudare.errors import MissingExtraError
from sudare.refusal import Refusal
from tests.cases import cases

N = 60
PATH = "/api/v1/collections/tea/export"
TEA = """
[collection]
name = "tea"
epsilon = 2.0
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
choices = ["green", "black"]
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: Any) -> Path:
    """A survey of every type, 60 answers to it, and what is exported of it at the command line."""
    folder = tmp_path_factory.mktemp("exports")
    types = ["choice", "crosstab", "number", "place", "ratings"]
    (folder / "tea.toml").write_text(
        draft("tea", types, languages=["en", "ja"], epsilon=6), encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def served(files: Path, connect: Any) -> Any:
    survey, draw = sd.Collection.load(files / "tea.toml"), random.Random(1)
    with BackgroundCollector([survey], files / "tea.sqlite3") as running:
        client = connect(running.url)
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
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(FigureWorker, "run", gently)
            yield client


async def gently(self: FigureWorker, make: Any, about: Any, *, odd: bool) -> bytes:
    """What the process does, without one: it gives way to all others that run."""
    return await asyncio.to_thread(pickle.loads(pickle.dumps(make)), about)


def written(files: Path, name: str, *options: str) -> Path:
    paths = ("--database", str(files / "tea.sqlite3"), "--out", str(files / name))
    assert main(["export", str(files / "tea.toml"), *paths, "--public", *options]) == 0
    return files / name


def test_a_file_is_what_the_command_writes(served: Any, files: Path) -> None:
    for kind, media in FORMATS.items():
        answer = served.get(f"{PATH}?format={kind}&language=ja&confidence=0.9")
        assert answer.status == 200, answer.body[:300]
        assert answer.headers["content-type"] == media
        assert answer.headers["content-disposition"] == f'attachment; filename="tea.{kind}"'
        assert answer.headers["cache-control"] == "no-store"
        if kind == "png":  # drawn as the other chart is
            assert answer.body.startswith(b"\x89PNG\r\n\x1a\n")
            continue
        own = written(files, f"own.{kind}", "--language", "ja", "--confidence", "0.9")
        assert shown(answer.body, kind) == shown(own.read_bytes(), kind), kind
    counts = served.get(f"{PATH}?what=counts")
    assert counts.body == written(files, "counts.csv", "--what", "counts").read_bytes()
    assert 'filename="tea-counts.csv"' in counts.headers["content-disposition"]


def shown(body: bytes, kind: str) -> Any:
    """Return what a file says: of charts, whose curves may differ in a last digit, the words."""
    return re.findall(r"<text[^>]*>([^<]*)", body.decode()) if kind == "svg" else body


def test_one_question(served: Any) -> None:
    answer = served.get(f"{PATH}?question=tea&target=respondents")
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert {row["question"] for row in rows} == {"tea"}
    assert {row["target"] for row in rows} == {"respondents"}
    assert 'filename="tea-tea.csv"' in answer.headers["content-disposition"]
    told = served.get("/api/v1/collections/tea/results?target=respondents").json
    cells = told["questions"][0]["cells"]
    assert [float(row["value"]) for row in rows] == [cell["share"] for cell in cells]
    assert [row["projected"] for row in rows] == [str(cell["projected"]) for cell in cells]


@cases(
    "query, status, argument",
    [
        ("format=xls", 400, "format"),
        ("format=svg&what=counts", 400, "format"),
        ("what=reports", 400, "what"),
        ("question=none", 400, "question"),
        ("language=de", 400, "language"),
        ("confidence=2", 400, "confidence"),
        ("target=all", 400, "target"),
        ("format=csv&format=csv", 400, "query"),
        ("version=0000000000000000", 404, "collection"),
    ],
)
def test_what_cannot_be_is_refused(served: Any, query: str, status: int, argument: str) -> None:
    answer = served.get(f"{PATH}?{query}")
    assert (answer.status, answer.json["error"]["argument"]) == (status, argument)


def test_a_file_is_made_once_for_a_step(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    make = ExportBody.__call__

    def counted(self: ExportBody, told: bytes) -> bytes:
        made.append(self.asked)
        return make(self, told)

    monkeypatch.setattr(ExportBody, "__call__", counted)
    bodies = [served.get(f"{PATH}?format=json&language=en").body for _ in range(3)]
    assert len(made) == 1
    assert len(set(bodies)) == 1
    assert json.loads(bodies[0])[0]["question"] == "tea"


def test_a_chart_has_bounds_and_needs_its_library(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = sd.Collection.load(files / "tea.toml")
    asked = ExportRequest("svg", "figures", "tea", "population", 0.95, "")
    told = {"questions": [], "target": "population", "confidence": 0.95}
    row = {"question": "tea", "value": 0.5}
    rows = [row] * (MOST_DRAWN + 1)
    monkeypatch.setattr("sudare.collector.exports.figure_records", lambda *_: rows)
    with pytest.raises(Refusal) as refused:
        ExportBody(survey, asked)(json.dumps(told).encode())
    assert refused.value.status == 400
    rows[:] = [{"question": "tea", "value": None}]
    with pytest.raises(Refusal) as refused:
        ExportBody(survey, asked)(json.dumps(told).encode())
    assert refused.value.status == 404
    rows[:] = [row]

    def missing(*_: Any) -> None:
        raise MissingExtraError("matplotlib", "plots", "to draw figures")

    monkeypatch.setattr("sudare.collector.exports.write_records", missing)
    with pytest.raises(Refusal) as refused:
        ExportBody(survey, asked)(json.dumps(told).encode())
    assert refused.value.status == 501


def test_a_chart_draws_what_a_page_draws() -> None:
    """Nothing below a question's least answers; then no value beyond what is possible."""
    survey = sd.Collection.from_toml(
        TEA + 'scores = [1, 2]\n[[question]]\nid = "shelf"\ntype = "ratings"\ntext = "Shelf"\n'
        'items = ["green", "black"]\n'
    )
    asked = {"target": "population", "confidence": 0.95}
    for n in (3, 60):
        counts = [sd.Counts([n, 0, 0], n), sd.Counts([[n, 0, 0], [0] * 3], n)]
        told = {**asked, "n": n, "questions": []}
        for place, least in enumerate((10, 34)):
            found = question_json(survey, place, counts, **asked)
            told["questions"].append({**found, "least_answers": least})
        table, chart = (figure_records(survey, told, None, kind) for kind in (".csv", ".svg"))
        assert min(row["value"] for row in table if row["value"] is not None) < 0, "as it is"
        assert {row["question"] for row in chart} == ({"brand", "shelf"} if n == 60 else set())
        for row in chart:
            low, high = (0, 1) if row["unit"] == "share" else (1, 5)
            assert row["value"] is None or low <= row["value"] <= high, row
        own = [row for row in table if row["figure"] == "green, mean"]
        assert own[0]["low"] < own[0]["value"] <= own[0]["high"] <= 1, "on its own scale"
        assert "green, level" in {row["figure"] for row in chart} or n == 3
        assert "green, mean" not in {row["figure"] for row in chart}, "the same on another scale"
        if n == 3:
            request = ExportRequest("svg", "figures", "", "population", 0.95, "")
            with pytest.raises(Refusal) as refused:
                ExportBody(survey, request)(json.dumps(told).encode())
            assert refused.value.status == 404
            assert "least_answers" in str(refused.value.error)


@cases("name", ["chart.svg", "chart.png", "chart", "chart.part"])
def test_a_chart_is_written_whatever_its_file_is_called(name: str, tmp_path: Path) -> None:
    survey = sd.Collection.from_toml(TEA)
    row = {"question": "brand", "label": "Green", "value": 0.5, "low": 0.4, "high": 0.6}
    beside = tmp_path / "chart.pdf"
    beside.write_bytes(b"another file")
    for kind, start in ((".svg", b"<?xml"), (".png", b"\x89PNG")):
        write_records(tmp_path / name, kind, survey, [{**row, "unit": "share", "n": 60}])
        assert (tmp_path / name).read_bytes().startswith(start)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted({name, "chart.pdf"})
