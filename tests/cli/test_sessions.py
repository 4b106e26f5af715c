"""``sudare sessions``: who has signed in, and ending it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sudare.cli.main import main
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Audit, Grant, People, Sessions, Tokens


def test_sessions_are_listed_and_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people = People("https://id.example", "sub", "groups", (Grant.read("boss: admin"),))
    ann = people.person({"sub": "7", "groups": ["boss"]})
    with open_register("sudare.sqlite3") as register:
        sessions, tokens = Sessions(register, people=people), Tokens(register)
        bob = tokens.check(tokens.issue("bob", ["run"], ["tea"]))
        assert bob is not None
        cookies = [sessions.begin(people.rights(ann), secure=True, person=ann)[0] for _ in "12"]
        cookies += [sessions.begin(bob, secure=True)[0] for _ in "123"]
        ids = [one.partition("_")[0] for one in cookies]

        def told(*words: str) -> object:
            assert main(["sessions", *words, "--json"]) == 0
            return json.loads(capsys.readouterr().out)

        def left() -> list[str]:
            return [one for one in ids if one in {each.id for each in sessions.all()}]

        listed = {one["id"]: one for one in told("list")["sessions"]}
        assert set(listed) == set(ids)
        first, last = listed[ids[0]], listed[ids[-1]]
        assert (first["name"], first["issuer"], first["subject"], first["token"]) == (
            "7", "https://id.example", "7", None,
        )  # fmt: skip
        assert (last["name"], last["collections"], last["token"]) == ("bob", ["tea"], bob.token)
        assert main(["sessions", "list"]) == 0
        assert "bob" in capsys.readouterr().out
        assert told("end", ids[2]) == {"ended": [ids[2]]}
        assert left() == [*ids[:2], *ids[3:]]
        assert sorted(told("end", "--name", "\uff17 ")["ended"]) == sorted(ids[:2])
        assert left() == ids[3:]
        assert main(["sessions", "end", "--all"]) == 0
        assert "has ended" in capsys.readouterr().out
        assert left() == []
        assert [sessions.find(one, secure=True) for one in cookies] == [None] * 5
        assert [one.act for one in Audit(register).read()] == ["end session"] * 5
    assert main(["audit"]) == 0
    shown = capsys.readouterr().out
    assert "by what" in shown
    assert shown.count("command line ") >= 10, "who, and by what: a name alone proves nothing"
    for words in (["end"], ["end", "--all", "--name", "7"], ["end", ids[0], "--all"],
                  ["end", ids[0]]):  # fmt: skip
        assert main(["sessions", *words]) == 2, words
        capsys.readouterr()


def test_words_that_end_no_session_are_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_register("sudare.sqlite3") as register:
        sessions, tokens = Sessions(register), Tokens(register)
        bob = tokens.check(tokens.issue("bob", ["run"]))
        assert bob is not None
        id = sessions.begin(bob, secure=True)[0].partition("_")[0]
        one_of = "give one of id, --name and --all"
        for words, said in (
            (["--name", "nobody"], "--name must name somebody with a session, got 'nobody'"),
            (["nope"], "id must be of a session that has not ended, got 'nope'"),
            ([id, "nope"], "id must be of a session that has not ended, got 'nope'"),
            ([], one_of),
            ([id, "y", "--all"], one_of),
            (["--all", "--name", "bob"], one_of),
            (["--name", "ann", "--name", "bob"], "--name must be given once"),
        ):
            assert main(["sessions", "end", *words]) == 2, words
            assert said in capsys.readouterr().err, words
            assert len(sessions.all()) == 1, "one that is wrong ends none"
        for limit in ("0", "-5", "501", "99999999"):
            assert main(["audit", f"--limit={limit}"]) == 2
            assert "--limit must be " in capsys.readouterr().err
        assert main(["sessions", "end", "--name", "bob"]) == 0
        assert main(["sessions", "end", "--all"]) == 0, "there is none left to end"
        assert "no session" in capsys.readouterr().out
