"""Addresses of PostgreSQL that are no place for a collector, and say so at the start."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from teas import TEA

from sudare.cli.main import main
from sudare.collection import Collection
from sudare.collector import create_app
from sudare.collector.postgres.tables import open_reading, open_tables
from sudare.errors import StorageError
from sudare.ledger import Ledger

POOLER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")


@contextmanager
def pooled(cluster: Any, mode: str) -> Iterator[str]:
    """Run pgbouncer before a server; yield its address."""
    if POOLER is None:
        pytest.skip("pgbouncer is not installed")
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    home = Path(cluster.home) / f"pooler-{port}"
    home.mkdir()
    (home / "users").write_text('"sudare" ""\n')
    (home / "settings").write_text(
        f"[databases]\n* = host=127.0.0.1 port={cluster.port} user=sudare\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = trust\n"
        f"auth_file = {home / 'users'}\npool_mode = {mode}\nunix_socket_dir =\n"
        "default_pool_size = 5\n"
    )
    if cluster.owner:
        for each in (home, *home.iterdir()):
            shutil.chown(each, "postgres")
    running = subprocess.Popen(
        [POOLER, "-q", home / "settings"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home, **cluster.owner,
    )  # fmt: skip
    url = f"postgresql://sudare@127.0.0.1:{port}"
    try:
        end = time.monotonic() + 20
        while True:
            try:
                psycopg.connect(f"{url}/postgres").close()
                break
            except psycopg.Error:
                assert time.monotonic() < end, "it did not come up"
                time.sleep(0.05)
        yield url
    finally:
        running.terminate()
        running.wait(20)


@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_lends_a_connection_for_a_transaction_is_refused_by_name(
    cluster: Any, address: str, tea: Collection, mode: str,
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    open_tables(address).close()
    (tmp_path / "tea.toml").write_text(TEA)
    with pooled(cluster, mode) as url:
        place = f"{url}/postgres"
        for work in (open_tables, open_reading, lambda one: create_app([tea], one)):
            with pytest.raises(StorageError, match=r"lends it for a transaction.*pool_mode"):
                work(place)
        for words in (["serve", str(tmp_path / "tea.toml")], ["token", "new", "ann"],
                      ["sessions", "list"], ["results", str(tmp_path / "tea.toml")]):  # fmt: skip
            assert main([*words, "--database", place]) == 2
            assert "pool_mode = session" in capsys.readouterr().err, words


def test_a_pooler_that_keeps_a_connection_for_a_session_serves(
    cluster: Any, address: str, tea: Collection
) -> None:
    assert address
    with pooled(cluster, "session") as url:
        open_tables(f"{url}/postgres").close()
        create_app([tea], f"{url}/postgres")


def test_a_ledger_is_paid_through_a_pooler(cluster: Any, postgres: str) -> None:
    """It has no state of a session: each transaction may be another connection's."""
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS pooled")
        connection.execute("CREATE DATABASE pooled")
    with pooled(cluster, "transaction") as url:
        ledgers = [Ledger(f"{url}/pooled") for _ in range(3)]
        ledgers[0].open("ann", epsilon=1)
        for number in range(20):  # names of statements would be another connection's
            one = ledgers[number % 3]
            assert one.account("ann").remaining == 1
        for one in ledgers:
            one.close()


def test_a_standby_is_called_one(
    address: str, tea: Collection, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    open_tables(address).close()
    (tmp_path / "tea.toml").write_text(TEA)
    fixed = f"{address}?options=-c%20default_transaction_read_only%3Don"
    with pytest.raises(StorageError, match="can only be read: a standby"):
        create_app([tea], fixed)
    for words in (["serve", str(tmp_path / "tea.toml")], ["token", "new", "ann"]):
        assert main([*words, "--database", fixed]) == 2
        said = capsys.readouterr().err
        assert "standby" in said
        assert "password" not in said
    with pytest.raises(StorageError, match="standby"):
        Ledger(fixed)


@pytest.mark.slow  # copies a whole server: 5 s
def test_a_real_standby_is_called_one(cluster: Any, address: str, tea: Collection) -> None:
    from dataclasses import replace

    open_tables(address).close()
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    standby = replace(cluster, home=Path(cluster.home) / "standby", port=port)
    standby.home.mkdir()
    if cluster.owner:
        shutil.chown(standby.home, "postgres")
    subprocess.run(
        [cluster.programs / "pg_basebackup", "-D", standby.data, "-R", "-c", "fast",
         "-d", f"{cluster.url}/"],
        check=True, cwd=standby.home, **cluster.owner,
    )  # fmt: skip
    standby.start()
    try:
        place = f"{standby.url}/postgres"
        with pytest.raises(StorageError, match="can only be read: a standby"):
            create_app([tea], place)
        open_reading(place).close()
        with pytest.raises(StorageError, match="standby"):
            Ledger(place)
    finally:
        standby.stop()
