"""Import, first estimate and the command's help, each in a new interpreter, as installed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from subprocess import DEVNULL
from typing import Any

from timing import Job, Row, interleave

NUMPY = "import numpy"
FIRST = """
import sudare as sd
m = sd.GRR(3, 1.0)
m.estimate(m.aggregate(m.perturb([0, 1, 2])))
"""
MECHANISM = "import sudare; sudare.GRR"
HELP = """
from sudare.cli import main
main(["--help"])
"""


def children() -> float:
    """Return the processor seconds of the interpreters that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rows(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as cache:
        # Compiled files as an installed wheel has them, wherever the source lies.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache

        def start(code: str) -> Job:
            run = [sys.executable, "-c", code]
            return lambda: subprocess.run(run, check=True, env=environment, stdout=DEVNULL)

        def times(limit: str, code: str) -> Any:
            return interleave([start(limit), start(code)], max(2, rounds // 4), clock=children)

        return [
            Row("import sudare + first estimate", "import numpy", 1.4, times=times(NUMPY, FIRST)),
            Row("sudare --help", "import sudare; sudare.GRR", 1.5, times=times(MECHANISM, HELP)),
        ]
