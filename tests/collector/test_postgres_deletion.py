"""What a deletion leaves in PostgreSQL's files: looked for byte by byte."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import psycopg
from invited import SHELF, entry

from sudare.cli.main import main
from sudare.collection import Collection
from sudare.collector import issue_invites
from sudare.collector.databases import open_store
from sudare.collector.erasing import BEYOND, LOGGED
from sudare.collector.postgres import merge_thread
from sudare.operators import Register, Texts

WORD = "canary-a4f1c09e"
WIDE = f"""
[collection]
name = "wide"
title = "{WORD}-title"
epsilon = 2.0
publish_at = 1
[[question]]
id = "q"
type = "choice"
text = "{WORD}-text"
mechanism = "OUE"
choices = [{", ".join(f'"c{i}"' for i in range(207))}]
"""


TOLD = """
SELECT tablename, attname FROM pg_stats JOIN pg_attribute USING (attname)
WHERE schemaname = 'sudare_collector' AND attrelid = ('sudare_collector.' || tablename)::regclass
AND (atttypid = 'bytea'::regtype OR attname IN ('definition', 'texts', 'edited', 'served'))
"""


def found(folder: Path, words: list[bytes]) -> set[bytes]:
    """Return which words the files of a server have, but for its log and its templates."""
    left = set(words)
    for path in folder.rglob("*"):
        if path.is_file() and not {"pg_wal", "1", "4"} & set(path.parts):
            content = path.read_bytes()
            left -= {word for word in left if word in content}
    return set(words) - left


def test_a_deletion_leaves_nothing_in_the_tables_files_and_names_the_log(
    cluster, address, capsys, monkeypatch
) -> None:
    """Not in dead rows, long values, indices or statistics; the log it cannot reach."""
    wide = Collection.from_toml(WIDE)
    draw = random.Random(7)
    ids = [os.urandom(16) for _ in range(2_000)]
    payloads = [draw.randbytes(26) for _ in ids]
    code = issue_invites(SHELF, address, 2)[0]
    with Register(address) as register:
        Texts(register).edit("wide", WIDE)
        Texts(register).serve("wide", WIDE)
        Texts(register).edit("wide", WIDE.replace("2.0", "1.0"))
    monkeypatch.setattr(merge_thread, "empty", lambda *_: False)  # the mark of the invite waits
    with open_store(address, [wide, SHELF]) as store:
        for at in range(0, 2_000, 500):
            some = slice(at, at + 500)
            store.add(wide.fingerprint, b"".join(ids[some]), b"".join(payloads[some])).result()
            assert store.counts(wide.fingerprint).result()[0].n == at + 500
        invited = entry(store, code)
        store.add(*invited).result()
        store.add(wide.fingerprint, os.urandom(16), payloads[0]).result()
        store.counts(wide.fingerprint).result()
    secrets = [*ids[::200], *payloads[::200], invited[1]]
    words = [*secrets, WORD.encode()]
    with psycopg.connect(address, autocommit=True) as admin:
        marks = admin.execute("SELECT mark FROM sudare_collector.invite").fetchall()
        words += [bytes(mark) for (mark,) in marks]
        admin.execute("VACUUM ANALYZE")
        assert admin.execute(TOLD).fetchall() == []
        admin.execute("CHECKPOINT")
        assert found(cluster.data, words) == set(words), "they are in plain sight before"
        for name in ("wide", "shelf"):
            assert main(["close", name, "--database", address]) == 0
            capsys.readouterr()
            assert main(["delete", name, "--yes", "--json", "--database", address]) == 0
            assert json.loads(capsys.readouterr().out)["beyond"] == [LOGGED, *BEYOND]
        admin.execute("CHECKPOINT")
        assert found(cluster.data, words) == set()
    logs = [path.read_bytes() for path in (cluster.data / "pg_wal").iterdir() if path.is_file()]
    assert any(secrets[0] in log for log in logs), "what the command names is so"
