"""One file that holds everything, made beside a collector that runs, and put back."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import time

import pytest
from invited import SHELF, entry
from teas import TEA

from sudare.cli import main
from sudare.collection import Collection
from sudare.collector import Store, count_invites, issue_invites, own_view
from sudare.collector.backup import back_up, restore
from sudare.collector.operator_api.opening import open_register
from sudare.errors import StorageError
from sudare.operators import Sessions, Tokens


def test_a_copy_of_a_running_collector_has_what_is_folded_and_what_is_not(tea, database, tmp_path):
    codes, copy = issue_invites(SHELF, database, 3), tmp_path / "copy.sqlite3"
    with Store(database, [tea, SHELF], idle=60) as store:
        store.add(tea.fingerprint, os.urandom(16 * 50), b"\x02\x05" * 50).result()
        store.counts(tea.fingerprint).result()  # folded
        store._book(tea.fingerprint).stepping = store._book(SHELF.fingerprint).stepping = True
        store.add(tea.fingerprint, os.urandom(16 * 7), b"\x02\x05" * 7).result()
        spent = entry(store, codes[0])
        store.add(*spent).result()
        assert back_up(database, copy) == 58
        assert not list(tmp_path.glob("copy.sqlite3-*"))
        store.add(tea.fingerprint, os.urandom(16), b"\x02\x05").result()  # after it
        assert own_view(tea, copy).stored.n == 57
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    back = tmp_path / "back.sqlite3"
    restore(copy, back)
    assert count_invites(SHELF, back) == (3, 1)
    with Store(back, [tea, SHELF]) as store:
        counts = store.counts(tea.fingerprint).result()
        assert counts[0].n == 57
        assert store.recount(tea.fingerprint).result() == counts
        store.add(*spent).result()  # the same report again
        assert store.counts(SHELF.fingerprint).result()[0].n == 1
        assert store.ready


def test_copies_lose_nothing_while_reports_come_and_are_folded(tea, database, tmp_path):
    sent = 0
    with Store(database, [tea], idle=0.001) as store:
        for number in range(12):
            for _ in range(5):
                added = store.add(tea.fingerprint, os.urandom(16 * 9), b"\x02\x05" * 9)
            added.result()
            sent += 45
            back_up(database, tmp_path / f"{number}.sqlite3")
            assert own_view(tea, tmp_path / f"{number}.sqlite3").stored.n == sent


def test_what_is_in_the_way_or_not_whole_is_refused(tea, database, tmp_path, capsys):
    copy = tmp_path / "copy.sqlite3"
    with pytest.raises(StorageError):
        back_up(database, copy)
    assert not copy.exists()
    with Store(database, [tea], idle=0.01):
        assert back_up(database, copy) == 0
        with pytest.raises(StorageError, match="must be free"):
            back_up(database, copy)
        with pytest.raises(StorageError, match="one process at a time"):
            restore(copy, database)
        half = tmp_path / "half.sqlite3"
        log, deadline = database.with_name(database.name + "-wal"), time.monotonic() + 60
        while log.stat().st_size:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        shutil.copy(database, half)
        with pytest.raises(StorageError, match="whole"):
            restore(half, tmp_path / "other.sqlite3")
    with pytest.raises(StorageError, match="must be free"):
        restore(copy, database)
    (tmp_path / "other.sqlite3-inbox").touch()
    with pytest.raises(StorageError, match="must be free"):
        restore(copy, tmp_path / "other.sqlite3")
    text = tmp_path / "text"
    text.write_text("not a database, but long enough to have a header of one" * 9)
    empty, foreign = tmp_path / "empty", tmp_path / "foreign"
    empty.touch()
    with contextlib.closing(sqlite3.connect(foreign)) as file:
        file.execute("CREATE TABLE other (x)")
    for wrong in (text, tmp_path / "absent", empty, foreign):
        with pytest.raises(StorageError, match=r"^backup must be a collector's file"):
            restore(wrong, tmp_path / "third.sqlite3")
        assert not (tmp_path / "third.sqlite3").exists()
    assert not (tmp_path / "other.sqlite3").exists()
    assert main(["backup", "--database", str(text), "--out", str(tmp_path / "no")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_commands(database, tmp_path, capsys):
    tea = Collection.from_toml(TEA)
    with Store(database, [tea]) as store:
        store.add(tea.fingerprint, os.urandom(16), b"\x02\x05").result()
        given = ["backup", "--database", str(database), "--out", str(tmp_path / "copy")]
        assert main(given) == 0
    assert "1 report," in capsys.readouterr().out
    assert main(["restore", str(tmp_path / "copy"), "--database", str(tmp_path / "new")]) == 0
    assert "can be served" in capsys.readouterr().out
    assert main(["audit", "--database", str(tmp_path / "new"), "--json"]) == 0
    acts = [one["act"] for one in json.loads(capsys.readouterr().out)["entries"]]
    assert acts == ["restore", "backup"], "the copy tells that it was made"


def test_no_session_and_no_token_lives_again_in_a_copy(tea, database, tmp_path, capsys):
    """What was ended since it was made; what is made after it was put back stays."""
    with Store(database, [tea]):
        pass
    names = ("kept", "revoked later")
    with open_register(database) as register:
        tokens, sessions = Tokens(register), Sessions(register)
        secrets = [tokens.issue(name, ["admin"]) for name in names]
        cookie, session = sessions.begin(tokens.check(secrets[0]), secure=True)
        back_up(database, tmp_path / "copy")
        shutil.copy(tmp_path / "copy", tmp_path / "by hand")
        sessions.end(session.id)
        tokens.revoke(tokens.id_of(secrets[1]))
        assert tokens.check(secrets[0]), "the database itself loses nothing"
    new = tmp_path / "new"
    assert main(["restore", str(tmp_path / "copy"), "--database", str(new)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "sessions have ended and their tokens are revoked: sudare token new NAME" in told
    assert main(["token", "new", "kept", "--database", str(new)]) == 0
    made = capsys.readouterr().out.strip()
    for place in (new, tmp_path / "by hand"):
        for start in range(3):
            if start or place != new:
                with Store(place, [tea]):  # by hand, the first start knows it for a copy
                    pass
            with open_register(place) as register:
                tokens = Tokens(register)
                assert not Sessions(register).find(cookie, secure=True)
                assert Sessions(register).all() == []
                assert not any(map(tokens.check, secrets)), (place, start)
                assert bool(tokens.check(made)) == (place == new)


def test_a_database_that_was_moved_ends_sessions_and_keeps_tokens(tea, database, tmp_path, caplog):
    """It may be an older one: a session costs one sign-in."""
    with Store(database, [tea]):
        pass
    with open_register(database) as register:
        tokens = Tokens(register)
        secret = tokens.issue("ann", ["admin"])
        rights = tokens.check(secret)
        cookie, session = Sessions(register).begin(rights, secure=True)
        made = tokens.issue("made", ["read"], None, session.expires, session=session.id)
    with Store(database, [tea]), open_register(database) as register:
        assert Sessions(register).find(cookie, secure=True), "the same database"
    for ending in ("", "-anchor"):
        shutil.copy(f"{database}{ending}", f"{tmp_path / 'moved'}{ending}")
    with Store(tmp_path / "moved", [tea]), open_register(tmp_path / "moved") as register:
        assert not Sessions(register).find(cookie, secure=True)
        assert Tokens(register).check(secret)
        assert not Tokens(register).check(made), "it ends with its session"
    assert "operators' sessions have ended" in caplog.text
