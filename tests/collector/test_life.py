"""A collection's life: every command in every stage, in a running collector, across kills."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise, product

import pytest
from teas import QUESTIONS, eventually

from sudare.collection import Client, Collection
from sudare.collection.canonical import canonical_json, fingerprint
from sudare.collection.lifecycle import timed
from sudare.collector import (
    BackgroundCollector,
    Store,
    change_life,
    create_app,
    issue_invites,
    lifecycle_commands,
    own_reports,
    own_view,
)
from sudare.collector.databases import open_store
from sudare.collector.lifecycle import COMMANDS, Standing
from sudare.errors import CollectionError, StorageError, SudareError, WrongTypeError
from tests.cases import cases

NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)
HEAD = '[collection]\nname = "tea"\nepsilon = 2.0\n'


def survey(*more: str) -> Collection:
    return Collection.from_toml(HEAD + "".join(f"{one}\n" for one in more) + QUESTIONS)


def at(moment: datetime):
    return lambda: moment


# -- the machine -------------------------------------------------------------------------------

STAGES = {
    "draft": Standing("draft", NOW + DAY, NOW + 2 * DAY),
    "published": Standing("published", NOW + DAY, NOW + 2 * DAY),
    "open": Standing("published", NOW - DAY, NOW + DAY),
    "closed": Standing("closed", NOW - 2 * DAY, NOW - DAY),
    "ended": Standing("published", NOW - 2 * DAY, NOW - DAY),
    "archived": Standing("archived", NOW - 2 * DAY, NOW - DAY),
    "deleted": Standing("deleted", NOW - 2 * DAY, NOW - DAY),
}
LATER = NOW + 3 * DAY
AFTER = {
    ("draft", "publish"): ("published", NOW + DAY, NOW + 2 * DAY),
    ("draft", "delete"): ("deleted", NOW + DAY, NOW + 2 * DAY),
    ("published", "open"): ("open", NOW, NOW + 2 * DAY),
    ("published", "open until"): ("open", NOW, LATER),
    ("published", "close"): ("closed", NOW + DAY, NOW),
    ("published", "extend until"): ("published", NOW + DAY, LATER),
    ("published", "delete"): ("deleted", NOW + DAY, NOW + 2 * DAY),
    ("open", "close"): ("closed", NOW - DAY, NOW),
    ("open", "extend until"): ("open", NOW - DAY, LATER),
    ("archived", "delete"): ("deleted", NOW - 2 * DAY, NOW - DAY),
} | {
    (stage, command): found
    for stage in ("closed", "ended")
    for command, found in {
        "open": ("open", NOW - 2 * DAY, None),
        "open until": ("open", NOW - 2 * DAY, LATER),
        "extend until": ("open", NOW - 2 * DAY, LATER),
        "delete": ("deleted", NOW - 2 * DAY, NOW - DAY),
    }.items()
}
"""What each command leads to; all others are refused. An end is ignored by those without one."""


@cases("stage", STAGES)
@cases("command", [*COMMANDS, "open until", "extend until"])
def test_every_command_in_every_stage(stage: str, command: str) -> None:
    before, (name, _, until) = STAGES[stage], command.partition(" ")
    wanted = AFTER.get((stage, command))
    if wanted is None:
        with pytest.raises(CollectionError):
            before.after(name, NOW, LATER if until else None)
        return
    found = before.after(name, NOW, LATER if until else None)
    assert (found.stage(NOW), found.opens, found.closes) == wanted
    assert (found.act, found.at) == (name, NOW)


@cases(
    "stage, until, ends",
    [
        ("closed", None, True),
        ("ended", None, True),
        ("open", NOW, False),
        ("open", NOW - DAY, False),
        ("published", NOW + DAY, False),
        ("published", NOW + DAY / 2, False),
    ],
)
def test_an_end_is_to_come_and_there_where_figures_need_one(stage, until, ends) -> None:
    command = "open" if stage in ("closed", "ended") else "extend"
    with pytest.raises(CollectionError, match="until"):
        STAGES[stage].after(command, NOW, until, ends=ends)


def test_closed_before_it_opened_it_opens_now() -> None:
    never = STAGES["published"].after("close", NOW)
    later = NOW + timedelta(hours=1)
    assert never.stage(LATER) == "closed"
    for command in ("open", "extend"):
        found = never.after(command, later, LATER)
        assert (found.stage(later), found.opens, found.closes) == ("open", later, LATER)


@cases("days", [0, 1, 30])
def test_reports_are_deleted_so_many_days_after_the_end(days: int) -> None:
    closed = STAGES["closed"]
    end = NOW - DAY + days * DAY
    assert closed.archived(days, end)
    assert not closed.archived(days, end - timedelta(seconds=1))
    assert not closed.archived(None, LATER)
    for stage in ("draft", "published", "open", "ended", "archived", "deleted"):
        assert not STAGES[stage].archived(days, LATER)


# -- the store ---------------------------------------------------------------------------------


def test_whoever_changes_it_is_checked(tea, database) -> None:
    with Store(database, [tea]):
        pass
    for call, error in (
        (lambda: change_life(3, database, "close"), WrongTypeError),
        (lambda: change_life("tea", database, "unpublish"), SudareError),
        (lambda: change_life("coffee", database, "close"), CollectionError),
        (lambda: change_life("tea", database, "extend", datetime(2030, 1, 1)), WrongTypeError),  # noqa: DTZ001
        (lambda: change_life("tea", database.parent, "close"), StorageError),
    ):
        with pytest.raises(error):
            call()
    assert own_view(tea, database).standing.act == "created"


def stands(database, collection: Collection) -> tuple[str, str, datetime | None]:
    found = own_view(collection, database).standing
    return found.state, found.act, found.closes


def test_the_last_change_wins(place) -> None:
    """A file counts where it says something else than it said before, a command until then."""
    first, second = (survey(f"closes = {one.isoformat()}") for one in (NOW + DAY, NOW + 5 * DAY))
    clock = at(NOW)
    for collection, command, wanted in (
        (first, None, ("published", "created", NOW + DAY)),
        (first, ("extend", NOW + 3 * DAY), ("published", "extend", NOW + 3 * DAY)),
        (first, None, ("published", "extend", NOW + 3 * DAY)),
        (second, None, ("published", "file", NOW + 5 * DAY)),
        (second, ("close", None), ("closed", "close", NOW)),
        (second, None, ("closed", "close", NOW)),
        (first, None, ("published", "file", NOW + DAY)),
    ):
        with open_store(place, [collection], clock=clock):
            pass
        if command:
            change_life("tea", place, command[0], command[1], clock=clock)
        assert stands(place, collection) == wanted
    past = survey(f"closes = {(NOW - DAY).isoformat()}")
    change_life("tea", place, "close", clock=clock)
    with open_store(place, [past], clock=clock):
        pass
    assert stands(place, past) == ("closed", "file", NOW - DAY)


def test_a_draft_is_published_by_its_file_too(place) -> None:
    draft = survey("draft = true", f"closes = {LATER.isoformat()}")
    moved = survey("draft = true")
    for collection, wanted in (
        (draft, ("draft", "created", LATER)),
        (moved, ("draft", "file", None)),
        (survey(), ("published", "file", None)),
        (draft, ("published", "file", LATER)),  # what is published is no draft again
    ):
        with open_store(place, [collection], clock=at(NOW)):
            pass
        assert stands(place, collection) == wanted


def test_publishing_takes_the_times_of_the_file(place) -> None:
    draft = survey("draft = true", f"opens = {LATER.isoformat()}")
    assert change_life(draft, place, "publish", clock=at(NOW)).standing.stage(NOW) == "published"
    with pytest.raises(CollectionError, match="must be draft"):
        change_life(draft, place, "publish", clock=at(NOW))
    with open_store(place, [draft], clock=at(NOW)):
        pass
    assert stands(place, draft)[:2] == ("published", "publish")


def test_only_a_survey_that_is_published_makes_a_database(place) -> None:
    for command in ("open", "close", "delete", "publish"):
        with pytest.raises(StorageError, match="database must be a collector's"):
            change_life("tea", place, command)
    assert not os.path.exists(place)
    draft = survey("draft = true")
    assert change_life(draft, place, "publish", clock=at(NOW)).standing.act == "publish"


# -- a file of before --------------------------------------------------------------------------


def as_before(database, collection: Collection, opens, closes) -> str:
    """Make the file one that knows the collection as a version before 0.2 did."""
    old = {**collection.definition(), **timed(opens, closes)}
    with closing(sqlite3.connect(database, isolation_level=None)) as file:
        for table in ("life", "timeline", "base"):
            file.execute(f"DROP TABLE {table}")
        for column in ("texts", "former"):
            file.execute(f"ALTER TABLE collection DROP COLUMN {column}")
        file.execute(
            "UPDATE collection SET fingerprint = ?, definition = ? WHERE fingerprint = ?",
            (fingerprint(old), canonical_json(old), collection.fingerprint),
        )
        file.execute("UPDATE schema SET version = 5")
    return fingerprint(old)


@pytest.mark.parametrize("moved", [False, True])
def test_a_file_of_before_is_brought_over(database, connect, moved: bool) -> None:
    """Reports, counts and ids stay, also where the file has another end by now."""
    ends = NOW + DAY, NOW + 5 * DAY
    collection = survey("publish_at = 1", f"closes = {ends[moved].isoformat()}")
    with Store(database, [collection], clock=at(NOW)) as store:
        store.add(collection.fingerprint, bytes(16) + b"\1" * 16, b"\0\0\1\1").result()
        before = store.counts(collection.fingerprint).result()
    former = as_before(database, collection, None, ends[0])
    with BackgroundCollector([collection], database, clock=at(NOW)) as running:
        api = connect(running.url)
        assert api.get("/api/collections/tea/results").json["n"] == 2
        told = Collection.from_compiled(api.get("/api/collections/tea").json)
        assert (told.fingerprint, told.closes) == (collection.fingerprint, ends[moved])
        assert told.former_fingerprints == (former,)
        assert len(api.get("/api/collections/tea/versions").json["versions"]) == 1
        body = {"fingerprint": told.fingerprint, "reports": [{"id": "0" * 32, "report": "AAA"}]}
        assert api.send(body).status == 202  # it was sent before
        assert api.send({**body, "fingerprint": former}).status == 409
    view = own_view(collection, database)
    assert view.stored.counts == before


def test_who_answered_before_is_counted_once(database, connect) -> None:
    collection = survey("publish_at = 1", f"closes = {LATER.isoformat()}")
    old = survey("publish_at = 1", f"closes = {LATER.isoformat()}")
    former = fingerprint({**old.definition(), **timed(None, LATER)})
    vars(collection)["fingerprint"] = former  # as a client of 0.1 has computed it
    device = Client(collection, clock=at(NOW))
    answers = {"brand": "iyemon", "place": "home"}
    first = device.answer(answers)
    fresh = survey("publish_at = 1", f"closes = {LATER.isoformat()}")
    with Store(database, [fresh], clock=at(NOW)) as store:
        store.add(fresh.fingerprint, bytes.fromhex(first.id), first.payload).result()
    assert as_before(database, fresh, None, LATER) == former
    with BackgroundCollector([fresh], database, clock=at(NOW)) as running:
        told = Collection.from_compiled(connect(running.url).get("/api/collections/tea").json)
        again = Client(told, device._memo, clock=at(NOW))
        again.send(again.answer(answers), running.url)
        assert again.spent == 2
    assert own_view(fresh, database).stored.n == 1


# -- a running collector -----------------------------------------------------------------------


def stage(api) -> str:
    """Return what everybody sees of the stage: of the list, the document and the intake."""
    listed = api.get("/api/collections").json["collections"]
    answer = api.get("/api/collections/tea")
    parts = [f"/api/collections/tea{one}" for one in ("", "/results", "/counts", "/versions")]
    told = {api.get(path).status for path in ("/tea", "/tea/results", *parts)}
    if told != {answer.status} or bool(listed) != (answer.status == 200):
        return "changing"
    if answer.status != 200:
        return {404: "unseen", 410: "deleted"}[answer.status]
    return "closed" if answer.json.get("life", {}).get("closed") else "seen"


def post(api, collection: Collection, number: int = 1, report_id: bytes = b"") -> int:
    ids = [report_id or os.urandom(16) for _ in range(number)]
    reports = [{"id": one.hex(), "report": "AQE"} for one in ids]
    return int(api.send({"fingerprint": collection.fingerprint, "reports": reports}).status)


def test_a_running_collector_sees_each_command(place, connect) -> None:
    draft = survey("draft = true", "publish_at = 2")
    with BackgroundCollector([draft], place) as running:
        api = connect(running.url)
        assert (stage(api), post(api, draft)) == ("unseen", 404)
        change_life("tea", place, "publish")
        eventually(lambda: stage(api) == "seen")
        assert post(api, draft, 2) == 202
        eventually(lambda: api.get("/api/collections/tea/results").json["n"] == 2)
        change_life("tea", place, "close")
        assert post(api, draft) == 403  # at once: the store itself asks
        eventually(lambda: stage(api) == "closed")
        eventually(lambda: api.get("/api/collections/tea/results").json["publication"]["last"])
        told = api.get("/api/collections/tea/results").json
        assert told["closes"] == api.get("/api/collections/tea").json["life"]["closes"]
        until = datetime.now(UTC).replace(microsecond=0) + DAY
        change_life("tea", place, "extend", until)
        eventually(lambda: stage(api) == "seen")
        assert post(api, draft) == 202
        eventually(lambda: not api.get("/api/collections/tea/results").json["publication"]["last"])
        told = api.get("/api/collections/tea/results").json
        assert told["n"] == 2
        assert told["closes"] == until.isoformat().replace("+00:00", "Z")
        change_life("tea", place, "close")
        eventually(lambda: stage(api) == "closed")
        changed = change_life("tea", place, "delete")
        assert changed.deleted == {"reports": 3, "invites": 0}
        eventually(lambda: stage(api) == "deleted")
        assert post(api, draft) == 410
    with BackgroundCollector([draft], place) as running:
        assert stage(connect(running.url)) == "deleted"


def test_two_publications_of_any_life_differ_by_a_step(database) -> None:
    """All orders of reports, ends and openings: whole steps, or nothing."""
    clock, until = at(NOW), LATER
    for number, (rule, *acts) in enumerate(
        product(("", 'publish = "end"'), (0, 1, 4, 5), (0, 1, 4, 5), (0, 5))
    ):
        lines = [rule, "publish_at = 5", f"closes = {LATER.isoformat()}"]
        collection = survey(*lines)
        seen = [0]
        with Store(database.with_name(f"{number}.sqlite3"), [collection], clock=clock) as store:
            own = collection.fingerprint
            for reports in acts:
                if reports:
                    store.add(own, os.urandom(16 * reports), bytes(2 * reports)).result()
                seen.append(store.public(own).n)
                change_life("tea", store._path, "close", clock=clock)
                assert store.settle(own, NOW).result().state == "closed"
                seen.append(store.public(own).n)
                change_life("tea", store._path, "open", until, clock=clock)
                store.settle(own, NOW).result()
                seen.append(store.public(own).n)
        steps = [b - a for a, b in pairwise(seen)]
        assert all(one == 0 or one >= 5 for one in steps), (rule, acts, seen)
        assert seen[-1] + 4 >= sum(acts)


def test_versions_stay_visible(place, connect) -> None:
    first = survey("publish_at = 1")
    second = replace(first, epsilon_cap=first.epsilon_cap + Fraction(1))
    draft = replace(first, epsilon_cap=first.epsilon_cap + Fraction(2), draft=True)
    short = first.fingerprint[:16]
    with open_store(place, [first]) as store:
        store.add(first.fingerprint, os.urandom(16), b"\1\1").result()
    with open_store(place, [draft]):
        pass
    with BackgroundCollector([second], place) as running:
        api = connect(running.url)
        assert post(api, first) == 409
        assert post(api, second, 2) == 202
        eventually(lambda: api.n() == 2)
        listed = api.get("/api/collections/tea/versions").json["versions"]
        assert [(one["served"], one["stage"], one["n"]) for one in listed] == [
            (False, "closed", 1),
            (True, "open", 2),
        ]
        assert listed[0]["results"] == f"/tea/results?version={short}"
        old = Collection.from_compiled(api.get(f"/api/collections/tea?version={short}").json)
        assert (old.fingerprint, old.title) == (first.fingerprint, first.title)
        for version, n in ((short, 1), (first.fingerprint, 1), ("", 2), (second.fingerprint, 2)):
            told = api.get(f"/api/collections/tea/results?version={version}").json
            assert told["n"] == n
            assert api.get(f"/api/collections/tea/counts?version={version}").json["n"] == n
        assert api.get(f"/tea/results?version={short}").status == 200
        for wrong in ("0" * 16, draft.fingerprint, short[:8], "x"):
            assert api.get(f"/api/collections/tea/results?version={wrong}").status == 404
            assert api.get(f"/tea/results?version={wrong}").status == 404
    with pytest.raises(CollectionError, match="followed by another version"):
        change_life(first, place, "open")
    if "://" in place:  # another process may serve it, and would be told that it has ended
        with pytest.raises(CollectionError, match="another version has followed"):
            create_app([first], place)
        change_life(second, place, "close")
    with BackgroundCollector([first], place) as running:  # its own file is served again
        assert post(connect(running.url), first) == 202
    assert own_view(first, place).stored.n == 2
    assert own_view(second, place).standing.act == ("close" if "://" in place else "superseded")


CANARY = b"\x03\x1d" * 8


def holds(database, *some: bytes) -> bool:
    """Tell whether any file beside the database has such bytes."""
    files = [one.read_bytes() for one in database.parent.iterdir() if one.is_file()]
    return any(word in file for file in files for word in some)


def test_every_page_names_what_ended_within_a_day_by_its_fingerprint(database, connect) -> None:
    """Devices remove drafts by it; who reads the page learns no survey's name."""
    ending = replace(survey(f"closes = {NOW.isoformat()}"), name="quiet-one")
    other = replace(survey(), name="other")
    now = [NOW - DAY]

    def named(path: str) -> list[str]:
        return re.findall(r'name="sudare-ended" content="([^"]+)"', api.get(path).body.decode())

    with BackgroundCollector([ending, other], database, clock=lambda: now[0]) as running:
        api = connect(running.url)
        pages = ("/", "/other", "/other/results", "/my/reports", "/nope", "/quiet-one")
        assert [named(path) for path in pages] == [[]] * 6
        now[0] = NOW + DAY / 2
        for path in pages:
            assert named(path) == [ending.fingerprint[:16]], path
        assert "quiet-one" not in api.get("/other").body.decode()
        now[0] = NOW + DAY
        assert [named(path) for path in pages] == [[]] * 6, "no draft is that old"
        change_life("quiet-one", database, "delete", clock=lambda: now[0])
        eventually(lambda: named("/other") == [ending.fingerprint[:16]])


def test_archived_reports_are_gone_and_counts_stay(database, connect) -> None:
    """One that is sent again could not be told from a new one: nothing opens it any more."""
    collection = survey("publish_at = 1", "keep_reports_days = 2", f"closes = {NOW.isoformat()}")
    now = [NOW - DAY]
    with BackgroundCollector([collection], database, clock=lambda: now[0]) as running:
        api = connect(running.url)
        assert post(api, collection, report_id=CANARY) == 202
        before = api.get("/api/collections/tea/counts").json
        now[0] = NOW
        eventually(lambda: stage(api) == "closed")
        eventually(lambda: holds(database, CANARY))
        now[0] = NOW + 2 * DAY
        eventually(lambda: not holds(database, CANARY))
        assert api.get("/api/collections/tea/counts").json == before
        assert post(api, collection, report_id=CANARY) == 403
        for command in ("open", "extend"):
            with pytest.raises(CollectionError, match="reports are deleted"):
                change_life("tea", database, command, LATER, clock=lambda: now[0])
        now[0] = NOW - DAY
        assert post(api, collection, report_id=CANARY) == 403
    longer = survey("publish_at = 1", f"closes = {(NOW + 9 * DAY).isoformat()}")
    with BackgroundCollector([longer], database, clock=at(NOW + 3 * DAY)) as running:
        api = connect(running.url)
        assert post(api, collection, report_id=CANARY) == 403
        assert api.get("/api/collections/tea/counts").json == before
    with pytest.raises(StorageError, match="were deleted"):
        own_reports(longer, database)
    view = own_view(longer, database)
    assert (view.stored.n, view.standing.state) == (1, "archived")


@pytest.mark.parametrize("running", [True, False])
def test_deleting_is_complete(database, running: bool) -> None:
    """No page, log or inbox has an id, a count, a mark or a word of it."""
    title = "Canary of the title"
    collection = replace(survey("publish_at = 1"), title={"en": title})
    other = replace(survey(), name="other")
    store = Store(database, [collection, other])
    for name in (collection, other):
        store.add(name.fingerprint, CANARY if name is collection else bytes(16), b"\1\1").result()
    store.counts(collection.fingerprint).result()
    assert holds(database, CANARY)
    if not running:
        store.close()
    change_life("tea", database, "close")
    assert change_life("tea", database, "delete").deleted["reports"] == 1
    assert not holds(database, CANARY, title.encode())
    if running:
        assert store.recount(other.fingerprint).result()[0].n == 1
        assert store.ready
        store.close()
    assert not holds(database, CANARY, title.encode())
    with closing(sqlite3.connect(database)) as file:
        for table in ("report", "tally", "public", "earlier", "step", "invite", "secret"):
            rows = file.execute(f"SELECT collection FROM {table}").fetchall()
            assert (1,) not in rows
    with pytest.raises(CollectionError, match="it is deleted"):
        change_life("tea", database, "delete")


def test_invites_are_deleted_too(place) -> None:
    asked = survey('admission = "invited"')
    issue_invites(asked, place, 3)
    with pytest.raises(CollectionError, match="never served"):
        change_life(asked, place, "close")
    with open_store(place, [asked]):
        pass
    change_life("tea", place, "close")
    assert change_life("tea", place, "delete").deleted == {"reports": 0, "invites": 3}


# -- kills -------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from sudare.collector import change_life, erasing, lifecycle_table, schema
step = int(sys.argv[3])
done = 0
def dying(work):
    def run(*some, **more):
        global done
        if done == step:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        return work(*some, **more)
    return run
erasing.SLICE = 2
erasing.erase_slice = dying(erasing.erase_slice)
lifecycle_table.append = dying(lifecycle_table.append)
schema.truncate_log = dying(schema.truncate_log)
change_life("tea", sys.argv[1], sys.argv[2])
"""


@pytest.mark.parametrize(
    "step", [0, 5, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 2, 3, 4, 6, 7))]
)
def test_a_deletion_that_is_killed_is_taken_up_again(database, step: int) -> None:
    collection = survey("publish_at = 1")
    with Store(database, [collection]) as store:
        store.add(collection.fingerprint, os.urandom(16 * 6) + CANARY, bytes(14)).result()
    change_life("tea", database, "close")
    dead = subprocess.run([sys.executable, "-c", KILLED, str(database), "delete", str(step)])
    if dead.returncode == 0:
        assert step > 5
        return
    assert dead.returncode == -signal.SIGKILL
    state = own_view(collection, database).standing.state
    assert state == ("closed" if step == 0 else "deleted")
    if state == "deleted" and step % 2:
        with BackgroundCollector([collection], database):  # a collector goes on with it, too
            eventually(lambda: not holds(database, CANARY))
        return
    with contextlib.suppress(CollectionError):  # it had deleted everything: the log was left
        change_life("tea", database, "delete")
    assert not holds(database, CANARY)


def test_a_killed_collector_leaves_an_inbox_that_is_emptied(database, tmp_path) -> None:
    collection = survey("publish_at = 1000")
    text = (
        "import os, signal, sys; from sudare.collector import Store; "
        "from sudare.collection import Collection; "
        "c = Collection.from_toml(sys.argv[2]); s = Store(sys.argv[1], [c], idle=60.0); "
        f"s.add(c.fingerprint, {CANARY!r}, bytes(2)).result(); os.kill(os.getpid(), 9)"
    )
    toml = HEAD + "publish_at = 1000\n" + QUESTIONS
    subprocess.run([sys.executable, "-c", text, str(database), toml], check=False)
    assert holds(database, CANARY)
    change_life(collection, database, "close")
    change_life(collection, database, "delete")
    assert not holds(database, CANARY)
    with Store(database, [collection]) as store:
        assert store.counts(collection.fingerprint).result()[0].n == 0


# -- the commands ------------------------------------------------------------------------------


def test_commands_say_where_it_stands(place, tmp_path, capsys) -> None:
    from sudare.cli.main import main
    from sudare.operators.names import command_line

    file = tmp_path / "tea.toml"
    file.write_text(HEAD + "draft = true\n" + QUESTIONS, "utf-8")
    own = ["--database", place]
    assert main(["publish", str(file), *own]) == 0
    assert "tea is open, without an end" in capsys.readouterr().out
    assert main(["extend", "tea", "--until", "2099-01-01T00:00:00+09:00", "--json", *own]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["stage"], told["closes"]) == ("open", "2098-12-31T15:00:00Z")
    assert [one["act"] for one in told["history"]] == ["created", "publish", "extend"]
    assert main(["delete", "tea", "--yes", *own]) == 2
    assert "close it first" in capsys.readouterr().err
    assert main(["close", "tea", *own]) == 0
    assert "tea is closed since" in capsys.readouterr().out
    assert main(["open", "tea", "--until", "soon", *own]) == 2
    assert main(["open", "tea", "--until", "2001-01-01T00:00:00Z", *own]) == 2
    assert "--until must be a moment to come" in capsys.readouterr().err
    assert main(["delete", "tea", *own]) == 2
    assert "--yes must be given" in capsys.readouterr().err
    assert main(["delete", "tea", "--yes", *own]) == 0
    assert "backups" in capsys.readouterr().out
    assert lifecycle_commands.PATIENCE > 5
    assert main(["audit", "--limit", "8", "--json", *own]) == 0
    acts = json.loads(capsys.readouterr().out)["entries"][::-1]
    end = {"until": "2098-12-31T15:00:00Z"}
    past = {"until": "2001-01-01T00:00:00Z"}
    refused = ("refused", {"refused": "CollectionError"})  # too early; no moment to come
    assert [(one["act"], one["detail"]) for one in acts] == [
        ("publish", {}), ("extend", end), ("delete", {}), refused, ("close", {}),
        ("open", past), refused, ("delete", {}),
    ]  # fmt: skip
    assert {(one["who"], one["collection"]) for one in acts} == {(command_line(), "tea")}
    assert {one["via"] for one in acts} == {"command line"}
