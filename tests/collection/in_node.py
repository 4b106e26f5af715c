"""What the browser's modules say, run by node as they are installed."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sudare

TESTS = Path(__file__).parents[1]
MODULES = Path(sudare.__file__).parent / "web/js"


def ask(script: str, documents: Iterable[Any]) -> list[Any]:
    """Return what a script of ``tests/js/support`` says of each document, a line each."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    run = subprocess.run(
        [node, str(_tree() / "tests/js/support" / script)],
        input="\n".join(json.dumps(one) for one in documents),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@cache
def _tree() -> Path:
    """Return a copy of the scripts, beside the modules at the place where they look for them."""
    tree = Path(tempfile.mkdtemp(prefix="sudare-node-"))
    atexit.register(shutil.rmtree, tree, ignore_errors=True)
    shutil.copytree(MODULES, tree / "src/sudare/web/js")
    shutil.copytree(MODULES.parent / "i18n", tree / "src/sudare/web/i18n")
    shutil.copytree(TESTS / "js/support", tree / "tests/js/support")
    shutil.copy(TESTS.parent / "package.json", tree)
    return tree
