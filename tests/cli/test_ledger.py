"""``sudare ledger``, ``sudare serve --dataset`` and a definition for ``sudare release``."""

from __future__ import annotations

import http.client
import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sudare.ledger import Cost, Ledger, Tokens
from tests.cases import cases

DEFINITION = """
name = "scores"
file = "scores.csv"
[budget]
epsilon = 1
[bounds]
score = [0, 100]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text("score\n" + "70\n80\n" * 2_000)
    (tmp_path / "scores.toml").write_text(DEFINITION)
    return tmp_path


def test_the_life_of_an_account(sudare: Any, tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    status, text, _ = sudare("ledger", "open", file, "ann", "--epsilon", "0.5")
    assert (status, text) == (0, "ann: 0.5 of 0.5 epsilon left\n")
    assert sudare("ledger", "open", file, "ann", "--epsilon", "0.5")[0] == 0
    with Ledger(file) as ledger:
        ledger.pay(["ann"], Cost.of(epsilon=0.2), {"what": 1}, lambda: 1)
    status, text, _ = sudare("ledger", "show", file, "--json")
    account = {
        "account": "ann",
        "unit": "epsilon",
        "budget": "0.5",
        "spent": "0.2",
        "remaining": "0.3",
    }
    assert json.loads(text) == {"accounts": [account], "tokens": []}
    status, text, _ = sudare("ledger", "budget", file, "ann", "--epsilon", "1/3", "--json")
    assert json.loads(text)["budget"] == "1/3"
    out = tmp_path / "events.jsonl"
    assert sudare("ledger", "export", file, out)[0] == 0
    status, text, _ = sudare("ledger", "check", out, "--json")
    with Ledger(file) as ledger:
        last = ledger.events()[-1]["link"]
    assert json.loads(text) == {"events": 3, "whole": True, "last": last, "spent": {"ann": "0.2"}}
    text = sudare("ledger", "check", out)[1]
    assert "unbroken" in text
    assert f"last link {last}" in text
    out.write_text(out.read_text().replace('"1/5"', '"1/50"').replace('"0.2"', '"0.1"'))
    status, _, error = sudare("ledger", "check", out)
    assert status == 2
    assert "look at number 2" in error


def test_no_budget_is_shown_below_0(sudare: Any, tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    sudare("ledger", "open", file, "ann", "--epsilon", "3")
    with Ledger(file) as ledger:
        ledger.pay(["ann"], Cost.of(epsilon=2.1), {"q": 1}, lambda: 0)
    told = sudare("ledger", "budget", file, "ann", "--epsilon", "0.2")[1]
    assert "ann: 0.0 of 0.2 epsilon left: 2.1 is spent, more than this budget" in told
    assert "-1.9" not in sudare("ledger", "show", file)[1]
    (row,) = json.loads(sudare("ledger", "show", file, "--json")[1])["accounts"]
    assert (row["spent"], row["remaining"]) == ("2.1", "0.0")


def test_tokens_are_shown_once_and_revoked(sudare: Any, tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    sudare("ledger", "open", file, "ann", "--rho", "0.01")
    status, secret, warned = sudare(
        "ledger", "token", file, "ann", "--scope", "query:scores", "--days", 90
    )
    assert status == 0
    assert secret.startswith("sudare_")
    assert "only time" in warned
    status, text, _ = sudare("ledger", "show", file)
    assert secret.strip().removeprefix("sudare_") not in text
    (token,) = json.loads(sudare("ledger", "show", file, "--json")[1])["tokens"]
    assert token["scopes"] == ["query:scores"]
    assert token["token"] in text
    with Ledger(file) as ledger:
        assert Tokens(ledger).find(secret.strip()) is not None
        assert sudare("ledger", "revoke", file, token["token"])[0] == 0
        assert Tokens(ledger).find(secret.strip()) is None
    assert "revoked" in sudare("ledger", "show", file)[1]
    told = sudare("ledger", "token", file, "ann", "--scope", "query:*", "--json")[1]
    assert json.loads(told)["account"] == "ann"


def test_a_sealed_ledger(sudare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, safe = tmp_path / "ledger.db", tmp_path / "ledger.key"
    assert json.loads(sudare("ledger", "key", safe, "--json")[1]) == {"file": str(safe)}
    assert "new file" in sudare("ledger", "key", safe)[2]
    assert sudare("ledger", "open", file, "ann", "--epsilon", "1")[0] == 0
    assert "sudare ledger seal" in sudare("ledger", "show", file, "--key", safe)[2]
    status, text, _ = sudare("ledger", "seal", file, "--key", safe)
    assert (status, text) == (0, "whole, and sealed: 1 event\n")
    assert (tmp_path / "ledger.key.anchor").is_file()
    assert "is sealed; give its key" in sudare("ledger", "show", file)[2]
    assert "needs a key" in sudare("ledger", "seal", file)[2]
    assert sudare("ledger", "budget", file, "ann", "--epsilon", "2", "--key", safe)[0] == 0
    monkeypatch.setenv("SUDARE_LEDGER_KEY", safe.read_text())
    monkeypatch.setenv("SUDARE_LEDGER_ANCHOR", str(tmp_path / "ledger.key.anchor"))
    assert "2.0" in sudare("ledger", "show", file)[1]
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM sudare_event WHERE number = 2")
    connection.close()
    status, _, error = sudare("ledger", "show", file)
    assert status == 2
    assert "as it was sealed" in error


@cases(
    "words, said",
    [
        (["show", "{none}"], "does not exist"),
        (["open", "{file}", "bob", "--epsilon", "zero"], "must be a number"),
        (["open", "{file}", "bob", "--epsilon", "-1"], "1e-15"),
        (["open", "{file}", "bob"], "must be given"),
        (["open", "{file}", "bob", "--epsilon", "1", "--rho", "1"], "not allowed"),
        (["open", "{file}", "ann", "--epsilon", "7"], "another budget"),
        (["budget", "{file}", "bob", "--epsilon", "1"], "or name an open one"),
        (["token", "{file}", "bob", "--scope", "query:*"], "must be open"),
        (["token", "{file}", "ann", "--scope", "scores"], "query:NAME"),
        (["token", "{file}", "ann", "--scope", "query:*", "--days", "0"], "--days"),
        (["revoke", "{file}", "nothing"], "is not known"),
        (["export", "{file}", "{file}"], "must not exist yet"),
        (["check", "{none}"], "does not exist"),
        (["check", "{file}"], "JSON lines"),
        (["fly"], "unknown "),
        ([], "required"),
    ],
)
def test_bad_words(sudare: Any, tmp_path: Path, words: list[str], said: str) -> None:
    file = tmp_path / "ledger.db"
    sudare("ledger", "open", file, "ann", "--epsilon", "1")
    status, _, error = sudare(
        "ledger", *(word.format(file=file, none=tmp_path / "none.db") for word in words)
    )
    assert status == 2
    assert said in error
    assert not (tmp_path / "none.db").exists()


def test_a_definition_for_release(sudare: Any, folder: Path) -> None:
    toml, ledger = folder / "scores.toml", folder / "ledger.db"
    ask = ("--ask", "mean:score", "--epsilon", "0.25", "--json")
    status, text, error = sudare("release", toml, *ask, "--ledger", ledger)
    assert (status, error) == (0, "")
    assert abs(json.loads(text)["answers"][0]["value"] - 75) < 1
    sudare("ledger", "open", ledger, "ann", "--epsilon", "0.3")
    assert sudare("release", toml, *ask, "--ledger", ledger, "--account", "ann")[0] == 0
    with Ledger(ledger) as opened:
        spent = {one.name: float(one.spent) for one in opened.accounts()}
    assert spent == {"scores": 0.5, "ann": 0.25}
    status, _, error = sudare("release", toml, *ask, "--ledger", ledger, "--account", "ann")
    assert status == 2
    assert "budget of ann" in error
    assert "--ledger is needed" in sudare("release", toml, *ask)[2]
    for option in (("--bounds", "score=0,1"), ("--name", "x"), ("--missing", "drop")):
        status, _, error = sudare("release", toml, *ask, "--ledger", ledger, *option)
        assert (status, "stands in the definition" in error) == (2, True)


def test_serve_answers_queries(folder: Path, sudare: Any) -> None:
    """The command itself: a token of the shell, a real request, an interrupt."""
    file = folder / "ledger.db"
    sudare("ledger", "open", file, "ann", "--epsilon", "1")
    secret = sudare("ledger", "token", file, "ann", "--scope", "query:scores")[1].strip()
    child = subprocess.Popen(
        [sys.executable, "-m", "sudare", "serve", "--dataset", str(folder / "scores.toml"),
         "--ledger", str(file), "--database", str(folder / "r.db"), "--port", "0", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stdout is not None
        lines = [child.stdout.readline()]
        while lines[-1].rstrip() != "}":
            assert lines[-1], "it ended before it said where it is"
            lines.append(child.stdout.readline())
        told = json.loads("".join(lines))
        address = urlsplit(told["datasets"][0]["queries"])
        connection = http.client.HTTPConnection(address.netloc, timeout=30)
        body = json.dumps({"query": "mean", "column": "score", "epsilon": 0.25})
        headers = {"authorization": f"Bearer {secret}", "content-type": "application/json"}
        connection.request("POST", address.path, body, headers)
        answer = connection.getresponse()
        assert answer.status == 200
        assert abs(json.loads(answer.read())["value"] - 75) < 1
        connection.close()
    finally:
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=30)
    assert errors == ""
    with Ledger(file) as ledger:
        assert ledger.account("ann").spent == ledger.account("scores").spent


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "must be given"),
        (["--dataset", "{toml}"], "go together"),
        (["--ledger", "{ledger}"], "must be given"),
        (["--dataset", "{toml}", "--ledger", "{ledger}", "--rate", "0"], "rate"),
        (["--dataset", "{none}", "--ledger", "{ledger}"], "cannot be read"),
        (["--dataset", "{toml}", "--dataset", "{toml}", "--ledger", "{ledger}"], "unique"),
        (["--dataset", "{toml}", "--ledger", "{none}"], "sudare ledger open"),
        (["--dataset", "{bad}", "--ledger", "{ledger}"], "bad.toml: collection is not a field"),
    ],
)
def test_bad_ways_to_serve(sudare: Any, folder: Path, words: list[str], said: str) -> None:
    places = {
        name: folder / file
        for name, file in (
            ("toml", "scores.toml"), ("ledger", "l.db"), ("none", "n.toml"), ("bad", "bad.toml")
        )
    }  # fmt: skip
    places["bad"].write_text("[collection]\n")
    Ledger(places["ledger"]).close()
    status, _, error = sudare("serve", *(word.format(**places) for word in words))
    assert status == 2
    assert said in error
    assert not places["none"].exists()


def test_accounts_that_keep_epsilon_and_delta(sudare: Any, tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    how = ("--delta", "1e-6", "--plan", "100 epsilon=0.1")
    status, text, _ = sudare("ledger", "open", file, "survey", *how)
    assert (status, text.splitlines()) == (
        0,
        [
            "survey: 100.0 of 100.0 plan for (4.7746, 0.000001) left",
            "survey: epsilon=0.1: 100.0 of 100.0 questions left",
        ],
    )
    told = json.loads(sudare("ledger", "open", file, "survey", *how, "--json")[1])
    assert (told["unit"], told["parts"][0]["remaining"]) == (
        "plan for (4.7746, 0.000001)",
        "100.0",
    )
    budget = ("ann", "--epsilon", "2", "--delta", "1e-6")
    assert "rho for (2.0, 0.000001) left" in sudare("ledger", "open", file, *budget)[1]
    status, _, error = sudare("ledger", "open", file, "bob", "--epsilon", "4", *how)
    assert (status, "give at least 4.7746" in error) == (2, True)
    assert sudare("ledger", "open", file, "bob")[0] == 2
    assert sudare("ledger", "budget", file, "survey", "--epsilon", "9", "--delta", "1e-6")[0] == 2
    lines = sudare("ledger", "price", "100 choice=0.1", "--delta", "1e-6")[1].splitlines()
    assert lines[1:] == [
        "as a plan: ε = 2.2598",
        "prices chosen as you go: ε = 2.4191 (ρ = 0.125)",
    ]
    told = json.loads(sudare("ledger", "price", "1 rho=1/8", "--delta", "1e-6", "--json")[1])
    assert (told["rho"], told["plan"]) == ("0.125", "1 rho=0.125")
    assert sudare("ledger", "price", "100 choice", "--delta", "1e-6")[0] == 2
    assert sudare("ledger", "export", file, tmp_path / "events.jsonl")[0] == 0
    lines = sudare("ledger", "check", tmp_path / "events.jsonl")[1].splitlines()
    assert "survey keeps (ε, δ) = (4.7746, 0.000001)" in lines
