"""Shared by all tests."""

from __future__ import annotations

import glob
import hashlib
import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

# Set before numpy is loaded: a worker is one processor's work, and threads that wait for one
# another on a processor that others use cost many times what they compute.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

import sudare as sd
from sudare.exact import entropy
from sudare.ledger import Ledger
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.registry import registered

FRESH = bool(os.environ.get("SUDARE_FRESH"))
"""Whether each run draws anew. Without it a run repeats: what fails once fails again."""

# A shell ignores interrupts in what it runs in the background, and children inherit that: tests
# that interrupt a program would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: a busy machine is not a failing one.
settings.register_profile("sudare", deadline=None, derandomize=not FRESH)
settings.load_profile("sudare")


class Keys:
    """Keys of the system's streams, from the name of what draws and how many it has drawn."""

    def __init__(self) -> None:
        self.name, self.number = "", itertools.count()

    def __call__(self, size: int) -> bytes:
        """Return the next key, as :func:`os.urandom` would."""
        return hashlib.sha256(f"{self.name}\0{next(self.number)}".encode()).digest()[:size]

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Draw under a name, and then go on as before; so does this thread's default stream."""
        before, streams = (self.name, self.number), vars(entropy._local).copy()
        self.name, self.number = name, itertools.count()
        vars(entropy._local).clear()
        try:
            yield
        finally:
            self.name, self.number = before
            vars(entropy._local).clear()
            vars(entropy._local).update(streams)


KEYS, PROCESS = Keys(), os.getpid()


def urandom(size: int) -> bytes:
    """Stand for the system's source in this process; a child asks the system."""
    return KEYS(size) if os.getpid() == PROCESS else os.urandom(size)


if not FRESH:  # everything but the key is the same code
    entropy.os = SimpleNamespace(getpid=os.getpid, urandom=urandom)


def processor_seconds() -> float:
    """Return what this process and the children that it has waited for have computed."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Begin the streams of a test, whatever ran before it on this worker."""
    with KEYS.of(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give the report of each phase what the phase has cost."""
    report = yield
    now = processor_seconds()
    report.cost = now - getattr(item.config, "cost_so_far", now)
    item.config.cost_so_far = now
    return report


COSTS: Counter[str] = Counter()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what tests have cost, where they are reported: a busy machine changes it little."""
    COSTS[report.nodeid] += getattr(report, "cost", 0.0)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", type=Path, help="a file for the processor seconds of each test")


def pytest_terminal_summary(config: pytest.Config) -> None:
    if path := config.getoption("--costs"):
        lines = (f"{seconds:.3f}\t{name}\n" for name, seconds in COSTS.most_common())
        path.write_text("".join(lines), "utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Begin those of a fixture that several tests share, whichever of them asks first."""
    if fixturedef.scope == "function":
        return (yield)
    with KEYS.of(f"{fixturedef.baseid}::{fixturedef.argname}[{request.param_index}]"):
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def figures_are_waited_for() -> None:
    """Where a machine is busy a collector tells earlier figures: these tests ask for the newest."""
    from sudare.collector import live

    live.PATIENCE_SECONDS = 60.0


@contextmanager
def only_bundled_fonts() -> Iterator[None]:
    """Draw with the fonts that matplotlib brings, whatever else the machine has."""
    import matplotlib as mpl
    from matplotlib import font_manager

    from sudare import fonts

    manager, home = font_manager.fontManager, mpl.get_data_path()
    caches = (fonts._choice.cache_clear, fonts._look_again.cache_clear, fonts._known_scripts.clear)

    def forget() -> None:
        manager._findfont_cached.cache_clear()
        for clear in caches:
            clear()

    with pytest.MonkeyPatch.context() as patch:
        own = [entry for entry in manager.ttflist if entry.fname.startswith(home)]
        patch.setattr(manager, "ttflist", own)
        patch.setattr(font_manager, "findSystemFonts", list)
        forget()
        yield
    forget()


@pytest.fixture
def bundled_fonts() -> Iterator[None]:
    """Draw as a machine does that has no fonts of its own."""
    with only_bundled_fonts():
        yield


@pytest.fixture(autouse=True, scope="session")
def fonts_asked_for() -> Iterator[None]:
    """With SUDARE_FONTS=bundled run all tests as a machine does that has no fonts of its own."""
    with only_bundled_fonts() if os.environ.get("SUDARE_FONTS") == "bundled" else nullcontext():
        yield


TOGETHER = (
    "tests/browser/",
    "tests/cli/test_perturb_columns.py",
    "tests/cli/test_release.py",
    "tests/collector/test_exports.py",
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


LONGER = "slow or oracle or browser"
MARKING = ("browser", "studies")
MARKED = re.compile(r"mark\.(slow|oracle|browser)\b")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what a run would import only to deselect it: every worker would.

    The longer run asks for files that mark some of their tests, or whose folder does; the other
    one has no use for the browser's.
    """
    chosen, name = config.option.markexpr, collection_path.name
    if collection_path.is_dir():
        return True if name == "browser" and chosen.startswith("not slow") else None
    if chosen != LONGER or not name.startswith("test_") or collection_path.parent.name in MARKING:
        return None
    return None if MARKED.search(collection_path.read_text("utf-8")) else True


LONGEST = (
    "tests/release/test_described.py",
    "tests/release/test_neighbours.py",
    "tests/collector/test_crash.py",
    "tests/location/test_cap.py",
    "tests/location/test_optimise.py",
    "tests/collector/test_invites_storage.py",
    "tests/estimation/test_coverage.py",
    "tests/ledger/test_ledger.py",
    "tests/mechanisms/joint/test_early_stop.py",
)
"""Where single tests take a minute: begun last, they would keep one worker alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what is longest, then with what one worker runs as a whole."""

    def turn(item: pytest.Item) -> int:
        if item.nodeid.startswith(("tests/studies/", *LONGEST)):
            return 0
        return 1 if item.nodeid.startswith(TOGETHER) else 2

    items.sort(key=turn)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """More workers than processors: servers, databases, disks and browsers are waited for.

    The longer run waits for two thirds of its time.
    """
    processors = os.cpu_count() or 1
    return min(3 * processors, 8) if config.option.markexpr == LONGER else min(processors + 2, 4)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Compile all files of tests once, where no run has: else each worker would, for 15 s."""
    here, tag = Path(__file__).parent, sys.implementation.cache_tag
    tests = sorted(map(str, here.glob("**/test_*.py")))
    known = list(here.glob(f"**/test_*.{tag}-pytest-*.pyc"))
    whole = config.args == config.getini("testpaths")
    if sys.dont_write_bytecode or not whole or len(known) > len(tests) / 2:
        return
    words = [sys.executable, "-m", "pytest", "-n", "0", "-q", "--collect-only"]
    if config.option.markexpr:
        words += ["-m", config.option.markexpr]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": config.rootpath}
    shares = [subprocess.Popen([*words, *tests[i::2]], **quiet) for i in range(2)]
    for share in shares:
        share.wait()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Distribute by :func:`work_unit`: marks of groups have no effect under pytest 9.2.

    In the order of the tests: the scheduler's own one begins with units of many.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return work_unit(nodeid)

    config.option.loadscopereorder = False
    return ByUnit(config, log)


@pytest.fixture
def rng() -> sd.Entropy:
    """A repeatable stream; statistical tests with fresh entropy say so by not using it."""
    return sd.Entropy.seeded(b"tests")


MECHANISMS = [cls for cls in registered(FrequencyOracle) if not cls.studies_only]


@pytest.fixture(params=MECHANISMS, ids=lambda cls: cls.name)
def mechanism_class(request: pytest.FixtureRequest) -> type[sd.GRR]:
    return request.param


@pytest.fixture(
    params=[cls for cls in MECHANISMS if cls.examples()[0].law.counted], ids=lambda cls: cls.name
)
def counting_class(request: pytest.FixtureRequest) -> type[sd.GRR]:
    """Of an oracle whose supports count reports, and do not add up what they say."""
    return request.param


def binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return Path(folders[-1]) if folders else None


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL server in a folder of its own, which can be ended and started again."""

    programs: Path
    home: Path
    port: int

    @property
    def url(self) -> str:
        """Return its URL, without a database's name."""
        return f"postgresql://sudare@127.0.0.1:{self.port}"

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def owner(self) -> dict[str, str]:
        return {"user": "postgres"} if os.geteuid() == 0 else {}  # the server refuses root

    def make(self) -> None:
        made = ["-U", "sudare", "-A", "trust", "-E", "UTF8", "--no-sync"]
        self._run("initdb", *made)

    def start(self) -> None:
        options = f"-p {self.port} -k {self.home} -c listen_addresses=127.0.0.1"
        self._run("pg_ctl", "-w", "-o", f"{options} -c max_connections=60", "start")

    def stop(self, how: str = "immediate") -> None:
        self._run("pg_ctl", "-m", how, "stop")

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [self.programs / program, "-D", str(self.data), *words],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.home,
            **self.owner,
        )


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Start a server of PostgreSQL."""
    folder = binaries()
    if folder is None:
        if os.environ.get("SUDARE_REQUIRE_POSTGRES"):
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed")
    home = Path(tempfile.mkdtemp(prefix="sudare-pg-"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        made = Cluster(folder, home, probe.getsockname()[1])
    if made.owner:
        shutil.chown(home, "postgres")
    made.make()
    made.start()
    try:
        yield made
    finally:
        made.stop()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(cluster: Cluster) -> str:
    """Return the URL of a server of PostgreSQL, without a database's name."""
    return cluster.url


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
