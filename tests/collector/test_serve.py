"""Running: a free port, a taken one, a signal, and a clean end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from within import Within

from sudare.cli.main import main
from sudare.collector import BackgroundCollector, Store, create_app
from sudare.collector.settings import Settings
from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.ledger import Ledger

PROGRAM = """
import sys
from sudare.collection import Collection
from sudare.collector import serve
collection = Collection.from_toml(sys.stdin.read())
serve([collection], sys.argv[1], port=0, on_ready=lambda url: print(url, flush=True))
print("ended", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_an_interrupt_ends_it_cleanly(tea, database, connect, message, tmp_path):
    toml = (
        '[collection]\nname = "tea"\nepsilon = 2.0\npublish_at = 1\n'
        '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    )
    child = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        child.stdin.write(toml)
        child.stdin.close()
        url = child.stdout.readline().strip()
        assert connect(url).get("/health").status == 200
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "ended\n"
        assert child.stderr.read() == ""
        assert child.wait(20) == 0
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        child.stderr.close()
    assert not database.with_name(database.name + "-wal").exists()


def test_a_taken_port_is_refused(tea, database):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        collector = BackgroundCollector([tea], database, port=port)
        with pytest.raises(DomainError, match="port"):
            collector.start()


@pytest.mark.parametrize(
    ("host", "port"),
    [
        *[("127.0.0.1", port) for port in (-1, 65_536, True, "0", None)],
        *[(host, 0) for host in ("256.0.0.1", "a" * 70 + ".x", ".", "a b", None, 7, b"::1")],
    ],
)
def test_a_wrong_address_is_refused(tea, database, host, port):
    with pytest.raises((DomainError, WrongTypeError)):
        BackgroundCollector([tea], database, host=host, port=port).start()


def test_a_start_that_fails_says_why(tea, database):
    with contextlib.closing(sqlite3.connect(database)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="database"):
            BackgroundCollector([tea], database).start()


@pytest.mark.slow
def test_a_database_in_use_ends_the_command_with_one_line(tea, database, tmp_path):
    survey = tmp_path / "survey.toml"
    survey.write_text(
        '[collection]\nname = "tea"\nepsilon = 2.0\n'
        '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    )
    with contextlib.closing(sqlite3.connect(database)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("BEGIN EXCLUSIVE")
        done = subprocess.run(
            [
                *[sys.executable, "-c", "import sys, sudare.cli; sys.exit(sudare.cli.main())"],
                *["serve", str(survey), "--database", str(database), "--port", "0"],
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("sudare serve: database")


def test_stopping_twice_and_starting_again(tea, database, connect, message):
    collector = BackgroundCollector([tea], database)
    for count in (1, 2):
        collector.start()
        assert connect(collector.url).send(message()).status == 202
        collector.stop()
        collector.stop()
        with Store(database, [tea]) as store:
            assert store.counts(tea.fingerprint).result()[0].n == count


def test_a_second_service_in_a_folder_is_told_to_have_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of data sets alone, whose owner has named no database at all."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text("score\n1\n2\n")
    for name in ("scores", "marks"):
        (tmp_path / f"{name}.toml").write_text(
            f'name = "{name}"\nfile = "scores.csv"\n[budget]\nepsilon = 1\n[bounds]\n'
            'score = [0, 100]\n[columns]\nscore = "whole"\n'
        )
    Ledger("ledger.db").close()

    def app(name: str, **more: str) -> Any:
        settings = Settings(datasets=(f"{name}.toml",), ledger="ledger.db", **more)
        return create_app(settings=settings)

    with Within(app("scores")):
        words = ["serve", "--dataset", "marks.toml", "--ledger", "ledger.db", "--port", "0"]
        assert main(words) == 2
        said = capsys.readouterr().err
        assert "another one serves it" in said
        assert "sudare.sqlite3" in said
        assert "--database" in said
        with Within(app("marks", database="marks.sqlite3")) as second:
            assert second.request("GET", "/readyz").status == 200
