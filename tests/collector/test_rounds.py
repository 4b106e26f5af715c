"""Reports of a survey in rounds: each is taken in its round, and kept apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from teas import Api, eventually

from sudare import Client, Collection, CollectionError
from sudare.collection.memo import FileMemo, MemoryMemo
from sudare.collector import BackgroundCollector, change_life
from sudare.collector.operator_api.opening import open_register
from sudare.exact import Entropy
from sudare.files.submissions import read_submissions
from sudare.operators import SCOPES, Tokens
from tests.cases import cases

OPENS = datetime(2026, 12, 1, tzinfo=UTC)
TEXT = f"""
[collection]
name = "weekly"
epsilon = 2.0
epsilon_cap = 4.0
publish_at = 1
opens = {OPENS.isoformat()}
repeats = {{ every = "weekly", rounds = 3 }}
[[question]]
id = "tea"
type = "choice"
mechanism = "LGRR"
text = "Which?"
choices = ["a", "b", "c"]
"""
API = "/api/v1/collections/weekly"


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = OPENS

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def served(collection: Collection, database: Path | str, clock: Clock) -> Iterator[Api]:
    """Answer requests while a ``with`` block lasts."""
    with BackgroundCollector([collection], database, clock=clock) as running:
        yield Api(running.url)


def test_a_report_a_round(tmp_path: Path) -> None:
    clock, collection = Clock(), Collection.from_toml(TEXT)
    device = Client(collection, clock=clock)
    database = tmp_path / "weekly.sqlite3"
    with served(collection, database, clock) as site:
        for week, answer in enumerate("aab"):
            clock.now = OPENS + timedelta(days=7 * week + 1)
            body = device.answer({"tea": answer}).to_json()
            assert body["round"] == week + 1
            for _ in range(2):
                assert site.post(f"{API}/reports", body).status == 202
            told = site.get(f"{API}/results").json
            assert told["n"] == 1
            assert told["repeats"]["round"] == week + 1
            assert [one["n"] for one in told["repeats"]["rounds"]] == [1] * (week + 1) + [0] * (
                2 - week
            )
            own = told["questions"][0]["repeats"]
            assert len(own["rounds"]) == week + 1
            assert [(c["from"], c["to"]) for c in own["changes"]] == (
                [[], [(1, 2)], [(1, 2), (2, 3), (1, 3)]][week]
            )
        listed = site.get("/api/v1/collections").json["collections"]
        assert [one["name"] for one in listed] == ["weekly"]
        assert site.get(f"{API}.1").status == 404
    with pytest.raises(CollectionError):
        change_life("weekly", database, "delete", clock=clock)  # it is open
    change_life("weekly", database, "close", clock=clock)
    gone = change_life("weekly", database, "delete", clock=clock)
    assert gone.deleted == {"reports": 3, "invites": 0}
    with served(collection, database, clock) as site:
        assert site.get(f"{API}/results").status == 410


TIMES: tuple[tuple[float, object, int], ...] = (
    (1, 1, 202), (1, 2, 403), (6.97, 2, 202), (7.03, 1, 202), (7.1, 1, 403), (1, 0, 400),
    (1, 4, 400), (1, None, 400), (1, "1", 400), (21.5, 3, 403), (-1, 1, 403),
)  # fmt: skip
"""Days after the opening, the round that is named, and the answer."""


def test_a_round_is_taken_in_its_time(tmp_path: Path) -> None:
    """An hour before and after, as clocks differ; no other, and none without a number."""
    clock, collection = Clock(), Collection.from_toml(TEXT)
    clock.now = OPENS + timedelta(days=1)
    usual = Client(collection, clock=clock).answer({"tea": "a"}).to_json()
    with served(collection, tmp_path / "w.sqlite3", clock) as site:
        for days, number, status in sorted(TIMES, key=lambda one: one[0]):
            body = usual | {"round": number}
            if number is None:
                del body["round"]
            batch = {name: body[name] for name in ("fingerprint", "round") if name in body}
            batch["reports"] = [{"id": "ab" * 16, "report": body["report"]}]
            clock.now = OPENS + timedelta(days=days)
            assert site.post(f"{API}/reports", body).status == status, (days, number)
            assert site.post(f"{API}/reports/batch", batch).status == status


@pytest.mark.parametrize("mechanism", ["LGRR", "LSUE", "LOSUE", "LOLOHA", "OUE", "auto"])
def test_every_mechanism_has_its_pages_and_results(tmp_path: Path, mechanism: str) -> None:
    clock = Clock()
    collection = Collection.from_toml(TEXT.replace("LGRR", mechanism))
    with served(collection, tmp_path / "w.sqlite3", clock) as site:
        for _ in range(3):
            body = Client(collection, clock=clock).answer({"tea": "b"}).to_json()
            assert site.post(f"{API}/reports", body).status == 202
        for page in ("weekly", "weekly/results", "weekly/results?lang=ja"):
            assert site.get(f"/{page}").status == 200
        told = site.get(f"{API}/results").json["questions"][0]["repeats"]
        assert told["rounds"][0]["n"] == 3
        assert told["steady"] <= 2.0


PEOPLE = 240
TRUTH = ((140, 60, 40), (140, 60, 40), (60, 140, 40))
"""How many give each answer, by round: in the last 80 change theirs."""


def answer_of(person: int, week: int) -> str:
    a, b, _ = TRUTH[week]
    return "a" if person < a else "b" if person < a + b else "c"


def is_public(site: Api, rounds: int) -> bool:
    told = site.get(f"{API}/results").json["questions"][0]["repeats"]
    return len(told["rounds"]) == rounds


@pytest.mark.slow
def test_three_rounds_of_many_devices(place: str) -> None:
    """Each round is right within 5 standard errors, also after restarts and repeated sendings."""
    clock, collection = Clock(), Collection.from_toml(TEXT)
    memos = [MemoryMemo() for _ in range(PEOPLE)]
    for week in range(3):
        clock.now = OPENS + timedelta(days=7 * week + 1)
        sent = []
        for person, memo in enumerate(memos):
            seed = Entropy.seeded(b"person %d, week %d" % (person, week))
            device = Client(collection, memo, clock=clock, entropy=seed)
            sent.append(device.answer({"tea": answer_of(person, week)}).to_json())
        batch = {
            "fingerprint": collection.fingerprint,
            "round": week + 1,
            "reports": [{"id": one["id"], "report": one["report"]} for one in sent],
        }
        with served(collection, place, clock) as site:  # started anew
            for _ in range(2):
                assert site.post(f"{API}/reports/batch", batch).status == 202
            eventually(partial(is_public, site, week + 1))  # in PostgreSQL a moment later
            told = site.get(f"{API}/results").json["questions"][0]["repeats"]
    assert [one["n"] for one in told["rounds"]] == [PEOPLE] * 3
    for week, one in enumerate(told["rounds"]):
        for cell, truth in zip(one["cells"], TRUTH[week], strict=False):
            assert abs(cell["share"] - truth / PEOPLE) < 5 * cell["stderr"]
    first_last = told["changes"][-1]
    assert (first_last["from"], first_last["to"]) == (1, 3)
    assert "covariance" in first_last["bound"]
    spent = [Client(collection, memo, clock=clock).spent for memo in memos]
    stayed = [s for p, s in enumerate(spent) if answer_of(p, 0) == answer_of(p, 2)]
    assert set(stayed) == {2}
    totals = collection.totals(collection.questions[0])
    assert set(spent) == {2, totals[2]}


@cases("lost", ["before it was sent", "its acknowledgement"])
def test_a_crash_loses_nothing_and_charges_once(tmp_path: Path, lost: str) -> None:
    """What was drawn is on the disk: a new process sends the same report under the same id."""
    clock, collection = Clock(), Collection.from_toml(TEXT)
    path = tmp_path / "device.sqlite3"
    with served(collection, tmp_path / "w.sqlite3", clock) as site:
        for week in range(2):
            clock.now = OPENS + timedelta(days=7 * week + 1)
            memo = FileMemo(path)
            first = Client(collection, memo, clock=clock).answer({"tea": "a"})
            memo.close()  # the program ends
            if lost == "its acknowledgement":
                assert site.post(f"{API}/reports", first.to_json()).status == 202
            memo = FileMemo(path)
            device = Client(collection, memo, clock=clock)
            again = device.answer({"tea": "a"})
            assert again == first
            assert device.spent == 2
            memo.close()
            assert site.post(f"{API}/reports", again.to_json()).status == 202
            assert site.get(f"{API}/results").json["n"] == 1


def test_a_survey_that_closes_closes_its_rounds(tmp_path: Path) -> None:
    """What is left of the round becomes public; a round by itself takes no command."""
    clock, database = Clock(), tmp_path / "weekly.sqlite3"
    steps = "publish_at = 2\npublish_every = 10"
    collection = Collection.from_toml(TEXT.replace("publish_at = 1", steps))
    with served(collection, database, clock) as site:

        def public(wanted: int) -> bool:
            return site.get(f"{API}/results").json["n"] == wanted

        for _ in range(5):
            body = Client(collection, clock=clock).answer({"tea": "a"}).to_json()
            assert site.post(f"{API}/reports", body).status == 202
        eventually(lambda: public(2))
        with pytest.raises(CollectionError, match="name weekly"):
            change_life("weekly.1", database, "close", clock=clock)
        assert change_life("weekly", database, "close", clock=clock).standing.state == "closed"
        eventually(lambda: public(5))


def test_operators_take_the_reports_of_a_round(tmp_path: Path) -> None:
    clock, collection = Clock(), Collection.from_toml(TEXT)
    database, path = tmp_path / "weekly.sqlite3", tmp_path / "reports.parquet"
    with served(collection, database, clock) as site:
        for week, people in enumerate((3, 2)):
            clock.now = OPENS + timedelta(days=7 * week + 1)
            for _ in range(people):
                body = Client(collection, clock=clock).answer({"tea": "a"}).to_json()
                assert site.post(f"{API}/reports", body).status == 202
        with open_register(database) as register:
            token = Tokens(register, clock).issue("ann", SCOPES)
        address = "/api/v1/operator/collections/weekly/reports"
        headers = {"authorization": f"Bearer {token}"}
        for asked, n in (("", 2), ("?round=1", 3), ("?round=3", 0)):
            path.write_bytes(site.get(address + asked, **headers).body)
            assert len(read_submissions(path)[1]) == n
        for wrong in ("0", "4", "x", "-1", "9" * 5000):
            assert site.get(f"{address}?round={wrong}", **headers).status == 400
