"""Commands are loaded when they are asked for."""

from __future__ import annotations

import json
import subprocess
import sys

from sudare.cli.main import COMMANDS
from tests.cases import cases

LOADED = """
import json, sys
from sudare.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("LOADED" + json.dumps(sorted(sys.modules)))
"""


def loaded(*words: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stdout.partition("LOADED")[2]))


@cases("words", [["--help"], ["--version"], ["nothing"], []])
def test_help_loads_no_command_and_nothing_heavy(words: list[str]) -> None:
    found = loaded(*words)
    heavy = {"numpy", "scipy", "pyarrow", "rich", "cryptography", "sqlalchemy", "starlette"}
    assert not found & heavy
    own = {name for name in found if name.startswith("sudare")}
    named = {"sudare", "sudare._version", "sudare.lazy", "sudare.mechanisms"}  # no family of them
    assert own <= {*named, "sudare.errors", "sudare.cli", "sudare.cli.main", "sudare.cli.parsing"}


def test_a_command_loads_no_other_command() -> None:
    found = loaded("ledger", "--help")
    assert {name for name in COMMANDS if f"sudare.cli.{name}" in found} == {"ledger"}
