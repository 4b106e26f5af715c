"""Limits on what a person brings: what they cut, whom, and with how much noise."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.ledger import Cost
from sudare.release import Ask, Dataset, bound_of
from sudare.release.private_data import PrivateData
from sudare.release.queries.limits import OwnSum
from tests.cases import cases

EXACT = 200_000  # an ε at which noise is 0 but for a chance of exp(-20,000)
RNG = np.random.default_rng(7)
ROWS = 600
FRAME: dict[str, Any] = {
    "p": RNG.integers(0, 100, ROWS),
    "x": RNG.integers(-20, 101, ROWS),
    "g": RNG.choice(list("abcde"), ROWS),
}
BOUNDS = {"x": (-20, 100)}


def by_hand(most: int) -> dict[int, list[tuple[int, str]]]:
    """Return each person's first rows."""
    own: dict[int, list[tuple[int, str]]] = {}
    for p, x, g in zip(*(FRAME[name].tolist() for name in "pxg"), strict=True):
        own.setdefault(p, []).append((x, g))
    return {p: rows[:most] for p, rows in own.items()}


@cases("most", [2, 8])
def test_answers_are_those_of_each_person(most: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(FRAME), path, row_group_size=90)
    own = by_hand(most)
    sums = {p: sum(x for x, _ in rows) for p, rows in own.items()}
    for frame in (FRAME, str(path)):
        db = Dataset(frame, bounds=BOUNDS, unit=("p", most))
        for limit in (5, 60, 150, 10**6):
            cut = sum(min(max(one, -limit), limit) for one in sums.values())
            assert db.capped("x", limit, epsilon=EXACT).value == cut
            over = sum(abs(one) > limit for one in sums.values())
            assert db.over_sum("x", limit, epsilon=EXACT).value == over
        for limit in (1, 3, 7):
            rows = sum(len(one) > limit for one in own.values())
            assert db.over_rows("g", limit, epsilon=EXACT).value == rows
            groups = sum(len({g for _, g in one}) > limit for one in own.values())
            assert db.over_groups("g", limit, epsilon=EXACT).value == groups
        for limit in (1, 2, None):
            wanted = dict.fromkeys("bd", 0)
            for rows_of in own.values():
                for g in list(dict.fromkeys(g for _, g in rows_of if g in "bd"))[:limit]:
                    wanted[g] += 1
            given = {} if limit is None else {"groups": limit}
            assert db.group_by("g", ["b", "d"]).persons(**given, epsilon=EXACT).value == wanted
        some = db.where("g = a").over_rows("x", 1, epsilon=EXACT).value
        assert some == sum(sum(g == "a" for _, g in rows) > 1 for rows in own.values())


def test_each_row_is_a_person_without_a_column_of_persons() -> None:
    db = Dataset({"x": [1, 5, None, 9], "g": ["a", "b", "b", "a"]}, bounds={"x": (0, 10)},
                 missing="drop", grids={"x": 1})  # fmt: skip
    assert db.capped("x", 4, epsilon=EXACT).value == 9
    assert db.over_sum("x", 4, epsilon=EXACT).value == 2
    assert db.over_rows("x", 1, epsilon=EXACT).value == 0
    assert db.over_groups("x", 1, epsilon=EXACT).value == 0
    assert db.group_by("g", ["b"]).persons(epsilon=EXACT).value == {"b": 2}


def test_noise_is_that_of_one_person() -> None:
    """Whatever the rows of a person: of the limit, of one person, of so many groups."""
    wide = {}
    for rows in (1, 50):
        for relation in ("replace-one", "add-remove"):
            at = {"epsilon": 1, "neighbours": relation, "rows": rows}
            assert bound_of("over_rows", limit=3, **at) == 3
            positive = bound_of("capped", limit=40, bounds=(0, 100), **at)
            either = bound_of("capped", limit=40, bounds=(-100, 100), **at)
            assert positive == bound_of("sum", epsilon=1, bounds=(0, 40), neighbours="add-remove")
            assert either == positive if relation == "add-remove" else either > 1.99 * positive
            wide[relation, rows] = bound_of("group_persons", categories=9, **at)
    assert wide["add-remove", 1] == 3
    assert wide["replace-one", 50] == wide["add-remove", 50] == 27, "each group moves by one"
    of_all = bound_of("sum", epsilon=1, bounds=(0, 10), neighbours="add-remove", rows=2)
    huge = bound_of("capped", epsilon=1, limit=10**9, bounds=(0, 10), rows=2)
    assert huge == of_all, "never more than all rows of a person"


def test_what_is_refused() -> None:
    db = Dataset(FRAME, bounds=BOUNDS, unit=("p", 3))
    with pytest.raises(sd.DomainError, match="at least a step of the grid"):
        db.capped("x", 0.5, epsilon=1)
    for text in ("capped:x", "capped:x=a", "capped:g=3", "over_rows:x=0", "over_rows:x=1.5",
                 "over_groups:nowhere=1", "over_sum:x=-1"):  # fmt: skip
        with pytest.raises(sd.SudareError):
            Ask.parse(text).to(db, Cost.of(epsilon=1))
    with pytest.raises(sd.SudareError):
        db.group_by("g", ["a"]).persons(groups=0, epsilon=1)


def test_what_cannot_be_told_apart_is_refused_whoever_is_asked_about() -> None:
    """Not only where somebody has such a value: that would tell whether anybody has."""
    db = Dataset({"n": ["u", "v"], "a": [{"t": 1}, None]}, budget=1)
    for name in "uvw":
        with pytest.raises(sd.WrongTypeError, match="plain values"):
            db.where(f"n = {name}").over_groups("a", 1, epsilon=0.1)


def test_the_sum_of_all_persons_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PrivateData, "own_sums", lambda *_: [np.full(10_000, 10**15)])
    db = Dataset({"x": np.array([1, 2])}, bounds={"x": (0, 1 << 40)}, unit=None)
    monkeypatch.setattr(OwnSum, "of", lambda *_: OwnSum(0, 10**15, Fraction(10**15)))
    answer = db.capped("x", 10**15, epsilon=EXACT)
    assert abs(answer.value - 10**19) < answer.bound(1 - 1e-9) < 10**12
