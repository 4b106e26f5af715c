"""What ``sudare plan`` says of a survey in rounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sudare.cli import main

SURVEY = """
[collection]
name = "weekly"
epsilon = 2.0
epsilon_cap = 4.0
opens = 2026-12-01T00:00:00+09:00
repeats = { every = "weekly", rounds = 3 COVERS}
[[question]]
id = "tea"
type = "choice"
text = "Which?"
choices = ["a", "b", "c"]
"""


@pytest.mark.parametrize(
    ("covers", "report", "same", "changing"),
    [("", 1.0, 2.0, 3.442594), (', covers = "any"', 2 / 3, 2.0, 2.0)],
)
def test_all_that_rounds_cost_is_said(
    covers: str,
    report: float,
    same: float,
    changing: float,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "weekly.toml"
    path.write_text(SURVEY.replace("COVERS", covers))
    assert main(["plan", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["rounds"]
    assert told["rounds"] == 3
    assert report - 2e-6 < told["report"] <= report
    assert told["same"] == same
    assert told["changing"] == pytest.approx(changing, abs=1e-9)
    assert main(["plan", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"{same:g} of all while answers stay" in out
    assert "refuses" not in out
    path.write_text(SURVEY.replace("COVERS", covers).replace("rounds = 3", "rounds = 12"))
    assert main(["plan", str(path)]) == 0
    out = capsys.readouterr().out
    assert ("more than the 4 at which a device refuses another answer." in out) == (not covers)
