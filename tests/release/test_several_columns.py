"""Groups of several columns: the product of their keys, in every spelling, batch by batch too."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.errors import DomainError, SudareError, WrongTypeError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, bound_of, consistent, publish
from sudare.release.publication import question_text
from tests.cases import cases

RNG = np.random.default_rng(8)
SIZE = 30_000
PEOPLE: dict[str, Any] = {
    "place": np.array(["north", "south, far", "else"])[RNG.integers(0, 3, SIZE)],
    "age": RNG.integers(0, 4, SIZE),
    "ok": RNG.random(SIZE) < 0.3,
    "score": RNG.integers(0, 101, SIZE),
}
BY = ["place", "age", "ok"]
KEYS = [["south, far", "north"], [3, 0], [True, False]]
TEXT = '@place="south, far",north@age=3,0@ok=true,false'


def rows_of(group: tuple[Any, ...]) -> Any:
    return np.logical_and.reduce([PEOPLE[by] == key for by, key in zip(BY, group, strict=True)])


def test_each_combination_is_a_group(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table(PEOPLE), path, row_group_size=4_000)
    for frame in (PEOPLE, str(path)):
        db = Dataset(frame, bounds={"score": (0, 100)})
        groups = db.group_by(BY, KEYS)
        counts = groups.count(epsilon=10_000)
        assert list(counts.value) == list(itertools.product(*KEYS))
        sums = groups.sum("score", epsilon=100_000)
        means = groups.mean("score", epsilon=100_000)
        for group in counts.value:
            mine = PEOPLE["score"][rows_of(group)]
            assert counts.value[group] == mine.size
            assert sums.value[group] == mine.sum()
            assert abs(means.value[group] - mine.mean()) < 1e-3
            assert round(means.rows[group]) == mine.size
        assert set(means.bounds()) == set(counts.value)
        some = db.where("score < 50").group_by(BY, KEYS).count(epsilon=10_000)
        for group, found in some.value.items():
            assert found == (rows_of(group) & (PEOPLE["score"] < 50)).sum()


def test_their_noise_is_that_of_groups_of_one_column() -> None:
    db = Dataset(PEOPLE, bounds={"score": (0, 100)})
    one, several = (
        db.group_by(*given).count(epsilon=0.5)
        for given in (("age", [0, 1]), (["age", "ok"], [[0, 1], [True]]))
    )
    assert one.noise == several.noise
    assert several.bound() == bound_of("group_count", epsilon=0.5)
    alone = db.group_by(["age", "ok"], [[0], [True]]).count(epsilon=0.5)
    assert alone.bound() == bound_of("group_count", epsilon=0.5, categories=1) < one.bound()


def test_all_spellings_are_one_question(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=1)
        db = Dataset(PEOPLE, bounds={"score": (0, 100)}, ledger=ledger)
        first = db.group_by(BY, KEYS).mean("score", epsilon=0.1)
        text = Ask.parse("mean:score" + TEXT)
        assert Ask.parse(question_text(text)) == text
        again = text.to(db, Cost.of(epsilon=0.1), reuse=True)
        assert (again.reused, again.value) == (True, first.value)
        assert (first.query["by"], first.query["keys"]) == (BY, KEYS)
        one = db.group_by(["age"], [[3, 0]]).count(epsilon=0.1)
        assert db.group_by("age", [3, 0]).count(epsilon=0.1, reuse=True).value == one.value


@cases(
    "by, keys",
    [
        ([], []), (["age"], [1]), (["age", "ok"], [[1]]), (["age", "age"], [[1], [0]]), (None, [1]),
        (["age", "no"], [[1], [0]]), (["age", 3], [[1], [0]]), (["age", "ok"], [[1], [1]]),
        (["age", "score"], [list(range(1000)), list(range(1000))]),
        (["age", "ok"], [[1, 1], [True]]),
    ])  # fmt: skip
def test_what_are_no_groups_is_refused(by: Any, keys: Any) -> None:
    with pytest.raises((WrongTypeError, DomainError)):
        Dataset(PEOPLE).group_by(by, keys)


def test_text_that_is_no_question_is_refused() -> None:
    for text in ("count@age=1@", "count@age=1@ok", "count@age=1@=2", "count@age=1@ok="):
        with pytest.raises(SudareError):
            Ask.parse(text)


def test_they_are_published_and_made_to_agree(tmp_path: Path) -> None:
    db = Dataset(PEOPLE, bounds={"score": (0, 100)}, rng=sd.Entropy.seeded(b"several"))
    asks = ["count" + TEXT, "count@age=3@ok=true", "mean:score@place=north@ok=true"]
    done = publish(db, asks, Cost.of(epsilon=0.3), tmp_path / "out")
    groups = [row["group"] for row in done.records()]
    assert groups[0] == '"south, far",3,True'
    assert len(groups) == 8 + 1 + 1
    assert min(done.answers[0].value.values()) >= 0
    raw = [one.raw for one in done.answers[:2]]
    both = consistent(db, [raw[0], db.group_by(BY, KEYS).count(epsilon=1)])
    assert both[0].value == both[1].value


def test_they_are_answered_over_http(service: Any) -> None:
    query = {
        "query": "group_count",
        "by": ["sex", "score"],
        "keys": [["f", "m"], [1, 2, 3]],
        "epsilon": 0.1,
    }
    reply = service.ask(query)
    assert reply.status == 200
    assert [one["group"] for one in reply.json["groups"]][:2] == [["f", 1], ["f", 2]]
    for wrong in (
        {"keys": [["f", "m"]]},
        {"keys": ["f", 1]},
        {"by": []},
        {"keys": [["f"], [["x"]]]},
    ):
        assert service.ask({**query, **wrong}).status == 400
