"""Times beside the definition: the fingerprint leaves them out, devices lose nothing by that."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import sudare as sd
from sudare.collection.canonical import fingerprint
from sudare.collection.lifecycle import Lifecycle, timed
from sudare.collection.memo import FileMemo, MemoryMemo
from tests.cases import cases

TEA = """
[collection]
name = "tea"
epsilon = 2.0
{more}
[[question]]
id = "q"
type = "choice"
text = "?"
choices = ["x", "y"]
mechanism = "GRR"
"""
OPENS = datetime(2026, 12, 1, tzinfo=UTC)
CLOSES = datetime(2027, 1, 1, tzinfo=UTC)
TIMES = f"opens = {OPENS.isoformat()}\ncloses = {CLOSES.isoformat()}\n"

OF_0_1 = "2f193a9581c651f0042b21336baad053e799c3539a69bf38fc80c8d80155d2bc"
"""The fingerprint of this collection without times, as version 0.1 wrote it."""


def tea(more: str = "") -> sd.Collection:
    return sd.Collection.from_toml(TEA.format(more=more))


def test_without_times_the_fingerprint_is_that_of_0_1() -> None:
    assert tea().fingerprint == OF_0_1
    assert "life" not in tea().compiled()


def test_times_are_told_and_not_fingerprinted() -> None:
    timed_one = tea(TIMES)
    assert timed_one.fingerprint == tea().fingerprint == tea(f"closes = {CLOSES}").fingerprint
    assert (timed_one.opens, timed_one.closes) == (OPENS, CLOSES)
    again = sd.Collection.from_compiled(timed_one.compiled())
    assert again == timed_one
    old = {**timed_one.definition(), **timed(OPENS, CLOSES)}
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled({**tea().compiled(), "definition": old})


@cases(
    "life",
    [
        {"opens": "2027-01-01T00:00:00Z", "closes": "2026-01-01T00:00:00Z"},
        {"opens": None},
        {"closed": False},
        {"former": []},
        {"former": [["2026-01-01T00:00:00Z"]]},
        {"former": [["2026-01-01", None]]},
        {"more": 1},
        [],
    ],
)
def test_a_document_with_other_times_is_refused(life: object) -> None:
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled({**tea().compiled(), "life": life})


@cases("days", [-1, 36_501, "3", 1.5, True])
def test_days_are_whole(days: object) -> None:
    with pytest.raises(sd.CollectionError, match="keep_reports_days"):
        tea(f"keep_reports_days = {str(days).lower() if isinstance(days, bool) else repr(days)}")


def test_closed_by_hand_it_is_closed_at_any_time() -> None:
    second = timedelta(seconds=1)
    life = Lifecycle(OPENS, CLOSES)
    stages = {}
    for now in (OPENS - second, OPENS, CLOSES - second, CLOSES):
        for one in (life, replace(life, closed=True)):
            try:
                one.require_open(now)
                stages[now, one.closed] = "open"
            except sd.CollectionError as error:
                stages[now, one.closed] = error.rule
    assert {stages[now, True] for now in (OPENS - second, OPENS, CLOSES)} == {"is closed"}
    assert [stages[now, False] for now in (OPENS - second, OPENS, CLOSES - second, CLOSES)] == [
        "is not open yet",
        "open",
        "open",
        "is closed",
    ]


@cases("kept", ["memory", "file"])
def test_who_answered_under_the_old_fingerprint_is_known_and_not_charged_again(
    kept: str, tmp_path: Path
) -> None:
    """The same submission under the same id, one account under one cap, no word about a version."""
    memo = MemoryMemo() if kept == "memory" else FileMemo(tmp_path / "memo.sqlite3")
    old = tea()
    former = fingerprint({**old.definition(), **timed(OPENS, CLOSES)})
    vars(old)["fingerprint"] = former  # as a client of 0.1 has computed it
    first = sd.Client(old, memo).answer({"q": "x"})
    assert {one.version for one in memo.charges()} == {former}
    now = replace(tea(), life=Lifecycle(former=((OPENS, CLOSES),)))
    told = sd.Collection.from_compiled(now.compiled())
    assert told.former_fingerprints == (former,)
    client = sd.Client(told, memo)
    again = client.answer({"q": "x"})
    assert (again.id, again.payload) == (first.id, first.payload)
    assert again.fingerprint == tea().fingerprint
    assert (client.earlier, client.spent) == ((), 2)
    with pytest.raises(sd.BudgetExceeded):
        client.answer({"q": "y"})
    assert {one.version for one in memo.charges()} == {tea().fingerprint}
    stranger = sd.Client(tea(), memo)  # the times are told no longer: nothing is lost
    assert stranger.answer({"q": "x"}).id == first.id


def test_places_keep_their_own_accounts(tmp_path: Path) -> None:
    memo = FileMemo(tmp_path / "memo.sqlite3")
    with memo.transaction():
        memo.rename("a" * 64, "b" * 64)
    from sudare.collection.device import DeviceCharge

    with memo.transaction():
        memo.charge([DeviceCharge("a" * 64 + "/here", "here", tea().epsilon, "", "tea")])
        memo.charge([DeviceCharge("c" * 64, "q", tea().epsilon, "", "tea")])
        memo.rename("a" * 64, "b" * 64)
    assert [one.account for one in memo.charges()] == ["b" * 64 + "/here", "c" * 64]


def test_moments_that_have_no_utc_are_refused_at_either_end() -> None:
    for moment in ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"):
        with pytest.raises(sd.CollectionError, match="of the years 1 to 9999, in UTC too"):
            tea(f"closes = {moment}")
