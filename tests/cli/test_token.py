"""``sudare token``, ``audit`` and ``visibility``: the first token, what it is told, who sees."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import pytest

from sudare.cli.main import main
from sudare.collection import Collection
from sudare.collection.drafting import draft
from sudare.collector import Store
from sudare.collector.operator_api.opening import begun, open_register
from sudare.operators import SCOPES, Tokens


def test_the_first_token_is_made_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert begun("sudare.sqlite3") is None
    assert main(["serve"]) == 2
    assert "make a token" in capsys.readouterr().err
    assert main(["token", "new", "ann"]) == 0
    secret = capsys.readouterr().out.strip()
    assert begun("sudare.sqlite3") is not None
    with open_register("sudare.sqlite3") as register:
        rights = Tokens(register).check(secret)
    assert rights is not None
    assert (rights.name, rights.scopes) == ("ann", SCOPES)
    words = ["token", "new", "bob", "--scope", "export", "--collection", "tea", "--json"]
    assert main([*words, "--expires", "2126-01-01T00:00:00+09:00"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert main(["token", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["tokens"]
    ann, bob = sorted(told, key=lambda one: str(one["name"]))
    assert (bob["id"], bob["collections"]) == (made["id"], ["tea"])
    assert bob["scopes"] == ["read", "export"]
    assert (bob["expires"], bob["used"]) == ("2125-12-31T15:00:00Z", None)
    assert ann["used"].endswith(":00:00Z")
    assert main(["token", "list"]) == 0
    assert "bob" in capsys.readouterr().out
    assert main(["token", "revoke", made["id"]]) == 0
    assert "revoked" in capsys.readouterr().out
    assert main(["token", "revoke", made["id"]]) == 2
    assert "is not known" in capsys.readouterr().err
    assert main(["token", "new", "ann"]) == 2
    capsys.readouterr()
    assert main(["audit", "--limit", "1", "--json"]) == 0
    out = capsys.readouterr().out
    (last,) = json.loads(out)["entries"]
    assert (last["act"], last["who"]) == (
        "revoke token",
        f"command line ({pwd.getpwuid(os.getuid()).pw_name})",
    )
    assert main(["audit"]) == 0
    shown = capsys.readouterr().out
    assert "new token" in shown
    assert secret not in shown + out


def test_visibility_is_of_a_collection_that_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "tea.sqlite3"
    with Store(database, [Collection.from_toml(draft("tea", ["choice"]))]):
        pass
    words = ["visibility", "tea", "private", "--database", str(database)]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"name": "tea", "visibility": "private"}
    known = begun(database)
    assert known is not None
    assert known.visibilities == {"tea": "private"}
    assert main(words) == 0
    words[1] = "tee"
    assert main(words) == 2
    assert "must be one that this database holds" in capsys.readouterr().err


def test_a_database_that_is_not_there_is_made_by_a_new_token_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey, missing, empty = (tmp_path / one for one in ("tea.toml", "typo.sqlite3", "empty"))
    survey.write_text(draft("tea", ["choice"]), "utf-8")
    empty.touch()
    for database in (missing, empty):
        for words in (
            *(["sessions", "list"], ["sessions", "end", "--all"], ["audit"], ["token", "list"]),
            *(["token", "revoke", "x"], ["close", "tea"], ["close", str(survey)]),
            *(["open", str(survey)], ["publish", "tea"], ["delete", "tea", "--yes"]),
            ["extend", "tea", "--until", "2030-01-01T00:00:00Z"],
            *(["visibility", "tea", "private"], ["export", str(survey), "--out", "x.csv"]),
            *(["results", str(survey)], ["backup", "--out", str(tmp_path / "copy")]),
        ):
            assert main([*words, "--database", str(database)]) == 2, words
            said = capsys.readouterr().err
            assert "database must be a collector's file" in said, (words, said)
            assert empty.read_bytes() == b""
    assert sorted(tmp_path.iterdir()) == sorted([empty, survey])
    assert main(["token", "new", "ann", "--database", str(missing)]) == 0
    assert main(["token", "list", "--database", str(missing)]) == 0
