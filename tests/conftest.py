"""Shared by all tests."""

from __future__ import annotations

import glob
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

# Set before numpy is loaded: a worker is one processor's work, and threads that wait for one
# another on a processor that others use cost many times what they compute.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

import sudare as sd
from sudare.ledger import Ledger
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.registry import registered

settings.register_profile("sudare", deadline=None)  # a busy machine is not a failing one
settings.load_profile("sudare")


TOGETHER = (
    "tests/browser/",
    "tests/cli/test_perturb_columns.py",
    "tests/cli/test_release.py",
    "tests/collector/test_place.py",
    "tests/release/test_vocabulary.py",
)
"""Where one worker runs all tests of a file: its fixtures are made once."""


STUDIES = ("grr-oue", "joint", "key-value", "laplace", "location")


def work_unit(nodeid: str) -> str:
    """Return what one worker runs: a file, all tests of a study's small run, or one test."""
    path = nodeid.partition("::")[0]
    if path.startswith(TOGETHER):
        return path
    if path.startswith("tests/studies/"):
        return next((name for name in STUDIES if name in nodeid.replace("_", "-")), "grr-oue")
    return nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors: some tests wait for another process."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Distribute by :func:`work_unit`: marks of groups have no effect under pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return work_unit(nodeid)

    return ByUnit(config, log)


@pytest.fixture
def rng() -> sd.Entropy:
    """A repeatable stream; statistical tests with fresh entropy say so by not using it."""
    return sd.Entropy.seeded(b"tests")


MECHANISMS = [cls for cls in registered(FrequencyOracle) if not cls.studies_only]


@pytest.fixture(params=MECHANISMS, ids=lambda cls: cls.name)
def mechanism_class(request: pytest.FixtureRequest) -> type[sd.GRR]:
    return request.param


def binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return Path(folders[-1]) if folders else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Start a server in a folder of its own and return its URL, without a database's name."""
    folder = binaries()
    if folder is None:
        if os.environ.get("SUDARE_REQUIRE_POSTGRES"):
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed")
    owner = {"user": "postgres"} if os.geteuid() == 0 else {}  # the server refuses root
    home = Path(tempfile.mkdtemp(prefix="sudare-pg-"))
    if owner:
        shutil.chown(home, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    run = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": home}
    data = str(home / "data")
    subprocess.run(
        [folder / "initdb", "-D", data, "-U", "sudare", "-A", "trust", "-E", "UTF8", "--no-sync"],
        **run, **owner,
    )  # fmt: skip
    options = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c max_connections=60"
    subprocess.run([folder / "pg_ctl", "-D", data, "-w", "-o", options, "start"], **run, **owner)
    try:
        yield f"postgresql://sudare@127.0.0.1:{port}"
    finally:
        subprocess.run([folder / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **run, **owner)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty ledger."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    import psycopg

    server = request.getfixturevalue("postgres")
    name = "l" + uuid.uuid4().hex
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


@pytest.fixture
def ledger(where: str) -> Iterator[Ledger]:
    """Return an open ledger."""
    with Ledger(where) as one:
        yield one
