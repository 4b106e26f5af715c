"""The Python half of the shared vectors; the browser's half is in ``tests/js``."""

from __future__ import annotations

import importlib.util
import json
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

import sudare as sd
from sudare import samplers
from sudare.collection import Crosstab, Number, Place, Ratings
from sudare.collection.canonical import canonical_json, fingerprint
from sudare.collection.memo import FileMemo, MemoryMemo
from sudare.collection.questions import restore
from sudare.samplers import from_json
from tests.cases import cases

HERE = Path(__file__).parent


def load_maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vectors_make", HERE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = load_maker()


def test_at_least_a_thousand_vectors_hold() -> None:
    data = json.loads((HERE / "samplers.json").read_text("utf-8"))
    programs = [from_json(program) for program in data["programs"]]
    assert len(data["vectors"]) >= 1000
    kinds = [getattr(samplers, name) for name in samplers.__all__]
    assert {p["kind"] for p in data["programs"]} == {
        one.kind for one in kinds if "kind" in vars(one)
    }
    for vector in data["vectors"]:
        program = programs[vector["program"]]
        report = program.draw_one(vector["value"], make.HashStream(vector["seed"]))
        assert program.encode_one(report).hex() == vector["wire"]


def test_two_thousand_words() -> None:
    data = json.loads((HERE / "words.json").read_text("utf-8"))
    questions = [restore(one, {}, "question") for one in data["questions"]]
    assert len(data["cases"]) >= 2000
    sent = 0
    for case in data["cases"]:
        question = questions[case["question"]]
        if case["wire"] is None:
            with pytest.raises(sd.CollectionError):
                question.encode(case["word"])
            continue
        value = question.encode(case["word"])
        assert question.randomise(value, make.HashStream(case["seed"])).hex() == case["wire"]
        sent += 1
    assert 500 < sent < 1900


def test_whole_answers_of_ratings() -> None:
    data = json.loads((HERE / "ratings.json").read_text("utf-8"))
    questions = [restore(one, {}, "question") for one in data["questions"]]
    assert len(data["cases"]) > 100
    for case in data["cases"]:
        question = questions[case["question"]]
        assert isinstance(question, Ratings)
        value = question.encode(case["answer"], case["index"])
        assert value[:9] == case["value"]
        wire = question.randomise(value, make.HashStream(case["seed"]), case["index"])
        assert wire.hex() == case["wire"]


def test_whole_answers_of_crosstabs_of_which_a_part_is_drawn() -> None:
    data = json.loads((HERE / "crosstabs.json").read_text("utf-8"))
    questions = [restore(one, {}, "question") for one in data["questions"]]
    assert len(data["cases"]) > 100
    for case in data["cases"]:
        question = questions[case["question"]]
        assert isinstance(question, Crosstab)
        value = question.encode(case["answer"], case["index"])
        assert value[:9] == case["value"]
        wire = question.randomise(value, make.HashStream(case["seed"]), case["index"])
        assert wire.hex() == case["wire"]


def test_answers_about_maps_whose_law_is_written_out() -> None:
    """Of the tables as they stand: another machine's logarithms may write others."""
    data = json.loads((HERE / "places-tabled.json").read_text("utf-8"))
    for q, (one, told) in enumerate(zip(data["questions"], data["answers"], strict=True)):
        question = restore(one, {}, "question")
        assert isinstance(question, Place)
        assert question.mechanism.epsilon == pytest.approx(data["spent"][q], rel=1e-7)
        wires = b""
        for i in range(2000):
            value = question.encode(told["cells"][i % len(told["cells"])])
            wires += question.randomise(value, make.HashStream(f"sudare-tabled-{q}-{i}"))
        assert wires.hex() == told["wires"]


def test_whole_answers_of_distributions() -> None:
    data = json.loads((HERE / "numbers.json").read_text("utf-8"))
    questions = [restore(one, {}, "question") for one in data["questions"]]
    assert len(data["cases"]) == 300
    for case in data["cases"]:
        question = questions[case["question"]]
        assert isinstance(question, Number)
        value = question.encode(case["answer"], case["index"])
        assert value == case["value"]
        wire = question.randomise(value, make.HashStream(case["seed"]), case["index"])
        assert wire.hex() == case["wire"]


@cases("name", ["skips", "unasked"])
def test_whole_submissions_with_questions_that_are_not_asked(name: str) -> None:
    data = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    collection = sd.Collection.from_compiled(data["compiled"])
    for draw in data.get("draws", ()):
        found = collection.questions[draw["question"]].unasked(make.HashStream(draw["seed"]))
        assert found == draw["value"] or found == tuple(draw["value"])
    for case in data["cases"]:
        client = sd.Client(collection, entropy=make.HashStream(case["seed"]))
        assert client.answer(case["answers"]).payload.hex() == case["payload"]


@cases("name", ["levels", "levels-of-places"])
def test_whole_submissions_at_every_level(name: str) -> None:
    data = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    collection = sd.Collection.from_compiled(data["compiled"])
    for case in data["cases"]:
        client = sd.Client(collection, entropy=make.HashStream(case["seed"]))
        assert client.answer(case["answers"]).payload.hex() == case["payload"]
        places = [str(float(one)) for one in client.spent_per_metre.values()]
        assert (places or str(float(client.spent))) == case["spent"]
    assert data["many"]["cases"] >= 2_000
    assert make.many(collection, data["cases"]) == data["many"]


def test_places_by_position_and_by_cell() -> None:
    data = json.loads((HERE / "places.json").read_text("utf-8"))
    questions = [restore(one, {}, "question") for one in data["questions"]]
    assert [q.mechanism.epsilon for q in questions] == pytest.approx(data["spent"], rel=1e-7)
    for case in data["positions"]:
        question = questions[case["question"]]
        assert isinstance(question, Place)
        assert question.lattice.cell(*case["at"]) == case["cell"]
    for case in data["answers"]:
        question = questions[case["question"]]
        wire = question.randomise(question.encode(case["cell"]), make.HashStream(case["seed"]))
        assert wire.hex() == case["wire"]


def test_wire_cases() -> None:
    for case in json.loads((HERE / "wire.json").read_text("utf-8"))["cases"]:
        program, wire = from_json(case["program"]), bytes.fromhex(case["wire"])
        if case["valid"]:
            program.check_wire(wire)
        else:
            with pytest.raises(sd.ReportError):
                program.check_wire(wire)


def test_fingerprints() -> None:
    for case in json.loads((HERE / "fingerprints.json").read_text("utf-8"))["cases"]:
        assert canonical_json(case["definition"]) == case["canonical"]
        assert fingerprint(case["definition"]) == case["fingerprint"]


@cases("kept", ["memory", "file"])
def test_what_a_device_spends_over_all_versions(kept: str, tmp_path: Path) -> None:
    data = json.loads((HERE / "device.json").read_text("utf-8"))
    versions = {key: sd.Collection.from_compiled(one) for key, one in data["versions"].items()}
    for number, steps in enumerate(data["devices"]):
        memo = MemoryMemo() if kept == "memory" else FileMemo(tmp_path / f"{number}.sqlite3")
        for step in steps:
            client = sd.Client(versions[step["version"]], memo, origin="https://tea.example")
            ids = [question.id for question in client.collection.questions]
            cells = {"a": 0, "b": 1} if client.spent_per_metre else {"a": "a", "b": "b"}
            answers = dict(zip(ids, (cells[one] for one in step["answers"]), strict=True))
            before, verdict = len(memo.charges()), "sent"
            try:
                client.answer(answers, again=step["again"])
            except sd.EarlierAnswer:
                verdict = "asked"
            except sd.BudgetExceeded:
                verdict = "refused"
            standing = client._standing()
            found = (
                verdict,
                len(memo.charges()) - before,
                standing.spent(),
                standing.spent("metre"),
            )
            amounts = (Fraction(step["epsilon"]), Fraction(step["epsilon_per_metre"]))
            assert found == (step["verdict"], step["charged"], *amounts), step


@pytest.mark.parametrize("name", make.FILES)
def test_the_files_are_those_of_the_script(name: str) -> None:
    kept = json.loads((HERE / name).read_text("utf-8"))
    assert kept == json.loads(json.dumps(make.FILES[name]()))
