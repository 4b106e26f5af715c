"""Sessions of Spark, and a cluster of two workers on this machine."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import sudare as sd

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "512m",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
}
HOSTS = ("127.0.0.1", "127.0.0.2")  # Spark speculates on another host alone
UNRAISABLE = "pytest.PytestUnraisableExceptionWarning"
LONGEST = 300  # seconds until a part of a cluster is there: a limit, not a wait


def missing(what: str) -> None:
    """Skip a test, or fail it where Spark must be there."""
    (pytest.fail if os.environ.get("SUDARE_REQUIRE_SPARK") else pytest.skip)(what)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let PySpark 3.5 use distutils, and leave sockets to be closed when they are collected."""
    if not importlib.util.find_spec("pyspark") or not version("pyspark").startswith("3."):
        return
    own = [one for one in items if one.path.parent == Path(__file__).parent]
    for item in own:
        if item.path.stem == "test_over_connect":
            item.add_marker(pytest.mark.skip("the package of PySpark 3.5 has no Connect server"))
        for kind in ("DeprecationWarning", "ResourceWarning", UNRAISABLE):
            item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))


@pytest.fixture(scope="session")
def environment() -> None:
    """Executors are of the tests' Python, on this machine alone."""
    if not shutil.which("java"):
        missing("Java is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"


@pytest.fixture(scope="module")
def local(environment: None) -> Iterator[Any]:
    """Yield a session of this machine alone, with two threads."""
    found = sd.spark.session("local[2]", SETTINGS)
    yield found
    found.stop()


@pytest.fixture(scope="module")
def spread(environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield a session of a cluster: a master and two workers of one core each."""
    folder, hidden = tmp_path_factory.mktemp("cluster"), ["--webui-port", "0"]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        log = _started(
            processes,
            folder / "master",
            "master.Master",
            "--host",
            HOSTS[0],
            "--port",
            "0",
            *hidden,
        )
        url = _awaited(log, r"Starting Spark master at (spark://\S+)")
        each = [
            *hidden,
            "--cores",
            "1",
            "--memory",
            "600m",
            "--work-dir",
            str(folder / "work"),
            url,
        ]
        logs = [
            _started(processes, folder / host, "worker.Worker", "--host", host, *each)
            for host in HOSTS
        ]
        for one in logs:
            _awaited(one, r"(Successfully registered)")
        found = sd.spark.session(url, SETTINGS | FAULTS)
        yield found
        found.stop()
    finally:
        _ended(processes)


@pytest.fixture(scope="module")
def connected(environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield a session of Spark Connect, whose server runs on this machine."""
    if not importlib.util.find_spec("grpc_status"):
        missing("pyspark[connect] is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = SETTINGS | {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    words += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        log = tmp_path_factory.mktemp("connect") / "server"
        _started(processes, log, "SparkSubmit", "--master", "local[2]", *words, "spark-internal")
        _awaited(log, "(Spark Connect server started)")
        found = sd.spark.session(f"sc://127.0.0.1:{port}")
        yield found
        found.stop()
    finally:
        _ended(processes)


FAULTS = {
    "spark.executor.cores": "1",
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "50ms",
}


def _started(processes: list[subprocess.Popen[bytes]], log: Path, name: str, *words: str) -> Path:
    import pyspark

    home = Path(pyspark.__file__).parent
    own = {"SPARK_DAEMON_MEMORY": "512m", "SPARK_HOME": str(home), "SPARK_NO_DAEMONIZE": "1"}
    command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}"]
    with log.open("wb") as file:
        processes.append(
            subprocess.Popen(
                [*command, *words],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=os.environ | own,
            )
        )
    return log


def _ended(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in reversed(processes):
        process.kill()
        process.wait()


def _awaited(log: Path, pattern: str) -> str:
    """Return what a log says, once it does."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[1]
        time.sleep(0.05)
    pytest.fail(f"{log.name} did not say {pattern}: {log.read_text(errors='replace')[-2000:]}")
