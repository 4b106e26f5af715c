"""Sealed ledgers: one that was edited or cut short without the key answers nothing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import version_1

import sudare as sd
from sudare.ledger import Cost, Ledger, Tokens, seal
from sudare.ledger.chain import link
from tests.cases import cases

TENTH = Cost.of(epsilon=0.1)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "safe").mkdir()
    seal.write_key(tmp_path / "safe" / "ledger.key")
    return tmp_path / "safe" / "ledger.key"


def pay(ledger: Ledger, what: object) -> Any:
    return ledger.pay(["data"], TENTH, {"q": what}, lambda: 1).event


@pytest.fixture
def sealed(where: str, key: Path) -> str:
    """Return the address of a ledger with three payments, sealed from its beginning."""
    with Ledger(where, key=key) as ledger:
        ledger.open("data", epsilon=1)
        assert [pay(ledger, i) for i in range(3)] == [2, 3, 4]
    return where


def run(where: str, *texts: str) -> None:
    own = version_1.engine(where)
    with own.begin() as connection:
        for text in texts:
            connection.execute(sa.text(text))
    own.dispose()


def rows(where: str) -> list[Any]:
    own = version_1.engine(where)
    with own.begin() as connection:
        found = connection.execute(sa.text("SELECT * FROM sudare_event ORDER BY number")).all()
    own.dispose()
    return list(found)


def relinked(where: str) -> None:
    """Make all payments cheaper and write all links anew: an unbroken chain, without the key."""
    before, texts = "0" * 64, []
    for row in rows(where):
        body = row.body.replace('"0.1"', '"0.01"')
        before = link(before, row.number, row.kind, row.at, body)
        escaped = body.replace(":", "\\:")
        texts.append(
            f"UPDATE sudare_event SET body = '{escaped}', link = '{before}' "
            f"WHERE number = {row.number}"
        )
    run(where, *texts, "UPDATE sudare_account SET spent = '0.03'")


EDITS: dict[str, Callable[[str], None]] = {
    "what is spent": lambda w: run(w, "UPDATE sudare_account SET spent = '0'"),
    "a budget": lambda w: run(w, "UPDATE sudare_account SET budget = '9'"),
    "whom it protects": lambda w: run(w, "UPDATE sudare_account SET neighbours = 'all'"),
    "the last event goes": lambda w: run(w, "DELETE FROM sudare_event WHERE number = 4"),
    "the tail and its price go": lambda w: run(
        w,
        "DELETE FROM sudare_event WHERE number > 2",
        "UPDATE sudare_account SET spent = '0.1'",
    ),
    "all written anew": relinked,
    "a token": lambda w: run(
        w, "INSERT INTO sudare_token VALUES ('m', 'data', '[\"query:*\"]', NULL, false)"
    ),
    "the seal": lambda w: run(w, "UPDATE sudare_meta SET value = 'x' WHERE name = 'seal'"),
    "no seal": lambda w: run(w, "DELETE FROM sudare_meta WHERE name = 'seal'"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_ledger_answers_nothing(
    sealed: str, key: Path, edit: Callable[[str], None]
) -> None:
    with Ledger(sealed, key=key) as ledger:
        pay_tokens = Tokens(ledger)
        edit(sealed)
        for refused in (
            lambda: pay(ledger, "new"),
            lambda: ledger.set_budget("data", epsilon=5),
            lambda: pay_tokens.issue("data", ["query:*"]),
            lambda: ledger.pay(["data"], TENTH, {"q": 1}, lambda: 2, reuse=True),
        ):
            with pytest.raises(sd.StorageError, match=r"^ledger must"):
                refused()
    with pytest.raises(sd.StorageError):
        Ledger(sealed, key=key)


def keyed(ledger: Ledger, what: object, **terms: Any) -> Any:
    return ledger.pay(["data"], TENTH, {"q": what}, lambda: 1, key="k", **terms)


def forged(where: str) -> None:
    """Change an answer and write the event's own link anew, as who has not the key can."""
    before, row = rows(where)[3:5]
    body = row.body.replace('"answer":1', '"answer":999')
    anew = link(before.link, row.number, row.kind, row.at, body)
    escaped = body.replace(":", "\\:")
    run(where, f"UPDATE sudare_event SET body = '{escaped}', link = '{anew}' WHERE number = 5")


ANSWER = "UPDATE sudare_event SET body = replace(body, '\"answer\"\\:1', '\"answer\"\\:999')"
OTHER = "(SELECT e.{0} FROM sudare_event e WHERE e.number = 5) WHERE number = 3"
WITHIN: dict[str, tuple[Callable[[str], None], int]] = {
    "the answer": (lambda w: run(w, f"{ANSWER} WHERE number = 5"), 5),
    "the answer and its link": (forged, 5),
    "the query": (
        lambda w: run(
            w,
            """UPDATE sudare_event SET body = replace(body, '"mine"', '"ours"') WHERE number = 5""",
        ),
        5,
    ),
    "another's key": (
        lambda w: run(w, f"UPDATE sudare_event SET once = {OTHER.format('once')}"),
        3,
    ),
    "another's key and part": (
        lambda w: run(
            w,
            f"UPDATE sudare_event SET part = {OTHER.format('part')}",
            f"UPDATE sudare_event SET once = {OTHER.format('once')}",
        ),
        3,
    ),
    "its part": (lambda w: run(w, "UPDATE sudare_event SET part = 'x' WHERE number = 5"), 5),
    "no part": (lambda w: run(w, "UPDATE sudare_event SET part = NULL WHERE number = 5"), 5),
    "its seal": (lambda w: run(w, "UPDATE sudare_event SET seal = 'é' WHERE number = 5"), 5),
    "no seal": (lambda w: run(w, "UPDATE sudare_event SET seal = NULL WHERE number = 5"), 5),
    "the event before": (lambda w: run(w, "DELETE FROM sudare_event WHERE number = 4"), 5),
}


@pytest.mark.parametrize(("edit", "number"), WITHIN.values(), ids=WITHIN)
def test_an_edit_within_an_open_ledger_is_not_answered_from(
    sealed: str, key: Path, edit: Callable[[str], None], number: int
) -> None:
    """The end of the chain stays as it is: a payment for something else is found right."""
    with Ledger(sealed, key=key) as ledger:
        assert keyed(ledger, "mine").event == 5
        assert pay(ledger, "last") == 6
        kept = keyed(ledger, "mine")
        assert (kept.answer, kept.event, kept.reused) == (1, 5, True)
        kept = ledger.pay(["data"], TENTH, {"q": "mine"}, lambda: 2, reuse=True)
        assert (kept.answer, kept.event, kept.reused) == (1, 5, True)
        edit(sealed)
        with pytest.raises(
            sd.StorageError, match=f"^events must be whole: look at number {number}"
        ):
            keyed(ledger, "mine", reuse=True)
        spent = ledger.account("data").spent
    assert spent == Fraction(5, 10), "nothing was charged for it"
    with pytest.raises(sd.StorageError, match=r"look at number \d$"):
        Ledger(sealed, key=key)


def test_a_query_on_record_is_held_against_its_own_event(sealed: str, key: Path) -> None:
    """Also in a ledger without a key, as far as its links tell."""
    with Ledger(sealed, key=key) as ledger:
        run(sealed, f"{ANSWER} WHERE number = 3")
        with pytest.raises(sd.StorageError, match=r"number 3$"):
            ledger.pay(["data"], TENTH, {"q": 1}, lambda: 2, reuse=True)
        assert ledger.pay(["data"], TENTH, {"q": 0}, lambda: 2, reuse=True).answer == 1
        run(sealed, "UPDATE sudare_event SET query = (SELECT e.query FROM sudare_event e "
            "WHERE e.number = 4) WHERE number = 2")  # fmt: skip
        with pytest.raises(sd.StorageError, match=r"number 2$"):
            ledger.pay(["data"], TENTH, {"q": 2}, lambda: 2, reuse=True)
    run(sealed, "DELETE FROM sudare_meta WHERE name = 'seal'")
    with Ledger(sealed) as ledger, pytest.raises(sd.StorageError, match=r"number 3$"):
        ledger.pay(["data"], TENTH, {"q": 1}, lambda: 2, reuse=True)


def test_an_event_that_its_key_does_not_find_any_more_is_named_at_the_opening(
    sealed: str, key: Path
) -> None:
    """While the ledger is open it is as if it were not there: the query is paid for again."""
    with Ledger(sealed, key=key) as ledger:
        assert keyed(ledger, "mine").event == 5
        run(sealed, "UPDATE sudare_event SET once = NULL WHERE number = 5")
        again = keyed(ledger, "mine")
        assert (again.event, again.reused) == (6, False)
    with pytest.raises(sd.StorageError, match=r"number 5$"):
        Ledger(sealed, key=key)
    with Ledger(sealed, key=key, seal=True) as ledger:
        assert keyed(ledger, "mine").event == 6


ALL_SEALS_GONE = (
    ("UPDATE sudare_event SET seal = NULL",),
    (
        "ALTER TABLE sudare_event DROP COLUMN seal",
        "UPDATE sudare_meta SET value = '2' WHERE name = 'version'",
    ),
)


@pytest.mark.parametrize("edit", ALL_SEALS_GONE, ids=["emptied", "an older version"])
def test_events_without_seals_are_sealed_only_where_that_is_asked(
    sealed: str, key: Path, edit: tuple[str, ...]
) -> None:
    """Whoever takes all seals away gets none made anew: not by an opening."""
    with Ledger(sealed, key=key) as ledger:
        assert keyed(ledger, "mine").event == 5
    before = rows(sealed)
    run(sealed, *edit)
    for _ in range(2):
        with pytest.raises(sd.StorageError, match=r"number 1$"):
            Ledger(sealed, key=key)
    for anew in (True, False):
        with Ledger(sealed, key=key, seal=anew) as ledger:
            assert keyed(ledger, "mine").reused
            assert ledger.pay(["data"], TENTH, {"q": 0}, lambda: 2, reuse=True).answer == 1
    assert rows(sealed) == before
    assert all(row.seal for row in before)


def test_an_edit_within_is_found_at_the_next_opening(sealed: str, key: Path) -> None:
    """The chain shows it; a payment looks at its end alone."""
    run(sealed, "UPDATE sudare_event SET body = '{}' WHERE number = 3")
    with pytest.raises(sd.StorageError, match=r"number 3$"):
        Ledger(sealed, key=key)


def test_an_older_copy_is_refused(tmp_path: Path, key: Path) -> None:
    """The whole file of a moment ago, with its seal: the anchor has seen a later one."""
    path = tmp_path / "ledger.db"
    with Ledger(path, key=key) as ledger:
        ledger.open("data", epsilon=1)
        pay(ledger, 1)
    shutil.copy(path, tmp_path / "copy.db")
    anchor = key.with_name("ledger.key.anchor")
    old = anchor.read_text()
    with Ledger(path, key=key) as ledger:
        pay(ledger, 2)
    late = anchor.read_text()
    shutil.copy(tmp_path / "copy.db", path)
    with pytest.raises(sd.StorageError, match="all 3 events of its anchor"):
        Ledger(path, key=key)
    anchor.write_text(old)  # an older copy of both: not found, and the docs say so
    with Ledger(path, key=key) as ledger:
        assert pay(ledger, 3) == 3
    anchor.write_text(late)  # another past with as many events
    with pytest.raises(sd.StorageError, match="events of its anchor"):
        Ledger(path, key=key)


def test_a_process_that_ends_before_its_anchor_is_written(sealed: str, key: Path) -> None:
    anchor = key.with_name("ledger.key.anchor")
    behind = anchor.read_text()
    with Ledger(sealed, key=key) as ledger:
        pay(ledger, "late")
    anchor.write_text(behind)
    with Ledger(sealed, key=key) as ledger:
        assert json.loads(anchor.read_text())["number"] == 5
        assert pay(ledger, "later") == 6
    for bad in (
        "",
        "{}",
        "[]",
        '{"number": 1, "seal": "x", "mark": "y"}',
        behind.replace("4", "1"),
    ):
        anchor.write_text(bad)
        with pytest.raises(sd.StorageError, match=r"^anchor"):
            Ledger(sealed, key=key)
    anchor.unlink()
    with pytest.raises(sd.StorageError, match="bring it back"):
        Ledger(sealed, key=key)
    with Ledger(sealed, key=key, seal=True) as ledger:
        assert pay(ledger, "after a look") == 7


def test_the_key_is_needed_and_nowhere(
    sealed: str, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = key.read_text().strip()
    with pytest.raises(sd.StorageError, match="is sealed; give its key"):
        Ledger(sealed)
    other = tmp_path / "other.key"
    seal.write_key(other)
    anchor = key.with_name("ledger.key.anchor")
    with pytest.raises(sd.StorageError, match="under this key"):
        Ledger(sealed, key=other, anchor=anchor)
    with Ledger(sealed, key=secret.encode(), anchor=anchor) as ledger:
        assert pay(ledger, "bytes") == 5
        assert secret not in repr(ledger._seal)
        with ledger.reading() as opened:
            assert secret not in repr([opened.rows(), opened.meta("seal")])
        assert secret not in json.dumps(ledger.events()) + anchor.read_text()
    monkeypatch.setenv(seal.KEY, secret)
    with pytest.raises(sd.WrongTypeError, match=seal.ANCHOR):
        Ledger(sealed)
    monkeypatch.setenv(seal.ANCHOR, str(anchor))
    with Ledger(sealed) as ledger:
        assert pay(ledger, "environment") == 6
    if os.name == "posix":
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    with pytest.raises(sd.StorageError, match="new file"):
        seal.write_key(key)


def test_a_ledger_that_is_there_is_sealed_when_that_is_asked(where: str, key: Path) -> None:
    version_1.build(where)
    with pytest.raises(sd.StorageError, match="sudare ledger seal"):
        Ledger(where, key=key)
    with Ledger(where) as other:
        run(where, "UPDATE sudare_account SET spent = '0.1' WHERE name = 'scores'")
        with pytest.raises(sd.StorageError, match="what its events say"):
            Ledger(where, key=key, seal=True)
        run(where, "UPDATE sudare_account SET spent = '13/30' WHERE name = 'scores'")
        with Ledger(where, key=key, seal=True) as ledger:
            assert ledger.account("scores").spent == Fraction(13, 30)
        with pytest.raises(sd.StorageError, match="is sealed"):
            other.pay(["scores"], TENTH, {"q": 1}, lambda: 1)
    with Ledger(where, key=key) as ledger, Ledger(where, key=key) as second:
        for i in range(3):
            for one in (ledger, second):
                one.pay(["scores"], TENTH, {"q": i}, lambda: 1)
        assert ledger.account("scores").spent == Fraction(13, 30) + Fraction(6, 10)


@cases(
    "key, anchor",
    [(b"short", "a"), (b"x" * 16, None), (5, "a"), ("nowhere.key", None), (b"x" * 16, 5),
     (None, "a"), (b"x" * 16, "no/folder/a")])  # fmt: skip
def test_bad_keys_and_anchors(tmp_path: Path, key: Any, anchor: Any) -> None:
    if isinstance(anchor, str):
        anchor = tmp_path / anchor
    with pytest.raises(sd.SudareError):
        Ledger(tmp_path / "ledger.db", key=key, anchor=anchor)
    with pytest.raises(sd.DomainError, match="needs a key"):
        Ledger(tmp_path / "ledger.db", seal=True)


def test_the_seal_is_an_hmac_of_what_payments_depend_on(tmp_path: Path) -> None:
    """Worked out again from the definition, with nothing of the module."""
    import hmac

    key = b"0123456789abcdef"
    with Ledger(tmp_path / "l.db", key=key, anchor=tmp_path / "a") as ledger:
        ledger.open("data", epsilon=1)
        last = ledger.events()[-1]["link"]
        with ledger.reading() as opened:
            head = opened.meta("seal")
    parts = ["ledger", 1, last, [["data", "epsilon", "1.0", "0", None]], []]
    text = json.dumps(parts, separators=(",", ":")).encode()
    assert head == hmac.new(key, text, hashlib.sha256).hexdigest()


def test_a_query_that_is_found_by_the_mark_of_another_is_named(sealed: str, key: Path) -> None:
    run(
        sealed,
        "UPDATE sudare_event SET query = (SELECT e.query FROM sudare_event e WHERE e.number = 4) "
        "WHERE number = 3",
    )
    with pytest.raises(sd.StorageError, match="look at number 3"):
        Ledger(sealed, key=key)


@pytest.mark.parametrize("edit", ["budget = '2.0'", "spent = '0.2'"])
def test_accounts_are_sealed_anew_as_their_events_have_them(
    sealed: str, key: Path, edit: str
) -> None:
    key.with_name("ledger.key.anchor").unlink()
    run(sealed, f"UPDATE sudare_account SET {edit}")
    with pytest.raises(sd.StorageError, match="what its events say"):
        Ledger(sealed, key=key, seal=True)


def test_without_a_key_a_query_is_not_answered_from_another_event(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("data", epsilon=1)
        assert [pay(ledger, 1), keyed(ledger, 2).event] == [2, 3]
        for name in ("query", "once", "part"):
            run(
                where,
                f"UPDATE sudare_event SET {name} = "
                f"(SELECT e.{name} FROM sudare_event e WHERE e.number = 3) WHERE number = 2",
            )
        with pytest.raises(sd.StorageError, match=r"number 2$"):
            ledger.pay(["data"], TENTH, {"q": 2}, lambda: 2, reuse=True)
        with pytest.raises(sd.StorageError, match=r"number 2$"):
            keyed(ledger, 2)
