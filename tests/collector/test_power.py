"""A power cut at any moment: what was acknowledged is there, over both files.

The process's calls to the disk are written down in one order (``power.c``, preloaded). A cut keeps
what was synced, and of each write since then any sectors; what was made or removed since the
folder was synced may be there or not. The control syncs less (``synchronous=NORMAL``) and must
lose acknowledged reports.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest
from teas import TEA

from sudare.collection import Collection
from sudare.collector import Store
from sudare.errors import StorageError

SECTOR = 512
HEAD = struct.Struct("=4q")

PROGRAM = """
import os, random, sqlite3, sys, time
from sudare.collection import Collection
from sudare.collector import Store, schema
folder, toml, level, seed = sys.argv[1:]
configure = schema.configure
def weaker(connection):
    configure(connection)
    connection.execute("PRAGMA synchronous=" + level)
schema.configure = weaker
tea = Collection.from_toml(toml)
draw = random.Random(int(seed))
told = os.open(folder + "/told", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
for session in range(3):
    with Store(folder + "/tea.sqlite3", [tea], idle=0.005) as store:
        for _ in range(40):
            number = draw.choice((1, 1, 1, 30))
            ids = os.urandom(16 * number)
            for _ in range(2 if draw.random() < 0.05 else 1):
                store.add(tea.fingerprint, ids, bytes([2, 5]) * number).result()
            os.write(told, ids)
            time.sleep(draw.choice((0, 0, 0.02)))
"""


class Call(NamedTuple):
    """What was asked of the disk: one letter, the file, where, and what."""

    kind: str
    name: str
    offset: int
    data: bytes


@dataclass
class File:
    """A file as its process sees it, as the disk has it, and what lies between."""

    disk: bytearray = field(default_factory=bytearray)
    waiting: list[Call] = field(default_factory=list)
    named: bool = False
    removed: bool = False


def calls(log: Path) -> Iterator[Call]:
    """Read the log."""
    content, at = log.read_bytes(), 0
    while at < len(content):
        kind, offset, name, data = HEAD.unpack_from(content, at)
        at += HEAD.size
        text = content[at : at + name].decode()
        yield Call(chr(kind), text, offset, content[at + name : at + name + data])
        at += name + data


def apply(content: bytearray, call: Call, draw: random.Random, chance: float) -> None:
    """Do a call to a file's content, or the sectors of it that a draw lets through."""
    if call.kind == "t":
        if draw.random() < chance:
            del content[call.offset :]
            content.extend(bytes(call.offset - len(content)))
        return
    for start in range(0, len(call.data), SECTOR):
        if draw.random() < chance:
            part = call.data[start : start + SECTOR]
            place = call.offset + start
            content.extend(bytes(max(0, place + len(part) - len(content))))
            content[place : place + len(part)] = part


class Disk:
    """What a folder's files would be after a cut."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.files: dict[str, File] = {}
        self.told = bytearray()

    def take(self, call: Call) -> None:
        """Follow one call."""
        if call.name == self.folder:
            if call.kind == "s":
                for name in [name for name, file in self.files.items() if file.removed]:
                    del self.files[name]
                for file in self.files.values():
                    file.named = True
            return
        if call.name.endswith("/told"):
            self.told += call.data
            return
        if call.kind == "o" and (call.name not in self.files or self.files[call.name].removed):
            self.files[call.name] = File()
        file = self.files[call.name]
        if call.kind == "s":
            for each in file.waiting:
                apply(file.disk, each, random.Random(0), 1.1)
            file.waiting.clear()
            file.named = True
        elif call.kind == "u":
            file.removed = True
        elif call.kind in "wt":
            file.waiting.append(call)

    def cut(self, to: Path, draw: random.Random) -> set[bytes]:
        """Write what is left into another folder; return the ids that had been acknowledged."""
        to.mkdir()
        chance = draw.choice((0.0, 0.5, 0.9, 1.1))
        for name, file in self.files.items():
            if (file.removed and draw.random() < 0.5) or not (file.named or draw.random() < 0.5):
                continue
            content = bytearray(file.disk)
            for call in file.waiting:
                apply(content, call, draw, chance)
            (to / Path(name).name).write_bytes(content)
        return {bytes(self.told[at : at + 16]) for at in range(0, len(self.told), 16)}


def record(tmp_path: Path, level: str) -> list[Call]:
    """Run the collector with everything written down."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler")
    library, folder, log = tmp_path / "power.so", tmp_path / "disk", tmp_path / "log"
    folder.mkdir()
    source = Path(__file__).with_name("power.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    names = {"LD_PRELOAD": library, "POWER_FOLDER": folder, "POWER_LOG": log}
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), TEA, level, "1"],
        env=os.environ | {name: str(value) for name, value in names.items()},
        check=True,
        timeout=120,
    )
    return list(calls(log))


def holds(database: Path, tea: Collection, acknowledged: set[bytes]) -> bool:
    """Tell whether a collector starts and has everything, each once."""
    try:
        store = Store(database, [tea])
    except StorageError:  # its two files do not belong together
        return False
    with store:
        counts = store.counts(tea.fingerprint).result()
        assert store.recount(tea.fingerprint).result() == counts
        assert store.ready
    with closing(sqlite3.connect(database)) as connection:
        stored = [bytes(row[0]) for row in connection.execute("SELECT id FROM report")]
    assert len(stored) == len(set(stored)) == counts[0].n
    return acknowledged <= set(stored)


def lost(tmp_path: Path, level: str, cuts: int) -> int:
    """Return after how many cuts something was lost."""
    tea = Collection.from_toml(TEA)
    found, draw = record(tmp_path, level), random.Random(cuts)
    points = set(draw.sample(range(len(found)), cuts))
    disk, losses = Disk(tmp_path / "disk"), 0
    for number, call in enumerate(found):
        if number in points:
            after = tmp_path / f"after-{number}"
            acknowledged = disk.cut(after, draw)
            losses += not holds(after / "tea.sqlite3", tea, acknowledged)
            shutil.rmtree(after)
        disk.take(call)
    assert len(disk.told) > 16 * 100
    return losses


@pytest.mark.parametrize("cuts", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path, cuts):
    assert lost(tmp_path, "FULL", cuts) == 0


@pytest.mark.slow
def test_the_control_loses_reports(tmp_path):
    assert lost(tmp_path, "NORMAL", 60) > 0  # a third of the cuts do: of ten none did once
