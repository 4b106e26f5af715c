"""Ledgers of earlier and later versions, and who may read the file of one."""

from __future__ import annotations

import json
import os
import stat
from fractions import Fraction
from pathlib import Path

import pytest
import sqlalchemy as sa
import version_1

import sudare as sd
from sudare.ledger import Cost, Ledger, Tokens, check_events, tables

MEAN = json.loads(version_1.ROWS["sudare_event"][2]["body"])["query"]
REPLACED = "replace-one: one row may be others"


def run(where: str, text: str) -> None:
    own = version_1.engine(where)
    with own.begin() as connection:
        connection.execute(sa.text(text))
    own.dispose()


def test_a_ledger_of_the_first_version_keeps_everything(where: str) -> None:
    version_1.build(where)
    for _ in range(2):  # the first opening migrates
        with Ledger(where) as ledger:
            events = ledger.events()
            assert [{**one, "body": json.dumps(one["body"], sort_keys=True)} for one in events] == [
                {
                    **{key: row[key] for key in ("number", "kind", "at", "link")},
                    "body": json.dumps(json.loads(row["body"]), sort_keys=True),
                }
                for row in version_1.ROWS["sudare_event"]
            ]
            spent = {"scores": Fraction(13, 30), "ann": Fraction(1, 200)}
            assert check_events(events) == spent
            assert {one.name: one.spent for one in ledger.accounts()} == spent
            assert {one.neighbours for one in ledger.accounts()} == {REPLACED}, "as it has paid"
            tokens = Tokens(ledger)
            assert [one.revoked for one in tokens.all()] == [True, False]
            found = tokens.find(version_1.SECRET)
            assert found is not None
            assert found.scopes == ("query:scores",)
    with Ledger(where) as ledger:
        tenth = Cost.of(epsilon=0.1)
        known = ledger.pay(["scores", "ann"], tenth, MEAN, lambda: [0], reuse=True)
        assert (known.answer, known.reused, known.event) == ([12345], True, 3)
        other = {**MEAN, "neighbours": "add-remove: one row may be there or not"}
        for name in ("scores", "ann"):
            with pytest.raises(sd.PrivacyError, match="pays for answers that protect"):
                ledger.pay([name], Cost.of(epsilon=0.01), other, lambda: [2])
        paid = ledger.pay(["scores"], tenth, MEAN, lambda: [1], key="a")
        assert paid.event == 9
        assert ledger.account("scores").neighbours == REPLACED
        assert check_events(ledger.events())["scores"] == Fraction(8, 15)


def test_a_newer_version_is_left_alone(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=1)
    with Ledger(where) as ledger:
        assert ledger.account("survey").budget == 1
    run(where, f"UPDATE sudare_meta SET value = '{tables.VERSION + 1}' WHERE name = 'version'")
    with pytest.raises(sd.StorageError, match=f"version {tables.VERSION + 1}; use the version"):
        Ledger(where)
    run(where, f"UPDATE sudare_meta SET value = '{tables.VERSION}' WHERE name = 'version'")
    with Ledger(where) as ledger:
        assert ledger.account("survey").budget == 1


def modes(path: Path) -> set[int]:
    return {stat.S_IMODE(one.stat().st_mode) for one in path.parent.glob(path.name + "*")}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        for name in ("new.db", "old.db"):
            path = tmp_path / name
            if name == "old.db":
                version_1.build(str(path))
                assert modes(path) == {0o644}
            with Ledger(path) as ledger:
                ledger.open("survey", epsilon=1)
                assert len(list(tmp_path.glob(name + "*"))) == 3, "with -wal and -shm"
                assert modes(path) == {0o600}
        os.chmod(path, 0o640)  # on purpose, later: it stays
        with Ledger(path):
            assert modes(path) == {0o640}
    finally:
        os.umask(before)
