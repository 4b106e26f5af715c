"""What stands in a ledger, in a request and beside an answer, byte for byte as it was in 0.1.0.

An answer on record is found by its query's JSON, so that another word there would charge again.
``python tests/release/test_vocabulary.py`` writes the vectors; who changes one says so in the
changelog.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.ledger import Cost, Ledger
from sudare.refusal import Refusal
from sudare.release import Ask, Dataset
from sudare.release.api.openapi import openapi
from sudare.release.api.requests import decode
from tests.cases import cases

VECTORS = Path(__file__).parent.parent / "vectors" / "release.json"
COSTS = {"epsilon": Cost.of(epsilon=0.5), "rho": Cost.of(rho=0.125)}
NOISY = [
    "count", "count:g=a", "count:x=3", "count:t=true", "missing:x", "missing:g", "sum:x", "sum:h",
    "mean:x", "mean:h", "variance:x", "variance:h", "histogram:g=a,b", 'histogram:g="a,b",c',
    "histogram:x=1,2.5", "count@g=a,b", "sum:x@g=a,b", "mean:h@g=b", "mean:x@t=true,false",
]  # fmt: skip
CHOSEN = [
    "median:x", "quantile:h=0.9", "quantile:x=1/3", "max:x", "min:h", "mode:g=a,b", "mode:x=1,2",
]  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "add-remove": {"neighbours": "add-remove"},
    "unit": {"unit": ("p", 2)},
    "unit, add-remove": {"unit": ("p", 2), "neighbours": "add-remove"},
    "drop": {"missing": "drop", "grids": {"x": 1, "h": 0.25}},
}
BODIES: list[dict[str, Any]] = [
    {"query": "count", "epsilon": 0.5},
    {"query": "count", "column": "g", "equals": "a", "rho": 0.125},
    {"query": "missing", "column": "x", "epsilon": 0.5},
    {"query": "sum", "column": "x", "epsilon": 0.5},
    {"query": "mean", "column": "x", "epsilon": 0.5, "reuse": False, "confidence": 0.9},
    {"query": "variance", "column": "x", "rho": 0.125},
    {"query": "median", "column": "x", "epsilon": 0.5},
    {"query": "quantile", "column": "x", "share": 0.25, "epsilon": 0.5},
    {"query": "max", "column": "x", "epsilon": 0.5},
    {"query": "min", "column": "x", "epsilon": 0.5},
    {"query": "histogram", "column": "x", "categories": [1, "2"], "epsilon": 0.5},
    {"query": "mode", "column": "g", "categories": ["a", "b"], "epsilon": 0.5},
    {"query": "group_count", "by": "g", "keys": ["a"], "epsilon": 0.5},
    {"query": "group_sum", "by": "g", "keys": ["a"], "column": "x", "epsilon": 0.5},
    {"query": "group_mean", "by": "t", "keys": [True, "false"], "column": "x", "rho": 0.125},
    {"query": "median", "column": "x", "rho": 0.5},
    {"query": "count", "column": "g", "epsilon": 0.5},
]


def data(**options: Any) -> Dataset:
    people = {
        "p": [i // 3 for i in range(60)],
        "x": [i % 7 for i in range(60)],
        "h": [i % 9 + 0.25 for i in range(60)],
        "g": [("a", "b", "a,b")[i % 3] for i in range(60)],
        "t": [i % 2 == 0 for i in range(60)],
    }
    rng = sd.Entropy.seeded(b"vocabulary")
    return Dataset(
        people,
        bounds={"x": (0, 6), "h": (-1.5, 10)},
        types={"x": "whole"},
        **options,
        rng=rng,
        name="held",
    )


def told(db: Dataset, query: Callable[[Dataset], Any], cost: Cost) -> dict[str, Any]:
    """Return all that is said of a question and its answer, or why it is refused."""
    try:
        prepared = query(db).prepare(db.held, cost)
    except sd.SudareError as error:
        return {"refused": str(error)}
    answer = prepared.bill.answer()
    read = prepared.read(answer)
    assert read.query == prepared.bill.query
    grouped = isinstance(read.value, dict)
    return {
        "label": json.dumps(prepared.bill.query),
        "price": str(prepared.bill.cost.amount),
        "answer": answer,
        "value": list(map(list, read.value.items())) if grouped else read.value,
        "bounds": [read.bound(0.5), read.bound(0.95)],
        "bound_in": read.bound_in,
        "noise": [dict(law) for law in read.noise],
        "notes": list(read.notes),
        "sampling_stderr": read.sampling_stderr,
    }


def by_text() -> dict[str, Any]:
    asked = [(text, unit) for text in NOISY for unit in COSTS]
    asked += [(text, "epsilon") for text in CHOSEN] + [("median:x", "rho"), ("mode:g=a", "rho")]
    return {
        f"{text} {unit} {options}": told(
            data(**OPTIONS[options]),
            lambda db, text=text: Ask.parse(text).query(db.held),
            COSTS[unit],
        )
        for options in OPTIONS
        for text, unit in asked
    }


def over_http() -> dict[str, Any]:
    out: dict[str, Any] = {}
    for options in ("plain", "add-remove"):
        for body in BODIES:
            name = f"{json.dumps(body)} {options}"
            try:
                query = decode(json.dumps(body).encode())
            except Refusal as refusal:
                out[name] = {"refused": str(refusal.error)}
                continue
            said = told(data(**OPTIONS[options]), query.of, query.cost)
            out[name] = {"reuse": query.reuse, "confidence": query.confidence, **said}
    return out


def recorded(folder: Path) -> list[Any]:
    """Return the bodies of a ledger's events."""
    with Ledger(folder / "ledger.db") as ledger:
        ledger.open("held", epsilon=100)
        rng = sd.Entropy.seeded(b"recorded")
        db = Dataset(
            {"x": [1, 2, 3] * 9, "g": ["a", "b", "c"] * 9}, bounds={"x": (0, 6)},
            types={"x": "whole"}, name="held", ledger=ledger, rng=rng,
        )  # fmt: skip
        for text in ("mean:x", "histogram:g=a,b", "mean:x@g=a", "variance:x", "mode:g=a,b"):
            Ask.parse(text).to(db, COSTS["epsilon"])
        assert Ask.parse("mean:x").to(db, COSTS["epsilon"], reuse=True).reused
        return [one["body"] for one in ledger.events() if one["kind"] == "query"]


def described() -> dict[str, Any]:
    """Return the schemas of the queries to held data."""
    told: dict[str, Any] = openapi()["components"]["schemas"]
    return {
        name: one
        for name, one in told.items()
        if "query" in one.get("properties", {}) and name != "Answer"
    }


def vectors(folder: Path) -> dict[str, Any]:
    return {
        "by_text": by_text(),
        "over_http": over_http(),
        "recorded": recorded(folder),
        "described": described(),
    }


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return json.loads(json.dumps(vectors(tmp_path_factory.mktemp("words"))))


@cases("part", ["by_text", "over_http", "recorded"])
def test_every_word_is_as_it_was(part: str, now: Any) -> None:
    then = json.loads(VECTORS.read_text())[part]
    assert len(now[part]) == len(then)
    pairs = zip(now[part], then, strict=True) if part == "recorded" else ((k, k) for k in then)
    for mine, old in pairs:
        if part == "recorded":
            assert mine == old
        else:
            refused = then[old].get("refused")  # whether the structure or the data set does it
            assert refused == now[part][mine].get("refused"), mine
            assert refused or now[part][mine] == then[old], mine


def test_what_a_request_may_hold_is_still_taken(now: Any) -> None:
    """Further fields may have come; those that were there are as they were."""
    for name, old in json.loads(VECTORS.read_text())["described"].items():
        mine = now["described"][name]
        assert mine["required"] == old["required"]
        assert mine["description"] == old["description"]
        for field, schema in old["properties"].items():
            assert takes(mine["properties"][field], schema), (name, field)


def takes(mine: Any, old: Any) -> bool:
    """Tell whether a schema takes all that an old one took."""
    if "anyOf" in mine:
        return all(any(takes(a, b) for a in mine["anyOf"]) for b in old.get("anyOf", [old]))
    if mine == old or "items" not in old:
        return bool(mine == old)
    return {**mine, "items": 0} == {**old, "items": 0} and takes(mine["items"], old["items"])


def test_a_schema_that_takes_less_is_noticed() -> None:
    text, whole = {"type": "string", "maxLength": 9}, {"type": "integer"}
    several = {"type": "array", "items": text, "minItems": 1}
    assert takes({"anyOf": [text, several]}, text)
    assert takes({**several, "items": {"anyOf": [whole, text]}}, several)
    assert not takes(text, {"anyOf": [text, whole]})
    assert not takes({"anyOf": [{**text, "maxLength": 8}, several]}, text)
    assert not takes({**several, "minItems": 2}, several)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        parts = vectors(Path(made))
    blocks = []
    for part, found in parts.items():
        named = {"": found} if isinstance(found, list) else found
        lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in named.items()]
        text = json.dumps(found) if isinstance(found, list) else "{\n" + ",\n".join(lines) + "\n}"
        blocks.append(f"{json.dumps(part)}: {text}")
    VECTORS.write_text("{\n" + ",\n".join(blocks) + "\n}\n")
