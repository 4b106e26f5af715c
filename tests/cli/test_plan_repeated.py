"""``sudare plan --rounds``."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sudare as sd
from sudare.cli.main import main
from tests.cases import cases

COMMAND = ["plan", "-k", "5", "--rounds", "12", "-n", "1000", "--epsilon", "2"]


@pytest.mark.parametrize("covers", ["steady", "any"])
def test_it_prints_the_ranking_of_plan_repeated(covers: str, capsys: Any) -> None:
    assert main([*COMMAND, "--covers", covers, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    found = sd.plan_repeated(5, 1000, 2.0, 12, covers=covers)
    assert data["options"] == [one.to_json() for one in found]
    assert main([*COMMAND, "--covers", covers]) == 0
    assert found[0].mechanism.name in capsys.readouterr().out


@cases(
    "given, named",
    [
        ([*COMMAND[:-2]], "--epsilon"),
        ([*COMMAND, "--curve"], "--curve"),
        ([*COMMAND, "--sizes", "3,4"], "--sizes"),
        (["plan", "survey.toml", *COMMAND[1:]], "survey"),
        (["plan", "-k", "5", "-n", "10", "--epsilon", "2", "--covers", "any"], "--covers"),
        ([*COMMAND[:4], "1001", *COMMAND[5:]], "rounds"),
    ],
)
def test_bad_options_are_refused(given: list[str], named: str, capsys: Any) -> None:
    assert main(given) == 2
    assert named in capsys.readouterr().err
