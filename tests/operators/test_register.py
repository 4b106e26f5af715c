"""Tokens, sessions, the record of acts: in SQLite and in PostgreSQL."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.operators import (
    SCOPES,
    Audit,
    Failures,
    Flows,
    Grant,
    People,
    Person,
    Register,
    Rights,
    Sessions,
    Texts,
    Tokens,
    tables,
)
from sudare.operators.audit import ACTS, VIA
from sudare.operators.credentials import Credential
from sudare.operators.names import command_line, is_reserved
from tests.cases import cases

NOW = datetime(2026, 6, 1, 12, 34, 56, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def register(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Register]:
    if request.param == "sqlite":
        where = str(tmp_path / "operators.db")
    else:
        where = f"{request.getfixturevalue('postgres')}/postgres"
    with Register(where) as opened:
        tables.METADATA.drop_all(opened._engine)  # a command of another test has made them
        yield opened
        tables.METADATA.drop_all(opened._engine)


def files(register: Register, request: pytest.FixtureRequest) -> bytes:
    """Return every byte of the database but PostgreSQL's log, which nothing reaches."""
    if register._engine.dialect.name == "sqlite":
        name = Path(register._engine.url.database)
        return b"".join(path.read_bytes() for path in name.parent.glob(name.name + "*"))
    with register._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as admin:
        admin.exec_driver_sql("CHECKPOINT")
    base = request.getfixturevalue("cluster").data / "base"
    return b"".join(path.read_bytes() for path in base.glob("[5-9]*/*") if path.is_file())


def test_a_draft_that_is_gone_is_in_no_file(
    register: Register, request: pytest.FixtureRequest
) -> None:
    """Short ones and such that take pages of their own; dropped, replaced, published over."""
    texts = Texts(register)
    with Register(register._engine.url.render_as_string(hide_password=False)) as beside:
        Texts(beside).all()  # a server has the file open too
        for length in (1, 500, 20_000):

            def word(name: str, length: int = length) -> str:
                return f"{name}000000z" + os.urandom(length).hex()  # so that nothing is packed

            for name, act in {
                "dropped": lambda: texts.edit("tea", None),
                "edited": lambda: texts.edit("tea", word("after")),
                "served": lambda: texts.serve("tea", word("served")),
                "forgotten": lambda: texts.forget("tea"),
            }.items():
                texts.edit("tea", word(name))
                texts.edit("other", word("stays"))
                assert f"{name}000000z".encode() in files(register, request)
                act()
                left = files(register, request)
                gone = f"{name}000000z".encode()
                assert (gone in left) is (name == "served"), (name, length)
                assert b"stays000000z" in left
            texts.forget("tea")


def rows(register: Register) -> str:
    with register.reading() as connection:
        return repr(
            [connection.execute(one.select()).all() for one in tables.METADATA.tables.values()]
        )


def test_a_token_is_kept_as_a_hash_and_its_use_to_the_hour(register: Register) -> None:
    assert not register.is_begun()
    tokens = Tokens(register, lambda: NOW)
    secret = tokens.issue("ann", ["export", "run"], ["tea"], NOW + timedelta(days=1))
    assert re.fullmatch(r"sudare_op_[0-9a-f]{12}_[A-Za-z0-9_-]{43}", secret)
    (token,) = tokens.all()
    assert token.used is None
    assert tokens.check(secret) == token.rights
    assert token.rights.scopes == ("read", "run", "export")
    (token,) = tokens.all()
    assert token.used == NOW.replace(minute=0, second=0)
    assert secret[-43:] not in rows(register)
    assert Credential.read(secret, "sudare_op_").mark() in rows(register)
    for wrong in (None, 1, "", secret[:-1], secret + "A", secret[:-2] + "AA", secret.encode()):
        assert tokens.check(wrong) is None
    later = Tokens(register, lambda: NOW + timedelta(days=1))
    assert later.check(secret) is None
    again = later.issue("ann", SCOPES)
    assert later.check(again) is not None, "the name is free again once a token has ended"
    with pytest.raises(DomainError, match="another token's"):
        later.issue("ann", SCOPES)
    later.revoke(str(later.id_of(again)))
    assert later.check(again) is None
    with pytest.raises(DomainError, match="revoked"):
        later.revoke(str(later.id_of(again)))


@cases(
    "name, scopes, collections, expires",
    [
        (1, ["run"], None, None),
        ("", ["run"], None, None),
        ("a" * 65, ["run"], None, None),
        (" ann", ["run"], None, None),
        ("ann\n", ["run"], None, None),
        ("ann", [], None, None),
        ("ann", "run", None, None),
        ("ann", ["root"], None, None),
        ("ann", [1], None, None),
        ("ann", ["run"], [], None),
        ("ann", ["run"], "tea", None),
        ("ann", ["run"], ["../tea"], None),
        ("ann", ["run"], None, NOW),
        ("ann", ["run"], None, datetime(2027, 1, 1)),  # noqa: DTZ001 - the mistake itself
        ("ann", ["run"], None, "2027-01-01"),
    ],
)
def test_what_is_no_token(
    tmp_path: Path, name: Any, scopes: Any, collections: Any, expires: Any
) -> None:
    with Register(tmp_path / "operators.db") as register:
        with pytest.raises((DomainError, WrongTypeError)):
            Tokens(register, lambda: NOW).issue(name, scopes, collections, expires)
        assert not (register.is_begun() and Tokens(register).all())


def test_rights_contain_what_goes_nowhere_beyond_them() -> None:
    end = NOW + timedelta(days=1)
    own = Rights("a", ("read", "run"), ("tea", "mate"), end)
    fits = Rights("b", ("read",), ("tea",), end)
    assert own.contain(own)
    assert own.contain(fits)
    for wider in (
        Rights("b", ("read", "export"), ("tea",), end),
        Rights("b", ("read",), ("tea", "coffee"), end),
        Rights("b", ("read",), None, end),
        Rights("b", ("read",), ("tea",), None),
        Rights("b", ("read",), ("tea",), end + timedelta(seconds=1)),
    ):
        assert not own.contain(wider)
        assert Rights("root", SCOPES).contain(wider)


def test_sessions(register: Register) -> None:
    clock = [NOW]
    tokens, sessions = Tokens(register, lambda: clock[0]), Sessions(register, lambda: clock[0], 2)
    rights = tokens.check(tokens.issue("ann", ["run"]))
    assert rights is not None
    cookie, session = sessions.begin(rights, secure=True)
    assert sessions.find(cookie, secure=True) == session
    assert sessions.find(cookie, secure=False) is None
    assert cookie[13:] not in rows(register)
    assert session.csrf not in rows(register)
    assert session.is_meant(session.csrf)
    assert not session.is_meant(None)
    assert not session.is_meant(session.csrf[:-1] + "x")
    for wrong in (None, "", cookie[:-1], cookie[:-2] + "AA", "0" * 12 + cookie[12:]):
        assert sessions.find(wrong, secure=True) is None
    clock[0] += timedelta(hours=2)
    assert sessions.find(cookie, secure=True) is None
    sessions.begin(rights, secure=True)
    with register.reading() as connection:
        assert len(connection.execute(tables.SESSION.select()).all()) == 1, "ended ones are gone"
    cookie, session = sessions.begin(rights, secure=True)
    tokens.revoke(str(rights.token))
    assert sessions.find(cookie, secure=True) is None
    assert Sessions(register, lambda: NOW).find(cookie, secure=True) is None
    late, _ = sessions.begin(rights, secure=True)
    assert sessions.find(late, secure=True) is None, "a sign-in that was under way"


def test_the_record_only_grows(register: Register) -> None:
    audit = Audit(register, lambda: NOW)
    ann = Rights("ann", ("read", "admin"), ("tea",), None, "0123")
    for number, collection in enumerate(("tea", "coffee", None)):
        audit.add(ann if number == 2 else None, "edit", collection, {"number": number})
    assert [(one.number, one.who) for one in audit.read()] == [
        (3, "ann"), (2, command_line()), (1, command_line())
    ]  # fmt: skip
    assert [one.detail for one in audit.read(ann)] == [{"number": 2}, {"number": 0}]
    assert [one.number for one in audit.read(before=3, most=1)] == [2]
    for act in (tables.AUDIT.delete(), tables.AUDIT.update().values(who="eve")):
        with pytest.raises(StorageError), register.writing() as connection:
            connection.execute(act)
    with pytest.raises(DomainError, match="act must be one of backup, close"):
        audit.add(None, "look")
    assert len(audit.read()) == 3


RESERVED = [
    *("command line (root)", "command line", "Command Line (root)", "COMMAND LINE (ann)"),
    *("command-line (root)", "command  line (root)", "commandline", "(command line) root"),
    *("ｃｏｍｍａｎｄ ｌｉｎｅ (root)", "unknown", "Unknown", "“unknown”"),
    *("command Iine (root)", "command 1ine", "command |ine", "c0mmand line", "comrnand line"),
    *("ᴄᴏᴍᴍᴀɴᴅ ʟɪɴᴇ", "comm\u0251nd line", "cómmand liné (root)", "\u03f2ommand line", "unkn0wn"),
    *(
        "unknovvn",
        "UNKN\xd8WN",
        "\u03f9OMMAND LINE",
        "c\u03ccmmand l\u0457ne",
        "co\u0335mmand line",
    ),
    *("c\xf8mmand \u0142ine", "comma\u0144d l\u0269ne", "comm\u0101nd-\u01c0ine"),
]


def test_nobody_is_named_as_the_record_names_the_machine_or_nobody(register: Register) -> None:
    people = People("https://id.example", "sub", "groups", (Grant.read("staff: run"),))
    for name in RESERVED:
        with pytest.raises(DomainError, match="must not read like"):
            Tokens(register).issue(name, ["read"])
        assert people.rights(people.person({"sub": name, "groups": ["staff"]})).scopes == ()
    for name in ("ann", "the unknown soldier", "linecommand", "Søren", "Soren", "Ben 1", "Ben I"):
        assert Tokens(register).issue(name, ["read"])
    assert is_reserved(command_line())
    audit = Audit(register)
    audit.add(Rights("ann", ("read",), token="0123"), "publish", "tea")
    audit.add(None, "publish", "tea")
    assert [one.token for one in audit.read()] == [None, "0123"]


@cases("language", ["en", "ja", "de"])
def test_each_act_has_words(language: str) -> None:
    place = Path(sudare.__file__).parent / "web/i18n-operator" / f"{language}.json"
    words = json.loads(place.read_text("utf-8"))
    assert {f"operator.did.{act.replace(' ', '-')}" for act in ACTS} <= set(words)
    assert {f"operator.via.{via.replace(' ', '-')}" for via in VIA} <= set(words)


def test_texts_and_visibility_tell_of_each_change(register: Register) -> None:
    texts = Texts(register)
    assert texts.known() == (0, {}, {})
    assert not register.is_begun()
    texts.edit("tea", "one")
    assert texts.changes() == 0, "a draft is nobody else's business"
    texts.serve("tea", "one")
    texts.show("tea", "private")
    assert texts.known() == (2, {"tea": "one"}, {"tea": "private"})
    texts.edit("tea", "two")
    assert texts.find("tea") == ("two", "one")
    texts.edit("tea", None)
    assert texts.find("tea") == (None, "one")
    texts.show("tea", "public")
    with pytest.raises(DomainError, match="visibility"):
        texts.show("tea", "hidden")
    texts.forget("tea")
    assert texts.known() == (4, {}, {})
    texts.edit("mate", "x")
    texts.edit("mate", None)
    assert texts.all() == {}


def test_tables_of_a_newer_version_are_refused(register: Register) -> None:
    with register.writing() as connection:
        changed = tables.META.update().where(tables.META.c.name == "version")
        connection.execute(changed.values(value=tables.VERSION + 1))
    refused = pytest.raises(StorageError, match=f"at most version {tables.VERSION}")
    with refused, register.writing():
        pass


def test_tables_of_the_third_version_get_what_acts_are_done_by(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their rows stay as they are; a file that can only be read is read as it is."""
    audit = Audit(register, lambda: NOW)
    audit.add(Rights("ann", ("read",), token="0123"), "publish", "tea")
    audit.add(None, "publish", "tea")
    with register.writing() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {tables.AUDIT.name} DROP COLUMN via")
        changed = tables.META.update().where(tables.META.c.name == "version")
        connection.execute(changed.values(value=3))
    register._version = None
    before = [(2, None), (1, "token 0123")]

    def refuse(register: Register) -> Any:
        raise StorageError("database", "can only be read", "it stays as it is")

    with monkeypatch.context() as patched:
        patched.setattr(Register, "writing", refuse)
        assert [(one.number, one.via) for one in audit.read()] == before
    assert [(one.number, one.via) for one in audit.read()] == before
    assert register.version == tables.VERSION
    audit.add(None, "publish", "tea")
    assert [(one.number, one.via) for one in audit.read()] == [(3, "command line"), *before]
    with pytest.raises(StorageError), register.writing() as connection:
        connection.execute(tables.AUDIT.update().values(via="command line"))


def test_a_name_never_poses_for_what_an_act_was_done_by(register: Register) -> None:
    """Whatever operators are called, and where one name was two people's."""
    audit = Audit(register, lambda: NOW)
    limited = Rights("session 0123", ("read", "admin"), ("tea",))
    for by, via in (
        (None, None),
        (Rights("session 0123", ("read",), token="4567"), None),
        (Rights("token 4567", ("read",)), "session 89ab"),
        (Rights("command line (eve)", ("read",)), None),
        (Rights("unknown", ()), "no sign-in"),
        (limited, "session 0123"),
    ):
        audit.add(by, "sign in", None, via=via)
    vias = ["command line", "token 4567", "session 89ab", "single sign-on", "no sign-in",
            "session 0123"]  # fmt: skip
    assert [one.via for one in reversed(audit.read())] == vias
    assert [one.via for one in audit.read(limited)] == ["session 0123"]
    ann = replace(limited, name=command_line())
    assert audit.read(ann) == [], "not those of the machine itself"


@pytest.mark.parametrize("version", [1, 2])
def test_tables_of_an_older_version_get_what_they_lack(register: Register, version: int) -> None:
    with register.writing() as connection:
        tables.METADATA.drop_all(connection, [tables.FLOW, tables.SESSION])
        connection.exec_driver_sql(f"ALTER TABLE {tables.TOKEN.name} DROP COLUMN session")
        connection.exec_driver_sql(f"ALTER TABLE {tables.AUDIT.name} DROP COLUMN via")
        if version == 2:
            connection.exec_driver_sql(
                f"CREATE TABLE {tables.FLOW.name} (id text primary key, expires text not null)"
            )
        connection.exec_driver_sql(
            f"CREATE TABLE {tables.SESSION.name} (id text primary key, mark text not null, "
            "name text not null, scopes text not null, collections text, expires text not null, "
            "token text, secure boolean not null)"
        )
        connection.exec_driver_sql(
            f"INSERT INTO {tables.SESSION.name} VALUES ('0', '', 'ann', '[\"admin\"]', NULL, "
            "'2126-01-01T00:00:00Z', NULL, true)"
        )
        changed = tables.META.update().where(tables.META.c.name == "version")
        connection.execute(changed.values(value=version))
    register._version = None
    assert Sessions(register, lambda: NOW).all() == [], "nothing says for whom they were"
    assert Tokens(register, lambda: NOW).issue("ann", SCOPES)
    flows = Flows(register, b"secret", lambda: NOW)
    flow = flows.begin("https://survey.example/operator/oidc", "/operator", "en")
    assert flows.spend(flow)
    with register.reading() as connection:
        chosen = tables.META.select().where(tables.META.c.name == "version")
        assert connection.execute(chosen).one().value == tables.VERSION


def test_failures_double_the_wait_and_are_forgotten() -> None:
    clock = [0.0]
    failures = Failures(lambda: clock[0])
    waits = []
    for _ in range(16):
        failures.note("a")
        waits.append(failures.wait("a"))
    assert waits == [0] * 4 + [1 << n for n in range(9)] + [300] * 3
    assert failures.wait("b") == 0
    clock[0] = 299.5
    assert failures.wait("a") == 1
    clock[0] = 1000.0
    failures.note("a")
    assert failures.wait("a") == 0, "long ago"
    failures.forget("a")
    assert failures._known == {}


def test_secrets_are_compared_in_constant_time() -> None:
    """By the structure of the code: what a visitor gives meets a mark in one function alone."""
    root = Path(sudare.__file__).parent
    body = (root / "operators" / "credentials.py").read_text()
    (equal,) = (one for one in ast.parse(body).body if getattr(one, "name", "") == "equal")
    assert "hmac.compare_digest(" in ast.unparse(equal)
    for path in [*(root / "operators").glob("*.py"), *(root / "collector" / "desk").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                named = {
                    part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
                    for side in (node.left, *node.comparators) for part in ast.walk(side)
                }  # fmt: skip
                plain = isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn)
                assert not (plain and named & {"mark", "secret", "csrf"}), (
                    f"{path.name}: {node.lineno}"
                )


def test_a_secret_is_not_shown_by_repr() -> None:
    one = Credential.draw()
    assert one.secret not in repr(one)
    assert len({Credential.draw().secret for _ in range(50)}) == 50


# -- people whom another service vouches for ---------------------------------------------------


def test_a_flow_is_one_browser_s_for_minutes_and_once(register: Register) -> None:
    now = [NOW]
    first, second = (Flows(register, b"secret", lambda: now[0]) for _ in range(2))
    flow = first.begin("https://survey.example/operator/oidc", "/operator/c/tea", "ja")
    other = first.begin("http://127.0.0.1/operator/oidc", "/operator", "en")
    assert (flow.secure, other.secure) == (True, False)
    assert len({flow.state, flow.nonce, flow.verifier, other.state}) == 4
    cookie = first.seal(flow)
    assert second.find(cookie, flow.state) == flow, "whichever process"
    assert flow.drawn.secret not in repr(flow)
    for wrong in ("", ".", "x", cookie[:-1], cookie + "0", f"x{cookie}", first.seal(other), "é.é"):
        assert second.find(wrong, flow.state) is None
    for state in ("", other.state, flow.state[:-1], flow.nonce):
        assert second.find(cookie, state) is None
    assert Flows(register, b"another", lambda: NOW).find(cookie, flow.state) is None
    assert [first.spend(flow), second.spend(flow), second.spend(other)] == [True, False, True]
    assert flow.drawn.secret not in rows(register)
    assert flow.state not in rows(register)
    now[0] = NOW + timedelta(minutes=10)
    assert second.find(cookie, flow.state) is None
    assert second.spend(second.begin(flow.redirect, "/operator", "en"))
    with register.reading() as connection:
        assert len(connection.execute(tables.FLOW.select()).all()) == 1, "old ones are forgotten"


EMAIL = {"email": "ann@example.org", "email_verified": True}


@cases(
    "claims, name, scopes, collections",
    [
        ({**EMAIL, "groups": ["staff"]}, "ann@example.org", ("read", "run"), ("tea",)),
        ({**EMAIL, "groups": "staff"}, "ann@example.org", ("read", "run"), ("tea",)),
        ({**EMAIL, "groups": ["boss", "staff"]}, "ann@example.org", ("read", "run"), ("tea",)),
        ({**EMAIL, "groups": ["urn:x:boss"]}, "ann@example.org", ("read", "admin"), None),
        ({**EMAIL, "groups": ["Staff", "staf", 7, None]}, "ann@example.org", (), None),
        ({**EMAIL, "groups": {"staff": True}}, "ann@example.org", (), None),
        ({**EMAIL}, "ann@example.org", (), None),
        ({**EMAIL, "email_verified": False, "groups": ["staff"]}, None, (), None),
        ({**EMAIL, "email_verified": "true", "groups": ["staff"]}, None, (), None),
        ({"email": "ann@example.org", "groups": ["staff"]}, None, (), None),
        ({**EMAIL, "email": "a" * 255, "groups": ["staff"]}, None, (), None),
        ({**EMAIL, "email": ["a@b", "c@d"], "groups": ["staff"]}, None, (), None),
        ({**EMAIL, "email": "command line", "groups": ["staff"]}, None, (), None),
        ({**EMAIL, "email": "a\nb", "groups": ["staff"]}, None, (), None),
    ],
)
def test_people_may_do_what_the_first_grant_says(
    claims: dict[str, Any], name: str | None, scopes: tuple[str, ...], collections: Any
) -> None:
    grants = Grant.read("staff: run for tea"), Grant.read("urn:x:boss: admin")
    people = People("https://id.example", "email", "groups", grants)
    person = people.person({"sub": "7", **claims})
    found = people.rights(person)
    assert person.name == name
    assert (found.name, found.scopes, found.collections) == (name or "", scopes, collections)
    assert people.rights(replace(person, issuer="https://other.example")).scopes == ()


@cases(
    "text", ["", "staff", ": run", "staff:", "staff: fly", "staff: run for", "a: run for ", "a:for"]
)
def test_what_is_no_grant_is_refused(text: str) -> None:
    with pytest.raises((DomainError, WrongTypeError)):
        Grant.read(text)


def test_a_person_limited_to_collections_sees_no_others_acts(register: Register) -> None:
    audit = Audit(register, lambda: NOW)
    ann, bob = Rights("ann", ("read", "admin"), ("tea",)), Rights("bob", ("read", "admin"))
    for who, collection in ((ann, None), (bob, None), (bob, "tea"), (bob, "coffee"), (None, None)):
        audit.add(who, "edit", collection)
    assert [(one.who, one.collection) for one in audit.read(ann)] == [("bob", "tea"), ("ann", None)]


PEOPLE = People(
    "https://id.example", "email", "groups", (Grant.read("boss: admin"), Grant.read("staff: run"))
)
ANN = Person("ann@example.org", PEOPLE.issuer, "7", "groups", ("boss",))


def grants(*texts: str) -> People:
    return replace(PEOPLE, grants=tuple(Grant.read(one) for one in texts))


SETTINGS = {
    "the same": (PEOPLE, True),
    "more": (grants("boss: admin run export"), True),
    "others": (grants("guests: read", "boss: admin"), True),
    "single sign-on switched off": (None, False),
    "removed": (grants("staff: run"), False),
    "lowered": (grants("boss: run"), False),
    "limited": (grants("boss: admin for tea"), False),
    "none": (grants(), False),
    "another issuer": (replace(PEOPLE, issuer="https://other.example"), False),
    "another claim": (replace(PEOPLE, claim="roles"), False),
}


def test_a_person_s_session_holds_while_settings_allow_what_it_was_given(
    register: Register,
) -> None:
    def sessions(people: People | None = PEOPLE) -> Sessions:
        return Sessions(register, lambda: NOW, people=people)

    tokens = Tokens(register, lambda: NOW)
    for name, (people, holds) in SETTINGS.items():
        for at_start in (False, True):
            rights = PEOPLE.rights(ANN)
            cookie, session = sessions().begin(rights, secure=True, person=ANN)
            end = session.expires
            made = tokens.issue(f"{name} {at_start}", ["admin"], None, end, by=rights,
                                session=session.id)  # fmt: skip
            second = tokens.issue(f"{name} {at_start} 2", ["read"], None, end,
                                  by=tokens.check(made))  # fmt: skip
            other, _ = sessions().begin(tokens.check(made), secure=True)
            later = sessions(people)
            if at_start:
                later.end_unfounded()
            assert bool(later.find(cookie, secure=True)) is holds, (name, at_start)
            after = sessions().find(cookie, secure=True)
            assert bool(after) is holds, f"{name}: what has ended does not begin again"
            for token in (made, second):
                assert bool(tokens.check(token)) is holds, name
            assert bool(sessions().find(other, secure=True)) is holds
            if holds:
                sessions().end(session.id)
            assert tokens.check(made) is None


def test_fewer_hours_shorten_sessions_that_live(register: Register) -> None:
    """At each use, and with a start for good; with the tokens that people made in them."""

    def sessions(hours: int, later: int = 0) -> Sessions:
        return Sessions(register, lambda: NOW + timedelta(hours=later), hours, PEOPLE)

    tokens = Tokens(register, lambda: NOW)
    by_token = tokens.check(tokens.issue("robot", ["run"]))
    assert by_token is not None
    for start in (False, True):
        first, begun = sessions(8).begin(PEOPLE.rights(ANN), secure=True, person=ANN)
        second, _ = sessions(8).begin(by_token, secure=True)
        for name, ends in (("in it", begun.expires), ("short", NOW + timedelta(hours=1))):
            made = tokens.issue(
                f"{name} {start}", ["read"], None, ends, by=begun.rights, session=begun.id
            )
            if name == "in it":
                third, _ = sessions(8).begin(tokens.check(made), secure=True)
        for cookie in (first, second):
            found = sessions(2, 1).find(cookie, secure=True)
            assert found is not None
            assert found.expires == NOW + timedelta(hours=2)
            assert sessions(8, 7).find(cookie, secure=True), "nothing is changed by a look"
        person = sessions(2).find(first, secure=True)
        assert person is not None
        assert person.rights.expires == person.expires, "what they make ends with it too"
        assert {one.expires for one in sessions(2).all()} == {NOW + timedelta(hours=2)}
        assert sessions(2, 2).all() == []
        if start:
            sessions(2, 1).end_unfounded()
            ends = {one.rights.name: one.rights.expires for one in tokens.all()}
            assert ends["in it True"] == NOW + timedelta(hours=2)
            assert (ends["short True"], ends["robot"]) == (NOW + timedelta(hours=1), None)
            assert not any(sessions(8, 2).find(c, secure=True) for c in (third, first))
        for cookie in (first, second):
            assert sessions(2, 2).find(cookie, secure=True) is None
            assert sessions(8, 2).find(cookie, secure=True) is None, "nor does it come back"
        assert sessions(8).all() == []
        names = {one.rights.name for one in tokens.all() if not one.revoked}
        assert names == {"robot"}


def test_a_start_ends_what_fewer_hours_have_ended(register: Register) -> None:
    sessions, tokens = Sessions(register, lambda: NOW, 8, PEOPLE), Tokens(register, lambda: NOW)
    _, begun = sessions.begin(PEOPLE.rights(ANN), secure=True, person=ANN)
    made = tokens.issue("made", ["read"], None, begun.expires, by=begun.rights, session=begun.id)
    Sessions(register, lambda: NOW + timedelta(hours=3), 2, PEOPLE).end_unfounded()
    assert tokens.check(made) is None
    assert sessions.all() == []


def test_an_address_is_one_however_it_is_spelt() -> None:
    """In the settings, in what a provider states, in a session's name; other values are exact."""
    people = replace(
        PEOPLE, claim="email", grants=(Grant.read("Ann@Example.ORG: run"), Grant.read("Staff: run"))
    )
    plain = {"sub": "7", "email": "ann@example.org", "email_verified": True}
    first = people.person(plain)
    assert people.rights(first).scopes == ("read", "run")
    for email in ("ANN@example.org", "Ann@EXAMPLE.org", "\uff41nn@example\uff0eorg"):
        assert people.person({**plain, "email": email}) == first, "no session of theirs ends"
    for email in ("anne@example.org", "an\u00f1@example.org", "ann@example.org.evil.example",
                  "ann\u200b@example.org", "@example.org"):  # fmt: skip
        assert people.rights(people.person({**plain, "email": email})).scopes == (), email
    host = replace(people, grants=(Grant.read("ann@stra\u00dfe.example: run"),))
    assert host.rights(host.person({**plain, "email": "ann@strasse.example"})).scopes == ()
    groups = replace(people, claim="groups")
    for held, scopes in ((["Staff"], ("read", "run")), (["staff"], ())):
        assert groups.rights(groups.person({**plain, "groups": held})).scopes == scopes


def test_names_that_read_alike_are_one_name(register: Register) -> None:
    """Neither a reserved one nor another token's, by width, case, spaces or what is not seen."""
    tokens = Tokens(register, lambda: NOW)
    tokens.issue("ann bee", ["read"])
    alike = ("Ann Bee", "\uff41nn bee", "ann  bee", "ann\u2800 bee", "\u0430nn b\u0435e",
             "ann\ufe0f bee", "ann bee\u3164")  # fmt: skip
    reserved = ("Unknown", "\uff55nknown", "unkn\u043ewn", "un known", "unknown\u3164",
                "unknown\ufe0f", "Command Line (root)", "\uff43ommand line (root)",
                "command  line (root)", "\u0441ommand line (root)", "command\u2800line",
                "command line\u034f (root)", "command l\u0131ne")  # fmt: skip
    people = replace(PEOPLE, named_by="nick")
    for name in (*alike, *reserved):
        with pytest.raises(DomainError, match="name "):
            tokens.issue(name, ["read"])
    for name in (*reserved, "command line (root)\u200b", "unk\u00adnown", "un\u2060known"):
        assert people.person({"sub": "7", "nick": name}).name is None, ascii(name)
    with pytest.raises(DomainError, match="printable"):
        tokens.issue("bob\u3164", ["read"])
    for name in ("ann", "ann beer", "anna bee", "unknown person", "\u4e2d\u6751 \u82b1\u5b50"):
        assert tokens.issue(name, ["read"])


def test_a_sign_in_ends_what_the_provider_no_longer_says(register: Register) -> None:
    sessions, tokens = Sessions(register, lambda: NOW, people=PEOPLE), Tokens(register, lambda: NOW)
    others = {
        "the same": (ANN, True),
        "another browser of a namesake by another provider": (
            replace(ANN, issuer="https://other.example"), True),
        "somebody else": (replace(ANN, subject="8", name="bob@example.org"), True),
        "under another address": (replace(ANN, name="anna@example.org"), False),
        "with fewer values": (replace(ANN, held=("staff",)), False),
        "another subject of that address": (replace(ANN, subject="8"), False),
    }  # fmt: skip
    for name, (person, stays) in others.items():
        cookie, session = sessions.begin(PEOPLE.rights(ANN), secure=True, person=ANN)
        sessions.begin(PEOPLE.rights(person), secure=True, person=person)
        assert bool(sessions.find(cookie, secure=True)) is stays, name
        if stays:
            sessions.end(session.id)
    held = tokens.check(tokens.issue("ann@example.org", ["run"]))
    assert held is not None
    cookie, _ = sessions.begin(held, secure=True)
    sessions.end_others(ANN, every=True)
    assert sessions.find(cookie, secure=True), "a token's session is no person's"


def test_sessions_are_listed_and_ended_within_one_s_rights(register: Register) -> None:
    sessions, tokens = Sessions(register, lambda: NOW, people=PEOPLE), Tokens(register, lambda: NOW)
    limited = tokens.check(tokens.issue("tea", ["admin"], ["tea"]))
    assert limited is not None
    cookie, own = sessions.begin(limited, secure=True)
    _, wide = sessions.begin(PEOPLE.rights(ANN), secure=True, person=ANN)
    assert {one.id for one in sessions.all()} == {own.id, wide.id}
    assert [one.id for one in sessions.all(limited)] == [own.id]
    for by, id in ((limited, wide.id), (None, "0" * 12)):
        with pytest.raises(DomainError, match="session is not known"):
            sessions.end(id, by)
    sessions.end(own.id, limited)
    assert sessions.find(cookie, secure=True) is None
    assert not sessions.all()[0].is_meant("")
