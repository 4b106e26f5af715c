"""``sudare attack averaging``."""

from __future__ import annotations

import json
from typing import Any

from sudare.cli.main import main
from tests.cases import cases

COMMAND = ["attack", "averaging", "-k", "4", "--epsilon", "1", "--permanent", "2", "-n", "2000"]


def test_a_thousand_rounds_guess_no_more_than_the_permanent_answer(capsys: Any) -> None:
    assert main([*COMMAND, "--mechanism", "LOSUE", "--seed", "a", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [one["rounds"] for one in data["guesses"]] == [1, 10, 100, 1000]
    last = data["guesses"][-1]
    assert last["guessed"] <= last["bound"] + 4 * last["stderr"] < 0.9 < last["afresh"]
    assert main([*COMMAND, "--rounds", "5", "--seed", "a"]) == 0
    assert "permanent answer" in capsys.readouterr().out


@cases(
    "given, named",
    [
        ([*COMMAND, "--mechanism", "GRR"], "--mechanism"),
        ([*COMMAND, "--question", "q"], "--question"),
        ([*COMMAND, "-d", "5"], "-d"),
        ([*COMMAND, "--rounds", "0"], "--rounds"),
        ([*COMMAND[:2], "-k", "4"], "--epsilon"),
        (["attack", "mga", "-k", "4", "--epsilon", "1", "--permanent", "2"], "--permanent"),
        ([*COMMAND[:6], "--permanent", "1"], "permanent"),
    ],
)
def test_bad_options_are_refused(given: list[str], named: str, capsys: Any) -> None:
    assert main(given) == 2
    assert named in capsys.readouterr().err
