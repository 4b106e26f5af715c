"""Sessions of Spark, and what goes wrong with them in words of Sudare."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sudare.errors import EngineError, MissingExtraError

QUIET = {"spark.ui.showConsoleProgress": "false"}
REMEDY = (
    "name a Python of theirs that has Sudare in PYSPARK_PYTHON, or send an environment along: "
    "docs/engines.md"
)

_LACKS = re.compile(r"No module named '([\w.]+)'")
_OTHER_PYTHON = re.compile(r"PYTHON_VERSION_MISMATCH|[Pp]ython in worker has different version")


def session(master: str = "local[*]", settings: Mapping[str, str] | None = None) -> Any:
    """Return a session of Spark, begun or the one that runs.

    Args:
        master: ``local[*]`` for all processors of this machine, ``spark://host:7077``, ``yarn``,
            ``k8s://…``; ``sc://host:15002`` for Spark Connect.
        settings: Spark's own, such as ``{"spark.executor.memory": "4g"}``.

    Raises:
        MissingExtraError: PySpark is not installed.
        EngineError: Spark could not start, for instance because there is no Java.
    """
    try:
        with spoken():
            from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("pyspark", "spark", "for the engine Spark") from None
    connect = master.startswith("sc://")
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # where Sudare is
    begun = SparkSession.builder.appName("sudare")
    begun = begun.remote(master) if connect else begun.master(master)
    for name, value in (({} if connect else QUIET) | dict(settings or {})).items():
        begun = begun.config(name, value)
    with spoken(f"could not start at {master}"):
        if not connect:
            _leave_connect()
        found = begun.getOrCreate()
        if not connect:
            found.sparkContext.setLogLevel("ERROR")
    return found


def _leave_connect() -> None:
    """Take back what PySpark leaves in the environment when its last Connect session has ended.

    With it, it takes every later session of this process for one of Spark Connect.
    """
    module = sys.modules.get("pyspark.sql.connect.session")
    if module and module.SparkSession.getActiveSession() is None:
        os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)


@contextmanager
def spoken(what: str = "could not finish the work") -> Iterator[None]:
    """Turn what Spark complains of into one clear error; Spark's own is its cause.

    Raises:
        EngineError: Spark raised an error; of the executors, where their Python is another one than
            the driver's, or lacks what it has.
    """
    try:
        with warnings.catch_warnings():  # of pandas, which nothing here uses
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
            yield
    except ImportError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            raise
        said = str(error)
        if lacking := _LACKS.search(said):
            rule = f"must have {lacking[1]} as the driver has"
            raise EngineError("executors", rule, REMEDY) from error
        if _OTHER_PYTHON.search(said):
            rule = f"must run the driver's Python, {sys.version_info[0]}.{sys.version_info[1]}"
            raise EngineError("executors", rule, REMEDY) from error
        asked = type(error).__name__ == "AnalysisException"  # of names and types, not of machines
        remedy = "Java must be there, and the cluster be reached: see what Spark said"
        remedy = "see what Spark said" if asked else remedy
        raise EngineError("spark", what, remedy) from error
