"""Results of many attributes: each alone first, tables of two on demand; together they are all."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest
from asking import ask

import sudare as sd
from sudare.collection import Collection
from sudare.collector import create_app, live, pairs, results
from sudare.collector.tallies import Snapshot
from sudare.estimation import Counts
from tests.cases import cases

FIRST = 60_000
"""Bytes of a first view's figures, not compressed: the attributes of twenty, and one table."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: Any) -> None:
    """What tallies give away takes seconds, and is no part of this."""
    for module in (live, results):
        monkeypatch.setattr(module, "guarantee", lambda *_: None)


def survey(attributes: int, wanted: str = "pairs", rule: str = "") -> Collection:
    parts = "".join(
        f'[[question.attributes]]\nid = "a{i}"\ntext = "Attribute {i}"\n'
        f'choices = ["one", "two", "three"]\n'
        for i in range(attributes)
    )
    return Collection.from_toml(
        f'[collection]\nname = "habits"\nepsilon = 3\npublish_at = 1\n[[question]]\nid = "habits"\n'
        f'type = "crosstab"\ntext = "You"\nwanted = "{wanted}"\n{rule}{parts}'
    )


def body_of(collection: Collection, n: int) -> bytes:
    """Return the results of so many people who answer evenly."""
    rng, (question,) = sd.Entropy.seeded(b"pairs"), collection.questions
    if len(question.attributes) == 20:
        rows = rng.generator().integers(3, size=(n, 20))
        counts = (question.mechanism.aggregate(question.mechanism.perturb(rows, rng=rng)),)
    else:
        counts = (sd.simulate(collection, n, rng=rng)["habits"].counts,)
    none = tuple(Counts(one.support * 0, 0, one.mechanism) for one in counts)
    public = Snapshot(counts, (None,) * len(counts), None, False, none)
    told = results.results_json(collection, public, target="population", confidence=0.95)
    return json.dumps(told).encode()


@cases("wanted", ["pairs", "cells"])
def test_the_parts_are_the_whole(monkeypatch: Any, wanted: str) -> None:
    monkeypatch.setattr(pairs, "WHOLE", 0)
    collection = survey(4, wanted)
    body = body_of(collection, 5000)
    whole, made = json.loads(body)["questions"][0], pairs.Parts.of(body)
    first = json.loads(made.first)["questions"][0]
    assert {key: whole[key] for key in first if key != "alarms"} == {
        key: first[key] for key in first if key != "alarms"
    }
    assert set(whole) - set(first) <= {"pairs", "cells"}
    tables = [json.loads(one)["questions"][0] for one in made.pairs.values()]
    assert [one["pairs"][0] for one in tables] == whole["pairs"]
    assert len(whole["alarms"]["bands"]) == 4
    for i, band in enumerate(whole["alarms"]["bands"]):
        for side in ("low", "high"):
            own = [end for one in tables for end in one["alarms"]["bands"][i][side]]
            apart = own + first["alarms"]["bands"][i][side]
            assert apart == band[side][-len(apart) :]


def test_small_results_are_told_whole() -> None:
    body = body_of(survey(3), 500)
    assert len(body) <= pairs.WHOLE
    assert asyncio.run(pairs.Pairs().part(body, "apart")) == body


def test_levels_are_taken_apart_too(monkeypatch: Any) -> None:
    """Where levels of ε are offered, a table comes with those of each level."""
    monkeypatch.setattr(pairs, "WHOLE", 0)
    collection = survey(3, "cells", 'mechanism = "OUE"\nlevels = [1, 3]\n')
    body = body_of(collection, 5000)
    whole, made = json.loads(body)["questions"][0], pairs.Parts.of(body)
    assert len(made.first) < len(body)
    (table,) = json.loads(made.pairs["habits:a0,a2"])["questions"]
    assert [one["pairs"][0] for one in table["levels"]] == [
        next(pair for pair in level["pairs"] if pair["attributes"] == ["a0", "a2"])
        for level in whole["levels"]
    ]


def test_a_first_view_of_twenty_attributes_is_small(tmp_path: Any) -> None:
    """At most 60 kB, before compression; the tag of each part stands until its figures change."""
    collection = survey(20)
    body = body_of(collection, 20_000)
    made = pairs.Parts.of(body)
    one = made.pairs["habits:a0,a1"]
    assert len(body) > 500_000
    assert len(made.first) + len(one) <= FIRST
    assert len(gzip.compress(made.first)) + len(gzip.compress(one)) <= FIRST / 3
    app = create_app([collection], tmp_path / "pairs.sqlite3")
    path = "/api/v1/collections/habits"

    async def run() -> None:
        async with app.router.lifespan_context(app):
            told = {
                place: await ask(app, "GET", f"{path}/{place}")
                for place in ("results?pairs=apart", "results?pairs=habits:a3,a7")
            }
            for place, answer in told.items():
                assert answer.status == 200
                tag = {"if-none-match": answer.headers["etag"]}
                assert (await ask(app, "GET", f"{path}/{place}", **tag)).status == 304
            assert "pairs" not in told["results?pairs=apart"].json["questions"][0]
            for pair in ("some", "all&pairs=apart", "", "habits", "habits:a3", "habits:a7,a3"):
                assert (await ask(app, "GET", f"{path}/results?pairs={pair}")).status == 400, pair

    asyncio.run(run())
