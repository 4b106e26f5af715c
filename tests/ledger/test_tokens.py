"""Tokens: what they allow, when they end, and that their secrets are nowhere."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import sudare as sd
from sudare.ledger import Ledger, Tokens, check_events

SOON = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)


@pytest.fixture
def tokens(ledger: Ledger) -> Tokens:
    ledger.open("ann", epsilon=1)
    return Tokens(ledger)


def test_a_token_allows_its_scopes_alone(tokens: Tokens) -> None:
    found = tokens.find(tokens.issue("ann", ["query:scores", "describe:other"]))
    assert found is not None
    allowed = {
        (verb, name)
        for verb in ("query", "describe")
        for name in ("scores", "other", "third")
        if found.allows(verb, name)
    }
    assert allowed == {("query", "scores"), ("describe", "scores"), ("describe", "other")}
    everywhere = tokens.find(tokens.issue("ann", ["query:*"]))
    assert everywhere is not None
    assert everywhere.allows("query", "third")
    assert everywhere.allows("describe", "third")


def test_tokens_end(tokens: Tokens) -> None:
    secret = tokens.issue("ann", ["query:*"], expires=SOON)
    assert tokens.find(secret) is not None
    assert tokens.find(secret, now=SOON - timedelta(seconds=1)) is not None
    assert tokens.find(secret, now=SOON) is None
    token = tokens.find(secret)
    assert token is not None
    tokens.revoke(token.id)
    assert tokens.find(secret) is None
    assert [one.revoked for one in tokens.all()] == [True]
    with pytest.raises(sd.DomainError, match="revoked"):
        tokens.revoke(token.id)


def test_a_secret_is_nowhere(tokens: Tokens, ledger: Ledger) -> None:
    secret = tokens.issue("ann", ["query:*"])
    bare = secret.removeprefix("sudare_")
    events = ledger.events()
    assert [one["kind"] for one in events] == ["open", "token"]
    assert bare not in json.dumps(events)
    assert bare not in repr(tokens.all())
    with ledger.reading() as opened:
        assert bare not in repr(opened.execute(ledger._tables.TOKEN.select()).all())
    check_events(events)
    assert len(bare) == 43
    assert tokens.issue("ann", ["query:*"]) != secret


@pytest.mark.parametrize(
    "secret", [None, "", "sudare_", "x" * 50, "sudare_" + "A" * 43, "sudare_" + "é" * 43, 5, b"x"]
)
def test_what_is_no_token_finds_nothing(tokens: Tokens, secret: Any) -> None:
    tokens.issue("ann", ["query:*"])
    assert tokens.find(secret) is None


@pytest.mark.parametrize(
    ("holder", "scopes", "expires"),
    [
        ("nobody", ["query:*"], None),
        (5, ["query:*"], None),
        ("ann", [], None),
        ("ann", "query:*", None),
        ("ann", ["scores"], None),
        ("ann", ["write:scores"], None),
        ("ann", ["query:"], None),
        ("ann", ["query:a b"], None),
        ("ann", [None], None),
        ("ann", ["query:*"], "tomorrow"),
        ("ann", ["query:*"], datetime(2030, 1, 1)),  # noqa: DTZ001 - no time zone is the point
    ],
)
def test_bad_tokens_are_not_issued(
    tokens: Tokens, ledger: Ledger, holder: Any, scopes: Any, expires: Any
) -> None:
    with pytest.raises(sd.SudareError):
        tokens.issue(holder, scopes, expires)
    assert tokens.all() == []
    assert len(ledger.events()) == 1
    for wrong in (None, "nothing", 5):
        with pytest.raises(sd.SudareError):
            tokens.revoke(wrong)
    with pytest.raises(sd.WrongTypeError):
        Tokens("ledger.db")
